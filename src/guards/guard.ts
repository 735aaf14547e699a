// Judges what an account is about to send (behaviour 40). It reads what it must, counts what it lets through, and sends nothing.
import { Decimal } from 'decimal.js'
import type { Exchange, KnownStanding, OrderContext } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import type { Market, Ticker } from '../exchange/market.ts'
import { isTriggerType } from '../exchange/order.ts'
import type { Guarding, GuardStore } from '../stores/guards.ts'
import { StoreError } from '../stores/store-error.ts'
import { showMoney } from '../trading/figures.ts'
import type { CountedOrder } from '../trading/order-count.ts'
import { endsAtOnce } from '../trading/order-plan.ts'
import { ADDS, type Asked, EXIT, type Pass } from './asked.ts'
import { takeOf } from './budget.ts'
import type { DayBook } from './day-book.ts'
import type { AccountUse, UnderWay } from './day-fold.ts'
import { type GuardFacts, needsTicker, type Standing } from './guard-facts.ts'
import { breachRefusal, endedRefusal, noPrice, stateRefusal, tripped, uncheckable } from './guard-refusals.ts'
import { GuardedError } from './guarded-error.ts'
import { lossUse, usesOf } from './limit-uses.ts'
import { isPaper, type Limits, limitsOf } from './limits.ts'
import { lossOf } from './loss.ts'
import {
  amountAfter,
  breachesOf,
  type Facts,
  type Holding,
  notAccepted,
  type Ordered,
  onlyShrinks,
  percentThrough,
  positionPrice,
  valuePrice,
} from './rules.ts'

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
    if (guarding.state === 'halted' || guarding.panic === true) throw this.stateRefusal(guarding)
    const limits = this.limitsOf(guarding)
    if (!this.#isCounted(limits)) return
    try {
      const asked = { id: key, key, context, order: { symbol, side: 'buy', type: 'market', amount: '0' } } as const
      const used = await this.#use(asked, '0')
      this.#refuse(notAccepted(breachesOf(asked.order, { ...NOTHING, used }, limits), context.accepted))
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
  requireStill({ isExit, shrinks }: Pass, { whyEnded }: OrderContext = {}): void {
    if (isExit) return
    const ended = whyEnded?.()
    if (ended !== undefined) throw endedRefusal(this.#options.account, ended)
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
  answer(id: string, key: string, outcome: 'made' | 'refused' | 'not-sent'): void {
    if (!this.isCounting()) return
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
    if (market === undefined) return this.#takeOf(asked, undefined)
    const mustLook =
      context.budget !== undefined ||
      guarding.state === 'reducing' ||
      this.#isCounted(limits) ||
      limits.order !== undefined
    const known = mustLook ? await this.#shrinksAsKnown(asked, market, limits) : undefined
    if (known !== undefined) return known
    const standing = mustLook ? await this.#couldShrink(asked, market, limits) : undefined
    if (standing !== undefined && onlyShrinks(order, standing) && this.#staysReducing(asked, market)) {
      await this.#holdBand(order, limits, context)
      return { isExit: false, shrinks: true, asReduceOnly: market.kind !== 'spot' && this.#holdsReduceOnly() }
    }
    if (guarding.state === 'reducing') throw await this.#reducingRefusal(guarding, limits)
    await this.#holdLoss(guarding, limits, context)
    return this.#holdLimits(asked, market, limits, standing)
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

  /**
   * Orders under way at the same moment count as sent: of two that would each close a position, only one shrinks it.
   * @returns undefined: it adds
   */
  async #couldShrink(asked: Asked, market: Market, limits: Limits): Promise<Standing | undefined> {
    const { order } = asked
    if (market.kind === 'spot') return this.#holding(market, { position: undefined, resting: [] }, [])
    if (!(await this.#isAgainst(order, market))) return undefined
    const { underWay = [] } = this.#isCounted(limits) ? await this.#use(asked, '0') : {}
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
    const isPlain = context.budget === undefined && context.onJudged === undefined && !this.isSimulated(context)
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
      value !== undefined && breachesOf(order, { ...NOTHING, value, through, used }, limits).length === 0
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

  #shrinks(order: Ordered, market: Market, standing: KnownStanding | undefined, used: AccountUse | undefined): boolean {
    if (standing === undefined || used === undefined) return false
    return onlyShrinks(order, this.#holding(market, standing, used.underWay))
  }

  /** @throws {GuardedError} it does more than to shrink what is held, and must not be sent */
  async #confirmByAsking(asked: Asked, market: Market, limits: Limits, { underWay }: AccountUse): Promise<void> {
    const standing = this.#holding(market, await this.#facts.standing(market), underWay)
    if (onlyShrinks(asked.order, standing)) return
    const pass = await this.#holdLimits(asked, market, limits, standing)
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
    this.#refuse(notAccepted(breachesOf(order, facts, limits), accepted))
  }

  async #holdLimits(asked: Asked, market: Market, limits: Limits, standing: Standing | undefined): Promise<Pass> {
    const { order, context } = asked
    const mayNeed = needsTicker(order) || limits.position !== undefined
    const ticker = mayNeed ? await this.#facts.ticker(order.symbol) : undefined
    const price = valuePrice(order, ticker)
    const value = price === undefined ? undefined : await this.#facts.worth(market, order.amount, price)
    if (value === undefined) this.#requireNoValue(market, limits)
    const counted = (value ?? new Decimal(0)).toFixed()
    const through = percentThrough(order, ticker)
    const isAhead = this.#isCounted(limits) && limits.position === undefined && context.onJudged === undefined
    if (isAhead && !this.isSimulated(context)) return this.#holdAhead(asked, limits, { value, through }, counted)
    const used = this.#isCounted(limits) ? await this.#use(asked, counted) : undefined
    const positionValue =
      limits.position === undefined ? undefined : await this.#positionAfter(asked, market, ticker, used, standing)
    const facts = { value, positionValue, through, used }
    context.onJudged?.(usesOf(facts, limits))
    this.#refuse(notAccepted(breachesOf(order, facts, limits), context.accepted))
    return this.#takeOf(asked, value)
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
      notAccepted(breachesOf(order, { ...NOTHING, ...known, used }, limits), context.accepted)
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

  #takeOf({ id, context }: Asked, value: Decimal | undefined): Pass {
    takeOf(context.budget, { account: this.#options.account, id }, value)
    return ADDS
  }

  /** In simulation nothing is counted: it is not sent. */
  #use(asked: Asked, value: string): Promise<AccountUse> {
    const { account, book } = this.#options
    return this.isSimulated(asked.context) ? book.look(account) : book.count(this.#countOf(asked, value))
  }

  #countOf({ order, id, key, before }: Asked, value: string): CountedOrder {
    const { account } = this.#options
    const { symbol, side, amount } = order
    const grows = before === undefined ? {} : { grows: Decimal.max(0, new Decimal(amount).minus(before)).toFixed() }
    return { id, key, account, symbol, side, amount, value, ...grows }
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
    const by = `its loss limit of ${showMoney(limits.loss)} a day`
    // What is only looked at changes nothing: the next order that is meant trips it.
    const refusal = stateRefusal(account, { ...guarding, state: 'reducing', by }, true)
    if (isDry === true) throw refusal
    onTripped(tripped(account, showMoney(lost)))
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
    if (unknown !== undefined) throw noPrice(account, 'what was lost today', unknown, 'loss')
    return lost
  }

  #requireNoValue({ quote }: Market, { order, day, position }: Limits): void {
    const on = Object.entries({ order, day, position }).filter(([, max]) => max !== undefined)
    if (on.length === 0) return
    throw noPrice(this.#options.account, 'what the order is worth', quote, on[0]?.[0] ?? 'order')
  }

  #refuse(breaches: ReturnType<typeof notAccepted>): void {
    if (breaches.length > 0) throw breachRefusal(this.#options.account, breaches)
  }
}

/** The refusal is the same; only what it advises hangs on it. */
function unknownLoss(error: unknown): Decimal {
  if (error instanceof ExchangeError || error instanceof StoreError) return new Decimal(0)
  throw error
}
