// The state machine that all models share: an order is taken, acknowledged, waits, fires, fills in parts and ends. Time is only read: what is
// due happens with the next request, so that a model needs no timer.
import { Decimal } from 'decimal.js'
import { amountWorth, type Book, bookAround, opposite, THIN_WORTH } from '../order-book.ts'
import { ModelAccount, worthOf } from './account.ts'
import {
  type EndReason,
  isOpen,
  type ModelFill,
  type ModelMarket,
  type ModelOrder,
  ModelRefusal,
  refuse,
  type Side,
  type VenueAct,
  type Wish,
} from './orders.ts'

const TAKER_FEE = '0.0005'
const MAKER_FEE = '0.0002'
const FEE_DIGITS = 8
const ZERO = new Decimal(0)

/** How a venue differs in the life of an order. */
export interface Policy {
  /** A client order id may come again once its order has ended; or never; or nobody looks. */
  readonly uniqueIds: 'ever' | 'open' | 'no'
  /** A trigger order that fires goes on under its own id, or becomes another order. */
  readonly firedBecomes: 'itself' | 'another'
  /** What a trigger that the price has passed comes to. */
  readonly passedTrigger: 'refused' | 'fires'
  readonly postOnlyThatTakes: 'refused' | 'ends'
  readonly fokThatCannot: 'refused' | 'ends'
  /** Of an immediate order that finds nothing at all. Default: it ends. */
  readonly iocThatCannot?: 'refused' | 'ends'
  /** Of more than there is to reduce. */
  readonly reduceOnlyBeyond: 'cut' | 'refused'
  /** On spot: of what was bought, or of the quote. */
  readonly spotFeeIn?: 'received' | 'quote'
}

export interface EngineOptions {
  readonly markets: readonly ModelMarket[]
  readonly wallet: Readonly<Record<string, string>>
  readonly policy: Policy
  readonly now: () => number
  /** The n-th id, in the venue's form. */
  readonly idOf: (count: number) => string
}

export class Engine {
  /** Little rests in the book. */
  isThin = false
  /** Until a resting order in a thin book gets its next piece. */
  refillMs = 400
  /** An acknowledgement comes first; what it fills is there so much later. */
  fillsLaterMs = 0
  /** An order cannot be asked for until so long after it was made. */
  foundLaterMs = 0
  /** What is told of positions, and what reduce-only orders are judged by, is so old. */
  positionsLagMs = 0
  /** The next order that takes gets this share of itself, and the book is empty then. */
  nextTakes: number | undefined
  /** The order that the next trigger becomes is refused. */
  failsNextTrigger = false
  readonly account: ModelAccount
  readonly orders = new Map<string, ModelOrder>()
  readonly fills: ModelFill[] = []
  readonly #options: EngineOptions
  readonly #last: Map<ModelMarket, Decimal>
  /** The same is asked of over and over, and is hundreds of decimals. */
  readonly #books = new Map<ModelMarket, { readonly last: Decimal; readonly isThin: boolean; readonly book: Book }>()
  readonly #carried = new Map<ModelOrder, readonly Wish[]>()
  readonly #siblings = new Map<ModelOrder, readonly ModelOrder[]>()
  readonly #due: { readonly at: number; readonly work: () => void }[] = []
  #count = 0
  #time = 0
  /** While what was due is done: when it was. */
  #at: number | undefined

  constructor(options: EngineOptions) {
    this.#options = options
    this.#last = new Map(options.markets.map((market) => [market, new Decimal(market.startPrice)]))
    this.account = new ModelAccount({ last: this.last, open: () => this.open() }, options.wallet)
  }

  get markets(): readonly ModelMarket[] {
    return this.#options.markets
  }

  /** @throws {ModelRefusal} */
  market(id: string | undefined): ModelMarket {
    return this.markets.find((market) => market.id === id) ?? refuse('bad-symbol')
  }

  last = (market: ModelMarket): Decimal => this.#last.get(market) ?? ZERO

  book(market: ModelMarket): Book {
    const { isThin } = this
    const last = this.last(market)
    const made = this.#books.get(market)
    if (made !== undefined && made.last === last && made.isThin === isThin) return made.book
    const book = bookAround(last, market, isThin)
    this.#books.set(market, { last, isThin, book })
    return book
  }

  now = (): number => this.#at ?? this.#options.now()

  /** Never the same twice, so that "oldest first" has one answer. */
  time(): number {
    this.#time = Math.max(this.now(), this.#time + 1)
    return this.#time
  }

  nextId(): string {
    this.#count += 1
    return this.#options.idOf(this.#count)
  }

  open(): readonly ModelOrder[] {
    return [...this.orders.values()].filter(isOpen)
  }

  /** The newest of this name, an open one first. */
  named(clientId: string): ModelOrder | undefined {
    const named = [...this.orders.values()].filter((order) => order.clientId === clientId && clientId !== '')
    return named.find(isOpen) ?? named.at(-1)
  }

  /** Whether a question about this one order is answered yet. */
  isFindable({ createdAt }: ModelOrder): boolean {
    return createdAt + this.foundLaterMs <= this.now()
  }

  positions() {
    return this.account.positionsAt(this.now() - this.positionsLagMs)
  }

  /** Everything that time has brought. */
  run(): void {
    for (;;) {
      const [next] = [...this.#due].sort((left, right) => left.at - right.at)
      if (next === undefined || next.at > this.#options.now()) break
      this.#due.splice(this.#due.indexOf(next), 1)
      this.#at = next.at
      next.work()
    }
    this.#at = undefined
  }

  /** @throws {ModelRefusal} */
  place(wish: Wish): ModelOrder {
    const { policy } = this.#options
    this.#check(wish)
    const order = this.#make(wish)
    if (order.trigger !== undefined) {
      if (this.#isReached(order)) this.#fire(order)
      return order
    }
    const wouldTake = this.#takes(order).length > 0
    if (order.postOnly && wouldTake) {
      if (policy.postOnlyThatTakes === 'refused') return this.#unmake(order, 'post-only')
      this.end(order, 'post-only')
    } else if (order.timeInForce === 'ioc' && !wouldTake && policy.iocThatCannot === 'refused') {
      return this.#unmake(order, 'fok')
    } else if (order.timeInForce === 'fok' && !this.#canFillWhole(order)) {
      if (policy.fokThatCannot === 'refused') return this.#unmake(order, 'fok')
      this.end(order, 'fok')
    } else this.#later(this.fillsLaterMs, () => this.#match(order))
    return order
  }

  /** What waits for the order to fill whole: one of them that fills ends the others. @throws {ModelRefusal} */
  carry(order: ModelOrder, wishes: readonly Wish[]): void {
    for (const wish of wishes) if (this.named(wish.clientId) !== undefined) refuse('duplicate-id')
    this.#carried.set(order, wishes)
    if (order.phase === 'filled') this.#placeCarried(order)
  }

  #placeCarried(order: ModelOrder): void {
    const wishes = this.#carried.get(order) ?? []
    this.#carried.delete(order)
    const placed = wishes.map((wish) => this.place(wish))
    for (const each of placed) this.#siblings.set(each, placed)
  }

  /** @throws {ModelRefusal} */
  cancel(order: ModelOrder): ModelOrder {
    if (!isOpen(order)) refuse('not-open')
    this.end(order, 'canceled')
    return order
  }

  /** @throws {ModelRefusal} */
  amend(order: ModelOrder, change: Partial<Pick<ModelOrder, 'amount' | 'price' | 'trigger'>>): ModelOrder {
    if (!isOpen(order)) refuse('not-open')
    const { amount = order.amount, price } = change
    if (amount.lte(order.filled)) refuse('bad-amount')
    if (price !== undefined && order.postOnly && this.#takes({ ...order, price }).length > 0) refuse('post-only')
    Object.assign(order, change, { updatedAt: this.time() })
    if (order.phase === 'resting') this.#match(order)
    return order
  }

  end(order: ModelOrder, reason: EndReason): void {
    if (!isOpen(order)) return
    Object.assign(order, { phase: 'ended', reason, updatedAt: this.time() })
  }

  /** By our name for the market. */
  movePrice(symbol: string, price: string): void {
    this.run()
    const market = this.markets.find((each) => each.symbol === symbol)
    if (market === undefined) throw new Error(`no market ${symbol}`)
    this.#last.set(market, new Decimal(price))
    for (const order of this.open()) {
      if (order.market !== market) continue
      if (order.phase === 'waiting') {
        if (this.#isReached(order)) this.#fire(order)
      } else if (this.#crosses(order)) this.#meet(order)
    }
  }

  /** Everything that has happened is so much longer ago. */
  age(ms: number): void {
    for (const order of this.orders.values()) {
      Object.assign(order, { createdAt: order.createdAt - ms, updatedAt: order.updatedAt - ms })
    }
    for (const [index, fill] of this.fills.entries()) this.fills[index] = { ...fill, time: fill.time - ms }
  }

  /** The venue takes this share of the position away, at the last price. */
  takeAway(symbol: string, act: VenueAct, share = 1): ModelFill | undefined {
    const market = this.markets.find((each) => each.symbol === symbol)
    if (market === undefined) throw new Error(`no market ${symbol}`)
    if (act === 'liquidation') {
      for (const order of this.open()) if (order.market === market) this.end(order, 'liquidation')
    }
    const held = this.account.held(market)
    if (held.amount.isZero()) return undefined
    const amount = held.amount.abs().times(share).div(market.lot).ceil().times(market.lot)
    const side = held.amount.gt(0) ? 'sell' : 'buy'
    const order = this.#make({ market, clientId: '', side, amount, timeInForce: 'ioc', reduceOnly: true })
    order.act = act
    this.#fill(order, this.last(market), amount, false)
    return this.fills.at(-1)
  }

  #check(wish: Wish): void {
    const { market, amount, price, clientId } = wish
    const { policy } = this.#options
    if (!amount.gt(0) || !amount.mod(market.lot).isZero()) refuse('bad-amount')
    if (price !== undefined && (!price.gt(0) || !price.mod(market.tick).isZero())) refuse('bad-price')
    const named = this.named(clientId)
    if (named !== undefined && (policy.uniqueIds === 'ever' || (policy.uniqueIds === 'open' && isOpen(named)))) {
      refuse('duplicate-id')
    }
    if (wish.trigger !== undefined) {
      if (policy.passedTrigger === 'refused' && this.#isPassed(wish)) refuse('would-trigger')
      return
    }
    if (wish.reduceOnly === true) return this.#checkReduces(wish)
    this.#checkFunds(wish)
  }

  #isPassed({ market, trigger }: Pick<Wish, 'market' | 'trigger'>): boolean {
    if (trigger === undefined) return false
    const last = this.last(market)
    return trigger.way === 'up' ? last.gte(trigger.price) : last.lte(trigger.price)
  }

  #checkReduces({ market, side, amount }: Wish): void {
    const reducible = this.#reducible(market, side)
    const isTooMuch = amount.gt(reducible) && this.#options.policy.reduceOnlyBeyond === 'refused'
    if (reducible.isZero() || isTooMuch) refuse('reduce-only')
  }

  #reducible(market: ModelMarket, side: Side): Decimal {
    return this.account.reducible(market, side, this.now() - this.positionsLagMs)
  }

  #checkFunds({ market, side, amount, price = this.last(market) }: Wish): void {
    const { account } = this
    if (market.settle === undefined) {
      const [currency, needed] = side === 'buy' ? [market.quote, amount.times(price)] : [market.base, amount]
      if (needed.gt(account.funds(currency).available)) refuse('insufficient-funds')
      return
    }
    const adds = Decimal.max(0, amount.minus(this.#reducible(market, side)))
    const margin = worthOf(adds, price, market).div(account.leverageOf(market))
    if (margin.gt(account.funds(market.settle).available)) refuse('insufficient-funds')
  }

  #make(wish: Wish): ModelOrder {
    const time = this.time()
    const defaults = { timeInForce: 'gtc', postOnly: false, reduceOnly: false, said: {} } as const
    const state = { filled: ZERO, cost: ZERO, fee: ZERO, updatedAt: time, createdAt: time, triggeredAt: 0 }
    const phase = wish.trigger === undefined ? 'resting' : 'waiting'
    const order: ModelOrder = { ...defaults, ...wish, ...state, phase, id: this.nextId() }
    this.orders.set(order.id, order)
    return order
  }

  #unmake(order: ModelOrder, reason: 'post-only' | 'fok'): never {
    this.orders.delete(order.id)
    return refuse(reason)
  }

  #later(ms: number, work: () => void): void {
    if (ms <= 0) return work()
    this.#due.push({ at: this.now() + ms, work })
  }

  #takes({ market, side, price }: Pick<Wish, 'market' | 'side' | 'price'>) {
    const levels = opposite(this.book(market), side === 'buy')
    return levels.filter(([at]) => price === undefined || (side === 'buy' ? at.lte(price) : at.gte(price)))
  }

  #canFillWhole(order: ModelOrder): boolean {
    return this.#takes(order)
      .reduce((sum, [, amount]) => sum.plus(amount), ZERO)
      .gte(order.amount)
  }

  #crosses({ side, price, market }: ModelOrder): boolean {
    if (price === undefined) return true
    return side === 'buy' ? price.gte(this.last(market)) : price.lte(this.last(market))
  }

  #isReached({ trigger, market, phase }: ModelOrder): boolean {
    return phase === 'waiting' && trigger !== undefined && this.#isPassed({ market, trigger })
  }

  #match(order: ModelOrder): void {
    if (order.phase !== 'resting') return
    const most = this.nextTakes === undefined ? order.amount : this.#share(order, this.nextTakes)
    this.nextTakes = undefined
    for (const [price, offered] of this.#takes(order)) {
      const amount = this.#allowed(order, Decimal.min(offered, most.minus(order.filled)))
      if (amount.lte(0)) break
      this.#fill(order, price, amount, false)
    }
    if (order.phase !== 'resting') return
    const isAtOnce = order.price === undefined || order.timeInForce !== 'gtc'
    if (order.reduceOnly && this.#allowed(order, order.amount).isZero()) this.end(order, 'reduce-only')
    else if (isAtOnce) this.end(order, order.price === undefined ? 'book-empty' : 'ioc')
    else if (this.#crosses(order)) this.#later(this.refillMs, () => this.#crosses(order) && this.#meet(order))
  }

  #share({ amount, market }: ModelOrder, share: number): Decimal {
    return amount.times(share).div(market.lot).floor().times(market.lot)
  }

  /** The price has come to a resting order: it fills at its own. */
  #meet(order: ModelOrder): void {
    if (order.phase !== 'resting' || order.price === undefined) return
    const offered = this.isThin ? amountWorth(THIN_WORTH, order.price, order.market) : order.amount
    const amount = this.#allowed(order, offered)
    if (amount.isZero()) return this.end(order, 'reduce-only')
    this.#fill(order, order.price, amount, true)
    if (isOpen(order)) this.#later(this.refillMs, () => this.#crosses(order) && this.#meet(order))
  }

  #allowed(order: ModelOrder, offered: Decimal): Decimal {
    const rest = Decimal.min(offered, order.amount.minus(order.filled))
    if (!order.reduceOnly) return rest
    return Decimal.min(rest, this.account.reducible(order.market, order.side, Number.POSITIVE_INFINITY))
  }

  #fire(order: ModelOrder): void {
    order.triggeredAt = this.time()
    const { trigger: _, ...wish } = order
    try {
      if (this.failsNextTrigger) refuse('insufficient-funds')
      if (order.reduceOnly) this.#checkReduces({ ...wish, amount: new Decimal(order.market.lot) })
      else this.#checkFunds(wish)
    } catch (error) {
      if (!(error instanceof ModelRefusal)) throw error
      this.failsNextTrigger = false
      return this.end(order, error.reason === 'reduce-only' ? 'reduce-only' : 'trigger-failed')
    }
    if (this.#options.policy.firedBecomes === 'itself') {
      order.phase = 'resting'
      return this.#later(this.fillsLaterMs, () => this.#match(order))
    }
    const child = this.#make(wish)
    order.child = child
    child.parent = order
    this.end(order, 'fired')
    this.#later(this.fillsLaterMs, () => this.#match(child))
  }

  #fill(order: ModelOrder, price: Decimal, amount: Decimal, isMaker: boolean): void {
    const { market } = order
    const isOfReceived = market.settle === undefined && this.#options.policy.spotFeeIn === 'received'
    const isOfBase = isOfReceived && order.side === 'buy'
    const rate = isMaker ? MAKER_FEE : TAKER_FEE
    const fee = (isOfBase ? amount : worthOf(amount, price, market)).times(rate).toDecimalPlaces(FEE_DIGITS)
    const feeCurrency = isOfBase ? market.base : (market.settle ?? market.quote)
    const made = { id: this.nextId(), order, price, amount, fee, feeCurrency, isMaker, time: this.time() }
    const realized = this.account.book(made)
    order.filled = order.filled.plus(amount)
    order.cost = order.cost.plus(worthOf(amount, price, market))
    order.fee = order.fee.plus(fee)
    order.updatedAt = made.time
    if (order.filled.gte(order.amount)) order.phase = 'filled'
    this.fills.push({ ...made, realized })
    if (order.phase !== 'filled') return
    for (const sibling of this.#siblings.get(order) ?? []) this.end(sibling, 'sibling')
    this.#placeCarried(order)
  }
}

/** Of what has filled; zero while nothing has. */
export function averageOf({ cost, filled, market }: ModelOrder): Decimal {
  return filled.isZero() ? ZERO : cost.div(filled).div(market.contractValue)
}
