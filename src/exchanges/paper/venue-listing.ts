// What of a venue a paper account can trade: contracts that are settled in one currency, as the paper account counts.
import type { Market } from '../../exchange/market.ts'
import { createListing, type Listing, type PaperMarket } from './listing.ts'

/** Where the venue does not say: about what the large ones take. */
const DEFAULTS = { makerFee: '0.0002', takerFee: '0.00055', maxLeverage: '20', minNotional: '0' } as const

/** All contracts in USDT, or where there are none in the currency of the first. @param id a ccxt id */
export function listVenueMarkets(markets: readonly Market[], id: string): Listing {
  const linear = markets.filter(({ kind, amountUnit, active }) => kind === 'linear' && amountUnit === 'base' && active)
  const currency = linear.some(({ settle }) => settle === 'USDT') ? 'USDT' : (linear[0]?.settle ?? 'USDT')
  const traded = linear.filter(({ settle }) => settle === currency)
  return createListing(traded.map(asPaperMarket), { name: id, currency })
}

function asPaperMarket(market: Market): PaperMarket {
  return { ...DEFAULTS, settle: market.quote, ...market }
}
