// From what was typed (`-0.5%`, `$bid +10`, `65000`) to a price the venue takes.
import { Decimal } from 'decimal.js'
import type { Ticker } from '../exchange/market.ts'
import type { Side } from '../exchange/order.ts'
import { type GridRounding, priceOnGrid } from '../exchange/price-grid.ts'
import type { PriceExpression } from '../language/price.ts'
import { showPrice } from './figures.ts'
import type { MarketView } from './market-view.ts'
import { noPosition, TradingError } from './trading-error.ts'

/** What `$entry` and `1R` stand for. */
export interface EntryRisk {
  readonly entry: Decimal.Value
  /** From the entry to where it profits, in the unit of prices: negative for a short. */
  readonly risk?: Decimal
}

/**
 * The price meant, not yet on the grid.
 * @param from default: the entry price of the position, and no risk
 * @throws {TradingError} `no-position` for `$entry` without one, `bad-price` for zero and less, `no-risk` for `2R` without a stop
 */
export function resolvePrice(expression: PriceExpression, view: MarketView, from?: EntryRisk): Decimal {
  const base = new Decimal(baseOf(expression, view, from))
  const { offset } = expression
  if (offset?.isUnsigned === true) {
    throw new TradingError('bad-price', `${offset.value}% has no sign`, {
      hint: `type +${offset.value}% or -${offset.value}%`,
    })
  }
  const price =
    offset === undefined
      ? base
      : offset.kind === 'amount'
        ? base.plus(offset.value)
        : base.times(new Decimal(offset.value).div(100).plus(1))
  if (price.greaterThan(0)) return price
  throw new TradingError('bad-price', `that price would be ${showPrice(price, view.market)}`, {
    hint: `${view.market.symbol} trades at ${showPrice(view.ticker.last, view.market)}`,
  })
}

function baseOf({ base }: PriceExpression, view: MarketView, from: EntryRisk | undefined): Decimal.Value {
  if (base.kind === 'absolute') return base.price
  if (base.kind === 'risk') {
    if (from?.risk !== undefined) return from.risk.times(base.multiple).plus(from.entry)
    throw new TradingError(
      'no-risk',
      `${base.multiple}R is a multiple of the loss at the stop, and no stop is known here`,
      {
        hint: 'type the stop in the same line: `buy $250 stop -2% tp 2R`',
      },
    )
  }
  if (base.anchor !== 'entry') return view.ticker[base.anchor]
  const price = from?.entry ?? view.position?.entryPrice
  if (price === undefined) throw noPosition(view.market.symbol)
  return price
}

/** The side on which a price that must rest may move: a buyer's down, a seller's up. */
export function restingSide(side: Side): GridRounding {
  return side === 'buy' ? 'down' : 'up'
}

/** How far through the market a limit may be where the account says nothing else, in percent of the touch. */
const BAND = '5'

/** What an order at the market gets: a buyer the ask, a seller the bid; last where the book has no such side. */
function touchOf(side: Side, { bid, ask, last }: Ticker): Decimal {
  const touch = new Decimal(side === 'buy' ? ask : bid)
  return touch.greaterThan(0) ? touch : new Decimal(last)
}

/** Where the order can fill: a limit that crosses fills at the market, any other at itself (behaviour 39). */
export function fillPrice(side: Side, ticker: Ticker, limit: string | undefined): Decimal {
  const touch = touchOf(side, ticker)
  if (limit === undefined) return touch
  return side === 'buy' ? Decimal.min(limit, touch) : Decimal.max(limit, touch)
}

/**
 * A limit far through the market is nearly always a slip of a digit. It is told before anything is worked out; the guard holds it in any case.
 * @param band of the account, in percent, or `off` @param orElse what else may be done, for people @throws {TradingError} `bad-price`
 */
export function refuseFarThrough(
  side: Side,
  limit: string,
  { market, ticker }: MarketView,
  band = BAND,
  orElse = `leave the price out to ${side} at the market, or `,
): void {
  if (band === 'off') return
  const touch = touchOf(side, ticker)
  const reach = new Decimal(band).div(100)
  const furthest = touch.times(side === 'buy' ? reach.plus(1) : Decimal.max(0, new Decimal(1).minus(reach)))
  if (side === 'buy' ? furthest.greaterThanOrEqualTo(limit) : furthest.lessThanOrEqualTo(limit)) return
  const where = side === 'buy' ? 'above the ask' : 'below the bid'
  const most = priceOnGrid(furthest, market, side === 'buy' ? 'down' : 'up')
  throw new TradingError(
    'bad-price',
    `${showPrice(limit, market)} is more than ${band}% ${where}, ${showPrice(touch, market)}`,
    {
      hint: `${orElse}type a limit of ${side === 'buy' ? 'at most' : 'at least'} ${showPrice(most, market)}`,
    },
  )
}

/** Whether a limit there takes from the book instead of resting. */
export function wouldTake(side: Side, limit: Decimal.Value, { bid, ask }: Ticker): boolean {
  const touch = new Decimal(side === 'buy' ? ask : bid)
  if (touch.lessThanOrEqualTo(0)) return false
  return side === 'buy' ? touch.lessThanOrEqualTo(limit) : touch.greaterThanOrEqualTo(limit)
}

/** For an order that has to rest. @throws {TradingError} `bad-price` */
export function refuseTaking(
  side: Side,
  limit: string,
  { market, ticker }: Pick<MarketView, 'market' | 'ticker'>,
  hint: string,
): void {
  if (!wouldTake(side, limit, ticker)) return
  const where =
    side === 'buy' ? `the ask is ${showPrice(ticker.ask, market)}` : `the bid is ${showPrice(ticker.bid, market)}`
  throw new TradingError('bad-price', `a ${side} at ${showPrice(limit, market)} would not rest: ${where}`, { hint })
}
