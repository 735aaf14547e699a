// Judges what an account is about to send (behaviour 40). It reads what it must, counts what it lets through, and sends nothing.
import { Decimal } from 'decimal.js'
import type { Exchange, OrderContext } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import type { Market } from '../exchange/market.ts'
import type { Position } from '../exchange/order.ts'
import type { Guarding, GuardStore } from '../stores/guards.ts'
import { StoreError } from '../stores/store-error.ts'
import { showMoney, showTime } from '../trading/figures.ts'
import type { DayBook } from './day-book.ts'
import type { AccountUse } from './day-fold.ts'
import { type GuardFacts, needsTicker } from './guard-facts.ts'
import { GuardedError } from './guarded-error.ts'
import { isPaper, type Limits, limitsOf } from './limits.ts'
import { lossOf } from './loss.ts'
import { amountAfter, breachesOf, notAccepted, type Ordered, onlyShrinks, percentThrough, valuePrice } from './rules.ts'

export interface GuardOptions {
  readonly account: string
  readonly store: Pick<GuardStore, 'read' | 'readOncePerTurn' | 'restrict'>
  readonly book: DayBook
  readonly now: () => number
  /** Told when the account stops adding to positions by itself. */
  readonly onTripped: (text: string) => void
}

/** What was asked of the guard: an order, or a change of one. */
export interface Asked {
  readonly id: string
  readonly key: string
  readonly order: Ordered
  readonly context: OrderContext
  /** Of a change: what was there before, in the market's unit. */
  readonly before?: string
}

/** How it may be sent. */
export interface Pass {
  /** A halt does not stop it: it ends a position, or protects one. */
  readonly isExit: boolean
  /** In truth it only shrinks a position. */
  readonly shrinks: boolean
  /** The venue is to hold it to that. */
  readonly asReduceOnly: boolean
}

const EXIT: Pass = { isExit: true, shrinks: true, asReduceOnly: false }
const ADDS: Pass = { isExit: false, shrinks: false, asReduceOnly: false }

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
    return this.#options.store.readOncePerTurn(this.#options.account, this.#isReal)
  }

  isSimulated({ isDry, protects, flattens }: OrderContext): boolean {
    return protects !== true && flattens !== true && (isDry === true || this.guarding().simulated)
  }

  /** Nothing has to be read, counted or asked: most orders of a paper account. */
  isFree({ price }: Pick<Ordered, 'price'>): boolean {
    const guarding = this.guarding()
    if (guarding.state !== 'active' || guarding.simulated || this.#isReal) return false
    const { order, position, day, loss, rate, band } = this.limitsOf(guarding)
    return (
      [order, position, day, loss, rate].every((max) => max === undefined) &&
      (band === undefined || price === undefined)
    )
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
    const { order, context } = asked
    if (context.flattens === true) return EXIT
    const holdsReduceOnly = order.reduceOnly === true && this.#exchange.capabilities.reduceOnly
    if (context.protects === true && holdsReduceOnly) return EXIT
    const guarding = this.guarding()
    try {
      return await this.#judgeIn(guarding, asked, holdsReduceOnly)
    } catch (error) {
      throw this.uncheckable(error)
    }
  }

  /** What cannot be checked is not sent. @returns an error of another class as it is */
  uncheckable(error: unknown): unknown {
    if (error instanceof GuardedError || !(error instanceof ExchangeError || error instanceof StoreError)) return error
    return this.#refusal(`the limits of account ${this.#options.account} could not be checked: ${error.message}`, {
      hint: 'try again; `close` and `cancel` work meanwhile',
    })
  }

  /** A halt may have been said while the order was judged: asked right before it is sent. @throws {GuardedError} */
  requireStill({ isExit, shrinks }: Pass): void {
    if (isExit) return
    const now = this.#options.store.read(this.#options.account, this.#isReal)
    if (now.state === 'halted' || (now.state === 'reducing' && !shrinks)) throw this.stateRefusal(now)
  }

  stateRefusal({ state, since, by, doubt }: Guarding): GuardedError {
    const { account } = this.#options
    const what = state === 'halted' ? 'is halted' : 'takes only orders that reduce a position'
    const said = `${since === undefined ? '' : ` since ${showTime(since)}`}${by === undefined ? '' : `, by ${by}`}`
    const why = doubt === undefined ? said : `, because ${doubt}`
    const open = state === 'halted' ? '`cancel` and `close` work; ' : ''
    const end = doubt === undefined ? 'type `resume` in the terminal to end it' : '`status` names what to fix'
    return this.#refusal(`account ${account} ${what}${why}`, { hint: `${open}${end}` })
  }

  async #judgeIn(guarding: Guarding, asked: Asked, holdsReduceOnly: boolean): Promise<Pass> {
    const { order, context } = asked
    const { state } = guarding
    if (state === 'halted') {
      if (await this.#isExit(order)) return EXIT
      throw this.stateRefusal(guarding)
    }
    const market = await this.#facts.market(order.symbol)
    // The venue has its own words for a symbol that it does not know.
    if (market === undefined) return ADDS
    const limits = this.limitsOf(guarding)
    const shrinks = (holdsReduceOnly && state === 'active') || (await this.#shrinks(order, market, state !== 'active'))
    if (state === 'reducing' && !shrinks) throw this.stateRefusal(guarding)
    const mayFlag = market.kind !== 'spot' && this.#exchange.capabilities.reduceOnly
    if (shrinks) {
      await this.#holdBand(order, limits, context)
      if (!holdsReduceOnly) this.#countNothing(asked)
      return { isExit: false, shrinks, asReduceOnly: state === 'reducing' && mayFlag }
    }
    await this.#holdLoss(guarding, limits)
    await this.#holdLimits(asked, market, limits)
    return ADDS
  }

  /** A close in truth: at the market, held to reducing by the venue, against a position that is there. */
  async #isExit({ symbol, side, type, reduceOnly }: Ordered): Promise<boolean> {
    if (type !== 'market' || reduceOnly !== true || !this.#exchange.capabilities.reduceOnly) return false
    const position = await this.#facts.position(symbol, true)
    return position !== undefined && (position.side === 'long') === (side === 'sell')
  }

  async #shrinks(order: Ordered, market: Market, isNow: boolean): Promise<boolean> {
    const position = market.kind === 'spot' ? undefined : await this.#facts.position(order.symbol, isNow)
    const isAgainst = position !== undefined && (position.side === 'long') === (order.side === 'sell')
    const needsResting = isAgainst && order.reduceOnly !== true
    const resting = needsResting ? await this.#facts.resting(order.symbol) : []
    return onlyShrinks(order, { ...this.#holding(market, position), resting, underWay: [] })
  }

  async #holdBand(order: Ordered, limits: Limits, { accepted }: OrderContext): Promise<void> {
    if (limits.band === undefined || order.price === undefined) return
    const ticker = order.triggerPrice === undefined ? await this.#facts.ticker(order.symbol) : undefined
    const facts = {
      value: undefined,
      positionValue: undefined,
      used: undefined,
      through: percentThrough(order, ticker),
    }
    this.#refuse(notAccepted(breachesOf(order, facts, limits), accepted))
  }

  async #holdLimits(asked: Asked, market: Market, limits: Limits): Promise<void> {
    const { order, context } = asked
    const ticker =
      needsTicker(order) || order.triggerPrice === undefined ? await this.#facts.ticker(order.symbol) : undefined
    const price = valuePrice(order, ticker)
    const value = price === undefined ? undefined : await this.#facts.worth(market, order.amount, price)
    if (value === undefined) this.#requireNoValue(market, limits)
    const used = await this.#countOrLook(asked, value, limits)
    const through = percentThrough(order, ticker)
    const positionValue =
      limits.position === undefined || price === undefined || market.kind === 'spot'
        ? undefined
        : await this.#positionAfter(asked, market, price, used)
    const facts = { value, positionValue, through, used }
    this.#refuse(notAccepted(breachesOf(order, facts, limits), context.accepted))
  }

  /** In simulation nothing is counted: it is not sent. */
  #countOrLook(asked: Asked, value: Decimal | undefined, limits: Limits): Promise<AccountUse | undefined> {
    const { order, id, key, context } = asked
    const { account, book } = this.#options
    const { day, rate, position, loss } = limits
    const isCounted = this.#isReal || [day, rate, position, loss].some((max) => max !== undefined)
    if (!isCounted) return Promise.resolve(undefined)
    if (this.isSimulated(context)) return book.look(account)
    const { symbol, side, amount } = order
    return book.count({ id, key, account, symbol, side, amount, value: (value ?? new Decimal(0)).toFixed() })
  }

  /** An order that only shrinks a position uses nothing up, whatever the journal says of its price. */
  #countNothing({ id, key, order: { symbol, side, amount }, context }: Asked): void {
    if (this.isSimulated(context)) return
    const { account, book } = this.#options
    book.note({ id, key, account, symbol, side, amount, value: '0' })
  }

  /** Read after the order was counted: what was answered before that is held or rests by now. */
  async #positionAfter(
    { order, before }: Asked,
    market: Market,
    price: Decimal,
    used: AccountUse | undefined,
  ): Promise<Decimal | undefined> {
    const position = await this.#facts.position(order.symbol, true)
    const resting = await this.#facts.resting(order.symbol)
    const underWay = (used?.underWay ?? []).filter(({ symbol }) => symbol === order.symbol)
    const grown = before === undefined ? order.amount : new Decimal(order.amount).minus(before).toFixed()
    const after = amountAfter({ ...order, amount: grown }, { ...this.#holding(market, position), resting, underWay })
    return this.#facts.worth(market, after, price)
  }

  #holding(market: Market, position: Position | undefined) {
    return { market, position, holdsReduceOnly: this.#exchange.capabilities.reduceOnly }
  }

  /** @throws {GuardedError} after the account was set to reducing */
  async #holdLoss(guarding: Guarding, limits: Limits): Promise<void> {
    if (limits.loss === undefined) return
    const lost = await this.lostToday(limits)
    if (lost.lt(limits.loss)) return
    const { account, store, onTripped } = this.#options
    const by = `its loss limit of ${showMoney(limits.loss)} a day`
    onTripped(
      `account ${account} has lost ${showMoney(lost)} today (UTC), and takes only orders that reduce from now on`,
    )
    await store.restrict(account, 'reducing', by)
    throw this.stateRefusal({ ...guarding, state: 'reducing', by })
  }

  /** @throws {ExchangeError} @throws {StoreError} */
  async lostToday(limits: Limits): Promise<Decimal> {
    const { fills } = await this.#options.book.look(this.#options.account)
    const positions = limits.lossWithOpen ? { positions: await this.#facts.fetchPositions() } : {}
    const { lost } = await lossOf({
      ...{ fills, ...positions },
      market: (symbol) => this.#facts.market(symbol),
      rate: (currency) => this.#facts.rate(currency),
    })
    return lost
  }

  #requireNoValue({ quote }: Market, { order, day, position }: Limits): void {
    const on = Object.entries({ order, day, position }).filter(([, max]) => max !== undefined)
    if (on.length === 0) return
    const { account } = this.#options
    throw this.#refusal(
      `what the order is worth in dollars is not known: the venue has no price of ${quote} in dollars`,
      {
        hint: `\`guards set ${account} ${on[0]?.[0]} off\` in the terminal lets it pass`,
      },
    )
  }

  #refuse(breaches: ReturnType<typeof notAccepted>): void {
    if (breaches.length === 0) return
    const { account } = this.#options
    const hint = `\`guards\` shows the limits of ${account}; \`guards set\` changes them in the terminal`
    throw new GuardedError(account, breaches.map(({ text }) => text).join('; '), hint, breaches)
  }

  #refusal(message: string, { hint }: { readonly hint: string }): GuardedError {
    return new GuardedError(this.#options.account, message, hint)
  }
}
