// `buy` and `sell`: from intent to one order per symbol, with its stop and its take-profit where they are asked for.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { AcceptedBreach } from '../../exchange/exchange.ts'
import type { Market } from '../../exchange/market.ts'
import type { Order, Side } from '../../exchange/order.ts'
import { amountOnLot, priceOnGrid } from '../../exchange/price-grid.ts'
import { Simulated } from '../../exchange/simulated.ts'
import { symbolsOf } from '../../language/focus-taken.ts'
import { type OrderIntent, parseOrder } from '../../language/order.ts'
import { type PriceExpression, type PriceOffset, printOffset } from '../../language/price.ts'
import { printable } from '../../language/printable.ts'
import { printSize } from '../../language/size.ts'
import { showAmount, showPrice, showSum, showUnits } from '../../trading/figures.ts'
import { type Funds, findMarkets, fundsOnce, type MarketView, viewSymbol } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import type { OrderEvent, OrderListener } from '../../trading/order-event.ts'
import { endsAtOnce, type OrderedBy, type OrderPlan, type ProtectionPlan } from '../../trading/order-plan.ts'
import { fillPrice, refuseFarThrough, resolvePrice, restingSide } from '../../trading/pricing.ts'
import {
  type Cut,
  describeSmallest,
  type RiskedAmount,
  resolveAmount,
  resolveRisk,
  type SizingInput,
  smallestOrder,
} from '../../trading/sizing.ts'
import { TradingError } from '../../trading/trading-error.ts'
import { sumWithCurrency } from '../history/fills.ts'
import type { CommandContext, CommandExample, SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { cutLine, orderReporter } from '../kit/lines.ts'
import { forEachItem, foreseeEach, placeAsking } from '../kit/running.ts'
import { trailInPlaceOf } from '../tasks/trail.ts'
import {
  type AmountToMean,
  effectLines,
  foretellOrder,
  isWeighed,
  judging,
  MeantAmounts,
  protectionWords,
  reducingLine,
  requireMeant,
  typedPrice,
} from './meant-order.ts'
import {
  doubtsOfPlan,
  protectEntry,
  reportBare,
  requireSure,
  warnOfBareOn,
  warnOfLargeTargets,
  warnOfUnprotected,
} from './protective-stop.ts'
import { requireReduce } from './venue-needs.ts'

export const buy: SingleCommand<'tasks'> = entryCommand('buy', 'b', [
  { line: 'buy $1000 BTCUSDT', meaning: 'at the market, for 1,000 dollars' },
  { line: 'buy 0.01 at -1%', meaning: 'a limit order one percent below last, on the symbol in focus' },
  { line: 'buy $100 BTCUSDT,ETHUSDT', meaning: 'for 100 dollars each' },
  { line: 'buy 50% best po', meaning: 'half of the free balance at the best bid, post-only' },
  { line: 'buy $1000 stop -2%', meaning: 'with a stop two percent below last' },
  {
    line: 'buy 0.01 at -1% stop -1.5% tp +3%',
    meaning: 'stop and take-profit count from its own price, one percent below last; `$last -1.5%` counts from last',
  },
  {
    line: 'buy $250 stop -2% tp +4%',
    meaning: 'with a target four percent above last too; the one that fills cancels the other',
  },
  { line: 'buy risk 1% stop -2%', meaning: 'sized to lose 1% of equity at its stop, fees included' },
  { line: 'buy $1000 stop -2% tp 2R', meaning: 'with a target twice as far from the entry as its stop' },
  {
    line: 'buy $900 stop -2% tp 30% 1R, 30% 2R',
    meaning: 'in three orders, each with its stop: two have a target, the rest runs',
  },
  { line: 'buy $equity/10', meaning: 'for a tenth of the equity; $balance is what is free, and sizes compute' },
  { line: 'buy $250 stop -2% #breakout', meaning: 'tags the order and its trade' },
  { line: 'buy $250 --dry', meaning: 'checked and printed, not sent; every command that sends takes it' },
  {
    line: 'buy $250 at +0.1% ioc',
    meaning: 'fills at once up to that price, and cancels the rest; fok: all or nothing',
  },
])

export const sell: SingleCommand<'tasks'> = entryCommand('sell', 's', [
  { line: 'sell $250 BTCUSDT', meaning: 'at the market, for 250 dollars' },
  { line: 'sell 50% at +1% reduce', meaning: 'takes profit on half of the position' },
  { line: 'sell $500 at $ask +10 po', meaning: 'rests ten above the ask' },
  {
    line: 'sell 0.05 flip',
    meaning: 'may close a long and open a short with the rest; a terminal asks otherwise',
  },
])

function entryCommand(side: Side, alias: string, examples: readonly CommandExample[]): SingleCommand<'tasks'> {
  return {
    name: side,
    aliases: [alias],
    group: 'trading',
    usage:
      '<size | risk <% | $>> [SYMBOL,…] [at <price> | best] [po | ioc | fok] [reduce | flip] [stop <price>] [tp <price> | tp <%> <price>, … [trail <distance>]]',
    summary: side === 'buy' ? 'open or add to a long, or reduce a short' : 'open or add to a short, or reduce a long',
    where: 'anywhere',
    sends: true,
    takesTags: true,
    takesSize: true,
    takesNear: true,
    takesFar: true,
    examples,
    complete: ({ words, symbols }) => (words.at(-1) === 'at' ? ANCHORS : [...symbols, ...SUFFIXES]),
    check: (args) => parseOrder(args, side),
    symbolUse: (args) => symbolsOf(parseOrder(args, side)),
    async run(context, args) {
      const intent = parseOrder(args, side)
      const account = await context.account()
      const funds = fundsOnce(account.venue)
      const typed = intent.symbols.length > 0 ? intent.symbols : [context.symbol]
      const symbols = await findMarkets(account.venue, typed)
      const parts = new Map(symbols.flatMap((symbol) => partsOf(symbol, intent)))
      const items = [...parts.keys()]
      const meant = new MeantAmounts()
      const entryOn = (item: string, on = account): Entry => {
        const part = parts.get(item) ?? { symbol: item }
        return { account: on, side, intent, funds, meant, ...part }
      }
      const planOn = async (item: string, on: TradingAccount) => {
        const entry = entryOn(item, on)
        if (!entry.intent.reduce && entry.account.venue.kind !== 'spot' && isWeighed(context)) entry.funds.start?.()
        const planned = await planEntry(context, entry)
        if (isFirstPart(entry)) {
          await requireMeant(context, amountOf(context, entry, planned), judging(context, on, planned.plan), meant)
        }
        await requireFarOf(context, on, planned)
        return planned.plan
      }
      const accepted = intent.reduce ? undefined : await foreseeEach(context, { account, items, planOn })
      await forEachItem(context, items, (item) => enter(context, entryOn(item), accepted?.get(item)))
    },
  }
}

const ANCHORS = ['$last', '$bid', '$ask', '$entry']
const SUFFIXES = ['at', 'best', 'po', 'ioc', 'fok', 'reduce', 'flip', 'stop', 'tp']

type Context = CommandContext<'tasks'>

interface Entry extends Part {
  readonly account: TradingAccount
  readonly side: Side
  readonly intent: OrderIntent
  readonly funds: Funds
  /** What a person has been asked about, and means. */
  readonly meant: MeantAmounts
}

/** A ladder is sent as one order for each of its parts, so that each has a stop and a take-profit of its own, and one of the two ends the other. */
interface Part {
  readonly symbol: string
  readonly takeProfit?: PriceExpression
  /** Of the whole, in percent: where it begins and where it ends. Absent: it is the whole. */
  readonly share?: { readonly from: Decimal; readonly to: Decimal }
  /** How far the stop of this part follows the best price, once it has filled. */
  readonly trail?: PriceOffset
  /** What all parts come from, worked out once: what the first takes is not missing for the next. */
  readonly whole?: { sized?: Promise<SizedEntry> }
}

/** By their names, which errors begin with. */
function partsOf(symbol: string, { ladder, takeProfit }: OrderIntent): readonly (readonly [string, Part])[] {
  if (ladder === undefined) return [[symbol, { symbol, ...defined({ takeProfit }) }]]
  const whole = {}
  const parts: [string, Part][] = []
  let from = new Decimal(0)
  for (const [index, { percent, price }] of ladder.rungs.entries()) {
    const to = from.plus(percent)
    parts.push([`${symbol} part ${index + 1} (${percent}%)`, { symbol, takeProfit: price, share: { from, to }, whole }])
    from = to
  }
  if (from.lt(100)) {
    const rest = { symbol, share: { from, to: new Decimal(100) }, ...defined({ trail: ladder.trail }), whole }
    parts.push([`${symbol} the rest (${new Decimal(100).minus(from).toFixed()}%)`, rest])
  }
  return parts
}

interface SizedEntry {
  readonly amount: string
  readonly asked: string
  readonly cutFrom?: Cut
  /** Of a size by risk. */
  readonly risked?: RiskedAmount
}

/** @throws {TradingError} as `resolveAmount` and `resolveRisk` */
async function sizeOf({ intent: { size } }: Entry, stop: string | undefined, input: SizingInput): Promise<SizedEntry> {
  if (size.kind !== 'risk') return resolveAmount(size, input)
  // `parseOrder` refuses a size by risk without a stop.
  if (stop === undefined) throw new CommandError('bad-stop', 'a size by risk needs a stop')
  const risked = await resolveRisk(size, stop, input)
  return { ...risked, risked }
}

/** On the lot, so that all parts together are the whole. @throws {TradingError} `below-minimum` */
function partOf({ share }: Part, sized: SizedEntry, input: SizingInput): SizedEntry {
  if (share === undefined) return sized
  const { market } = input
  const upTo = (percent: Decimal) => amountOnLot(new Decimal(sized.amount).times(percent).div(100), market)
  const amount = upTo(share.to).minus(upTo(share.from))
  const smallest = smallestOrder(input)
  if (amount.lt(smallest)) {
    const percent = share.to.minus(share.from).toFixed()
    throw new TradingError('below-minimum', `${percent}% of the entry is below the minimum ${market.symbol} order`, {
      hint: `type a larger size or fewer parts: the smallest is ${describeSmallest(smallest, input)}`,
    })
  }
  return { ...sized, amount: amount.toFixed(), asked: amount.toFixed() }
}

interface PlannedEntry {
  readonly view: MarketView
  readonly plan: OrderPlan
  /** Of all parts together. */
  readonly whole: string
  readonly price: Decimal
  readonly cutFrom?: Cut
  readonly risked?: RiskedAmount
}

/** Every figure worked out, and refused what can be refused before anything is sent. */
async function planEntry(context: CommandContext, entry: Entry): Promise<PlannedEntry> {
  const { account, side, intent, symbol, funds } = entry
  const view = await viewSymbol(account.venue, symbol, hangsOnPosition(intent) ? 'asked' : side)
  const { market, position } = view
  if (intent.reduce) requireReduce(account)
  const limit = limitPrice(view, side, intent)
  if (limit !== undefined) refuseFarThrough(side, limit, view, account.priceBand?.())
  const price = fillPrice(side, view.ticker, limit)
  const percentOf = intent.reduce ? 'position' : 'balance'
  const protection = protectionOf(context, entry, view, limit)
  const input: SizingInput = { market, side, price, position, percentOf, funds, ...defined({ limit }) }
  const { whole } = entry
  const sizing = whole?.sized ?? sizeOf(entry, protection?.triggerPrice, input)
  if (whole !== undefined) whole.sized = sizing
  const sized = await sizing
  const { amount, asked, cutFrom, risked } = partOf(entry, sized, input)
  const plan = {
    symbol,
    side,
    amount,
    asked,
    ...(limit === undefined ? ({ type: 'market' } as const) : ({ type: 'limit', price: limit } as const)),
    ...(intent.reduce ? { reduceOnly: true } : {}),
    ...(intent.postOnly ? { postOnly: true } : {}),
    ...defined({ timeInForce: intent.timeInForce, protection }),
    ...(limit !== undefined && !intent.postOnly && crosses(side, limit, view) ? { crosses: true } : {}),
  }
  return { view, plan, whole: sized.amount, price, ...defined({ cutFrom, risked }) }
}

/** Where it does not, the position decides only what is said afterwards, and whether the guards have to look. */
function hangsOnPosition({ size, price, reduce, stop, takeProfit, ladder }: OrderIntent): boolean {
  const isFromEntry = price?.base.kind === 'anchor' && price.base.anchor === 'entry'
  return (
    reduce ||
    size.kind === 'percent' ||
    isFromEntry ||
    stop !== undefined ||
    takeProfit !== undefined ||
    ladder !== undefined
  )
}

function enter(context: Context, entry: Entry, accepted?: readonly AcceptedBreach[]): Promise<void> {
  const attempt = (by: OrderedBy, isAgain: boolean) => {
    // What was free before the question may be gone.
    const fresh = isAgain ? { ...entry, funds: fundsOnce(entry.account.venue) } : entry
    return placeEntry(context, fresh, { by, isForeseen: accepted !== undefined })
  }
  return placeAsking(context, attempt, accepted)
}

/** @throws {CommandError} `near-stop`, `liquidation-first` */
async function requireFarOf(
  context: CommandContext,
  account: TradingAccount,
  { view, plan }: PlannedEntry,
): Promise<void> {
  const doubts = doubtsOfPlan(context, plan.protection ?? {}, view, plan.price)
  await requireSure(context, doubts, judging(context, account, plan))
}

interface Sent {
  readonly by: OrderedBy
  /** Its list was asked about before the first order of it was sent. */
  readonly isForeseen: boolean
}

async function placeEntry(context: Context, entry: Entry, { by, isForeseen }: Sent): Promise<void> {
  const planned = await planEntry(context, entry)
  const { view, plan, cutFrom, risked } = planned
  const isFirst = isFirstPart(entry)
  const stop = plan.protection?.triggerPrice
  const amount = amountOf(context, entry, planned)
  foretellOrder(context, amount)
  if (!isForeseen) await requireFarOf(context, entry.account, planned)
  if (isFirst) await requireMeant(context, amount, judging(context, entry.account, plan), entry.meant)
  if (risked !== undefined && isFirst) context.out.info(riskLine(risked, view, stop))
  const reportOrder = orderReporter(context)
  let cut = cutFrom === undefined || !isFirst ? undefined : cutLine(cutFrom, view.market)
  let own: Order | undefined
  /** Of an entry that rests without a stop. */
  let unfilled: Decimal | undefined
  const unfilledEnd = new UnfilledEnd(plan, reportOrder)
  const placing = entry.account.orders.place(plan, by, (event) => {
    if (!unfilledEnd.holds(event)) reportOrder(event)
    if (event.type === 'protected') own = event.stop
    if (event.type === 'filled-later' && unfilled !== undefined) {
      unfilled = unfilled.minus(event.trade.amount)
      if (unfilled.lte(0) && context.source !== 'hook') void warnOfBareOn(context, entry.account, [plan.symbol])
    }
    // Right under its order, before the stop that follows.
    if (cut !== undefined) context.out.info(cut)
    cut = undefined
  })
  const order = await placing.catch((error: unknown) => {
    unfilledEnd.report()
    if (error instanceof Simulated) warnOfEffects(context, entry, amount)
    throw error
  })
  const { filled } = order
  if (unfilledEnd.isOf(order)) throw notFilled(plan, order)
  unfilledEnd.report()
  if (plan.protection === undefined && plan.reduceOnly !== true && order.status === 'open') {
    unfilled = new Decimal(order.remaining)
    unprotectedUnless(context, entry, view, order)
  }
  warnOfEffects(context, entry, amount, filled)
  if (isFirst)
    await reportBare(context, entry.account, { view, order, ...(stop === undefined ? {} : { stop: { own } }) })
  if (plan.reduceOnly === true && new Decimal(filled).gt(0))
    await warnOfLargeTargets(context, entry.account, view.market)
  const slip = slipLine(plan, view, order)
  if (slip !== undefined) context.out.warn(slip)
  const { trail } = entry
  if (trail !== undefined) await trailRest(context, { ...entry, trail }, view.market, { filled, own })
  if (order.status === 'open' && endsAtOnce(plan)) warnOfOpen(context, plan, order)
}

/** The end of an order that was to fill at once, or to rest without taking, and did neither: the failure of the step says it. */
class UnfilledEnd {
  readonly #plan: OrderPlan
  readonly #report: OrderListener
  #held: OrderEvent[] | undefined = []

  constructor(plan: OrderPlan, report: OrderListener) {
    this.#plan = plan
    this.#report = report
  }

  /** @returns whether the event waits until it is known what the step says */
  holds(event: OrderEvent): boolean {
    if (this.#held === undefined || event.type !== 'ended' || !this.isOf(event.order)) return false
    this.#held.push(event)
    return true
  }

  isOf({ status, filled, cause }: Order): boolean {
    const isToEnd = this.#plan.timeInForce !== undefined || this.#plan.postOnly === true
    return isToEnd && status !== 'open' && cause === undefined && new Decimal(filled).isZero()
  }

  /** What waited is reported after all. */
  report(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const event of held) this.#report(event)
  }
}

/** `order p93 expired unfilled (IOC)`. */
function notFilled({ timeInForce }: OrderPlan, { id, status }: Order): CommandError {
  const ended = status === 'expired' ? 'expired' : `was ${status}`
  const what = timeInForce === undefined ? 'post-only' : timeInForce.toUpperCase()
  const hint =
    timeInForce === 'fok'
      ? '`ioc` takes what is available'
      : timeInForce === 'ioc'
        ? 'choose a price nearer to the market'
        : 'choose a price farther from the market'
  return new CommandError('not-filled', `order ${printable(id, 40)} ${ended} unfilled (${what})`, { hint })
}

/** A later step was to place the stop of what it opens. */
function unprotectedUnless(context: Context, { account, side }: Entry, { position }: MarketView, order: Order): void {
  const opens = position === undefined || (position.side === 'long') === (side === 'buy')
  if (opens && account.venue.kind !== 'spot') {
    context.isProtectedLater(order.symbol, () => warnOfUnprotected(context, account, order))
  }
}

/** Of what the stop is away from last as the order was sent. */
const LARGE_SLIP_SHARE = '0.1'

/** `filled at 65,000.1, 23% farther from the stop at 63,406 than planned: that stop loses $15.94, not $12.94, before fees`; undefined: not much farther. */
function slipLine(plan: OrderPlan, { market, ticker }: MarketView, { average, filled }: Order): string | undefined {
  const stop = plan.protection?.triggerPrice
  if (stop === undefined || average === undefined || plan.type !== 'market' || new Decimal(filled).isZero())
    return undefined
  const from = (price: Decimal.Value) => new Decimal(price).minus(stop).times(plan.side === 'buy' ? 1 : -1)
  const [planned, real] = [from(ticker.last), from(average)]
  const share = real.minus(planned).div(planned)
  if (share.lte(LARGE_SLIP_SHARE)) return undefined
  const loss = (distance: Decimal) => showSum(distance.times(filled), market.quote)
  if (loss(real) === loss(planned)) return undefined
  const loses =
    market.amountUnit === 'quote' ? '' : `: that stop loses ${loss(real)}, not ${loss(planned)}, before fees`
  return `filled at ${showPrice(average, market)}, ${share.times(100).toFixed(0)}% farther from the stop at ${showPrice(stop, market)} than planned${loses}`
}

function riskLine(
  { amount, allowed, loses, currency }: RiskedAmount,
  { market }: MarketView,
  stop: string | undefined,
): string {
  const sum = (value: string) => sumWithCurrency(new Decimal(value).toSignificantDigits(6).toFixed(), currency)
  return `${showUnits(amount, market)} risks ${sum(loses)} of ${sum(allowed)} if stopped at ${showPrice(stop ?? '0', market)}, fees included`
}

/** Its stop takes the place of the entry's: both together would be more than the position. What has not filled yet cannot be trailed: its stop rests all the same. */
async function trailRest(
  context: Context,
  { account, trail: distance }: Entry & { readonly trail: PriceOffset },
  { symbol, amountUnit }: Market,
  { filled, own }: { readonly filled: string; readonly own: Order | undefined },
): Promise<void> {
  const length = printOffset(distance)
  if (new Decimal(filled).isZero()) {
    context.out.warn(
      `the rest has not filled yet, so no trail was started: type \`trail ${length} ${symbol}\` once it has`,
    )
    return
  }
  await trailInPlaceOf(context, account, distance, { own, symbol, amount: { kind: amountUnit, amount: filled } })
}

/** What it does in the end is not known: neither that it filled nor that it did not. @throws {CommandError} `outcome-unknown` */
function warnOfOpen(
  { out }: CommandContext,
  { timeInForce, symbol, side }: OrderPlan,
  { id, filled, amount }: Order,
): void {
  const soFar = `${showAmount(filled)} of ${showAmount(amount)} ${symbol} has filled so far`
  const name = printable(id, 40)
  if (timeInForce === undefined) return out.warn(`order ${name} has not ended yet: ${soFar}`)
  throw new CommandError(
    'outcome-unknown',
    `the venue does not report how the ${timeInForce} ${side}, order ${name}, ended: ${soFar}`,
    {
      hint: 'check `orders`; no new entry in this symbol is sent until it has ended',
    },
  )
}

function crosses(side: Side, limit: string, { ticker: { bid, ask } }: MarketView): boolean {
  return side === 'buy' ? new Decimal(limit).gte(ask) : new Decimal(limit).lte(bid)
}

function isFirstPart({ share }: Part): boolean {
  return share === undefined || share.from.isZero()
}

/** Of all parts together. */
function amountOf(
  { far }: Pick<CommandContext, 'far'>,
  { intent, side, funds }: Entry,
  planned: PlannedEntry,
): AmountToMean {
  const { view, whole, plan, price, cutFrom, risked } = planned
  const { market, position } = view
  const { size, reduce, flip, stop, takeProfit, ladder } = intent
  const has = { stop: stop !== undefined, takeProfit: (takeProfit ?? ladder) !== undefined }
  const isLater = plan.type === 'limit' && plan.crosses !== true && plan.timeInForce === undefined
  const { triggerPrice, takeProfitPrice } = plan.protection ?? {}
  const rungs = ladder?.rungs.map(({ price }) => price) ?? []
  const typed = [
    ...typedPrice('limit', plan.price, intent.price),
    ...typedPrice('stop', triggerPrice, stop),
    ...typedPrice('take-profit', takeProfitPrice, takeProfit),
    ...rungs.flatMap((rung) => (rung.base.kind === 'absolute' ? typedPrice('take-profit', rung.base.price, rung) : [])),
  ]
  const isImmediate = intent.timeInForce !== undefined || intent.postOnly
  return {
    side,
    amount: whole,
    market,
    position,
    price,
    size,
    reduce,
    isLater,
    shares: sharesOf(ladder, whole, market),
    prices: { side, view, typed, isFar: far.isMeant, isImmediate, isEntry: true },
    funds,
    stopAt: triggerPrice,
    symbols: intent.symbols,
    ...defined({ flip, cutFrom, protectedBy: protectionWords(has), risked: risked && { ...risked, amount: whole } }),
  }
}

function sharesOf(ladder: OrderIntent['ladder'], whole: string, market: Market): NonNullable<AmountToMean['shares']> {
  const upTo = (percent: Decimal) => amountOnLot(new Decimal(whole).times(percent).div(100), market)
  let from = new Decimal(0)
  return (ladder?.rungs ?? []).map(({ percent }) => {
    const to = from.plus(percent)
    const amount = upTo(to).minus(upTo(from))
    from = to
    return { percent, amount }
  })
}

/** @param filled of the order that was sent; absent: none was */
function warnOfEffects({ out }: CommandContext, entry: Entry, amount: AmountToMean, filled?: string): void {
  if (!isFirstPart(entry)) return
  const isAlone = filled !== undefined && entry.share === undefined
  const now = isAlone ? effectLines({ ...amount, amount: filled, isLater: false }) : []
  const isOver = filled !== undefined && entry.intent.timeInForce !== undefined
  for (const line of now.length > 0 || isOver ? now : effectLines(amount)) out.warn(line)
  const reducing = reducingLine(amount)
  if (reducing !== undefined) out.info(reducing)
}

function limitPrice(view: MarketView, side: Side, intent: OrderIntent): string | undefined {
  const rounding = intent.postOnly || intent.best ? restingSide(side) : 'nearest'
  if (intent.best) return priceOnGrid(side === 'buy' ? view.ticker.bid : view.ticker.ask, view.market, rounding)
  if (intent.price === undefined) return undefined
  return priceOnGrid(resolvePrice(intent.price, view), view.market, rounding)
}

/** A stop that cannot do its work is refused before the entry is placed. */
function protectionOf(
  context: CommandContext,
  { account, side, intent, takeProfit }: Entry,
  view: MarketView,
  limit: string | undefined,
): ProtectionPlan | undefined {
  const { stop } = intent
  const size = intent.size.kind === 'risk' ? undefined : printSize(intent.size)
  return protectEntry(context, account, {
    view,
    side,
    prices: defined({ stop, takeProfit }),
    reduce: intent.reduce,
    ...defined({ limit, size }),
  })
}
