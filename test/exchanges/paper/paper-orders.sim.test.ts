import { describe, expect, it } from 'vitest'
import { balanceOf, place, type Wanted } from '../../../harness/venues/place.ts'
import { createScriptedMarket, type ScriptedMarket } from '../../../harness/venues/scripted-market.ts'
import type { ExchangeErrorCode } from '../../../src/exchange/exchange-error.ts'
import { createSyntheticDepth } from '../../../src/exchanges/paper/depth.ts'

// BTCUSDT lasts at 65000, bid 64999.9, ask 65000.1; 10000 USDT; 10x; maker 0.02 %, taker 0.055 %.
const ID = 'a'.repeat(32)

const order = (request: Partial<Wanted>): Wanted => ({
  symbol: 'BTCUSDT',
  side: 'buy',
  type: 'market',
  amount: '0.1',
  ...request,
})
const limit = (side: 'buy' | 'sell', price: string, more: Partial<Wanted> = {}) =>
  order({ side, type: 'limit', price, ...more })
const stop = (side: 'buy' | 'sell', triggerPrice: string, more: Partial<Wanted> = {}) =>
  order({ side, type: 'stop', triggerPrice, ...more })

async function moveTo(market: ScriptedMarket, price: string): Promise<void> {
  market.setPrice('BTCUSDT', price)
  await market.advance()
}

describe('a market order', () => {
  it('buys at the ask for the taker fee', async () => {
    const { exchange } = createScriptedMarket()
    expect(await place(exchange, order({ amount: '0.10', clientOrderId: ID }))).toEqual({
      id: 'p1',
      clientOrderId: ID,
      symbol: 'BTCUSDT',
      side: 'buy',
      type: 'market',
      amount: '0.1',
      filled: '0.1',
      remaining: '0',
      average: '65000.1',
      reduceOnly: false,
      postOnly: false,
      status: 'closed',
      timestamp: Date.UTC(2026, 0, 1),
    })
    expect(await exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).toEqual([
      {
        id: 't1',
        orderId: 'p1',
        clientOrderId: ID,
        symbol: 'BTCUSDT',
        side: 'buy',
        amount: '0.1',
        price: '65000.1',
        fee: '3.5750055',
        feeCurrency: 'USDT',
        takerOrMaker: 'taker',
        realizedPnl: '0',
        timestamp: Date.UTC(2026, 0, 1),
      },
    ])
  })

  it('opens a position with its entry, margin and unrealized PnL', async () => {
    const { exchange, setPrice } = createScriptedMarket()
    await place(exchange, order({}))
    setPrice('BTCUSDT', '66000')
    expect(await exchange.fetchPositions()).toEqual([
      {
        symbol: 'BTCUSDT',
        side: 'long',
        amount: '0.1',
        entryPrice: '65000.1',
        settle: 'USDT',
        markPrice: '66000',
        unrealizedPnl: '99.99',
        realizedPnl: '0',
        leverage: '10',
        marginMode: 'cross',
        notional: '6600',
      },
    ])
    expect(await balanceOf(exchange)).toEqual({
      currency: 'USDT',
      wallet: '9996.4249945',
      total: '10096.4149945',
      used: '660',
      free: '9436.4149945',
    })
  })

  it('averages the entry when it adds to a position', async () => {
    const { exchange, setPrice } = createScriptedMarket()
    await place(exchange, order({ amount: '0.1' }))
    setPrice('BTCUSDT', '68000')
    await place(exchange, order({ amount: '0.2' }))
    expect(await exchange.fetchPositions()).toMatchObject([{ amount: '0.3', entryPrice: '67000.1' }])
  })

  it('realizes PnL in proportion when it closes a part', async () => {
    const { exchange, setPrice } = createScriptedMarket()
    await place(exchange, order({ side: 'sell', amount: '0.3' }))
    setPrice('BTCUSDT', '64000')
    await place(exchange, order({ amount: '0.1' }))
    // Sold at 64999.9, bought back at 64000.1.
    expect(await exchange.fetchMyTrades({ symbol: 'BTCUSDT', limit: 1 })).toMatchObject([{ realizedPnl: '99.98' }])
    expect(await exchange.fetchPositions()).toMatchObject([
      { side: 'short', amount: '0.2', entryPrice: '64999.9', realizedPnl: '99.98', unrealizedPnl: '199.98' },
    ])
  })

  it('closes a position without a trace but its PnL', async () => {
    const { exchange } = createScriptedMarket()
    await place(exchange, order({}))
    await place(exchange, order({ side: 'sell' }))
    expect(await exchange.fetchPositions()).toEqual([])
    expect(await balanceOf(exchange)).toMatchObject({
      wallet: '9992.83',
      total: '9992.83',
      used: '0',
      free: '9992.83',
    })
  })

  it('realizes the closed part only when it flips a position, and starts the new one afresh', async () => {
    const { exchange, setPrice } = createScriptedMarket()
    await place(exchange, order({ amount: '0.2' }))
    setPrice('BTCUSDT', '66000')
    await place(exchange, order({ side: 'sell', amount: '0.1' }))
    await place(exchange, order({ side: 'sell', amount: '0.3' }))
    expect(await exchange.fetchMyTrades({ symbol: 'BTCUSDT', limit: 1 })).toMatchObject([
      { amount: '0.3', realizedPnl: '99.98' },
    ])
    expect(await exchange.fetchPositions()).toMatchObject([
      { side: 'short', amount: '0.2', entryPrice: '65999.9', realizedPnl: '0' },
    ])
  })
})

describe('a limit order', () => {
  it('rests until the price reaches it, then fills at its price for the maker fee', async () => {
    const market = createScriptedMarket()
    const placed = await place(market.exchange, limit('buy', '64000'))
    expect(placed).toMatchObject({ status: 'open', filled: '0', remaining: '0.1', price: '64000' })
    await moveTo(market, '64000')
    expect(await market.exchange.fetchOpenOrders()).toEqual([placed])
    await moveTo(market, '63000')
    expect(await market.exchange.fetchOpenOrders()).toEqual([])
    expect(await market.exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).toMatchObject([
      { price: '64000', fee: '1.28', takerOrMaker: 'maker' },
    ])
  })

  it('takes a better quote at once when it crosses', async () => {
    const { exchange } = createScriptedMarket()
    expect(await place(exchange, limit('sell', '60000'))).toMatchObject({ status: 'closed', average: '64999.9' })
    expect(await exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).toMatchObject([{ takerOrMaker: 'taker' }])
  })

  it('that is post-only rests one tick inside the spread and is refused where it would trade', async () => {
    const { exchange } = createScriptedMarket()
    expect(await place(exchange, limit('buy', '65000', { postOnly: true }))).toMatchObject({
      status: 'open',
      postOnly: true,
    })
    await expect(place(exchange, limit('buy', '65000.1', { postOnly: true }))).rejects.toMatchObject({
      code: 'order-immediately-fillable',
      hint: 'choose a price below the ask, 65,000.1',
    })
    await expect(place(exchange, limit('sell', '64999.9', { postOnly: true }))).rejects.toMatchObject({
      code: 'order-immediately-fillable',
    })
  })

  it('that a fill can no longer pay for is cancelled with the reason', async () => {
    const market = createScriptedMarket({ balance: '2000' })
    const events: unknown[] = []
    await place(market.exchange, order({ symbol: 'ETHUSDT', amount: '3' }))
    await place(market.exchange, limit('buy', '64900', { amount: '0.14' }))
    market.exchange.subscribe((event) => events.push(event))
    market.setPrice('ETHUSDT', '2900')
    await moveTo(market, '64000')
    expect(events).toContainEqual({
      type: 'order',
      order: expect.objectContaining({ id: 'p2', status: 'canceled', filled: '0' }),
      reason: expect.stringContaining('USDT is free'),
    })
    expect(await market.exchange.fetchPositions()).toMatchObject([{ symbol: 'ETHUSDT', amount: '3' }])
  })
})

describe('a stop order', () => {
  it.each([
    { side: 'sell', trigger: '64000', before: '64000.1', at: '64000', average: '63999.9' },
    { side: 'buy', trigger: '66000', before: '65999.9', at: '66000', average: '66000.1' },
    { side: 'buy', trigger: '64000', before: '64000.1', at: '63990', average: '63990.1' },
    { side: 'sell', trigger: '66000', before: '65999.9', at: '66010', average: '66009.9' },
  ] as const)('to $side at $trigger waits at $before and trades at the quote when last is $at', async (row) => {
    const market = createScriptedMarket()
    await place(market.exchange, stop(row.side, row.trigger))
    await moveTo(market, row.before)
    expect(await market.exchange.fetchOpenOrders()).toHaveLength(1)
    await moveTo(market, row.at)
    expect(await market.exchange.fetchOpenOrders()).toEqual([])
    expect(await market.exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).toMatchObject([
      { side: row.side, price: row.average, takerOrMaker: 'taker' },
    ])
  })

  it('is refused where it would fire at once', async () => {
    const { exchange } = createScriptedMarket()
    await expect(place(exchange, stop('sell', '65000'))).rejects.toMatchObject({ code: 'invalid-order' })
  })

  it('saves a position from the liquidation that the same move would cause', async () => {
    const market = createScriptedMarket()
    await place(market.exchange, order({ amount: '1.4' }))
    await place(market.exchange, stop('sell', '64000', { amount: '1.4', reduceOnly: true }))
    await moveTo(market, '58000')
    expect(await market.exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).toMatchObject([
      { orderId: 'p1' },
      { orderId: 'p2' },
    ])
  })
})

describe('a stop-limit order', () => {
  const stopLimit = (side: 'buy' | 'sell', triggerPrice: string, price: string) =>
    order({ side, type: 'stop-limit', triggerPrice, price })

  it('takes at its limit or better once last has reached its trigger', async () => {
    const market = createScriptedMarket()
    const { id } = await place(market.exchange, stopLimit('sell', '64000', '63900'))
    await moveTo(market, '64000.1')
    expect(await market.exchange.fetchOpenOrders()).toMatchObject([{ id, type: 'stop-limit', status: 'open' }])
    await moveTo(market, '63950')
    expect(await market.exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).toMatchObject([
      { orderId: id, price: '63949.9', takerOrMaker: 'taker' },
    ])
  })

  it('rests as a limit order when the price has jumped over it, and fills as one when the price comes back', async () => {
    const market = createScriptedMarket()
    const { id } = await place(market.exchange, stopLimit('sell', '64000', '63900'))
    await moveTo(market, '60000')
    expect(await market.exchange.fetchOpenOrders()).toMatchObject([{ id, filled: '0' }])
    await expect(
      market.exchange.editOrder({ symbol: 'BTCUSDT', id }, { triggerPrice: '63000' }),
    ).resolves.toMatchObject({ kind: 'refused', error: { code: 'invalid-order' } })
    await moveTo(market, '63901')
    expect(await market.exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).toMatchObject([
      { orderId: id, price: '63900', takerOrMaker: 'maker' },
    ])
  })

  it('whose trigger was reached knows it after a restart', async () => {
    const market = createScriptedMarket()
    await place(market.exchange, stopLimit('buy', '66000', '66100'))
    await moveTo(market, '67000')
    await market.exchange.close()
    const again = market.openExchange()
    market.setPrice('BTCUSDT', '65000')
    await market.advance()
    expect(await again.fetchMyTrades({ symbol: 'BTCUSDT' })).toHaveLength(1)
  })
})

describe('a take-profit order', () => {
  it.each([
    { side: 'sell', trigger: '66000', before: '65999.9', at: '66001', price: '66000.9' },
    { side: 'buy', trigger: '64000', before: '64000.1', at: '63999', price: '63999.1' },
  ] as const)('that %os waits on the winning side and is a market order then', async (row) => {
    const market = createScriptedMarket()
    await place(market.exchange, order({ side: row.side, type: 'take-profit', triggerPrice: row.trigger }))
    await moveTo(market, row.before)
    expect(await market.exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).toEqual([])
    await moveTo(market, row.at)
    expect(await market.exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).toMatchObject([{ price: row.price }])
  })
})

describe('a stop with a take-profit price', () => {
  it.each([
    { to: '63990', price: '63989.9' },
    { to: '66010', price: '66009.9' },
  ])('is executed once, by whichever price last reaches: $to', async ({ to, price }) => {
    const market = createScriptedMarket()
    await place(market.exchange, order({}))
    await place(market.exchange, stop('sell', '64000', { reduceOnly: true, takeProfitPrice: '66000' }))
    await moveTo(market, '65500')
    expect(await market.exchange.fetchOpenOrders()).toHaveLength(1)
    await moveTo(market, to)
    await moveTo(market, '65000')
    const trades = await market.exchange.fetchMyTrades({ symbol: 'BTCUSDT' })
    expect(trades.map((trade) => trade.price)).toEqual(['65000.1', price])
    expect(await market.exchange.fetchPositions()).toEqual([])
  })

  it('moves either price in place', async () => {
    const market = createScriptedMarket()
    await place(market.exchange, order({}))
    const { id } = await place(market.exchange, stop('sell', '64000', { reduceOnly: true, takeProfitPrice: '66000' }))
    await market.exchange.editOrder({ symbol: 'BTCUSDT', id }, { takeProfitPrice: '65500' })
    expect(await market.exchange.fetchOpenOrders()).toMatchObject([{ triggerPrice: '64000', takeProfitPrice: '65500' }])
    await moveTo(market, '65600')
    expect(await market.exchange.fetchPositions()).toEqual([])
  })
})

describe('a reduce-only order', () => {
  it.each([
    ['no position', undefined, 'sell'],
    ['a position on its own side', 'buy', 'buy'],
  ] as const)('is rejected with %s', async (_what, held, side) => {
    const { exchange } = createScriptedMarket()
    if (held !== undefined) await place(exchange, order({ side: held }))
    for (const request of [order({ side }), limit(side, '65000'), stop(side, '64000')]) {
      await expect(place(exchange, { ...request, reduceOnly: true })).rejects.toMatchObject({
        code: 'reduce-only-rejected',
      })
    }
  })

  it('is cut to the position when it fills', async () => {
    const market = createScriptedMarket()
    await place(market.exchange, order({ amount: '0.3' }))
    await place(market.exchange, limit('sell', '66000', { amount: '0.3', reduceOnly: true }))
    await place(market.exchange, order({ side: 'sell', amount: '0.2' }))
    await moveTo(market, '66100')
    expect(await market.exchange.fetchMyTrades({ symbol: 'BTCUSDT', limit: 1 })).toMatchObject([
      { orderId: 'p2', amount: '0.1', price: '66000' },
    ])
    expect(await market.exchange.fetchPositions()).toEqual([])
  })

  it('tells how much was left to reduce', async () => {
    const { exchange } = createScriptedMarket()
    await place(exchange, order({ amount: '0.1' }))
    expect(await place(exchange, order({ side: 'sell', amount: '5', reduceOnly: true }))).toMatchObject({
      amount: '0.1',
      filled: '0.1',
      status: 'closed',
    })
  })

  it('is cancelled when the position is gone', async () => {
    const market = createScriptedMarket()
    const events: unknown[] = []
    await place(market.exchange, order({}))
    await place(market.exchange, limit('sell', '66000', { reduceOnly: true }))
    await place(market.exchange, stop('sell', '64000', { reduceOnly: true }))
    market.exchange.subscribe((event) => events.push(event))
    await moveTo(market, '66100')
    expect(events).toMatchObject([
      { type: 'trade', trade: { orderId: 'p2' } },
      { type: 'order', order: { id: 'p2', status: 'closed' } },
      {
        type: 'order',
        order: { id: 'p3', status: 'canceled', cause: 'position-closed' },
        reason: 'its position was closed',
      },
    ])
  })

  it('may be smaller than the minimums and locks no margin', async () => {
    const { exchange } = createScriptedMarket({ prices: { DOGEUSDT: '0.1' } })
    await place(exchange, order({ symbol: 'DOGEUSDT', amount: '60' }))
    const { used } = await balanceOf(exchange)
    await place(exchange, { ...limit('sell', '0.2'), symbol: 'DOGEUSDT', amount: '1', reduceOnly: true })
    expect(await balanceOf(exchange)).toMatchObject({ used })
  })
})

describe('an order is refused', () => {
  it.each<[string, ExchangeErrorCode, Partial<Wanted>, string]>([
    ['for an unknown symbol', 'bad-symbol', { symbol: 'FOOUSDT' }, 'choose one of BTCUSDT'],
    ['off the lot', 'invalid-order', { amount: '0.0015' }, 'choose a multiple, as 0.001'],
    ['below the lot', 'invalid-order', { amount: '0.0004' }, 'choose a multiple, as 0.001'],
    ['below the minimum value', 'invalid-order', { symbol: 'DOGEUSDT', amount: '1' }, 'at least 5 USDT'],
    ['for nothing', 'invalid-order', { amount: '0' }, 'steps of 0.001'],
    ['for less than nothing', 'invalid-order', { amount: '-1' }, 'steps of 0.001'],
    ['for what is no number', 'invalid-order', { amount: '1e3' }, 'steps of 0.001'],
    ['for an absurd number', 'invalid-order', { amount: '9'.repeat(400) }, 'steps of 0.001'],
    ['off the tick', 'invalid-order', { type: 'limit', price: '64000.05' }, 'choose a multiple, as 64000'],
    [
      'with a trigger off the tick',
      'invalid-order',
      { type: 'stop', triggerPrice: '64000.05' },
      'choose a multiple, as 64000',
    ],
    ['as a limit without a price', 'invalid-order', { type: 'limit' }, 'name one'],
    ['as a market order with a price', 'invalid-order', { price: '64000' }, 'leave it out'],
    ['as a stop without a trigger', 'invalid-order', { type: 'stop' }, 'become market orders'],
    ['as a market order with a trigger', 'invalid-order', { triggerPrice: '64000' }, 'only stops'],
    [
      'as a stop with a price',
      'invalid-order',
      { type: 'stop', triggerPrice: '64000', price: '64000' },
      'leave it out',
    ],
    ['as a stop-limit without a price', 'invalid-order', { type: 'stop-limit', triggerPrice: '64000' }, 'become'],
    ['as a stop-limit without a trigger', 'invalid-order', { type: 'stop-limit', price: '64000' }, 'become limit'],
    ['as a take-profit without a trigger', 'invalid-order', { type: 'take-profit' }, 'become market orders'],
    ['as a take-profit passed', 'invalid-order', { type: 'take-profit', triggerPrice: '66000' }, 'below it'],
    [
      'as a limit with a second trigger',
      'invalid-order',
      { type: 'limit', price: '64000', takeProfitPrice: '1' },
      'stop',
    ],
    [
      'as a stop with both triggers on one side',
      'invalid-order',
      { type: 'stop', triggerPrice: '66000', takeProfitPrice: '67000' },
      'below it',
    ],
    ['as a post-only market order', 'invalid-order', { postOnly: true }, 'limit order'],
    ['beyond the funds', 'insufficient-funds', { amount: '1.54' }, 'order less'],
    [
      'beyond the funds while resting',
      'insufficient-funds',
      { amount: '1.6', type: 'limit', price: '64000' },
      'order less',
    ],
    [
      'beyond the funds as a stop',
      'insufficient-funds',
      { amount: '1.6', type: 'stop', triggerPrice: '64000' },
      'order less',
    ],
  ])('%s', async (_what, code, request, hint) => {
    const { exchange, store } = createScriptedMarket()
    await expect(place(exchange, order(request))).rejects.toMatchObject({
      name: 'ExchangeError',
      code,
      hint: expect.stringContaining(hint),
    })
    expect(store.writes).toBe(0)
  })

  it('with what it needs and what is free', async () => {
    const { exchange } = createScriptedMarket({ balance: '100' })
    // 650 margin, 3.5750055 fee and 0.01 of spread.
    await expect(place(exchange, order({}))).rejects.toThrow(
      'the order needs 653.59 USDT for margin and fees, and 100.00 USDT is free',
    )
  })

  it.each([{}, { timeInForce: 'ioc', type: 'limit', price: '65000' }, { side: 'sell' }] as const)(
    'for the margin of all of it, where the book holds less: %j',
    async (request) => {
      const { exchange, store } = createScriptedMarket({ balance: '1000000', depth: createSyntheticDepth('s') })
      await expect(place(exchange, order({ amount: '1000', ...request }))).rejects.toThrow(
        /^the order needs 6,5\d\d,\d{3}\.\d\d USDT for margin and fees, and 1,000,000\.00 USDT is free$/,
      )
      expect(store.writes).toBe(0)
    },
  )

  it('when 500 are open', async () => {
    const { exchange } = createScriptedMarket({ balance: '1000000' })
    const resting = Array.from({ length: 500 }, () => limit('buy', '100', { amount: '0.1' }))
    await Promise.all(resting.map((wanted) => place(exchange, wanted)))
    await expect(place(exchange, limit('buy', '100'))).rejects.toMatchObject({ code: 'invalid-order' })
    expect(await place(exchange, order({}))).toMatchObject({ status: 'closed' })
  })
})

describe('margin', () => {
  it('is locked by resting entries with the fee they will cost, and released by cancelling', async () => {
    const { exchange } = createScriptedMarket()
    const { id } = await place(exchange, limit('buy', '60000'))
    expect(await balanceOf(exchange)).toMatchObject({ total: '10000', used: '603.3', free: '9396.7' })
    await exchange.cancelOrder({ symbol: 'BTCUSDT', id })
    expect(await balanceOf(exchange)).toMatchObject({ used: '0', free: '10000' })
  })

  it('counts the worse side when entries rest on both', async () => {
    const { exchange } = createScriptedMarket()
    await place(exchange, limit('buy', '60000'))
    await place(exchange, limit('sell', '70000'))
    expect(await balanceOf(exchange)).toMatchObject({ used: '703.85' })
  })

  it('is not needed to leave, also without reduce-only and with an exit resting', async () => {
    const { exchange } = createScriptedMarket()
    await place(exchange, order({ amount: '1.525' }))
    await expect(place(exchange, limit('buy', '64000', { amount: '0.01' }))).rejects.toMatchObject({
      code: 'insufficient-funds',
    })
    expect(await place(exchange, limit('sell', '66000', { amount: '1.525' }))).toMatchObject({ status: 'open' })
    expect(await place(exchange, order({ side: 'sell', amount: '1' }))).toMatchObject({ status: 'closed' })
    expect(await place(exchange, order({ side: 'sell', amount: '0.525' }))).toMatchObject({ status: 'closed' })
    // What rests is an entry now, and locks more than there is.
    expect(await balanceOf(exchange)).toMatchObject({ used: '10120.3575', free: '0' })
  })

  it('is not needed to leave a short either', async () => {
    const { exchange } = createScriptedMarket()
    await place(exchange, order({ side: 'sell', amount: '1.525' }))
    await place(exchange, limit('buy', '64900', { amount: '1.525' }))
    const close = order({ amount: '1.525', reduceOnly: true })
    expect(await place(exchange, close)).toMatchObject({ status: 'closed' })
  })

  it('is needed for the part of a trade that goes through zero', async () => {
    const { exchange } = createScriptedMarket()
    await place(exchange, order({ amount: '0.1' }))
    await expect(place(exchange, order({ side: 'sell', amount: '1.7' }))).rejects.toMatchObject({
      code: 'insufficient-funds',
    })
  })
})

describe('liquidation', () => {
  it('closes everything when the account no longer covers the maintenance margin, and says why', async () => {
    const market = createScriptedMarket()
    const events: unknown[] = []
    await place(market.exchange, order({ amount: '1.4' }))
    await place(market.exchange, limit('buy', '100', { amount: '0.1' }))
    market.exchange.subscribe((event) => events.push(event))
    await moveTo(market, '58190')
    expect(events).toEqual([])
    await moveTo(market, '58180')
    expect(events).toMatchObject([
      { type: 'order', order: { id: 'p2', status: 'canceled' }, reason: expect.stringContaining('liquidated') },
      { type: 'trade', trade: { orderId: 'p3', amount: '1.4', price: '58179.9' } },
      {
        type: 'order',
        order: { id: 'p3', side: 'sell', reduceOnly: true, status: 'closed' },
        reason: expect.stringContaining('liquidated'),
      },
    ])
    expect(Number((await balanceOf(market.exchange)).wallet)).toBeGreaterThan(0)
  })

  it('never leaves the wallet below zero, however far the price jumped', async () => {
    const market = createScriptedMarket()
    await place(market.exchange, order({ amount: '1.4' }))
    await moveTo(market, '30000')
    expect(await balanceOf(market.exchange)).toEqual({
      currency: 'USDT',
      wallet: '0',
      total: '0',
      used: '0',
      free: '0',
    })
    expect(Number(market.store.read().covered)).toBeGreaterThan(0)
  })
})
