// The private streams of an account: which there are, and what becomes of each row. A row that misstates its order only says that the order has
// changed, and the order is asked for; one that cannot be read makes its symbol be read again.
import { BoundedMap } from '../../../base/concurrency.ts'
import { type Order, type OrderRef, orderKey, type Trade } from '../../../exchange/order.ts'
import type { StreamTimers } from './watch-loop.ts'
import { canWatch, type LoopState, type StreamClient, startWatchLoop, type WatchLoop } from './watch-loop.ts'

/** One subscription: ccxt's extra arguments of `watchOrders` or `watchMyTrades`. */
export interface OwnStream {
  readonly params?: Readonly<Record<string, unknown>>
  /** Its rows, or those of them that it says, leave out or misstate what counts: each only says that its order has changed. */
  readonly isHint?: boolean | ((row: unknown) => boolean)
  /** Of trigger orders alone: no fill is on it, and it may be silent for ever. */
  readonly isOfTriggers?: boolean
}

export interface OwnStreams {
  readonly orders: readonly OwnStream[]
  /** None where orders say of each fill that there was one: then fills are asked for. */
  readonly fills: readonly OwnStream[]
  /** `asked`: they are on no stream, and looked for as often as without streams. */
  readonly triggers: 'streamed' | 'asked'
  /** Rows of another kind of market, which has the same names: some streams are of all that the account does. */
  readonly isForeign?: (row: unknown) => boolean
  /** They work wherever they are up. Else that is believed once one has told something. */
  readonly isProven?: boolean
}

/** What a row of a stream is good for. */
export type ReceivedRow<Row> =
  | { readonly as: 'row'; readonly row: Row }
  /** Its order has changed. `at`: when, where the row says it. `isResting`: nothing of it has filled, as far as the row says. */
  | { readonly as: 'change'; readonly ref: OrderRef; readonly at?: number; readonly isResting?: boolean }
  /** Of a market that is none of this account's kind. */
  | { readonly as: 'foreign' }
  /** `id`: of its order, where it says at least that. */
  | { readonly as: 'unread'; readonly symbol?: string; readonly id?: string; readonly at?: number }

type Change = Extract<ReceivedRow<never>, { readonly as: 'change' }>

interface OwnRows {
  readonly client: StreamClient
  readonly streams: OwnStreams
  /** Before the first subscription and each later one. */
  readonly prepare: () => Promise<unknown>
  readonly toOrder: (raw: unknown, stream: OwnStream) => ReceivedRow<Order>
  readonly toTrade: (raw: unknown, stream: OwnStream) => ReceivedRow<Trade>
  readonly takeOrders: (orders: readonly Order[]) => void
  readonly takeTrades: (trades: readonly Trade[]) => void
  /** @returns those that the venue does not know yet; rejects where it does not answer */
  readonly ask: (refs: readonly OrderRef[]) => Promise<readonly OrderRef[]>
  /** By the venue's id alone: of an order that is known. */
  readonly find: (id: string) => OrderRef | undefined
  /** Whether the venue has just acknowledged the order: that it rests is known. */
  readonly isAcknowledged: (ref: OrderRef) => boolean
  /** Something came, whatever it was. */
  readonly onReceived: () => void
  /** What is held may have changed. */
  readonly onNews: () => void
  /** Rows came that cannot be read: what they said is to be read by asking. */
  readonly onUnread: (symbol: string | undefined) => void
  readonly onState: (state: LoopState, error: unknown) => void
  readonly onProblem: (problem: unknown) => void
  readonly timers: StreamTimers
  readonly now: () => number
}

type Method = 'watchOrders' | 'watchMyTrades'

/** An order and its fills are told by several rows at once. */
const TOGETHER_MS = 20
/** A venue's answers may not know yet what its streams tell. */
const ASK_AGAIN_MS = [250, 500, 1_000, 2_000] as const
/** Streams list old fills when they begin: those are read with the gap. */
const OLD_MS = 2 * 60_000
const MOST_ROWS = 2_000

export class OwnOrderStreams {
  readonly loops: WatchLoop[] = []
  readonly #options: OwnRows
  readonly #fillLoops: WatchLoop[] = []
  /** By symbol and id: what is about to be asked, and how often it was. */
  readonly #changed = new Map<string, { readonly ref: OrderRef; readonly times: number }>()
  /** By order: the last row that said that it changed. A stream that repeats itself says nothing. */
  readonly #rows = new BoundedMap<string, string>(MOST_ROWS)
  readonly #complained = new Set<Method>()
  #isAsking = false

  constructor(options: OwnRows) {
    this.#options = options
  }

  /** Whether each fill is reported as it comes. */
  get isReported(): boolean {
    const isUp = this.#fillLoops.length > 0 && this.loops.every(({ state }) => state === 'up')
    return isUp && !this.#fillLoops.some(({ isGuess }) => isGuess)
  }

  /** Whether one is up of which nothing was heard: it may be taken for subscribed too early. */
  get isGuess(): boolean {
    return this.loops.some(({ isGuess }) => isGuess)
  }

  /** Whether they carry all that the account has, and have been heard where nothing else shows that they work. */
  get isTrusted(): boolean {
    const { triggers, isProven = false } = this.#options.streams
    return (
      triggers === 'streamed' && (isProven || this.#fillLoops.some(({ state, isGuess }) => state === 'up' && !isGuess))
    )
  }

  begin(): void {
    const { client, streams, toOrder, toTrade, takeOrders, takeTrades } = this.#options
    if (!canWatch(client, 'watchOrders')) return
    for (const stream of streams.orders) {
      this.#watch('watchOrders', stream, (raw) => toOrder(raw, stream), takeOrders)
    }
    for (const stream of streams.fills) {
      this.#watch('watchMyTrades', stream, (raw) => toTrade(raw, stream), takeTrades)
    }
  }

  end(): void {
    for (const loop of this.loops) loop.end()
  }

  #watch<Row>(
    method: Method,
    stream: OwnStream,
    read: (raw: unknown) => ReceivedRow<Row>,
    take: (rows: readonly Row[]) => void,
  ): void {
    const { client, prepare, onReceived, onState, onProblem, timers, now } = this.#options
    if (!canWatch(client, method)) return
    const loop = startWatchLoop({
      prepare,
      timers,
      now,
      onProblem,
      onState,
      // A fresh object each time: some classes write into it.
      watch: async () => client[method]?.(undefined, undefined, undefined, { ...stream.params }),
      take: (rows) => {
        onReceived()
        if (Array.isArray(rows)) this.#take(method, rows, read, take)
      },
    })
    this.loops.push(loop)
    if (stream.isOfTriggers !== true) this.#fillLoops.push(loop)
  }

  #take<Row>(
    method: Method,
    raws: readonly unknown[],
    read: (raw: unknown) => ReceivedRow<Row>,
    take: (rows: readonly Row[]) => void,
  ): void {
    const { onNews, find } = this.#options
    const rows: Row[] = []
    for (const raw of raws) {
      const received = read(raw)
      if (received.as === 'row') rows.push(received.row)
      else if (received.as === 'change') this.#noteChange(method, received, raw)
      else if (received.as === 'unread' && !this.#isOld(method, received.at)) {
        const ref = received.id === undefined ? undefined : find(received.id)
        onNews()
        if (ref === undefined) this.#noteUnread(method, received.symbol)
        else this.#noteChange(method, { ref }, raw)
      }
    }
    if (rows.length > 0) take(rows)
  }

  #noteChange(method: Method, { ref, at, isResting = false }: Omit<Change, 'as'>, raw: unknown): void {
    if (isResting && this.#options.isAcknowledged(ref)) return
    const name = orderKey(ref.symbol, ref.id ?? ref.clientOrderId ?? '')
    const [key, row] = [`${method} ${name}`, JSON.stringify(raw)]
    if (this.#rows.get(key) === row) return
    this.#rows.set(key, row)
    if (this.#isOld(method, at)) return
    this.#options.onNews()
    this.#changed.set(name, { ref, times: 0 })
    this.#askIn(TOGETHER_MS)
  }

  #isOld(method: Method, at: number | undefined): boolean {
    return method === 'watchMyTrades' && at !== undefined && at < this.#options.now() - OLD_MS
  }

  #noteUnread(method: Method, symbol: string | undefined): void {
    const { onUnread, onProblem } = this.#options
    onUnread(symbol)
    if (this.#complained.has(method)) return
    this.#complained.add(method)
    const what = method === 'watchOrders' ? 'an order' : 'a fill'
    onProblem(new Error(`a stream sent ${what}${symbol === undefined ? '' : ` of ${symbol}`} that cannot be read`))
  }

  #askIn(ms: number): void {
    if (this.#isAsking) return
    this.#isAsking = true
    this.#options.timers.after(ms, () => void this.#ask())
  }

  async #ask(): Promise<void> {
    const asked = [...this.#changed.values()]
    this.#changed.clear()
    const unknown = await this.#options.ask(asked.map(({ ref }) => ref)).catch((): readonly OrderRef[] => {
      // The gap that this leaves is read again, and what a row says counts anew.
      this.#rows.clear()
      return []
    })
    this.#isAsking = false
    const again = asked.filter(({ ref, times }) => unknown.includes(ref) && times < ASK_AGAIN_MS.length)
    for (const { ref, times } of again) {
      const name = orderKey(ref.symbol, ref.id ?? ref.clientOrderId ?? '')
      if (!this.#changed.has(name)) this.#changed.set(name, { ref, times: times + 1 })
    }
    if (this.#changed.size === 0) return
    const times = Math.min(...[...this.#changed.values()].map((each) => each.times))
    this.#askIn(times === 0 ? TOGETHER_MS : (ASK_AGAIN_MS[times - 1] ?? TOGETHER_MS))
  }
}
