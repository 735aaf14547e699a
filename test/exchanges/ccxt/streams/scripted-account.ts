// A venue as a script: what it holds, what its streams say and when they break, and a clock that is moved by hand.
import { defined } from '../../../../src/base/defined.ts'
import type { ExchangeEvent } from '../../../../src/exchange/exchange.ts'
import { ExchangeError } from '../../../../src/exchange/exchange-error.ts'
import type { Ticker } from '../../../../src/exchange/market.ts'
import type { Order, Trade } from '../../../../src/exchange/order.ts'
import {
  type AccountStreams,
  type AccountStreamsOptions,
  createAccountStreams,
} from '../../../../src/exchanges/ccxt/streams/account-streams.ts'
import type { OwnStreams, ReceivedRow } from '../../../../src/exchanges/ccxt/streams/own-streams.ts'

interface Timer {
  readonly ms: number
  readonly tick: () => void
  at: number
}

export function createClock() {
  let now = 1_700_000_000_000
  const timers = new Set<Timer>()
  return {
    now: () => now,
    every(ms: number, tick: () => void): () => void {
      const timer = { ms, tick, at: now + ms }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    get timers() {
      return timers.size
    },
    async advance(ms: number): Promise<void> {
      const until = now + ms
      await flush()
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= until).sort((left, right) => left.at - right.at)
        if (next === undefined) break
        now = Math.max(now, next.at)
        next.at += next.ms
        next.tick()
        await flush()
      }
      now = until
    },
  }
}

export async function flush(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve()
}

/** One stream: news wait until they are watched for, as ccxt keeps them. */
export class Stream {
  readonly waiting: { resolve(rows: unknown): void; reject(error: unknown): void }[] = []
  readonly news: unknown[] = []
  /** Why nobody can connect; undefined: they can. */
  refusal: Error | undefined
  watches = 0

  watch(): Promise<unknown> {
    this.watches += 1
    if (this.refusal !== undefined) return Promise.reject(this.refusal)
    if (this.news.length > 0) return Promise.resolve(this.news.splice(0))
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }))
  }

  say(row: unknown): void {
    if (this.waiting.length === 0) this.news.push(row)
    else for (const { resolve } of this.waiting.splice(0)) resolve([row])
  }

  drop(error: Error = networkError()): void {
    this.news.length = 0
    for (const { reject } of this.waiting.splice(0)) reject(error)
  }
}

export function networkError(): Error {
  const error = new Error('connection closed by remote server, closing code 1006')
  error.name = 'NetworkError'
  return error
}

/** A row of a stream: one without a symbol cannot be read, and one of XXX is of another kind of market. */
function heardOf<Row extends Order | Trade>(
  row: Row,
  isHint: boolean,
  orderIdOf: (row: Row) => string,
): ReceivedRow<Row> {
  const { symbol } = row as Partial<Row>
  if (symbol === undefined) return { as: 'unread', ...defined({ id: row.id }) }
  if (symbol === 'XXX') return { as: 'foreign' }
  if (!isHint) return { as: 'row', row }
  const isResting = 'status' in row && row.status === 'open' && row.filled === '0'
  return { as: 'change', ref: { symbol, id: orderIdOf(row) }, at: row.timestamp, isResting }
}

export interface Script {
  /** Default: orders and fills, as the venue has them. */
  readonly own?: OwnStreams
  readonly streams?: readonly ('watchOrders' | 'watchMyTrades' | 'watchTicker')[]
  /** It can be asked what it holds, as every venue but for spot can. Default: no. */
  readonly tellsPositions?: boolean
}

/** Rows of one order of 1 BTC, unless said otherwise. */
function createRows(clock: { now(): number }) {
  function ticker(fields: Partial<Ticker> = {}): Ticker {
    return { symbol: 'BTCUSDT', last: '100', bid: '99', ask: '101', timestamp: clock.now(), ...fields }
  }

  function order(fields: Partial<Order> = {}): Order {
    const amount = fields.amount ?? '1'
    const filled = fields.filled ?? '0'
    return {
      id: 'o1',
      clientOrderId: 'c1',
      symbol: 'BTCUSDT',
      side: 'buy',
      type: 'limit',
      amount,
      filled,
      remaining: String(Number(amount) - Number(filled)),
      price: '100',
      reduceOnly: false,
      postOnly: false,
      status: 'open',
      timestamp: clock.now(),
      ...fields,
    }
  }

  function trade(fields: Partial<Trade> = {}): Trade {
    return {
      id: 't1',
      orderId: 'o1',
      symbol: 'BTCUSDT',
      side: 'buy',
      amount: '1',
      price: '100',
      timestamp: clock.now(),
      ...fields,
    }
  }

  return { ticker, order, trade }
}

/** Questions, and how they fail: all of them, or those of one name. */
function createRest() {
  const asked: string[] = []
  const rest: { failure: Error | undefined; failing: string | undefined } = { failure: undefined, failing: undefined }
  function ask<T>(name: string, answer: () => T): Promise<T> {
    asked.push(name)
    if (name === rest.failing) return Promise.reject(new Error('no answer'))
    return rest.failure === undefined ? Promise.resolve().then(answer) : Promise.reject(rest.failure)
  }
  return { rest, asked, ask }
}

function createSockets() {
  const listeners = new Set<() => void>()
  return {
    onOpened: (listener: () => void) => void listeners.add(listener),
    /** A socket is open: from here on the venue tells. */
    open(): void {
      for (const listener of listeners) listener()
    },
  }
}

interface Held {
  readonly orders: ReadonlyMap<string, Order>
  readonly trades: readonly Trade[]
  readonly ask: <T>(name: string, answer: () => T) => Promise<T>
  readonly ticker: (fields: Partial<Ticker>) => Ticker
  readonly tellsPositions: boolean
}

function questionsOf({ orders, trades, ask, ticker, tellsPositions }: Held): AccountStreamsOptions['read'] {
  return {
    openOrders: () => ask('openOrders', () => [...orders.values()].filter(({ status }) => status === 'open')),
    order: (ref) =>
      ask(`order ${ref.id}`, () => {
        const order = orders.get(ref.id ?? '')
        if (order === undefined) throw new ExchangeError('order-not-found', 'there is no such order')
        return order
      }),
    trades: ({ symbol, since = 0 }) =>
      ask(`trades ${symbol}`, () => trades.filter((trade) => trade.symbol === symbol && trade.timestamp >= since)),
    ticker: (symbol) => ask(`ticker ${symbol}`, () => ticker({ symbol })),
    ...(tellsPositions
      ? {
          positions: () =>
            ask('positions', () => trades.map(({ symbol }) => ({ symbol, side: 'long', amount: '1' }) as const)),
        }
      : {}),
  }
}

const ALL = ['watchOrders', 'watchMyTrades', 'watchTicker'] as const

const WHOLE: OwnStreams = { orders: [{}], fills: [{}], triggers: 'streamed', isProven: true }

export function startAccount({ streams = ALL, tellsPositions = false, own = WHOLE }: Script = {}) {
  const clock = createClock()
  const rows = createRows(clock)
  const orderStream = new Stream()
  const tradeStream = new Stream()
  const triggerStream = new Stream()
  const tickerStream = new Stream()
  const orders = new Map<string, Order>()
  const trades: Trade[] = []
  const problems: unknown[] = []
  const events: ExchangeEvent[] = []
  const { rest, asked, ask } = createRest()
  const sockets = createSockets()
  const account: AccountStreams = createAccountStreams({
    client: {
      id: 'scripted',
      has: Object.fromEntries(streams.map((name) => [name, true])),
      watchOrders: (_symbol, _since, _limit, params) =>
        (params?.trigger === true ? triggerStream : orderStream).watch(),
      watchMyTrades: () => tradeStream.watch(),
      watchTicker: async () => ((await tickerStream.watch()) as readonly unknown[])[0],
    },
    markets: async () => ({ byName: (name) => ({ symbol: name }) }),
    onOpened: sockets.onOpened,
    read: questionsOf({ orders, trades, ask, ticker: rows.ticker, tellsPositions }),
    own,
    toOrder: (raw, { isHint }) => heardOf(raw as Order, isHint === true, (row) => row.id),
    toTrade: (raw, { isHint }) => heardOf(raw as Trade, isHint === true, (row) => row.orderId),
    toTicker: (raw, known) => {
      const ticker = { ...known, ...(raw as Partial<Ticker>) }
      return ticker.bid === undefined ? undefined : (ticker as Ticker)
    },
    now: clock.now,
    every: clock.every,
    onProblem: (problem) => problems.push(problem),
  })
  const { ticker, order, trade } = rows

  return {
    account,
    clock,
    events,
    problems,
    asked,
    orders,
    trades,
    rest,
    order,
    trade,
    ticker,
    orderStream,
    tradeStream,
    tickerStream,
    /** Subscribes, and waits until what there is is known. */
    async listen(): Promise<void> {
      account.subscribe((event) => events.push(event))
      await clock.advance(3_000)
      events.length = 0
      asked.length = 0
    },
    /** The venue has it; what it tells is another matter. */
    hold(...held: readonly (Order | Trade)[]): void {
      for (const row of held) {
        if ('orderId' in row) trades.push(row)
        else orders.set(row.id, row)
      }
    },
    open: sockets.open,
    dropAll(): void {
      for (const stream of [orderStream, tradeStream]) stream.drop()
    },
    told: (): string[] => events.map(describeEvent),
  }
}

export function describeEvent(event: ExchangeEvent): string {
  switch (event.type) {
    case 'trade':
      return `trade ${event.trade.id} ${event.trade.amount}`
    case 'order':
      return `order ${event.order.id} ${event.order.status} ${event.order.filled}`
    case 'ticker':
      return `ticker ${event.ticker.symbol} ${event.ticker.last}`
    case 'stream':
      return event.state
  }
}
