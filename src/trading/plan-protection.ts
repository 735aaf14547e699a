// Where the protective orders of `buy … stop <price> tp <price>` go, worked out and checked before their entry is sent.
import { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import type { Side } from '../exchange/order.ts'
import { priceOnGrid } from '../exchange/price-grid.ts'
import { type PriceExpression, signed } from '../language/price.ts'
import { showPrice } from './figures.ts'
import type { MarketView } from './market-view.ts'
import type { ProtectionPlan } from './order-plan.ts'
import { fillPrice, resolvePrice } from './pricing.ts'
import { TradingError } from './trading-error.ts'

interface Entry {
  readonly side: Side
  readonly view: MarketView
  /** Of a limit order. */
  readonly limit?: string
  /** Whether this process stays to place them when the entry fills later. */
  readonly staysOpen: boolean
  /** As it was typed, for the line that a hint offers. */
  readonly size?: string
}

/** As they were typed. */
export interface ProtectivePrices {
  readonly stop?: PriceExpression
  readonly takeProfit?: PriceExpression
}

/**
 * Works out the triggers. `$entry`, from which an offset alone counts, is where a limit fills; at the market it is last.
 * @returns undefined where neither is asked for
 * @throws {TradingError} `bad-stop` for one that could not do its work
 */
export function planProtection({ stop, takeProfit }: ProtectivePrices, entry: Entry): ProtectionPlan | undefined {
  if (stop === undefined && takeProfit === undefined) return undefined
  const fires = entry.side === 'buy' ? 'at-or-below' : 'at-or-above'
  const [loss, gain] = entry.side === 'buy' ? (['down', 'up'] as const) : (['up', 'down'] as const)
  const triggerPrice = stop && stopPrice(signed(stop, loss), entry)
  const takeProfitPrice = takeProfit && profitPrice(signed(takeProfit, gain), entry, triggerPrice)
  return { ...defined({ triggerPrice, takeProfitPrice }), fires }
}

function stopPrice(stop: PriceExpression, entry: Entry): string {
  const { side, view, limit, staysOpen, size = '$250' } = entry
  const { last } = view.ticker
  const triggerPrice = triggerOf(stop, entry, 'stop')
  const exit = side === 'buy' ? 'sell' : 'buy'
  const mirrored = mirroredOf(stop)
  const otherwise = mirrored === undefined ? '' : `\`stop ${mirrored}\` for a stop-loss, `
  const waits = losesFrom(side, triggerPrice, last)
  const enters =
    stop.base.kind === 'absolute' ? `; \`${waits ? 'stop ' : ''}${side} ${size} at ${triggerPrice}\` enters there` : ''
  const hint = `type ${otherwise}\`tp ${triggerPrice}\` for a take-profit${enters}`
  if (losesFrom(exit, triggerPrice, last)) {
    if (limit !== undefined) refuseSenseless(triggerPrice, limit, entry, hint)
    return triggerPrice
  }
  if (limit !== undefined && !staysOpen) throw endsBefore()
  throw wrongSide(exit, triggerPrice, view, hint)
}

/** `-2%` for `2%`; undefined for what is not a percentage of the entry, or of last. */
function mirroredOf({ base, offset }: PriceExpression, of: 'entry' | 'last' = 'entry'): string | undefined {
  if (base.kind !== 'anchor' || base.anchor !== of || offset?.kind !== 'percent') return undefined
  return offset.value.startsWith('-') ? `+${offset.value.slice(1)}%` : `-${offset.value}%`
}

/** @param stop where it goes, for a profit in multiples of the risk */
function profitPrice(takeProfit: PriceExpression, entry: Entry, stop: string | undefined): string {
  const { side, limit, staysOpen } = entry
  const triggerPrice = triggerOf(takeProfit, entry, 'take-profit', stop)
  const exit = side === 'buy' ? 'sell' : 'buy'
  if (losesFrom(exit, triggerPrice, referenceOf(entry))) {
    const where = exit === 'sell' ? 'above' : 'below'
    throw new TradingError(
      'bad-stop',
      `a take-profit goes ${where} the entry at ${showPrice(referenceOf(entry))}, and ${showPrice(triggerPrice)} is not`,
      { hint: `${profitHint(takeProfit, exit)}${targetOfPosition(triggerPrice, entry)}` },
    )
  }
  if (limit !== undefined && !staysOpen) throw endsBefore()
  return triggerPrice
}

/** The profit of the position that the order is against. */
function targetOfPosition(triggerPrice: string, { side, view }: Entry): string {
  const { position, market, ticker } = view
  if (position === undefined || (side === 'sell') !== (position.side === 'long')) return ''
  if (losesFrom(side, triggerPrice, ticker.last)) return ''
  return `; \`take ${market.symbol} at ${triggerPrice}\` takes the profit of the ${position.side}`
}

/** A percentage on the other side is a profit with its sign turned, or a stop. */
function profitHint(typed: PriceExpression, exit: Side): string {
  const { base, offset } = typed
  const mirrored = mirroredOf(typed)
  if (mirrored === undefined || base.kind !== 'anchor' || offset?.kind !== 'percent') {
    return `\`tp ${exit === 'sell' ? '+' : '-'}4%\` counts from the entry`
  }
  const typedOffset = offset.value.startsWith('-') ? `${offset.value}%` : `+${offset.value}%`
  return `type \`tp ${mirrored}\` for a profit, or \`stop ${typedOffset}\` for a loss`
}

function triggerOf(typed: PriceExpression, entry: Entry, what: string, stop?: string): string {
  const reference = referenceOf(entry)
  const risk = stop === undefined ? undefined : new Decimal(reference).minus(stop)
  const price = resolvePrice(typed, entry.view, { entry: reference, ...defined({ risk }) })
  const triggerPrice = priceOnGrid(price, entry.view.market, 'nearest')
  if (!new Decimal(triggerPrice).equals(reference)) return triggerPrice
  throw new TradingError('bad-stop', `the ${what} at ${showPrice(triggerPrice)} equals the entry price`)
}

function referenceOf({ side, view, limit }: Entry): Decimal.Value {
  return limit === undefined ? view.ticker.last : fillPrice(side, view.ticker, limit)
}

/** Whether a stop of this side has its price where the position loses: a sell below last, a buy above. */
function losesFrom(exit: Side, triggerPrice: Decimal.Value, from: Decimal.Value): boolean {
  const trigger = new Decimal(triggerPrice)
  return exit === 'sell' ? trigger.lessThan(from) : trigger.greaterThan(from)
}

/** How a stop was typed, for the line that a hint offers. */
interface TypedStop {
  readonly trigger?: PriceExpression
  readonly size?: string
}

/**
 * A stop sells below last and buys above it. On the other side it takes profit, or enters at a better price with a limit order.
 * @throws {TradingError} `bad-stop`
 */
export function refuseWrongSide(
  side: Side,
  triggerPrice: string,
  view: MarketView,
  protects: boolean,
  { trigger, size }: TypedStop = {},
): void {
  if (losesFrom(side, triggerPrice, view.ticker.last)) return
  const { symbol } = view.market
  const on = size === undefined ? symbol : `${size} ${symbol}`
  const mirrored = trigger && mirroredOf(trigger, 'last')
  const protecting = mirrored === undefined ? '' : `\`stop ${on} at ${mirrored}\` for a stop-loss, `
  const hint = protects
    ? `type ${protecting}\`take ${on} at ${triggerPrice}\` for a take-profit`
    : `type a limit order to enter there: \`${side} ${size ?? '$250'} ${symbol} at ${triggerPrice}\``
  throw wrongSide(side, triggerPrice, view, hint)
}

function wrongSide(side: Side, triggerPrice: string, { ticker }: MarketView, hint: string): TradingError {
  const isEqual = new Decimal(triggerPrice).equals(ticker.last)
  const where = isEqual ? 'at' : side === 'sell' ? 'above' : 'below'
  const message = `a ${side} stop goes ${side === 'sell' ? 'below' : 'above'} the last price, and ${showPrice(triggerPrice)} is ${where} it`
  return new TradingError('bad-stop', message, { hint })
}

/**
 * Profit is taken by selling above last and buying below it.
 * @throws {TradingError} `bad-stop`
 */
export function refuseNoProfit(side: Side, triggerPrice: string, { market, ticker }: MarketView): void {
  const trigger = new Decimal(triggerPrice)
  if (side === 'sell' ? trigger.greaterThan(ticker.last) : trigger.lessThan(ticker.last)) return
  const isEqual = trigger.equals(ticker.last)
  const where = isEqual ? 'at' : side === 'sell' ? 'below' : 'above'
  const message = `a ${side} take-profit goes ${side === 'sell' ? 'above' : 'below'} the last price, and ${showPrice(triggerPrice)} is ${where} it`
  const hint = isEqual
    ? `type \`close ${market.symbol}\` to end the position now`
    : `type \`stop ${market.symbol} at ${triggerPrice}\` for a stop`
  throw new TradingError('bad-stop', message, { hint })
}

function refuseSenseless(triggerPrice: string, limit: string, { side, view, staysOpen }: Entry, hint: string): void {
  if (!staysOpen) throw endsBefore()
  const exit = side === 'buy' ? 'sell' : 'buy'
  // A limit that crosses fills at the market, where the stop has been found to be on its side.
  const entryPrice = fillPrice(side, view.ticker, limit)
  if (losesFrom(exit, triggerPrice, entryPrice)) return
  throw new TradingError(
    'bad-stop',
    `the price would reach the stop at ${showPrice(triggerPrice)} before the entry at ${showPrice(limit)}`,
    { hint },
  )
}

function endsBefore(): TradingError {
  return new TradingError(
    'bad-stop',
    'this process ends before the entry fills, so its stop or take-profit would not be placed',
    {
      hint: "type it at hookline's prompt, or leave the price out",
    },
  )
}
