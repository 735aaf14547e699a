// Where the stop of `buy … stop <price>` goes, worked out and checked before its entry is sent.
import { Decimal } from 'decimal.js'
import type { Side } from '../exchange/order.ts'
import { priceOnGrid } from '../exchange/price-grid.ts'
import type { PriceExpression } from '../language/price.ts'
import { showPrice } from './figures.ts'
import type { MarketView } from './market-view.ts'
import type { ProtectionPlan } from './order-plan.ts'
import { fillPrice, resolvePrice } from './pricing.ts'
import { TradingError } from './trading-error.ts'

export interface Entry {
  readonly side: Side
  readonly view: MarketView
  /** Of a limit order. */
  readonly limit?: string
  /** Whether this process stays to place the stop when the entry fills later. */
  readonly staysOpen: boolean
}

/**
 * Works out the trigger. Offsets count from last; `$entry` is where a limit fills, else last.
 * @throws {TradingError} `bad-stop` for one that could not do its work
 */
export function planProtection(stop: PriceExpression, entry: Entry): ProtectionPlan {
  const { side, view, limit, staysOpen } = entry
  const { last } = view.ticker
  const reference = limit === undefined ? last : fillPrice(side, view.ticker, limit)
  const triggerPrice = priceOnGrid(resolvePrice(stop, view, reference), view.market, 'nearest')
  if (new Decimal(triggerPrice).equals(reference)) {
    throw new TradingError('bad-stop', `the stop at ${showPrice(triggerPrice)} is the entry itself`)
  }
  const exit = side === 'buy' ? 'sell' : 'buy'
  if (losesFrom(exit, triggerPrice, last)) {
    if (limit !== undefined) refuseSenseless(triggerPrice, limit, entry)
    return { triggerPrice, fires: exit === 'buy' ? 'at-or-above' : 'at-or-below' }
  }
  if (limit !== undefined && !staysOpen) throw endsBefore()
  throw wrongSide(exit, triggerPrice, view)
}

/** Whether a stop of this side has its price where the position loses: a sell below last, a buy above. */
function losesFrom(exit: Side, triggerPrice: Decimal.Value, from: Decimal.Value): boolean {
  const trigger = new Decimal(triggerPrice)
  return exit === 'sell' ? trigger.lessThan(from) : trigger.greaterThan(from)
}

/**
 * A stop sells below last and buys above it. On the other side it is take profit, or an entry at a better price: both are limit orders.
 * @throws {TradingError} `bad-stop`
 */
export function refuseWrongSide(side: Side, triggerPrice: string, view: MarketView, protects: boolean): void {
  if (losesFrom(side, triggerPrice, view.ticker.last)) return
  throw wrongSide(side, triggerPrice, view, protects)
}

function wrongSide(side: Side, triggerPrice: string, { market, ticker }: MarketView, protects = true): TradingError {
  const isEqual = new Decimal(triggerPrice).equals(ticker.last)
  const where = isEqual ? 'at' : side === 'sell' ? 'above' : 'below'
  const message = `a stop that ${side}s is ${side === 'sell' ? 'below' : 'above'} the last price, and ${showPrice(triggerPrice)} is ${where} it`
  const limit = `${side} ${protects ? '100%' : '$250'} ${market.symbol} at ${triggerPrice}${protects ? ' reduce' : ''}`
  const hint = `type a limit order to ${protects ? 'take profit' : 'enter there'}: \`${limit}\``
  return new TradingError('bad-stop', message, { hint })
}

function refuseSenseless(triggerPrice: string, limit: string, { side, view, staysOpen }: Entry): void {
  if (!staysOpen) throw endsBefore()
  const exit = side === 'buy' ? 'sell' : 'buy'
  // A limit that crosses fills at the market, where the stop has been found to be on its side.
  const entryPrice = fillPrice(side, view.ticker, limit)
  if (losesFrom(exit, triggerPrice, entryPrice)) return
  throw new TradingError(
    'bad-stop',
    `the price passes the stop at ${showPrice(triggerPrice)} before it comes to the entry at ${showPrice(limit)}`,
    { hint: '`stop $entry -2%` counts from the entry instead of last' },
  )
}

function endsBefore(): TradingError {
  return new TradingError('bad-stop', 'this process ends before the entry fills, so its stop would not go in', {
    hint: "type it at hookline's prompt, or leave the price out",
  })
}
