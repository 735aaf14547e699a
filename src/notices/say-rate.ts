// How often `notify` may tell something: so often in a minute for each hook, page or terminal, and for all together. A hook that fires all the
// time floods nobody.
const WINDOW_MS = 60_000
const OF_ONE = 10
const OF_ALL = 30

export class SayRate {
  readonly #now: () => number
  #said: { readonly who: string; readonly at: number }[] = []

  /** @param now ms since the epoch */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Counts it where it may be told. @param who a hook's id, `terminal` */
  admit(who: string): boolean {
    const now = this.#now()
    this.#said = this.#said.filter(({ at }) => at > now - WINDOW_MS && at <= now)
    if (this.#said.length >= OF_ALL || this.#said.filter((each) => each.who === who).length >= OF_ONE) return false
    this.#said.push({ who, at: now })
    return true
  }
}
