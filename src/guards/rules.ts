// What an order does to a position, and which limits it breaks: pure functions of figures that were read before (behaviour 40).
import { Decimal } from 'decimal.js'
import type { AcceptedBreach } from '../exchange/exchange.ts'
import { ExchangeError, type GuardCode } from '../exchange/exchange-error.ts'
import type { Market, Ticker } from '../exchange/market.ts'
import { isTriggerType, type Order, type OrderRequest, type Position, type Side } from '../exchange/order.ts'
import { type Guarding, LIMITS, type LimitName, type StoredLimits } from '../stores/guards.ts'
import { isDollars, showMoney, showPrice } from '../trading/figures.ts'

// The limits of an account (behaviour 40): what each counts, what holds where nothing was said, and which change of one is stricter.

/** Absent: off. Decimals in text: dollars, percent of the price for `band`, orders for `rate`. */
export type Limits = { readonly [limit in LimitName]?: string } & { readonly lossWithOpen: boolean }

/** Where money is real. Asked for as the account is added. */
export const LIVE_DEFAULTS: StoredLimits = { order: '1000', day: '5000', band: '5' }
export const PAPER_DEFAULTS: StoredLimits = { band: '5' }

export function isPaper(exchange: string): boolean {
  return exchange === 'paper'
}

/** What holds, with the defaults of its kind of account where nothing was said. */
export function limitsOf({ limits }: Pick<Guarding, 'limits'>, exchange: string): Limits {
  const defaults = isPaper(exchange) ? PAPER_DEFAULTS : LIVE_DEFAULTS
  const on = LIMITS.flatMap((name) => {
    const value = limits[name] ?? defaults[name] ?? 'off'
    return value === 'off' ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(on), lossWithOpen: limits.lossWithOpen !== false }
}

/** Whether `next` lets through nothing that `now` does not. Absent: off. */
export function isStricter(next: string | undefined, now: string | undefined): boolean {
  if (next === undefined) return now === undefined
  return now === undefined || new Decimal(next).lte(now)
}

interface LimitText {
  readonly unit: '$' | '%' | ''
  readonly meaning: string
}

/** What each counts, for people. */
export const LIMIT_TEXTS: Readonly<Record<LimitName, LimitText>> = {
  order: { unit: '$', meaning: 'the value of one order' },
  position: { unit: '$', meaning: 'the value of a position plus the resting orders that would add to it' },
  day: { unit: '$', meaning: 'the value of all orders since 00:00 UTC, without those that only reduce' },
  loss: {
    unit: '$',
    meaning: 'the loss since 00:00 UTC, closed and open, with fees; then only reducing orders pass, until `resume`',
  },
  band: { unit: '%', meaning: 'how far a limit may be through the market' },
  rate: { unit: '', meaning: 'orders in a minute' },
}

// An order that hookline itself refused (behaviour 40). Nothing was sent.

/** A limit that an order would break. */
export interface Breach extends AcceptedBreach {
  readonly limit: LimitName
  /** What the limit is, in its unit. */
  readonly max: string
  /** For people: `the order is worth $1,500, and the limit is $1,000`. */
  readonly text: string
}

export class GuardedError extends ExchangeError {
  readonly account: string
  /** Limits that a person at a terminal may let it pass; empty where there is nothing to ask. */
  readonly breaches: readonly Breach[]
  constructor(
    account: string,
    message: string,
    {
      hint,
      code = 'guarded',
      breaches = [],
    }: { readonly hint: string; readonly code?: GuardCode; readonly breaches?: readonly Breach[] },
  ) {
    super(code, message, { hint })
    this.account = account
    this.breaches = breaches
  }
}

const ZERO = new Decimal(0)
/** An answer of a person holds for values up to so much above the one that was read. */
const ACCEPTED_SLACK = new Decimal('1.01')

export type Ordered = Pick<
  OrderRequest,
  'symbol' | 'side' | 'type' | 'amount' | 'price' | 'triggerPrice' | 'timeInForce' | 'reduceOnly'
>

export interface Holding {
  readonly market: Pick<Market, 'kind' | 'quote'>
  /** On spot, what there is of the coin. */
  readonly position: Pick<Position, 'side' | 'amount'> | undefined
  /** What rests on the symbol, stops included. */
  readonly resting: readonly Pick<Order, 'side' | 'remaining' | 'reduceOnly' | 'closesPosition'>[]
  /** Sent, and not answered for yet. */
  readonly underWay: readonly { readonly side: Side; readonly amount: string }[]
  /** The venue holds `reduceOnly` to its word. */
  readonly holdsReduceOnly: boolean
}

/** Whether the order can do nothing but shrink what is held now, whatever of it fills first. */
export function onlyShrinks(order: Ordered, holding: Holding): boolean {
  const { market, position, resting, underWay, holdsReduceOnly } = holding
  // Spot cannot be sold short: what is sold for dollars was held.
  if (market.kind === 'spot') return order.side === 'sell' && isDollars(market.quote)
  if (position === undefined || exitOf(position) !== order.side) return false
  if (order.reduceOnly === true && holdsReduceOnly) return true
  const sameSide = [
    ...resting
      .filter(({ side }) => side === order.side)
      .map(({ remaining, closesPosition }) => (closesPosition === true ? position.amount : remaining)),
    ...underWay.filter(({ side }) => side === order.side).map(({ amount }) => amount),
  ]
  return Decimal.sum(order.amount, 0, ...sameSide).lte(position.amount)
}

/** Without what rests and only reduces: it follows what is left of the position, and opens nothing beside an order that is sent reduce-only. */
export function besideExits<T extends Holding>(holding: T): T {
  if (!holding.holdsReduceOnly || holding.market.kind === 'spot') return holding
  const resting = holding.resting.filter(({ reduceOnly, closesPosition }) => !reduceOnly && closesPosition !== true)
  return { ...holding, resting }
}

function exitOf({ side }: Pick<Position, 'side'>): Side {
  return side === 'long' ? 'sell' : 'buy'
}

/** The price at which an order is worth what it is: never less than it can fill at. */
export function valuePrice(order: Ordered, ticker: Ticker | undefined): Decimal | undefined {
  const { side, price, triggerPrice } = order
  if (triggerPrice !== undefined) {
    const waits = Decimal.max(price ?? 0, triggerPrice)
    // One whose trigger was passed before it came becomes an order at once, at the price of now.
    if (!mayFireAbove(order)) return waits
    return ticker === undefined ? undefined : Decimal.max(waits, touchOf(side, ticker))
  }
  // A buyer's limit is the most that is paid; a seller's is the least that is got.
  if (price !== undefined && side === 'buy') return new Decimal(price)
  if (ticker === undefined) return undefined
  const touch = touchOf(side, ticker)
  return price === undefined ? touch : Decimal.max(price, touch)
}

/** The price of what is held after it: never less than that of the market, however low the order waits. */
export function positionPrice(order: Ordered, ticker: Ticker | undefined): Decimal | undefined {
  const own = valuePrice(order, ticker)
  if (own === undefined || ticker === undefined) return undefined
  return Decimal.max(own, touchOf(order.side, ticker))
}

/** Whether it can fill at more than it names: a buyer's stop, and a seller's take-profit. */
export function mayFireAbove({ side, type, price }: Ordered): boolean {
  if (type === 'take-profit') return side === 'sell'
  return price === undefined && side === 'buy'
}

function touchOf(side: Side, { bid, ask, last }: Ticker): Decimal {
  const touch = new Decimal(side === 'buy' ? ask : bid)
  return touch.gt(0) ? touch : new Decimal(last)
}

/** How far through the market a limit is, in percent; undefined: it is not, or the order has none. */
export function percentThrough({ side, type, price, triggerPrice }: Ordered, ticker: Ticker | undefined) {
  if (price === undefined) return undefined
  const isTrigger = isTriggerType(type) && triggerPrice !== undefined
  if (!isTrigger && ticker === undefined) return undefined
  const from = isTrigger ? new Decimal(triggerPrice) : touchOf(side, ticker as Ticker)
  const beyond = side === 'buy' ? new Decimal(price).minus(from) : from.minus(price)
  if (beyond.lte(0) || from.lte(0)) return undefined
  return { percent: beyond.div(from).times(100), from, isTrigger }
}

/** Of a position with all that may add to it on the side of the order, in the market's unit. */
export function amountAfter({ side, amount }: Ordered, { position, resting, underWay }: Holding): Decimal {
  const held = position === undefined ? ZERO : new Decimal(position.amount)
  const signed = position !== undefined && exitOf(position) === side ? held.neg() : held
  const adding = [
    ...resting.filter((each) => each.side === side && !each.reduceOnly).map(({ remaining }) => remaining),
    ...underWay.filter((each) => each.side === side).map((each) => each.amount),
  ]
  return Decimal.max(0, Decimal.sum(signed, amount, 0, ...adding))
}

/** What the account has used, without the order in question. Dollars. */
interface Used {
  readonly day: Decimal
  readonly lastMinute: number
}

export interface Facts {
  /** In dollars. */
  readonly value: Decimal | undefined
  readonly positionValue: Decimal | undefined
  readonly through: ReturnType<typeof percentThrough>
  readonly used: Used | undefined
}

/** Every limit that the order breaks. Those that need a figure no one asked for are not looked at. @param market where it is known */
export function breachesOf(order: Ordered, facts: Facts, limits: Limits, market?: Market): readonly Breach[] {
  const { value, positionValue, through, used } = facts
  const found: Breach[] = []
  const check = (limit: LimitName, has: Decimal | undefined, text: (max: string) => string): void => {
    const max = limits[limit]
    if (max === undefined || has === undefined || has.lte(max)) return
    found.push({ limit, value: has.toSignificantDigits(12).toFixed(), max, text: text(max) })
  }
  check('order', value, (max) => `the order is worth ${showMoney(value ?? 0)}, and the limit is ${showMoney(max)}`)
  check('position', positionValue, (max) => {
    return `the ${order.symbol} position could grow to ${showMoney(positionValue ?? 0)}, and the limit is ${showMoney(max)}`
  })
  const day = used === undefined || value === undefined ? undefined : used.day.plus(value)
  check('day', day, (max) => {
    return `today's orders (UTC) would be worth ${showMoney(day ?? 0)}, and the limit is ${showMoney(max)}`
  })
  check('band', through?.percent, (max) => {
    const of = through?.isTrigger === true ? 'its trigger' : order.side === 'buy' ? 'the ask' : 'the bid'
    const where = `${order.side === 'buy' ? 'above' : 'below'} ${of}, ${showPrice(through?.from ?? 0, market)}`
    return `${showPrice(order.price ?? 0, market)} is more than ${max}% ${where}`
  })
  const rate = used === undefined ? undefined : new Decimal(used.lastMinute + 1)
  check('rate', rate, (max) => `this is order ${rate?.toFixed()} within a minute, and the limit is ${max}`)
  return found
}

/** Those that no one has said yes to, at this value. */
export function notAccepted(
  breaches: readonly Breach[],
  accepted: readonly { readonly limit: string; readonly value: string }[] = [],
): readonly Breach[] {
  const isAccepted = ({ limit, value }: Breach) =>
    accepted.some((each) => each.limit === limit && new Decimal(value).lte(ACCEPTED_SLACK.times(each.value)))
  return breaches.filter((breach) => !isAccepted(breach))
}
