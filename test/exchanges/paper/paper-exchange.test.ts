import { describe, expect, it } from 'vitest'
import { balanceOf, newOrderId, place, type Wanted } from '../../../harness/venues/place.ts'
import { createScriptedMarket } from '../../../harness/venues/scripted-market.ts'
import type { ExchangeEvent } from '../../../src/exchange/exchange.ts'

const buy: Wanted = { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.01' }
const bid: Wanted = { ...buy, type: 'limit', price: '64000' }
const offer: Wanted = { ...bid, side: 'sell', price: '66000' }

function collect(exchange: { subscribe(handler: (event: ExchangeEvent) => void): () => void }) {
  const events: ExchangeEvent[] = []
  return { events, stop: exchange.subscribe((event) => events.push(event)) }
}

describe('the paper exchange', () => {
  it('lists its markets and quotes them at the time of the clock', async () => {
    const { exchange, now } = createScriptedMarket()
    expect((await exchange.loadMarkets()).map((market) => market.symbol)).toContain('ETHUSDT')
    expect(await exchange.fetchTicker('BTCUSDT')).toMatchObject({ last: '65000', timestamp: now() })
    await expect(exchange.fetchTicker('FOOUSDT')).rejects.toMatchObject({ code: 'bad-symbol' })
  })

  it('lists open orders oldest first, of one symbol where asked', async () => {
    const { exchange } = createScriptedMarket()
    await place(exchange, bid)
    await place(exchange, { ...bid, symbol: 'ETHUSDT', price: '3000' })
    await place(exchange, offer)
    expect((await exchange.fetchOpenOrders()).map(({ id }) => id)).toEqual(['p1', 'p2', 'p3'])
    expect((await exchange.fetchOpenOrders('BTCUSDT')).map(({ id }) => id)).toEqual(['p1', 'p3'])
    await expect(exchange.fetchOpenOrders('FOOUSDT')).rejects.toMatchObject({ code: 'bad-symbol' })
  })

  it('lists the newest trades last, fifty unless told otherwise', async () => {
    const { exchange } = createScriptedMarket()
    const wanted = Array.from(
      { length: 201 },
      (_, count) => ({ ...buy, side: count % 2 === 0 ? 'buy' : 'sell' }) as const,
    )
    await Promise.all(wanted.map((each) => place(exchange, each)))
    expect(await exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).toHaveLength(50)
    expect((await exchange.fetchMyTrades({ symbol: 'BTCUSDT', limit: 2 })).map(({ id }) => id)).toEqual([
      't200',
      't201',
    ])
    expect(await exchange.fetchMyTrades({ symbol: 'BTCUSDT', limit: 0 })).toEqual([])
    expect(await exchange.fetchMyTrades({ symbol: 'BTCUSDT', limit: 500 })).toHaveLength(201)
  })

  it('cancels one order, once', async () => {
    const { exchange } = createScriptedMarket()
    const placed = await place(exchange, bid)
    expect(await exchange.cancelOrder({ symbol: 'BTCUSDT', id: 'p1' })).toEqual({ ...placed, status: 'canceled' })
    await expect(exchange.cancelOrder({ symbol: 'BTCUSDT', id: 'p1' })).rejects.toMatchObject({
      code: 'order-not-found',
    })
  })

  it('cancels all orders, of one symbol where asked', async () => {
    const { exchange } = createScriptedMarket()
    await place(exchange, bid)
    await place(exchange, { ...bid, symbol: 'ETHUSDT', price: '3000' })
    await place(exchange, offer)
    expect(await exchange.cancelAllOrders('BTCUSDT')).toMatchObject([
      { id: 'p1', status: 'canceled' },
      { id: 'p3', status: 'canceled' },
    ])
    expect(await exchange.cancelAllOrders()).toMatchObject([{ id: 'p2' }])
    expect(await exchange.cancelAllOrders()).toEqual([])
  })

  it('fills what the price reached before it answers, without waiting for a tick', async () => {
    const { exchange, setPrice } = createScriptedMarket()
    await place(exchange, bid)
    setPrice('BTCUSDT', '63000')
    expect(await exchange.fetchPositions()).toMatchObject([{ amount: '0.01', entryPrice: '64000' }])
  })

  it('keeps the fills that came before an order it refuses', async () => {
    const { exchange, setPrice, store } = createScriptedMarket()
    await place(exchange, bid)
    setPrice('BTCUSDT', '63000')
    await expect(place(exchange, { ...buy, amount: '0' })).rejects.toMatchObject({ code: 'invalid-order' })
    expect(store.read().trades).toMatchObject([{ orderId: 'p1' }])
  })

  it('writes nothing while nothing changes', async () => {
    const { exchange, store, setPrice, advance } = createScriptedMarket()
    await place(exchange, buy)
    await place(exchange, bid)
    collect(exchange)
    setPrice('BTCUSDT', '65500')
    await advance(60_000)
    await balanceOf(exchange)
    await exchange.cancelAllOrders('ETHUSDT')
    expect(store.writes).toBe(2)
  })

  it('stops at close and leaves the account as it is', async () => {
    const { exchange, store, setPrice, advance } = createScriptedMarket()
    const { events } = collect(exchange)
    await place(exchange, bid)
    await exchange.close()
    setPrice('BTCUSDT', '63000')
    await advance(5000)
    expect(events).toHaveLength(1)
    expect(store.read().openOrders).toHaveLength(1)
  })
})

describe('after a restart', () => {
  it('the account is what it was', async () => {
    const { exchange, openExchange } = createScriptedMarket()
    await place(exchange, buy)
    await place(exchange, bid)
    await exchange.close()
    const restarted = openExchange()
    expect(await restarted.fetchPositions()).toEqual(await exchange.fetchPositions())
    expect(await restarted.fetchOpenOrders()).toEqual(await exchange.fetchOpenOrders())
    expect(await restarted.fetchMyTrades({ symbol: 'BTCUSDT' })).toEqual(
      await exchange.fetchMyTrades({ symbol: 'BTCUSDT' }),
    )
    expect(await place(restarted, buy)).toMatchObject({ id: 'p3' })
  })

  it.each([
    { request: bid, price: '63000', average: '63000.1', takerOrMaker: 'maker' },
    { request: offer, price: '67000', average: '66999.9', takerOrMaker: 'maker' },
    {
      request: { ...buy, side: 'sell', type: 'stop', triggerPrice: '64000' },
      price: '63000',
      average: '62999.9',
      takerOrMaker: 'taker',
    },
  ] as const)('an order the price jumped over meanwhile fills at the opening quote $average', async (row) => {
    const { exchange, openExchange, setPrice } = createScriptedMarket()
    await place(exchange, row.request)
    await exchange.close()
    setPrice('BTCUSDT', row.price)
    expect(await openExchange().fetchMyTrades({ symbol: 'BTCUSDT' })).toMatchObject([
      { price: row.average, takerOrMaker: row.takerOrMaker },
    ])
  })

  it('limits fill at their own price again once the market has opened', async () => {
    const { exchange, openExchange, setPrice, advance } = createScriptedMarket()
    await place(exchange, bid)
    await exchange.close()
    const restarted = openExchange()
    await advance()
    setPrice('BTCUSDT', '63000')
    expect(await restarted.fetchMyTrades({ symbol: 'BTCUSDT' })).toMatchObject([{ price: '64000' }])
  })
})

describe('subscribers', () => {
  it('hear of placed, filled and cancelled orders once each, in order, after they were stored', async () => {
    const { exchange, store, setPrice, advance } = createScriptedMarket()
    const seen: unknown[] = []
    exchange.subscribe((event) => {
      if (event.type === 'trade') seen.push(['trade', event.trade.orderId, store.read().trades.at(-1)?.id])
      if (event.type === 'order') seen.push([event.order.id, event.order.status, store.read().nextChangeSeq])
    })
    await place(exchange, buy)
    await place(exchange, bid)
    await place(exchange, offer)
    setPrice('BTCUSDT', '63000')
    await advance()
    await exchange.cancelOrder({ symbol: 'BTCUSDT', id: 'p3' })
    expect(seen).toEqual([
      ['trade', 'p1', 't1'],
      ['p1', 'closed', 3],
      ['p2', 'open', 4],
      ['p3', 'open', 5],
      ['trade', 'p2', 't2'],
      ['p2', 'closed', 7],
      ['p3', 'canceled', 8],
    ])
  })

  it('hear nothing of an order that could not be stored', async () => {
    const { exchange, store } = createScriptedMarket()
    const { events } = collect(exchange)
    store.failure = new Error('disk full')
    expect(await exchange.createOrder({ ...buy, clientOrderId: newOrderId() })).toMatchObject({
      kind: 'refused',
      error: { code: 'unavailable', cause: store.failure },
    })
    store.failure = undefined
    await balanceOf(exchange)
    expect(events).toEqual([])
  })

  it('hear what another process did on the account', async () => {
    const { exchange, openExchange } = createScriptedMarket()
    const { events } = collect(exchange)
    await place(openExchange(), buy)
    expect(events).toMatchObject([{ trade: { id: 't1' } }, { order: { id: 'p1', status: 'closed' } }])
  })

  it('hear what another process did at the next tick where the store cannot be watched', async () => {
    const { exchange, openExchange, store, advance } = createScriptedMarket()
    const unwatched = openExchange()
    const watch = store.watch
    delete store.watch
    const { events } = collect(unwatched)
    if (watch !== undefined) store.watch = watch
    await place(exchange, buy)
    expect(events).toEqual([])
    await advance()
    expect(events).toMatchObject([{ type: 'trade', trade: { id: 't1' } }, { type: 'order' }])
  })

  it('hear only of what came after they subscribed, and nothing once they stopped', async () => {
    const { exchange } = createScriptedMarket()
    await place(exchange, buy)
    const { events, stop } = collect(exchange)
    await place(exchange, buy)
    stop()
    await place(exchange, buy)
    expect(events).toMatchObject([{ trade: { id: 't2' } }, { order: { id: 'p2' } }])
  })

  it('get the ticker of a symbol while it is watched, at once and each second; asking for one subscribes to nothing', async () => {
    const { exchange, setPrice, advance } = createScriptedMarket()
    await exchange.fetchTicker('BTCUSDT')
    const { events } = collect(exchange)
    const stops = [exchange.watchTicker('ETHUSDT'), exchange.watchTicker('ETHUSDT')]
    await advance()
    setPrice('ETHUSDT', '3201')
    stops[0]?.()
    stops[0]?.()
    await advance()
    stops[1]?.()
    await advance()
    expect(events).toMatchObject(
      ['3200', '3200', '3200', '3201'].map((last) => ({ type: 'ticker', ticker: { symbol: 'ETHUSDT', last } })),
    )
    expect(() => exchange.watchTicker('FOOUSDT')).toThrow(expect.objectContaining({ code: 'bad-symbol' }))
  })

  it('are called although one before them throws, which is reported', async () => {
    const { exchange, problems } = createScriptedMarket()
    const broken = new Error('broken subscriber')
    exchange.subscribe(() => {
      throw broken
    })
    const { events } = collect(exchange)
    expect(await place(exchange, buy)).toMatchObject({ status: 'closed' })
    expect(events).toHaveLength(2)
    expect(problems).toEqual([broken, broken])
  })
})

describe('a tick', () => {
  it('waits for the one before it while the store is slow', async () => {
    const { exchange, store, setPrice, advance } = createScriptedMarket()
    await place(exchange, bid)
    setPrice('BTCUSDT', '63000')
    let updates = 0
    store.update = () => {
      updates += 1
      return new Promise(() => {})
    }
    await advance(5000)
    expect(updates).toBe(1)
  })
})

describe('a tick that cannot store a fill', () => {
  it('is reported once, and the fill is made when the store works again', async () => {
    const { exchange, store, problems, setPrice, advance } = createScriptedMarket()
    await place(exchange, bid)
    setPrice('BTCUSDT', '63000')
    const failure = new Error('disk full')
    store.failure = failure
    await advance(3000)
    expect(problems).toMatchObject([{ code: 'unavailable', cause: failure }])
    store.failure = undefined
    await advance()
    expect(store.read().trades).toHaveLength(1)
    store.failure = failure
    await advance(2000)
    expect(problems).toMatchObject([{ code: 'unavailable', cause: failure }])
  })
})
