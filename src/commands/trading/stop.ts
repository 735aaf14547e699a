// `stop`: protects the position, or enters when a price is reached; at the market, or with a limit.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { AcceptedBreach } from '../../exchange/exchange.ts'
import type { Market } from '../../exchange/market.ts'
import type { Order, Position, Side } from '../../exchange/order.ts'
import { priceOnGrid } from '../../exchange/price-grid.ts'
import { symbolsOf } from '../../language/focus-taken.ts'
import { parseStop, type StopIntent } from '../../language/order.ts'
import { type PriceExpression, printOffset, signed } from '../../language/price.ts'
import { typedLine } from '../../language/print.ts'
import { printSize } from '../../language/size.ts'
import { coverOf } from '../../trading/cover.ts'
import { showPrice, showSum, showUnits } from '../../trading/figures.ts'
import { type Funds, findMarkets, fundsOnce, type MarketView, viewSymbol } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import type { OrderedBy, OrderPlan } from '../../trading/order-plan.ts'
import { refuseWrongSide } from '../../trading/plan-protection.ts'
import { type EntryRisk, resolvePrice } from '../../trading/pricing.ts'
import { type Cut, resolveAmount } from '../../trading/sizing.ts'
import { noPosition } from '../../trading/trading-error.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { cutLine, orderReporter } from '../kit/lines.ts'
import { forEachItem, foreseeEach, placeAsking } from '../kit/running.ts'
import { placeInPlaceOf } from './cancel.ts'
import { foretellOn, judging, MeantAmounts, requireMeant, requireMeantPrices, typedPrice } from './meant-order.ts'
import { doubtsOf, entryRiskOf, ordersBefore, restingOn, warnOfTargets, withinPosition } from './protective-stop.ts'
import { WHOLE } from './send-exit.ts'
import { requireType } from './venue-needs.ts'

export const stop: SingleCommand<'orderHistory'> = {
  name: 'stop',
  aliases: ['sl'],
  group: 'trading',
  usage:
    '[buy | sell] [size] [SYMBOL,…] <at <price> [limit <price>] | breakeven [+<%> | +fees]> [replace | add] [--near]',
  summary: 'place an order that triggers at a price, to protect the position or to enter',
  where: 'anywhere',
  isProtective: true,
  placesStop: true,
  sends: true,
  takesTags: true,
  takesSize: true,
  takesNear: true,
  takesFar: true,
  examples: [
    { line: 'stop at -2%', meaning: 'closes the whole position two percent from here' },
    { line: 'stop 50% at $entry -3%', meaning: 'protects half of it, three percent from its entry' },
    {
      line: 'stop at -1% replace',
      meaning: 'in place of the stops that protect the position now; add: beside them',
    },
    {
      line: 'stop breakeven +0.1%',
      meaning: 'at the entry, a little in profit, in place of the stops that are there; the same for a short',
    },
    { line: 'stop breakeven +fees', meaning: 'where the fees of entry and exit are paid' },
    { line: 'stop buy $250 at +100', meaning: 'opens a long on a breakout' },
    { line: 'stop at -2% limit -0.2%', meaning: 'then a limit order, 0.2 percent beyond the trigger' },
  ],
  complete: ({ words, symbols }) =>
    words.at(-1) === 'at'
      ? ['$last', '$entry']
      : [...symbols, 'buy', 'sell', 'at', 'breakeven', 'limit', 'replace', 'add'],
  check: parseStop,
  symbolUse: (args) => symbolsOf(parseStop(args)),
  async run(context, args) {
    const intent = parseStop(args)
    const account = await context.account()
    const funds = fundsOnce(account.venue)
    const typed = intent.symbols.length > 0 ? intent.symbols : [context.symbol]
    const symbols = await findMarkets(account.venue, typed)
    const enters = intent.side !== undefined && intent.size !== undefined
    const meant = new MeantAmounts()
    const planOn = async (symbol: string, on: TradingAccount) => {
      const order = { intent, symbol, funds, meant }
      const planned = await planStop(context, on, order)
      await requireMeantStop(context, on, order, planned)
      return planned.plan
    }
    const accepted = enters ? await foreseeEach(context, { account, items: symbols, planOn }) : undefined
    await forEachItem(context, symbols, (symbol) =>
      placeStop(context, account, { intent, symbol, funds, meant }, accepted?.get(symbol)),
    )
  },
}

type Context = CommandContext<'orderHistory'>

interface StopOrder {
  readonly intent: StopIntent
  readonly symbol: string
  readonly funds: Funds
  /** What a person has been asked about, and means. */
  readonly meant: MeantAmounts
}

interface PlannedStop {
  readonly view: MarketView
  readonly plan: OrderPlan
  readonly cutFrom?: Cut
  /** What is to be known of its amount. */
  readonly line?: string
}

/** Every figure worked out, and refused what can be refused before anything is sent. */
async function planStop(
  context: Context,
  account: TradingAccount,
  { intent, symbol, funds }: StopOrder,
): Promise<PlannedStop> {
  const view = await viewSymbol(account.venue, symbol)
  const { market, position } = view
  const { side, protects } = sideOf(intent, view)
  const from = intent.trigger.base.kind === 'risk' ? await entryRiskOf(context, account, view) : undefined
  const triggerPrice = triggerOf(intent, view, { exit: side, from })
  if (intent.breakEven !== undefined) requireProfit(side, triggerPrice, view)
  refuseWrongSide(side, triggerPrice, view, protects, {
    trigger: intent.trigger,
    ...defined({ size: intent.size && printSize(intent.size) }),
  })
  const limit = intent.limit === undefined ? undefined : limitOf(intent.limit, view, { side, triggerPrice, protects })
  requireType(account, limit === undefined ? 'stop' : 'stop-limit')
  const percentOf = protects ? 'position' : 'balance'
  const price = limit ?? triggerPrice
  const input = { market, side, price, position, percentOf, funds } as const
  const sized = await resolveAmount(intent.size ?? WHOLE, input)
  const { asked, cutFrom } = sized
  const { amount, line } = protects ? withinPosition(intent.size, sized.amount, view) : { ...sized, line: undefined }
  const plan = {
    symbol,
    side,
    amount,
    asked,
    triggerPrice,
    ...(limit === undefined ? ({ type: 'stop' } as const) : ({ type: 'stop-limit', price: limit } as const)),
    ...(protects && market.kind !== 'spot' ? { reduceOnly: true } : {}),
  }
  return { view, plan, ...defined({ cutFrom, line }) }
}

/** A break-even stop never rounds into a loss. @throws {TradingError} `no-position` */
function triggerOf(
  { trigger, breakEven }: StopIntent,
  view: MarketView,
  { exit, from }: { readonly exit: Side; readonly from: EntryRisk | undefined },
): string {
  const { market, position } = view
  if (breakEven === undefined) {
    const typed = signed(trigger, exit === 'sell' ? 'down' : 'up')
    return priceOnGrid(resolvePrice(typed, view, from), market, 'nearest')
  }
  if (position === undefined) throw noPosition(market.symbol)
  const rounding = exit === 'sell' ? 'up' : 'down'
  if (breakEven === 'fees') return priceOnGrid(evenAfterFees(position, market), market, rounding)
  const { kind, value } = breakEven
  const towards = exit === 'sell' ? value : new Decimal(value).neg().toFixed()
  const price = resolvePrice({ ...trigger, offset: { kind, value: towards } }, view)
  return priceOnGrid(price, market, rounding)
}

/** Where a position has paid the taker's fees of its entry and its exit. @throws {CommandError} `bad-stop`: they are not known */
function evenAfterFees({ side, entryPrice }: Pick<Position, 'side' | 'entryPrice'>, market: Market): Decimal {
  const { symbol, takerFee } = market
  if (takerFee === undefined)
    throw new CommandError('bad-stop', `the fees of ${symbol} are not known`, {
      hint: 'type a distance: breakeven +0.1%',
    })
  const fee = side === 'long' ? new Decimal(takerFee) : new Decimal(takerFee).neg()
  return new Decimal(entryPrice).times(fee.plus(1)).div(new Decimal(1).minus(fee))
}

/** @throws {CommandError} `bad-stop` */
function requireProfit(exit: Side, triggerPrice: string, { market, ticker }: MarketView): void {
  if (exit === 'sell' ? new Decimal(ticker.last).gt(triggerPrice) : new Decimal(ticker.last).lt(triggerPrice)) return
  const where = exit === 'sell' ? 'above' : 'below'
  const what = `break-even needs a price ${where} ${showPrice(triggerPrice, market)}, and ${market.symbol} is at ${showPrice(ticker.last, market)}`
  throw new CommandError('bad-stop', what, { hint: 'set it once the price gets there' })
}

/** An offset counts from the trigger. A protective one that could only rest would protect nothing. */
function limitOf(
  typed: PriceExpression,
  view: MarketView,
  { side, triggerPrice, protects }: { readonly side: Side; readonly triggerPrice: string; readonly protects: boolean },
): string {
  const { market, ticker } = view
  const limit = priceOnGrid(
    resolvePrice(signed(typed, side === 'sell' ? 'down' : 'up'), {
      ...view,
      ticker: { ...ticker, last: triggerPrice },
    }),
    market,
    'nearest',
  )
  const rests = side === 'sell' ? new Decimal(limit).gt(triggerPrice) : new Decimal(limit).lt(triggerPrice)
  if (!protects || !rests) return limit
  const where = side === 'sell' ? 'above' : 'below'
  throw new CommandError('bad-stop', `a limit ${where} the trigger only rests when the trigger is reached`, {
    hint: `choose one ${side === 'sell' ? 'at or below' : 'at or above'} it, as in limit ${side === 'sell' ? '-' : '+'}0.2%`,
  })
}

function placeStop(
  context: Context,
  account: TradingAccount,
  order: StopOrder,
  accepted?: readonly AcceptedBreach[],
): Promise<void> {
  const attempt = async (by: OrderedBy, isAgain: boolean) => {
    const fresh = isAgain ? { ...order, funds: fundsOnce(account.venue) } : order
    const [planned, resting] = await Promise.all([
      planStop(context, account, fresh),
      mayProtect(order.intent) ? restingOn(account, order.symbol, order.intent.beside) : undefined,
    ])
    const { view, plan, cutFrom, line } = forBarePart(planned, order.intent, resting)
    const { market } = view
    foretellOn(context, view, plan.amount)
    await requireMeantStop(context, account, fresh, { view, plan, ...defined({ cutFrom }) })
    const before = await stopsBefore(context, order.intent, { view, plan }, resting)
    const parts = partsWithTargets(account, plan, { before, minAmount: market.minAmount })
    await placeInPlaceOf(context, account, before, async () => {
      for (const [index, part] of parts.entries()) {
        await account.orders.place(part, index === 0 ? by : context.orderedBy(), orderReporter(context))
      }
    })
    if (parts.every(({ takeProfitPrice }) => takeProfitPrice === undefined)) warnOfTargets(context, before, market)
    const loss = order.intent.breakEven === undefined ? undefined : lossAfterFees(view, plan)
    if (loss !== undefined) context.out.info(loss)
    if (line !== undefined) context.out.info(line)
    else if (cutFrom !== undefined) context.out.info(cutLine(cutFrom, market))
  }
  return placeAsking(context, attempt, accepted)
}

/** Its prices, and the size of one that enters. A percentage is of what is free. */
async function requireMeantStop(
  context: Context,
  account: TradingAccount,
  { intent, funds, meant }: StopOrder,
  { view, plan, cutFrom }: PlannedStop,
): Promise<void> {
  const { size, side: typedSide, symbols, trigger, limit } = intent
  const { market, position } = view
  const typed = [...typedPrice('stop', plan.triggerPrice, trigger), ...typedPrice('limit', plan.price, limit)]
  const prices = { side: plan.side, view, typed, isFar: context.far.isMeant, isImmediate: true }
  const isExit = position !== undefined && (plan.side === 'sell') === (position.side === 'long')
  if (size === undefined || size.kind === 'percent' || typedSide === undefined || isExit || plan.reduceOnly === true) {
    return requireMeantPrices(context, prices, meant, judging(context, account, plan))
  }
  const price = plan.price ?? plan.triggerPrice ?? view.ticker.last
  const order = { side: plan.side, amount: plan.amount, market, position, price, size, reduce: false, isLater: true }
  const meaning = { ...order, prices, funds, symbols, ...defined({ cutFrom }) } as const
  await requireMeant(context, meaning, judging(context, account, plan), meant)
}

/** A break-even stop pays the fees of its entry and its exit; undefined: they are covered, or not known. */
function lossAfterFees({ market, position }: MarketView, { amount, triggerPrice }: OrderPlan): string | undefined {
  const { kind, symbol, settle, quote, takerFee } = market
  if (kind !== 'linear' || position === undefined || triggerPrice === undefined || takerFee === undefined) return
  const [entry, exit] = [new Decimal(position.entryPrice), new Decimal(triggerPrice)]
  const fees = entry.plus(exit).times(takerFee)
  const loss = fees.minus(exit.minus(entry).abs()).times(amount)
  if (loss.lte(0)) return
  const lost = `at ${showPrice(triggerPrice, market)} the position loses about ${showSum(loss, settle ?? quote)} after fees`
  const line = typedLine`stop ${symbol} breakeven +fees`
  return line === undefined ? lost : `${lost}: \`${line}\` covers them`
}

/**
 * The new stop, in as many orders as keep each take-profit of those that it replaces, with the amount that this had. One order where they had none,
 * or the venue holds no pair.
 */
function partsWithTargets(
  { venue }: TradingAccount,
  plan: OrderPlan,
  { before, minAmount }: { readonly before: readonly Order[]; readonly minAmount: string },
): readonly OrderPlan[] {
  const targets = before.flatMap(({ takeProfitPrice, remaining, closesPosition }) =>
    takeProfitPrice === undefined ? [] : [{ takeProfitPrice, covers: closesPosition ? plan.amount : remaining }],
  )
  if (targets.length === 0 || plan.type !== 'stop' || venue.capabilities.oco !== true) return [plan]
  const { asked: _, ...bare } = plan
  const parts: OrderPlan[] = []
  let rest = new Decimal(plan.amount)
  for (const { takeProfitPrice, covers } of targets) {
    // No order is too small to be placed: the one before it takes the rest.
    const isLast = rest.minus(covers).lt(minAmount)
    const amount = isLast ? rest : new Decimal(covers)
    parts.push({ ...(amount.eq(plan.amount) ? plan : bare), amount: amount.toFixed(), takeProfitPrice })
    if (isLast) return parts
    rest = rest.minus(amount)
  }
  return [...parts, { ...bare, amount: rest.toFixed() }]
}

/** Without a size the stop is for what no other one ends, where others end only a part: the position is covered whole, and none counts twice. */
function forBarePart(planned: PlannedStop, { size, beside }: StopIntent, resting: readonly Order[] = []): PlannedStop {
  const { view, plan } = planned
  const { position, market } = view
  if (size !== undefined || beside !== undefined || position === undefined || plan.reduceOnly !== true) return planned
  const { stops, uncovered } = coverOf(position, resting)
  if (stops.length === 0 || new Decimal(uncovered).lt(market.minAmount) || uncovered === plan.amount) return planned
  const { asked: _, ...whole } = plan
  const line = `this stop covers the ${showUnits(uncovered, market)} that had none; add \`replace\` to cover the whole ${position.side}`
  return { view, plan: { ...whole, amount: uncovered }, line }
}

/** An entry covers nothing. */
function mayProtect({ side, size, beside }: StopIntent): boolean {
  return beside === 'replace' || side === undefined || size === undefined
}

/** @returns those that the new one replaces @throws {CommandError} `covered` beside one that covers the position, `near-stop` */
async function stopsBefore(
  context: CommandContext,
  { beside }: StopIntent,
  { view, plan: { amount, triggerPrice, reduceOnly } }: Pick<PlannedStop, 'view' | 'plan'>,
  resting: readonly Order[] | undefined,
): Promise<readonly Order[]> {
  const { position, market } = view
  if (position === undefined || reduceOnly !== true) return []
  const doubts = triggerPrice === undefined ? [] : doubtsOf(context, triggerPrice, view)
  return ordersBefore(context, { market, position, amount, ends: 'stop', beside, resting, doubts })
}

/** Against the position it protects; otherwise it enters, and then it must say which way and how much. */
function sideOf(intent: StopIntent, { position, market, ticker }: MarketView): { side: Side; protects: boolean } {
  // Coins have no side of their own: what is sold was held.
  if (market.kind === 'spot' && intent.side !== 'buy') return { side: 'sell', protects: true }
  const exit = position === undefined ? undefined : position.side === 'long' ? 'sell' : 'buy'
  if (exit !== undefined && (intent.side ?? exit) === exit) return { side: exit, protects: true }
  if (intent.side !== undefined && intent.size !== undefined) return { side: intent.side, protects: false }
  const why =
    position === undefined
      ? `no position on ${market.symbol} to protect`
      : `a stop to ${intent.side} adds to the ${market.symbol} ${position.side}`
  throw new CommandError('bad-stop', why, { hint: `to enter, type the size: \`${entryLine(intent, ticker)}\`` })
}

function entryLine({ side, trigger: { base, offset } }: StopIntent, { last }: MarketView['ticker']): string {
  const typed = base.kind === 'absolute' && offset === undefined ? base.price : undefined
  const isBelow = typed === undefined ? offset?.value.startsWith('-') === true : new Decimal(typed).lt(last)
  const opens = side ?? (isBelow ? 'sell' : 'buy')
  const distance = offset === undefined ? '1%' : printOffset(offset).replace('-', '')
  const at = typed ?? `${opens === 'buy' ? '+' : '-'}${distance}`
  // A buy below last waits as a limit order, and so does a sale above it.
  const waits = typed === undefined || (opens === 'sell') === isBelow
  return `${waits ? 'stop ' : ''}${opens} $250 at ${at}`
}
