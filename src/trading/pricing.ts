// From what was typed (`-0.5%`, `$bid +10`, `65000`) to a price the venue takes.
import { Decimal } from 'decimal.js'
import type { Side } from '../exchange/order.ts'
import type { GridRounding } from '../exchange/price-grid.ts'
import type { PriceExpression } from '../language/price.ts'
import type { MarketView } from './market-view.ts'
import { noPosition, TradingError } from './trading-error.ts'

/**
 * The price meant, not yet on the grid.
 * @param entry what `$entry` stands for; default: the entry price of the position
 * @throws {TradingError} `no-position` for `$entry` without one, `bad-price` for zero and less
 */
export function resolvePrice(expression: PriceExpression, view: MarketView, entry?: Decimal.Value): Decimal {
  const base = new Decimal(baseOf(expression, view, entry))
  const { offset } = expression
  const price =
    offset === undefined
      ? base
      : offset.kind === 'amount'
        ? base.plus(offset.value)
        : base.times(new Decimal(offset.value).div(100).plus(1))
  if (price.greaterThan(0)) return price
  throw new TradingError('bad-price', `that price would be ${price.toFixed()}`, {
    hint: `${view.market.symbol} trades at ${view.ticker.last}`,
  })
}

function baseOf({ base }: PriceExpression, view: MarketView, entry: Decimal.Value | undefined): Decimal.Value {
  if (base.kind === 'absolute') return base.price
  if (base.anchor !== 'entry') return view.ticker[base.anchor]
  const price = entry ?? view.position?.entryPrice
  if (price === undefined) throw noPosition(view.market.symbol)
  return price
}

/** The side on which a price that must rest may move: a buyer's down, a seller's up. */
export function restingSide(side: Side): GridRounding {
  return side === 'buy' ? 'down' : 'up'
}
