import { describe, expect, it } from 'vitest'
import { AccountWatching } from '../../src/app/account-watching.ts'
import type { Order, Trade, VenueCause } from '../../src/exchange/order.ts'
import type { LastSeen } from '../../src/stores/last-seen.ts'
import type { Meanwhile } from '../../src/trading/offline-changes.ts'
import type { TradingAccount } from '../../src/trading/order-desk.ts'
import type { OrderEvent } from '../../src/trading/order-event.ts'

/** The watching of an account that was last seen at 1,000, with these orders resting. */
async function watching(resting: LastSeen['orders'], noted: number[] = []): Promise<AccountWatching> {
  const problems: unknown[] = []
  const watched = new AccountWatching({
    lastSeen: {
      find: () => ({ at: 1_000, orders: resting, positions: [] }),
      note: async () => void noted.push(1),
      problem: () => undefined,
      look: () => {},
      watch: () => () => {},
    } as never,
    now: () => 2_000,
    report: () => {},
    reportMeanwhile: () => {},
    noteMade: () => {},
    onProblem: (_account, problem) => problems.push(problem),
  })
  const heard: ((event: { type: string }) => void)[] = []
  const venue = {
    fetchOpenOrders: async () => [],
    fetchPositions: async () => [],
    fetchMyTrades: async () => [],
    fetchOrder: async () => filledAt(0),
    subscribe(listener: (event: { type: string }) => void) {
      heard.push(listener)
      return () => {}
    },
  }
  watched.opened({
    name: 'paper',
    venue,
    orders: {
      records: { isOwn: () => false, isSending: () => false, isEndReported: () => false, isFillReported: () => false },
    },
  } as unknown as TradingAccount)
  await watched.ready('paper')
  expect(problems).toEqual([])
  for (const listener of heard.slice(1)) listener({ type: 'order' })
  return watched
}

function filledAt(timestamp: number): Order {
  return {
    id: 'p3',
    symbol: 'BTCUSDT',
    side: 'buy',
    type: 'limit',
    price: '60000',
    amount: '0.01',
    filled: '0.01',
    remaining: '0',
    reduceOnly: false,
    postOnly: false,
    status: 'closed',
    timestamp,
  }
}

const found = (placedAt: number): OrderEvent => ({ type: 'filled-meanwhile', order: filledAt(placedAt) })

describe('what the recovery of an order finds', () => {
  it('is not told again where the order was over when the account was last watched', async () => {
    const watched = await watching([])
    expect(watched.isNews('paper', found(900))).toBe(false)
  })

  it('is told where the order rested then, or came later', async () => {
    expect((await watching([{ id: 'p3', symbol: 'BTCUSDT' }])).isNews('paper', found(900))).toBe(true)
    expect((await watching([])).isNews('paper', found(1_100))).toBe(true)
  })
})

describe('what happened meanwhile', () => {
  const fill = (orderId: string, symbol: string) =>
    ({ id: orderId, orderId, symbol, side: 'buy', price: '60000', amount: '0.01', timestamp: 1_900 }) as const
  const long = (symbol: string) => ({ symbol, side: 'long', amount: '0.01' })
  const ended = (id: string) => ({ ...filledAt(1_000), id, symbol: 'SOLUSDT', status: 'canceled', filled: '0' })

  it('is not what a run of this process does while that is found out', async () => {
    const told: Meanwhile[] = []
    const watched = new AccountWatching({
      lastSeen: {
        find: () => ({ at: 1_000, orders: ['p3', 'p4'].map((id) => ({ id, symbol: 'SOLUSDT' })), positions: [] }),
        note: async () => {},
      } as never,
      now: () => 2_000,
      report: () => {},
      reportMeanwhile: (_account, meanwhile) => told.push(meanwhile),
      noteMade: () => {},
      onProblem: (_account, problem) => expect(problem).toBeUndefined(),
    })
    const own = new Set(['p1', 'p3'])
    const venue = {
      fetchOpenOrders: async () => [],
      fetchPositions: async () => ['BTCUSDT', 'ETHUSDT'].map(long),
      fetchMyTrades: async ({ symbol }: { symbol: string }) =>
        symbol === 'BTCUSDT' ? [fill('p1', symbol)] : symbol === 'ETHUSDT' ? [fill('p2', symbol)] : [],
      fetchOrder: async ({ id }: { id: string }) => ended(id),
      subscribe: () => () => {},
    }
    const records = {
      isOwn: ({ id }: { id: string }) => own.has(id),
      isSending: () => false,
      isEndReported: () => false,
      isFillReported: () => false,
    }
    watched.opened({ name: 'paper', venue, orders: { records } } as unknown as TradingAccount)
    await watched.ready('paper')
    expect(told).toMatchObject([
      { fills: [[{ orderId: 'p2' }]], ended: [{ id: 'p4' }], positions: [{ symbol: 'ETHUSDT' }] },
    ])
    expect(told[0]?.positions).toHaveLength(1)
    await watched.stop()
  })
})

describe('an account that is disconnected', () => {
  it('has what it holds written down first, so that it is not told when it comes back', async () => {
    const noted: number[] = []
    const watched = await watching([], noted)
    const before = noted.length
    await watched.leaving('paper')
    expect(noted).toHaveLength(before + 1)
    await watched.leaving('paper')
    expect(noted).toHaveLength(before + 1)
  })
})

describe('an account that is connected while all ends', () => {
  it('is neither watched nor asked: what an asked venue writes would come after the end', async () => {
    const watched = await watching([])
    await watched.stop()
    const used: string[] = []
    const venue = new Proxy({}, { get: (_, name) => void used.push(String(name)) })
    watched.opened({ name: 'late', venue, orders: {} } as unknown as TradingAccount)
    await watched.ready('late')
    expect(used).toEqual([])
  })
})

interface Heard {
  readonly told: string[]
  readonly made: string[]
  fill(trade: Trade): void
  /** What comes together has come. */
  settled(): Promise<void>
}

/** An account that was last seen flat, and whose venue lists these fills since. */
async function hearing(meanwhile: readonly Trade[] = []): Promise<Heard> {
  const told: string[] = []
  const made: string[] = []
  const words = ({ symbol, orderId, id }: Trade) => `${symbol} ${orderId} ${id}`
  const watched = new AccountWatching({
    lastSeen: { find: () => ({ at: 1_000, orders: [], positions: [] }), note: async () => {} } as never,
    now: () => 2_000,
    report: (_account, event) => told.push(...(event.type === 'elsewhere' ? event.trades.map(words) : [])),
    reportMeanwhile: (_account, { fills }) => told.push(...fills.flat().map(words)),
    noteMade: (_account, trade) => made.push(`${words(trade)} ${trade.cause}`),
    onProblem: (_account, problem) => expect(problem).toBeUndefined(),
  })
  const handlers: ((event: object) => void)[] = []
  const venue = {
    fetchOpenOrders: async () => [],
    fetchPositions: async () =>
      [...new Set(meanwhile.map(({ symbol }) => symbol))].map((symbol) => ({ symbol, amount: '1' })),
    fetchMyTrades: async ({ symbol }: Trade) => meanwhile.filter((each) => each.symbol === symbol),
    subscribe: (handler: (event: object) => void) => {
      handlers.push(handler)
      return () => {}
    },
  }
  watched.opened({
    name: 'main',
    venue,
    orders: {
      records: { isOwn: () => false, isSending: () => false, isEndReported: () => false, isFillReported: () => false },
    },
  } as unknown as TradingAccount)
  await watched.ready('main')
  return {
    told,
    made,
    fill: (trade) => handlers[0]?.({ type: 'trade', trade }),
    settled: () => new Promise((resolve) => setImmediate(resolve)),
  }
}

function filled(symbol: string, id: string, more: Partial<Trade> = {}): Trade {
  return { id, orderId: 'o1', symbol, side: 'sell', amount: '1', price: '100', timestamp: 1_500, ...more }
}

describe('what a venue does by itself', () => {
  const closed = (cause: VenueCause) => filled('BTCUSDT', 'f1', { cause, realizedPnl: '-275' })
  const FORCED: readonly VenueCause[] = ['liquidation', 'deleveraging', 'settlement']

  it.each(FORCED)(
    'is noted as it happens, for it is a part of the day, and what people do is not: %s',
    async (cause) => {
      const account = await hearing()
      account.fill(closed(cause))
      account.fill(filled('ETHUSDT', 'f2'))
      await account.settled()
      expect(account.told).toEqual(['BTCUSDT o1 f1', 'ETHUSDT o1 f2'])
      expect(account.made).toEqual([`BTCUSDT o1 f1 ${cause}`])
    },
  )

  it.each(FORCED)('is noted where it happened meanwhile: %s', async (cause) => {
    const account = await hearing([closed(cause)])
    expect(account.made).toEqual([`BTCUSDT o1 f1 ${cause}`])
  })
})

it('tells the fills of two symbols that have one number', async () => {
  const meanwhile = await hearing([filled('BTCUSDT', '12345'), filled('ETHUSDT', '12345')])
  expect(meanwhile.told).toEqual(['BTCUSDT o1 12345', 'ETHUSDT o1 12345'])
  const live = await hearing()
  live.fill(filled('BTCUSDT', '12345'))
  live.fill(filled('ETHUSDT', '12345'))
  await live.settled()
  expect(live.told).toEqual(['BTCUSDT o1 12345', 'ETHUSDT o1 12345'])
})
