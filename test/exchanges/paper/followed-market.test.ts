// A paper account on a venue's prices: the venue is a script, the clock a number.
import { describe, expect, it } from 'vitest'
import {
  around,
  CALM,
  MARKETS,
  openFollowing,
  openLive,
  perpetual,
  settle,
} from '../../../harness/venues/followed-stage.ts'
import { balanceOf, place, type Wanted } from '../../../harness/venues/place.ts'

const buy: Wanted = { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.1' }
const bid: Wanted = { ...buy, type: 'limit', price: '64000' }
const stop: Wanted = { ...buy, side: 'sell', type: 'stop', triggerPrice: '63000', reduceOnly: true }

describe('a paper account on real prices', () => {
  it('lists what the venue lists in one currency, and quotes what its book and ticker say', async () => {
    const { exchange } = await openLive()
    expect((await exchange.loadMarkets()).map(({ symbol }) => symbol)).toEqual(['BTCUSDT', 'PEPEUSDT'])
    expect(await exchange.fetchTicker('BTCUSDT')).toMatchObject({ last: '65000', bid: '64999.9', ask: '65000.1' })
    await expect(exchange.fetchTicker('FOOUSDT')).rejects.toMatchObject({ code: 'bad-symbol' })
  })

  it('counts in the currency that the contracts of a venue without USDT are settled in', async () => {
    const usdc = { settle: 'USDC', quote: 'USDC', symbol: 'BTCUSDC' }
    const { exchange } = openFollowing([
      perpetual('BTC', usdc),
      perpetual('ETH', { ...usdc, symbol: 'ETHUSD', settle: 'USD' }),
    ])
    expect((await exchange.loadMarkets()).map(({ symbol }) => symbol)).toEqual(['BTCUSDC'])
    expect(await balanceOf(exchange)).toMatchObject({ currency: 'USDC', total: '10000' })
  })

  it('fills by the depth of the book, and what eats the book pays for it', async () => {
    const { exchange } = await openLive()
    await place(exchange, { ...buy, amount: '1' })
    expect(await exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).toMatchObject([
      { price: '65000.1', amount: '0.5', takerOrMaker: 'taker' },
      { price: '65010', amount: '0.5', takerOrMaker: 'taker' },
    ])
  })

  it('fills whole lots only, whatever parts of one the book has', async () => {
    const { exchange, feed } = await openLive()
    feed.quote('BTCUSDT', '65000', {
      bids: [['64999.9', '1']],
      asks: [
        ['65000.1', '0.0509'],
        ['65000.2', '0.0004'],
        ['65000.3', '1'],
      ],
    })
    await place(exchange, buy)
    expect(await exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).toMatchObject([
      { price: '65000.1', amount: '0.05' },
      { price: '65000.3', amount: '0.05' },
    ])
  })

  it('fills no more than the book holds', async () => {
    const { exchange } = await openLive()
    await exchange.setLeverage('BTCUSDT', '100')
    expect(await place(exchange, { ...buy, amount: '4' })).toMatchObject({ status: 'canceled', filled: '2.5' })
  })

  it('fills a resting order when the book trades through it, at its own price, as it is heard', async () => {
    const { exchange, feed, events } = await openLive()
    await place(exchange, bid)
    feed.quote('BTCUSDT', '64001', around(64_001))
    await settle()
    expect(await exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).toEqual([])
    feed.quote('BTCUSDT', '64001', around(63_999, '0.04'))
    await settle()
    expect(events.filter(({ type }) => type === 'trade')).toMatchObject([
      { trade: { price: '64000', amount: '0.04', takerOrMaker: 'maker' } },
    ])
    expect(await exchange.fetchOpenOrders()).toMatchObject([{ remaining: '0.06' }])
  })

  it('fires a stop by the last price of the ticker, and not by the book', async () => {
    const { exchange, feed } = await openLive()
    await place(exchange, buy)
    await place(exchange, stop)
    feed.quote('BTCUSDT', '63000.1', around(62_000))
    await settle()
    expect(await exchange.fetchPositions()).toHaveLength(1)
    feed.ticker('BTCUSDT', '63000')
    await settle()
    expect(await exchange.fetchPositions()).toEqual([])
    expect((await exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).at(-1)).toMatchObject({ price: '61999.9' })
  })

  it('takes no more leverage than the market allows where none was set', async () => {
    const { exchange } = await openLive()
    expect(await exchange.fetchMargin?.('PEPEUSDT')).toMatchObject({ leverage: '5' })
  })

  it('follows what matters to it and nothing else', async () => {
    const { exchange, feed, advance } = await openLive()
    await place(exchange, bid)
    const end = exchange.watchTicker('PEPEUSDT')
    await advance()
    expect(feed.watched()).toEqual(['BTCUSDT', 'PEPEUSDT'])
    end()
    await exchange.cancelAllOrders()
    await advance(61_000)
    expect(feed.watched()).toEqual([])
  })
})

describe('without current prices', () => {
  it('says stale, once, and resynced when both ticker and book were heard again', async () => {
    const { exchange, feed, streams } = await openLive()
    await place(exchange, bid)
    feed.stream('BTCUSDT', 'stale')
    expect([streams(), exchange.stream]).toEqual([['stale'], 'stale'])
    feed.ticker('BTCUSDT', '63000')
    feed.stream('BTCUSDT', 'resynced')
    expect(exchange.stream).toBe('stale')
    feed.quote('BTCUSDT', '65000', CALM)
    expect([streams(), exchange.stream]).toEqual([['stale', 'resynced'], 'live'])
  })

  it('refuses orders and changes in words, and takes cancels', async () => {
    const { exchange, feed } = await openLive()
    const { id } = await place(exchange, bid)
    feed.stream('BTCUSDT', 'stale')
    await expect(place(exchange, buy)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('BTCUSDT are stale'),
    })
    await expect(exchange.fetchTicker('BTCUSDT')).rejects.toMatchObject({ code: 'unavailable' })
    const changed = await exchange.editOrder({ symbol: 'BTCUSDT', id }, { price: '66000' })
    expect(changed).toMatchObject({ kind: 'refused', error: { code: 'unavailable' } })
    expect(await exchange.cancelOrder({ symbol: 'BTCUSDT', id })).toMatchObject({ status: 'canceled' })
  })

  it('fills nothing and fires no stop, whatever is heard of half of it', async () => {
    const { exchange, feed, advance, store } = await openLive()
    await place(exchange, buy)
    await place(exchange, stop)
    await place(exchange, bid)
    const before = store.read()
    feed.stream('BTCUSDT', 'stale')
    feed.ticker('BTCUSDT', '60000')
    await advance(30_000)
    expect(await exchange.fetchOpenOrders()).toHaveLength(2)
    expect(store.read()).toBe(before)
  })

  it('is stale also when the feed says nothing any more, as after a sleep', async () => {
    const { exchange, feed, advance, streams } = await openLive()
    await place(exchange, bid)
    await advance(21_000)
    expect([exchange.stream, streams()]).toEqual(['stale', ['stale']])
    feed.quote('BTCUSDT', '65000', CALM)
    await advance()
    expect([exchange.stream, streams()]).toEqual(['live', ['stale', 'resynced']])
  })

  it('resumes with what is so now: a price that was reached and left meanwhile filled nothing', async () => {
    const { exchange, feed } = await openLive()
    await place(exchange, bid)
    await place(exchange, { ...bid, price: '64500' })
    feed.stream('BTCUSDT', 'stale')
    // At the venue the price was at 63 000 meanwhile, and nobody heard of it.
    feed.quote('BTCUSDT', '64400', around(64_400))
    feed.stream('BTCUSDT', 'resynced')
    await settle()
    expect(await exchange.fetchOpenOrders()).toMatchObject([{ price: '64000' }])
    expect(await exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).toMatchObject([{ price: '64500' }])
  })

  it('fills at its own price what a restart finds jumped over, as it would have been', async () => {
    const { exchange, openExchange, feeds } = await openLive()
    await place(exchange, bid)
    await exchange.close()
    const restarted = openExchange()
    const asked = restarted.fetchPositions()
    await settle()
    feeds[1]?.quote('BTCUSDT', '63000', around(63_000))
    feeds[1]?.stream('BTCUSDT', 'live')
    expect(await asked).toMatchObject([{ amount: '0.1', entryPrice: '64000' }])
  })

  it('fills nothing while another symbol that is held has no price: nobody knows what can be carried', async () => {
    const { exchange, openExchange, feeds, problems, feed, advance, store } = await openLive()
    const asked = exchange.fetchTicker('PEPEUSDT')
    await settle()
    feed.quote('PEPEUSDT', '100', around(100))
    feed.stream('PEPEUSDT', 'live')
    await asked
    await place(exchange, { ...buy, symbol: 'PEPEUSDT', amount: '1' })
    await place(exchange, bid)
    await exchange.close()
    const restarted = openExchange()
    restarted.subscribe(() => {})
    await advance()
    feeds[1]?.quote('BTCUSDT', '63000', around(63_000))
    feeds[1]?.stream('BTCUSDT', 'live')
    await advance()
    expect(store.read().openOrders).toHaveLength(1)
    expect(problems).toEqual([])
    feeds[1]?.quote('PEPEUSDT', '100', around(100))
    feeds[1]?.stream('PEPEUSDT', 'live')
    await advance()
    expect(store.read().openOrders).toEqual([])
  })

  it('takes no book whose bid is above its ask', async () => {
    const { exchange, feed } = await openLive()
    await place(exchange, bid)
    feed.quote('BTCUSDT', '65000', { bids: [['65000', '1']], asks: [['63000', '1']] })
    await settle()
    expect(await exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).toEqual([])
  })

  it('opens without a network, says why nothing trades, and takes cancels', async () => {
    const first = await openLive()
    const { id } = await place(first.exchange, bid)
    const exchange = first.openExchange()
    const [, feed] = first.feeds
    if (feed !== undefined) feed.isDown = true
    await expect(exchange.fetchBalances()).rejects.toMatchObject({ code: 'unavailable' })
    await expect(place(exchange, buy)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'the markets of scripted are not known yet: the venue did not answer',
    })
    expect(exchange.stream).toBe('live')
    exchange.subscribe(() => {})
    await first.advance(6_000)
    expect(exchange.stream).toBe('stale')
    expect(await exchange.cancelOrder({ symbol: 'BTCUSDT', id })).toMatchObject({ status: 'canceled' })
    await exchange.close()
  })

  it('trades again once the venue answers', async () => {
    const { exchange, feed, advance, store } = openFollowing(MARKETS, (feed) => {
      feed.isDown = true
    })
    await expect(place(exchange, buy)).rejects.toMatchObject({ code: 'unavailable' })
    feed.isDown = false
    const placed = place(exchange, buy)
    await settle()
    feed.quote('BTCUSDT', '65000', CALM)
    feed.stream('BTCUSDT', 'live')
    expect(await placed).toMatchObject({ status: 'closed' })
    await advance()
    expect(store.read().positions).toHaveLength(1)
  })

  it('is stale for what was asked for lately, and not for what the venue has not', async () => {
    const { exchange, feed, advance } = openFollowing(MARKETS, (feed) => {
      feed.isDown = true
    })
    for (const symbol of ['BTCUSDT', 'FOOUSDT']) {
      await expect(exchange.fetchTicker(symbol)).rejects.toMatchObject({ code: 'unavailable' })
    }
    await advance(6_000)
    expect(exchange.stream).toBe('stale')
    feed.isDown = false
    await exchange.loadMarkets()
    feed.quote('BTCUSDT', '65000', CALM)
    feed.stream('BTCUSDT', 'live')
    await advance()
    expect(exchange.stream).toBe('live')
    expect(feed.watched()).toEqual(['BTCUSDT'])
  })

  it('waits five seconds for the first prices of a symbol, not longer', async () => {
    const { exchange, feed, advance } = openFollowing()
    await exchange.loadMarkets()
    const refused = place(exchange, buy).catch((error: unknown) => error)
    await advance(5_000)
    expect(await refused).toMatchObject({ code: 'unavailable' })
    feed.quote('BTCUSDT', '65000', CALM)
    feed.stream('BTCUSDT', 'live')
    expect(await place(exchange, buy)).toMatchObject({ status: 'closed' })
  })
})
