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

/** So many symbols are named to someone who asked for another. */
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

// The offline market's listing: linear USDT perpetuals with the tick and lot sizes, minimums and fees such contracts have at
// the large venues. A tick times a lot never needs more than eight decimals, so that every notional is exact.

/** One whose prices are made here. */
interface OfflineMarket extends PaperMarket {
  readonly priceGrid: { readonly kind: 'tick'; readonly tick: string }
}

function perpetual(base: string, tick: string, lotSize: string, maxLeverage = '50'): OfflineMarket {
  return {
    symbol: `${base}USDT`,
    kind: 'linear',
    base,
    quote: 'USDT',
    settle: 'USDT',
    amountUnit: 'base',
    priceGrid: { kind: 'tick', tick },
    lotSize,
    minAmount: lotSize,
    minNotional: '5',
    maxLeverage,
    makerFee: '0.0002',
    takerFee: '0.00055',
    active: true,
  }
}

/** Every market, the most traded first. */
export const PAPER_MARKETS: readonly OfflineMarket[] = [
  perpetual('BTC', '0.1', '0.001', '100'),
  perpetual('ETH', '0.01', '0.01', '100'),
  perpetual('SOL', '0.01', '0.1'),
  perpetual('XRP', '0.0001', '0.1'),
  perpetual('DOGE', '0.00001', '1'),
  perpetual('BNB', '0.1', '0.01'),
  perpetual('ADA', '0.0001', '1'),
  perpetual('AVAX', '0.001', '0.1'),
  perpetual('LINK', '0.001', '0.1'),
  perpetual('LTC', '0.01', '0.1'),
  perpetual('DOT', '0.001', '0.1'),
  perpetual('ARB', '0.0001', '0.1'),
]

/** Where the random walk starts and what it keeps coming back to, in USDT. */
export const START_PRICES: Readonly<Record<string, string>> = {
  BTCUSDT: '65000',
  ETHUSDT: '3200',
  SOLUSDT: '150',
  XRPUSDT: '0.55',
  DOGEUSDT: '0.13',
  BNBUSDT: '580',
  ADAUSDT: '0.42',
  AVAXUSDT: '28',
  LINKUSDT: '14',
  LTCUSDT: '75',
  DOTUSDT: '6',
  ARBUSDT: '0.8',
}

/** What rests at the best price on each side, in USDT, on average (see `depth.ts`). */
export const TOUCH_VALUES: Readonly<Record<string, number>> = {
  BTCUSDT: 30_000,
  ETHUSDT: 20_000,
  SOLUSDT: 8_000,
  XRPUSDT: 5_000,
  DOGEUSDT: 4_000,
  BNBUSDT: 4_000,
  ADAUSDT: 2_000,
  AVAXUSDT: 2_000,
  LINKUSDT: 2_000,
  LTCUSDT: 2_000,
  DOTUSDT: 1_500,
  ARBUSDT: 1_000,
}

export const OFFLINE_LISTING = createListing(PAPER_MARKETS)

/** One of the offline market. @throws {ExchangeError} `bad-symbol` */
export const findMarket = (symbol: string): OfflineMarket => OFFLINE_LISTING.find(symbol)
