// `take`: takes the profit of a position at the market once last reaches a price.
import type { Side } from '../../exchange/order.ts'
import { priceOnGrid } from '../../exchange/price-grid.ts'
import { symbolsOf } from '../../language/focus-taken.ts'
import { parseTake, type TakeIntent } from '../../language/order.ts'
import { signed } from '../../language/price.ts'
import { type Funds, findMarkets, fundsOnce, type MarketView, viewSymbol } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { refuseNoProfit } from '../../trading/plan-protection.ts'
import { resolvePrice } from '../../trading/pricing.ts'
import { resolveAmount } from '../../trading/sizing.ts'
import { noPosition } from '../../trading/trading-error.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { cutLine, orderReporter } from '../kit/lines.ts'
import { forEachItem } from '../kit/running.ts'
import { placeInPlaceOf } from './cancel.ts'
import { foretellOn, requireMeantPrices, typedPrice } from './meant-order.ts'
import { entryRiskOf, ordersBefore, restingOn, withinPosition } from './protective-stop.ts'
import { WHOLE } from './send-exit.ts'
import { requireType } from './venue-needs.ts'

export const take: SingleCommand<'orderHistory'> = {
  name: 'take',
  aliases: ['tp'],
  group: 'trading',
  usage: '[size] [SYMBOL,…] at <price> [replace | add]',
  summary: 'place a take-profit: close the position, or part of it, at a better price',
  where: 'anywhere',
  isProtective: true,
  sends: true,
  takesSize: true,
  takesFar: true,
  examples: [
    { line: 'take at +4%', meaning: 'closes the whole position four percent from here' },
    { line: 'take 50% at 2R', meaning: 'half of it at twice what the stop of its entry risked' },
    { line: 'take 50% BTCUSDT at $entry +5%', meaning: 'half of it, five percent from its entry' },
    { line: 'take at +6% replace', meaning: 'in place of the take-profits that are there now; add: beside them' },
  ],
  complete: ({ words, symbols }) =>
    words.at(-1) === 'at' ? ['$last', '$entry'] : [...symbols, 'at', 'replace', 'add'],
  check: parseTake,
  symbolUse: (args) => symbolsOf(parseTake(args)),
  async run(context, args) {
    const intent = parseTake(args)
    const account = await context.account()
    requireType(account, 'take-profit')
    const funds = fundsOnce(account.venue)
    const typed = intent.symbols.length > 0 ? intent.symbols : [context.symbol]
    const symbols = await findMarkets(account.venue, typed)
    await forEachItem(context, symbols, (symbol) => takeProfit(context, account, { intent, symbol, funds }))
  },
}

interface TakeOrder {
  readonly intent: TakeIntent
  readonly symbol: string
  readonly funds: Funds
}

async function takeProfit(
  context: CommandContext<'orderHistory'>,
  account: TradingAccount,
  { intent, symbol, funds }: TakeOrder,
): Promise<void> {
  const [view, resting] = await Promise.all([
    viewSymbol(account.venue, symbol),
    restingOn(account, symbol, intent.beside),
  ])
  foretellOn(context, view)
  const { market, position } = view
  const side = exitSide(view)
  const from = intent.trigger.base.kind === 'risk' ? await entryRiskOf(context, account, view) : undefined
  const triggerPrice = priceOnGrid(
    resolvePrice(signed(intent.trigger, side === 'sell' ? 'up' : 'down'), view, from),
    market,
    'nearest',
  )
  refuseNoProfit(side, triggerPrice, view)
  const typed = typedPrice('take-profit', triggerPrice, intent.trigger)
  await requireMeantPrices(context, { side, view, typed, isFar: context.far.isMeant })
  const input = { market, side, price: triggerPrice, position, percentOf: 'position', funds } as const
  const sized = await resolveAmount(intent.size ?? WHOLE, input)
  const { asked, cutFrom } = sized
  const { amount, line } = withinPosition(intent.size, sized.amount, view)
  const reduceOnly = market.kind === 'spot' ? {} : { reduceOnly: true }
  const plan = { symbol, side, type: 'take-profit', amount, asked, triggerPrice, ...reduceOnly } as const
  const { beside } = intent
  const before =
    position === undefined
      ? []
      : await ordersBefore(context, { market, position, amount, ends: 'take', beside, resting })
  await placeInPlaceOf(context, account, before, () =>
    account.orders.place(plan, context.orderedBy(), orderReporter(context)),
  )
  if (line !== undefined) context.out.info(line)
  else if (cutFrom !== undefined) context.out.info(cutLine(cutFrom, market))
}

/** @throws {TradingError} `no-position` */
function exitSide({ market, position }: MarketView): Side {
  if (market.kind === 'spot') return 'sell'
  if (position === undefined) throw noPosition(market.symbol)
  return position.side === 'long' ? 'sell' : 'buy'
}
