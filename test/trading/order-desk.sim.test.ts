import { describe, expect, it } from 'vitest'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import { openIntents } from '../../src/trading/order-journal-lines.ts'
import { BUY, STOP, stageDesk } from './desk-stage.ts'

/** 260 USDT a second: four lots. */
const THIN = { valueAt: (_symbol: string, _side: string, level: number) => (level === 0 ? 260.1 : undefined) }
const PROTECTED = { ...BUY, protection: STOP }

describe('an order of known fate', () => {
  it('has its intent in the journal before it is sent, then its outcome and its fills', async () => {
    const stage = stageDesk()
    let linesWhenSent = 0
    const { market } = stage
    const { start } = stage.openDesk({
      createOrder(request) {
        linesWhenSent = stage.lines.length
        return market.exchange.createOrder(request)
      },
    })
    const placing = start(BUY)
    await stage.settle()
    expect(placing.result).toBe('closed')
    expect(placing.types()).toEqual(['filled'])
    expect(linesWhenSent).toBe(1)
    const written = stage.lines.map((line) => JSON.parse(line))
    expect(written.map(({ t }) => t)).toEqual(['intent', 'fill', 'outcome', 'end'])
    expect(openIntents(stage.lines)).toEqual([])
  })

  it('is not sent when its intent cannot be written', async () => {
    const stage = stageDesk()
    const { start } = stage.openDesk()
    stage.lines.push = () => {
      throw Object.assign(new Error('the disk is full'), { code: 'store-write-failed' })
    }
    const placing = start(BUY)
    await stage.settle()
    expect(placing.result).toBe('store-write-failed')
    expect(stage.sent).toEqual([])
  })

  it('that the venue refuses fails with the venue’s own code', async () => {
    const stage = stageDesk()
    const placing = stage.openDesk().start({ ...BUY, amount: '1000' })
    await stage.settle()
    expect(placing.result).toBe('insufficient-funds')
    expect(openIntents(stage.lines)).toEqual([])
  })

  it('tells fills that come later, each once, and its end', async () => {
    const stage = stageDesk()
    const placing = stage.openDesk().start({ ...BUY, type: 'limit', price: '64000' })
    await stage.settle()
    stage.market.setPrice('BTCUSDT', '63990')
    await stage.advance(2000)
    expect(placing.types()).toEqual(['rests', 'filled-later'])
    expect(openIntents(stage.lines)).toEqual([])
  })
})

describe('an order that got no answer', () => {
  it('is asked for by its id, found, and goes on as placed', async () => {
    const stage = stageDesk()
    const { start } = stage.openDesk()
    await stage.market.exchange.paper.setFaults({ lostAnswers: 1 })
    const placing = start(PROTECTED)
    await stage.settle()
    expect(placing.types()).toEqual(['unknown'])
    await stage.market.exchange.paper.setFaults({})
    await stage.advance(1000)
    expect(placing.result).toBe('closed')
    expect(placing.types()).toEqual(['unknown', 'settled', 'filled', 'protected'])
    expect(new Set(stage.sent).size).toBe(stage.sent.length)
    expect(await stage.positions()).toMatchObject([{ amount: '0.01' }])
    expect(await stage.stops()).toMatchObject([{ amount: '0.01', triggerPrice: '60000' }])
  })

  it('and never arrived is only known not to be there after a minute', async () => {
    const stage = stageDesk()
    const { start } = stage.openDesk()
    await stage.market.exchange.paper.setFaults({ lostOrders: 1 })
    const placing = start(PROTECTED)
    await stage.settle()
    await stage.advance(59_000)
    expect(placing.result).toBe(undefined)
    await stage.advance(3_000)
    expect(placing.result).toBe('order-rejected')
    expect(placing.events.at(-1)).toMatchObject({ type: 'settled', symbol: 'BTCUSDT' })
    expect(stage.sent).toHaveLength(1)
    expect(await stage.positions()).toEqual([])
  })

  it('blocks new entries of its symbol until it is settled, and neither other symbols nor exits', async () => {
    const stage = stageDesk()
    const { start, desk } = stage.openDesk()
    start(BUY)
    await stage.settle()
    await stage.market.exchange.paper.setFaults({ lostAnswers: 1, lostQuestions: 1 })
    const unknown = start(BUY)
    await stage.advance(65_000)
    expect(unknown.result).toBe('outcome-unknown')
    expect(desk.records.unsettled()).toMatchObject([{ order: { symbol: 'BTCUSDT' } }])
    await stage.market.exchange.paper.setFaults({ lostQuestions: 1 })
    const blocked = start(BUY)
    const other = start({ ...BUY, symbol: 'ETHUSDT', amount: '0.1' })
    const exit = start({ ...BUY, side: 'sell', reduceOnly: true })
    await stage.settle()
    expect([blocked.result, other.result, exit.result]).toEqual(['unsettled-order', 'closed', 'closed'])
    await stage.market.exchange.paper.setFaults({})
    await stage.advance(1_000)
    const free = start(BUY)
    await stage.settle()
    expect(free.result).toBe('closed')
    expect(unknown.types()).toEqual(['unknown', 'settled', 'filled'])
    expect(new Set(stage.sent).size).toBe(stage.sent.length)
  })

  it('is asked about again by itself, and its stop goes in when it is found at last', async () => {
    const stage = stageDesk()
    const { start, desk } = stage.openDesk()
    await stage.market.exchange.paper.setFaults({ lostAnswers: 1, lostQuestions: 1 })
    const placing = start(PROTECTED)
    await stage.advance(65_000)
    expect(placing.result).toBe('outcome-unknown')
    await stage.market.exchange.paper.setFaults({})
    await stage.advance(31_000)
    expect(desk.records.unsettled()).toEqual([])
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
  })
})

describe('a protective stop', () => {
  it('is one, amended to what has filled', async () => {
    const stage = stageDesk({ depth: THIN })
    const placing = stage.openDesk().start({ ...PROTECTED, type: 'limit', price: '66000' })
    await stage.settle()
    await stage.advance(5_000)
    const held = (await stage.positions())[0]?.amount
    expect(await stage.stops()).toMatchObject([{ amount: held }])
    expect(placing.types().filter((type) => type === 'protected').length).toBeGreaterThan(1)
    await stage.advance(10_000)
    expect(await stage.positions()).toMatchObject([{ amount: '0.01' }])
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
  })

  it('is replaced where the venue cannot change orders, the new one first', async () => {
    const stage = stageDesk({ depth: THIN })
    const { capabilities } = stage.market.exchange
    const { start } = stage.openDesk({ capabilities: { ...capabilities, editOrder: false } })
    start({ ...PROTECTED, type: 'limit', price: '66000' })
    await stage.advance(15_000)
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
  })

  it('that fires into a thin book closes what is left as the book fills up again', async () => {
    const stage = stageDesk({ depth: THIN })
    stage.openDesk().start({ ...PROTECTED, type: 'limit', price: '66000' })
    await stage.advance(10_000)
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
    stage.market.setPrice('BTCUSDT', '59000')
    await stage.advance(15_000)
    expect(await stage.positions()).toEqual([])
    expect(openIntents(stage.lines)).toEqual([])
    expect(new Set(stage.sent).size).toBe(stage.sent.length)
  })

  it('is not placed again when the operator cancels it', async () => {
    const stage = stageDesk()
    const { start, desk, by } = stage.openDesk()
    start(PROTECTED)
    await stage.settle()
    const [stop] = await stage.stops()
    await desk.cancel({ symbol: 'BTCUSDT', id: stop?.id ?? '' }, by())
    await stage.advance(60_000)
    expect(await stage.stops()).toEqual([])
    expect(openIntents(stage.lines)).toEqual([])
  })

  it('that is refused for a reason that passes is tried again', async () => {
    const stage = stageDesk()
    let refusals = 0
    const { exchange } = stage.market
    const { start } = stage.openDesk({
      createOrder(request) {
        if (request.type !== 'stop' || refusals++ > 0) return exchange.createOrder(request)
        return Promise.resolve({ kind: 'refused', error: new ExchangeError('unavailable', 'maintenance') })
      },
    })
    const placing = start(PROTECTED)
    await stage.settle()
    expect(placing.result).toBe('stop-failed')
    await stage.advance(31_000)
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
    expect(placing.types()).toEqual(['filled', 'protected'])
  })

  it('that got no answer is found, and there is still only one', async () => {
    const stage = stageDesk()
    const { start } = stage.openDesk()
    // The second request is the stop.
    await stage.market.exchange.paper.setFaults({ lostAnswers: 2 })
    const placing = start(PROTECTED)
    await stage.settle()
    expect(placing.types()).toEqual(['filled', 'unknown'])
    await stage.advance(1000)
    expect(placing.result).toBe('closed')
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
  })
})
