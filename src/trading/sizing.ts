// From what was typed (`$250`, `50%`, `0.01`) to an amount the venue takes: always rounded down, never to nothing. Amounts at the prompt are
// base units; what a market counts in (`amountUnit`) is worked out here (behaviour 39).
import { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import type { Market } from '../exchange/market.ts'
import type { Position, Side } from '../exchange/order.ts'
import { amountOnLot, groupThousands } from '../exchange/price-grid.ts'
import { coins, isWhole, type RiskSize, type Size } from '../language/size.ts'
import { showAmount, showMoney, showSum, showUnits } from './figures.ts'
import type { Funds } from './market-view.ts'
import { noPosition, TradingError } from './trading-error.ts'

export interface SizingInput {
  readonly market: Market
  readonly side: Side
  /** At which money becomes an amount: where the order can fill (`fillPrice`). */
  readonly price: Decimal.Value
  /** The limit, where there is one: venues count their smallest order at it. Default: `price`. */
  readonly limit?: Decimal.Value
  readonly position: Position | undefined
  /** Of what a bare `50%` is meant: `balance` for entries, `position` for exits. */
  readonly percentOf: 'balance' | 'position'
  /** Read only for a size that is a share of it, and for a whole number without a unit. */
  readonly funds: Funds
}

export interface SizedAmount {
  /** In the market's unit, a multiple of the lot, never more than was asked for. */
  readonly amount: string
  /** Before it was brought onto the lot. */
  readonly asked: string
  /** Where rounding took more than 1 % of it (behaviour 39). */
  readonly cutFrom?: Cut
}

export interface Cut {
  /** As it was typed. */
  readonly size: string
  /** Of it, which rounding took: to one digit behind the point. */
  readonly percent: string
}

/** Of what was asked for. */
const UNREPORTED_SHARE = '0.01'

/**
 * What was asked for, on the market's lot.
 * @throws {TradingError} `bare-number`, `below-minimum` (the hint has the smallest order in dollars), `no-position`, `would-flip` for a part of the
 * balance that is larger than the position it sells or buys back
 */
export async function resolveAmount(size: Size, input: SizingInput): Promise<SizedAmount> {
  const { market } = input
  await requireUnit(size, input)
  const asked = await rawAmount(size, input)
  const amount = amountOnLot(asked, market)
  const smallest = smallestOrder(input)
  if (amount.lessThan(smallest)) throw belowMinimum(size, smallest, input)
  if (size.kind === 'percent') refuseFlip(size, amount, input)
  const lost = asked.minus(amount).div(asked)
  const cutFrom = lost.gt(UNREPORTED_SHARE)
    ? { size: describeSize(size), percent: lost.times(100).toDecimalPlaces(1).toFixed() }
    : undefined
  return { amount: amount.toFixed(), asked: asked.toFixed(), ...defined({ cutFrom }) }
}

/**
 * A whole number of coins that are worth more than what is free is nearly always money without its `$`. An exit is never larger than what it
 * ends, and who sells coins on spot sells what they have.
 * @throws {TradingError} `bare-number`
 */
export async function requireUnit(
  size: Size,
  { market, side, position, percentOf, price, funds }: SizingInput,
): Promise<void> {
  if (size.kind !== 'base' || !isWhole(size.amount) || percentOf === 'position') return
  if (market.kind === 'spot' && side === 'sell') return
  const amount = inUnit(new Decimal(size.amount), 'base', { market, price })
  const isExit = position !== undefined && (side === 'sell') === (position.side === 'long')
  if (isExit && amount.lte(position.amount)) return
  const { isCoins, currency } = fundsOf({ market, side })
  const worth = isCoins ? new Decimal(size.amount) : new Decimal(size.amount).times(price)
  const available = new Decimal(await funds.free(currency))
  if (worth.lte(available)) return
  const money = (value: Decimal) => (isCoins ? `${showAmount(value)} ${currency}` : showMoney(value))
  throw new TradingError(
    'bare-number',
    `${size.amount} could be money: ${size.amount} ${market.base} is worth ${money(worth)}, and ${money(available)} is free`,
    {
      hint: `type ${coins(size.amount)} for ${market.base}, or $${size.amount} (${size.amount}usd in a shell) for dollars`,
    },
  )
}

/** What an entry may lose at its stop, and the amount that loses as much. */
export interface RiskedAmount extends SizedAmount {
  /** What was allowed, and what the amount loses, in the currency that the market settles in. */
  readonly allowed: string
  readonly loses: string
  readonly currency: string
  /** In the same currency; absent for dollars on spot, where coins count too. */
  readonly equity?: string
}

/**
 * The amount that loses what was allowed where its stop is hit, with the taker's fees of both orders. A gap through the stop loses more.
 * @param stop where it really is placed
 * @throws {TradingError} `below-minimum`
 */
export async function resolveRisk(risk: RiskSize, stop: string, input: SizingInput): Promise<RiskedAmount> {
  const { market, funds } = input
  const [entry, exit, fee] = [new Decimal(input.price), new Decimal(stop), new Decimal(market.takerFee ?? 0)]
  const isInverse = market.amountUnit === 'quote'
  const currency = market.settle ?? market.quote
  const equity = 'percent' in risk || market.kind !== 'spot' ? await funds.equity(market) : undefined
  const money = 'percent' in risk ? new Decimal(equity ?? 0).times(risk.percent).div(100) : risk.amount
  // Of one unit: a contract that is counted in dollars loses coins.
  const [from, to] = isInverse ? [entry.pow(-1), exit.pow(-1)] : [entry, exit]
  const loss = from.minus(to).abs().plus(from.plus(to).times(fee))
  const allowed = isInverse && 'amount' in risk ? new Decimal(money).div(entry) : new Decimal(money)
  const asked = allowed.div(loss)
  const amount = amountOnLot(asked, market)
  const smallest = smallestOrder(input)
  if (amount.lessThan(smallest)) {
    const least = showSum(smallest.times(loss).toSignificantDigits(3, Decimal.ROUND_UP), currency)
    throw new TradingError(
      'below-minimum',
      `${describeSize(risk)} is less than the smallest ${market.symbol} order loses at its stop`,
      {
        hint: `risk at least ${least}, or place the stop nearer`,
      },
    )
  }
  const loses = amount.times(loss).toFixed()
  const sized = { amount: amount.toFixed(), asked: asked.toFixed(), allowed: allowed.toFixed(), loses, currency }
  return { ...sized, ...defined({ equity }) }
}

/** `sell 100%` is easily meant as "all of my long", and would be as much as the balance buys. */
function refuseFlip(size: Size, amount: Decimal, { market, side, position, percentOf }: SizingInput): void {
  if (percentOf === 'position' || position === undefined || !flips(side, amount, position)) return
  const held = `the ${market.symbol} ${position.side} is only ${showUnits(position.amount, market)}`
  throw new TradingError(
    'would-flip',
    `${describeSize(size)} of the balance is ${showUnits(amount, market)}, and ${held}`,
    { hint: `type \`close ${market.symbol}\` to end it, or add \`reduce\` for a percentage of the position` },
  )
}

/** Whether an order of this side and amount ends the position and opens one on the other side. */
export function flips(side: Side, amount: Decimal.Value, position: Position): boolean {
  const isAgainst = (side === 'sell') === (position.side === 'long')
  return isAgainst && new Decimal(amount).greaterThan(position.amount)
}

/** Entries meet the market's minimums; an exit may be as small as one lot, so that every position can be closed. */
export function smallestOrder(input: Pick<SizingInput, 'market' | 'percentOf' | 'price' | 'limit'>): Decimal {
  const { market, percentOf, price, limit } = input
  if (percentOf === 'position') return new Decimal(market.lotSize)
  const counted = { ...input, price: Decimal.min(price, limit ?? price) }
  const least = inUnit(new Decimal(market.minNotional ?? 0), 'quote', counted)
  const lots = least.div(market.lotSize).ceil()
  return Decimal.max(market.minAmount, lots.times(market.lotSize))
}

function belowMinimum(size: Size, smallest: Decimal, input: SizingInput): TradingError {
  const { symbol } = input.market
  const isExit = input.percentOf === 'position'
  const than = isExit ? `less than one lot of ${symbol}` : `below the minimum ${symbol} order`
  return new TradingError('below-minimum', `${describeSize(size)} is ${than}`, {
    hint: `type at least ${describeSmallest(smallest, input)}`,
  })
}

async function rawAmount(size: Size, input: SizingInput): Promise<Decimal> {
  if (size.kind === 'base') return inUnit(new Decimal(size.amount), 'base', input)
  if (size.kind === 'quote') return inUnit(new Decimal(size.amount), 'quote', input)
  if (size.kind === 'account') return inUnit(await moneyOf(size, input), 'quote', input)
  const share = new Decimal(size.percent).div(100)
  if ((size.of ?? input.percentOf) === 'balance') return share.times(await freeAmount(input))
  return share.times(await heldAmount(input))
}

/** What is free, as an amount of this market: a spot sale uses coins, everything else the currency it is paid or settled in. */
async function freeAmount(input: SizingInput): Promise<Decimal> {
  const { isCoins, currency } = fundsOf(input)
  return inUnit(new Decimal(await input.funds.free(currency)), isCoins ? 'base' : 'quote', input)
}

function fundsOf({ market, side }: Pick<SizingInput, 'market' | 'side'>): { isCoins: boolean; currency: string } {
  const isCoins = market.kind === 'inverse' || (market.kind === 'spot' && side === 'sell')
  return { isCoins, currency: isCoins ? market.base : (market.settle ?? market.quote) }
}

/** What an account has, as money in the market's quote: coins that a contract settles in count at the price. */
async function moneyOf(
  { terms }: Extract<Size, { kind: 'account' }>,
  { market, price, funds }: SizingInput,
): Promise<Decimal> {
  let sum = new Decimal(0)
  for (const { of, times, over } of terms) {
    const currency = market.settle ?? market.quote
    const held = of === undefined ? 1 : of === 'equity' ? await funds.equity(market) : await funds.free(currency)
    const isCoins = of !== undefined && currency === market.base
    sum = sum.plus(
      new Decimal(held)
        .times(isCoins ? price : 1)
        .times(times)
        .div(over),
    )
  }
  return sum
}

/** The position; on spot, the coins that are free. @throws {TradingError} `no-position` */
async function heldAmount({ market, position, funds }: SizingInput): Promise<Decimal> {
  const held = market.kind === 'spot' ? await funds.free(market.base) : position?.amount
  if (held === undefined || new Decimal(held).isZero()) throw noPosition(market.symbol)
  return new Decimal(held)
}

function inUnit(
  amount: Decimal,
  unit: 'base' | 'quote',
  { market, price }: Pick<SizingInput, 'market' | 'price'>,
): Decimal {
  if (unit === market.amountUnit) return amount
  return unit === 'quote' ? amount.div(price) : amount.times(price)
}

/** `$65.00 (0.001 BTC)`. */
export function describeSmallest(smallest: Decimal, { market, price }: Pick<SizingInput, 'market' | 'price'>): string {
  if (market.amountUnit === 'quote') return showMoney(smallest)
  const money = smallest.times(price).toDecimalPlaces(2, Decimal.ROUND_UP)
  return `${showMoney(money)} (${showAmount(smallest)} ${market.base})`
}

export function describeSize(size: Size | RiskSize): string {
  if (size.kind === 'risk') return `risk ${'percent' in size ? `${size.percent}%` : `$${showAmount(size.amount)}`}`
  if (size.kind === 'quote') return `$${showAmount(size.amount)}`
  if (size.kind === 'base') return groupThousands(size.amount)
  if (size.kind === 'account') return size.text
  return `${size.percent}%${size.of === 'balance' ? 'bal' : size.of === 'position' ? 'pos' : ''}`
}

// What is to be ordered so that a position becomes the one that was named (behaviour 45). Money is counted at the price at which the position was
// entered, so that what is wanted again is nothing to do, wherever the price has gone.

type Wanted = Extract<Size, { readonly kind: 'quote' | 'base' }>

/** What a position on the wanted side lacks, or has too much of. */
type Difference =
  | { readonly kind: 'none' }
  /** As a size of its own, in the unit that was asked for. */
  | { readonly kind: 'more'; readonly size: Wanted }
  /** In the market's unit. */
  | { readonly kind: 'less'; readonly amount: string }

/** Of the size: a fill a little off the price that it was worked out at makes no difference. */
const NEAR = '0.02'

/** @param smallest of an order, in the market's unit */
export function differenceTo(
  size: Wanted,
  position: Pick<Position, 'amount' | 'entryPrice'>,
  { market, smallest, price }: { readonly market: Market; readonly smallest: Decimal; readonly price: Decimal.Value },
): Difference {
  const held = heldIn(size.kind, position, market)
  const lacking = new Decimal(size.amount).minus(held)
  if (lacking.abs().lte(new Decimal(size.amount).times(NEAR))) return { kind: 'none' }
  // In the market's unit, at whichever price makes less of it: a lot that rounding once left out is left out again.
  const perUnit = Decimal.min(held.div(position.amount), unitPrice(size.kind, market, price))
  const dearest = Decimal.max(held.div(position.amount), unitPrice(size.kind, market, price))
  if (lacking.isPositive()) {
    const lots = amountOnLot(lacking.div(dearest), market)
    if (lots.lt(smallest) || perUnit.isZero()) return { kind: 'none' }
    const amount = lacking.toDecimalPlaces(8, Decimal.ROUND_DOWN).toFixed()
    return { kind: 'more', size: { kind: size.kind, amount: isWhole(size.amount) ? amount : coins(amount) } }
  }
  // What stays is as near above the size as counts for none, or else below it; the last lot stays.
  const most = new Decimal(size.amount).times(new Decimal(NEAR).plus(1))
  const within = amountOnLot(new Decimal(position.amount).times(most).div(held), market)
  const amount = amountOnLot(new Decimal(position.amount).minus(Decimal.max(within, market.lotSize)), market)
  return amount.lte(0) ? { kind: 'none' } : { kind: 'less', amount: amount.toFixed() }
}

/** The position in the unit of the size: dollars at its entry, or coins. */
function heldIn(
  unit: Wanted['kind'],
  { amount, entryPrice }: Pick<Position, 'amount' | 'entryPrice'>,
  market: Market,
): Decimal {
  const held = new Decimal(amount)
  if (unit === market.amountUnit) return held
  return unit === 'quote' ? held.times(entryPrice) : held.div(entryPrice)
}

/** One of the market's units in the unit of the size, now. */
function unitPrice(unit: Wanted['kind'], market: Market, price: Decimal.Value): Decimal {
  if (unit === market.amountUnit) return new Decimal(1)
  return unit === 'quote' ? new Decimal(price) : new Decimal(1).div(price)
}
