// What is nearly always a slip with an order. A limit that should rest fills at once, and a typed price is far from the market: of any order. The rest is of the amount of one that may open. It turns the position round, as the alert of a strategy may well order; a
// sale of so many percent finds no long and would sell short; it only reduces, and its stop would protect nothing; lots take much of the size; a size by risk is a large part of the equity. A terminal asks, with what the order would do. Elsewhere
// each passes and is named, or is refused with the word that says it is meant (behaviour 39).
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Market } from '../../exchange/market.ts'
import type { Position, Side } from '../../exchange/order.ts'
import type { PriceExpression } from '../../language/price.ts'
import { coins, printSize, type RiskSize, type Size } from '../../language/size.ts'
import { isOfOperator, type Source } from '../../runs/run.ts'
import { showAmount, showPrice, showSum, showUnits } from '../../trading/figures.ts'
import type { Funds, MarketView } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import type { OrderPlan } from '../../trading/order-plan.ts'
import { describeSize, flips, type RiskedAmount, type SizedAmount } from '../../trading/sizing.ts'
import { TradingError } from '../../trading/trading-error.ts'
import { type CommandContext, questionOf } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { requirePlaceable } from '../kit/running.ts'

export interface AmountToMean extends Pick<SizedAmount, 'amount' | 'cutFrom'> {
  readonly side: Side
  readonly market: Market
  readonly position: Position | undefined
  /** Where it can fill. */
  readonly price: Decimal.Value
  readonly size: Size | RiskSize
  readonly reduce: boolean
  /** `flip` was typed. */
  readonly flip?: true | undefined
  /** As of `protectionWords`. */
  readonly protectedBy?: string | undefined
  /** It rests until a price is reached, or fills over time. */
  readonly isLater?: boolean
  /** Absent: it has no price. */
  readonly prices?: PricesToMean
  /** Of a ladder: what each share of it comes to on the lot. */
  readonly shares?: readonly { readonly percent: string; readonly amount: Decimal }[]
  /** Of a size by risk. */
  readonly risked?: Pick<RiskedAmount, 'amount' | 'allowed' | 'equity'>
  /** What the equity is read from. Absent: the size is not held against it. */
  readonly funds?: Funds
  /** Where its stop would be. */
  readonly stopAt?: string | undefined
  /** As typed; the coin among them is the unit of the amount. */
  readonly symbols?: readonly string[]
  readonly symbol?: string
  /** What the line's size would be, where it is not the amount: of a position that is added to. */
  readonly wanted?: Decimal.Value
  /** The command takes no percentage. */
  readonly isFixed?: true
  /** What is free, where the order takes from it. */
  readonly free?: { readonly amount: string; readonly currency: string }
}

interface PricesToMean {
  readonly side: Side
  readonly view: Pick<MarketView, 'market' | 'ticker'>
  /** On the grid, each with how it was typed. */
  readonly typed: readonly TypedPrice[]
  /** `--far` was typed. */
  readonly isFar: boolean
  /** It may fill at once: `ioc`, `fok`. */
  readonly isImmediate?: boolean
  /** With what protects it, and not the protection of a position that is there. */
  readonly isEntry?: boolean
}

interface TypedPrice {
  readonly of: 'limit' | 'trigger' | 'stop' | 'take-profit'
  readonly price: string
  readonly from: PriceExpression
}

/** @returns nothing where the order has no such price */
export function typedPrice(
  of: TypedPrice['of'],
  price: string | undefined,
  from: PriceExpression | undefined,
): readonly TypedPrice[] {
  return price === undefined || from === undefined ? [] : [{ of, price, from }]
}

/** `the sell closes 0.02 BTC and opens a short of 0.03 BTC`; undefined: the order turns nothing round. */
function turnLine(order: AmountToMean): string | undefined {
  const { side, amount, market, position, reduce, isLater = false } = order
  if (position === undefined || reduce || !flips(side, amount, position)) return undefined
  const opened = new Decimal(amount).minus(position.amount)
  const what = `the ${side} closes ${showUnits(position.amount, market)} and opens a ${otherSide(position)} of ${showUnits(opened, market)}`
  return isLater ? `once it fills, ${what}` : what
}

/** `once it fills, the buy closes 0.01 BTC of the short of 0.05 BTC; …`; undefined: it does not wait, only reduces, or turns the position round. */
export function reducingLine(order: AmountToMean): string | undefined {
  const { side, amount, market, position, reduce, isLater = false, protectedBy } = order
  if (!isLater || reduce || position === undefined || market.kind === 'spot' || protectedBy !== undefined)
    return undefined
  if ((side === 'sell') !== (position.side === 'long') || flips(side, amount, position)) return undefined
  return `once it fills, the ${side} closes ${showUnits(amount, market)} of the ${position.side} of ${showUnits(position.amount, market)}; with \`reduce\` it never opens a ${otherSide(position)}`
}

/** `50% of the free balance opens a short of 0.076 BTC`; undefined: the percentage cannot have been meant of a long. */
function openingLine(order: AmountToMean): string | undefined {
  const { side, amount, market, position, size, reduce } = order
  if (side === 'buy' || reduce || position !== undefined || market.kind === 'spot') return undefined
  if (size.kind !== 'percent' || size.of !== undefined || new Decimal(amount).isZero()) return undefined
  return `${size.percent}% of the free balance opens a short of ${showUnits(amount, market)}`
}

/** `50% of the free balance is 0.076 BTC, and the long is 0.2 BTC`; undefined: only one of the two can have been meant. */
function shareLine(order: AmountToMean): string | undefined {
  const { side, amount, market, position, size, reduce } = order
  if (position === undefined || reduce || (side === 'sell') !== (position.side === 'long')) return undefined
  if (size.kind !== 'percent' || size.of !== undefined || new Decimal(amount).isZero()) return undefined
  return `${size.percent}% of the free balance is ${showUnits(amount, market)}, and the ${position.side} is ${showUnits(position.amount, market)}`
}

/** `50% of the free balance adds 0.072 BTC to the short of 0.004 BTC`; undefined: it adds no more than there is. To buy more of a long is what `buy 50%` is for. */
function addingLine(order: AmountToMean): string | undefined {
  const { side, amount, market, position, size, reduce } = order
  if (position?.side !== 'short' || reduce || side !== 'sell') return undefined
  if (size.kind !== 'percent' || size.of !== undefined || new Decimal(amount).lte(position.amount)) return undefined
  return `${size.percent}% of the free balance adds ${showUnits(amount, market)} to the ${position.side} of ${showUnits(position.amount, market)}`
}

/** What would protect an order: `stop`, `tp`, or `stop and tp`. */
export function protectionWords(has: { readonly stop: boolean; readonly takeProfit: boolean }): string | undefined {
  const words = [...(has.stop ? ['stop'] : []), ...(has.takeProfit ? ['tp'] : [])]
  return words.length === 0 ? undefined : words.join(' and ')
}

/** `the sell only reduces the long of 0.02 BTC: its tp is not placed`; undefined: it is, or none was typed. */
function unprotectedLine({ side, amount, market, position, protectedBy }: AmountToMean): string | undefined {
  if (protectedBy === undefined || position === undefined || flips(side, amount, position)) return undefined
  if ((side === 'sell') !== (position.side === 'long')) return undefined
  const placed = protectedBy.includes(' ') ? 'are not placed' : 'is not placed'
  return `the ${side} only reduces the ${position.side} of ${showUnits(position.amount, market)}: its ${protectedBy} ${placed}`
}

// What the answer to a question rests on, so that a yes holds for nothing else.

export function foretellOn(
  context: Pick<CommandContext, 'foretell'>,
  { market, position, ticker }: Pick<MarketView, 'market' | 'position' | 'ticker'>,
  amount?: string,
): void {
  const facts = { position: held(position), price: showPrice(ticker.last, market), ...defined({ amount }) }
  context.foretell?.({ symbol: market.symbol, facts })
}

export function foretellOrder(context: Pick<CommandContext, 'foretell'>, order: AmountToMean): void {
  const { market, position, amount, price, risked, stopAt: stop } = order
  const known = { position: held(position), price: showPrice(price, market), amount }
  const facts = { ...known, ...defined({ equity: risked?.equity, stop }) }
  context.foretell?.({ symbol: market.symbol, effect: effectOf(order), facts })
}

function held(position: Position | undefined): string {
  return position === undefined ? 'flat' : `${position.side} ${showAmount(position.amount)}`
}

/** `the buy opens a long of 0.02 BTC`. */
function effectOf(order: AmountToMean): string {
  const { side, amount, market, position, isLater = false } = order
  const turn = turnLine(order)
  if (turn !== undefined) return turn
  const units = showUnits(amount, market)
  const entered = side === 'buy' ? 'long' : 'short'
  const what =
    market.kind === 'spot'
      ? `the ${side} is for ${units}`
      : position === undefined
        ? `the ${side} opens a ${entered} of ${units}`
        : position.side === entered
          ? `the ${side} adds ${units} to the ${entered} of ${showUnits(position.amount, market)}`
          : `the ${side} closes ${units} of the ${position.side} of ${showUnits(position.amount, market)}`
  return isLater ? `once it fills, ${what}` : what
}

/** Nobody is asked to confirm what is refused all the same. Sends nothing. */
export type Judge = () => Promise<void>

export function judging(
  context: Pick<CommandContext, 'orderedBy' | 'confirm' | 'isDry'>,
  account: TradingAccount,
  ...plans: readonly OrderPlan[]
): Judge {
  return () => requirePlaceable(context, account, plans)
}

/** For the result of an order that was sent, or is only looked at. */
export function effectLines(order: AmountToMean): readonly string[] {
  const taking = order.prices === undefined ? undefined : takingSlip(order.prices)?.line
  return [turnLine(order), openingLine(order), shareLine(order), sharesLine(order), riskLine(order), taking].filter(
    (line) => line !== undefined,
  )
}

/** Of what was typed: so much less is nearly never what was wanted. */
const LARGE_CUT_PERCENT = 10

/** `$250 rounds down to 0.003 BTC ($195.00), 22% less: the lot is 0.001 BTC`; undefined: it is less than a tenth. */
function lotsLine({ amount, cutFrom, market, price, reduce }: AmountToMean): string | undefined {
  if (cutFrom === undefined || reduce || new Decimal(cutFrom.percent).lte(LARGE_CUT_PERCENT)) return undefined
  const worth = market.amountUnit === 'quote' ? amount : new Decimal(amount).times(price)
  return `${cutFrom.size} rounds down to ${showUnits(amount, market)} (${showSum(worth, market.quote)}), ${cutFrom.percent}% less: the lot is ${showUnits(market.lotSize, market)}`
}

/** Of a share of a ladder: fewer lots than shares make some difference always. */
const LARGE_SHARE_CUT_PERCENT = 25

/** `50% becomes 0.001 BTC, 33.3% of 0.003 BTC: the lot is 0.001 BTC`; undefined: each share is about what was typed. */
function sharesLine({ amount, market, shares = [] }: AmountToMean): string | undefined {
  const cut = shares.find((share) => {
    const off = new Decimal(share.amount).div(amount).times(100).minus(share.percent).abs()
    return off.div(share.percent).times(100).gt(LARGE_SHARE_CUT_PERCENT)
  })
  if (cut === undefined) return undefined
  const is = cut.amount.div(amount).times(100).toDecimalPlaces(1).toFixed()
  return `${cut.percent}% becomes ${showUnits(cut.amount, market)}, ${is}% of ${showUnits(amount, market)}: the lot is ${showUnits(market.lotSize, market)}`
}

/** Of the equity: what one order risks, and what it is worth. */
const LARGE_RISK_PERCENT = 5
/** Of a size that was not typed as a risk. */
const LARGE_LOSS_PERCENT = 10
const LARGE_WORTH_TIMES = 5

/** `the buy is worth 8.9 times the equity and risks 10% of it at its stop`, `with the buy the long is worth 8.2 times the equity`; undefined: neither is much. */
function riskLine(order: AmountToMean): string | undefined {
  const { side, position, size, risked, prices } = order
  if (risked?.equity === undefined || prices?.isFar === true || new Decimal(risked.equity).lte(0)) return undefined
  const { amount, allowed, equity } = risked
  const percent = new Decimal(allowed).div(equity).times(100)
  const timesOf = (units: Decimal.Value) => worthIn(order, units).div(equity)
  const adds = position !== undefined && (side === 'buy') === (position.side === 'long')
  const built = adds ? timesOf(new Decimal(amount).plus(position.amount)) : new Decimal(0)
  const times = timesOf(amount)
  const isMuch = percent.gt(size.kind === 'risk' ? LARGE_RISK_PERCENT : LARGE_LOSS_PERCENT)
  const risks = `risks ${percent.toDecimalPlaces(1).toFixed()}% of`
  const is = (what: Decimal) => `worth ${showAmount(what.toDecimalPlaces(1))} times the equity`
  const worth = times.gt(LARGE_WORTH_TIMES)
    ? `the ${side} is ${is(times)}`
    : built.gt(LARGE_WORTH_TIMES)
      ? `with the ${side} the ${position?.side} is ${is(built)}`
      : undefined
  if (!isMuch) return worth
  if (worth === undefined) return `the ${side} ${risks} the equity at its stop`
  return times.gt(LARGE_WORTH_TIMES)
    ? `${worth} and ${risks} it at its stop`
    : `${worth}, and the ${side} ${risks} it at its stop`
}

/** In the currency that the market settles in. */
function worthIn({ market, price }: Pick<AmountToMean, 'market' | 'price'>, amount: Decimal.Value): Decimal {
  return market.amountUnit === 'quote' ? new Decimal(amount).div(price) : new Decimal(amount).times(price)
}

/** `0.5 BTC is worth $32,500.05, and $6,135.00 is free: 0.5 could be a percentage`; undefined: it is free, or typed as coins: `0.5 BTC`, `0.500`. */
function unitLine({ market, price, size, free, symbols, symbol, isFixed }: AmountToMean): string | undefined {
  if (size.kind !== 'base' || free === undefined || /\.\d*0$/.test(size.amount)) return undefined
  const typed = symbols ?? (symbol === undefined ? [] : [symbol])
  if (typed.some((each) => each.toUpperCase() === market.base.toUpperCase())) return undefined
  const isCoins = market.amountUnit === 'quote'
  const worth = isCoins ? new Decimal(size.amount) : new Decimal(size.amount).times(price)
  if (worth.lte(free.amount)) return undefined
  const sum = (value: Decimal.Value) =>
    isCoins ? `${showAmount(value)} ${free.currency}` : showSum(value, free.currency)
  const other = isShare(size.amount, isFixed) ? `: ${size.amount} could be a percentage` : ''
  return `${size.amount} ${market.base} is worth ${sum(worth)}, and ${sum(free.amount)} is free${other}`
}

function isShare(amount: string, isFixed = false): boolean {
  return !isFixed && new Decimal(amount).lte(100)
}

/** Whether sizes of this line are held against the equity: of the operator, without `--far`. */
export function isWeighed({ far, confirm, source }: Omit<Asking, 'out'>): boolean {
  return !far.isMeant && (confirm !== undefined || isOfOperator(source))
}

/** The order with what it risks of the equity, for a line of the operator: a digit too many is the commonest slip. */
async function weighed(context: Asking, order: AmountToMean): Promise<AmountToMean> {
  const { market, side, position, price, amount, funds, stopAt, reduce } = order
  const isReducing = position !== undefined && (side === 'sell') === (position.side === 'long')
  if (order.risked !== undefined || funds === undefined || reduce || isReducing || market.kind === 'spot') return order
  if (!isWeighed(context)) return order
  const currency = market.settle ?? market.quote
  const known = await Promise.all([funds.equity(market), funds.free(currency)]).catch((error: unknown) => {
    if (!(error instanceof ExchangeError)) throw error
    return undefined
  })
  if (known === undefined) return order
  const [equity, available] = known
  // An inverse contract loses coins: its price counts as the reciprocal.
  const counted = (at: Decimal.Value) => (market.amountUnit === 'quote' ? new Decimal(1).div(at) : new Decimal(at))
  const loss = counted(price)
    .minus(counted(stopAt ?? price))
    .abs()
    .times(amount)
  return { ...order, free: { amount: available, currency }, risked: { amount, allowed: loss.toFixed(), equity } }
}

/** What a person was asked in one command. After a no to one order nobody is asked about the others. */
export class MeantAmounts {
  readonly accepted = new Set<string>()
  isDeclined = false
  readonly #shown = new Set<string>()

  /** Of a line that is printed once in one command. */
  isFirst(line: string): boolean {
    if (this.#shown.has(line)) return false
    this.#shown.add(line)
    return true
  }
}

/**
 * @param meant of this command, where it places several orders
 * @throws {TradingError} `would-flip` @throws {CommandError} `would-open`, `ambiguous-percent`, `nothing-to-protect`, `rounded`, `large-risk`, `would-take`, `far-price`
 */
export async function requireMeant(
  context: Asking,
  order: AmountToMean,
  judge: Judge,
  meant: MeantAmounts = new MeantAmounts(),
): Promise<void> {
  const known = await weighed(context, order)
  foretellOrder(context, known)
  const slips = [...slipsOf(known, context), ...priceSlips(order.prices)]
  await ask(context, order.market, slips, meant, judge)
  if (!context.isDry || context.confirm === undefined) return
  const lines = effectLines(order)
  for (const { line } of slips) if (!lines.includes(line) && meant.isFirst(line)) context.out.warn(line)
  if (slips.length > 0 && meant.isFirst(DRY_ASKS)) context.out.info(DRY_ASKS)
}

const DRY_ASKS = 'without --dry, this asks first'

/** Of an order that is placed, or of one that is moved. @throws {CommandError} `would-take`, `far-price` */
export async function requireMeantPrices(
  context: Asking,
  prices: PricesToMean,
  meant: MeantAmounts = new MeantAmounts(),
  judge?: Judge,
): Promise<void> {
  const slips = priceSlips(prices)
  await ask(context, prices.view.market, slips, meant, judge)
  if (context.isDry) for (const { line } of slips) context.out.warn(line)
}

type Asking = Pick<CommandContext, 'confirm' | 'foretell' | 'source' | 'isDry' | 'far' | 'out' | 'retyped'>

async function ask(
  { confirm, source, isDry }: Omit<Asking, 'out' | 'far'>,
  { symbol }: Pick<Market, 'symbol'>,
  slips: readonly Slip[],
  meant: MeantAmounts,
  judge?: Judge,
): Promise<void> {
  const [first] = slips
  if (first === undefined) return
  await judge?.().catch((error: unknown) => {
    const isShort = error instanceof ExchangeError && error.code === 'insufficient-funds'
    throw (isShort && slips.find(({ isUnit }) => isUnit)?.error) || error
  })
  if (confirm === undefined) {
    const refused = slips.find((slip) => slip.isRefusedFrom(source))
    if (refused !== undefined) throw refused.error
    return
  }
  const what = `${symbol}: ${slips.map(({ line }) => line).join('; ')}`
  const key = `${symbol}: ${slips.map((slip) => slip.key ?? slip.line).join('; ')}`
  // With `--dry` the answer is the line.
  if (isDry || meant.accepted.has(key)) return
  if (!meant.isDeclined) meant.isDeclined = !(await confirm(questionOf(what, 'send it?'), { holdsFor: [key] }))
  if (meant.isDeclined) throw first.error
  meant.accepted.add(key)
}

interface Slip {
  readonly line: string
  /** What a yes holds for, where the line has a price that moves. */
  readonly key?: string
  /** Where no person can be asked. */
  readonly isRefusedFrom: (source: Source) => boolean
  readonly error: Error
  /** Its size reads as another unit, which is why more is needed than is free. */
  readonly isUnit?: true
}

function slipsOf(order: AmountToMean, context: Pick<Asking, 'retyped'>): readonly Slip[] {
  const { market, position, side, flip } = order
  const slips: Slip[] = []
  const turn = flip === true ? undefined : turnLine(order)
  if (turn !== undefined && position !== undefined) {
    const hint = `type \`close ${market.symbol}\` to end the ${position.side}, \`flip ${market.symbol}\` for a ${otherSide(position)} of the same amount; add \`reduce\` to stop at flat, or \`flip\` if it is meant`
    const error = new TradingError('would-flip', turn, { hint })
    slips.push({ line: turn, isRefusedFrom: isOfOperator, error })
  }
  const opening = openingLine(order)
  if (opening !== undefined && order.size.kind === 'percent') {
    const hint = `\`positions\` lists the open ones; for a short, type ${order.size.percent}%bal`
    const error = new CommandError('would-open', opening, { hint })
    // A page has shown the order that it sends.
    slips.push({ line: opening, isRefusedFrom: (source) => source !== 'web', error })
  }
  const share = shareLine(order)
  if (share !== undefined && order.size.kind === 'percent') {
    const { percent } = order.size
    const hint = `type \`close ${percent}% ${market.symbol}\` for that much of the ${position?.side}, or ${percent}%bal for the balance`
    const error = new CommandError('ambiguous-percent', share, { hint })
    slips.push({ line: share, isRefusedFrom: (source) => source !== 'web', error })
  }
  const adding = addingLine(order)
  if (adding !== undefined && order.size.kind === 'percent') {
    const hint = `type ${order.size.percent}%bal for the balance, or ${order.size.percent}%pos for that much of the ${position?.side}`
    slips.push({
      line: adding,
      isRefusedFrom: () => false,
      error: new CommandError('ambiguous-percent', adding, { hint }),
    })
  }
  const unprotected = unprotectedLine(order)
  if (unprotected !== undefined) {
    const hint = `leave ${order.protectedBy} out; \`stop at\` and \`take at\` rest orders for the ${position?.side}`
    const error = new CommandError('nothing-to-protect', unprotected, { hint })
    slips.push({ line: unprotected, isRefusedFrom: isOfOperator, error })
  }
  const risk = riskLine(order)
  if (risk !== undefined) {
    const hint = `type a smaller ${order.size.kind === 'risk' ? 'risk, or a stop farther away' : 'size'}; add --far if it is meant`
    const error = new CommandError('large-risk', risk, { hint })
    slips.push({ line: risk, key: `${side} ${describeSize(order.size)} is large`, isRefusedFrom: isOfOperator, error })
  }
  const unit = unitLine(order)
  if (unit !== undefined && order.size.kind === 'base') {
    const { amount } = order.size
    const share = isShare(amount, order.isFixed) ? `${amount}% for a percentage, ` : ''
    const hint = `type ${share}$${amount} for money, or ${coins(amount).padEnd(amount.length + 1, '0')} for coins; add --far if it is meant`
    const error = new TradingError('bare-number', unit, { hint })
    const key = `${side} ${amount} is more than is free`
    slips.push({ line: unit, key, isRefusedFrom: isOfOperator, error, isUnit: true })
  }
  const lots = lotsLine(order)
  if (lots !== undefined) {
    const error = new CommandError('rounded', lots, { hint: onLotHint(order, context) })
    slips.push({ line: lots, isRefusedFrom: () => false, error })
  }
  const shares = sharesLine(order)
  if (shares !== undefined) {
    const error = new CommandError('rounded', shares, { hint: 'type a larger size, fewer parts or other shares' })
    slips.push({ line: shares, isRefusedFrom: () => false, error })
  }
  return slips
}

/** The line again, with a size that the lot leaves as it is. */
function onLotHint({ amount, wanted = amount, market }: AmountToMean, context: Pick<Asking, 'retyped'>): string {
  const sizeOf = (units: Decimal.Value): Size => ({ kind: market.amountUnit, amount: new Decimal(units).toFixed() })
  const line = context.retyped(sizeOf(wanted), market.symbol)
  const next = sizeOf(new Decimal(wanted).plus(market.lotSize))
  const nextLine = context.retyped(next, market.symbol)
  return line === undefined || nextLine === undefined
    ? `type ${printSize(sizeOf(wanted))} or ${printSize(next)} for the size`
    : `type \`${line}\` or \`${nextLine}\``
}

/** Of the last price. */
const FAR_PERCENT = 25

function priceSlips(prices: PricesToMean | undefined): readonly Slip[] {
  if (prices === undefined || prices.isFar) return []
  const taking = takingSlip(prices)
  return [...(taking === undefined ? [] : [taking]), ...prices.typed.flatMap((typed) => farSlip(typed, prices) ?? [])]
}

/** `at 1%` for `at -1%`: a limit through the touch by more than the spread. */
function takingSlip({
  side,
  view: { market, ticker },
  typed,
  isFar,
  isImmediate = false,
}: PricesToMean): Slip | undefined {
  if (isFar || isImmediate) return undefined
  const { bid, ask } = ticker
  const spread = Decimal.max(0, new Decimal(ask).minus(bid))
  const [touch, through] = side === 'buy' ? [ask, new Decimal(ask).plus(spread)] : [bid, new Decimal(bid).minus(spread)]
  if (new Decimal(touch).lte(0)) return undefined
  const limit = typed.find(
    ({ of, price }) => of === 'limit' && (side === 'buy' ? through.lt(price) : through.gt(price)),
  )
  if (limit === undefined) return undefined
  const { offset } = limit.from
  const sign = side === 'buy' ? '-' : '+'
  const size = offset?.value.replace('-', '')
  const rests =
    offset?.kind === 'percent' && limit.from.base.kind === 'anchor'
      ? `at ${sign}${size}%`
      : `a price ${side === 'buy' ? 'below' : 'above'} ${showPrice(touch, market)}`
  const line = `the ${side} at ${showPrice(limit.price, market)} fills at once: the ${side === 'buy' ? 'ask' : 'bid'} is ${showPrice(touch, market)}`
  const hint = `type ${rests} to rest, or leave the price out for the market; add ioc or --far if it is meant`
  const error = new CommandError('would-take', line, { hint })
  return { line, key: `${side} ${limit.price} takes`, isRefusedFrom: isOfOperator, error }
}

/** `90% below the last price, 65,000`; undefined: it is not far. */
export function farFrom(
  { market, ticker: { last } }: Pick<MarketView, 'market' | 'ticker'>,
  price: Decimal.Value,
): string | undefined {
  if (new Decimal(last).lte(0)) return undefined
  const percent = new Decimal(price).minus(last).div(last).times(100)
  if (percent.abs().lte(FAR_PERCENT)) return undefined
  const where = percent.isNegative() ? 'below' : 'above'
  return `${showAmount(percent.abs().toDecimalPlaces(0))}% ${where} the last price, ${showPrice(last, market)}`
}

/** `at 6200` for `at 62000`, and `stop -50%` for `stop -5.0%`. A limit that was typed as an offset has no digit to lose. */
function farSlip({ of, price, from }: TypedPrice, { view, isEntry = false }: PricesToMean): Slip | undefined {
  const isPercent = from.base.kind === 'anchor' && from.offset?.kind === 'percent'
  const isOffset = isEntry && isPercent && (of === 'stop' || of === 'take-profit')
  const distance = from.base.kind === 'absolute' || isOffset ? farFrom(view, price) : undefined
  if (distance === undefined) return undefined
  const line = `the ${of} at ${showPrice(price, view.market)} is ${distance}`
  const error = new CommandError('far-price', line, { hint: 'type the price again, or add --far if it is meant' })
  // A page has shown the order that it sends. Hooks with such a stop are older than this question.
  const isRefusedFrom = isOffset ? isOfOperator : (source: Source) => source !== 'web'
  return { line, key: `${of} ${price} is far`, isRefusedFrom, error }
}

function otherSide({ side }: Position): 'long' | 'short' {
  return side === 'long' ? 'short' : 'long'
}
