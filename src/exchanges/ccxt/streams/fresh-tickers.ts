// Prices that streams have told just now, of the symbols that somebody has asked about: an order need not ask for what has just been said. A
// price counts by when it came, and by how late it came: what lay in a buffer while the network was silent is old when it is there.
import { BoundedMap } from '../../../base/concurrency.ts'
import type { Ticker } from '../../../exchange/market.ts'

/** As for prices that were asked for (`guards/guard.ts`). */
const FRESH_MS = 1_000
/** Nobody has asked about the symbol for so long. */
const KEPT_MS = 10 * 60_000
const MAX_SYMBOLS = 10

interface FreshTickersOptions {
  /** @returns ends it */
  readonly watch: (symbol: string) => () => void
  readonly now: () => number
}

interface Told {
  readonly ticker: Ticker
  readonly at: number
  readonly lateMs: number
}

export class FreshTickers {
  readonly #options: FreshTickersOptions
  /** By symbol, the one asked about longest ago first. */
  readonly #wanted = new BoundedMap<string, { readonly end: () => void; readonly at: number }>(
    MAX_SYMBOLS,
    (symbol, { end }) => {
      end()
      this.#told.delete(symbol)
    },
  )
  readonly #told = new Map<string, Told>()
  /** Between the venue's time and ours, with the shortest way that was seen. */
  #quickestMs = Number.POSITIVE_INFINITY

  constructor(options: FreshTickersOptions) {
    this.#options = options
  }

  heard(ticker: Ticker): void {
    const at = this.#options.now()
    const tookMs = at - ticker.timestamp
    this.#quickestMs = Math.min(this.#quickestMs, tookMs)
    if (this.#wanted.has(ticker.symbol)) {
      this.#told.set(ticker.symbol, { ticker, at, lateMs: tookMs - this.#quickestMs })
    }
  }

  /** Listens to the symbol from now on. */
  find(symbol: string): Ticker | undefined {
    this.#want(symbol)
    const told = this.#told.get(symbol)
    if (told === undefined) return undefined
    const ageMs = Math.abs(this.#options.now() - told.at)
    return ageMs + told.lateMs <= FRESH_MS ? told.ticker : undefined
  }

  /** What was told before a gap says nothing any more. */
  forget(): void {
    this.#told.clear()
    this.#quickestMs = Number.POSITIVE_INFINITY
  }

  /** Ends what nobody has asked about for long. */
  tidy(): void {
    for (const [symbol, { at }] of this.#wanted) if (this.#options.now() - at > KEPT_MS) this.#end(symbol)
  }

  #want(symbol: string): void {
    const at = this.#options.now()
    const known = this.#wanted.get(symbol)
    this.#wanted.set(symbol, { end: known?.end ?? this.#options.watch(symbol), at })
  }

  #end(symbol: string): void {
    this.#wanted.get(symbol)?.end()
    this.#wanted.delete(symbol)
    this.#told.delete(symbol)
  }
}
