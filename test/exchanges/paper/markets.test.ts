import { Decimal } from 'decimal.js'
import { describe, expect, it } from 'vitest'
import { findMarket, PAPER_MARKETS, START_PRICES } from '../../../src/exchanges/paper/markets.ts'
import { quote } from '../../../src/exchanges/paper/quotes.ts'

describe('the paper markets', () => {
  it('are a dozen, each with a start price on its tick', () => {
    expect(PAPER_MARKETS).toHaveLength(12)
    for (const { symbol, priceGrid } of PAPER_MARKETS) {
      expect(new Decimal(START_PRICES[symbol] ?? 'NaN').mod(priceGrid.tick).toFixed()).toBe('0')
    }
    expect(Object.keys(START_PRICES)).toHaveLength(12)
  })

  it.each(PAPER_MARKETS)('$symbol: a tick times a lot fits the eight decimals in which money is booked', (market) => {
    expect(new Decimal(market.priceGrid.tick).times(market.lotSize).decimalPlaces()).toBeLessThanOrEqual(8)
  })

  it('names the known symbols when asked for an unknown one', () => {
    expect(() => findMarket('btcusdt')).toThrow(
      expect.objectContaining({ code: 'bad-symbol', hint: expect.stringContaining('BTCUSDT, ETHUSDT') }),
    )
  })

  it('quote a bid and an ask one tick around the last price', () => {
    expect(quote({ lastPrice: () => '65000.0' }, 'BTCUSDT', 7)).toEqual({
      symbol: 'BTCUSDT',
      last: '65000',
      bid: '64999.9',
      ask: '65000.1',
      timestamp: 7,
    })
  })

  it('never bid zero', () => {
    expect(quote({ lastPrice: () => '0.0001' }, 'ARBUSDT', 0)).toMatchObject({ bid: '0.0001', ask: '0.0002' })
  })
})
