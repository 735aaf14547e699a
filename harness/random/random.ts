// Random choices that a seed repeats, on every machine. What a machine makes of them (who comes first) no seed repeats.
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

export interface Random {
  /** From 0 up to, but not, 1. */
  share(): number
  /** A whole number from 0 up to, but not, `limit`. */
  below(limit: number): number
  chance(probability: number): boolean
  /** @throws where there is nothing to pick from */
  pick<T>(items: readonly T[]): T
  /** undefined: there is nothing to pick from. */
  pickIfAny<T>(items: readonly T[]): T | undefined
  /** Another one, so that what one actor chooses does not depend on how often another one chose. */
  fork(): Random
}

/** The same choices for the same seed and name. @param name default none */
export function createRandom(seed: number, name = ''): Random {
  const generator = xoroshiro128plus(seed ^ hash(name))
  const share = (): number => (generator.next() >>> 0) / 2 ** 32
  const below = (limit: number): number => Math.floor(share() * limit)
  return {
    share,
    below,
    chance: (probability) => share() < probability,
    pick<T>(items: readonly T[]): T {
      if (items.length === 0) throw new Error('there is nothing to pick from')
      return items[below(items.length)] as T
    },
    pickIfAny: (items) => items[below(items.length)],
    fork: () => createRandom(below(2 ** 32)),
  }
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const unit of text) value = Math.imul(value ^ (unit.codePointAt(0) ?? 0), 0x01000193)
  return value >>> 0
}
