// From what was typed (`-0.5%`, `$bid +10`, `65000`) to a price the venue takes.
import { Decimal } from 'decimal.js'
import { CommandError } from '../commands/kit/command-error.ts'
import { noPosition } from '../commands/kit/live-values.ts'
import type { Market, Side } from '../exchange/exchange.ts'
import type { PriceExpression } from '../language/price.ts'
import type { MarketView } from './market-view.ts'

/** To which multiple of the tick a price goes: `down` and `up` are for prices that must not cross. */
export type TickRounding = 'nearest' | 'down' | 'up'

const ROUNDING = { nearest: Decimal.ROUND_HALF_UP, down: Decimal.ROUND_FLOOR, up: Decimal.ROUND_CEIL } as const

/**
 * The price meant, not yet on the tick.
 * @param entry what `$entry` stands for; default: the entry price of the position
 * @throws {CommandError} `no-position` for `$entry` without one, `bad-price` for zero and less
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
  throw new CommandError('bad-price', `that price would be ${price.toFixed()}`, {
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

/** The multiple of the tick, as a decimal string. Never zero: a price under one tick is one tick. */
export function priceOnTick(price: Decimal.Value, market: Market, rounding: TickRounding): string {
  const ticks = new Decimal(price).div(market.tickSize).toDecimalPlaces(0, ROUNDING[rounding])
  return Decimal.max(ticks, 1).times(market.tickSize).toFixed()
}

/** The side on which a price that must rest may move: a buyer's down, a seller's up. */
export function restingSide(side: Side): TickRounding {
  return side === 'buy' ? 'down' : 'up'
}
