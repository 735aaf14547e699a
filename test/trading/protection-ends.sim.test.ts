// However a stop comes to its end, or to none: then there is a stop, or no position, or the operator is alarmed with the line to type.
import { describe, expect, it } from 'vitest'
import { spotOver } from '../../harness/venues/spot-market.ts'
import { defined } from '../../src/base/defined.ts'
import type { Exchange, ExchangeEvent } from '../../src/exchange/exchange.ts'
import { ExchangeError, type ExchangeErrorCode } from '../../src/exchange/exchange-error.ts'
import { type Order, refOf } from '../../src/exchange/order.ts'
import { StoreError } from '../../src/stores/store-error.ts'
import type { OrderEvent } from '../../src/trading/order-event.ts'
import { openIntents } from '../../src/trading/order-journal-lines.ts'
import { BUY, STOP, stageDesk } from './desk-stage.ts'

const PROTECTED = { ...BUY, protection: STOP }
const MINUTES = 60_000

type Stage = ReturnType<typeof stageDesk>

/** A venue that says this to every nth stop it gets. */
function refusing(stage: Stage, codes: readonly (ExchangeErrorCode | undefined)[]): Partial<Exchange> {
  const { exchange } = stage.market
  let met = 0
  return {
    createOrder(request) {
      const code = request.type === 'stop' ? codes[met++] : undefined
      if (code === undefined) return exchange.createOrder(request)
      return Promise.resolve({ kind: 'refused', error: new ExchangeError(code, `the venue says ${code}`) })
    },
  }
}

/** Canceled, or ended as a venue may, on the venue's own page or by the venue itself: no hookline has asked for it. */
async function endAtVenue(
  stage: Stage,
  told: Partial<Order> = {},
  tell?: (event: ExchangeEvent) => void,
): Promise<void> {
  const [stop] = await stage.stops()
  if (stop === undefined) throw new Error('no stop rests')
  const ended = { ...stop, status: 'canceled' as const, ...told }
  tell?.({ type: 'order', order: ended })
  await stage.market.exchange.cancelOrder(refOf(stop))
  await stage.settle()
}

const alarms = (events: readonly OrderEvent[]) =>
  events.flatMap((event) => (event.type === 'stop-failed' ? [event.error] : []))
const outcomes = (events: readonly OrderEvent[]) =>
  events.flatMap((event) => (event.type === 'ended' ? [`${event.order.status} ${event.outcome}`] : []))

describe('a stop that the venue refuses', () => {
  it.each<ExchangeErrorCode>([
    'would-trigger',
    'invalid-order',
    'reduce-only-rejected',
    'permission',
    'insufficient-funds',
  ])('twice, %s, rests at the third try, and the operator knows', async (code) => {
    const stage = stageDesk()
    const { start } = stage.openDesk(refusing(stage, [code, code]))
    const placing = start(PROTECTED)
    await stage.advance(5_000)
    expect(placing.result).toBe('stop-failed')
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
  })

  it.each<ExchangeErrorCode>(['would-trigger', 'invalid-order'])(
    'because the price has passed it, %s, is closed at the market',
    async (code) => {
      const stage = stageDesk()
      const { exchange } = stage.market
      const { start } = stage.openDesk({
        createOrder(request) {
          if (request.type !== 'stop') return exchange.createOrder(request)
          stage.market.setPrice('BTCUSDT', '59000')
          return Promise.resolve({ kind: 'refused', error: new ExchangeError(code, 'would trigger at once') })
        },
      })
      const placing = start(PROTECTED)
      await stage.advance(3_000)
      expect(placing.types()).toContain('stop-passed')
      expect(await stage.positions()).toEqual([])
      expect(openIntents(stage.lines)).toEqual([])
    },
  )

  it('because the price has passed it: the close is reported once, also where its fill is listed later', async () => {
    const stage = stageDesk()
    const { exchange, now } = stage.market
    let listed = Number.POSITIVE_INFINITY
    const { start } = stage.openDesk({
      subscribe: (handler) => exchange.subscribe((event) => (event.type === 'order' ? handler(event) : undefined)),
      fetchMyTrades: async (query) => (now() < listed ? [] : exchange.fetchMyTrades(query)),
      createOrder(request) {
        if (request.type !== 'stop') return exchange.createOrder(request)
        stage.market.setPrice('BTCUSDT', '59000')
        listed = now() + 5_000
        return Promise.resolve({
          kind: 'refused',
          error: new ExchangeError('would-trigger', 'the trigger price has passed'),
        })
      },
    })
    const placing = start(PROTECTED)
    await stage.advance(30_000)
    const sales = placing.events.filter((event) => 'order' in event && event.order?.side === 'sell')
    const listings = sales.filter(({ type }) => type === 'filled-later')
    expect(sales.filter(({ type }) => type === 'filled')).toHaveLength(1)
    expect(listings).toMatchObject([{ isReported: true }])
  })

  it('is said again every five minutes with the line to type, and by each process that takes over', async () => {
    const stage = stageDesk()
    const never = Array<ExchangeErrorCode>(1_000).fill('permission')
    const first = stage.openDesk(refusing(stage, never))
    const placing = start(first)
    for (let minutes = 0; minutes < 22; minutes += 1) await stage.skip(MINUTES)
    const said = alarms(placing.events)
    // As it was given up, and every five minutes since.
    expect(said.length).toBeGreaterThanOrEqual(3)
    expect(said.at(-1)?.message).toMatch(/^BTCUSDT is without its stop: it was refused \d+ times, .* permission$/)
    expect(said.at(-1)?.hint).toBe(
      '`stop BTCUSDT at 60000` places one, `close BTCUSDT` ends the position; hookline tries again every 5 min',
    )
    first.desk.close()
    stage.killAll()
    const second = stage.openDesk(refusing(stage, never))
    await second.desk.recover()
    await stage.settle()
    expect(alarms(second.reports).map(({ message }) => message)).toEqual([
      'BTCUSDT is without its stop: the venue says permission',
    ])
  })

  it('and was given up is placed when it is refused no more, and forgotten when the position is gone', async () => {
    for (const isClosed of [false, true]) {
      const stage = stageDesk()
      const desk = stage.openDesk(refusing(stage, Array<ExchangeErrorCode>(9).fill('permission')))
      start(desk)
      for (let minutes = 0; minutes < 4; minutes += 1) await stage.skip(MINUTES)
      if (isClosed) stage.openDesk().start({ ...BUY, side: 'sell', reduceOnly: true })
      for (let minutes = 0; minutes < 12; minutes += 1) await stage.skip(MINUTES)
      expect((await stage.stops()).map(({ amount }) => amount)).toEqual(isClosed ? [] : ['0.01'])
      if (isClosed) expect(openIntents(stage.lines)).toEqual([])
    }
  })

  it('as reducing nothing, while the positions lag behind the fill by 5 s, rests once they are there', async () => {
    const stage = stageDesk()
    const { exchange } = stage.market
    const filledAt = stage.market.now()
    const isLate = () => stage.market.now() - filledAt < 4_900
    const { start: place } = stage.openDesk({
      fetchPositions: async () => (isLate() ? [] : exchange.fetchPositions()),
      createOrder(request) {
        if (request.type !== 'stop' || !isLate()) return exchange.createOrder(request)
        return Promise.resolve({ kind: 'refused', error: new ExchangeError('reduce-only-rejected', 'no position') })
      },
    })
    place(PROTECTED)
    await stage.advance(12_000)
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
  })

  it('because the journal cannot be written is tried until it can', async () => {
    const stage = stageDesk()
    const { start: place, journal } = stage.openDesk()
    const { intend } = journal
    let isFull = true
    Object.assign(journal, {
      intend: async (intent: Parameters<typeof intend>[0]) => {
        if (isFull && intent.protects !== undefined) throw new StoreError('store-write-failed', 'the disk is full')
        return intend(intent)
      },
    })
    const placing = place(PROTECTED)
    await stage.settle()
    expect([placing.result, await stage.stops()]).toEqual(['stop-failed', []])
    isFull = false
    await stage.advance(2_000)
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
  })

  function start({ start: place }: Pick<ReturnType<Stage['openDesk']>, 'start'>) {
    return place(PROTECTED)
  }
})

describe('a stop that ends without hookline', () => {
  it('is placed again once, and let go when it is canceled a second time: both are said, the second with the line to type', async () => {
    const stage = stageDesk()
    const { start, problems } = stage.openDesk()
    const placing = start(PROTECTED)
    await stage.advance(10_000)
    await endAtVenue(stage)
    await stage.advance(2_000)
    expect(outcomes(placing.events)).toEqual(['canceled placed-again'])
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
    await endAtVenue(stage)
    await stage.advance(2_000)
    expect(outcomes(placing.events)).toEqual(['canceled placed-again', 'canceled waived'])
    expect(alarms(placing.events).map(({ hint }) => hint)).toEqual([
      '`stop BTCUSDT at 60000` places one, `close BTCUSDT` ends the position',
    ])
    await stage.advance(60_000)
    expect([await stage.stops(), problems]).toEqual([[], []])
  })

  it.each(['expired', 'rejected'] as const)('%s, is placed again, however often', async (status) => {
    const stage = stageDesk()
    const tell = tellable(stage)
    const { start } = stage.openDesk(tell.venue)
    start(PROTECTED)
    await stage.advance(10_000)
    for (let times = 0; times < 4; times += 1) {
      await endAtVenue(stage, { status, cause: 'trigger-failed' }, tell.tell)
      await stage.advance(10_000)
      expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
    }
  })

  it('with last beyond its price is closed at the market', async () => {
    const stage = stageDesk()
    const { exchange } = stage.market
    let last: string | undefined
    const { start } = stage.openDesk({
      fetchTicker: async (symbol) => ({ ...(await exchange.fetchTicker(symbol)), ...defined({ last }) }),
    })
    const placing = start(PROTECTED)
    await stage.advance(10_000)
    last = '59999'
    await endAtVenue(stage)
    await stage.advance(2_000)
    expect(outcomes(placing.events)).toEqual(['canceled closing'])
    expect(placing.types()).toContain('stop-passed')
    expect(await stage.positions()).toEqual([])
  })

  it.each(['this', 'another'])(
    'because a person canceled it with %s hookline is let go, and is no alarm',
    async (which) => {
      const stage = stageDesk()
      const own = stage.openDesk()
      const other = stage.openDesk()
      const placing = own.start(PROTECTED)
      await stage.advance(10_000)
      const [stop] = await stage.stops()
      if (stop === undefined) throw new Error('no stop')
      const { desk, by } = which === 'this' ? own : other
      await desk.cancel(refOf(stop), by())
      await stage.advance(60_000)
      expect(outcomes(placing.events)).toEqual(['canceled taken-back'])
      const [ended] = placing.events.filter(({ type }) => type === 'ended')
      expect(ended !== undefined && 'isElsewhere' in ended).toBe(which === 'another')
      expect([await stage.stops(), alarms(placing.events)]).toEqual([[], []])
      expect(openIntents(stage.lines)).toEqual([])
    },
  )

  it('because another hookline replaced it is reported with the stop that covers as much', async () => {
    const stage = stageDesk()
    const placing = stage.openDesk().start(PROTECTED)
    await stage.advance(10_000)
    const [stop] = await stage.stops()
    if (stop === undefined) throw new Error('no stop')
    const { amount, side, symbol } = stop
    for (const [part, triggerPrice] of [
      ['0.001', '60500'],
      [amount, '61000'],
    ] as const) {
      const id = triggerPrice.padEnd(32, 'f')
      const request = { symbol, side, type: 'stop', amount: part, triggerPrice, reduceOnly: true } as const
      await stage.market.exchange.createOrder({ ...request, clientOrderId: id })
    }
    const { desk, by } = stage.openDesk()
    await desk.cancel(refOf(stop), by())
    await stage.advance(10_000)
    expect(placing.events.filter(({ type }) => type === 'ended')).toMatchObject([
      { outcome: 'taken-back', isElsewhere: true, replacedBy: { triggerPrice: '61000', amount } },
    ])
  })

  it('because another hookline replaced it is reported without a stop of a later position', async () => {
    const stage = stageDesk()
    const first = stage.openDesk()
    first.start(PROTECTED)
    await stage.advance(10_000)
    const [stop] = await stage.stops()
    if (stop === undefined) throw new Error('no stop')
    first.desk.close()
    stage.killAll()
    const other = stage.openDesk()
    await other.desk.cancel(refOf(stop), other.by())
    await stage.advance(5_000)
    const { createOrder } = stage.market.exchange
    await createOrder({ ...BUY, side: 'sell', reduceOnly: true, clientOrderId: 'd'.repeat(32) })
    await createOrder({ ...BUY, clientOrderId: 'e'.repeat(32) })
    const { amount, side, symbol } = stop
    const later = { symbol, side, type: 'stop', amount, triggerPrice: '61000', reduceOnly: true } as const
    await createOrder({ ...later, clientOrderId: 'f'.repeat(32) })
    const second = stage.openDesk()
    await second.desk.recover()
    await stage.advance(10_000)
    const ends = second.reports.filter(({ type }) => type === 'ended')
    expect(ends).toMatchObject([{ outcome: 'taken-back', isElsewhere: true }])
    expect(ends[0]).not.toHaveProperty('replacedBy')
  })

  it('because its position was closed is no alarm, also within 5 s of the fill', async () => {
    for (const after of [10_000, 1_000]) {
      const stage = stageDesk()
      const placing = stage.openDesk().start(PROTECTED)
      await stage.advance(after)
      await stage.market.exchange.createOrder({ ...BUY, side: 'sell', reduceOnly: true, clientOrderId: 'f'.repeat(32) })
      await stage.advance(20_000)
      expect([await stage.stops(), await stage.positions(), alarms(placing.events)]).toEqual([[], [], []])
      expect(outcomes(placing.events).filter((each) => !each.endsWith('flat'))).toEqual([])
      expect(openIntents(stage.lines)).toEqual([])
    }
  })

  it.each<[string, boolean, readonly string[], number]>([
    ['on the page of the venue is placed again by the next one', false, ['canceled placed-again'], 1],
    ['with a hookline stays as it is', true, ['canceled taken-back'], 0],
  ])('while no process runs, canceled %s', async (_how, isHere, expected, stops) => {
    const stage = stageDesk()
    const first = stage.openDesk()
    first.start(PROTECTED)
    await stage.advance(10_000)
    const [stop] = await stage.stops()
    if (stop === undefined) throw new Error('no stop')
    first.desk.close()
    stage.killAll()
    const other = stage.openDesk()
    if (isHere) other.journal.changed('paper', refOf(stop), 'canceled', other.by())
    await stage.market.exchange.cancelOrder(refOf(stop))
    const second = stage.openDesk()
    await second.desk.recover()
    await stage.advance(10_000)
    expect(outcomes(second.reports)).toEqual(expected)
    expect(await stage.stops()).toHaveLength(stops)
  })

  it('as its position is liquidated is told with that word', async () => {
    const stage = stageDesk()
    const tell = tellable(stage)
    const { start } = stage.openDesk({ ...tell.venue, fetchPositions: async () => [] })
    const placing = start(PROTECTED)
    await stage.advance(10_000)
    await endAtVenue(stage, { cause: 'liquidation' }, tell.tell)
    await stage.advance(1_000)
    expect(placing.events.filter(({ type }) => type === 'ended')).toMatchObject([
      { outcome: 'flat', order: { cause: 'liquidation' } },
    ])
  })
})

describe('on spot, where nothing is a position', () => {
  const stageSpot = (held: () => string, more: Partial<Exchange> = {}) => {
    const stage = stageDesk()
    const spot = spotOver(stage.market.openExchange(), '0')
    const coins = (currency: string, free: string) => ({ currency, wallet: free, total: free, used: '0', free })
    const desk = stage.openDesk({ ...spot, fetchBalances: async () => [coins('BTC', held())], ...more })
    return { ...stage, ...desk }
  }

  it('a stop that is canceled at the venue is placed again where the coins are there, and let go where they are not', async () => {
    for (const coins of ['0.02', '0']) {
      const stage = stageSpot(() => coins)
      const placing = stage.start(PROTECTED)
      await stage.advance(10_000)
      await endAtVenue(stage)
      await stage.advance(5_000)
      expect(outcomes(placing.events)).toEqual([coins === '0' ? 'canceled flat' : 'canceled placed-again'])
      expect(await stage.stops()).toHaveLength(coins === '0' ? 0 : 1)
    }
  })

  it('a stop that is refused for want of coins is let go once they are known to be gone', async () => {
    const refuse = { kind: 'refused', error: new ExchangeError('insufficient-funds', 'no coins') } as const
    let coins = '0.02'
    const stage = stageSpot(() => coins, {})
    const { exchange } = stage.market
    const desk = stage.openDesk({
      kind: 'spot',
      capabilities: { ...exchange.capabilities, oco: false },
      fetchBalances: async () => [{ currency: 'BTC', wallet: coins, total: coins, used: '0', free: coins }],
      createOrder: async (request) => (request.type === 'stop' ? refuse : exchange.createOrder(request)),
    })
    const placing = desk.start(PROTECTED)
    await stage.advance(10_000)
    expect(placing.result).toBe('stop-failed')
    expect(openIntents(stage.lines)).toHaveLength(1)
    coins = '0'
    await stage.advance(60_000)
    expect(openIntents(stage.lines)).toEqual([])
  })
})

describe('the end of a stop whose position another process closed', () => {
  const closedAfter = async (ms: number) => {
    const stage = stageDesk()
    const { exchange } = stage.market
    let listed: ReturnType<Exchange['fetchPositions']> | undefined
    const placing = stage.openDesk({ fetchPositions: () => listed ?? exchange.fetchPositions() }).start(PROTECTED)
    await stage.advance(ms)
    const close = async () => {
      stage.openDesk().start({ ...BUY, side: 'sell', reduceOnly: true })
      await stage.settle()
    }
    const ends = () => placing.events.filter(({ type }) => type === 'ended')
    return { stage, ends, close, listOnly: (held: typeof listed) => (listed = held) }
  }

  it.each([1_000, 60_000])('is told at once, %i ms after the entry', async (ms) => {
    const { ends, close } = await closedAfter(ms)
    await close()
    expect(ends()).toMatchObject([{ outcome: 'flat', order: { cause: 'position-closed' } }])
    expect(ends()[0]).not.toHaveProperty('lateMs')
  })

  it('says how long ago it was where the venue lists a position for longer', async () => {
    const { stage, ends, close, listOnly } = await closedAfter(60_000)
    listOnly(Promise.resolve(await stage.positions()))
    await close()
    await stage.advance(4_000)
    expect(ends()).toEqual([])
    listOnly(undefined)
    await stage.advance(2_000)
    expect(ends()).toMatchObject([{ outcome: 'flat', lateMs: 5_000 }])
  })
})

/** A venue whose events the test may tell as well. */
function tellable({ market }: Stage) {
  const handlers = new Set<(event: ExchangeEvent) => void>()
  const venue: Partial<Exchange> = {
    subscribe(handler) {
      handlers.add(handler)
      const stop = market.exchange.subscribe(handler)
      return () => {
        handlers.delete(handler)
        stop()
      }
    },
  }
  const tell = (event: ExchangeEvent) => {
    for (const handler of [...handlers]) handler(event)
  }
  return { venue, tell }
}
