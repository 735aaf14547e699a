// What is told of one symbol, its ticker or its book, for the symbols that are watched, counted: by WebSocket where the venue streams it, and by
// asking where it does not, while a stream is made, and where one is silent. Nothing is missed by a gap: the newest says all.
import { canWatch, type StreamClient } from './stream-client.ts'
import type { StreamTimers } from './stream-timers.ts'
import { startWatchLoop, type WatchLoop } from './watch-loop.ts'

const POLL_MS = 2_000
/** A market may be quiet; what is this old is asked for. */
const QUIET_MS = 15_000
/** So many questions in a row without an answer, and what is told is stale. */
const LOST_AFTER = 3

export type SymbolTopic = 'Ticker' | 'OrderBook'

export interface SymbolStreamsOptions<Row> {
  readonly topic: SymbolTopic
  readonly client: StreamClient
  readonly markets: () => Promise<{ byName(name: string): { readonly symbol: string } | undefined }>
  readonly read: (symbol: string) => Promise<Row>
  readonly toRow: (raw: unknown) => Row | undefined
  readonly tell: (row: Row, symbol: string) => void
  /** Several questions in a row had no answer. */
  readonly onLost: (error: unknown, symbol: string) => void
  readonly onProblem: (problem: unknown) => void
  readonly timers: StreamTimers
  readonly now: () => number
  /** Default 15 s. */
  readonly quietMs?: number
}

interface Watched {
  count: number
  loop: WatchLoop | undefined
  heardAt: number
  /** How often. */
  heard: number
  failures: number
  isAsking: boolean
  readonly stop: () => void
}

export class SymbolStreams<Row> {
  readonly #options: SymbolStreamsOptions<Row>
  readonly #watched = new Map<string, Watched>()

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

  #start(symbol: string): Watched {
    const { client, timers, topic } = this.#options
    const stop = timers.every(POLL_MS, () => this.#tick(symbol))
    const entry: Watched = { count: 0, loop: undefined, heardAt: 0, heard: 0, failures: 0, isAsking: false, stop }
    this.#watched.set(symbol, entry)
    void this.#ask(symbol, entry)
    if (canWatch(client, `watch${topic}`)) void this.#stream(symbol, entry)
    return entry
  }

  async #stream(symbol: string, entry: Watched): Promise<void> {
    const { client, topic, timers, now, onProblem, toRow } = this.#options
    const unified = await this.#unifiedName(symbol)
    if (unified === undefined || !this.#isWatched(symbol, entry)) return
    entry.loop = startWatchLoop({
      ...{ timers, now, onProblem },
      watch: async () => client[`watch${topic}`]?.(unified),
      take: (row) => this.#take(symbol, entry, toRow(row)),
      // While it is down, and where it is missing, it is asked for.
      onState: () => {},
    })
  }

  #tick(symbol: string): void {
    const entry = this.#watched.get(symbol)
    if (entry === undefined) return
    const { now, quietMs = QUIET_MS } = this.#options
    if (entry.loop?.state !== 'up' || now() - entry.heardAt > quietMs) void this.#ask(symbol, entry)
  }

  async #ask(symbol: string, entry: Watched): Promise<void> {
    if (entry.isAsking) return
    entry.isAsking = true
    const heard = entry.heard
    try {
      const row = await this.#options.read(symbol)
      // What the stream told meanwhile is newer.
      if (entry.heard === heard) this.#take(symbol, entry, row)
    } catch (error) {
      entry.failures += 1
      if (this.#isWatched(symbol, entry) && entry.failures === LOST_AFTER) this.#options.onLost(error, symbol)
    }
    entry.isAsking = false
  }

  #take(symbol: string, entry: Watched, row: Row | undefined): void {
    if (row === undefined || !this.#isWatched(symbol, entry)) return
    entry.heardAt = this.#options.now()
    entry.heard += 1
    entry.failures = 0
    this.#options.tell(row, symbol)
  }

  #isWatched(symbol: string, entry: Watched): boolean {
    return this.#watched.get(symbol) === entry
  }

  /** undefined while the markets cannot be read: it is asked for, and that says why. */
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
    const { client, topic, onProblem } = this.#options
    if (entry.loop === undefined || client.has[`unWatch${topic}`] !== true) return
    const unified = await this.#unifiedName(symbol)
    // Without this the venue goes on telling what nobody hears.
    if (unified !== undefined && !this.#watched.has(symbol)) await client[`unWatch${topic}`]?.(unified).catch(onProblem)
  }
}
