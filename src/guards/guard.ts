// Judges what an account is about to send (behaviour 40). It reads what it must, counts what it lets through, and sends nothing.

import { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import type {
  Exchange,
  KnownStanding,
  LimitUse,
  OrderBudget,
  OrderCap,
  OrderContext,
  OrdersAhead,
} from '../exchange/exchange.ts'
import { ExchangeError, type GuardCode } from '../exchange/exchange-error.ts'
import type { Market, Ticker } from '../exchange/market.ts'
import { isTriggerType, type Order, type OrderRef, type Position, type Side } from '../exchange/order.ts'
import { fromWhom, type Guarding, type GuardStore, type LimitName } from '../stores/guards.ts'
import { StoreError } from '../stores/store-error.ts'
import { isDollars, showMoment, showMoney } from '../trading/figures.ts'
import type { CountedOrder } from '../trading/order-event.ts'
import { endsAtOnce } from '../trading/order-plan.ts'
import type { DayBook } from './day-book.ts'
import type { AccountUse, SymbolFills, UnderWay } from './day-fold.ts'
import {
  amountAfter,
  type Breach,
  besideExits,
  breachesOf,
  type Facts,
  GuardedError,
  type Holding,
  isPaper,
  type Limits,
  limitsOf,
  mayFireAbove,
  notAccepted,
  type Ordered,
  onlyShrinks,
  percentThrough,
  positionPrice,
  valuePrice,
} from './rules.ts'

// What the guard is asked, and how it lets things pass.

/** What was asked of the guard: an order, or a change of one. */
interface Asked {
  readonly id: string
  readonly key: string
  readonly order: Ordered
  readonly context: OrderContext
  /** Of a change: what was there before, in the market's unit. */
  readonly before?: string
}

/** How it may be sent. */
interface Pass {
  /** A halt does not stop it: it ends a position, or protects one. */
  readonly isExit: boolean
  /** In truth it only shrinks a position. */
  readonly shrinks: boolean
  /** The venue is to hold it to that, for as long as it rests. */
  readonly asReduceOnly: boolean
  /** The grant by which it was judged. */
  readonly cap?: OrderCap
  /**
   * It was judged by what this process knows; whether it holds by what all processes have counted is said here, right before it is sent.
   * @throws {GuardedError}
   */
  readonly confirm?: () => Promise<void>
}

export const EXIT: Pass = { isExit: true, shrinks: true, asReduceOnly: false }
export const ADDS: Pass = { isExit: false, shrinks: false, asReduceOnly: false }

// What the orders of one fire may be worth together (behaviour 47).

/** @param value of the order; undefined: not known @throws {GuardedError} it is too much, or not known to be little enough */
function takeOf(
  budget: OrderBudget | undefined,
  { account, id }: { readonly account: string; readonly id: string },
  value: Decimal | undefined,
): void {
  if (budget === undefined || (value !== undefined && budget.take(id, value.toFixed()))) return
  const { max, spent } = budget
  const worth = value === undefined ? 'has an unknown value in dollars' : `is worth ${showMoney(value)}`
  const before = new Decimal(spent).isZero() ? '' : `, after ${showMoney(spent)} before it`
  const message = `the order ${worth}${before}, and a fire of this hook may order at most ${showMoney(max)} (--max)`
  throw new GuardedError(account, message, { hint: '`hook edit <name> --max` changes it, in the terminal' })
}

// What the grant of a client lets one order do (behaviour 145). No one is asked to let it pass: a grant is widened at the terminal.

/** @throws {GuardedError} the grant does not reach to this account or symbol, or to any order */
function requireReach(
  account: string,
  { order: { symbol }, context }: Pick<Asked, 'order' | 'context'>,
  cap: OrderCap,
): void {
  // What is only worked out is a look.
  if (cap.refusal !== undefined && context.isDry !== true) throw beyondGrant(account, cap.refusal)
  if (cap.accounts?.includes(account) === false)
    throw beyondGrant(account, `the grant of the client does not name account ${account}`)
  if (cap.symbols?.includes(symbol) === false)
    throw beyondGrant(account, `the grant of the client does not name ${symbol}`)
}

/** @param used by the client today, without the order @throws {GuardedError} */
function requireWithin(
  account: string,
  { perOrder, perDay }: OrderCap,
  { value, used }: { readonly value: Decimal | undefined; readonly used: Decimal },
): void {
  if (perOrder === undefined && perDay === undefined) return
  if (value === undefined)
    throw beyondGrant(
      account,
      'the grant of the client has a limit in dollars, and the value of the order is not known',
    )
  if (perOrder !== undefined && value.gt(perOrder))
    throw beyondGrant(
      account,
      `the order is worth ${showMoney(value)}, and the grant of the client allows ${showMoney(perOrder)} an order`,
    )
  const day = used.plus(value)
  if (perDay !== undefined && day.gt(perDay))
    throw beyondGrant(
      account,
      `the orders of the client would be worth ${showMoney(day)} today (UTC), and its grant allows ${showMoney(perDay)}`,
    )
}

function beyondGrant(account: string, message: string): GuardedError {
  return new GuardedError(account, message, { hint: '`clients grant` in the terminal changes the grant' })
}

function isSameCap(one: OrderCap | undefined, other: OrderCap | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

// How much of its limits an account has used before an order, and would have with it: for who only looks.

const MONEY_DIGITS = 2

/** Of those that are on, and whose figures were asked for. */
function usesOf({ value, positionValue, used }: Facts, limits: Limits): readonly LimitUse[] {
  const uses: LimitUse[] = []
  const add = (limit: LimitName, after: Decimal | undefined, before?: Decimal) => {
    const max = limits[limit]
    if (max === undefined || after === undefined) return
    uses.push({ limit, max, after: text(after), ...defined({ before: before && text(before) }) })
  }
  add('order', value)
  add('position', positionValue)
  if (used === undefined) return uses
  add('day', value && used.day.plus(value), used.day)
  add('rate', new Decimal(used.lastMinute + 1), new Decimal(used.lastMinute))
  return uses
}

/** What an order makes or loses is known later. */
function lossUse(lost: Decimal, max: string): LimitUse {
  return { limit: 'loss', max, before: text(Decimal.max(0, lost)) }
}

function text(figure: Decimal): string {
  return figure.toDecimalPlaces(MONEY_DIGITS).toFixed()
}

// What a guard must know of the venue to judge an order. A price that was read a moment ago serves
// again: a command has just asked for it to work its figures out. What is held is always read anew.

/** A figure older than this is read anew. */
const FRESH_MS = 1_000
const RATE_FRESH_MS = 10_000

/** With all that is under way on the symbol. */
type Standing = Holding & { readonly underWay: readonly UnderWay[] }

interface Read<T> {
  readonly at: number
  readonly value: T
}

export class GuardFacts {
  readonly #exchange: Exchange
  readonly #now: () => number
  readonly #tickers = new Map<string, Read<Ticker>>()
  #open: Read<readonly Order[]> | undefined
  #positions: Read<readonly Position[]> | undefined
  #changes = 0
  readonly #rates = new Map<string, Read<Decimal | undefined>>()

  constructor(exchange: Exchange, now: () => number) {
    this.#exchange = exchange
    this.#now = now
  }

  /** For everybody who asks: what it gave is known. */
  async fetchTicker(symbol: string): Promise<Ticker> {
    const at = this.#now()
    const value = await this.#exchange.fetchTicker(symbol)
    this.#tickers.set(symbol, { at, value })
    return value
  }

  /** For everybody who asks: a command has looked for the order that it changes. */
  async fetchOpenOrders(symbol?: string): Promise<readonly Order[]> {
    const at = this.#now()
    const value = await this.#exchange.fetchOpenOrders(symbol)
    this.#open = { at, value }
    return value
  }

  /** An order as it was seen a moment ago. */
  seenOpen({ id, clientOrderId }: OrderRef): Order | undefined {
    if (!this.#isFresh(this.#open, FRESH_MS)) return undefined
    return this.#open.value.find((order) =>
      id === undefined ? clientOrderId !== undefined && order.clientOrderId === clientOrderId : order.id === id,
    )
  }

  /** For everybody who asks: a command has just looked at what it adds to. */
  async fetchPositions(): Promise<readonly Position[]> {
    const [at, changes] = [this.#now(), this.#changes]
    const value = await this.#exchange.fetchPositions()
    if (changes === this.#changes) this.#positions = { at, value }
    return value
  }

  /** Sends what may change what is held: what was read before it was answered says nothing any more. */
  async changing<T>(send: () => Promise<T>): Promise<T> {
    this.#forgetHeld()
    try {
      return await send()
    } finally {
      this.#forgetHeld()
    }
  }

  #forgetHeld(): void {
    this.#changes += 1
    this.#positions = undefined
  }

  /** What rests, and after that what is held: an order that fills in between is in both, and never in neither. */
  async standing(market: Market): Promise<Pick<Holding, 'resting' | 'position'>> {
    const resting = await this.#exchange.fetchOpenOrders(market.symbol)
    return { resting, position: await this.held(market) }
  }

  /** The same as streams have told it, with nothing asked. */
  knownStanding({ symbol }: Market): KnownStanding | undefined {
    return this.#exchange.knownStanding?.(symbol)
  }

  /** What was held a moment ago, where it was read or the streams have reported nothing since, or is now: enough to see whether an order could shrink it, and not that it does. */
  async seenHeld(market: Market, side: Side): Promise<Pick<Position, 'side' | 'amount'> | undefined> {
    if (market.kind === 'spot') return this.held(market)
    const read = this.#positions
    const seen = this.#isFresh(read, FRESH_MS)
      ? read.value
      : await this.#exchange.knownPositions?.({ symbol: market.symbol, side })
    return seen === undefined ? this.held(market) : seen.find(({ symbol }) => symbol === market.symbol)
  }

  async market(symbol: string): Promise<Market | undefined> {
    return (await this.#exchange.loadMarkets()).find((market) => market.symbol === symbol)
  }

  ticker(symbol: string): Promise<Ticker> | Ticker {
    const known = this.#tickers.get(symbol)
    if (this.#isFresh(known, FRESH_MS)) return known.value
    return this.#exchange.knownTicker?.(symbol) ?? this.fetchTicker(symbol)
  }

  /** What is held now; on spot, the coins that orders of the market sell. */
  async held({ symbol, kind, base }: Market): Promise<Pick<Position, 'side' | 'amount'> | undefined> {
    if (kind !== 'spot') return (await this.#exchange.fetchPositions()).find((position) => position.symbol === symbol)
    const found = (await this.#exchange.fetchBalances()).find(({ currency }) => currency === base)
    return found === undefined || new Decimal(found.total).lte(0) ? undefined : { side: 'long', amount: found.total }
  }

  /** What an amount of the market is worth at a price, in dollars; undefined: the venue has no price for its quote. */
  async worth({ kind, quote }: Market, amount: Decimal.Value, price: Decimal): Promise<Decimal | undefined> {
    const inQuote = kind === 'inverse' ? new Decimal(amount) : price.times(amount)
    if (isDollars(quote)) return inQuote
    const rate = await this.rate(quote)
    return rate === undefined ? undefined : inQuote.times(rate)
  }

  /** Dollars for one of the currency, by the venue's own prices; undefined: it has none. */
  async rate(currency: string): Promise<Decimal | undefined> {
    if (isDollars(currency)) return new Decimal(1)
    const known = this.#rates.get(currency)
    if (this.#isFresh(known, RATE_FRESH_MS)) return known.value
    const at = this.#now()
    const value = await this.#askRate(currency)
    this.#rates.set(currency, { at, value })
    return value
  }

  async #askRate(currency: string): Promise<Decimal | undefined> {
    const markets = (await this.#exchange.loadMarkets()).filter(({ active }) => active)
    const direct = markets.find(({ base, quote }) => base === currency && isDollars(quote))
    const inverted = markets.find(({ base, quote }) => quote === currency && isDollars(base))
    const found = direct ?? inverted
    if (found === undefined) return undefined
    const last = new Decimal((await this.ticker(found.symbol)).last)
    if (last.lte(0)) return undefined
    return direct === undefined ? new Decimal(1).div(last) : last
  }

  #isFresh<T>(read: Read<T> | undefined, ms: number): read is Read<T> {
    return read !== undefined && Math.abs(this.#now() - read.at) <= ms
  }
}

/** Whether its value, or how far its limit is through the market, can only be told with the market's price. */
function needsTicker(order: Ordered): boolean {
  return order.triggerPrice === undefined || mayFireAbove(order)
}

// What the guard says when it lets nothing through, for people.

function refusalOf(
  account: string,
  message: string,
  options: { readonly hint: string; readonly code?: GuardCode },
): GuardedError {
  return new GuardedError(account, message, options)
}

/** @param why as the authority says it: `stopped: panic` */
function endedRefusal(account: string, why: string): GuardedError {
  return refusalOf(account, `the order was not sent: ${why}`, { hint: '`status` shows what is off' })
}

/** @param isLost the loss limit is still reached: what only resumes is stopped again */
function stateRefusal(account: string, { state, since, by, doubt, panic }: Guarding, isLost = false): GuardedError {
  const stated = `${by === undefined ? '' : ` ${fromWhom(by)}`}${since === undefined ? '' : ` at ${showMoment(since)}`}`
  if (panic === 'alone') {
    return refusalOf(
      account,
      `panic is on${stated === '' ? '' : `, turned on${stated}`}: only orders that reduce a position are sent`,
      {
        code: 'panic',
        hint: 'type `resume` in the terminal to end it; `cancel` and `close` work',
      },
    )
  }
  const isHalted = state === 'halted'
  const what = isHalted ? `was halted${stated}` : `${REDUCES}${stated === '' ? '' : `: restricted${stated}`}`
  const is = doubt === undefined ? what : `${isHalted ? 'is halted' : REDUCES}, because ${doubt}`
  const open = isHalted ? '`cancel` and `close` work; ' : ''
  const raise = `wait for 00:00 UTC or raise it with \`guards set ${account} loss <dollars>\`, then type \`resume\` in the terminal`
  const resume = isLost ? raise : 'type `resume` in the terminal to end it'
  const end = doubt === undefined ? resume : '`status` names what to fix'
  const [both, code] = panic === undefined ? (['', 'halted'] as const) : (['panic is on, and ', 'panic'] as const)
  return refusalOf(account, `${both}account ${account} ${is}`, { code, hint: `${open}${end}` })
}

const REDUCES = 'takes only orders that reduce a position'

/** The line that reduces the position by as much, whatever rests beside it. */
export function closeHint(
  { symbol, amount }: Pick<Ordered, 'symbol' | 'amount'>,
  market: Pick<Market, 'kind'>,
): string {
  // The amount of an inverse market is in contracts, which no size is typed in.
  return market.kind === 'inverse' ? `type \`close ${symbol}\`` : `type \`close ${amount} ${symbol}\``
}

/** Who has set the account to reducing. */
export function byLossLimit(loss: Decimal.Value): string {
  return `its loss limit of ${showMoney(loss)} a day`
}

/** What the operator is told when an account stops adding to positions by itself. */
export function tripped(account: string, lost: string): string {
  return `account ${account} has lost ${lost} today (UTC), and takes only orders that reduce a position from now on`
}

/** @param what cannot be told in dollars @param limit that it is needed for */
function noPrice(account: string, what: string, currency: string, limit: string): GuardedError {
  return refusalOf(account, `${what} is not known in dollars: the venue has no price of ${currency}`, {
    hint: `\`guards set ${account} ${limit} off\` in the terminal lets orders pass`,
  })
}

/** What cannot be checked is not sent. @returns an error of another class as it is */
function uncheckable(account: string, error: unknown): unknown {
  if (error instanceof GuardedError || !(error instanceof ExchangeError || error instanceof StoreError)) return error
  return refusalOf(account, `the limits of account ${account} could not be checked: ${error.message}`, {
    hint: 'try again; `close` and `cancel` work meanwhile',
  })
}

export function breachRefusal(account: string, breaches: readonly Breach[]): GuardedError {
  const hint = `\`guards\` shows the limits of ${account}; \`guards set\` changes them in the terminal`
  return new GuardedError(account, breaches.map(({ text }) => text).join('; '), { hint, breaches })
}

// What an account has lost since 00:00 UTC: what its fills in the order journal made, less their fees, and on request what its open positions
// have lost by now. What the venue closed by itself is in it; fills of other programs, and of times when no hookline followed the account, are not.

interface LossInput {
  readonly fills: ReadonlyMap<string, SymbolFills>
  /** Absent: what they have lost does not count. */
  readonly positions?: readonly Position[]
  readonly market: (symbol: string) => Promise<Market | undefined>
  /** Dollars for one of the currency. */
  readonly rate: (currency: string) => Promise<Decimal | undefined>
}

interface DayLoss {
  /** In dollars; zero and less: nothing was lost. */
  readonly lost: Decimal
  /** Currencies that no price was found for: they are not in it. */
  readonly without: readonly string[]
}

export async function lossOf({ fills, positions = [], market, rate }: LossInput): Promise<DayLoss> {
  const without = new Set<string>()
  let made = new Decimal(0)
  const add = async (amount: Decimal, currency: string, of?: { readonly market: Market; readonly price: string }) => {
    if (amount.isZero()) return
    // The symbol's own price does for its own coin, and asks no one.
    const isBase = of !== undefined && currency === of.market.base && isDollars(of.market.quote)
    const dollars = isBase ? new Decimal(of.price) : await rate(currency)
    if (dollars === undefined) without.add(currency)
    else made = made.plus(amount.times(dollars))
  }
  for (const [symbol, { pnl, fees, lastPrice }] of fills) {
    const found = await market(symbol)
    const own = found?.settle ?? found?.quote ?? 'USD'
    const of = found === undefined ? undefined : { market: found, price: lastPrice }
    await add(pnl, own, of)
    for (const [currency, fee] of fees) await add(fee.neg(), currency === '' ? own : currency, of)
  }
  for (const { unrealizedPnl, settle } of positions) await add(new Decimal(unrealizedPnl ?? 0), settle)
  return { lost: made.neg(), without: [...without] }
}

export interface GuardOptions {
  readonly account: string
  readonly store: Pick<GuardStore, 'read' | 'readOncePerTurn' | 'restrict'>
  readonly book: DayBook
  readonly now: () => number
  /** Told when the account stops adding to positions by itself. */
  readonly onTripped: (text: string) => void
}

const NOTHING: Facts = { value: undefined, positionValue: undefined, used: undefined, through: undefined }

export class Guard {
  readonly #options: GuardOptions
  readonly #exchange: Exchange
  readonly #facts: GuardFacts
  readonly #isReal: boolean
  readonly #limits = new WeakMap<Guarding, Limits>()

  constructor(exchange: Exchange, facts: GuardFacts, options: GuardOptions) {
    this.#options = options
    this.#exchange = exchange
    this.#facts = facts
    this.#isReal = !isPaper(exchange.id)
  }

  guarding(): Guarding {
    return this.#options.store.readOncePerTurn(this.#options.account)
  }

  isSimulated({ isDry, protects, flattens, isReal }: OrderContext): boolean {
    return protects !== true && flattens !== true && isReal !== true && (isDry === true || this.guarding().simulated)
  }

  /** Nothing has to be read, counted or asked: most orders of a paper account. */
  isFree({ price }: Pick<Ordered, 'price'>): boolean {
    const guarding = this.guarding()
    if (guarding.state !== 'active' || guarding.simulated) return false
    const limits = this.limitsOf(guarding)
    return !this.#isCounted(limits) && limits.order === undefined && (limits.band === undefined || price === undefined)
  }

  limitsOf(guarding: Guarding): Limits {
    const known = this.#limits.get(guarding)
    if (known !== undefined) return known
    const limits = limitsOf(guarding, this.#exchange.id)
    this.#limits.set(guarding, limits)
    return limits
  }

  /** @throws {GuardedError} it must not be sent */
  async judge(asked: Asked): Promise<Pass> {
    const { flattens, protects } = asked.context
    // A position that is there must not be left without its stop, nor open: nothing that has to be asked for first can keep it from that.
    if (flattens === true || protects === true) return EXIT
    try {
      return await this.#judge(asked)
    } catch (error) {
      throw this.uncheckable(error)
    }
  }

  /** For leverage and margin. @throws {GuardedError} it must not be sent */
  async judgeSetting(key: string, symbol: string, context: OrderContext): Promise<void> {
    const guarding = this.guarding()
    // Leverage and margin mode make nothing smaller.
    if (guarding.state === 'halted' || guarding.panic === 'alone') throw this.stateRefusal(guarding)
    if (context.cap?.() !== undefined)
      throw beyondGrant(this.#options.account, 'a client with a grant changes neither leverage nor margin mode')
    const limits = this.limitsOf(guarding)
    if (!this.#isCounted(limits)) return
    try {
      const asked = { id: key, key, context, order: { symbol, side: 'buy', type: 'market', amount: '0' } } as const
      const used = await this.#use(asked, '0')
      this.#refuse(notAccepted(this.#breachesOf(asked.order, { ...NOTHING, used }, limits), context.accepted))
    } catch (error) {
      throw this.uncheckable(error)
    }
  }

  /** Trips the loss limit that has been reached. @throws what keeps it from being known */
  async lookAtLoss(): Promise<void> {
    const guarding = this.guarding()
    const limits = this.limitsOf(guarding)
    if (guarding.state !== 'active' || limits.loss === undefined) return
    try {
      await this.#holdLoss(guarding, limits, {})
    } catch (error) {
      if (!(error instanceof GuardedError)) throw error
    }
  }

  /** What cannot be checked is not sent. @returns an error of another class as it is */
  uncheckable(error: unknown): unknown {
    return uncheckable(this.#options.account, error)
  }

  /** A stop may have been said while the order was judged: asked right before it is sent. @throws {GuardedError} */
  requireStill({ isExit, shrinks, cap }: Pass, { whyEnded, cap: capNow }: OrderContext = {}): void {
    if (isExit) return
    const ended = whyEnded?.()
    if (ended !== undefined) throw endedRefusal(this.#options.account, ended)
    if (!shrinks && !isSameCap(cap, capNow?.()))
      throw beyondGrant(this.#options.account, 'the grant of the client was changed while the order was checked')
    const now = this.#options.store.read(this.#options.account)
    if (now.state === 'halted' || (now.state === 'reducing' && !shrinks)) throw this.stateRefusal(now)
  }

  stateRefusal(guarding: Guarding): GuardedError {
    return stateRefusal(this.#options.account, guarding)
  }

  /** Whether what is sent uses anything up. */
  isCounting(): boolean {
    return this.#isCounted(this.limitsOf(this.guarding()))
  }

  /** What became of a change, counted before or not. */
  answer(id: string, key: string, outcome: 'made' | 'refused' | 'not-sent', { cap }: OrderContext = {}): void {
    if (cap?.() === undefined && !this.isCounting()) return
    const { account, book } = this.#options
    book.answer({ id, key, account, outcome })
  }

  async #judge(asked: Asked): Promise<Pass> {
    const { order, context } = asked
    const guarding = this.guarding()
    const limits = this.limitsOf(guarding)
    if (this.#isExit(order, context)) {
      await this.#holdBand(order, limits, context)
      return EXIT
    }
    if (guarding.state === 'halted') throw this.stateRefusal(guarding)
    const market = await this.#facts.market(order.symbol)
    // The venue has its own words for a symbol that it does not know.
    if (market === undefined) return this.#unknownMarket(asked, context.cap?.())
    const cap = context.cap?.()
    const mustLook =
      cap !== undefined ||
      context.budget !== undefined ||
      guarding.state === 'reducing' ||
      this.#isCounted(limits) ||
      limits.order !== undefined
    const known = mustLook ? await this.#shrinksAsKnown(asked, market, limits) : undefined
    if (known !== undefined) return known
    const standing = mustLook ? await this.#couldShrink(asked, market, limits) : undefined
    if (standing !== undefined && onlyShrinks(order, standing) && this.#staysReducing(asked, market)) {
      await this.#holdBand(order, limits, context)
      return this.#shrinking(market)
    }
    if (cap !== undefined) requireReach(this.#options.account, asked, cap)
    try {
      if (guarding.state === 'reducing') throw await this.#reducingRefusal(guarding, limits)
      await this.#holdLoss(guarding, limits, context)
    } catch (error) {
      if (!(error instanceof GuardedError) || standing === undefined || !this.#staysReducing(asked, market)) throw error
      if (!onlyShrinks(order, besideExits(standing))) throw this.#withClose(error, asked, standing)
      await this.#holdBand(order, limits, context)
      return this.#shrinking(market)
    }
    return this.#holdLimits(asked, market, limits, standing, cap)
  }

  #shrinking({ kind }: Market): Pass {
    return { isExit: false, shrinks: true, asReduceOnly: kind !== 'spot' && this.#holdsReduceOnly() }
  }

  /** No larger than the position, it is refused only for what rests or is under way beside it: a close is not. */
  #withClose(error: GuardedError, { order }: Asked, standing: Standing): GuardedError {
    const { code, message } = error
    const isOfState = code === 'panic' || code === 'halted'
    const fits = onlyShrinks(order, { ...standing, resting: [], underWay: [] })
    if (!isOfState || !fits || !this.#holdsReduceOnly()) return error
    return refusalOf(this.#options.account, message, { code, hint: closeHint(order, standing.market) })
  }

  /** It can do nothing but end or protect what is held, by the venue's own rules: neither a halt nor a limit of size stops it. */
  #isExit({ side, type, reduceOnly }: Ordered, { closes }: OrderContext): boolean {
    if (this.#exchange.kind !== 'spot') return reduceOnly === true && this.#exchange.capabilities.reduceOnly
    // Spot has no `reduceOnly`, and cannot be sold short.
    return side === 'sell' && (closes === true || isTriggerType(type))
  }

  /**
   * What shrinks a position now may open one later, when something else has closed it: it passes for that only where the venue holds it to reducing,
   * or where it cannot rest. A change makes no order reduce-only.
   */
  #staysReducing({ order, before }: Asked, market: Market): boolean {
    if (market.kind === 'spot') return true
    if (this.#holdsReduceOnly()) return before === undefined
    return endsAtOnce(order)
  }

  #holdsReduceOnly(): boolean {
    return this.#exchange.capabilities.reduceOnly
  }

  #isCounted({ day, rate, position, loss }: Limits): boolean {
    return this.#isReal || [day, rate, position, loss].some((max) => max !== undefined)
  }

  #isCountedFor({ context }: Asked, limits: Limits): boolean {
    return context.cap?.() !== undefined || this.#isCounted(limits)
  }

  /**
   * Orders under way at the same moment count as sent: of two that would each close a position, only one shrinks it.
   * @returns undefined: it adds
   */
  async #couldShrink(asked: Asked, market: Market, limits: Limits): Promise<Standing | undefined> {
    const { order } = asked
    if (market.kind === 'spot') return this.#holding(market, { position: undefined, resting: [] }, [])
    if (!(await this.#isAgainst(order, market))) return undefined
    const { underWay } = this.#isCountedFor(asked, limits)
      ? await this.#use(asked, '0')
      : behind(asked.context.ahead, NOTHING_USED)
    // Read after the order was counted, as below.
    return this.#holding(market, await this.#facts.standing(market), underWay)
  }

  /**
   * By what the streams have told: no question is in front of what would pass its limits also if it added. What was known is looked at again
   * right before it is sent, with what other processes have counted meanwhile; where that says otherwise, the venue is asked.
   * @returns undefined: it is to be judged by asking
   */
  async #shrinksAsKnown(asked: Asked, market: Market, limits: Limits): Promise<Pass | undefined> {
    const { order, context } = asked
    const { book } = this.#options
    const isUncapped = context.budget === undefined && context.cap?.() === undefined
    const isPlain = isUncapped && context.onJudged === undefined && !this.isSimulated(context)
    const isHeld = limits.position !== undefined || limits.loss !== undefined || this.guarding().state !== 'active'
    if (!isPlain || isHeld || !this.#isCounted(limits) || !book.isAlone()) return undefined
    if (!this.#staysReducing(asked, market)) return undefined
    const standing = this.#facts.knownStanding(market)
    const count = this.#countOf(asked, '0')
    if (standing === undefined || !this.#shrinks(order, market, standing, book.ahead(count))) return undefined
    const ticker = needsTicker(order) ? await this.#facts.ticker(order.symbol) : undefined
    const price = valuePrice(order, ticker)
    const value = price === undefined ? undefined : await this.#facts.worth(market, order.amount, price)
    const through = percentThrough(order, ticker)
    const isWithin = (used: AccountUse): boolean =>
      value !== undefined && this.#breachesOf(order, { ...NOTHING, value, through, used }, limits).length === 0
    // That was waited for.
    const ahead = book.ahead(count)
    if (ahead === undefined || !isWithin(ahead) || !this.#shrinks(order, market, standing.again(), ahead))
      return undefined
    const use = book.count(count)
    use.catch(() => {})
    const confirm = async (): Promise<void> => {
      try {
        const used = await use
        const isKnown = book.isAlone() && isWithin(used)
        if (isKnown && this.#shrinks(order, market, standing.again(), used)) return
        await this.#confirmByAsking(asked, market, limits, used)
      } catch (error) {
        throw this.uncheckable(error)
      }
    }
    return { isExit: false, shrinks: true, asReduceOnly: market.kind !== 'spot' && this.#holdsReduceOnly(), confirm }
  }

  #breachesOf(order: Ordered, facts: Facts, limits: Limits): readonly Breach[] {
    return breachesOf(order, facts, limits, this.#exchange.knownMarket?.(order.symbol))
  }

  #shrinks(order: Ordered, market: Market, standing: KnownStanding | undefined, used: AccountUse | undefined): boolean {
    if (standing === undefined || used === undefined) return false
    return onlyShrinks(order, this.#holding(market, standing, used.underWay))
  }

  /** @throws {GuardedError} it does more than to shrink what is held, and must not be sent */
  async #confirmByAsking(asked: Asked, market: Market, limits: Limits, { underWay }: AccountUse): Promise<void> {
    const standing = this.#holding(market, await this.#facts.standing(market), underWay)
    if (onlyShrinks(asked.order, standing)) return
    const pass = await this.#holdLimits(asked, market, limits, standing, undefined)
    await pass.confirm?.()
    this.requireStill(pass)
  }

  #holding(market: Market, standing: Pick<Holding, 'resting' | 'position'>, all: readonly UnderWay[]): Standing {
    const underWay = all.filter(({ symbol }) => symbol === market.symbol)
    return { market, ...standing, underWay, holdsReduceOnly: this.#exchange.capabilities.reduceOnly }
  }

  async #isAgainst({ side }: Ordered, market: Market): Promise<boolean> {
    const isStrict = this.guarding().state !== 'active'
    const held = await (isStrict ? this.#facts.held(market) : this.#facts.seenHeld(market, side))
    return held !== undefined && (held.side === 'long') === (side === 'sell')
  }

  async #holdBand(order: Ordered, limits: Limits, { accepted }: OrderContext): Promise<void> {
    if (limits.band === undefined || order.price === undefined) return
    const ticker = order.triggerPrice === undefined ? await this.#facts.ticker(order.symbol) : undefined
    const facts = { ...NOTHING, through: percentThrough(order, ticker) }
    this.#refuse(notAccepted(this.#breachesOf(order, facts, limits), accepted))
  }

  async #holdLimits(
    asked: Asked,
    market: Market,
    limits: Limits,
    standing: Standing | undefined,
    cap: OrderCap | undefined,
  ): Promise<Pass> {
    const { order, context } = asked
    const mayNeed = needsTicker(order) || limits.position !== undefined
    const ticker = mayNeed ? await this.#facts.ticker(order.symbol) : undefined
    const price = valuePrice(order, ticker)
    const value = price === undefined ? undefined : await this.#facts.worth(market, order.amount, price)
    if (value === undefined) this.#requireNoValue(market, limits)
    const counted = (value ?? new Decimal(0)).toFixed()
    const through = percentThrough(order, ticker)
    const isPlain = cap === undefined && context.onJudged === undefined
    const isAhead = this.#isCounted(limits) && limits.position === undefined && isPlain
    if (isAhead && !this.isSimulated(context)) return this.#holdAhead(asked, limits, { value, through }, counted)
    const used = cap !== undefined || this.#isCounted(limits) ? await this.#use(asked, counted, cap) : undefined
    const positionValue =
      limits.position === undefined ? undefined : await this.#positionAfter(asked, market, ticker, used, standing)
    const facts = { value, positionValue, through, used }
    context.onJudged?.(usesOf(facts, limits), counted)
    if (cap !== undefined) requireWithin(this.#options.account, cap, { value, used: used?.client ?? new Decimal(0) })
    this.#refuse(notAccepted(this.#breachesOf(order, facts, limits), context.accepted))
    return this.#takeOf(asked, value, cap)
  }

  /** Judged by what is known while the count is written; what other processes have counted meanwhile is seen before it is sent. */
  async #holdAhead(
    asked: Asked,
    limits: Limits,
    known: Pick<Facts, 'value' | 'through'>,
    counted: string,
  ): Promise<Pass> {
    const { order, context } = asked
    const breachesWith = (used: AccountUse) =>
      notAccepted(this.#breachesOf(order, { ...NOTHING, ...known, used }, limits), context.accepted)
    const { book } = this.#options
    const count = this.#countOf(asked, counted)
    const ahead = book.ahead(count)
    const use = book.count(count)
    use.catch(() => {})
    const confirm = async (): Promise<void> => {
      try {
        this.#refuse(breachesWith(await use))
      } catch (error) {
        throw this.uncheckable(error)
      }
    }
    // What only seems too much may have been answered for by now.
    if (ahead !== undefined && breachesWith(ahead).length === 0) return { ...this.#takeOf(asked, known.value), confirm }
    await confirm()
    return this.#takeOf(asked, known.value)
  }

  #takeOf(asked: Asked, value: Decimal | undefined, cap?: OrderCap): Pass {
    const { account } = this.#options
    takeOf(asked.context.budget, { account, id: asked.id }, value)
    if (cap === undefined) return ADDS
    requireReach(account, asked, cap)
    return { ...ADDS, cap }
  }

  #unknownMarket(asked: Asked, cap: OrderCap | undefined): Pass {
    if (cap !== undefined) requireWithin(this.#options.account, cap, { value: undefined, used: new Decimal(0) })
    return this.#takeOf(asked, undefined, cap)
  }

  /** In simulation nothing is counted: it is not sent. */
  async #use(asked: Asked, value: string, cap?: OrderCap): Promise<AccountUse> {
    const { account, book } = this.#options
    const count = this.#countOf(asked, value, cap)
    if (!this.isSimulated(asked.context)) return book.count(count)
    return behind(asked.context.ahead, await book.look(account, count))
  }

  #countOf({ order, id, key, before }: Asked, value: string, cap?: OrderCap): CountedOrder {
    const { account } = this.#options
    const { symbol, side, amount } = order
    const grows = before === undefined ? {} : { grows: Decimal.max(0, new Decimal(amount).minus(before)).toFixed() }
    return { id, key, account, symbol, side, amount, value, ...grows, ...defined({ client: cap?.client }) }
  }

  /** Read after the order was counted: what was answered before that is held or rests by now. */
  async #positionAfter(
    asked: Asked,
    market: Market,
    ticker: Ticker | undefined,
    used: AccountUse | undefined,
    known: Standing | undefined,
  ): Promise<Decimal | undefined> {
    const { order, before } = asked
    const price = positionPrice(order, ticker)
    if (price === undefined) return undefined
    const grown = before === undefined ? order.amount : new Decimal(order.amount).minus(before).toFixed()
    const isSpot = market.kind === 'spot'
    const standing = isSpot || known === undefined ? await this.#facts.standing(market) : known
    const others = (isSpot ? used : (known ?? used))?.underWay.filter(({ id }) => id !== asked.id) ?? []
    const after = amountAfter({ ...order, amount: grown }, this.#holding(market, standing, others))
    return this.#facts.worth(market, after, price)
  }

  /** @throws {GuardedError} after the account was set to reducing, where the order was meant to be sent */
  async #holdLoss(guarding: Guarding, limits: Limits, { isDry, onJudged }: OrderContext): Promise<void> {
    if (limits.loss === undefined) return
    const { account, store, onTripped } = this.#options
    const lost = await this.#lostToday(limits)
    onJudged?.([lossUse(lost, limits.loss)])
    if (lost.lt(limits.loss)) return
    const by = byLossLimit(limits.loss)
    // What is only looked at changes nothing: the next order that is meant trips it.
    const refusal = stateRefusal(account, { ...guarding, state: 'reducing', by }, true)
    if (isDry === true) throw refusal
    // A `resume` and the look every few seconds may find it at the same time.
    const { state, panic } = store.read(account)
    if (state === 'active' || panic === 'alone') onTripped(tripped(account, showMoney(lost)))
    await store.restrict(account, 'reducing', by)
    throw refusal
  }

  /** While what was lost is still over the limit, `resume` alone would let nothing pass. */
  async #reducingRefusal(guarding: Guarding, limits: Limits): Promise<GuardedError> {
    const isLost = limits.loss !== undefined && (await this.#lostToday(limits).catch(unknownLoss)).gte(limits.loss)
    return stateRefusal(this.#options.account, guarding, isLost)
  }

  /** @throws {ExchangeError} @throws {StoreError} @throws {GuardedError} what was lost is not known in dollars */
  async #lostToday(limits: Limits): Promise<Decimal> {
    const { account, book } = this.#options
    const { fills } = await book.look(account)
    const positions = limits.lossWithOpen ? { positions: await this.#exchange.fetchPositions() } : {}
    const { lost, without } = await lossOf({
      fills,
      ...positions,
      market: (symbol) => this.#facts.market(symbol),
      rate: (currency) => this.#facts.rate(currency),
    })
    const [unknown] = without
    if (unknown !== undefined) throw noPrice(account, "today's loss", unknown, 'loss')
    return lost
  }

  #requireNoValue({ quote }: Market, { order, day, position }: Limits): void {
    const on = Object.entries({ order, day, position }).filter(([, max]) => max !== undefined)
    if (on.length === 0) return
    throw noPrice(this.#options.account, 'the value of the order', quote, on[0]?.[0] ?? 'order')
  }

  #refuse(breaches: ReturnType<typeof notAccepted>): void {
    if (breaches.length > 0) throw breachRefusal(this.#options.account, breaches)
  }
}

const NOTHING_USED: AccountUse = { day: new Decimal(0), lastMinute: 0, underWay: [], client: new Decimal(0) }

/** @param ahead of an order that is only looked at */
function behind(ahead: OrdersAhead | undefined, use: AccountUse): AccountUse {
  if (ahead === undefined) return use
  return {
    day: use.day.plus(ahead.value),
    lastMinute: use.lastMinute + ahead.count,
    underWay: [...use.underWay, ...ahead.underWay.map((order) => ({ ...order, key: order.id }))],
    client: use.client.plus(ahead.value),
  }
}

/** The refusal is the same; only what it advises hangs on it. */
function unknownLoss(error: unknown): Decimal {
  if (error instanceof ExchangeError || error instanceof StoreError) return new Decimal(0)
  throw error
}
