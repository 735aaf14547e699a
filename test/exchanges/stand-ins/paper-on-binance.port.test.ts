// A paper account that follows Binance: through ccxt, over real sockets, on the stand-in under the venue's own names.
import { describe, expect, it, type Mock, onTestFinished, type TestContext, vi } from 'vitest'
import { ROUTES } from '../../../harness/venues/binance/routes.ts'
import { stageBinance } from '../../../harness/venues/binance/staged.ts'
import type { Binance } from '../../../harness/venues/binance/start-binance.ts'
import { balanceOf, place, type Wanted } from '../../../harness/venues/place.ts'
import { createMemoryStore } from '../../../harness/venues/scripted-market.ts'
import type { Exchange } from '../../../src/exchange/exchange.ts'
import { openCcxtMarketData } from '../../../src/exchanges/ccxt/market-data.ts'
import { FollowedMarket } from '../../../src/exchanges/paper/followed-market.ts'
import type { PaperVenue } from '../../../src/exchanges/paper/paper-controls.ts'
import { createPaperExchange } from '../../../src/exchanges/paper/paper-exchange.ts'
import { initialState } from '../../../src/exchanges/paper/state.ts'

const buy: Wanted = { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.01' }
/** A stream is silent for 15 s before it is stale. */
const PATIENT = { timeout: 45_000, interval: 50 }

interface Stage {
  readonly venue: Binance
  readonly exchange: Exchange & PaperVenue
  readonly onProblem: Mock
  readonly streams: string[]
}

async function open(context: TestContext): Promise<Stage> {
  const venue = await stageBinance(context)
  const onProblem = vi.fn()
  const data = await openCcxtMarketData({ venue: 'binance', kind: 'linear', now: Date.now, onProblem })
  const market = new FollowedMarket({
    data,
    now: Date.now,
    onProblem,
    after(ms, run) {
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
  })
  const exchange = createPaperExchange({
    market,
    store: createMemoryStore(initialState({ seed: 's', balance: '10000' })),
    now: Date.now,
    onProblem,
    every(ms, tick) {
      const timer = setInterval(tick, ms)
      return () => clearInterval(timer)
    },
    delay: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  })
  const streams: string[] = []
  exchange.subscribe((event) => event.type === 'stream' && streams.push(event.state))
  onTestFinished(async () => {
    await exchange.close()
    expect(venue.unexpected).toEqual([])
    // There are no keys: nothing but public questions leaves.
    expect(venue.heard.filter(({ route }) => ROUTES.get(route)?.security !== 'none')).toEqual([])
  })
  return { venue, exchange, onProblem, streams }
}

describe('a paper account at prices of Binance', () => {
  it('lists its contracts, quotes its book and fills by its depth', async (context) => {
    const { exchange } = await open(context)
    const symbols = (await exchange.loadMarkets()).map(({ symbol }) => symbol)
    expect(symbols).toContain('BTCUSDT')
    expect(await exchange.fetchTicker('BTCUSDT')).toMatchObject({ last: '50000', bid: '49999.9', ask: '50000.1' })
    const placed = await place(exchange, { ...buy, amount: '0.1' })
    expect(placed).toMatchObject({ status: 'closed', filled: '0.1' })
    const trades = await exchange.fetchMyTrades({ symbol: 'BTCUSDT' })
    // Its touch holds 0.049.
    expect(trades[0]).toMatchObject({ price: '50000.1', amount: '0.049', takerOrMaker: 'taker' })
    expect(Number(trades[1]?.price)).toBeGreaterThan(50_000.1)
    expect(await balanceOf(exchange)).toMatchObject({ currency: 'USDT' })
  })

  it('fills a resting order when the price comes to it, and fires a stop', async (context) => {
    const { venue, exchange } = await open(context)
    await place(exchange, buy)
    await place(exchange, { ...buy, type: 'limit', price: '49500' })
    await place(exchange, {
      ...buy,
      side: 'sell',
      type: 'stop',
      amount: '0.02',
      triggerPrice: '49000',
      reduceOnly: true,
    })
    venue.engine.movePrice('BTCUSDT', '49400')
    await vi.waitFor(async () => expect(await exchange.fetchPositions()).toMatchObject([{ amount: '0.02' }]), PATIENT)
    const filled = (await exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).at(-1)
    expect(filled).toMatchObject({ price: '49500', takerOrMaker: 'maker' })
    venue.engine.movePrice('BTCUSDT', '48900')
    await vi.waitFor(async () => expect(await exchange.fetchPositions()).toEqual([]), PATIENT)
    const exits = (await exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).filter(({ side }) => side === 'sell')
    // The ticker may be heard before the book: then it trades at the book that was heard last, never above that.
    for (const { price } of exits) expect(Number(price)).toBeLessThan(49_400)
    expect(exits.reduce((sum, { amount }) => sum + Number(amount), 0)).toBeCloseTo(0.02, 8)
  })

  it('knows the next payment of funding', async (context) => {
    const { exchange, venue } = await open(context)
    await place(exchange, buy)
    await vi.waitFor(() => expect(venue.asked('GET /fapi/v1/premiumIndex')).not.toEqual([]), PATIENT)
  })

  it('is stale when the venue falls silent, fills nothing meanwhile, and goes on with what is so then', async (context) => {
    const { venue, exchange, streams } = await open(context)
    await place(exchange, buy)
    await place(exchange, { ...buy, type: 'limit', price: '49500' })
    await place(exchange, { ...buy, side: 'sell', type: 'stop', triggerPrice: '49000', reduceOnly: true })
    await venue.cut()
    venue.engine.movePrice('BTCUSDT', '48000')
    await vi.waitFor(() => expect(exchange.stream).toBe('stale'), PATIENT)
    await expect(place(exchange, buy)).rejects.toMatchObject({ code: 'unavailable' })
    expect(await exchange.fetchOpenOrders()).toHaveLength(2)
    // What was at 48 000 meanwhile was never heard.
    venue.engine.movePrice('BTCUSDT', '50000')
    await venue.listen()
    await vi.waitFor(() => expect(exchange.stream).toBe('live'), PATIENT)
    expect(streams).toEqual(['stale', 'resynced'])
    expect(await exchange.fetchOpenOrders()).toHaveLength(2)
    expect(await place(exchange, buy)).toMatchObject({ status: 'closed' })
  }, 120_000)
})
