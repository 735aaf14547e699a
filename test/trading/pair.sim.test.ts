import { describe, expect, it } from 'vitest'
import { createScriptedMarket } from '../../harness/venues/scripted-market.ts'
import type { Exchange } from '../../src/exchange/exchange.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import { refOf } from '../../src/exchange/order.ts'
import { openIntents } from '../../src/trading/order-journal-lines.ts'
import { BUY, stageDesk } from './desk-stage.ts'

/** 260 USDT a second: four lots. */
const THIN = { valueAt: (_symbol: string, _side: string, level: number) => (level === 0 ? 260.1 : undefined) }
const PAIR = { ...BUY, protection: { triggerPrice: '60000', takeProfitPrice: '70000', fires: 'at-or-below' } } as const
const LIMIT = { ...PAIR, type: 'limit', price: '66000' } as const
const PAPER = createScriptedMarket().exchange.capabilities
/** A venue that holds stop and take-profit as two orders. */
const TWO = { capabilities: { ...PAPER, oco: false } }
const TWO_UNCHANGING = { capabilities: { ...PAPER, oco: false, editOrder: false } }

const shown = (orders: Awaited<ReturnType<Exchange['fetchOpenOrders']>>) =>
  orders.map(({ type, amount, triggerPrice, takeProfitPrice, reduceOnly }) =>
    [type, amount, triggerPrice, takeProfitPrice, reduceOnly ? 'reduce' : ''].filter(Boolean).join(' '),
  )

function stagePair(options: Parameters<typeof stageDesk>[0] = {}, venue: Partial<Exchange> = TWO) {
  const stage = stageDesk(options)
  const open = async () => shown(await stage.market.exchange.fetchOpenOrders())
  return { ...stage, ...stage.openDesk(venue), open, venue }
}

describe('stop and take-profit of one entry', () => {
  it('are one order where the venue takes both prices in one', async () => {
    const { start, settle, open, market, advance, lines } = stagePair({}, {})
    const placing = start(PAIR)
    await settle()
    expect(placing.types()).toEqual(['filled', 'protected'])
    expect(await open()).toEqual(['stop 0.01 60000 70000 reduce'])
    market.setPrice('BTCUSDT', '70001')
    await advance(1000)
    expect(await open()).toEqual([])
    expect(openIntents(lines)).toEqual([])
  })

  it('are two orders elsewhere, each as large as what has filled', async () => {
    const { start, settle, open, advance } = stagePair({ depth: THIN })
    start(LIMIT)
    await settle()
    expect(await open()).toEqual(['limit 0.01', 'stop 0.004 60000 reduce', 'take-profit 0.004 70000 reduce'])
    await advance(4000)
    expect(await open()).toEqual(['stop 0.01 60000 reduce', 'take-profit 0.01 70000 reduce'])
  })

  it.each([
    { to: '59999', left: 'take-profit' },
    { to: '70001', left: 'stop' },
  ])('end together, also where the position goes on: $to takes the $left back', async ({ to, left }) => {
    const { start, settle, open, market, advance, lines, positions } = stagePair()
    start({ ...BUY, amount: '0.02' })
    await settle()
    const placing = start(PAIR)
    await settle()
    market.setPrice('BTCUSDT', to)
    await advance(1000)
    expect(await open()).toEqual([])
    expect(await positions()).toMatchObject([{ amount: '0.02' }])
    expect(placing.events.find(({ type }) => type === 'withdrawn')).toMatchObject({ order: { type: left } })
    expect(openIntents(lines)).toEqual([])
  })

  it('cover, each, what the other has not closed yet', async () => {
    const { start, settle, open, market, advance, positions } = stagePair({ depth: THIN })
    start(LIMIT)
    await advance(4000)
    market.setPrice('BTCUSDT', '70001')
    await market.advance(1000)
    await settle()
    // Four lots are sold to the thin book; the rest follows at the market, and the stop covers just that.
    const [position] = await positions()
    expect(position).toMatchObject({ amount: '0.007' })
    expect(await open()).toContain('stop 0.007 60000 reduce')
    await advance(10_000)
    expect(await positions()).toEqual([])
    expect(await open()).toEqual([])
  })

  it('goes on with the other when a person takes one back, and does not place it again', async () => {
    const { start, settle, open, advance, market, desk, by } = stagePair({ depth: THIN })
    start(LIMIT)
    await settle()
    const stop = (await market.exchange.fetchOpenOrders()).find(({ type }) => type === 'stop')
    if (stop === undefined) throw new Error('no stop')
    await desk.cancel(refOf(stop), by())
    await advance(4000)
    // What was filled then is without a stop; what filled later has one.
    expect(await open()).toEqual(['take-profit 0.01 70000 reduce', 'stop 0.006 60000 reduce'])
  })

  it('of which one is refused leave the other, and say so', async () => {
    const stage = stageDesk()
    const { exchange } = stage.market
    const refuse = { kind: 'refused', error: new ExchangeError('invalid-order', 'too far away') } as const
    const { start } = stage.openDesk({
      ...TWO,
      createOrder: async (request) => (request.type === 'stop' ? refuse : exchange.createOrder(request)),
    })
    const placing = start(PAIR)
    await stage.settle()
    expect(placing.result).toBe('stop-failed')
    expect(shown(await exchange.fetchOpenOrders())).toEqual(['take-profit 0.01 70000 reduce'])
  })

  it('are replaced, the new one first, where the venue changes no orders; one of each is left', async () => {
    const { start, open, advance } = stagePair({ depth: THIN }, TWO_UNCHANGING)
    start(LIMIT)
    await advance(4000)
    expect((await open()).sort()).toEqual(['stop 0.01 60000 reduce', 'take-profit 0.01 70000 reduce'])
  })

  it('of which last has passed one as the entry fills close the position at the market', async () => {
    const { start, settle, open, market, advance, positions } = stagePair()
    const placing = start({ ...PAIR, type: 'limit', price: '64000' })
    await settle()
    market.setPrice('BTCUSDT', '59000')
    await advance(2000)
    expect(placing.types()).toContain('stop-passed')
    expect(await positions()).toEqual([])
    expect(await open()).toEqual([])
  })

  it('say, when hookline ends, that one would stay when the other fills', async () => {
    const { start, settle, desk } = stagePair()
    const placing = start(PAIR)
    await settle()
    desk.close()
    expect(placing.events.at(-1)).toEqual({ type: 'left', symbol: 'BTCUSDT', isPair: true })
  })
})

type Mutation = 'createOrder' | 'editOrder' | 'cancelOrder'

/** A process that is killed at its nth request: before it arrives, or after, with the answer unread. */
function killedAt(exchange: Exchange, nth: number, arrives: boolean): Partial<Exchange> {
  let requests = 0
  const never = new Promise<never>(() => {})
  const meet = <Result>(call: () => Promise<Result>): Promise<Result> => {
    requests += 1
    if (requests < nth) return call()
    if (requests === nth && arrives) void call()
    return never
  }
  const mutations: Pick<Exchange, Mutation> = {
    createOrder: (request) => meet(() => exchange.createOrder(request)),
    editOrder: (ref, change) => meet(() => exchange.editOrder(ref, change)),
    cancelOrder: (ref) => meet(() => exchange.cancelOrder(ref)),
  }
  return mutations
}

const KILLS = Array.from({ length: 9 }, (_, index) => index + 1).flatMap((nth) =>
  [true, false].flatMap((arrives) => [TWO, TWO_UNCHANGING, {}].map((venue, kind) => ({ nth, arrives, venue, kind }))),
)

describe('a process that is killed at any request of an entry with stop and take-profit', () => {
  it.each(KILLS)('leaves one of each to the next one: request $nth, arrived: $arrives, venue $kind', async (row) => {
    const stage = stageDesk({ depth: THIN })
    const first = stage.openDesk({ ...row.venue, ...killedAt(stage.market.openExchange(), row.nth, row.arrives) })
    first.start(LIMIT)
    await stage.advance(3000)
    first.desk.close()
    stage.killAll()
    const second = stage.openDesk(row.venue)
    await second.desk.recover()
    await stage.advance(120_000)
    const [position] = await stage.positions()
    const amount = position?.amount
    expect(amount).toBe(row.nth === 1 && !row.arrives ? undefined : '0.01')
    const legs =
      'capabilities' in row.venue
        ? [`stop ${amount} 60000 reduce`, `take-profit ${amount} 70000 reduce`]
        : [`stop ${amount} 60000 70000 reduce`]
    const open = shown(await stage.market.exchange.fetchOpenOrders()).sort()
    expect(open).toEqual(amount === undefined ? [] : legs)
    stage.market.setPrice('BTCUSDT', '70001')
    await stage.advance(60_000)
    expect(await stage.positions()).toEqual([])
    expect(shown(await stage.market.exchange.fetchOpenOrders())).toEqual([])
    expect(openIntents(stage.lines)).toEqual([])
    expect(new Set(stage.sent).size).toBe(stage.sent.length)
    expect(second.problems).toEqual([])
  })

  it.each(KILLS)('while one fires: request $nth, arrived: $arrives, venue $kind', async (row) => {
    const stage = stageDesk({ depth: THIN })
    const earlier = stage.openDesk(row.venue)
    earlier.start(LIMIT)
    await stage.advance(5000)
    earlier.desk.close()
    stage.killAll()
    const first = stage.openDesk({ ...row.venue, ...killedAt(stage.market.openExchange(), row.nth, row.arrives) })
    await first.desk.recover()
    stage.market.setPrice('BTCUSDT', '70001')
    await stage.advance(3000)
    first.desk.close()
    stage.killAll()
    const second = stage.openDesk(row.venue)
    await second.desk.recover()
    await stage.advance(120_000)
    expect(await stage.positions()).toEqual([])
    expect(shown(await stage.market.exchange.fetchOpenOrders())).toEqual([])
    expect(openIntents(stage.lines)).toEqual([])
    expect(new Set(stage.sent).size).toBe(stage.sent.length)
  })
})

/** A hookline that knew no single order was followed by one that does. */
describe('a pair that was begun as two orders', () => {
  it('goes on as two where both would fit in one: both grow with the entry, and one ends the other', async () => {
    const stage = stageDesk({ depth: THIN })
    const earlier = stage.openDesk(TWO)
    earlier.start(LIMIT)
    await stage.settle()
    earlier.desk.close()
    stage.killAll()
    const later = stage.openDesk()
    await later.desk.recover()
    await stage.advance(5000)
    const open = async () => shown(await stage.market.exchange.fetchOpenOrders())
    expect(await open()).toEqual(['stop 0.01 60000 reduce', 'take-profit 0.01 70000 reduce'])
    stage.market.setPrice('BTCUSDT', '59999')
    await stage.advance(30_000)
    expect(await stage.positions()).toEqual([])
    expect(await open()).toEqual([])
    expect(openIntents(stage.lines)).toEqual([])
    expect(later.problems).toEqual([])
  })

  const KILLED = KILLS.filter(({ kind }) => kind === 0)
  it.each(KILLED)(
    'is whole and not doubled after a kill: request $nth, arrived: $arrives',
    async ({ nth, arrives }) => {
      const stage = stageDesk({ depth: THIN })
      const first = stage.openDesk({ ...TWO, ...killedAt(stage.market.openExchange(), nth, arrives) })
      first.start(LIMIT)
      await stage.advance(3000)
      first.desk.close()
      stage.killAll()
      const second = stage.openDesk()
      await second.desk.recover()
      await stage.advance(120_000)
      const wanted = ['stop 0.01 60000 reduce', 'take-profit 0.01 70000 reduce']
      // Where none of the two had been begun, they are one now.
      const asOne = arrives ? ['stop 0.01 60000 70000 reduce'] : []
      expect(shown(await stage.market.exchange.fetchOpenOrders()).sort()).toEqual(nth === 1 ? asOne : wanted)
      stage.market.setPrice('BTCUSDT', '70001')
      await stage.advance(60_000)
      expect(await stage.positions()).toEqual([])
      expect(shown(await stage.market.exchange.fetchOpenOrders())).toEqual([])
      expect(openIntents(stage.lines)).toEqual([])
      expect(new Set(stage.sent).size).toBe(stage.sent.length)
    },
  )
})
