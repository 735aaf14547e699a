// The stop of `buy … stop <price>`: reduce-only, on the other side, as large as what filled. Venues take no reduce-only
// order without a position, so the stop of an entry that rests goes in when the entry fills.
import { Decimal } from 'decimal.js'
import type { CommandContext } from '../commands/kit/command.ts'
import { CommandError } from '../commands/kit/command-error.ts'
import { describeRefusal, isRefusal } from '../commands/kit/refusal.ts'
import type { Exchange, Order, Side } from '../exchange/exchange.ts'
import type { PriceExpression } from '../language/price.ts'
import { showPrice } from './figures.ts'
import type { MarketView } from './market-view.ts'
import { type AfterFill, outlivesRun, placeOrder } from './place-order.ts'
import { priceOnTick, resolvePrice } from './pricing.ts'

/** Where a stop will go, settled before its entry is placed. */
export interface AttachedStop {
  readonly exchange: Exchange
  readonly symbol: string
  /** Of the stop: against the entry. */
  readonly side: Side
  readonly triggerPrice: string
  /** The side of the entry price on which it waits: a stop on the losing side fires at once if last has passed it. */
  readonly fires: 'at-or-above' | 'at-or-below'
}

/**
 * Works out the trigger. Offsets count from last; `$entry` is the limit, else last.
 * @throws {CommandError} `bad-stop` for one that could not do its work
 */
export function planAttachedStop(
  context: CommandContext,
  entry: { readonly exchange: Exchange; readonly side: Side; readonly view: MarketView; readonly limit?: string },
  stop: PriceExpression,
): AttachedStop {
  const { exchange, side, view, limit } = entry
  const { market, ticker } = view
  const reference = limit ?? ticker.last
  const triggerPrice = priceOnTick(resolvePrice(stop, view, reference), market, 'nearest')
  const plan: AttachedStop = {
    exchange,
    symbol: market.symbol,
    side: side === 'buy' ? 'sell' : 'buy',
    triggerPrice,
    fires: new Decimal(triggerPrice).greaterThan(reference) ? 'at-or-above' : 'at-or-below',
  }
  if (new Decimal(triggerPrice).equals(reference)) {
    throw new CommandError('bad-stop', `the stop at ${showPrice(triggerPrice)} is the entry itself`)
  }
  if (limit !== undefined) refuseSenselessStop(context, plan, side, limit, ticker.last)
  return plan
}

function refuseSenselessStop(
  context: CommandContext,
  plan: AttachedStop,
  side: Side,
  limit: string,
  last: string,
): void {
  if (!outlivesRun(context.source)) {
    throw new CommandError('bad-stop', 'this process ends before the entry fills, so its stop would never go in', {
      hint: "type it at hookline's prompt, or leave the price out",
    })
  }
  const trigger = new Decimal(plan.triggerPrice)
  const isBetween =
    side === 'buy'
      ? trigger.greaterThan(limit) && trigger.lessThanOrEqualTo(last)
      : trigger.lessThan(limit) && trigger.greaterThanOrEqualTo(last)
  if (!isBetween) return
  throw new CommandError(
    'bad-stop',
    `the price passes the stop at ${showPrice(plan.triggerPrice)} before it comes to the entry at ${showPrice(limit)}`,
    { hint: '`stop $entry -2%` counts from the entry instead of last' },
  )
}

/** Places the stop for what has filled already. @throws {CommandError} `stop-failed`: the entry stands without it */
export async function attachStop(context: CommandContext, plan: AttachedStop, amount: string): Promise<void> {
  try {
    await placeStop(context, plan, amount)
  } catch (error) {
    if (!isRefusal(error)) throw error
    throw new CommandError('stop-failed', `${plan.symbol} stands without its stop: ${error.message}`, {
      hint: '`stop at <price>` places one, `close` ends the position',
      cause: error,
    })
  }
}

/** For an entry that may rest: its stop goes in with each fill, as long as this process runs. */
export function attachOnFill(context: CommandContext, plan: AttachedStop): AfterFill {
  return {
    run: async (trade) => {
      try {
        await attachStop(context, plan, trade.amount)
      } catch (error) {
        context.out.error(isRefusal(error) ? describeRefusal(error) : `${plan.symbol} stands without its stop`)
        if (!isRefusal(error)) throw error
      }
    },
    abandon: () => context.out.warn(`hookline ends: the ${plan.symbol} entry that rests will fill without its stop`),
  }
}

/** Tells what is still to come for an entry that rests. */
export function announceStop(context: CommandContext, plan: AttachedStop, order: Order): void {
  if (order.status !== 'open') return
  context.out.info(`its stop at ${showPrice(plan.triggerPrice)} goes in when it fills, as long as hookline runs`)
}

async function placeStop(context: CommandContext, plan: AttachedStop, amount: string): Promise<void> {
  const { exchange, symbol, side, triggerPrice, fires } = plan
  const { last } = await exchange.fetchTicker(symbol)
  const distance = new Decimal(last).comparedTo(triggerPrice)
  const isPassed = fires === 'at-or-above' ? distance >= 0 : distance <= 0
  if (isPassed) context.out.warn(`${symbol} has passed the stop at ${showPrice(triggerPrice)}: closing now`)
  await placeOrder(context, exchange, {
    symbol,
    side,
    amount,
    ...(isPassed ? { type: 'market' } : { type: 'stop', triggerPrice }),
    reduceOnly: true,
  })
}
