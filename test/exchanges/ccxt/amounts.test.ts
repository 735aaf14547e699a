// Contracts and amounts: the same size both ways, and never more of it.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Capabilities } from '../../../src/exchange/exchange.ts'
import { ExchangeError } from '../../../src/exchange/exchange-error.ts'
import { Decimal } from '../../../src/exchanges/ccxt/decimals.ts'
import { fromContracts, readMarkets, toContracts, type VenueMarket } from '../../../src/exchanges/ccxt/markets.ts'
import { requireOrderTerms } from '../../../src/exchanges/ccxt/venue-orders.ts'

const ID = '0123456789abcdef0123456789abcdef'
const ALL: Capabilities = {
  orderTypes: ['market', 'limit'],
  timeInForce: ['gtc'],
  postOnly: true,
  reduceOnly: true,
  editOrder: true,
  setLeverage: true,
}

/** What venues have: a power of ten, or a few of them. */
const step = fc
  .record({ digits: fc.constantFrom(1, 2, 5, 10, 25), exponent: fc.integer({ min: -10, max: 2 }) })
  .map(({ digits, exponent }) => new Decimal(10).pow(exponent).times(digits).toFixed())

const market = fc
  .record({ contractSize: step, lot: step, isInverse: fc.boolean() })
  .map(({ contractSize, lot, isInverse }): VenueMarket => {
    const row = {
      id: 'X',
      base: 'BTC',
      quote: 'USD',
      settle: isInverse ? 'BTC' : 'USD',
      swap: true,
      active: true,
      symbol: isInverse ? 'BTC/USD:BTC' : 'BTC/USD:USD',
      linear: !isInverse,
      inverse: isInverse,
      contractSize,
      precision: { amount: lot, price: '0.1' },
      limits: { amount: { min: lot } },
    }
    const book = readMarkets({ X: row }, { kind: isInverse ? 'inverse' : 'linear', precisionMode: 4 })
    const [read] = book.markets
    const found = read === undefined ? undefined : book.byName(read.symbol)
    if (found === undefined) throw new Error('the market is not read')
    return found
  })
const count = fc.integer({ min: 1, max: 1_000_000_000 })

describe('an amount', () => {
  it('is the same after it was counted in contracts, and a whole number of lots of them', () => {
    fc.assert(
      fc.property(market, count, (venueMarket, lots) => {
        const amount = new Decimal(venueMarket.market.lotSize).times(lots).toFixed()
        const contracts = toContracts(amount, venueMarket)
        const lot = toContracts(venueMarket.market.lotSize, venueMarket)
        expect(fromContracts(contracts, venueMarket)).toBe(amount)
        expect(new Decimal(contracts).div(lot).toFixed()).toBe(String(lots))
      }),
    )
  })

  it('in contracts is theirs after it was told in our unit', () => {
    fc.assert(
      fc.property(market, count, (venueMarket, contracts) => {
        expect(toContracts(fromContracts(String(contracts), venueMarket), venueMarket)).toBe(String(contracts))
      }),
    )
  })

  it('between two lots is refused, so that nothing rounds it', () => {
    fc.assert(
      fc.property(market, count, fc.integer({ min: 1, max: 999 }), (venueMarket, lots, part) => {
        const { lotSize, symbol } = venueMarket.market
        const amount = new Decimal(lotSize).times(lots).plus(new Decimal(lotSize).times(part).div(1000)).toFixed()
        const request = { clientOrderId: ID, symbol, side: 'buy', type: 'market', amount } as const
        expect(() => requireOrderTerms(request, venueMarket, ALL)).toThrow(ExchangeError)
        const whole = new Decimal(lotSize).times(lots).toFixed()
        expect(() => requireOrderTerms({ ...request, amount: whole }, venueMarket, ALL)).not.toThrow()
      }),
    )
  })
})

describe('the smallest order', () => {
  it('is a whole number of lots, and not below what the venue says', () => {
    fc.assert(
      fc.property(step, step, step, (contractSize, lot, min) => {
        const row = {
          id: 'X',
          symbol: 'BTC/USDT:USDT',
          base: 'BTC',
          quote: 'USDT',
          settle: 'USDT',
          swap: true,
          linear: true,
          contractSize,
          precision: { amount: lot, price: '0.1' },
          limits: { amount: { min } },
        }
        const [read] = readMarkets({ X: row }, { kind: 'linear', precisionMode: 4 }).markets
        expect(new Decimal(read?.minAmount ?? 0).mod(read?.lotSize ?? 1).isZero()).toBe(true)
        expect(new Decimal(read?.minAmount ?? 0).gte(new Decimal(min).times(contractSize))).toBe(true)
      }),
    )
  })
})
