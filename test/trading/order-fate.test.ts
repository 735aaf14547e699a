// What became of an order is found out, and never guessed (behaviour 37): venues that acknowledge by an id alone, forget what has ended, list
// positions late, and name no order in their fills.
import { describe, expect, it } from 'vitest'
import { type Distance, distantVenue } from '../../harness/venues/distant.ts'
import type { Exchange } from '../../src/exchange/exchange.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import { openIntents } from '../../src/trading/order-journal-lines.ts'
import { BUY, STOP, stageDesk } from './desk-stage.ts'

const PROTECTED = { ...BUY, protection: STOP }
const LOST = () => new ExchangeError('outcome-unknown', 'no answer')
const AWAY = () => new ExchangeError('network', 'no answer')

type Stage = ReturnType<typeof stageDesk>

/** The first order arrives and its answer is lost; the venue answers nothing for so long after that. */
function losingFirst(stage: Stage, distance: Omit<Distance, 'now'>, { arrives = true, awayMs = 0 } = {}): Exchange {
  const far = distantVenue(stage.market.exchange, { now: stage.market.now, ...distance })
  let lostAt: number | undefined
  const ask = <T>(answer: () => Promise<T>): Promise<T> =>
    lostAt !== undefined && stage.market.now() - lostAt < awayMs ? Promise.reject(AWAY()) : answer()
  return {
    ...far,
    async createOrder(request) {
      if (lostAt !== undefined) return far.createOrder(request)
      lostAt = stage.market.now()
      if (arrives) await far.createOrder(request)
      return { kind: 'unknown', error: LOST() }
    },
    fetchOrder: (ref) => ask(() => far.fetchOrder(ref)),
    fetchOpenOrders: (symbol) => ask(() => far.fetchOpenOrders(symbol)),
    fetchMyTrades: (query) => ask(() => far.fetchMyTrades(query)),
  }
}

const outcomes = ({ lines }: Stage) => lines.map((line) => JSON.parse(line)).filter(({ t }) => t === 'outcome')

describe('an order whose answer was lost, at a venue that forgets ended orders after a minute', () => {
  const FORGETS = { findableMs: 60_000 }

  it('is found by its fills after an outage of 61 s, and has its stop', async () => {
    const stage = stageDesk()
    const { start, desk } = stage.openDesk(losingFirst(stage, FORGETS, { awayMs: 70_000 }))
    const placing = start(PROTECTED)
    await stage.settle()
    await stage.advance(100_000)
    expect(placing.types().slice(0, 2)).toEqual(['unknown', 'settled'])
    expect(placing.events[1]).toMatchObject({ order: { filled: '0.01', status: 'closed' } })
    expect(desk.records.unsettled()).toEqual([])
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
  })

  it('is not called never-arrived where an unnamed fill may be its own: it blocks entries, and neither exits nor stops', async () => {
    const stage = stageDesk()
    const venue = losingFirst(stage, { ...FORGETS, dropsNames: true }, { awayMs: 70_000 })
    const { start, desk } = stage.openDesk(venue)
    const placing = start(PROTECTED)
    await stage.settle()
    await stage.advance(100_000)
    expect(placing.result).toBe('outcome-unknown')
    const [unsettled] = desk.records.unsettled()
    expect(unsettled).toMatchObject({ why: { kind: 'fills', orderIds: ['p1'] } })
    expect(placing.events.at(-1)).toMatchObject({
      type: 'unsettled',
      error: { hint: expect.stringContaining(`orders settle ${unsettled?.id} never`) },
    })
    const [entry, exit] = [start(BUY), start({ ...BUY, side: 'sell', reduceOnly: true, amount: '0.001' })]
    await stage.settle()
    expect([entry.result, exit.result]).toEqual(['unsettled-order', 'closed'])
  })

  it('is a person’s to settle, as placed: its stop goes in', async () => {
    const stage = stageDesk()
    const venue = losingFirst(stage, { ...FORGETS, dropsNames: true }, { awayMs: 70_000 })
    const { start, desk } = stage.openDesk(venue)
    start(PROTECTED)
    await stage.settle()
    await stage.advance(100_000)
    const [unsettled] = desk.records.unsettled()
    if (unsettled === undefined) throw new Error('it is settled')
    await expect(desk.settleByHand(unsettled, 'p7')).rejects.toMatchObject({ code: 'order-not-found' })
    expect(await desk.settleByHand(unsettled, 'p1')).toMatchObject({ filled: '0.01' })
    await stage.settle()
    expect(desk.records.unsettled()).toEqual([])
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
  })

  it('is a person’s to settle, as never arrived: entries go out again', async () => {
    const stage = stageDesk()
    const venue = losingFirst(stage, { ...FORGETS, dropsNames: true }, { arrives: false, awayMs: 70_000 })
    const { start, desk } = stage.openDesk(venue)
    start(PROTECTED)
    await stage.settle()
    await stage.advance(100_000)
    const [unsettled] = desk.records.unsettled()
    if (unsettled === undefined) throw new Error('it is settled')
    expect(unsettled).toMatchObject({ why: { kind: 'forgotten' } })
    await desk.settleByHand(unsettled, undefined)
    const next = start(BUY)
    await stage.settle()
    expect([next.result, desk.records.unsettled()]).toEqual(['closed', []])
  })

  it('never arrived where it was missed in time, and nothing rests, filled or moved', async () => {
    const stage = stageDesk()
    const venue = losingFirst(stage, { ...FORGETS, knowsPositions: true, lateMs: 5_000 }, { arrives: false })
    const { start, desk } = stage.openDesk(venue)
    const placing = start(PROTECTED)
    await stage.settle()
    await stage.advance(59_000)
    expect(placing.result).toBe(undefined)
    await stage.advance(3_000)
    expect([placing.result, desk.records.unsettled()]).toEqual(['order-rejected', []])
    expect(outcomes(stage).at(-1)).toMatchObject({ outcome: 'refused', code: 'never-arrived' })
  })

  it('never arrived though a stranger bought meanwhile: the venue says of that order that it is another', async () => {
    const stage = stageDesk()
    const venue = losingFirst(stage, { ...FORGETS, dropsNames: true }, { arrives: false })
    const { start, desk } = stage.openDesk(venue)
    const placing = start(BUY)
    await stage.settle()
    await stage.market.exchange.createOrder({ ...BUY, clientOrderId: 'f'.repeat(32), amount: '0.004' })
    await stage.advance(62_000)
    expect([placing.result, desk.records.unsettled()]).toEqual(['order-rejected', []])
  })

  it('is unsettled where more has filled since than can be read', async () => {
    const stage = stageDesk()
    const far = losingFirst(stage, FORGETS, { arrives: false })
    const fill = { orderId: 'p9', symbol: 'BTCUSDT', side: 'sell', amount: '1', price: '65000', timestamp: 0 } as const
    const { start, desk } = stage.openDesk({
      ...far,
      fetchMyTrades: async () => Array.from({ length: 500 }, (_, index) => ({ ...fill, id: String(index) })),
    })
    start(BUY)
    await stage.settle()
    await stage.advance(62_000)
    expect(desk.records.unsettled()).toMatchObject([{ why: { kind: 'too-many-fills' } }])
  })

  it('is unsettled where the position has changed and no fill says why', async () => {
    const stage = stageDesk()
    const far = losingFirst(stage, { ...FORGETS, knowsPositions: true }, { awayMs: 1_000 })
    const { start, desk } = stage.openDesk({
      ...far,
      fetchOrder: () => Promise.reject(new ExchangeError('order-not-found', 'no such order')),
      fetchMyTrades: async () => [],
    })
    const placing = start(BUY)
    await stage.settle()
    await stage.advance(62_000)
    expect(placing.result).toBe('outcome-unknown')
    expect(desk.records.unsettled()).toMatchObject([{ why: { kind: 'position', amount: '0.01' } }])
  })
})

describe('an unsettled order, for another process', () => {
  const unsettledStage = async () => {
    const stage = stageDesk()
    const venue = losingFirst(stage, { findableMs: 60_000, dropsNames: true }, { arrives: false, awayMs: 70_000 })
    const first = stage.openDesk(venue)
    first.start(BUY)
    await stage.settle()
    await stage.advance(100_000)
    return { stage, first, venue }
  }

  it('that starts after a crash: it is unsettled still', async () => {
    const { stage, first, venue } = await unsettledStage()
    first.desk.close()
    stage.killAll()
    const second = stage.openDesk(venue)
    await second.desk.recover()
    const entry = second.start(BUY)
    await stage.settle()
    expect(entry.result).toBe('unsettled-order')
    expect(second.desk.records.unsettled()).toMatchObject([{ why: { kind: 'forgotten' } }])
    expect(second.reports).toMatchObject([{ type: 'unsettled' }])
  })

  it('that lives beside it: its entries are refused too, and what is said there is read by the first', async () => {
    const { stage, first, venue } = await unsettledStage()
    for (const [index, line] of stage.lines.entries()) {
      stage.lines[index] = line.replace(/"owner":\{[^}]*\}/, `"owner":${JSON.stringify({ pid: process.ppid })}`)
    }
    const second = stage.openDesk(venue)
    const entry = second.start(BUY)
    const other = second.start({ ...BUY, symbol: 'ETHUSDT', amount: '0.1' })
    await stage.settle()
    expect([entry.result, other.result]).toEqual(['unsettled-order', 'closed'])
    const [unsettled] = await second.desk.records.unsettledAnywhere()
    if (unsettled === undefined) throw new Error('it is not seen')
    await second.desk.settleByHand(unsettled, undefined)
    const [again, there] = [second.start(BUY), first.start(BUY)]
    await stage.settle()
    expect([again.result, there.result]).toEqual(['closed', 'closed'])
  })
})

describe('a placed order that the venue no longer lists', () => {
  const RESTING = { ...PROTECTED, type: 'limit', price: '64000' } as const
  const GONE = { findableMs: 60_000, forgetsIds: true }

  async function afterDeath(happens: (stage: Stage) => Promise<void>) {
    const stage = stageDesk()
    const far = distantVenue(stage.market.exchange, { now: stage.market.now, ...GONE })
    const first = stage.openDesk(far)
    first.start(RESTING)
    await stage.settle()
    first.desk.close()
    stage.killAll()
    await happens(stage)
    await stage.advance(100_000)
    const second = stage.openDesk(far)
    await second.desk.recover()
    await stage.advance(2_000)
    return { stage, second }
  }

  it('has filled, by its fills: its stop is placed, and the journal has the end and the fills', async () => {
    const { stage, second } = await afterDeath(async ({ market, advance }) => {
      market.setPrice('BTCUSDT', '63900')
      await advance(2_000)
    })
    expect(second.reports.map(({ type }) => type)).toEqual(['filled-meanwhile', 'protected'])
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
    const written = stage.lines.map((line) => JSON.parse(line))
    expect(written.filter(({ t }) => t === 'end')).toMatchObject([{ status: 'closed', filled: '0.01' }])
    expect(written.filter(({ t }) => t === 'fill')).toHaveLength(1)
  })

  it('was canceled, by its silence: it is over, and blocks nothing', async () => {
    const { stage, second } = await afterDeath(async ({ market }) => {
      await market.exchange.cancelAllOrders()
    })
    expect(openIntents(stage.lines)).toEqual([])
    const entry = second.start(BUY)
    await stage.settle()
    expect(entry.result).toBe('closed')
  })
})

describe('a failure in the middle of sending', () => {
  it('is an unknown outcome: the order is asked for, and has its stop', async () => {
    const stage = stageDesk()
    let isFirst = true
    const { exchange } = stage.market
    const { start } = stage.openDesk({
      async createOrder(request) {
        const outcome = await exchange.createOrder(request)
        if (!isFirst) return outcome
        isFirst = false
        throw new TypeError('cannot read the answer')
      },
    })
    const placing = start(PROTECTED)
    await stage.settle()
    expect(outcomes(stage)).toMatchObject([{ outcome: 'unknown' }])
    await stage.advance(1_000)
    expect(placing.result).toBe('closed')
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
  })
})

describe('an order of a task that the venue no longer lists', () => {
  it('is what its fills say, and not simply over', async () => {
    const stage = stageDesk()
    const { desk, by } = stage.openDesk()
    const plan = { ...BUY, type: 'limit', price: '64000' } as const
    const sentAt = stage.market.now()
    const order = await desk.place(plan, by(), () => {})
    stage.market.setPrice('BTCUSDT', '63900')
    await stage.advance(62_000)
    const far = stage.openDesk(
      distantVenue(stage.market.exchange, { now: stage.market.now, findableMs: 1_000, forgetsIds: true }),
    )
    expect(await far.desk.records.fateOf(order, plan, sentAt)).toMatchObject({ status: 'closed', filled: '0.01' })
    const silent = stage.openDesk({ fetchOrder: () => Promise.reject(AWAY()) })
    expect(await silent.desk.records.fateOf(order, plan, sentAt)).toBe(undefined)
  })
})
