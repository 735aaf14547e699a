import { describe, expect, it } from 'vitest'
import { createScriptedMarket } from '../../../harness/venues/scripted-market.ts'
import type { ExchangeEvent, OrderRequest } from '../../../src/exchange/exchange.ts'

const buy: OrderRequest = { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.01' }
const bid: OrderRequest = { ...buy, type: 'limit', price: '64000' }
const offer: OrderRequest = { ...bid, side: 'sell', price: '66000' }

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
    await exchange.createOrder(bid)
    await exchange.createOrder({ ...bid, symbol: 'ETHUSDT', price: '3000' })
    await exchange.createOrder(offer)
    expect((await exchange.fetchOpenOrders()).map(({ id }) => id)).toEqual(['p1', 'p2', 'p3'])
    expect((await exchange.fetchOpenOrders('BTCUSDT')).map(({ id }) => id)).toEqual(['p1', 'p3'])
    await expect(exchange.fetchOpenOrders('FOOUSDT')).rejects.toMatchObject({ code: 'bad-symbol' })
  })

  it('lists the newest trades last, fifty unless told otherwise, and keeps two hundred', async () => {
    const { exchange } = createScriptedMarket()
    for (let count = 0; count < 201; count += 1) {
      await exchange.createOrder({ ...buy, side: count % 2 === 0 ? 'buy' : 'sell' })
    }
    expect(await exchange.fetchMyTrades()).toHaveLength(50)
    expect((await exchange.fetchMyTrades(2)).map(({ id }) => id)).toEqual(['t200', 't201'])
    expect(await exchange.fetchMyTrades(0)).toEqual([])
    expect(await exchange.fetchMyTrades(500)).toHaveLength(200)
  })

  it('cancels one order, once', async () => {
    const { exchange } = createScriptedMarket()
    const placed = await exchange.createOrder(bid)
    expect(await exchange.cancelOrder('p1')).toEqual({ ...placed, status: 'canceled' })
    await expect(exchange.cancelOrder('p1')).rejects.toMatchObject({ code: 'order-not-found' })
  })

  it('cancels all orders, of one symbol where asked', async () => {
    const { exchange } = createScriptedMarket()
    await exchange.createOrder(bid)
    await exchange.createOrder({ ...bid, symbol: 'ETHUSDT', price: '3000' })
    await exchange.createOrder(offer)
    expect(await exchange.cancelAllOrders('BTCUSDT')).toMatchObject([
      { id: 'p1', status: 'canceled' },
      { id: 'p3', status: 'canceled' },
    ])
    expect(await exchange.cancelAllOrders()).toMatchObject([{ id: 'p2' }])
    expect(await exchange.cancelAllOrders()).toEqual([])
  })

  it('fills what the price reached before it answers, without waiting for a tick', async () => {
    const { exchange, setPrice } = createScriptedMarket()
    await exchange.createOrder(bid)
    setPrice('BTCUSDT', '63000')
    expect(await exchange.fetchPositions()).toMatchObject([{ amount: '0.01', entryPrice: '64000' }])
  })

  it('keeps the fills that came before an order it refuses', async () => {
    const { exchange, setPrice, store } = createScriptedMarket()
    await exchange.createOrder(bid)
    setPrice('BTCUSDT', '63000')
    await expect(exchange.createOrder({ ...buy, amount: '0' })).rejects.toMatchObject({ code: 'invalid-order' })
    expect(store.read().trades).toMatchObject([{ orderId: 'p1' }])
  })

  it('writes nothing while nothing changes', async () => {
    const { exchange, store, setPrice, advance } = createScriptedMarket()
    await exchange.createOrder(buy)
    await exchange.createOrder(bid)
    collect(exchange)
    setPrice('BTCUSDT', '65500')
    await advance(60_000)
    await exchange.fetchBalance()
    await exchange.cancelAllOrders('ETHUSDT')
    expect(store.writes).toBe(2)
  })

  it('stops at close and leaves the account as it is', async () => {
    const { exchange, store, setPrice, advance } = createScriptedMarket()
    const { events } = collect(exchange)
    await exchange.createOrder(bid)
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
    await exchange.createOrder(buy)
    await exchange.createOrder(bid)
    await exchange.close()
    const restarted = openExchange()
    expect(await restarted.fetchPositions()).toEqual(await exchange.fetchPositions())
    expect(await restarted.fetchOpenOrders()).toEqual(await exchange.fetchOpenOrders())
    expect(await restarted.fetchMyTrades()).toEqual(await exchange.fetchMyTrades())
    expect(await restarted.createOrder(buy)).toMatchObject({ id: 'p3' })
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
    await exchange.createOrder(row.request)
    await exchange.close()
    setPrice('BTCUSDT', row.price)
    expect(await openExchange().fetchMyTrades()).toMatchObject([{ price: row.average, takerOrMaker: row.takerOrMaker }])
  })

  it('limits fill at their own price again once the market has opened', async () => {
    const { exchange, openExchange, setPrice, advance } = createScriptedMarket()
    await exchange.createOrder(bid)
    await exchange.close()
    const restarted = openExchange()
    await advance()
    setPrice('BTCUSDT', '63000')
    expect(await restarted.fetchMyTrades()).toMatchObject([{ price: '64000' }])
  })
})

describe('subscribers', () => {
  it('hear of placed, filled and cancelled orders once each, in order, after they were stored', async () => {
    const { exchange, store, setPrice, advance } = createScriptedMarket()
    const seen: unknown[] = []
    exchange.subscribe((event) => {
      if (event.type === 'ticker') return
      seen.push([event.type, event.order.id, event.order.status, store.read().changes.at(-1)?.order.id])
    })
    await exchange.createOrder(buy)
    await exchange.createOrder(bid)
    await exchange.createOrder(offer)
    setPrice('BTCUSDT', '63000')
    await advance()
    await exchange.cancelOrder('p3')
    expect(seen).toEqual([
      ['trade', 'p1', 'closed', 'p1'],
      ['order', 'p2', 'open', 'p2'],
      ['order', 'p3', 'open', 'p3'],
      ['trade', 'p2', 'closed', 'p2'],
      ['order', 'p3', 'canceled', 'p3'],
    ])
  })

  it('hear nothing of an order that could not be stored', async () => {
    const { exchange, store } = createScriptedMarket()
    const { events } = collect(exchange)
    store.failure = new Error('disk full')
    await expect(exchange.createOrder(buy)).rejects.toBe(store.failure)
    store.failure = undefined
    await exchange.fetchBalance()
    expect(events).toEqual([])
  })

  it('hear what another process did on the account', async () => {
    const { exchange, openExchange } = createScriptedMarket()
    const { events } = collect(exchange)
    await openExchange().createOrder(buy)
    expect(events).toMatchObject([{ type: 'trade', trade: { id: 't1' }, order: { id: 'p1' } }])
  })

  it('hear what another process did at the next tick where the store cannot be watched', async () => {
    const { exchange, openExchange, store, advance } = createScriptedMarket()
    const unwatched = openExchange()
    const watch = store.watch
    delete store.watch
    const { events } = collect(unwatched)
    if (watch !== undefined) store.watch = watch
    await exchange.createOrder(buy)
    expect(events).toEqual([])
    await advance()
    expect(events).toMatchObject([{ type: 'trade', trade: { id: 't1' } }])
  })

  it('hear only of what came after they subscribed, and nothing once they stopped', async () => {
    const { exchange } = createScriptedMarket()
    await exchange.createOrder(buy)
    const { events, stop } = collect(exchange)
    await exchange.createOrder(buy)
    stop()
    await exchange.createOrder(buy)
    expect(events).toMatchObject([{ trade: { id: 't2' } }])
  })

  it('get the ticker of every symbol that was fetched, each second', async () => {
    const { exchange, setPrice, advance } = createScriptedMarket()
    await exchange.fetchTicker('ETHUSDT')
    const { events } = collect(exchange)
    await advance()
    setPrice('ETHUSDT', '3201')
    await advance()
    expect(events).toMatchObject([
      { type: 'ticker', ticker: { symbol: 'ETHUSDT', last: '3200' } },
      { type: 'ticker', ticker: { symbol: 'ETHUSDT', last: '3201' } },
    ])
  })

  it('are called although one before them throws, which is reported', async () => {
    const { exchange, problems } = createScriptedMarket()
    const broken = new Error('broken subscriber')
    exchange.subscribe(() => {
      throw broken
    })
    const { events } = collect(exchange)
    expect(await exchange.createOrder(buy)).toMatchObject({ status: 'closed' })
    expect(events).toHaveLength(1)
    expect(problems).toEqual([broken])
  })
})

describe('a tick', () => {
  it('waits for the one before it while the store is slow', async () => {
    const { exchange, store, setPrice, advance } = createScriptedMarket()
    await exchange.createOrder(bid)
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
    await exchange.createOrder(bid)
    setPrice('BTCUSDT', '63000')
    const failure = new Error('disk full')
    store.failure = failure
    await advance(3000)
    expect(problems).toEqual([failure])
    store.failure = undefined
    await advance()
    expect(store.read().trades).toHaveLength(1)
    store.failure = failure
    await advance(2000)
    expect(problems).toEqual([failure])
  })
})

describe('two exchanges on one account', () => {
  it('lose no order, give each its own id, and tell of each once', async () => {
    const { exchange, openExchange } = createScriptedMarket()
    const other = openExchange()
    const told = [exchange, other].map((one) => collect(one).events)
    const placed = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        (index % 2 === 0 ? exchange : other).createOrder(index % 3 === 0 ? bid : buy),
      ),
    )
    const ids = Array.from({ length: 100 }, (_, index) => `p${index + 1}`)
    expect(placed.map(({ id }) => id)).toEqual(ids)
    for (const events of told) {
      expect(events.map((event) => event.type !== 'ticker' && event.order.id)).toEqual(ids)
    }
    expect(await exchange.fetchOpenOrders()).toHaveLength(34)
    expect(await other.fetchPositions()).toMatchObject([{ amount: '0.66' }])
  })

  it('fill a resting order once', async () => {
    const { exchange, openExchange, setPrice, advance } = createScriptedMarket()
    const other = openExchange()
    await exchange.createOrder(bid)
    setPrice('BTCUSDT', '63000')
    await advance()
    expect(await other.fetchMyTrades()).toHaveLength(1)
  })
})
