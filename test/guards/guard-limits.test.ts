// What each limit counts, what it lets through, and what it does at its breach (behaviour 40).
import { describe, expect, it } from 'vitest'
import { GuardedError } from '../../src/guards/rules.ts'
import { market, newId, orderOf, position, resultOf, stageGuard } from './guard-stage.ts'

describe('an order with a figure that is not a number', () => {
  it.each(['amount', 'price', 'triggerPrice'])('is refused, and reaches no venue: %s', async (name) => {
    const { send, venue } = stageGuard()
    expect(await resultOf(send({ amount: '0.02', [name]: 'much' }))).toBe(
      `invalid-order: the ${name} of the order is not a number`,
    )
    expect(venue.sent).toEqual([])
  })
})

describe('limits that hold where nothing was said', () => {
  it('are 1,000 dollars an order where money is real', async () => {
    const { send, venue } = stageGuard()
    expect(await resultOf(send({ amount: '0.02' }))).toBe('placed')
    expect(await resultOf(send({ amount: '0.021' }))).toBe(
      'guarded: the order is worth $1,050.00, and the limit is $1,000.00',
    )
    expect(venue.sent).toHaveLength(1)
  })

  it('are 5,000 dollars a day where money is real', async () => {
    const { send, venue } = stageGuard()
    const results = []
    for (let index = 0; index < 6; index += 1) results.push(await resultOf(send({ amount: '0.02' })))
    expect(results.slice(0, 5)).toEqual(Array(5).fill('placed'))
    expect(results[5]).toBe(
      'guarded: with it the orders of today (UTC) are worth $6,000.00, and the limit is $5,000.00',
    )
    expect(venue.sent).toHaveLength(5)
  })

  it('are the price band alone on paper', async () => {
    const { send } = stageGuard({ venue: 'paper' })
    expect(await resultOf(send({ amount: '100' }))).toBe('placed')
    expect(await resultOf(send({ type: 'limit', price: '52500', amount: '100' }))).toBe('placed')
    expect(await resultOf(send({ type: 'limit', price: '52500.1' }))).toBe(
      'guarded: 52,500.1 is more than 5% above the ask, which is 50,000',
    )
    expect(await resultOf(send({ type: 'limit', side: 'sell', price: '47499.9' }))).toMatch(
      /more than 5% below the bid/,
    )
  })
})

describe('the largest order', () => {
  it('counts a limit at what it can fill at: a buyer at most its price, a seller at least the bid', async () => {
    const { send, store } = stageGuard()
    await store.setLimits('main', { order: '1000', day: 'off' })
    expect(await resultOf(send({ type: 'limit', price: '40000', amount: '0.025' }))).toBe('placed')
    expect(await resultOf(send({ type: 'limit', side: 'sell', price: '40000', amount: '0.025' }))).toMatch(
      /\$1,250\.00/,
    )
    expect(await resultOf(send({ type: 'limit', side: 'sell', price: '60000', amount: '0.02' }))).toMatch(/\$1,200\.00/)
  })

  it('counts a stop that buys at no less than the ask, however low its trigger', async () => {
    const { send, store } = stageGuard()
    await store.setLimits('main', { order: '1000', day: 'off' })
    expect(await resultOf(send({ type: 'stop', triggerPrice: '1', amount: '1' }))).toMatch(/\$50,000\.00/)
    expect(await resultOf(send({ type: 'stop', triggerPrice: '60000', amount: '0.02' }))).toMatch(/\$1,200\.00/)
    expect(await resultOf(send({ type: 'stop-limit', triggerPrice: '60000', price: '60000', amount: '0.02' }))).toMatch(
      /\$1,200\.00/,
    )
  })

  it('counts coins that are no dollars at what the venue pays for them', async () => {
    const { send, venue, store } = stageGuard({ kind: 'spot' })
    venue.markets = [market('BTCUSDT', 'spot'), market('ETHBTC', 'spot')]
    venue.prices.set('ETHBTC', '0.04')
    await store.setLimits('main', { order: '1000', day: 'off' })
    expect(await resultOf(send({ symbol: 'ETHBTC', amount: '0.5' }))).toBe('placed')
    expect(await resultOf(send({ symbol: 'ETHBTC', amount: '0.6' }))).toMatch(/\$1,200\.00/)
  })

  it('refuses what it cannot count, and says which limit stands in the way', async () => {
    const { send, venue } = stageGuard({ kind: 'spot' })
    venue.markets = [market('XYZBTC', 'spot')]
    venue.prices.set('XYZBTC', '0.04')
    const outcome = await send({ symbol: 'XYZBTC', amount: '0.5' })
    expect(outcome).toMatchObject({
      kind: 'refused',
      error: { code: 'guarded', hint: expect.stringContaining('order off') },
    })
    expect(venue.sent).toEqual([])
  })

  it('counts an inverse contract at the dollars that it trades', async () => {
    const { send, venue } = stageGuard({ kind: 'inverse' })
    venue.markets = [market('BTCUSD', 'inverse', { settle: 'BTC' })]
    venue.prices.set('BTCUSD', '50000')
    expect(await resultOf(send({ symbol: 'BTCUSD', amount: '1000' }))).toBe('placed')
    expect(await resultOf(send({ symbol: 'BTCUSD', amount: '1001' }))).toMatch(/\$1,001\.00/)
  })
})

describe('the largest position', () => {
  it('counts what is held, what rests on its side, and what is under way', async () => {
    const { send, venue, store } = stageGuard()
    await store.setLimits('main', { position: '2000', order: 'off', day: 'off' })
    venue.positions = [position('BTCUSDT', 'long', '0.02')]
    venue.resting = [
      orderOf({
        clientOrderId: newId(),
        symbol: 'BTCUSDT',
        side: 'buy',
        type: 'limit',
        amount: '0.01',
        price: '49000',
      }),
    ]
    expect(await resultOf(send({ amount: '0.01' }))).toBe('placed')
    expect(await resultOf(send({ amount: '0.011' }))).toBe(
      'guarded: the BTCUSDT position could grow to $2,050.00, and the limit is $2,000.00',
    )
    venue.answer = () => new Promise(() => {})
    void send({ amount: '0.005' })
    await new Promise((resolve) => setImmediate(resolve))
    expect(await resultOf(send({ amount: '0.006' }))).toMatch(/could grow to \$2,050\.00/)
  })

  it('is worth no less than the market, however low an order waits', async () => {
    const { send, venue, store } = stageGuard()
    await store.setLimits('main', { position: '2000', order: 'off', day: 'off' })
    venue.positions = [position('BTCUSDT', 'long', '0.04')]
    expect(await resultOf(send({ type: 'limit', price: '10', amount: '0.001' }))).toMatch(/could grow to \$2,050\.00/)
  })

  it('on spot is what there is of the coin', async () => {
    const { send, venue, store } = stageGuard({ kind: 'spot' })
    await store.setLimits('main', { position: '2000', order: 'off', day: 'off' })
    venue.balances = [{ currency: 'BTC', wallet: '0.03', total: '0.03', used: '0', free: '0.03' }]
    expect(await resultOf(send({ amount: '0.01' }))).toBe('placed')
    expect(await resultOf(send({ amount: '0.011' }))).toMatch(/could grow to \$2,050\.00/)
  })

  it('lets what turns it round pass only so far', async () => {
    const { send, venue, store } = stageGuard()
    await store.setLimits('main', { position: '1000', order: 'off', day: 'off' })
    venue.positions = [position('BTCUSDT', 'long', '0.02')]
    expect(await resultOf(send({ side: 'sell', amount: '0.04' }))).toBe('placed')
    expect(await resultOf(send({ side: 'sell', amount: '0.041' }))).toMatch(/could grow to \$1,050\.00/)
  })
})

describe('a breach', () => {
  it('says every limit that it would break, and may pass where a person says so at that value', async () => {
    const { send, venue, store } = stageGuard()
    await store.setLimits('main', { order: '1000', day: '1200' })
    const outcome = await send({ amount: '0.03' })
    const error = outcome.kind === 'refused' ? outcome.error : undefined
    expect(error).toBeInstanceOf(GuardedError)
    const { breaches } = error as GuardedError
    expect(breaches.map(({ limit, value, max }) => [limit, value, max])).toEqual([
      ['order', '1500', '1000'],
      ['day', '1500', '1200'],
    ])
    expect(await resultOf(send({ amount: '0.03', context: { accepted: breaches.slice(0, 1) } }))).toMatch(/today/)
    expect(await resultOf(send({ amount: '0.03', context: { accepted: breaches } }))).toBe('placed')
    expect(await resultOf(send({ amount: '0.04', context: { accepted: breaches } }))).toMatch(/^guarded/)
    expect(venue.sent).toHaveLength(1)
  })
})

describe('what passes a limit because it reduces', () => {
  const SHORT = position('BTCUSDT', 'short', '0.015')
  const REST = { type: 'limit', side: 'buy', price: '49000' } as const

  it('is held to reducing by the venue for as long as it rests', async () => {
    const { send, venue, store } = stageGuard()
    await store.setLimits('main', { order: '300', day: 'off' })
    venue.positions = [SHORT]
    expect(await resultOf(send({ ...REST, amount: '0.012' }))).toBe('placed')
    expect(venue.sent).toMatchObject([{ reduceOnly: true }])
  })

  it('is held to it each, where several come at once', async () => {
    const { send, venue, store } = stageGuard({ venue: 'paper' })
    await store.setLimits('main', { order: '100' })
    venue.positions = [position('BTCUSDT', 'short', '0.005')]
    await Promise.all([1, 2, 3, 4].map(() => send({ ...REST, amount: '0.004' })))
    expect(venue.sent.length).toBeGreaterThan(0)
    expect(venue.sent.filter(({ reduceOnly }) => reduceOnly !== true)).toEqual([])
  })

  it('is judged as what it may become where the venue holds nothing to its word', async () => {
    const { send, venue, store } = stageGuard({ reduceOnly: false })
    await store.setLimits('main', { order: '300', day: 'off' })
    venue.positions = [SHORT]
    expect(await resultOf(send({ ...REST, amount: '0.012' }))).toMatch(
      /the order is worth \$588.00, and the limit is \$300/,
    )
    expect(await resultOf(send({ side: 'buy', amount: '0.012' }))).toBe('placed')
    expect(await resultOf(send({ ...REST, amount: '0.005' }))).toBe('placed')
    expect(venue.sent.every(({ reduceOnly }) => reduceOnly !== true)).toBe(true)
  })

  it('is no change of an order that rests without: that is judged as what it may become', async () => {
    const { send, exchange, venue, store } = stageGuard()
    await store.setLimits('main', { order: '300', day: 'off' })
    const entry = orderOf({ clientOrderId: newId(), symbol: 'BTCUSDT', amount: '0.005', ...REST })
    venue.resting = [entry]
    // What rests and what it would be changed to is less than the position.
    venue.positions = [position('BTCUSDT', 'short', '0.03')]
    const edit = (amount: string) => resultOf(exchange.editOrder({ symbol: 'BTCUSDT', id: entry.id }, { amount }, {}))
    expect(await edit('0.012')).toMatch(/the order is worth \$588.00, and the limit is \$300/)
    expect(await edit('0.006')).toBe('placed')
    expect(await resultOf(send({ ...REST, amount: '0.001' }))).toBe('placed')
  })

  it('is left as it is where no limit asks', async () => {
    const { send, venue, store } = stageGuard({ venue: 'paper' })
    venue.positions = [SHORT]
    await store.setLimits('main', { band: 'off' })
    expect(await resultOf(send({ ...REST, amount: '0.012' }))).toBe('placed')
    expect(venue.sent[0]?.reduceOnly).not.toBe(true)
  })
})
