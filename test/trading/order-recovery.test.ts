import { describe, expect, it } from 'vitest'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import { type Order, refOf } from '../../src/exchange/order.ts'
import type { OrderEvent } from '../../src/trading/order-event.ts'
import { openIntents } from '../../src/trading/order-journal-lines.ts'
import { BUY, STOP, stageDesk } from './desk-stage.ts'

/** 260 USDT a second: four lots. */
const THIN = { valueAt: (_symbol: string, _side: string, level: number) => (level === 0 ? 260.1 : undefined) }
const PROTECTED = { ...BUY, protection: STOP }

describe('a process that takes over', () => {
  it('settles what was not answered, and places the stop that is missing', async () => {
    const stage = stageDesk()
    const first = stage.openDesk()
    await stage.market.exchange.paper.setFaults({ lostAnswers: 1 })
    first.start(PROTECTED)
    await stage.settle()
    first.desk.close()
    stage.killAll()
    await stage.market.exchange.paper.setFaults({})
    const second = stage.openDesk()
    await second.desk.recover()
    expect(second.reports.map(({ type }) => type)).toEqual(['settled', 'protected'])
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
    expect(stage.sent).toHaveLength(2)
  })

  it('protects an entry by the prices that it was given last', async () => {
    const stage = stageDesk()
    const first = stage.openDesk()
    first.start({ ...PROTECTED, type: 'limit', price: '62000' })
    await stage.settle()
    const [entry] = await stage.market.exchange.fetchOpenOrders()
    await first.desk.reprotect(entry as Order, { triggerPrice: '61000' }, false)
    expect(first.desk.records.waitingFor(entry as Order)).toMatchObject({ triggerPrice: '61000' })
    first.desk.close()
    stage.killAll()
    const second = stage.openDesk()
    await second.desk.recover()
    stage.market.setPrice('BTCUSDT', '61900')
    await stage.advance(2_000)
    expect(await stage.stops()).toMatchObject([{ amount: '0.01', triggerPrice: '61000' }])
    expect(second.problems).toEqual([])
  })

  it('refuses other prices once the entry has filled', async () => {
    const stage = stageDesk()
    const first = stage.openDesk()
    first.start({ ...PROTECTED, type: 'limit', price: '62000' })
    await stage.settle()
    const [entry] = await stage.market.exchange.fetchOpenOrders()
    stage.market.setPrice('BTCUSDT', '61900')
    await stage.advance(2_000)
    await expect(first.desk.reprotect(entry as Order, { triggerPrice: '61000' }, false)).rejects.toMatchObject({
      code: 'order-ended',
    })
    expect(await stage.stops()).toMatchObject([{ triggerPrice: '60000' }])
  })

  it('places no second stop, and amends the one there is to what filled meanwhile', async () => {
    const stage = stageDesk({ depth: THIN })
    const first = stage.openDesk()
    first.start({ ...PROTECTED, type: 'limit', price: '66000' })
    await stage.settle()
    first.desk.close()
    stage.killAll()
    await stage.advance(10_000)
    const second = stage.openDesk()
    await second.desk.recover()
    expect(await stage.positions()).toMatchObject([{ amount: '0.01' }])
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
    expect(second.problems).toEqual([])
  })

  it('reads the journal again when it could not be read before', async () => {
    const stage = stageDesk()
    const { start } = stage.openDesk()
    Object.assign(stage.lines, {
      [Symbol.iterator]() {
        throw Object.assign(new Error('permission denied'), { code: 'store-corrupt' })
      },
    })
    const refused = start(BUY)
    await stage.settle()
    expect([refused.result, stage.sent]).toEqual(['store-corrupt', []])
    Reflect.deleteProperty(stage.lines, Symbol.iterator)
    const placing = start(BUY)
    await stage.settle()
    expect(placing.result).toBe('closed')
  })

  it('counts a stop that has fired once, however often it has to ask for the next one', async () => {
    const stage = stageDesk({ depth: THIN })
    const first = stage.openDesk()
    first.start({ ...PROTECTED, type: 'limit', price: '66000' })
    await stage.advance(10_000)
    stage.market.setPrice('BTCUSDT', '59000')
    // The stop fires and fills in part; the process dies as it closes the rest.
    await stage.advance(2_000)
    first.desk.close()
    stage.killAll()
    let questions = 0
    const second = stage.openDesk({
      fetchOrder(ref) {
        questions += 1
        if (questions > 2 && questions < 5) return Promise.reject(new ExchangeError('network', 'no answer'))
        return stage.market.exchange.fetchOrder(ref)
      },
    })
    await second.desk.recover()
    await stage.advance(90_000)
    expect(await stage.positions()).toEqual([])
    expect(await stage.stops()).toEqual([])
    expect(openIntents(stage.lines)).toEqual([])
    expect(new Set(stage.sent).size).toBe(stage.sent.length)
  })

  it('tells nothing of what the one before had told', async () => {
    const stage = stageDesk()
    const first = stage.openDesk()
    first.start({ ...BUY, type: 'limit', price: '64000' })
    await stage.settle()
    first.desk.close()
    stage.killAll()
    const second = stage.openDesk()
    await second.desk.recover()
    expect(second.reports).toEqual([])
    stage.market.setPrice('BTCUSDT', '63990')
    await stage.advance(2000)
    expect(second.reports.map(({ type }) => type)).toEqual(['filled-later'])
  })

  it('refuses entries that depend on what was left, until it is settled', async () => {
    const stage = stageDesk()
    const first = stage.openDesk()
    await stage.market.exchange.paper.setFaults({ lostAnswers: 1 })
    first.start(BUY)
    await stage.settle()
    first.desk.close()
    stage.killAll()
    await stage.market.exchange.paper.setFaults({ lostQuestions: 1 })
    const second = stage.openDesk()
    await second.desk.recover()
    expect(second.desk.records.unsettled()).toHaveLength(1)
    const early = second.start(BUY)
    await stage.settle()
    expect(early.result).toBe('unsettled-order')
    await stage.market.exchange.paper.setFaults({})
    await stage.advance(1_000)
    const placing = second.start(BUY)
    await stage.settle()
    expect(placing.result).toBe('closed')
    expect(await stage.positions()).toMatchObject([{ amount: '0.02' }])
  })
})

describe('an account that is connected anew, in the same process', () => {
  it('has its resting entry followed, and its stop placed when it fills', async () => {
    const stage = stageDesk()
    const first = stage.openDesk()
    first.start({ ...PROTECTED, type: 'limit', price: '64000' })
    await stage.settle()
    first.desk.close()
    expect(await first.journal.accountsLeft()).toEqual(['paper'])
    const second = stage.openDesk({}, first.journal)
    await second.desk.recoverAgain()
    stage.market.setPrice('BTCUSDT', '63900')
    await stage.advance(2_000)
    expect(await stage.positions()).toMatchObject([{ amount: '0.01' }])
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
    expect(await first.journal.accountsLeft()).toEqual([])
  })

  it('takes no entry that depends on an order which got no answer before', async () => {
    const stage = stageDesk()
    const first = stage.openDesk()
    await stage.market.exchange.paper.setFaults({ lostOrders: 1 })
    first.start(BUY)
    await stage.settle()
    first.desk.close()
    const { desk, start } = stage.openDesk({}, first.journal)
    await desk.recover()
    const refused = start(BUY)
    await expect.poll(() => refused.result).toBe('unsettled-order')
    expect(stage.sent).toHaveLength(1)
  })

  it('sends nothing more through its old desk', async () => {
    const stage = stageDesk()
    const { desk, start } = stage.openDesk()
    desk.close()
    const late = start(PROTECTED)
    await stage.settle()
    expect([late.result, stage.sent]).toEqual(['unavailable', []])
  })
})

describe('a position that has been flat since its entry', () => {
  const NEXT = { ...BUY, amount: '0.03', protection: { triggerPrice: '59000', fires: 'at-or-below' } } as const
  const CLOSE = { ...BUY, side: 'sell', reduceOnly: true } as const
  const ends = (reports: readonly OrderEvent[]) =>
    reports.flatMap((event) => (event.type === 'ended' ? [event.outcome] : []))

  /** One process enters and is gone; another one, which has not taken the entry over, closes the position. */
  async function closeElsewhere() {
    const stage = stageDesk()
    const other = stage.openDesk()
    await other.desk.recover()
    const first = stage.openDesk()
    first.start(PROTECTED)
    await stage.settle()
    first.desk.close()
    stage.killAll()
    await stage.advance(10_000)
    other.start(CLOSE)
    await stage.settle()
    expect([await stage.positions(), await stage.stops()]).toEqual([[], []])
    return { stage, other }
  }

  it('brings no stop back on the next trade, which comes right after the start', async () => {
    const { stage, other } = await closeElsewhere()
    other.desk.close()
    const next = stage.openDesk()
    await next.desk.recover()
    next.start(NEXT)
    await stage.advance(20_000)
    expect(await stage.stops()).toMatchObject([{ amount: '0.03', triggerPrice: '59000' }])
    expect(ends(next.reports)).toEqual(['flat'])
    expect(next.problems).toEqual([])
  })

  it('brings no stop back on a trade that was there as the entry was taken over', async () => {
    const { stage, other } = await closeElsewhere()
    other.start(NEXT)
    await stage.settle()
    await other.desk.recoverAgain()
    await stage.advance(20_000)
    expect(await stage.stops()).toMatchObject([{ amount: '0.03', triggerPrice: '59000' }])
    expect(ends(other.reports)).toEqual(['flat'])
    expect(openIntents(stage.lines).filter(({ order }) => order.amount === '0.01')).toEqual([])
  })

  it('is no other one where a part was closed and bought again: the stop that was canceled at the venue is placed again', async () => {
    const stage = stageDesk()
    const { start, reports } = stage.openDesk()
    const placing = start(PROTECTED)
    await stage.settle()
    await stage.advance(10_000)
    for (const plan of [
      { ...CLOSE, amount: '0.006' },
      { ...BUY, amount: '0.006' },
    ] as const) {
      start(plan)
      await stage.settle()
    }
    await stage.advance(10_000)
    const [stop] = await stage.stops()
    await stage.market.exchange.cancelOrder(refOf(stop as Order))
    await stage.advance(10_000)
    expect(await stage.stops()).toMatchObject([{ amount: '0.01', triggerPrice: '60000' }])
    expect(ends([...reports, ...placing.events])).toEqual(['placed-again'])
  })
})
