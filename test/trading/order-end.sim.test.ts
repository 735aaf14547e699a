// An order is told by how it ended, and its end is written down after the fills that it counts (behaviours 36, 37).
import { describe, expect, it } from 'vitest'
import { type Distance, distantVenue } from '../../harness/venues/distant.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import type { OrderEvent } from '../../src/trading/order-event.ts'
import type { OrderPlan } from '../../src/trading/order-plan.ts'
import { BUY, STOP, stageDesk } from './desk-stage.ts'

const PROTECTED = { ...BUY, protection: STOP }

function stageDistant(distance: Omit<Distance, 'now'>) {
  const stage = stageDesk()
  const venue = distantVenue(stage.market.exchange, { now: stage.market.now, ...distance })
  return { stage, venue, ...stage.openDesk(venue) }
}

/** In steps as short as the pauses between two questions. */
async function pass(stage: ReturnType<typeof stageDesk>, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 50) await stage.skip(50)
}

describe('an order that takes, at a venue that acknowledges by an id alone', () => {
  const TAKING: readonly [string, Partial<OrderPlan>][] = [
    ['at the market', {}],
    ['ioc', { type: 'limit', price: '65100', timeInForce: 'ioc' }],
    ['fok', { type: 'limit', price: '65100', timeInForce: 'fok' }],
    ['that crosses', { type: 'limit', price: '65100', crosses: true }],
  ]

  it.each(TAKING)('%s: it is told as it ended, and its stop rests within a second of its fill', async (_what, how) => {
    const { stage, start } = stageDistant({ fillMs: 300 })
    const placing = start({ ...PROTECTED, ...how })
    await stage.settle()
    expect(placing.result).toBe(undefined)
    await pass(stage, 1_000)
    expect(placing.result).toBe('closed')
    expect(placing.types()).toEqual(['filled', 'protected'])
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
  })

  it('and that fills after the venue has been asked for 8 s is told as open, and is in no doubt once it has ended', async () => {
    const { stage, start, desk } = stageDistant({ fillMs: 20_000 })
    const placing = start({ ...BUY, type: 'limit', price: '65100', timeInForce: 'ioc' })
    await stage.settle()
    await pass(stage, 8_000)
    expect(placing.result).toBe('open')
    const entry = start(BUY)
    await stage.settle()
    expect(entry.result).toBe('unsettled-order')
    const exit = start({ ...BUY, side: 'sell', amount: '0.001', reduceOnly: true })
    await pass(stage, 13_000)
    expect(exit.result).toBe('open')
    const next = start(BUY)
    await pass(stage, 8_000)
    expect([next.result, desk.records.unsettled()]).toEqual(['open', []])
  })

  it('asks nothing where the acknowledgement has the end', async () => {
    const stage = stageDesk()
    let asked = 0
    const { start } = stage.openDesk({
      fetchOrder(ref) {
        asked += 1
        return stage.market.exchange.fetchOrder(ref)
      },
    })
    const placing = start(PROTECTED)
    await stage.settle()
    expect([placing.result, asked]).toEqual(['closed', 0])
  })

  it('a limit order that rests is not waited for', async () => {
    const { stage, start } = stageDistant({ fillMs: 300 })
    const placing = start({ ...BUY, type: 'limit', price: '64000' })
    await stage.settle()
    expect([placing.result, placing.types()]).toEqual(['open', ['rests']])
  })
})

describe('the end of an order, in the journal', () => {
  const kinds = (lines: readonly string[]) => lines.map((line) => JSON.parse(line).t)

  it('is after its fills where the venue lists them 5 s late', async () => {
    const stage = stageDesk()
    const { exchange, now } = stage.market
    const listed = now() + 5_000
    const { start } = stage.openDesk({
      subscribe: () => () => {},
      fetchMyTrades: async (query) => (now() < listed ? [] : exchange.fetchMyTrades(query)),
    })
    const placing = start(BUY)
    await stage.settle()
    expect([placing.result, kinds(stage.lines)]).toEqual(['closed', ['intent', 'outcome']])
    await stage.advance(15_000)
    expect(kinds(stage.lines)).toEqual(['intent', 'outcome', 'fill', 'end'])
    expect(placing.types()).toEqual(['filled', 'filled-later'])
    // It was told as filled by its order: a second line would read as a second fill.
    expect(placing.events.at(-1)).toMatchObject({ type: 'filled-later', isReported: true })
  })

  /** An entry with its stop, and a part of the exit, of a process that is killed after so many lines; then the next one starts. */
  async function killedAfter(most: number, tells: 'everything' | 'orders') {
    const stage = stageDesk()
    const { subscribe } = stage.market.exchange
    const first = stage.openDesk({
      subscribe: (handler) =>
        subscribe((event) => (tells === 'everything' || event.type === 'order' ? handler(event) : undefined)),
    })
    stage.lines.push = (...more) => {
      if (stage.lines.length >= most) throw new Error('the process was killed')
      return Array.prototype.push.apply(stage.lines, more)
    }
    first.start({ ...PROTECTED, type: 'limit', price: '64000' })
    await stage.settle()
    stage.market.setPrice('BTCUSDT', '63990')
    await stage.advance(2_000)
    first.start({ ...BUY, amount: '0.004', side: 'sell', reduceOnly: true })
    await stage.advance(2_000)
    first.desk.close()
    stage.lines.push = Array.prototype.push
    const written = stage.lines.length
    stage.killAll()
    const second = stage.openDesk()
    await second.desk.recover()
    await stage.advance(60_000)
    const trades = await stage.market.exchange.fetchMyTrades({ symbol: 'BTCUSDT', limit: 500 })
    const known = new Set(stage.lines.map((line) => JSON.parse(line).trade?.id))
    const missing = trades.filter(({ id }) => !known.has(id))
    return { written, trades: trades.length, missing, stops: (await stage.stops()).length, problems: second.problems }
  }

  it.each(['everything', 'orders'] as const)(
    'is found with its fills by the next process, whatever line the last one was killed at, where the venue tells %s by itself',
    async (tells) => {
      const { written } = await killedAfter(Number.POSITIVE_INFINITY, tells)
      expect(written).toBeGreaterThan(8)
      for (let lines = 1; lines <= written; lines += 1) {
        const found = await killedAfter(lines, tells)
        expect({ lines, ...found }).toMatchObject({ lines, missing: [], problems: [], stops: found.trades > 0 ? 1 : 0 })
      }
    },
  )

  it('is read again once where an old journal has it before its fills, and those that are listed no more are not asked for at every start', async () => {
    const stage = stageDesk()
    const first = stage.openDesk()
    first.start(BUY)
    await stage.settle()
    first.desk.close()
    const [intent = '', outcome = ''] = stage.lines.filter((line) => /"t":"(intent|outcome)"/.test(line))
    const end = { status: 'closed', filled: '0.01' }
    stage.lines.splice(0, stage.lines.length, intent, JSON.stringify({ ...JSON.parse(outcome), end }))
    stage.killAll()
    let asked = 0
    const silent = {
      fetchMyTrades: async () => {
        asked += 1
        return []
      },
    }
    const second = stage.openDesk(silent)
    await second.desk.recover()
    await stage.advance(60_000)
    expect(asked).toBeGreaterThan(0)
    expect(JSON.parse(stage.lines.at(-1) ?? '')).toMatchObject({ t: 'end', ...end, unlisted: '0.01' })
    second.desk.close()
    stage.killAll()
    asked = 0
    await stage.openDesk(silent).desk.recover()
    await stage.advance(60_000)
    expect(asked).toBe(0)
  })
})

describe('orders of one number on two symbols', () => {
  it('have each their own fills and ends', async () => {
    const stage = stageDesk()
    const { exchange } = stage.market
    const same = <T extends { readonly id: string }>(order: T): T => ({ ...order, id: '1' })
    const { start } = stage.openDesk({
      subscribe: (handler) =>
        exchange.subscribe((event) => {
          if (event.type === 'order') handler({ ...event, order: same(event.order) })
          else if (event.type === 'trade') {
            const { clientOrderId: _, ...trade } = event.trade
            handler({ ...event, trade: { ...trade, orderId: '1' } })
          } else handler(event)
        }),
      async createOrder(request) {
        const outcome = await exchange.createOrder(request)
        return outcome.kind === 'placed' ? { ...outcome, order: same(outcome.order) } : outcome
      },
    })
    const btc = start({ ...BUY, type: 'limit', price: '64000' })
    const eth = start({ ...BUY, symbol: 'ETHUSDT', amount: '0.1', type: 'limit', price: '2000' })
    await stage.settle()
    stage.market.setPrice('BTCUSDT', '63990')
    await stage.advance(2_000)
    expect([btc.types(), eth.types()]).toEqual([['rests', 'filled-later'], ['rests']])
  })
})

describe('a resting order that somebody else cancels', () => {
  it('is told as canceled elsewhere, and one that is taken back here is not', async () => {
    const stage = stageDesk()
    const { desk, start, by } = stage.openDesk()
    const [there, here] = [
      start({ ...BUY, type: 'limit', price: '64000' }),
      start({ ...BUY, type: 'limit', price: '63000' }),
    ]
    await stage.settle()
    const [at64, at63] = (await stage.market.exchange.fetchOpenOrders()).toSorted(
      (a, b) => Number(b.price) - Number(a.price),
    )
    if (at64 === undefined || at63 === undefined) throw new Error('they do not rest')
    await stage.market.exchange.cancelOrder({ symbol: 'BTCUSDT', id: at64.id })
    await desk.cancel({ symbol: 'BTCUSDT', id: at63.id }, by())
    await stage.settle()
    expect(there.events.at(-1)).toMatchObject({ type: 'ended', isElsewhere: true, order: { status: 'canceled' } })
    expect(here.events.at(-1)).toEqual({ type: 'ended', order: expect.objectContaining({ status: 'canceled' }) })
  })

  it('is not so told where it was an ioc order, which ends by itself', async () => {
    const stage = stageDesk()
    const { exchange } = stage.market
    const { start } = stage.openDesk({
      async createOrder(request) {
        const outcome = await exchange.createOrder({ ...request, type: 'limit', timeInForce: 'gtc', price: '60000' })
        await exchange.cancelAllOrders()
        return outcome
      },
    })
    const placing = start({ ...BUY, type: 'limit', price: '64000', timeInForce: 'ioc' })
    await pass(stage, 1_000)
    expect(placing.events.some((event) => 'isElsewhere' in event)).toBe(false)
    expect(placing.result).toBe('canceled')
  })
})

describe('a task’s order that a venue forgets', () => {
  it('is known by its journal: what it filled is not lost as never arrived', async () => {
    const stage = stageDesk()
    const { desk, by } = stage.openDesk()
    const ordered = by()
    const order = await desk.place(BUY, ordered, () => {})
    await stage.settle()
    const far = stage.openDesk({
      fetchOrder: () => Promise.reject(new ExchangeError('order-not-found', 'no such order')),
    })
    const ref = { symbol: 'BTCUSDT', clientOrderId: order.clientOrderId ?? '' }
    expect(await far.desk.adopt(ref, () => {})).toMatchObject({
      kind: 'found',
      order: { filled: '0.01', status: 'closed', average: '65000.1' },
    })
    const never = { symbol: 'BTCUSDT', clientOrderId: 'f'.repeat(32) }
    expect(await far.desk.adopt(never, () => {})).toEqual({ kind: 'never-arrived' })
  })
})

describe('an order whose run is stopped', () => {
  const stopped = async (distance: Omit<Distance, 'now'>, plan: OrderPlan) => {
    const { stage, venue, desk, by } = stageDistant(distance)
    const run = new AbortController()
    const events: OrderEvent[] = []
    let result: string | undefined
    desk
      .place(plan, { ...by(), signal: run.signal }, (event) => void events.push(event))
      .then(
        ({ status }) => (result = status),
        (error: { readonly code?: string }) => (result = error.code ?? String(error)),
      )
    await stage.settle()
    return { stage, venue, run, types: () => events.map(({ type }) => type), result: () => result }
  }

  it('is left within a second, and what becomes of it and of its stop is told later', async () => {
    const { stage, run, types, result } = await stopped({ fillMs: 4_000 }, PROTECTED)
    await pass(stage, 1_000)
    run.abort()
    await pass(stage, 450)
    expect(result()).toBe(undefined)
    await pass(stage, 100)
    expect([result(), types()]).toEqual(['interrupted', ['sent']])
    await pass(stage, 7_000)
    expect(types()).toEqual(['sent', 'filled', 'protected'])
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
    expect(stage.lines.filter((line) => line.includes('"t":"intent"'))).toHaveLength(2)
  })

  it('is told as ever where its end is known within half a second', async () => {
    const { stage, run, types, result } = await stopped({ fillMs: 300 }, PROTECTED)
    run.abort()
    await pass(stage, 1_000)
    expect([result(), types()]).toEqual(['closed', ['filled', 'protected']])
  })

  it('is left while its fate is asked for, and that is told when it is known', async () => {
    const stage = stageDesk()
    const { exchange } = stage.market
    let isSilent = true
    const { desk, by } = stage.openDesk({
      async createOrder(request) {
        await exchange.createOrder(request)
        return { kind: 'unknown', error: new ExchangeError('outcome-unknown', 'no answer') }
      },
      fetchOrder: (ref) =>
        isSilent ? Promise.reject(new ExchangeError('network', 'no answer')) : exchange.fetchOrder(ref),
    })
    const run = new AbortController()
    const types: string[] = []
    const placing = desk.place(BUY, { ...by(), signal: run.signal }, ({ type }) => void types.push(type))
    const result = placing.catch((error: { readonly code?: string }) => error.code)
    await stage.settle()
    run.abort()
    await stage.settle()
    await stage.advance(1_000)
    expect([await result, types]).toEqual(['interrupted', ['unknown']])
    isSilent = false
    await stage.advance(10_000)
    expect(types).toEqual(['unknown', 'settled', 'filled'])
  })

  it('leaves nothing of the signal in the journal', async () => {
    const { stage } = await stopped({ fillMs: 0 }, BUY)
    expect(stage.lines.join()).not.toContain('signal')
  })
})
