// `oco`: one order with two prices where the venue takes it; else a task that keeps two orders.

import { priceOnGrid } from '../../exchange/price-grid.ts'
import type { Argument } from '../../language/chain.ts'
import { symbolsOf } from '../../language/focus-taken.ts'
import { signed } from '../../language/price.ts'
import { type OcoIntent, parseOco } from '../../language/task-intents.ts'
import type { OcoParams } from '../../tasks/oco.ts'
import { showAmount, showPrice } from '../../trading/figures.ts'
import { findMarkets } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import type { OrderPlan } from '../../trading/order-plan.ts'
import { refuseNoProfit, refuseWrongSide } from '../../trading/plan-protection.ts'
import { resolvePrice } from '../../trading/pricing.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { orderReporter } from '../kit/lines.ts'
import { forEachItem } from '../kit/running.ts'
import { placeInPlaceOf } from '../trading/cancel.ts'
import { foretellOn, requireMeantPrices, typedPrice } from '../trading/meant-order.ts'
import { doubtsOfPlan, ordersBefore, restingOn } from '../trading/protective-stop.ts'
import { requireType } from '../trading/venue-needs.ts'
import { beginTask, type PlannedTask } from './begin-task.ts'
import { coverOf, type HeldView, replaceBy, viewHeld } from './held-view.ts'

export const oco: SingleCommand<'tasks'> = {
  name: 'oco',
  group: 'trading',
  usage: '[SYMBOL,…] [size] at <price> stop <price> [replace | add]',
  summary: 'protect the position with a take-profit and a stop; one cancels the other',
  where: 'anywhere',
  isProtective: true,
  placesStop: true,
  sends: true,
  takesSize: true,
  takesNear: true,
  takesFar: true,
  examples: [
    { line: 'oco at +2% stop -1%', meaning: 'for the whole position; offsets count from last' },
    { line: 'oco 50% BTCUSDT at $entry +2% stop $entry -1%', meaning: 'for half of it, counted from its entry' },
    { line: 'oco at +3% stop -1% replace', meaning: 'in place of the stops and take-profits that are there now' },
    { line: 'oco at +5% stop -3% --dry', meaning: 'what would rest, and nothing is sent' },
  ],
  complete: ({ words, symbols }) =>
    ['at', 'stop'].includes(words.at(-1) ?? '') ? ['$last', '$entry'] : [...symbols, 'at', 'stop', 'replace', 'add'],
  check: parseOco,
  symbolUse: (args) => symbolsOf(parseOco(args)),
  async run(context, args) {
    const intent = parseOco(args)
    const account = await context.account()
    const typed = intent.symbols.length > 0 ? intent.symbols : [context.symbol]
    const symbols = await findMarkets(account.venue, typed)
    await forEachItem(context, symbols, (symbol) => protect(context, account, { intent, symbol, args }))
  },
}

interface Asked {
  readonly intent: OcoIntent
  readonly symbol: string
  readonly args: readonly Argument[]
}

async function protect(context: CommandContext<'tasks'>, account: TradingAccount, asked: Asked): Promise<void> {
  const { intent, symbol, args } = asked
  const { beside } = intent
  const [view, resting] = await Promise.all([viewHeld(account, symbol, 'an oco'), restingOn(account, symbol, beside)])
  requireType(account, 'stop')
  foretellOn(context, view)
  const { take, stop } = pricesOf(intent, view)
  const typed = [...typedPrice('take-profit', take, intent.take), ...typedPrice('stop', stop, intent.stop)]
  await requireMeantPrices(context, { side: view.exit, view, typed, isFar: context.far.isMeant })
  const doubts = doubtsOfPlan(context, { triggerPrice: stop, takeProfitPrice: take }, view)
  const { amount, lines } = await coverOf(intent.size, stop, view)
  const { market, position } = view
  const before = await ordersBefore(context, { market, position, amount, ends: 'both', beside, resting, doubts })
  const first = { symbol, side: view.exit, type: 'stop', amount, triggerPrice: stop, reduceOnly: true } as const
  if (account.venue.capabilities.oco === true) {
    const pair = { ...first, takeProfitPrice: take }
    return placeInPlaceOf(context, account, before, () => placeAsOne(context, account, pair, lines))
  }
  requireType(account, 'limit')
  const params: OcoParams = { side: view.side, amount, take, stop }
  const planned: PlannedTask = {
    kind: 'oco',
    symbol,
    params,
    first,
    text: `keeps a take-profit at ${showPrice(take, market)} and a stop at ${showPrice(stop, market)} for ${showAmount(amount)} ${symbol}`,
    more: () => lines,
    data: { side: view.exit, amount, reduceOnly: true, price: stop, takeProfitPrice: take },
  }
  await replaceBy(context, account, await beginTask(context, account, planned, args), before)
}

/** The venue itself ends one with the other: nothing has to run for that. */
async function placeAsOne(
  context: CommandContext<'tasks'>,
  account: TradingAccount,
  plan: OrderPlan,
  lines: readonly string[],
): Promise<void> {
  await account.orders.place(plan, context.orderedBy(), orderReporter(context))
  for (const line of lines) context.out.info(line)
  context.out.info(`${account.venue.id}: stop and target share one order`)
}

/** @throws {TradingError} `bad-stop` for one on the wrong side of last */
function pricesOf({ take, stop }: OcoIntent, view: HeldView): { readonly take: string; readonly stop: string } {
  const { market, exit } = view
  const [gain, loss] = exit === 'sell' ? (['up', 'down'] as const) : (['down', 'up'] as const)
  const [takeAt, stopAt] = [signed(take, gain), signed(stop, loss)].map((typed) =>
    priceOnGrid(resolvePrice(typed, view), market, 'nearest'),
  )
  const prices = { take: takeAt ?? '0', stop: stopAt ?? '0' }
  refuseNoProfit(exit, prices.take, view)
  refuseWrongSide(exit, prices.stop, view, true)
  return prices
}
