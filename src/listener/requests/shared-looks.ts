// What several look at, looked at once. It is kept for a moment after the last has looked away: who looks away and back again, or at one thing after
// another without end, does not make a venue answer each time.

/** So long it is kept. */
const KEPT_MS = 5_000

export interface Look {
  end(): void
}

export class SharedLooks<L extends Look> {
  readonly #most: number
  readonly #looks = new Map<string, L>()
  readonly #unwatched = new Map<string, NodeJS.Timeout>()

  /** @param most at once, those that are only kept among them */
  constructor(most: number) {
    this.#most = most
  }

  /** @returns undefined: there are too many */
  take(key: string, begin: () => L): L | undefined {
    clearTimeout(this.#unwatched.get(key))
    this.#unwatched.delete(key)
    const known = this.#looks.get(key)
    if (known !== undefined) return known
    if (this.#looks.size >= this.#most) return undefined
    const look = begin()
    this.#looks.set(key, look)
    return look
  }

  has(key: string): boolean {
    return this.#looks.has(key)
  }

  /** Nobody looks at it. */
  leave(key: string): void {
    if (!this.#looks.has(key) || this.#unwatched.has(key)) return
    this.#unwatched.set(key, setTimeout(() => this.#end(key), KEPT_MS).unref())
  }

  stop(): void {
    for (const key of [...this.#looks.keys()]) this.#end(key)
  }

  #end(key: string): void {
    clearTimeout(this.#unwatched.get(key))
    this.#unwatched.delete(key)
    this.#looks.get(key)?.end()
    this.#looks.delete(key)
  }
}
