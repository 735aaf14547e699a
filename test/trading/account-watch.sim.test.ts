// Two desks on one account are two processes: each is told what the other does, and not what it does itself.
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { printOrderEvent } from '../../src/commands/kit/lines.ts'
import type { ExchangeEvent } from '../../src/exchange/exchange.ts'
import type { Order, OrderRequest, Trade } from '../../src/exchange/order.ts'
import { watchAccount } from '../../src/trading/account-watch.ts'
import { OwnOrders } from '../../src/trading/following.ts'
import type { OrderEvent } from '../../src/trading/order-event.ts'
import { BUY, STOP, stageDesk } from './desk-stage.ts'

interface Later {
  readonly ms: number
  readonly work: () => void
}

function stage() {
  const staged = stageDesk()
  const here = staged.openDesk()
  const elsewhere = staged.openDesk()
  const told: OrderEvent[] = []
  const problems: unknown[] = []
  const due: Later[] = []
  const stop = watchAccount({
    venue: staged.market.openExchange(),
    orders: here.desk.records,
    notify: (event) => told.push(event),
    now: staged.market.now,
    onProblem: (problem) => problems.push(problem),
    later(ms, work) {
      const each = { ms, work }
      due.push(each)
      return () => void due.splice(due.indexOf(each), 1)
    },
  })
  onTestFinished(() => expect(problems).toEqual([]))
  /** The venue's own page, or another program: in no journal of this directory. */
  const page = staged.market.openExchange()
  return {
    ...staged,
    here,
    elsewhere,
    told,
    stop,
    due,
    page,
    typed: (price: string, more: Partial<OrderRequest> = {}) =>
      page.createOrder({ ...LIMIT, clientOrderId: newOrderId(), price, ...more }),
    /** What waits for others to come with it has waited. @returns for how long */
    async waited(): Promise<readonly number[]> {
      await staged.settle()
      const ended = due.splice(0)
      for (const { work } of ended) work()
      await staged.settle()
      return ended.map(({ ms }) => ms)
    },
  }
}

const LIMIT = { symbol: 'BTCUSDT', side: 'sell', type: 'limit', amount: '0.01' } as const
const newOrderId = () => randomUUID().replaceAll('-', '')

describe('watching an account', () => {
  it('tells the fills of an order that another process placed, once and together', async () => {
    const { elsewhere, told, settle } = stage()
    elsewhere.start(BUY)
    await settle()
    expect(told).toMatchObject([{ type: 'elsewhere', trades: [{ amount: '0.01' }], order: { status: 'closed' } }])
  })

  it('names the stop that another process has placed in the place of the one it cancels', async () => {
    const { elsewhere, told, settle, market } = stage()
    const stop = { symbol: 'BTCUSDT', side: 'sell', type: 'stop', amount: '0.01', reduceOnly: true } as const
    elsewhere.start(BUY)
    await settle()
    elsewhere.start({ ...stop, triggerPrice: '63000' })
    await settle()
    elsewhere.start({ ...stop, triggerPrice: '64000' })
    await settle()
    const [before, after] = (await market.exchange.fetchOpenOrders()).toSorted(
      (a, b) => Number(a.triggerPrice) - Number(b.triggerPrice),
    )
    await elsewhere.desk.cancel({ id: before?.id ?? '', symbol: 'BTCUSDT' }, elsewhere.by())
    await settle()
    expect(told.at(-1)).toMatchObject({ type: 'elsewhere', order: { id: before?.id }, replacedBy: { id: after?.id } })
    const lines: string[] = []
    const write = (text: string) => void lines.push(text)
    const [event] = told.slice(-1)
    if (event) printOrderEvent(event, 'paper', { print: write, success: write, warn: write, error: write, info: write })
    expect(lines).toEqual([`stop ${before?.id} canceled: stop ${after?.id} at 64,000 replaces it`])
    await elsewhere.desk.cancel({ id: after?.id ?? '', symbol: 'BTCUSDT' }, elsewhere.by())
    await settle()
    expect(told.at(-1)).not.toHaveProperty('replacedBy')
  })

  it('tells nothing of what this process places, fills, protects and takes back', async () => {
    const { here, told, settle } = stage()
    here.start({ ...BUY, protection: STOP })
    here.start({ ...BUY, type: 'limit', price: '60000' })
    await settle()
    await here.desk.cancelAll(undefined, here.by())
    await settle()
    expect(told).toEqual([])
  })

  it('tells nothing of a cancel by this process of an order that another one placed', async () => {
    const { here, elsewhere, told, settle, market } = stage()
    for (const price of ['60000', '61000']) elsewhere.start({ ...BUY, type: 'limit', price })
    await settle()
    const [first] = await market.exchange.fetchOpenOrders()
    await here.desk.cancel({ symbol: 'BTCUSDT', id: first?.id ?? '' }, here.by())
    await here.desk.cancelAll('BTCUSDT', here.by())
    await settle()
    expect(told).toEqual([])
  })

  it('tells no end that a command of this process reports, of a stop that another process placed', async () => {
    for (const isClaimed of [true, false]) {
      const { here, elsewhere, told, settle, stops } = stage()
      elsewhere.start({ ...BUY, protection: STOP })
      await settle()
      told.length = 0
      if (isClaimed) here.desk.claimEnds(await stops())
      here.start({ ...BUY, side: 'sell', reduceOnly: true })
      await settle()
      expect(told.filter(({ type }) => type === 'elsewhere')).toHaveLength(isClaimed ? 0 : 1)
    }
  })

  it('tells a cancel by another process, though this one placed nothing', async () => {
    const { elsewhere, told, settle } = stage()
    elsewhere.start({ ...BUY, type: 'limit', price: '60000' })
    await settle()
    await elsewhere.desk.cancelAll(undefined, elsewhere.by())
    await settle()
    expect(told).toMatchObject([{ type: 'elsewhere', trades: [], order: { status: 'canceled' } }])
  })

  it('tells a stop that fires and a limit that fills later', async () => {
    const { elsewhere, told, settle, market, advance } = stage()
    elsewhere.start(BUY)
    elsewhere.start({ symbol: 'BTCUSDT', side: 'sell', type: 'stop', amount: '0.01', triggerPrice: '60000' })
    await settle()
    told.length = 0
    market.setPrice('BTCUSDT', '59000')
    await advance(1_000)
    expect(told).toMatchObject([
      { order: { type: 'stop', status: 'closed' }, trades: [{ side: 'sell', amount: '0.01' }] },
    ])
  })

  it('tells a liquidation with its reason', async () => {
    const { elsewhere, told, settle, market, advance } = stage()
    elsewhere.start({ ...BUY, amount: '1.4' })
    await settle()
    told.length = 0
    market.setPrice('BTCUSDT', '57000')
    await advance(1_000)
    expect(told).toMatchObject([{ type: 'elsewhere', reason: expect.stringContaining('liquidated') }])
  })

  it('ends when it is told to, and tells what has come by then', async () => {
    const { elsewhere, told, settle, stop } = stage()
    elsewhere.start(BUY)
    await settle()
    stop()
    elsewhere.start(BUY)
    await settle()
    expect(told).toHaveLength(1)
  })
})

/** As the terminal says it. */
function linesOf(events: readonly OrderEvent[]): readonly string[] {
  const lines: string[] = []
  const print = (text: string) => void lines.push(text)
  const out = { print, success: print, info: print, warn: print, error: print }
  for (const event of events) printOrderEvent(event, 'paper', out as never)
  return lines
}

describe('an order that is typed on the venue’s page', () => {
  it('is told as it begins to rest, once, within 2 s of being heard of', async () => {
    const { typed, waited, told } = stage()
    await typed('71000', { amount: '0.5' })
    expect(await waited()).toEqual([1_500])
    expect(linesOf(told)).toEqual(['Paper: sell limit 0.5 BTCUSDT at 71,000 was placed elsewhere (order p1)'])
    expect(await waited()).toEqual([])
  })

  it('is told as a stop where it is one', async () => {
    const { typed, waited, told } = stage()
    await typed('60000', { type: 'stop', price: undefined as never, triggerPrice: '60000', amount: '0.02' })
    await waited()
    expect(linesOf(told)).toEqual(['Paper: sell stop 0.02 BTCUSDT at 60,000 was placed elsewhere (order p1)'])
  })

  it('is not told as placed where it has filled or was canceled before that: its end says what it was', async () => {
    const { typed, page, waited, told, market, advance } = stage()
    await typed('71000')
    await typed('66000')
    await page.cancelOrder({ symbol: 'BTCUSDT', id: 'p1' })
    market.setPrice('BTCUSDT', '66500')
    await advance(1_000)
    await waited()
    expect(told.map(({ type }) => type)).toEqual(['elsewhere', 'elsewhere'])
  })

  it('is told with what it was as it is moved, once for all that comes together', async () => {
    const { typed, page, waited, told } = stage()
    await typed('71000', { amount: '0.5' })
    await waited()
    told.length = 0
    const ref = { symbol: 'BTCUSDT', id: 'p1' }
    await page.editOrder(ref, { price: '70500' })
    await page.editOrder(ref, { price: '70000', amount: '0.4' })
    await waited()
    expect(linesOf(told)).toEqual([
      'Paper: sell limit 0.5 BTCUSDT at 71,000 was changed elsewhere to 0.4 at 70,000 (order p1)',
    ])
  })

  it('is not told as moved where it is back where it was', async () => {
    const { typed, page, waited, told } = stage()
    await typed('71000')
    await waited()
    told.length = 0
    for (const price of ['70500', '71000']) await page.editOrder({ symbol: 'BTCUSDT', id: 'p1' }, { price })
    await waited()
    expect(told).toEqual([])
  })

  it('is one line with 199 others that come with it, and so is what follows within 30 s', async () => {
    const { typed, waited, told, advance } = stage()
    for (let step = 0; step < 200; step += 1) {
      const isBuy = step < 120
      const price = String(isBuy ? 60_000 + step : 70_000 + step)
      await typed(price, { side: isBuy ? 'buy' : 'sell', amount: '0.001' })
    }
    await waited()
    expect(linesOf(told)).toEqual([
      'Paper: 200 orders were placed elsewhere, 120 to buy and 80 to sell: BTCUSDT from 60,000 to 70,199',
    ])
    told.length = 0
    await advance(5_000)
    for (const price of ['71000', '71001']) await typed(price, { amount: '0.001' })
    expect(await waited()).toEqual([25_000])
    expect(told).toHaveLength(1)
    told.length = 0
    await advance(31_000)
    await typed('72000', { amount: '0.001' })
    expect(await waited()).toEqual([1_500])
    expect(told).toHaveLength(1)
  })

  it('is not told where it rested before the account was watched', async () => {
    const { typed, waited, told, advance, market, here } = stage()
    await typed('71000')
    await waited()
    await advance(60_000)
    told.length = 0
    const [order] = await market.exchange.fetchOpenOrders()
    const heard: ((event: ExchangeEvent) => void)[] = []
    const later: (() => void)[] = []
    watchAccount({
      venue: {
        id: 'paper',
        subscribe(handler) {
          heard.push(handler)
          return () => {}
        },
      },
      orders: here.desk.records,
      notify: (event) => told.push(event),
      now: market.now,
      onProblem: () => {},
      later(_ms, work) {
        later.push(work)
        return () => {}
      },
    })
    for (const hear of heard) hear({ type: 'order', order: order as Order })
    expect(later).toEqual([])
  })
})

describe('an order of a hookline on this directory', () => {
  it('is never told as placed or moved elsewhere, whoever of them placed and moved it', async () => {
    const step = fc.record({
      who: fc.constantFrom('here', 'elsewhere'),
      what: fc.constantFrom('place', 'stop', 'entry', 'move', 'shrink'),
      price: fc.integer({ min: 66_000, max: 80_000 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const { here, elsewhere, told, settle, waited, market } = stage()
        for (const { who, what, price } of steps) {
          const { desk, by, start } = who === 'here' ? here : elsewhere
          const [resting] = (await market.exchange.fetchOpenOrders()).filter(({ type }) => type === 'limit')
          if (what === 'place') start({ ...LIMIT, price: String(price) })
          if (what === 'stop') start({ ...LIMIT, type: 'stop', triggerPrice: String(price - 10_000) })
          if (what === 'entry') start({ ...BUY, protection: STOP })
          if (resting !== undefined && what === 'move') {
            await desk.amend(resting, { price: String(price) }, by(), () => {})
          }
          if (resting !== undefined && what === 'shrink') await desk.amend(resting, { amount: '0.005' }, by(), () => {})
          await settle()
        }
        await waited()
        expect(told.filter(({ type }) => type === 'placed-elsewhere' || type === 'changed-elsewhere')).toEqual([])
      }),
      { numRuns: 40 },
    )
  })

  it('is told where it was moved on the venue’s page, also a stop', async () => {
    const { here, page, told, settle, waited, stops } = stage()
    here.start({ ...BUY, protection: STOP })
    await waited()
    const [stop] = await stops()
    await page.editOrder({ symbol: 'BTCUSDT', id: stop?.id ?? '' }, { triggerPrice: '50000' })
    await settle()
    await waited()
    expect(linesOf(told)).toEqual([
      `Paper: sell stop 0.01 BTCUSDT at 60,000, reduce-only was changed elsewhere to 0.01 at 50,000 (order ${stop?.id})`,
    ])
  })

  it('is not told where the row says neither of our ids and the answer came after it', async () => {
    const { here, told, settle, market } = stage()
    const heard: ((event: ExchangeEvent) => void)[] = []
    const work: (() => void)[] = []
    watchAccount({
      venue: {
        id: 'paper',
        subscribe(handler) {
          heard.push(handler)
          return () => {}
        },
      },
      orders: {
        isOwn: () => false,
        isSending: () => false,
        isEndReported: () => false,
        isFillReported: () => false,
        madeHere: () => here.desk.records.madeHere(),
      },
      notify: (event) => told.push(event),
      now: market.now,
      onProblem: () => {},
      later(_ms, each) {
        work.push(each)
        return () => {}
      },
    })
    here.start({ ...LIMIT, price: '71000' })
    await settle()
    const [{ clientOrderId: _, ...row }] = (await market.exchange.fetchOpenOrders()) as [Order]
    for (const hear of heard) hear({ type: 'order', order: row })
    for (const each of work) each()
    await settle()
    expect([told, work.length]).toEqual([[], 1])
  })
})

describe('an order of this process', () => {
  const FILL: Trade = {
    id: 't1',
    orderId: '17',
    symbol: 'BTCUSDT',
    side: 'buy',
    price: '65000',
    amount: '0.01',
    timestamp: 0,
  }

  /** A venue that names our id in no fill, while an order of ours may be under way. */
  function sending() {
    const told: OrderEvent[] = []
    const soon: (() => void)[] = []
    const state = { isOwn: false, isSending: true, isFillReported: false }
    let hear: (event: ExchangeEvent) => void = () => {}
    const stop = watchAccount({
      venue: {
        id: 'paper',
        subscribe(handler) {
          hear = handler
          return () => {}
        },
      },
      orders: {
        isOwn: () => state.isOwn,
        isSending: () => state.isSending,
        isEndReported: () => false,
        isFillReported: () => state.isFillReported,
        madeHere: () => Promise.reject(new Error()),
      },
      notify: (event) => told.push(event),
      now: () => 0,
      onProblem: () => {},
      soon: (work) => soon.push(work),
      later(_ms, work) {
        soon.push(work)
        return () => {}
      },
    })
    const next = () => {
      for (const work of soon.splice(0)) work()
    }
    return {
      told,
      state,
      next,
      stop,
      hear: (trade: Partial<Trade> = {}) => hear({ type: 'trade', trade: { ...FILL, ...trade } }),
    }
  }

  it('is never news, though its fill comes before its answer and without our id', () => {
    const { told, state, next, hear } = sending()
    hear()
    for (let looks = 0; looks < 4; looks++) next()
    Object.assign(state, { isOwn: true, isSending: false })
    next()
    expect(told).toEqual([])
  })

  it('is not told where the command that changed the order has reported it', () => {
    const { told, state, next, hear } = sending()
    hear()
    next()
    Object.assign(state, { isSending: false, isFillReported: true })
    next()
    expect(told).toEqual([])
  })

  it('keeps the fill of another from being told no longer than it is under way', () => {
    const { told, state, next, hear } = sending()
    hear()
    next()
    expect(told).toEqual([])
    state.isSending = false
    next()
    expect(told).toMatchObject([{ type: 'elsewhere', trades: [{ id: 't1' }] }])
  })

  it('delays neither a liquidation nor what has come by the end', () => {
    const { told, next, hear, stop } = sending()
    hear({ orderId: '18', cause: 'liquidation' })
    hear()
    next()
    expect(told).toMatchObject([{ trades: [{ cause: 'liquidation' }] }])
    stop()
    expect(told).toHaveLength(2)
  })

  it('is known by its number on its own symbol: another symbol has others of that number', () => {
    const own = new OwnOrders()
    own.addPlaced({ symbol: 'BTCUSDT', id: '1' })
    own.addTakenBack('BTCUSDT', '1')
    const names = ['BTCUSDT', 'ETHUSDT'].map((symbol) => ({ symbol, id: '1' }))
    expect(names.map((each) => [own.has(each), own.isTakenBack(each)])).toEqual([
      [true, true],
      [false, false],
    ])
  })
})
