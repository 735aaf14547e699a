// Protective orders whose position is gone, on a venue that leaves them resting. The market here would take them back by itself: a second position,
// which the venue's list does not show, keeps it from that.
import { describe, expect, it } from 'vitest'
import type { Exchange, ExchangeEvent } from '../../src/exchange/exchange.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import { openIntents } from '../../src/trading/order-journal-lines.ts'
import { BUY, STOP, stageDesk } from './desk-stage.ts'

const PROTECTED = { ...BUY, protection: STOP }
const SELL = { ...BUY, side: 'sell', reduceOnly: true } as const
const TWO = { triggerPrice: '60000', takeProfitPrice: '70000', fires: 'at-or-below' } as const

async function stageFlat() {
  const stage = stageDesk()
  const { exchange } = stage.market
  const venue = {
    held: [] as { readonly symbol: string; readonly side: 'long' | 'short' }[],
    asked: 0,
    stream: 'live' as Exchange['stream'],
    fails: undefined as ExchangeError | undefined,
    cancelFails: false,
    tell: (_event: ExchangeEvent) => {},
  }
  const more: Partial<Exchange> = {
    capabilities: { ...exchange.capabilities, oco: false },
    // Entries know that they meet nothing, and ask for no positions.
    knownPositions: () => [],
    async fetchPositions() {
      venue.asked += 1
      if (venue.fails !== undefined) throw venue.fails
      return venue.held as never
    },
    async cancelOrder(ref) {
      if (venue.cancelFails) throw new ExchangeError('unavailable', 'try again later')
      return exchange.cancelOrder(ref)
    },
    subscribe(handler) {
      venue.tell = handler
      return exchange.subscribe(handler)
    },
  }
  Object.defineProperty(more, 'stream', { get: () => venue.stream, enumerable: true })
  const other = stage.openDesk()
  other.start({ ...BUY, amount: '0.5' })
  await stage.settle()
  const open = () => stage.openDesk(more)
  const desk = open()
  const resting = async () =>
    (await exchange.fetchOpenOrders()).map(({ type, amount, triggerPrice }) => `${type} ${amount} ${triggerPrice}`)
  const enter = async (plan: Parameters<typeof desk.start>[0] = PROTECTED, on = desk) => {
    const placing = on.start(plan)
    await stage.settle()
    return placing
  }
  return { ...stage, ...desk, venue, open, resting, enter }
}

const HELD = { symbol: 'BTCUSDT', side: 'long' } as const

describe('protective orders of a position that is gone', () => {
  it('are taken back as a whole exit has filled, are told, and leave nothing open in the journal', async () => {
    const { desk, enter, resting, start, settle, lines } = await stageFlat()
    const entry = await enter({ ...BUY, protection: TWO })
    expect(await resting()).toEqual(['stop 0.01 60000', 'take-profit 0.01 70000'])
    start(SELL)
    await settle()
    await desk.leftovers.exited(SELL, () => {})
    expect(await resting()).toEqual([])
    const told = entry.events.filter(({ type }) => type === 'withdrawn')
    expect(told).toMatchObject([{ order: { type: 'stop' }, isFlat: true }, { order: { type: 'take-profit' } }])
    expect(lines.filter((line) => line.includes('"change":"canceled"'))).toHaveLength(2)
    expect(openIntents(lines)).toEqual([])
  })

  it('are taken back when the account tells of a fill against them and the venue lists no position', async () => {
    const { enter, resting, start, advance, settle } = await stageFlat()
    await enter()
    await advance(3_000)
    start({ ...SELL, reduceOnly: false })
    await settle()
    expect(await resting()).toEqual(['stop 0.01 60000'])
    await advance(3_000)
    expect(await resting()).toEqual([])
  })

  it('stay while the venue lists the position, and are not asked about for ever', async () => {
    const { enter, resting, start, advance, venue } = await stageFlat()
    await enter()
    venue.held = [HELD]
    start({ ...SELL, amount: '0.004' })
    await advance(60_000)
    expect(await resting()).toEqual(['stop 0.01 60000'])
    expect(venue.asked).toBe(3)
  })

  it('cover no more than is left where the venue has taken a part by force, and all of it where a person has sold that', async () => {
    const { enter, resting, advance, venue } = await stageFlat()
    await enter({ ...BUY, protection: TWO })
    await advance(6_000)
    venue.held = [{ ...HELD, amount: '0.004' } as never]
    const fill = {
      symbol: 'BTCUSDT',
      side: 'sell',
      amount: '0.006',
      price: '65000',
      orderId: 'x',
      timestamp: 0,
    } as const
    venue.tell({ type: 'trade', trade: { ...fill, id: 't1' } })
    await advance(10_000)
    expect(await resting()).toEqual(['stop 0.01 60000', 'take-profit 0.01 70000'])
    venue.tell({ type: 'trade', trade: { ...fill, id: 't2', cause: 'deleveraging' } })
    await advance(10_000)
    expect(await resting()).toEqual(['stop 0.004 60000', 'take-profit 0.004 70000'])
  })

  it('stay, and the venue is not asked, while nothing has filled against them', async () => {
    const { enter, resting, advance, venue } = await stageFlat()
    await enter()
    await enter(BUY)
    await advance(60_000)
    expect([await resting(), venue.asked]).toEqual([['stop 0.01 60000'], 0])
  })

  it('are not judged by a list that may be older than their entry', async () => {
    const { enter, resting, start, advance, venue } = await stageFlat()
    await enter()
    start({ ...SELL, amount: '0.004' })
    await advance(1_000)
    expect([await resting(), venue.asked]).toEqual([['stop 0.01 60000'], 0])
  })

  it('stay while the list of positions lags 5 s behind the fill of their entry', async () => {
    const { enter, resting, start, advance, venue } = await stageFlat()
    await enter()
    await advance(2_000)
    start({ ...SELL, amount: '0.004' })
    await advance(2_900)
    venue.held = [HELD]
    await advance(30_000)
    expect(await resting()).toEqual(['stop 0.01 60000'])
  })

  it('are taken back while the rest of their entry waits, and come again with its next fill', async () => {
    const { desk, enter, resting, start, settle, advance, market, venue } = await stageFlat()
    await enter({ ...PROTECTED, type: 'limit', price: '64000', amount: '0.02' })
    await market.exchange.paper.setFaults({ partialFills: 1 })
    market.setPrice('BTCUSDT', '63990')
    await advance(1_000)
    await market.exchange.paper.setFaults({})
    market.setPrice('BTCUSDT', '65000')
    const [limit, stop] = await resting()
    expect([limit?.startsWith('limit'), stop?.startsWith('stop 0.0')]).toEqual([true, true])
    start(SELL)
    await settle()
    await desk.leftovers.exited(SELL, () => {})
    expect((await resting()).map((each) => each.split(' ')[0])).toEqual(['limit'])
    venue.held = [HELD]
    market.setPrice('BTCUSDT', '63990')
    await advance(2_000)
    const filledFirst = Number(stop?.split(' ')[1])
    expect(await resting()).toEqual([`stop ${Number((0.02 - filledFirst).toFixed(3))} 60000`])
  })

  it('stay while the account is stale, and go when the gap is read again', async () => {
    const { desk, enter, resting, advance, venue } = await stageFlat()
    await enter()
    await advance(3_000)
    venue.stream = 'stale'
    await desk.leftovers.exited(SELL, () => {})
    await advance(60_000)
    expect([await resting(), venue.asked]).toEqual([['stop 0.01 60000'], 0])
    venue.stream = 'live'
    venue.tell({ type: 'stream', state: 'resynced' })
    await advance(2_000)
    expect(await resting()).toEqual([])
  })

  it('stay while the positions cannot be read, and go when they can', async () => {
    const { desk, enter, resting, advance, venue, problems } = await stageFlat()
    await enter()
    venue.fails = new ExchangeError('network', 'no answer')
    await desk.leftovers.exited(SELL, () => {})
    expect(await resting()).toEqual(['stop 0.01 60000'])
    venue.fails = undefined
    await advance(31_000)
    expect([await resting(), problems]).toEqual([[], []])
  })

  it('stay while the fate of another entry is unknown, and while the position is its own', async () => {
    const { desk, enter, resting, advance, venue, market, settle } = await stageFlat()
    await enter()
    await market.exchange.paper.setFaults({ lostAnswers: 1 })
    const lost = await enter(PROTECTED)
    expect(lost.types()).toEqual(['unknown'])
    await desk.leftovers.exited(SELL, () => {})
    expect([(await resting()).length, venue.asked]).toEqual([1, 0])
    await market.exchange.paper.setFaults({})
    venue.held = [HELD]
    await advance(40_000)
    await settle()
    expect(lost.types()).toContain('settled')
    expect(await resting()).toEqual(['stop 0.01 60000', 'stop 0.01 60000'])
    venue.held = []
    await desk.leftovers.exited(SELL, () => {})
    expect(await resting()).toEqual([])
  })

  it('go before the next entry is sent, which keeps its own', async () => {
    const { desk, enter, resting, start, settle, venue, sent } = await stageFlat()
    await enter()
    venue.held = [HELD]
    // The venue lists the position a moment longer.
    await desk.leftovers.exited(SELL, () => {})
    venue.held = []
    const before = sent.length
    start({ ...PROTECTED, amount: '0.02' })
    await settle()
    expect(sent.length).toBe(before + 2)
    expect(await resting()).toContain('stop 0.02 60000')
  })

  it('of an entry that was sent after the question stay', async () => {
    const { desk, enter, resting, settle, venue, start, market } = await stageFlat()
    await enter()
    let answer = () => {}
    const asked = new Promise<void>((resolve) => {
      answer = resolve
    })
    const exited = desk.leftovers.exited(SELL, () => {})
    Object.defineProperty(venue, 'held', { get: () => asked.then(() => []), configurable: true })
    const next = start({ ...PROTECTED, amount: '0.02' })
    answer()
    await exited
    await settle()
    expect(next.result).toBe('closed')
    expect(await resting()).toEqual(['stop 0.02 60000'])
    expect(await market.exchange.fetchOpenOrders()).toHaveLength(1)
  })

  it('are taken back by the next process where one died in between', async () => {
    const { desk, enter, resting, start, settle, open, killAll, advance, lines } = await stageFlat()
    await enter()
    start(SELL)
    await settle()
    desk.close()
    killAll()
    const next = open()
    await next.desk.recover()
    expect(await resting()).toEqual(['stop 0.01 60000'])
    await advance(6_000)
    expect(await resting()).toEqual([])
    expect(next.reports.filter(({ type }) => type === 'withdrawn')).toMatchObject([{ isFlat: true }])
    expect(openIntents(lines)).toEqual([])
  })

  it('that cannot be taken back are told, and tried again', async () => {
    const { desk, enter, resting, advance, venue } = await stageFlat()
    const entry = await enter()
    venue.cancelFails = true
    await desk.leftovers.exited(SELL, () => {})
    expect(entry.events.at(-1)).toMatchObject({
      type: 'stop-failed',
      error: { message: 'BTCUSDT is flat, and what protected it still rests: try again later' },
    })
    expect(await resting()).toEqual(['stop 0.01 60000'])
    venue.cancelFails = false
    await advance(31_000)
    expect([entry.types().at(-1), await resting()]).toEqual(['withdrawn', []])
  })

  it('that were typed by a person are told and stay', async () => {
    const { desk, enter, resting } = await stageFlat()
    await enter({ ...SELL, type: 'stop', triggerPrice: '55000' })
    const told: unknown[] = []
    await desk.leftovers.exited(SELL, (event) => void told.push(event))
    expect(told).toMatchObject([{ type: 'still-rests', order: { triggerPrice: '55000' } }])
    expect(await resting()).toEqual(['stop 0.01 55000'])
  })
})
