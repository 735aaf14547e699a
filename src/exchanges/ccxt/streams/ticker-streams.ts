// Tickers of the symbols that are watched, counted: by WebSocket where the venue streams them, and by asking where it does not, while a stream is
// made, and where one is silent.
import type { Ticker } from '../../../exchange/market.ts'
import { canWatch, type StreamClient } from './stream-client.ts'
import type { StreamTimers } from './stream-timers.ts'
import { startWatchLoop, type WatchLoop } from './watch-loop.ts'

const POLL_MS = 2_000
/** A market may be quiet; a ticker this old is asked for. */
const QUIET_MS = 15_000
/** So many questions in a row without an answer, and what is told is stale. */
const LOST_AFTER = 3

export interface TickerStreamsOptions {
  readonly client: StreamClient
  readonly markets: () => Promise<{ byName(name: string): { readonly symbol: string } | undefined }>
  readonly read: (symbol: string) => Promise<Ticker>
  readonly toTicker: (raw: unknown) => Ticker | undefined
  readonly tell: (ticker: Ticker) => void
  readonly onHeard: () => void
  readonly onLost: (error: unknown) => void
  readonly onProblem: (problem: unknown) => void
  readonly timers: StreamTimers
  readonly now: () => number
}

interface Watched {
  count: number
  loop: WatchLoop | undefined
  heardAt: number
  failures: number
  isAsking: boolean
  readonly stop: () => void
}

export class TickerStreams {
  readonly #options: TickerStreamsOptions
  readonly #watched = new Map<string, Watched>()

  constructor(options: TickerStreamsOptions) {
    this.#options = options
  }

  /** Watching twice needs ending twice. @returns ends it */
  watch(symbol: string): () => void {
    const entry = this.#watched.get(symbol) ?? this.#start(symbol)
    entry.count += 1
    let isEnded = false
    return () => {
      if (isEnded) return
      isEnded = true
      entry.count -= 1
      if (entry.count === 0) void this.#end(symbol, entry)
    }
  }

  close(): void {
    for (const entry of this.#watched.values()) {
      entry.stop()
      entry.loop?.end()
    }
    this.#watched.clear()
  }

  #start(symbol: string): Watched {
    const { client, timers } = this.#options
    const stop = timers.every(POLL_MS, () => this.#tick(symbol))
    const entry: Watched = { count: 0, loop: undefined, heardAt: 0, failures: 0, isAsking: false, stop }
    this.#watched.set(symbol, entry)
    void this.#ask(symbol, entry)
    if (canWatch(client, 'watchTicker')) void this.#stream(symbol, entry)
    return entry
  }

  async #stream(symbol: string, entry: Watched): Promise<void> {
    const { client, timers, now, onProblem, toTicker } = this.#options
    const unified = await this.#unifiedName(symbol)
    if (unified === undefined || !this.#isWatched(symbol, entry)) return
    entry.loop = startWatchLoop({
      ...{ timers, now, onProblem },
      watch: async () => client.watchTicker?.(unified),
      take: (row) => this.#take(symbol, entry, toTicker(row)),
      // While it is down, and where it is missing, the ticker is asked for.
      onState: () => {},
    })
  }

  #tick(symbol: string): void {
    const entry = this.#watched.get(symbol)
    if (entry === undefined) return
    const isStreamed = entry.loop?.state === 'up'
    if (!isStreamed || this.#options.now() - entry.heardAt > QUIET_MS) void this.#ask(symbol, entry)
  }

  async #ask(symbol: string, entry: Watched): Promise<void> {
    if (entry.isAsking) return
    entry.isAsking = true
    try {
      this.#take(symbol, entry, await this.#options.read(symbol))
    } catch (error) {
      entry.failures += 1
      if (this.#isWatched(symbol, entry) && entry.failures === LOST_AFTER) this.#options.onLost(error)
    }
    entry.isAsking = false
  }

  #take(symbol: string, entry: Watched, ticker: Ticker | undefined): void {
    if (ticker === undefined || !this.#isWatched(symbol, entry)) return
    entry.heardAt = this.#options.now()
    entry.failures = 0
    this.#options.onHeard()
    this.#options.tell(ticker)
  }

  #isWatched(symbol: string, entry: Watched): boolean {
    return this.#watched.get(symbol) === entry
  }

  /** undefined while the markets cannot be read: the ticker is asked for, and that says why. */
  async #unifiedName(symbol: string): Promise<string | undefined> {
    try {
      return (await this.#options.markets()).byName(symbol)?.symbol
    } catch {
      return undefined
    }
  }

  async #end(symbol: string, entry: Watched): Promise<void> {
    this.#watched.delete(symbol)
    entry.stop()
    entry.loop?.end()
    const { client, onProblem } = this.#options
    const { unWatchTicker } = client.has
    if (entry.loop === undefined || unWatchTicker !== true) return
    const unified = await this.#unifiedName(symbol)
    // Without this the venue goes on telling what nobody hears.
    if (unified !== undefined && !this.#watched.has(symbol)) await client.unWatchTicker?.(unified).catch(onProblem)
  }
}
