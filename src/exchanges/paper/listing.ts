// What can be traded on a paper account, with all that the account has to know of it.
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Market } from '../../exchange/market.ts'

/** A market that says everything there is to say. */
export interface PaperMarket extends Market {
  readonly settle: string
  readonly minNotional: string
  readonly maxLeverage: string
  readonly makerFee: string
  readonly takerFee: string
}

export interface Listing<Listed extends PaperMarket = PaperMarket> {
  /** The most traded first, or as the venue lists them. */
  readonly markets: readonly Listed[]
  /** What margin and profits are counted in. */
  readonly currency: string
  /** @throws {ExchangeError} `bad-symbol`; `unavailable` while nothing is known */
  find(symbol: string): Listed
}

/** So many symbols are named to somebody who asked for another. */
const MAX_NAMED = 20

export function createListing<Listed extends PaperMarket>(
  markets: readonly Listed[],
  { name = 'the paper market', currency = 'USDT' } = {},
): Listing<Listed> {
  const bySymbol = new Map(markets.map((market) => [market.symbol, market]))
  const named = markets.slice(0, MAX_NAMED).map(({ symbol }) => symbol)
  const more = markets.length > MAX_NAMED ? ', …' : ''
  return {
    markets,
    currency,
    find(symbol) {
      const market = bySymbol.get(symbol)
      if (market !== undefined) return market
      throw new ExchangeError('bad-symbol', `${name} has no ${symbol}`, {
        hint: `choose one of ${named.join(', ')}${more}`,
      })
    },
  }
}
