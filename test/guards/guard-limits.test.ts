// What each limit counts, what it lets through, and what it does at its breach (behaviour 40).
import { describe, expect, it } from 'vitest'
import type { OrderOutcome } from '../../src/exchange/exchange.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import { GuardedError } from '../../src/guards/rules.ts'
import { type Asking, market, newId, orderOf, position, resultOf, type StagedVenue, stageGuard } from './guard-stage.ts'

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
    expect(results[5]).toBe("guarded: today's orders (UTC) would be worth $6,000.00, and the limit is $5,000.00")
    expect(venue.sent).toHaveLength(5)
  })

  it('are the price band alone on paper', async () => {
    const { send } = stageGuard({ venue: 'paper' })
    expect(await resultOf(send({ amount: '100' }))).toBe('placed')
    expect(await resultOf(send({ type: 'limit', price: '52500', amount: '100' }))).toBe('placed')
    expect(await resultOf(send({ type: 'limit', price: '52500.1' }))).toBe(
      'guarded: 52,500.1 is more than 5% above the ask, 50,000',
    )
    expect(await resultOf(send({ type: 'limit', side: 'sell', price: '47499.9' }))).toMatch(
      /more than 5% below the bid/,
    )
  })
})

describe('a limit that is set alone on paper', () => {
  it.each([
    [{ order: '400' }, 'guarded: the order is worth $500.00, and the limit is $400.00'],
    [{ day: '400' }, "guarded: today's orders (UTC) would be worth $500.00, and the limit is $400.00"],
    [{ position: '400' }, 'guarded: the BTCUSDT position could grow to $500.00, and the limit is $400.00'],
    [{ loss: '5' }, 'halted: account main takes only orders that reduce a position'],
    [{ order: '500', day: '500', position: '500', loss: '7' }, 'placed'],
  ])('holds: %j', async (limits, result) => {
    const { send, venue, store } = stageGuard({ venue: 'paper' })
    await store.setLimits('main', limits)
    venue.positions = [position('ETHUSDT', 'long', '1', { unrealizedPnl: '-6' })]
    expect(await resultOf(send({ amount: '0.01' }))).toContain(result)
    expect(venue.sent).toHaveLength(result === 'placed' ? 1 : 0)
  })

  it('holds, of orders in a minute', async () => {
    const { send, store, advance } = stageGuard({ venue: 'paper' })
    await store.setLimits('main', { rate: '1' })
    expect(await resultOf(send())).toBe('placed')
    expect(await resultOf(send())).toBe('guarded: this is order 2 within a minute, and the limit is 1')
    advance(60_000)
    expect(await resultOf(send())).toBe('placed')
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

  it.each([
    [
      'by a market of dollars in the coin',
      market('USDTEUR', 'spot', { base: 'USDT', quote: 'EUR' }),
      '0.8',
      '$1,250.00',
    ],
    ['by a market of the coin in dollars', market('EURUSDT', 'spot', { base: 'EUR' }), '1.25', '$1,250.00'],
  ])('counts other money %s', async (_, rate, price, worth) => {
    const { send, venue, store } = stageGuard({ kind: 'spot' })
    const coin = market('BTCEUR', 'spot', { base: 'BTC', quote: 'EUR' })
    venue.markets = [coin, { ...rate, active: false }]
    venue.prices.set('BTCEUR', '40000').set(rate.symbol, price)
    await store.setLimits('main', { order: '1000', day: 'off' })
    const asked = { symbol: 'BTCEUR', amount: '0.025' }
    expect(await resultOf(send(asked))).toMatch(/no price of EUR/)
    venue.markets = [coin, rate]
    venue.prices.set(rate.symbol, '0')
    expect(await resultOf(stageAnother(venue, asked))).toMatch(/no price of EUR/)
    venue.prices.set(rate.symbol, price)
    expect(await resultOf(stageAnother(venue, asked))).toBe(
      `guarded: the order is worth ${worth}, and the limit is $1,000.00`,
    )
  })

  it.each([
    [{ day: '100' }, 'day off'],
    [{ position: '100' }, 'position off'],
    [{ rate: '5' }, undefined],
  ])('lets what it cannot count pass only where no limit of dollars asks: %j', async (limits, hint) => {
    const { send, venue, store } = stageGuard({ kind: 'spot', venue: 'paper' })
    venue.markets = [market('XYZBTC', 'spot')]
    venue.prices.set('XYZBTC', '0.04')
    await store.setLimits('main', limits)
    const outcome = await send({ symbol: 'XYZBTC', amount: '0.5' })
    if (hint === undefined) expect(outcome.kind).toBe('placed')
    else expect(outcome).toMatchObject({ kind: 'refused', error: { hint: expect.stringContaining(hint) } })
  })

  it('counts an inverse contract at the dollars that it trades', async () => {
    const { send, venue } = stageGuard({ kind: 'inverse' })
    venue.markets = [market('BTCUSD', 'inverse', { settle: 'BTC' })]
    venue.prices.set('BTCUSD', '50000')
    expect(await resultOf(send({ symbol: 'BTCUSD', amount: '1000' }))).toBe('placed')
    expect(await resultOf(send({ symbol: 'BTCUSD', amount: '1001' }))).toMatch(/\$1,001\.00/)
  })
})

/** A guard that has read no price yet, in front of the same venue. */
function stageAnother(venue: StagedVenue, asked: Asking): Promise<OrderOutcome> {
  const other = stageGuard({ kind: 'spot' })
  Object.assign(other.venue, { markets: venue.markets })
  for (const [symbol, price] of venue.prices) other.venue.prices.set(symbol, price)
  return other.send(asked)
}

describe('the largest position', () => {
  it('counts a stop that opens at the price of the market', async () => {
    const { send, store } = stageGuard()
    await store.setLimits('main', { position: '1000', order: 'off', day: 'off' })
    const stop = { type: 'stop', side: 'sell', triggerPrice: '49000' } as const
    expect(await resultOf(send({ ...stop, amount: '0.0205' }))).toMatch(/could grow to \$1,025\.00/)
    expect(await resultOf(send({ ...stop, amount: '0.02' }))).toBe('placed')
  })

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

describe('what reduces', () => {
  const FAR = { side: 'sell', type: 'limit', price: '47000', amount: '0.01' } as const

  it.each([
    ['by the venue’s rule', { ...FAR, reduceOnly: true }],
    ['by what is held', FAR],
  ])('is held to the price band as what adds is, and passes where a person lets it: %s', async (_, asked) => {
    const { send, venue } = stageGuard()
    venue.positions = [position('BTCUSDT', 'long', '0.05')]
    expect(await resultOf(send(asked))).toBe('guarded: 47,000 is more than 5% below the bid, 50,000')
    const accepted = [{ limit: 'band', value: '6' }] as const
    expect(await resultOf(send({ ...asked, context: { accepted } }))).toBe('placed')
    expect(await resultOf(send({ ...asked, price: '47500' }))).toBe('placed')
    expect(venue.sent).toHaveLength(2)
  })

  it('is held to it from its trigger, and asks no price for that', async () => {
    const { send, venue } = stageGuard()
    const stop = { type: 'stop-limit', side: 'sell', triggerPrice: '40000', reduceOnly: true } as const
    venue.silent = new ExchangeError('network', 'no answer')
    expect(await resultOf(send({ ...stop, price: '37900' }))).toMatch(/more than 5% below its trigger, 40,000/)
    expect(await resultOf(send({ ...stop, price: '38000' }))).toBe('placed')
  })

  it('is judged beside what is under way on its own symbol alone', async () => {
    const { send, venue, store } = stageGuard()
    await store.setLimits('main', { order: '300', day: 'off' })
    venue.positions = [position('BTCUSDT', 'long', '0.02')]
    const answer = venue.answer
    venue.answer = () => new Promise(() => {})
    void send({ symbol: 'ETHUSDT', side: 'sell', amount: '0.1' })
    await new Promise((resolve) => setImmediate(resolve))
    venue.answer = answer
    expect(await resultOf(send({ side: 'sell', amount: '0.02' }))).toBe('placed')
    expect(venue.sent).toMatchObject([{ symbol: 'ETHUSDT' }, { symbol: 'BTCUSDT', reduceOnly: true }])
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
