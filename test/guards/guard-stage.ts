// One account behind its guard, on a venue whose every answer the test sets, and a journal in memory. What arrives at the venue is kept.
import { onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { journalInMemory, tailInMemory } from '../../harness/venues/journal-in-memory.ts'
import { defined } from '../../src/base/defined.ts'
import type { Exchange, OrderContext, OrderOutcome } from '../../src/exchange/exchange.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import type { Market, MarketKind, Ticker } from '../../src/exchange/market.ts'
import type { Balance, Order, OrderRequest, Position, Trade } from '../../src/exchange/order.ts'
import { openDayBook } from '../../src/guards/day-book.ts'
import { guardExchange } from '../../src/guards/guard-exchange.ts'
import { openLineTail } from '../../src/stores/durable-journal.ts'
import { openGuardStore } from '../../src/stores/guards.ts'
import { openPanicStore } from '../../src/stores/panic.ts'
import { openStopStore } from '../../src/stores/stops.ts'
import { createOrderJournal, openOrderFile } from '../../src/trading/order-journal.ts'

const NOON = Date.UTC(2026, 0, 2, 12)

export interface StagedVenue {
  positions: Position[]
  resting: Order[]
  balances: Balance[]
  markets: Market[]
  readonly prices: Map<string, string>
  /** Every question rejects with it. */
  silent: ExchangeError | undefined
  /** What is answered to an order; default: it rests. */
  answer: (request: OrderRequest) => OrderOutcome | Promise<OrderOutcome>
  readonly sent: OrderRequest[]
  /** Calls that change something, by name. */
  readonly calls: string[]
}

export interface StageOptions {
  /** Default `binance`: real money. */
  readonly venue?: string
  readonly kind?: MarketKind
  readonly reduceOnly?: boolean
  readonly now?: number
  /** The journal is a file; default: lines in memory. */
  readonly isOnDisk?: boolean
}

export function market(symbol: string, kind: MarketKind = 'linear', more: Partial<Market> = {}): Market {
  const [, base = '', quote = ''] = /^(.+?)(USDT|USDC|USD|BTC)$/.exec(symbol) ?? []
  return {
    symbol,
    kind,
    base,
    quote,
    amountUnit: kind === 'inverse' ? 'quote' : 'base',
    active: true,
    priceGrid: { kind: 'tick', tick: '0.1' },
    lotSize: '0.001',
    minAmount: '0.001',
    ...more,
  }
}

export function position(symbol: string, side: 'long' | 'short', amount: string, more: Partial<Position> = {}) {
  return { symbol, side, amount, entryPrice: '50000', settle: 'USDT', notional: '0', ...more } satisfies Position
}

let ids = 0
export function newId(): string {
  ids += 1
  return ids.toString(16).padStart(32, '0')
}

export function orderOf(request: OrderRequest, more: Partial<Order> = {}): Order {
  const { clientOrderId, symbol, side, type, amount, reduceOnly = false, postOnly = false } = request
  return {
    id: `v-${clientOrderId}`,
    clientOrderId,
    symbol,
    side,
    type,
    amount,
    filled: '0',
    remaining: amount,
    ...defined({ price: request.price, triggerPrice: request.triggerPrice }),
    reduceOnly,
    postOnly,
    status: 'open',
    timestamp: NOON,
    ...more,
  }
}

export type Asking = Partial<OrderRequest> & { readonly context?: OrderContext }

export function stageGuard(options: StageOptions = {}) {
  const { kind = 'linear' } = options
  const directory = tempDirectory()
  let clock = options.now ?? NOON
  const now = () => clock
  const venue = createVenue(kind)
  const { lines } = journalInMemory()
  const panic = openPanicStore(directory, now)
  const stops = openStopStore(directory, now)
  const store = openGuardStore(directory, { now, panic, had: stops })
  const tripped: string[] = []
  const raw = exchangeOf(venue, options, now)

  /** Another process on the same directory, or this one after a restart. */
  function open() {
    const path = `${directory}/orders.jsonl`
    const isOnDisk = options.isOnDisk === true
    const journal = createOrderJournal(isOnDisk ? openOrderFile(path) : { ...journalInMemory(lines), path }, {
      now,
      onProblem: (error) => {
        throw error
      },
    })
    if (isOnDisk) onTestFinished(() => journal.close())
    const book = openDayBook({ journal, tail: isOnDisk ? openLineTail(path) : tailInMemory(lines), now })
    const exchange = guardExchange(raw, {
      account: 'main',
      store,
      book,
      now,
      onTripped: (text) => void tripped.push(text),
    })
    /** As the one sender does: the intent first, then the order, then what became of it. */
    async function send({ context, ...asked }: Asking = {}): Promise<OrderOutcome> {
      const request: OrderRequest = {
        clientOrderId: newId(),
        symbol: 'BTCUSDT',
        side: 'buy',
        type: 'market',
        amount: '0.01',
        ...asked,
      }
      const { clientOrderId: id, ...order } = request
      const by = { source: 'repl', runId: id, step: 0 } as const
      await journal.intend({ id, at: clock, account: 'main', venue: raw.id, by, order })
      const outcome = await exchange.createOrder(request, context)
      if (outcome.kind === 'placed') journal.outcome(id, { outcome: 'placed', orderId: outcome.order.id })
      else if (outcome.kind === 'unknown') journal.outcome(id, { outcome: 'unknown', message: '' })
      else journal.outcome(id, { outcome: 'refused', code: outcome.error.code, message: outcome.error.message })
      return outcome
    }
    return { exchange, journal, book, send, use: () => book.look('main') }
  }

  return {
    ...open(),
    open,
    venue,
    raw,
    store,
    panic,
    lines,
    tripped,
    directory,
    now,
    setClock(ms: number) {
      clock = ms
    },
    advance(ms: number) {
      clock += ms
    },
  }
}

function createVenue(kind: MarketKind): StagedVenue {
  return {
    positions: [],
    resting: [],
    balances: [],
    markets: [market('BTCUSDT', kind), market('ETHUSDT', kind)],
    prices: new Map([
      ['BTCUSDT', '50000'],
      ['ETHUSDT', '2000'],
    ]),
    silent: undefined,
    sent: [],
    calls: [],
    answer: (request) => ({ kind: 'placed', order: orderOf(request) }),
  }
}

function exchangeOf(venue: StagedVenue, options: StageOptions, now: () => number): Exchange {
  const { kind = 'linear', venue: id = 'binance', reduceOnly = kind !== 'spot' } = options
  const ask = async <T>(answer: () => T): Promise<T> => {
    if (venue.silent !== undefined) throw venue.silent
    return answer()
  }
  const ticker = (symbol: string): Ticker => {
    const last = venue.prices.get(symbol)
    if (last === undefined) throw new ExchangeError('bad-symbol', `no market ${symbol}`)
    return { symbol, last, bid: last, ask: last, timestamp: now() }
  }
  const change = <T>(call: string, value: T): Promise<T> => {
    venue.calls.push(call)
    return Promise.resolve(value)
  }
  const find = ({ id: orderId, clientOrderId }: { id?: string; clientOrderId?: string }) => {
    const found = venue.resting.find(
      (order) =>
        (order.id === orderId || orderId === undefined) && (order.clientOrderId === clientOrderId || !clientOrderId),
    )
    if (found === undefined) throw new ExchangeError('order-not-found', 'no such order')
    return found
  }
  return {
    id,
    kind,
    stream: 'live',
    capabilities: {
      orderTypes: ['market', 'limit', 'stop', 'stop-limit', 'take-profit'],
      timeInForce: ['gtc', 'ioc', 'fok'],
      postOnly: true,
      reduceOnly,
      editOrder: true,
      setLeverage: true,
      setMarginMode: true,
    },
    loadMarkets: () => ask(() => venue.markets),
    fetchTicker: (symbol) => ask(() => ticker(symbol)),
    fetchBalances: () => ask(() => venue.balances),
    fetchPositions: () => ask(() => venue.positions),
    fetchOpenOrders: (symbol) =>
      ask(() => venue.resting.filter((order) => symbol === undefined || order.symbol === symbol)),
    fetchOrder: (ref) => ask(() => find(ref)),
    fetchMyTrades: () => ask(() => []),
    subscribe: () => () => {},
    watchTicker: () => () => {},
    async createOrder(request) {
      venue.sent.push(request)
      return venue.answer(request)
    },
    async editOrder(ref, what) {
      return { kind: 'placed', order: await change('edit', { ...find(ref), ...what }) }
    },
    cancelOrder: (ref) => change('cancel', find(ref)),
    cancelAllOrders: () => change('cancel-all', venue.resting),
    setLeverage: () => change('leverage', undefined),
    setMarginMode: () => change('margin', undefined),
    close: () => Promise.resolve(),
  }
}

/** The code it was refused with, else what became of it. */
export async function resultOf(outcome: Promise<OrderOutcome>): Promise<string> {
  const found = await outcome
  return found.kind === 'refused' ? `${found.error.code}: ${found.error.message}` : found.kind
}

let trades = 0
export function tradeOf(request: OrderRequest, amount: string, price: string, more: Partial<Trade> = {}): Trade {
  trades += 1
  const { clientOrderId, symbol, side } = request
  return {
    id: `t${trades}`,
    orderId: `v-${clientOrderId}`,
    clientOrderId,
    symbol,
    side,
    amount,
    price,
    timestamp: NOON,
    ...more,
  }
}
