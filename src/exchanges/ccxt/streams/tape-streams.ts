// Public trades of the symbols that someone looks at, from the venue's stream. They are a picture: nothing is ordered, counted or filled by them, and
// one that was not heard is missing.
import { TAPE_TRADES, type TapeTrade } from '../../../exchange/market.ts'
import { readTape } from '../market-rows.ts'
import type { MarketBook } from '../markets.ts'
import { AskedSymbols } from './symbol-streams.ts'
import { canWatch, type StreamClient, type StreamTimers, startWatchLoop, type WatchLoop } from './watch-loop.ts'

/** No one has asked about the symbol for so long. */
const KEPT_MS = 30_000
const TIDY_MS = 10_000

interface TapeStreamsOptions {
  readonly client: StreamClient
  readonly markets: () => Promise<MarketBook>
  readonly timers: StreamTimers
  readonly now: () => number
  readonly onProblem: (problem: unknown) => void
}

interface Listened {
  trades: readonly TapeTrade[]
  loop: WatchLoop | undefined
  isEnded: boolean
}

export class TapeStreams {
  readonly #options: TapeStreamsOptions
  readonly #symbols: AskedSymbols<Listened>
  #stopTidying: (() => void) | undefined

  /** @returns undefined: the venue streams none */
  static of(options: TapeStreamsOptions): TapeStreams | undefined {
    return canWatch(options.client, 'watchTrades') ? new TapeStreams(options) : undefined
  }

  private constructor(options: TapeStreamsOptions) {
    this.#options = options
    this.#symbols = new AskedSymbols({
      keptMs: KEPT_MS,
      now: options.now,
      begin: (symbol) => this.#begin(symbol),
      end: (symbol, listened) => this.#end(symbol, listened),
    })
  }

  /** As `VenueView.knownTape`. */
  find(symbol: string): readonly TapeTrade[] {
    this.#stopTidying ??= this.#options.timers.every(TIDY_MS, () => this.#symbols.tidy())
    return this.#symbols.want(symbol).trades
  }

  close(): void {
    this.#symbols.close()
    this.#stopTidying?.()
  }

  #begin(symbol: string): Listened {
    const listened: Listened = { trades: [], loop: undefined, isEnded: false }
    void this.#listen(symbol, listened)
    return listened
  }

  async #listen(symbol: string, listened: Listened): Promise<void> {
    const { client, markets, timers, now, onProblem } = this.#options
    try {
      const market = (await markets()).byName(symbol)
      if (market === undefined || listened.isEnded) return
      listened.loop = startWatchLoop({
        timers,
        now,
        onProblem,
        watch: async () => client.watchTrades?.(market.symbol),
        take: (raw) => {
          listened.trades = together(listened.trades, readTape(raw, market))
        },
        // Which prices are old, the stream of the ticker says.
        onState: () => {},
      })
    } catch {
      // The markets cannot be read: questions of the symbol give the reason, and it is listened to again when it is next asked about.
      this.#symbols.forget(symbol)
    }
  }

  #end(symbol: string, listened: Listened): void {
    listened.isEnded = true
    listened.loop?.end()
    void this.#unwatch(symbol)
  }

  /** Without this the venue goes on telling what no one hears. */
  async #unwatch(symbol: string): Promise<void> {
    const { client, markets, onProblem } = this.#options
    if (client.has.unWatchTrades !== true) return
    try {
      const market = (await markets()).byName(symbol)
      if (market !== undefined && !this.#symbols.has(symbol)) await client.unWatchTrades?.(market.symbol)
    } catch (error) {
      onProblem(error)
    }
  }
}

/** A stream may repeat trades, and its first word may be older ones. */
function together(known: readonly TapeTrade[], news: readonly TapeTrade[]): readonly TapeTrade[] {
  const last = known.at(-1)
  const keyOf = ({ id, at, price, amount, side }: TapeTrade) => id ?? `${at} ${price} ${amount} ${side}`
  const had = new Set(known.map(keyOf))
  const later = news.filter((trade) => last === undefined || (trade.at >= last.at && !had.has(keyOf(trade))))
  return [...known, ...later].slice(-TAPE_TRADES)
}
