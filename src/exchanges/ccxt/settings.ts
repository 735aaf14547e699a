// What orders have to know of an account and its symbols besides themselves: how a symbol is margined, and its price. An order waits for such an
// answer once; after that the last one serves, and is asked for again behind the order.

/** An answer older than this is asked for again behind who uses it. */
const FRESH_MS = 60_000
/** One older than this is not used any more: on the venue's own page anything may have been changed meanwhile. */
const OLDEST_MS = 10 * 60_000
/** A price is of now for so long, as for the guards (`guards/guard.ts`). */
const PRICE_MS = 1_000
/** Where it cannot be asked: a market order that is sent as a limit order has room for more than that. */
const LATE_PRICE_MS = 30_000

interface Answer {
  readonly value: unknown
  readonly at: number
}

export class SymbolSettings {
  readonly #now: () => number
  /** Behind what is on its way. */
  readonly #later: (ask: () => void) => void
  /** By symbol, then by name. */
  readonly #answers = new Map<string, Map<string, Answer>>()
  readonly #asking = new Map<string, Promise<unknown>>()
  readonly #prices = new Map<string, { readonly last: string; readonly at: number }>()

  constructor(now: () => number, later: (ask: () => void) => void) {
    this.#now = now
    this.#later = later
  }

  /** @throws what `ask` does, where there is no answer to go by */
  async get<T>(symbol: string, name: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#answers.get(symbol)?.get(name)
    const ageMs = known === undefined ? Number.POSITIVE_INFINITY : Math.abs(this.#now() - known.at)
    if (known !== undefined && ageMs <= FRESH_MS) return known.value as T
    if (known === undefined || ageMs > OLDEST_MS) return this.#ask(symbol, name, ask)
    // Who needs it when it has become too old hears what is wrong.
    this.#later(() => void this.#ask(symbol, name, ask).catch(() => {}))
    return known.value as T
  }

  #ask<T>(symbol: string, name: string, ask: () => Promise<T>): Promise<T> {
    const key = `${symbol} ${name}`
    const asking = this.#asking.get(key)
    if (asking !== undefined) return asking as Promise<T>
    const answers = this.#answers.get(symbol) ?? new Map<string, Answer>()
    this.#answers.set(symbol, answers)
    const at = this.#now()
    const asked = ask().then((value) => {
      answers.set(name, { value, at })
      return value
    })
    this.#asking.set(key, asked)
    const ended = (): void => {
      if (this.#asking.get(key) === asked) this.#asking.delete(key)
    }
    asked.then(ended, ended)
    return asked
  }

  /** We, or the venue, said that it is another. What is being asked for is not kept either. */
  forget(symbol: string): void {
    this.#answers.delete(symbol)
    for (const key of this.#asking.keys()) if (key.startsWith(`${symbol} `)) this.#asking.delete(key)
  }

  notePrice(symbol: string, last: string): void {
    this.#prices.set(symbol, { last, at: this.#now() })
  }

  /** The price of the plan, or of a stream, where that is of now. @throws what `ask` does */
  async price(symbol: string, ask: () => Promise<string>): Promise<string> {
    const within = (ms: number): string | undefined => {
      const known = this.#prices.get(symbol)
      return known !== undefined && Math.abs(this.#now() - known.at) <= ms ? known.last : undefined
    }
    const known = within(PRICE_MS)
    if (known !== undefined) return known
    try {
      return await ask()
    } catch (error) {
      const late = within(LATE_PRICE_MS)
      if (late === undefined) throw error
      return late
    }
  }
}
