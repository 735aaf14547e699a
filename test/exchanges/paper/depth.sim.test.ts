import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { balanceOf, place, type Wanted } from '../../../harness/venues/place.ts'
import { createScriptedMarket } from '../../../harness/venues/scripted-market.ts'
import { bookAt, createSyntheticDepth, walkBook } from '../../../src/exchanges/paper/depth.ts'
import { findMarket, OFFLINE_LISTING, PAPER_MARKETS, START_PRICES } from '../../../src/exchanges/paper/markets.ts'
import { quotesAt } from '../../../src/exchanges/paper/quotes.ts'

const start = Date.UTC(2026, 0, 1)
const prices = { lastPrice: (symbol: string) => START_PRICES[symbol] ?? '1' }
const at = (ms: number, seed = 's') =>
  bookAt(createSyntheticDepth(seed), { quotes: quotesAt(prices, ms), listing: OFFLINE_LISTING }, ms)
const second = fc.integer({ min: 0, max: 10_000_000 }).map((offset) => start + offset * 1000)
const side = fc.constantFrom('buy' as const, 'sell' as const)
const symbol = fc.constantFrom(...PAPER_MARKETS.map((market) => market.symbol))

const order = (more: Partial<Wanted>): Wanted => ({
  symbol: 'BTCUSDT',
  side: 'buy',
  type: 'market',
  amount: '0.1',
  ...more,
})
const open = () => createScriptedMarket({ depth: createSyntheticDepth('s'), balance: '1000000' })

describe('the book', () => {
  it('is the same for every process within a second, and another one in the next', () => {
    fc.assert(
      fc.property(second, side, symbol, (ms, side, symbol) => {
        const levels = (when: number) =>
          Array.from({ length: 30 }, (_, level) => at(when)(symbol, side, level)?.amount.toFixed())
        expect(levels(ms + 999)).toEqual(levels(ms))
        expect(levels(ms + 1000)).not.toEqual(levels(ms))
      }),
      { numRuns: 50 },
    )
  })

  it('has levels on the grid, each worse than the one before, in lots, and ends', () => {
    fc.assert(
      fc.property(second, side, symbol, (ms, side, symbol) => {
        const book = at(ms)
        const { priceGrid, lotSize } = findMarket(symbol)
        let last = new Decimal(side === 'buy' ? 0 : '1e9')
        for (let level = 0; level < 30; level += 1) {
          const { price, amount } = book(symbol, side, level) ?? { price: new Decimal(0), amount: new Decimal(0) }
          expect(side === 'buy' ? price.gt(last) : price.lt(last)).toBe(true)
          expect(price.mod(priceGrid.tick).isZero() && amount.gt(0) && amount.mod(lotSize).isZero()).toBe(true)
          last = price
        }
        expect(book(symbol, side, 30)).toBeUndefined()
      }),
      { numRuns: 100 },
    )
  })

  it('holds thousands of dollars of BTC at the best price, and 90 000 over several levels', () => {
    fc.assert(
      fc.property(second, side, (ms, side) => {
        const ask = (dollars: number) =>
          walkBook(at(ms), { symbol: 'BTCUSDT', side, amount: new Decimal(dollars).div(65_000), taken: new Decimal(0) })
        expect(ask(10_000)).toHaveLength(1)
        expect(ask(90_000).length).toBeGreaterThan(1)
        expect(ask(90_000).length).toBeLessThan(8)
      }),
    )
  })

  it.each([
    ['nothing taken', '0', '5', ['1@10', '2@11', '2@12']],
    ['a level and a half taken', '2', '3', ['1@11', '2@12']],
    ['all taken', '9', '3', []],
    ['more wanted than there is', '0', '9', ['1@10', '2@11', '3@12']],
  ])('is walked from the front, with %s', (_what, taken, amount, fills) => {
    const book = (_symbol: string, _side: string, level: number) =>
      level < 3 ? { price: new Decimal(10 + level), amount: new Decimal(level + 1) } : undefined
    const got = walkBook(book, { symbol: 'X', side: 'buy', amount: new Decimal(amount), taken: new Decimal(taken) })
    expect(got.map((fill) => `${fill.amount}@${fill.price}`)).toEqual(fills)
  })
})

describe('an order in a book with levels', () => {
  it('for 90 000 dollars pays more than the best price, in several fills', async () => {
    const { exchange } = open()
    const placed = await place(exchange, order({ amount: '1.384' }))
    const trades = await exchange.fetchMyTrades({ symbol: 'BTCUSDT' })
    expect(placed).toMatchObject({ status: 'closed', filled: '1.384' })
    expect(trades.length).toBeGreaterThan(1)
    expect(trades[0]?.price).toBe('65000.1')
    expect(Number(placed.average)).toBeGreaterThan(65_000.1)
    expect(Number(placed.average)).toBeLessThan(65_065)
  })

  it('larger than the book is canceled for the rest, with the reason', async () => {
    const { exchange } = open()
    const events: unknown[] = []
    exchange.subscribe((event) => event.type === 'order' && events.push(event))
    const placed = await place(exchange, order({ symbol: 'ARBUSDT', amount: '200000' }))
    expect(placed).toMatchObject({ status: 'canceled' })
    expect(Number(placed.filled)).toBeGreaterThan(50_000)
    expect(events).toEqual([{ type: 'order', order: placed, reason: 'the book has no more liquidity within reach' }])
  })

  it('finds what the account left in this second, from any process, and a full book in the next', async () => {
    const market = open()
    const amount = '200000'
    const first = await place(market.exchange, order({ symbol: 'ARBUSDT', amount }))
    const second = await place(market.openExchange(), order({ symbol: 'ARBUSDT', amount }))
    expect(second).toMatchObject({ status: 'canceled', filled: '0' })
    await market.advance()
    const third = await place(market.exchange, order({ symbol: 'ARBUSDT', amount }))
    expect(Number(third.filled) / Number(first.filled)).toBeCloseTo(1, 0)
  })

  it('as a limit rests for what is left and fills on as the book fills up', async () => {
    const market = open()
    const wanted = order({ symbol: 'ARBUSDT', type: 'limit', price: '0.801', amount: '40000' })
    let { filled } = await place(market.exchange, wanted)
    const steps = [Number(filled)]
    while (Number(filled) < 40_000) {
      await market.advance()
      const [resting] = await market.exchange.fetchOpenOrders()
      filled = resting?.filled ?? '40000'
      expect(Number(filled)).toBeGreaterThan(steps.at(-1) ?? 0)
      steps.push(Number(filled))
    }
    expect(steps.length).toBeGreaterThan(2)
    const trades = await market.exchange.fetchMyTrades({ symbol: 'ARBUSDT' })
    expect(trades[0]?.takerOrMaker).toBe('taker')
    expect(trades.at(-1)).toMatchObject({ takerOrMaker: 'maker', price: '0.801' })
  })

  it('that a stop becomes fills over levels too', async () => {
    const market = open()
    await place(market.exchange, order({ amount: '1.4' }))
    await market.advance()
    await place(market.exchange, order({ side: 'sell', type: 'stop', amount: '1.4', triggerPrice: '64000' }))
    market.setPrice('BTCUSDT', '64000')
    await market.advance()
    expect(await market.exchange.fetchPositions()).toEqual([])
    const exits = (await market.exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).filter((trade) => trade.side === 'sell')
    expect(exits.length).toBeGreaterThan(1)
    expect((await balanceOf(market.exchange)).used).toBe('0')
  })
})
