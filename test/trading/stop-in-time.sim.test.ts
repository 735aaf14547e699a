import { describe, expect, it } from 'vitest'
import { defined } from '../../src/base/defined.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import { BUY, STOP, stageDesk } from './desk-stage.ts'

const PROTECTED = { ...BUY, protection: STOP }

describe('a protective stop', () => {
  it.each([
    ['soon', undefined, 1_000],
    ['when the venue says that it may', 7_000, 7_000],
  ])('that is refused for a reason that passes is tried again %s', async (_when, retryAfterMs, wait) => {
    const stage = stageDesk()
    let refusals = 0
    const { exchange } = stage.market
    const { start } = stage.openDesk({
      createOrder(request) {
        if (request.type !== 'stop' || refusals++ > 0) return exchange.createOrder(request)
        const options = defined({ retryAfterMs })
        return Promise.resolve({ kind: 'refused', error: new ExchangeError('rate-limited', 'too many', options) })
      },
    })
    start(PROTECTED)
    await stage.settle()
    await stage.advance(wait - 100)
    expect(await stage.stops()).toEqual([])
    await stage.advance(100)
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
  })

  it('waits neither for the fills of its entry to be listed nor, for more than a second, for the price', async () => {
    const stage = stageDesk()
    const never = () => new Promise<never>(() => {})
    const { start } = stage.openDesk({ fetchMyTrades: never, fetchTicker: never })
    start(PROTECTED)
    await stage.settle()
    await stage.advance(1_000)
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
  })

  it('whose answer is lost and that the venue does not have is urgent news within 10 s, and is placed anew once it cannot arrive any more', async () => {
    const stage = stageDesk()
    const { exchange } = stage.market
    let isLost = true
    const { start } = stage.openDesk({
      createOrder(request) {
        if (request.type !== 'stop' || !isLost) return exchange.createOrder(request)
        isLost = false
        return Promise.resolve({ kind: 'unknown', error: new ExchangeError('outcome-unknown', 'no answer') })
      },
    })
    const { events } = start(PROTECTED)
    await stage.settle()
    await stage.advance(10_000)
    const [alarm, ...others] = events.filter(({ type }) => type === 'stop-failed')
    expect([alarm, others]).toMatchObject([
      { error: { code: 'stop-failed', hint: expect.stringContaining('`stop BTCUSDT at 60000` places one') } },
      [],
    ])
    expect(await stage.stops()).toEqual([])
    await stage.advance(65_000)
    expect(await stage.stops()).toMatchObject([{ amount: '0.01', triggerPrice: '60000' }])
  })

  it('whose answer is lost and that is found raises no alarm', async () => {
    const stage = stageDesk()
    const { exchange } = stage.market
    const { start } = stage.openDesk({
      async createOrder(request) {
        const outcome = await exchange.createOrder(request)
        if (request.type !== 'stop') return outcome
        return { kind: 'unknown', error: new ExchangeError('outcome-unknown', 'no answer') }
      },
    })
    const { types } = start(PROTECTED)
    await stage.settle()
    await stage.advance(70_000)
    expect(types()).not.toContain('stop-failed')
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
  })

  it('is placed where the price cannot be asked for', async () => {
    const stage = stageDesk()
    const fetchTicker = () => Promise.reject(new ExchangeError('rate-limited', 'too many requests'))
    const { start } = stage.openDesk({ fetchTicker })
    start(PROTECTED)
    await stage.settle()
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
  })

  it('that the venue refuses because the price has passed it closes the position at the market', async () => {
    const stage = stageDesk()
    const { exchange } = stage.market
    let isSlow = true
    const { start } = stage.openDesk({
      fetchTicker: (symbol) => (isSlow ? new Promise(() => {}) : exchange.fetchTicker(symbol)),
      createOrder(request) {
        if (request.type !== 'stop') return exchange.createOrder(request)
        isSlow = false
        stage.market.setPrice('BTCUSDT', '59000')
        return Promise.resolve({ kind: 'refused', error: new ExchangeError('invalid-order', 'would trigger at once') })
      },
    })
    const placing = start(PROTECTED)
    await stage.settle()
    await stage.advance(3_000)
    expect(await stage.positions()).toEqual([])
    expect(placing.types()).toContain('stop-passed')
  })

  it('that arrives after the price has passed it is taken back, and the position closed at the market', async () => {
    // Bitget and Bybit (spot) take from last which way a stop waits: this one would wait for 60 000 from below.
    const stage = stageDesk()
    const { exchange } = stage.market
    const { start } = stage.openDesk({
      async createOrder(request) {
        if (request.type !== 'stop') return exchange.createOrder(request)
        stage.market.setPrice('BTCUSDT', '59000')
        // Out of reach, as what waits for the other side is.
        return exchange.createOrder({ ...request, triggerPrice: '30000' })
      },
    })
    const placing = start(PROTECTED)
    await stage.settle()
    await stage.settle()
    expect([await stage.positions(), await stage.stops()]).toEqual([[], []])
    expect(placing.types()).toContain('stop-passed')
  })

  it('that the venue refuses for longer than half an hour is placed when it refuses no more', async () => {
    const stage = stageDesk()
    let refusals = 0
    const { exchange } = stage.market
    const { start } = stage.openDesk({
      createOrder(request) {
        if (request.type !== 'stop' || refusals++ >= 70) return exchange.createOrder(request)
        return Promise.resolve({ kind: 'refused', error: new ExchangeError('unavailable', 'maintenance') })
      },
    })
    start(PROTECTED)
    await stage.settle()
    for (let tries = 0; tries < 71; tries += 1) await stage.skip(31_000)
    expect(await stage.stops()).toMatchObject([{ amount: '0.01' }])
  })

  it('covers an entry that fills in a hundred parts, where the venue changes no orders', async () => {
    const stage = stageDesk({ depth: { valueAt: (_symbol, _side, level) => (level === 0 ? 65.1 : undefined) } })
    const { exchange } = stage.market
    const capabilities = { ...exchange.capabilities, editOrder: false }
    const { start } = stage.openDesk({ capabilities })
    const placing = start({ ...BUY, amount: '0.1', type: 'limit', price: '66000', protection: STOP })
    await stage.settle()
    for (let parts = 0; parts < 110; parts += 1) await stage.advance(1_000)
    expect(await stage.positions()).toMatchObject([{ amount: '0.1' }])
    expect(await stage.stops()).toMatchObject([{ amount: '0.1' }])
    expect(placing.types()).not.toContain('stop-failed')
  })
})
