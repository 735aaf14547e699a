// How requests reach the account: together in one write, through faults, and into a store that may fail.
import { describe, expect, it } from 'vitest'
import { newOrderId, place } from '../../../harness/venues/place.ts'
import { createScriptedMarket } from '../../../harness/venues/scripted-market.ts'
import type { PaperFaults } from '../../../src/exchanges/paper/paper-controls.ts'

const buy = { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.001' } as const
const request = () => ({ ...buy, clientOrderId: newOrderId() })

describe('orders that come together', () => {
  it('share one write, each with its own outcome, in the order they came', async () => {
    const { exchange, store } = createScriptedMarket()
    const requests = Array.from({ length: 100 }, (_, index) => ({ ...request(), amount: index === 50 ? '0' : '0.001' }))
    const outcomes = await Promise.all(requests.map((each) => exchange.createOrder(each)))
    expect(store.writes).toBe(1)
    expect(outcomes[50]).toMatchObject({ kind: 'refused', error: { code: 'invalid-order' } })
    const placed = outcomes.flatMap((outcome) => (outcome.kind === 'placed' ? [outcome.order.id] : []))
    expect(placed).toEqual(Array.from({ length: 99 }, (_, index) => `p${index + 1}`))
  })

  it('with the same id are placed once', async () => {
    const { exchange } = createScriptedMarket()
    const same = request()
    const kinds = (await Promise.all([exchange.createOrder(same), exchange.createOrder(same)])).map(({ kind }) => kind)
    expect(kinds).toEqual(['placed', 'refused'])
    expect(await exchange.fetchPositions()).toMatchObject([{ amount: '0.001' }])
  })

  it('are told to subscribers once each, though one write makes more than the state keeps', async () => {
    const { exchange, store } = createScriptedMarket({ balance: '1000000' })
    const told: string[] = []
    exchange.subscribe((event) => event.type === 'trade' && told.push(event.trade.id))
    await Promise.all(
      Array.from({ length: 1200 }, (_, index) => place(exchange, { ...buy, side: index % 2 ? 'sell' : 'buy' })),
    )
    expect(told).toEqual(Array.from({ length: 1200 }, (_, index) => `t${index + 1}`))
    expect(store.writes).toBe(3)
  })
})

describe('a store that fails', () => {
  it('before anything was stored leaves orders refused as unavailable, with the cause', async () => {
    const { exchange, store } = createScriptedMarket()
    store.failure = new Error('disk full')
    const each = request()
    for (const outcome of await Promise.all([exchange.createOrder(each), exchange.createOrder(request())])) {
      expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'unavailable', cause: store.failure } })
    }
    await expect(exchange.setLeverage('BTCUSDT', '5')).rejects.toMatchObject({ code: 'unavailable' })
    store.failure = undefined
    expect(await exchange.createOrder(each)).toMatchObject({ kind: 'placed' })
  })

  it('after it may have been stored leaves them unknown, to be asked for', async () => {
    const { exchange, store } = createScriptedMarket()
    store.failure = new Error('sync failed')
    store.failsAfterWriting = true
    const { clientOrderId, ...rest } = request()
    expect(await exchange.createOrder({ clientOrderId, ...rest })).toMatchObject({
      kind: 'unknown',
      error: { code: 'outcome-unknown', clientOrderId, cause: store.failure },
    })
    await expect(exchange.setLeverage('BTCUSDT', '5')).rejects.toMatchObject({ code: 'outcome-unknown' })
    store.failure = undefined
    expect(await exchange.fetchOrder({ symbol: 'BTCUSDT', clientOrderId })).toMatchObject({ status: 'closed' })
  })
})

describe('faults', () => {
  async function outcomes(faults: PaperFaults, count: number) {
    const market = createScriptedMarket()
    await market.exchange.paper.setFaults(faults)
    const got: string[] = []
    for (let made = 0; made < count; made += 1) {
      const outcome = await market.exchange.createOrder(request())
      got.push(outcome.kind === 'placed' ? 'placed' : outcome.error.code)
    }
    const [position] = await market.exchange.fetchPositions().catch(() => [])
    return { got: got.join(' '), amount: position?.amount }
  }

  it.each<[PaperFaults, string, string]>([
    [{ lostAnswers: 2 }, 'placed outcome-unknown placed outcome-unknown', '0.004'],
    [{ lostOrders: 2 }, 'placed outcome-unknown placed outcome-unknown', '0.002'],
    [{ refusals: 3 }, 'placed placed unavailable placed', '0.003'],
    [{ rateLimits: 4 }, 'placed placed placed rate-limited', '0.003'],
    [{ lostOrders: 2, refusals: 3 }, 'placed outcome-unknown unavailable outcome-unknown', '0.001'],
  ])('%j: %s', async (faults, got, amount) => {
    expect(await outcomes(faults, 4)).toEqual({ got, amount })
  })

  it('meet edits, cancels and leverage as well, which then may have been done', async () => {
    const { exchange } = createScriptedMarket()
    const { id } = await place(exchange, { ...buy, type: 'limit', price: '60000' })
    const ref = { symbol: 'BTCUSDT', id }
    await exchange.paper.setFaults({ lostAnswers: 1 })
    expect(await exchange.editOrder(ref, { price: '61000' })).toMatchObject({ kind: 'unknown' })
    expect(await exchange.fetchOrder(ref)).toMatchObject({ price: '61000' })
    await expect(exchange.setLeverage('BTCUSDT', '5')).rejects.toMatchObject({ code: 'outcome-unknown' })
    await expect(exchange.cancelOrder(ref)).rejects.toMatchObject({ code: 'outcome-unknown' })
    expect(await exchange.fetchOrder(ref)).toMatchObject({ status: 'canceled' })
    await expect(exchange.cancelAllOrders()).rejects.toMatchObject({ code: 'outcome-unknown' })
  })

  it('say when to ask again, and lose questions', async () => {
    const { exchange } = createScriptedMarket()
    await exchange.paper.setFaults({ rateLimits: 1 })
    await expect(exchange.fetchBalances()).rejects.toMatchObject({ code: 'rate-limited', retryAfterMs: 1000 })
    await exchange.paper.setFaults({ lostQuestions: 2 })
    const answers = await Promise.allSettled([exchange.fetchBalances(), exchange.fetchPositions()])
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('let time pass before a request arrives: it meets the market of then', async () => {
    const market = createScriptedMarket()
    await market.exchange.paper.setFaults({ latencyMs: 2000 })
    const outcome = market.exchange.createOrder(request())
    market.setPrice('BTCUSDT', '66000')
    await market.advance(2000)
    expect(await outcome).toMatchObject({ order: { average: '66000.1', timestamp: market.now() } })
  })

  it('are those of the account: another process and a restart meet them', async () => {
    const market = createScriptedMarket()
    await market.exchange.paper.setFaults({ refusals: 1 })
    const other = market.openExchange()
    expect(other.paper.faults()).toEqual({ refusals: 1 })
    await expect(place(other, buy)).rejects.toMatchObject({ code: 'unavailable' })
  })
})
