// What is told of one symbol, its ticker or its book, for the symbols that are watched, counted: by WebSocket where the venue streams it, and by
// asking where it does not, while a stream is made, and where one is silent. Nothing is missed by a gap: the newest says all.
import { BoundedMap } from '../../../base/concurrency.ts'
import type { Ticker } from '../../../exchange/market.ts'
import { canWatch, type StreamClient, type StreamTimers, startWatchLoop, type WatchLoop } from './watch-loop.ts'

const POLL_MS = 2_000
/** A market may be quiet; what is this old is asked for. */
const QUIET_MS = 15_000
/** So many questions in a row without an answer, and what is told is stale. */
const LOST_AFTER = 3

type SymbolTopic = 'Ticker' | 'OrderBook'

interface SymbolStreamsOptions<Row> {
  readonly topic: SymbolTopic
  readonly client: StreamClient
  readonly markets: () => Promise<{ byName(name: string): { readonly symbol: string } | undefined }>
  readonly read: (symbol: string) => Promise<Row>
  /** What a stream says; `known` completes what it leaves out. */
  readonly toRow: (raw: unknown, known: Row | undefined) => Row | undefined
  /** `isWhole`: nothing of the row is older than the rest. */
  readonly notify: (row: Row, symbol: string, isWhole: boolean) => void
  /** Several questions in a row had no answer. */
  readonly onLost: (error: unknown, symbol: string) => void
  readonly onProblem: (problem: unknown) => void
  readonly timers: StreamTimers
  readonly now: () => number
  /** Default 15 s. */
  readonly quietMs?: number
}

/** What is known of a symbol: for what a stream leaves out. */
interface Base<Row> {
  readonly row: Row
  readonly at: number
}

interface Watched<Row> {
  count: number
  loop: WatchLoop | undefined
  /** The last that was whole. */
  base: Base<Row> | undefined
  /** How often. */
  received: number
  failures: number
  isAsking: boolean
  readonly stop: () => void
}

export class SymbolStreams<Row> {
  readonly #options: SymbolStreamsOptions<Row>
  readonly #watched = new Map<string, Watched<Row>>()

  constructor(options: SymbolStreamsOptions<Row>) {
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

  #start(symbol: string): Watched<Row> {
    const { client, timers, topic } = this.#options
    const stop = timers.every(POLL_MS, () => this.#tick(symbol))
    const entry: Watched<Row> = {
      count: 0,
      loop: undefined,
      base: undefined,
      received: 0,
      failures: 0,
      isAsking: false,
      stop,
    }
    this.#watched.set(symbol, entry)
    void this.#ask(symbol, entry)
    if (canWatch(client, `watch${topic}`)) void this.#stream(symbol, entry)
    return entry
  }

  async #stream(symbol: string, entry: Watched<Row>): Promise<void> {
    const { client, topic, timers, now, onProblem } = this.#options
    const unified = await this.#unifiedName(symbol)
    if (unified === undefined || !this.#isWatched(symbol, entry)) return
    entry.loop = startWatchLoop({
      timers,
      now,
      onProblem,
      watch: async () => client[`watch${topic}`]?.(unified),
      take: (raw) => this.#receive(symbol, entry, raw),
      // While it is down, and where it is missing, it is asked for.
      onState: () => {},
    })
  }

  #tick(symbol: string): void {
    const entry = this.#watched.get(symbol)
    if (entry === undefined) return
    const { now, quietMs = QUIET_MS } = this.#options
    if (entry.loop?.state !== 'up' || now() - (entry.base?.at ?? 0) > quietMs) void this.#ask(symbol, entry)
  }

  async #ask(symbol: string, entry: Watched<Row>): Promise<void> {
    if (entry.isAsking) return
    entry.isAsking = true
    const received = entry.received
    try {
      const row = await this.#options.read(symbol)
      entry.base = { row, at: this.#options.now() }
      entry.failures = 0
      // What the stream told meanwhile is newer.
      if (entry.received === received) this.#take(symbol, entry, row, true)
    } catch (error) {
      entry.failures += 1
      if (this.#isWatched(symbol, entry) && entry.failures === LOST_AFTER) this.#options.onLost(error, symbol)
    }
    entry.isAsking = false
  }

  #receive(symbol: string, entry: Watched<Row>, raw: unknown): void {
    const { toRow, now } = this.#options
    const whole = toRow(raw, undefined)
    if (whole !== undefined) {
      entry.base = { row: whole, at: now() }
      entry.failures = 0
    }
    const isWhole = whole !== undefined
    this.#take(symbol, entry, whole ?? (entry.base && toRow(raw, entry.base.row)), isWhole)
  }

  #take(symbol: string, entry: Watched<Row>, row: Row | undefined, isWhole: boolean): void {
    if (row === undefined || !this.#isWatched(symbol, entry)) return
    entry.received += 1
    this.#options.notify(row, symbol, isWhole)
  }

  #isWatched(symbol: string, entry: Watched<Row>): boolean {
    return this.#watched.get(symbol) === entry
  }

  /** undefined while the markets cannot be read: it is asked for, and that gives the reason. */
  async #unifiedName(symbol: string): Promise<string | undefined> {
    try {
      return (await this.#options.markets()).byName(symbol)?.symbol
    } catch {
      return undefined
    }
  }

  async #end(symbol: string, entry: Watched<Row>): Promise<void> {
    this.#watched.delete(symbol)
    entry.stop()
    entry.loop?.end()
    const { client, topic, onProblem } = this.#options
    if (entry.loop === undefined || client.has[`unWatch${topic}`] !== true) return
    const unified = await this.#unifiedName(symbol)
    // Without this the venue goes on telling what no one hears.
    if (unified !== undefined && !this.#watched.has(symbol)) await client[`unWatch${topic}`]?.(unified).catch(onProblem)
  }
}

// Symbols that someone asks about are listened to, and ended when no one has asked for a while.

const MAX_SYMBOLS = 10

interface AskedSymbolsOptions<Listened> {
  /** After no question for so long, `tidy` ends a symbol. */
  readonly keptMs: number
  readonly now: () => number
  readonly begin: (symbol: string) => Listened
  readonly end: (symbol: string, listened: Listened) => void
}

/** At most ten: one more ends the one asked about longest ago. */
export class AskedSymbols<Listened> {
  readonly #options: AskedSymbolsOptions<Listened>
  readonly #asked: BoundedMap<string, { readonly listened: Listened; readonly at: number }>

  constructor(options: AskedSymbolsOptions<Listened>) {
    this.#options = options
    this.#asked = new BoundedMap(MAX_SYMBOLS, (symbol, { listened }) => options.end(symbol, listened))
  }

  /** Listens to the symbol from now on. */
  want(symbol: string): Listened {
    const { now, begin } = this.#options
    const known = this.#asked.get(symbol)
    const listened = known === undefined ? begin(symbol) : known.listened
    this.#asked.set(symbol, { listened, at: now() })
    return listened
  }

  has(symbol: string): boolean {
    return this.#asked.has(symbol)
  }

  /** Without its end. */
  forget(symbol: string): void {
    this.#asked.delete(symbol)
  }

  /** Ends what no one has asked about for long. */
  tidy(): void {
    const { keptMs, now } = this.#options
    for (const [symbol, { at }] of this.#asked) if (now() - at > keptMs) this.#end(symbol)
  }

  close(): void {
    for (const symbol of this.#asked.keys()) this.#end(symbol)
  }

  #end(symbol: string): void {
    const asked = this.#asked.get(symbol)
    this.#asked.delete(symbol)
    if (asked !== undefined) this.#options.end(symbol, asked.listened)
  }
}

// Prices that streams have told just now, of the symbols that someone has asked about: an order need not ask for what has just been said. A
// price counts by when it came, and by how late it came: what lay in a buffer while the network was silent is old when it is there.

/** As for prices that were asked for (`guards/guard.ts`). */
const FRESH_MS = 1_000
/** No one has asked about the symbol for so long. */
const KEPT_MS = 10 * 60_000
/** Others watch more symbols; what streams say of them is known, too. */
const MAX_REPORTED = 1_000

interface TickerCacheOptions {
  /** @returns ends it */
  readonly watch: (symbol: string) => () => void
  readonly now: () => number
}

interface Reported {
  readonly ticker: Ticker
  readonly at: number
  readonly lateMs: number
}

export class TickerCache {
  readonly #options: TickerCacheOptions
  /** By symbol, what ends its watch. */
  readonly #wanted: AskedSymbols<() => void>
  readonly #reported = new BoundedMap<string, Reported>(MAX_REPORTED)
  /** Between the venue's time and ours, with the shortest way that was seen. */
  #quickestMs = Number.POSITIVE_INFINITY

  constructor(options: TickerCacheOptions) {
    this.#options = options
    const { now, watch } = options
    this.#wanted = new AskedSymbols({ keptMs: KEPT_MS, now, begin: watch, end: (_symbol, end) => end() })
  }

  received(ticker: Ticker): void {
    const at = this.#options.now()
    const tookMs = at - ticker.timestamp
    this.#quickestMs = Math.min(this.#quickestMs, tookMs)
    this.#reported.set(ticker.symbol, { ticker, at, lateMs: tookMs - this.#quickestMs })
  }

  /** Listens to the symbol from now on. */
  find(symbol: string): Ticker | undefined {
    this.#wanted.want(symbol)
    const reported = this.#reported.get(symbol)
    if (reported === undefined) return undefined
    const ageMs = Math.abs(this.#options.now() - reported.at)
    return ageMs + reported.lateMs <= FRESH_MS ? reported.ticker : undefined
  }

  /** What was told before a gap says nothing any more. */
  forget(): void {
    this.#reported.clear()
    this.#quickestMs = Number.POSITIVE_INFINITY
  }

  tidy(): void {
    this.#wanted.tidy()
  }
}
