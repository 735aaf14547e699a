// The paper market's listing: linear USDT perpetuals with the tick and lot sizes, minimums and fees such contracts have at
// the large venues. A tick times a lot never needs more than eight decimals, so that every notional is exact.
import { ExchangeError, type Market } from '../../exchange/exchange.ts'

function perpetual(base: string, tickSize: string, lotSize: string): Market {
  return {
    symbol: `${base}USDT`,
    base,
    quote: 'USDT',
    settle: 'USDT',
    tickSize,
    lotSize,
    minAmount: lotSize,
    minNotional: '5',
    maxLeverage: '10',
    makerFee: '0.0002',
    takerFee: '0.00055',
  }
}

/** Every market, the most traded first. */
export const PAPER_MARKETS: readonly Market[] = [
  perpetual('BTC', '0.1', '0.001'),
  perpetual('ETH', '0.01', '0.01'),
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

const bySymbol: ReadonlyMap<string, Market> = new Map(PAPER_MARKETS.map((market) => [market.symbol, market]))

/** @throws {ExchangeError} `bad-symbol` */
export function findMarket(symbol: string): Market {
  const market = bySymbol.get(symbol)
  if (market === undefined) {
    throw new ExchangeError('bad-symbol', `the paper market has no ${symbol}`, {
      hint: `It lists ${PAPER_MARKETS.map((known) => known.symbol).join(', ')}.`,
    })
  }
  return market
}
