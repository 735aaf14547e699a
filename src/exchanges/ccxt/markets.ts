// The markets of one kind, from ccxt's: our names for them, amounts in base or quote instead of contracts, and the grids that prices and amounts are on.

import * as z from 'zod/mini'
import { defined } from '../../base/defined.ts'
import type { Market, MarketKind, PriceGrid } from '../../exchange/market.ts'
import { Decimal, figure, isPositive, word } from './decimals.ts'

const limit = z.optional(z.nullable(z.object({ min: z.optional(figure), max: z.optional(figure) })))

const ccxtMarket = z.object({
  id: word,
  symbol: z.string(),
  base: z.string(),
  quote: z.string(),
  settle: z.optional(z.nullable(z.string())),
  spot: z.optional(z.nullable(z.boolean())),
  swap: z.optional(z.nullable(z.boolean())),
  future: z.optional(z.nullable(z.boolean())),
  linear: z.optional(z.nullable(z.boolean())),
  inverse: z.optional(z.nullable(z.boolean())),
  active: z.optional(z.nullable(z.boolean())),
  contractSize: z.optional(figure),
  maker: z.optional(figure),
  taker: z.optional(figure),
  precision: z.object({ price: z.optional(figure), amount: z.optional(figure) }),
  limits: z.optional(z.object({ amount: limit, cost: limit, market: limit, leverage: limit })),
  info: z.optional(z.unknown()),
})
export type CcxtMarket = z.output<typeof ccxtMarket>

/** A market with what is needed to speak of it to the venue. */
export interface VenueMarket {
  readonly market: Market
  /** ccxt's unified symbol. */
  readonly symbol: string
  /** The venue's own. */
  readonly id: string
  /** How much of `amountUnit` one of the venue's units is. `1` where it counts as we do. */
  readonly contractSize: string
}

export interface MarketBook {
  readonly markets: readonly Market[]
  /** By our name. */
  byName(name: string): VenueMarket | undefined
  /** By ccxt's unified symbol. */
  bySymbol(symbol: string): VenueMarket | undefined
  /** By the venue's own. */
  byId(id: string): VenueMarket | undefined
}

interface MarketReading {
  readonly kind: MarketKind
  /** ccxt's: 2 decimal places, 3 significant digits, 4 tick sizes. */
  readonly precisionMode: number
  /** Where a venue's grid is not what ccxt says. */
  readonly priceGridOf?: (market: CcxtMarket) => PriceGrid | undefined
  /** Where ccxt's contract size is not what its amounts count. */
  readonly contractSizeOf?: (market: CcxtMarket) => string | undefined
}

const DECIMAL_PLACES = 2
const SIGNIFICANT_DIGITS = 3
const MOST_DECIMALS = 18

/** @param rows what `loadMarkets` gave, by unified symbol. A row that cannot be read is left out: no one can trade it rightly */
export function readMarkets(rows: unknown, reading: MarketReading): MarketBook {
  const all = typeof rows === 'object' && rows !== null ? Object.values(rows) : []
  const wanted = all.flatMap((row) => {
    const read = z.safeParse(ccxtMarket, row)
    return read.success && isOfKind(read.data, reading.kind) ? [read.data] : []
  })
  const taken = new Map<string, number>()
  for (const market of wanted) taken.set(shortName(market), (taken.get(shortName(market)) ?? 0) + 1)
  const venueMarkets = wanted.flatMap((market) => {
    const name = taken.get(shortName(market)) === 1 ? shortName(market) : longName(market)
    const read = readMarket(market, name, reading)
    return read === undefined ? [] : [read]
  })
  return bookOf(venueMarkets)
}

function bookOf(venueMarkets: readonly VenueMarket[]): MarketBook {
  const byName = new Map(venueMarkets.map((each) => [each.market.symbol, each]))
  const bySymbol = new Map(venueMarkets.map((each) => [each.symbol, each]))
  const byId = new Map(venueMarkets.map((each) => [each.id, each]))
  const markets = [...byName.values()].map(({ market }) => market)
  return {
    markets: markets.sort((left, right) => (left.symbol < right.symbol ? -1 : 1)),
    byName: (name) => byName.get(name),
    bySymbol: (symbol) => bySymbol.get(symbol),
    byId: (id) => byId.get(id),
  }
}

/** Linear ones settle in quote and inverse ones in base; what settles in a third currency is neither. */
function isOfKind(market: CcxtMarket, kind: MarketKind): boolean {
  if (market.id === undefined) return false
  if (kind === 'spot') return market.spot === true
  if (market.swap !== true && market.future !== true) return false
  if (kind === 'linear') return market.linear === true && market.settle === market.quote
  return market.inverse === true && market.settle === market.base
}

/** `BTCUSDT`, and `BTCUSDT-261225` for one that expires. */
function shortName({ symbol, base, quote }: CcxtMarket): string {
  return `${plain(base)}${plain(quote)}${expiryOf(symbol)}`
}

/** Where two would have the same name, neither gets it: `ABC-DUSD` and `ABCD-USD`. */
function longName({ symbol, base, quote }: CcxtMarket): string {
  return `${plain(base)}-${plain(quote)}${expiryOf(symbol)}`
}

function expiryOf(symbol: string): string {
  const date = /:[^-]+-(\d+)$/.exec(symbol)?.[1]
  return date === undefined ? '' : `-${date}`
}

/** Letters and digits in upper case: what can be typed as one word. */
function plain(currency: string): string {
  return currency.toUpperCase().replace(/[^A-Z0-9.]/g, '')
}

function readMarket(row: CcxtMarket, name: string, reading: MarketReading): VenueMarket | undefined {
  const { kind } = reading
  const contractSize = kind === 'spot' ? '1' : (reading.contractSizeOf?.(row) ?? row.contractSize)
  const priceGrid = reading.priceGridOf?.(row) ?? gridOf(row.precision.price, reading.precisionMode)
  const lot = lotOf(row.precision.amount, reading.precisionMode)
  if (!isPositive(contractSize) || priceGrid === undefined || lot === undefined || row.id === undefined)
    return undefined
  const toAmount = (contracts: string) => new Decimal(contracts).times(contractSize)
  const lotSize = toAmount(lot)
  const { amount, cost, market, leverage } = row.limits ?? {}
  const smallest = isPositive(amount?.min ?? undefined) ? toAmount(amount?.min ?? lot) : lotSize
  const figures = {
    maxAmount: isPositive(amount?.max) ? toAmount(amount.max).toFixed() : undefined,
    marketMaxAmount: isPositive(market?.max) ? toAmount(market.max).toFixed() : undefined,
    minNotional: isPositive(cost?.min) ? cost.min : undefined,
    maxLeverage: kind !== 'spot' && isPositive(leverage?.max) ? leverage.max : undefined,
    makerFee: row.maker,
    takerFee: row.taker,
  }
  return {
    market: {
      symbol: name,
      kind,
      base: row.base,
      quote: row.quote,
      ...(kind === 'spot' ? {} : { settle: row.settle ?? row.quote }),
      amountUnit: kind === 'inverse' ? 'quote' : 'base',
      priceGrid,
      lotSize: lotSize.toFixed(),
      minAmount: smallest.div(lotSize).ceil().times(lotSize).toFixed(),
      ...defined(figures),
      active: row.active !== false,
    },
    symbol: row.symbol,
    id: row.id,
    contractSize,
  }
}

function gridOf(precision: string | undefined, mode: number): PriceGrid | undefined {
  if (precision === undefined) return undefined
  if (mode === SIGNIFICANT_DIGITS) return { kind: 'significant', digits: Number(precision), decimals: MOST_DECIMALS }
  const tick = lotOf(precision, mode)
  return tick === undefined ? undefined : { kind: 'tick', tick }
}

function lotOf(precision: string | undefined, mode: number): string | undefined {
  if (precision === undefined || mode === SIGNIFICANT_DIGITS) return undefined
  const step = mode === DECIMAL_PLACES ? new Decimal(10).pow(`-${precision}`) : new Decimal(precision)
  return step.gt(0) ? step.toFixed() : undefined
}

/** What the venue's contracts settle in, that of most of them first; none on spot. */
export function settlesOf({ markets }: MarketBook): readonly string[] {
  const counts = new Map<string, number>()
  for (const { settle } of markets) {
    if (settle !== undefined) counts.set(settle, (counts.get(settle) ?? 0) + 1)
  }
  return [...counts].sort((left, right) => right[1] - left[1]).map(([settle]) => settle)
}

// Between our amounts, in base or quote, and what the venue counts. Exact both ways; an amount that is not a whole number of lots never gets here.

/** Contracts, as the venue wants them. */
export function toContracts(amount: string, { contractSize }: Pick<VenueMarket, 'contractSize'>): string {
  return new Decimal(amount).div(contractSize).toFixed()
}

/** In the market's `amountUnit`. */
export function fromContracts(contracts: string, { contractSize }: Pick<VenueMarket, 'contractSize'>): string {
  return new Decimal(contracts).times(contractSize).toFixed()
}

/** What so much of a market is worth at a price, in quote. */
export function notionalOf(amount: string, price: string, { market }: Pick<VenueMarket, 'market'>): string {
  return market.amountUnit === 'quote' ? amount : new Decimal(amount).times(price).toFixed()
}
