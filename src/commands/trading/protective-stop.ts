// What is nearly always a slip with the orders that protect a position: a stop so close to the price that the next trade may fire it (`stop at -2`
// for `stop at -2%`), a second stop or take-profit beside one that covers it all, the last stop taken away. The first two ask at a terminal and are
// refused elsewhere.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Market } from '../../exchange/market.ts'
import type { Order, Position, Side } from '../../exchange/order.ts'
import { amountOnLot } from '../../exchange/price-grid.ts'
import type { Beside } from '../../language/order.ts'
import { typedLine } from '../../language/print.ts'
import { printable } from '../../language/printable.ts'
import { isWhole, printSize, type Size } from '../../language/size.ts'
import { isOfOperator } from '../../runs/run.ts'
import {
  awayFrom,
  type Bare,
  type Cover,
  coverLine,
  coverOf,
  isProtectiveStop,
  stopsOf,
  type Target,
} from '../../trading/cover.ts'
import { showAmount, showAverageOf, showPrice, showUnits } from '../../trading/figures.ts'
import { riskOf } from '../../trading/history/round-trips.ts'
import type { MarketView } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import type { ProtectionPlan } from '../../trading/order-plan.ts'
import { type ProtectivePrices, planProtection } from '../../trading/plan-protection.ts'
import type { EntryRisk } from '../../trading/pricing.ts'
import { noPosition, TradingError } from '../../trading/trading-error.ts'
import { type CommandContext, questionOf } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { describeOrder } from '../kit/lines.ts'
import type { BarePosition } from '../kit/ports.ts'
import type { Judge } from './meant-order.ts'
import { requireProtection } from './venue-needs.ts'

/** Of the price. */
const NEAR_SHARE = '0.001'

/** Why an order that protects is nearly always a slip. */
export interface Doubt {
  readonly what: string
  readonly asks: string
  /** Without a yes. */
  readonly error: CommandError
  /** What a yes holds for, where `what` has figures that move. */
  readonly holdsFor?: string
  readonly accept?: () => void
  readonly decline?: () => void
}

/** One question for all of them. @throws the error of the first, without a yes @throws as `judge` */
export async function requireSure(
  { confirm }: Pick<CommandContext, 'confirm'>,
  doubts: readonly Doubt[],
  judge?: Judge,
): Promise<void> {
  const [first] = doubts
  if (first === undefined) return
  await judge?.()
  if (confirm === undefined) throw first.error
  const asks = doubts.length === 1 ? first.asks : 'place it?'
  const holdsFor = doubts.map(({ what, holdsFor = what }) => holdsFor)
  if (await confirm(questionOf(doubts.map(({ what }) => what).join('; '), asks), { holdsFor })) {
    for (const { accept } of doubts) accept?.()
    return
  }
  for (const { decline } of doubts) decline?.()
  throw first.error
}

/** Of both orders of a plan. @param from as of `doubtsOf` @throws as `doubtsOf` */
export function doubtsOfPlan(
  context: StopAsking,
  { triggerPrice, takeProfitPrice }: Pick<ProtectionPlan, 'triggerPrice' | 'takeProfitPrice'>,
  view: Pick<MarketView, 'market' | 'ticker' | 'position'>,
  from?: Decimal.Value,
): readonly Doubt[] {
  const stop = triggerPrice === undefined ? [] : doubtsOf(context, triggerPrice, view, from)
  const take = takeProfitPrice === undefined ? [] : doubtsOf(context, takeProfitPrice, view, from, 'take-profit')
  return [...stop, ...take]
}

/**
 * That a stop or a target is so near, or comes too late; `--near` and `--far` say that it is meant.
 * @param from what it is measured from. Default: last
 * @throws {CommandError} `near-stop` where a person has said no to one of the step
 */
export function doubtsOf(
  context: StopAsking,
  price: string,
  { market, ticker, position }: Pick<MarketView, 'market' | 'ticker' | 'position'>,
  from: Decimal.Value = ticker.last,
  noun: 'stop' | 'take-profit' = 'stop',
): readonly Doubt[] {
  const { near } = context
  const late = noun === 'stop' ? lateDoubt(context, price, position, market) : []
  const reference = new Decimal(from)
  const distance = reference.minus(price).abs()
  const spread = Decimal.max(0, new Decimal(ticker.ask).minus(ticker.bid))
  // In and out again.
  const fees = reference.times(market.takerFee ?? 0).times(2)
  const least = Decimal.max(spread.plus(fees), reference.times(NEAR_SHARE))
  if (near.isMeant || distance.gte(least)) return late
  const what = `the ${noun} is ${showAmount(distance)} from ${reference.eq(ticker.last) ? 'last' : showPrice(reference, market)}, inside spread and fees (${showAmount(least.toSignificantDigits(4))})`
  const error = new CommandError('near-stop', what, { hint: 'choose a price farther away, or add --near' })
  if (near.isDeclined === true) throw error
  const doubt: Doubt = {
    what: `${market.symbol}: ${what}`,
    asks: 'place it?',
    error,
    holdsFor: `the ${noun} is near`,
    accept: () => {
      near.isMeant = true
    },
    decline: () => {
      near.isDeclined = true
    },
  }
  return [...late, doubt]
}

export type StopAsking = Pick<CommandContext, 'near' | 'far' | 'confirm' | 'foretell' | 'source' | 'out'>

/** A stop that the venue's liquidation comes before ends nothing. A terminal asks; hooks and pages place it, and it is named. */
function lateDoubt(
  { far, confirm, source, out }: StopAsking,
  triggerPrice: string,
  position: Position | undefined,
  market: Market,
): readonly Doubt[] {
  const { liquidationPrice, side, symbol } = position ?? {}
  if (position === undefined || liquidationPrice === undefined || far.isMeant) return []
  if (!comesBefore(position, liquidationPrice, triggerPrice)) return []
  const what = `the ${symbol} ${side} is liquidated at about ${showAverageOf(liquidationPrice, market)}, before its stop at ${showPrice(triggerPrice, market)}`
  if (confirm === undefined && !isOfOperator(source)) {
    out.warn(what)
    return []
  }
  const hint = 'choose a nearer stop or a lower leverage, or add --far'
  const error = new CommandError('liquidation-first', what, { hint })
  const accept = () => {
    far.isMeant = true
  }
  return [{ what, asks: 'place it?', error, accept }]
}

/** Whether `price` is reached before `other` where the position loses, or at once with it. */
export function comesBefore({ side }: Pick<Position, 'side'>, price: Decimal.Value, other: string): boolean {
  return side === 'long' ? new Decimal(price).gte(other) : new Decimal(price).lte(other)
}

interface EntryProtection {
  readonly view: MarketView
  readonly side: Side
  readonly prices: ProtectivePrices
  /** Of a limit order. */
  readonly limit?: string
  readonly size?: string
  readonly reduce?: boolean
}

/**
 * Where the stop and the take-profit of an entry go. One that cannot do its work is refused before anything is sent.
 * @returns undefined where neither is asked for
 * @throws {TradingError} `bad-stop` @throws {CommandError} `not-supported`
 */
export function protectEntry(
  { source }: Pick<CommandContext, 'source'>,
  account: TradingAccount,
  { view, side, prices, limit, size, reduce = false }: EntryProtection,
): ProtectionPlan | undefined {
  const { stop, takeProfit } = prices
  if (stop === undefined && takeProfit === undefined) return undefined
  if (reduce) {
    const what = stop === undefined ? 'tp' : 'stop'
    throw new CommandError('bad-stop', `a \`reduce\` order opens no position for a ${what}`, {
      hint: `keep \`reduce\` or \`${what}\``,
    })
  }
  requireProtection(account, view, side, { stop: stop !== undefined, takeProfit: takeProfit !== undefined })
  return planProtection(prices, { side, view, staysOpen: source !== 'exec', ...defined({ limit, size }) })
}

/**
 * What `1R` of the position is: how far from its entry the stops were that its entries were sent with.
 * @throws {TradingError} `no-position` @throws {CommandError} `no-risk`
 */
export async function entryRiskOf(
  { ports, accountName }: CommandContext<'orderHistory'>,
  { venue }: TradingAccount,
  { market, position }: Pick<MarketView, 'market' | 'position'>,
): Promise<EntryRisk> {
  if (position === undefined) throw noPosition(market.symbol)
  const journal = await ports.orderHistory(accountName)
  const found = riskOf(position, journal, await venue.loadMarkets())
  if (found === undefined) {
    const what = `the risk of the ${market.symbol} ${position.side} is not known: an entry had no stop, or is not in the order journal`
    throw new CommandError('no-risk', what, { hint: 'type a price, or a percentage such as +4%' })
  }
  const entry = new Decimal(position.entryPrice)
  const perUnit = new Decimal(found.risk).div(position.amount)
  const loss = position.side === 'long' ? perUnit : perUnit.neg()
  // Of an inverse contract coins are lost: its stop is where they are.
  const stop = market.amountUnit === 'quote' ? entry.pow(-1).plus(loss).pow(-1) : entry.minus(loss)
  return { entry, risk: entry.minus(stop) }
}

// A second order of a kind that covers the position already.

/**
 * The orders that may end the position already, asked for beside the price. undefined: they need not be known, or are not: no protection waits for
 * the answer to a slip.
 * @throws {ExchangeError} they are not known, and are to be replaced
 */
export async function restingOn(
  { venue }: TradingAccount,
  symbol: string,
  beside: Beside | undefined,
): Promise<readonly Order[] | undefined> {
  if (beside === 'add') return undefined
  try {
    return await venue.fetchOpenOrders(symbol)
  } catch (error) {
    if (!(error instanceof ExchangeError) || beside === 'replace') throw error
    return undefined
  }
}

interface NewProtection {
  readonly market: Market
  readonly position: Position
  /** In the market's unit. */
  readonly amount: string
  /** Where it ends the position: where that loses, where it gains, or both. */
  readonly ends: 'stop' | 'take' | 'both'
  readonly beside: Beside | undefined
  /** As `restingOn` has them. */
  readonly resting: readonly Order[] | undefined
  /** What else is asked about it, in the same question. */
  readonly doubts?: readonly Doubt[]
}

/**
 * Asks at a terminal, unless `add` or `replace` was typed.
 * @returns those that the new one replaces: once it rests
 * @throws {CommandError} `covered`, or the error of a doubt
 */
export async function ordersBefore(
  context: Pick<CommandContext, 'confirm'>,
  { doubts = [], ...protection }: NewProtection,
): Promise<readonly Order[]> {
  const { before, doubt } = lookBefore(protection)
  await requireSure(context, [...doubts, ...(doubt === undefined ? [] : [doubt])])
  return before
}

/** @throws {CommandError} `covered` where a stop would go with the targets that are to be replaced */
function lookBefore({ market, position, amount, ends, beside, resting }: NewProtection): {
  readonly before: readonly Order[]
  readonly doubt?: Doubt
} {
  if (resting === undefined) return { before: [] }
  const { stops, targets, uncovered } = coverOf(position, resting)
  const takes = targets.map(({ order }) => order)
  const before = [...(ends === 'take' ? [] : stops), ...(ends === 'stop' ? [] : takes)]
  if (beside === 'replace') {
    const stop = ends === 'take' ? before.find(isProtectiveStop) : undefined
    if (stop !== undefined) throw covered(position, { orders: [stop], ends: 'take', market })
    return { before: [...new Set(before)] }
  }
  const isStopped = ends !== 'take' && new Decimal(amount).gt(uncovered)
  const isTaken = ends !== 'stop' && new Decimal(amount).gt(withoutTarget(position, takes))
  if (!(isStopped && stops.length > 0) && !(isTaken && takes.length > 0)) return { before: [] }
  const error =
    isStopped && stops.length > 0
      ? covered(position, { orders: stops, ends: 'stop', market, uncovered })
      : covered(position, { orders: takes, ends: 'take', market })
  return { before: [], doubt: { what: error.message, asks: 'place another?', error } }
}

/** What was replaced took its take-profits along. */
export function warnOfTargets(
  { out }: Pick<Warned, 'out'>,
  before: readonly Order[],
  market: Pick<Market, 'symbol' | 'amountUnit' | 'priceGrid'>,
): void {
  const { symbol, amountUnit } = market
  const gone = before.flatMap(({ takeProfitPrice, remaining }) =>
    takeProfitPrice === undefined
      ? []
      : [{ price: takeProfitPrice, size: printSize({ kind: amountUnit, amount: remaining }) }],
  )
  if (gone.length === 0) return
  const prices = gone.map(({ price }) => showPrice(price, market)).join(', ')
  const lines = gone.flatMap(({ price, size }) => {
    const rest = typedLine`${symbol} at ${price} add`
    return rest === undefined ? [] : [`take ${size} ${rest}`]
  })
  const [what, them] =
    gone.length === 1
      ? [`the take-profit at ${prices} was canceled with its stop`, 'it']
      : [`the take-profits at ${prices} were canceled with their stops`, 'them']
  out.warn(`${what}; \`${lines.join('; ')}\` places ${them} again`)
}

/**
 * What protects a position is never more than it.
 * @returns the amount, and what is to be known where it is less than what was typed
 * @throws {TradingError} `bare-number` for a whole number of coins, which nearly always was percent or money without its sign
 */
export function withinPosition(
  size: Size | undefined,
  amount: string,
  { market, position }: Pick<MarketView, 'market' | 'position'>,
): { readonly amount: string; readonly line?: string } {
  if (position === undefined || new Decimal(amount).lte(position.amount)) return { amount }
  const held = `the ${position.side} of ${showUnits(position.amount, market)}`
  if (size?.kind === 'base' && isWhole(size.amount)) {
    throw new TradingError('bare-number', `${size.amount} ${market.base} is more than ${held}`, {
      hint: `type ${size.amount}% for a part, or leave the size out for all of it`,
    })
  }
  return {
    amount: position.amount,
    line: `${showUnits(amount, market)} is more than ${held}, so the order is for all of it`,
  }
}

/** What of the position no target ends, in the market's unit. */
function withoutTarget({ amount }: Position, targets: readonly Order[]): Decimal {
  if (targets.some(({ closesPosition }) => closesPosition === true)) return new Decimal(0)
  return Decimal.max(0, new Decimal(amount).minus(Decimal.sum(0, ...targets.map(({ remaining }) => remaining))))
}

interface Covering {
  /** At least one, the nearest first. */
  readonly orders: readonly Order[]
  readonly ends: 'stop' | 'take'
  readonly market: Market
  /** What of the position they leave, in the market's unit. Default none. */
  readonly uncovered?: string
}

function covered(position: Position, { orders, ends, market, uncovered = '0' }: Covering): CommandError {
  const { side, symbol } = position
  const [first] = orders
  const name = printable(first?.id ?? '', 40)
  const order = `${name} (${first === undefined ? '' : describeOrder(first, () => market)})`
  const [verb, verbs, noun] =
    ends === 'stop'
      ? ['protects', 'protect', 'protective orders']
      : ['takes the profit of', 'take the profit of', 'take-profit orders']
  const isWhole = new Decimal(uncovered).isZero()
  const named =
    orders.length === 1
      ? `order ${order} already ${verb}`
      : `${orders.length} ${noun}, the nearest ${order}, already ${verbs}`
  const what = isWhole
    ? `${named} the ${symbol} ${side}`
    : `${named} a part of the ${symbol} ${side}; ${partOf(position, uncovered, market)} has no stop`
  // Its stop would go with it.
  const hint =
    ends === 'take' && first !== undefined && isProtectiveStop(first)
      ? `\`amend ${name} tp <price>\` moves it; add \`add\` for both`
      : `${isWhole ? '' : `\`stop ${symbol} ${awayFrom(side)}\` stops that part; `}add \`replace\` for this one instead, or \`add\` for both`
  return new CommandError('covered', what, { hint })
}

/** `the BTCUSDT long of 0.03 BTC`. */
function wholeOf({ side, amount }: Pick<Position, 'side' | 'amount'>, market: Market): string {
  return `the ${market.symbol} ${side} of ${showUnits(amount, market)}`
}

/** `0.01 BTC of the BTCUSDT long of 0.03 BTC`. */
function partOf(position: Pick<Position, 'side' | 'amount'>, part: string, market: Market): string {
  return `${showUnits(part, market)} of ${wholeOf(position, market)}`
}

/**
 * The position, or the part of it that its stops leave, with the line that places a stop.
 * @param elsewhere the account, where another one is in focus
 * @param market undefined: the venue lists it no longer
 */
export function bareLine(
  position: Bare,
  { stops, uncovered }: Cover,
  market: Market | undefined,
  elsewhere: string | undefined,
): string {
  const { side, symbol } = position
  if (market === undefined)
    return `${showAmount(uncovered)} of the ${symbol} ${side} has no stop, and the venue no longer lists ${symbol}`
  const [bare, line] =
    stops.length === 0
      ? [wholeOf(position, market), `stop ${symbol} ${awayFrom(side)}`]
      : [partOf(position, uncovered, market), coverLine(market, uncovered, awayFrom(side))]
  return `${bare} has no stop: ${typedOn(elsewhere, line)} places one`
}

/** A line is for the account in focus: another one is brought there first. */
function typedOn(elsewhere: string | undefined, line: string): string {
  return elsewhere === undefined ? `\`${line}\`` : `\`account use ${printable(elsewhere, 40)}\`, then \`${line}\``
}

interface Entered {
  readonly view: Pick<MarketView, 'market' | 'position'>
  readonly order: Pick<Order, 'side' | 'filled'>
  /** What the order was sent with; absent: no stop. */
  readonly stop?: { readonly own: Order | undefined }
  /** The other side had one, which ended with it. */
  readonly lostStop?: boolean
}

/**
 * An entry has opened a position without a stop, or added to one: how much of it no stop ends now. Nothing is reported where a later step of the
 * line places one. A hook that opens without a stop was written so.
 */
export async function reportBare(
  context: Pick<CommandContext<'tasks'>, 'out' | 'source' | 'isProtectedLater' | 'ports' | 'accountName' | 'elsewhere'>,
  account: TradingAccount,
  entered: Entered,
): Promise<void> {
  const { venue } = account
  const { out, source } = context
  const { view, stop, lostStop = false } = entered
  const whole = openedBy(entered)
  if (whole === undefined || venue.kind === 'spot') return
  const { symbol } = whole
  const { side } = entered.order
  if (context.isProtectedLater(symbol, () => warnOfOpened(context, account, { symbol, side }))) return
  const isAddition = view.position?.side === whole.side
  if (!isAddition && stop !== undefined) return
  try {
    const resting = isAddition ? await venue.fetchOpenOrders(whole.symbol) : []
    if (growsAlong(context, whole, resting)) return
    const { line, isWhole } = bareIn(entered, whole, resting, context.elsewhere(account.name))
    if (line === undefined || (isWhole && source === 'hook' && !lostStop)) return
    // A page shows one sentence: there the note must not pass for a success.
    const write = isWhole && !lostStop && source !== 'web' && source !== 'phone' ? out.info : out.warn
    write.call(out, line)
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    out.warn(
      `it is not known whether a stop covers what was added on ${whole.symbol}: ${printable(error.message, 200)}`,
    )
  }
}

/** The step that was to protect an entry has failed, and the entry rests: what fills has no stop. */
export async function warnOfUnprotected(
  { out, elsewhere, marketsOf }: Pick<CommandContext, 'out' | 'elsewhere' | 'marketsOf'>,
  { venue, name: account }: Pick<TradingAccount, 'venue' | 'name'>,
  { id, symbol }: Pick<Order, 'id' | 'symbol'>,
): Promise<void> {
  try {
    const order = (await venue.fetchOpenOrders(symbol)).find((each) => each.id === id)
    if (order === undefined) return
    const name = printable(id, 40)
    const line = typedOn(elsewhere(account), `cancel ${name}`)
    out.warn(`order ${name} rests without a stop (${describeOrder(order, marketsOf(account))}): ${line} cancels it`)
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    out.warn(`it is not known whether order ${printable(id, 40)} still rests: ${printable(error.message, 200)}`)
  }
}

/** A trail for the whole position takes what was added over, as long as a process drives it. */
function growsAlong(
  { ports: { tasks }, accountName }: Pick<CommandContext<'tasks'>, 'ports' | 'accountName'>,
  position: Bare,
  resting: readonly Order[],
): boolean {
  const stops = new Set(stopsOf(position, resting).map(({ id }) => id))
  if (stops.size === 0 || tasks.driver() === undefined) return false
  return tasks.list().some(({ kind, account, status, paused, amount, orderIds = [] }) => {
    const isWhole = kind === 'trail' && amount === undefined && status === 'running' && paused !== true
    return isWhole && account === accountName && orderIds.some((id) => stops.has(id))
  })
}

/** The position that the entry has opened or enlarged; undefined: it has not. A venue may list it late: what filled is known. */
function openedBy({ view: { market, position }, order: { side, filled } }: Entered): Bare | undefined {
  const entered = side === 'buy' ? 'long' : 'short'
  const before = new Decimal(position?.amount ?? 0).times(position?.side === entered ? 1 : -1)
  const amount = before.plus(filled)
  if (new Decimal(filled).isZero() || amount.lte(0)) return undefined
  return { symbol: market.symbol, side: entered, amount: amount.toFixed() }
}

/** @returns no line where stops end all of it */
function bareIn(
  { view: { market, position: before }, stop }: Entered,
  whole: Bare,
  resting: readonly Order[],
  elsewhere: string | undefined,
): { readonly line?: string; readonly isWhole: boolean } {
  const { symbol, side } = whole
  const others = resting.filter(({ id }) => id !== stop?.own?.id)
  if (stop !== undefined && before !== undefined) {
    const { uncovered } = coverOf(before, others)
    if (new Decimal(uncovered).isZero()) return { isWhole: false }
    const line = coverLine(market, uncovered, awayFrom(side))
    const part = `${showUnits(uncovered, market)} of the earlier ${symbol} ${side}`
    return { line: `${part} has no stop: ${typedOn(elsewhere, line)} places one`, isWhole: false }
  }
  const cover = coverOf(whole, others)
  if (new Decimal(cover.uncovered).isZero()) return { isWhole: false }
  return { line: bareLine(whole, cover, market, elsewhere), isWhole: cover.stops.length === 0 }
}

/**
 * What no stop ends, with the line that places one, for each position of which that holds; empty where it is not known.
 * @param elsewhere the account, where another one is in focus
 */
export async function barePositions(
  { venue }: Pick<TradingAccount, 'venue'>,
  elsewhere?: string,
): Promise<readonly BarePosition[]> {
  try {
    const found = await findUncovered(venue)
    return found.map(({ position, cover, market }) => ({
      symbol: position.symbol,
      line: bareLine(position, cover, market, elsewhere),
    }))
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    return []
  }
}

/**
 * Before orders are canceled, a person is asked where no stop would end what one of them ends now. Anyone else reads of it afterwards.
 * @throws {CommandError} `cancelled`
 */
export async function requireCovered(
  { confirm, isProtectedLater }: Pick<CommandContext, 'confirm' | 'isProtectedLater'>,
  { venue }: Pick<TradingAccount, 'venue'>,
  isGoing: (order: Order) => boolean,
): Promise<void> {
  if (confirm === undefined) return
  const bare = await barer(venue, isGoing)
  const left = bare.filter(({ position: { symbol } }) => !isProtectedLater(symbol, async () => undefined))
  if (left.length === 0) return
  const what = left.map(({ position, cover, market }) => {
    if (market === undefined) return `the ${position.symbol} ${position.side}`
    return cover.stops.length === 0 ? wholeOf(position, market) : partOf(position, cover.uncovered, market)
  })
  if (await confirm(questionOf(`${what.join(', ')} would have no stop`, 'cancel anyway?'))) return
  throw new CommandError('cancelled', 'canceled: every order stays', {
    hint: '`cancel entries` cancels entries only',
  })
}

/** Positions of which no stop would end more than now; none where that is not known: nobody is kept from canceling by it. */
async function barer(
  venue: TradingAccount['venue'],
  isGoing: (order: Order) => boolean,
): Promise<readonly Uncovered[]> {
  if (venue.kind === 'spot') return []
  try {
    const orders = await venue.fetchOpenOrders()
    if (!orders.some((order) => isProtectiveStop(order) && isGoing(order))) return []
    const [positions, markets] = await Promise.all([venue.fetchPositions(), venue.loadMarkets()])
    const rest = orders.filter((order) => !isGoing(order))
    return positions.flatMap((position) => {
      const cover = coverOf(position, rest)
      if (new Decimal(cover.uncovered).lte(coverOf(position, orders).uncovered)) return []
      return [{ position, cover, market: markets.find(({ symbol }) => symbol === position.symbol) }]
    })
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    return []
  }
}

/** Of positions whose stops were among the canceled orders: how much of each no stop ends now. */
export async function warnOfBare(
  context: Pick<CommandContext, 'out' | 'elsewhere'>,
  account: Pick<TradingAccount, 'venue' | 'name'>,
  canceled: readonly Order[],
): Promise<void> {
  if (!canceled.some(isProtectiveStop)) return
  await warnOfUncovered(context, account, (position) => stopsOf(position, canceled).length > 0)
}

/** Of symbols on which something has filled: what of each position no stop ends. */
export async function warnOfBareOn(
  context: Pick<CommandContext, 'out' | 'elsewhere'>,
  account: Pick<TradingAccount, 'venue' | 'name'>,
  filled: readonly string[],
): Promise<void> {
  await warnOfUncovered(context, account, ({ symbol }) => filled.includes(symbol))
}

/** Of a position that was made smaller: targets that are more than it. The first would close what was meant for the others. */
export async function warnOfLargeTargets(
  { out, elsewhere }: Warned,
  { venue, name }: Pick<TradingAccount, 'venue' | 'name'>,
  market: Market,
): Promise<void> {
  if (market.kind === 'spot') return
  const { symbol } = market
  try {
    const [positions, orders] = await Promise.all([venue.fetchPositions(), venue.fetchOpenOrders(symbol)])
    const position = positions.find((each) => each.symbol === symbol)
    if (position === undefined) return
    const targets = coverOf(position, orders).targets.filter(({ order }) => order.closesPosition !== true)
    const [first] = targets
    const sum = Decimal.sum(0, ...targets.map(({ order }) => order.remaining))
    if (first === undefined || targets.length === 1 || sum.lte(position.amount)) return
    const held = `the ${symbol} ${position.side} is ${showUnits(position.amount, market)}, and its targets are for ${showUnits(sum, market)}`
    const closes = showUnits(Decimal.min(first.order.remaining, position.amount), market)
    const line = resizedLines(targets, { sum, position, market })
    const fix = line === undefined ? '' : `; ${typedOn(elsewhere(name), line)} makes them fit`
    out.warn(`${held}: order ${printable(first.order.id, 40)} closes ${closes} first${fix}`)
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    out.warn(`it is not known whether the targets are larger than the position: ${printable(error.message, 200)}`)
  }
}

interface Resized {
  readonly sum: Decimal
  readonly position: Position
  readonly market: Market
}

/** Each keeps its share; one for which less than the smallest order is left is canceled. @returns undefined: cannot be typed */
function resizedLines(targets: readonly Target[], { sum, position, market }: Resized): string | undefined {
  const lines: (string | undefined)[] = []
  let [before, given] = [new Decimal(0), new Decimal(0)]
  for (const { order } of targets) {
    before = before.plus(order.remaining)
    const upTo = amountOnLot(before.times(position.amount).div(sum).toFixed(), market)
    const share = upTo.minus(given)
    const id = order.id
    if (share.lt(market.minAmount) || share.isZero()) {
      lines.push(typedLine`cancel ${id}`)
      continue
    }
    given = upTo
    // The size of an order counts what has filled of it.
    const size = printSize({ kind: market.amountUnit, amount: share.plus(order.filled).toFixed() })
    const line = typedLine`amend ${id}`
    lines.push(line && `${line} ${size}`)
  }
  return lines.some((line) => line === undefined) ? undefined : lines.join('; ')
}

/**
 * Of the position that a later fill has opened or enlarged: what of it no stop ends.
 * @param side absent: of either side
 * @returns those that were named; undefined where it is not known
 */
export async function warnOfOpened(
  context: Warned,
  account: Pick<TradingAccount, 'venue' | 'name'>,
  { symbol, side }: { readonly symbol: string; readonly side?: Side },
): Promise<readonly Position[] | undefined> {
  const isOpened = (position: Position) =>
    position.symbol === symbol && (side === undefined || (position.side === 'long') === (side === 'buy'))
  return warnOfUncovered(context, account, isOpened)
}

interface Warned extends Pick<CommandContext, 'elsewhere'> {
  readonly out: Pick<CommandContext['out'], 'warn'>
}

async function warnOfUncovered(
  { out, elsewhere }: Warned,
  { venue, name }: Pick<TradingAccount, 'venue' | 'name'>,
  isMeant: (position: Position) => boolean,
): Promise<readonly Position[] | undefined> {
  try {
    const found = await findUncovered(venue, isMeant)
    for (const { position, cover, market } of found) out.warn(bareLine(position, cover, market, elsewhere(name)))
    return found.map(({ position }) => position)
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    out.warn(`it is not known whether a stop covers the position: ${printable(error.message, 200)}`)
    return undefined
  }
}

interface Uncovered {
  readonly position: Position
  readonly cover: Cover
  /** undefined: the venue lists it no longer */
  readonly market: Market | undefined
}

/** Positions that no stop ends, or a part of them. @throws {ExchangeError} */
async function findUncovered(
  venue: TradingAccount['venue'],
  isMeant: (position: Position) => boolean = () => true,
): Promise<readonly Uncovered[]> {
  if (venue.kind === 'spot') return []
  const [positions, orders, markets] = await Promise.all([
    venue.fetchPositions(),
    venue.fetchOpenOrders(),
    venue.loadMarkets(),
  ])
  return positions.filter(isMeant).flatMap((position) => {
    const cover = coverOf(position, orders)
    if (new Decimal(cover.uncovered).isZero()) return []
    return [{ position, cover, market: markets.find(({ symbol }) => symbol === position.symbol) }]
  })
}
