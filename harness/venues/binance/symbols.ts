// What the stand-in lists, and how it says so. Steps and minimums are of the size that Binance USDⓈ-M has; prices are round.
import { Decimal } from 'decimal.js'

export interface Listed {
  readonly symbol: string
  readonly base: string
  readonly tick: string
  readonly lot: string
  readonly minNotional: string
  /** Largest amount of a limit order and of a market order. */
  readonly maxAmount: string
  readonly marketMaxAmount: string
  readonly maxLeverage: number
  readonly startPrice: string
  readonly status: 'TRADING' | 'SETTLING'
  /** A dated future ends then; a perpetual has none. */
  readonly delivery?: number
}

const PERPETUAL_DELIVERY = 4_133_404_800_000
const MAINTENANCE = '0.005'
export const TAKER_FEE = '0.0005'
export const MAKER_FEE = '0.0002'

const all: Listed[] = [
  listed('BTCUSDT', ['0.10', '0.001', '50'], ['1000', '120'], '50000.00', 125),
  listed('ETHUSDT', ['0.01', '0.001', '20'], ['10000', '2000'], '2500.00', 125),
  listed('SOLUSDT', ['0.0100', '0.01', '5'], ['50000', '5000'], '150.0000', 100),
  listed('XRPUSDT', ['0.0001', '0.1', '5'], ['10000000', '2000000'], '0.5000', 75),
  listed('ADAUSDT', ['0.00010', '1', '5'], ['2000000', '300000'], '0.40000', 75),
  listed('1000PEPEUSDT', ['0.0000001', '1', '5'], ['250000000', '20000000'], '0.0100000', 75),
  listed('LUNAUSDT', ['0.0001', '1', '5'], ['1000000', '100000'], '0.5000', 25, { status: 'SETTLING' }),
  listed('BTCUSDT_270326', ['0.1', '0.001', '5'], ['500', '100'], '50500.0', 25, {
    delivery: Date.UTC(2027, 2, 26, 8),
  }),
]
export const SYMBOLS: readonly Listed[] = all

/** Perpetuals at 100 USDT, for those who need many. Before a stand-in starts. */
export function listMore(symbols: readonly string[]): void {
  all.push(...symbols.map((symbol) => listed(symbol, ['0.01', '0.1', '5'], ['1000000', '100000'], '100.00', 75)))
}

function listed(
  symbol: string,
  [tick, lot, minNotional]: readonly [string, string, string],
  [maxAmount, marketMaxAmount]: readonly [string, string],
  startPrice: string,
  maxLeverage: number,
  more: { readonly status?: Listed['status']; readonly delivery?: number } = {},
): Listed {
  const base = symbol.split('USDT')[0] ?? ''
  const steps = { tick, lot, minNotional, maxAmount, marketMaxAmount, startPrice, maxLeverage }
  return { symbol, base, ...steps, status: 'TRADING', ...more }
}

export function exchangeInfo(now: number): unknown {
  return {
    timezone: 'UTC',
    serverTime: now,
    futuresType: 'U_MARGINED',
    rateLimits: [
      { rateLimitType: 'REQUEST_WEIGHT', interval: 'MINUTE', intervalNum: 1, limit: 2400 },
      { rateLimitType: 'ORDERS', interval: 'MINUTE', intervalNum: 1, limit: 1200 },
      { rateLimitType: 'ORDERS', interval: 'SECOND', intervalNum: 10, limit: 300 },
    ],
    exchangeFilters: [],
    assets: [{ asset: 'USDT', marginAvailable: true, autoAssetExchange: '-10000' }],
    symbols: SYMBOLS.map(symbolRow),
  }
}

function symbolRow(listed: Listed): unknown {
  const { symbol, base, tick, lot, status, delivery } = listed
  return {
    symbol,
    pair: symbol.split('_')[0],
    contractType: delivery === undefined ? 'PERPETUAL' : 'NEXT_QUARTER',
    deliveryDate: delivery ?? PERPETUAL_DELIVERY,
    onboardDate: 1_569_398_400_000,
    status,
    maintMarginPercent: '2.5000',
    requiredMarginPercent: '5.0000',
    baseAsset: base,
    quoteAsset: 'USDT',
    marginAsset: 'USDT',
    // More digits than the filters let through: whoever rounds by them is refused.
    pricePrecision: new Decimal(tick).decimalPlaces() + 1,
    quantityPrecision: new Decimal(lot).decimalPlaces(),
    baseAssetPrecision: 8,
    quotePrecision: 8,
    underlyingType: 'COIN',
    underlyingSubType: ['PoW'],
    triggerProtect: '0.0500',
    liquidationFee: '0.012500',
    marketTakeBound: '0.05',
    maxMoveOrderLimit: 10_000,
    filters: filtersOf(listed),
    orderTypes: ['LIMIT', 'MARKET', 'STOP', 'STOP_MARKET', 'TAKE_PROFIT', 'TAKE_PROFIT_MARKET', 'TRAILING_STOP_MARKET'],
    timeInForce: ['GTC', 'IOC', 'FOK', 'GTX', 'GTD'],
  }
}

function filtersOf({ tick, lot, minNotional, maxAmount, marketMaxAmount }: Listed): unknown[] {
  return [
    { filterType: 'PRICE_FILTER', minPrice: tick, maxPrice: '10000000', tickSize: tick },
    { filterType: 'LOT_SIZE', minQty: lot, maxQty: maxAmount, stepSize: lot },
    { filterType: 'MARKET_LOT_SIZE', minQty: lot, maxQty: marketMaxAmount, stepSize: lot },
    { filterType: 'MAX_NUM_ORDERS', limit: 200 },
    { filterType: 'MAX_NUM_ALGO_ORDERS', limit: 10 },
    { filterType: 'MIN_NOTIONAL', notional: minNotional },
    { filterType: 'PERCENT_PRICE', multiplierUp: '1.1500', multiplierDown: '0.8500', multiplierDecimal: '4' },
  ]
}

/** One tier: every size may have the maximum leverage. */
export function leverageBracketRow({ symbol, maxLeverage }: Listed): unknown {
  const bracket = { bracket: 1, initialLeverage: maxLeverage, notionalCap: 50_000_000, notionalFloor: 0 }
  return { symbol, notionalCoef: 1, brackets: [{ ...bracket, maintMarginRatio: Number(MAINTENANCE), cum: 0 }] }
}

export function maintenanceOf(notional: Decimal): Decimal {
  return notional.abs().times(MAINTENANCE)
}
