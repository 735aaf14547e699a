// Random choices that a seed repeats. What the machine makes of them (who comes first) no seed repeats.
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 up to, but not, 1 (mulberry32). */
  share(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from 0 up to, but not, `limit`. */
  below(limit: number): number {
    return Math.floor(this.share() * limit)
  }

  chance(probability: number): boolean {
    return this.share() < probability
  }

  pick<T>(list: readonly T[]): T | undefined {
    return list[this.below(list.length)]
  }

  /** Another one, so that what one actor chooses does not depend on how often another one chose. */
  fork(): Random {
    return new Random(this.below(2 ** 32))
  }
}
