// The matching: market orders take from the book, limits rest and fill when the price comes to them, algo orders are triggered, and who
// cannot carry a position any more loses it.
import { Decimal } from 'decimal.js'
import { amountWorth, type Book, bookAround, opposite, THIN_WORTH } from '../order-book.ts'
import { type Account, type AlgoOrder, isOpen, marginsOf, type VenueOrder, type Wish } from './account.ts'
import { algoEvent, type Execution, orderEvent } from './events.ts'
import { book as bookFill } from './fill.ts'
import { Refusal, refuse } from './refusal.ts'
import { type Listed, SYMBOLS } from './symbols.ts'

/** Until a resting order in a thin book gets its next piece. */
const REFILL_MS = 400
const LIQUIDATION_FEE = '0.0125'

export interface EngineOptions {
  readonly now: () => number
  /** `open`: a client order id may come again once its order has ended, as Binance's documentation has it. */
  readonly uniqueIds: 'open' | 'ever'
  onPrice(symbol: string): void
}

type Sent = Pick<VenueOrder, 'type' | 'originalType'> & { readonly algo?: AlgoOrder }

export class Engine {
  isThin = false
  /** What the candles of a symbol say that ended then, ms since the epoch. */
  closeOf: (symbol: string, closedAt: number) => string = (symbol) => this.last(symbol).toFixed()
  readonly accounts = new Map<string, Account>()
  readonly #options: EngineOptions
  readonly #last = new Map(SYMBOLS.map(({ symbol, startPrice }) => [symbol, new Decimal(startPrice)]))
  readonly #refills = new Set<NodeJS.Timeout>()
  #ids = 4_000_000_000
  #time = 0

  constructor(options: EngineOptions) {
    this.#options = options
  }

  last = (symbol: string): Decimal => this.#last.get(symbol) ?? new Decimal(0)

  book(listed: Listed): Book {
    return bookAround(this.last(listed.symbol), listed, this.isThin)
  }

  /** Never the same twice, so that "oldest first" has one answer. */
  time(): number {
    this.#time = Math.max(this.#options.now(), this.#time + 1)
    return this.#time
  }

  nextId(): number {
    this.#ids += 1
    return this.#ids
  }

  /** @throws {Refusal} */
  submit(account: Account, wish: Wish, sent: Sent): VenueOrder {
    if (sent.algo === undefined) this.#checkName(account, wish)
    this.#checkFunds(account, wish)
    this.#checkTime(wish)
    const time = this.time()
    const filled = new Decimal(0)
    const state = { filled, cost: filled, status: 'NEW', updateTime: time } as const
    const order: VenueOrder = { ...wish, ...sent, ...state, id: this.nextId(), time }
    account.orders.set(order.id, order)
    this.#tell(account, order, { type: 'NEW' })
    this.#take(account, order)
    if (isOpen(order) && (order.type === 'MARKET' || order.timeInForce !== 'GTC') && order.timeInForce !== 'GTX') {
      this.#end(account, order, 'EXPIRED')
    } else if (isOpen(order) && this.#crosses(order)) this.#refillLater(account, order)
    return order
  }

  cancel(account: Account, order: VenueOrder): VenueOrder {
    if (!isOpen(order)) throw refuse.notOpen()
    this.#end(account, order, 'CANCELED')
    return order
  }

  /** @throws {Refusal} */
  amend(account: Account, order: VenueOrder, amount: Decimal, price: Decimal): VenueOrder {
    if (!isOpen(order)) throw refuse.notFound()
    if (amount.eq(order.amount) && price.eq(order.price)) throw refuse.unchanged()
    const wouldTake =
      order.side === 'BUY' ? price.gt(this.last(order.listed.symbol)) : price.lt(this.last(order.listed.symbol))
    if (order.timeInForce === 'GTX' && wouldTake) throw refuse.postOnly()
    Object.assign(order, { amount, price, updateTime: this.time() })
    if (amount.lte(order.filled)) this.#end(account, order, 'CANCELED')
    else {
      this.#tell(account, order, { type: 'AMENDMENT' })
      this.#take(account, order)
    }
    return order
  }

  submitAlgo(
    account: Account,
    algo: Omit<AlgoOrder, 'id' | 'time' | 'status' | 'updateTime' | 'triggerTime'>,
  ): AlgoOrder {
    const isNamed = account.openAlgos().some(({ clientId }) => clientId === algo.clientId)
    const wasNamed = this.#options.uniqueIds === 'ever' && account.algoNamed(algo.clientId) !== undefined
    if (isNamed || wasNamed) throw refuse.duplicateId()
    if (isReached(algo, this.last(algo.listed.symbol))) throw refuse.wouldTrigger()
    const time = this.time()
    const made: AlgoOrder = { ...algo, id: 1e15 + this.nextId(), time, status: 'NEW', updateTime: time, triggerTime: 0 }
    account.algos.set(made.id, made)
    account.tell(algoEvent(made, time))
    return made
  }

  endAlgo(account: Account, algo: AlgoOrder, status: 'CANCELED' | 'EXPIRED'): void {
    if (algo.status !== 'NEW') throw refuse.notOpen()
    this.#setAlgo(account, algo, status)
  }

  movePrice(symbol: string, price: string): void {
    this.#last.set(symbol, new Decimal(price))
    this.#options.onPrice(symbol)
    for (const account of this.accounts.values()) {
      for (const algo of account.openAlgos(symbol)) if (isReached(algo, this.last(symbol))) this.#trigger(account, algo)
      for (const order of account.openOrders(symbol)) if (this.#crosses(order)) this.#meet(account, order)
      this.#liquidate(account)
    }
  }

  close(): void {
    for (const timer of this.#refills) clearTimeout(timer)
    this.#refills.clear()
  }

  #checkName(account: Account, { clientId, listed }: Wish): void {
    const named = account.orderNamed(clientId, listed.symbol)
    if (named !== undefined && (isOpen(named) || this.#options.uniqueIds === 'ever')) throw refuse.duplicateId()
  }

  #checkFunds(account: Account, { listed, side, amount, price, reduceOnly }: Wish): void {
    const reducible = account.reducible(listed.symbol, side)
    if (reduceOnly) {
      if (reducible.isZero()) throw refuse.reduceOnly()
      return
    }
    const adds = Decimal.max(0, amount.minus(reducible))
    const at = price.isZero() ? this.last(listed.symbol) : price
    if (adds.times(at).div(account.leverageOf(listed)).gt(marginsOf(account, this.last).available))
      throw refuse.margin()
  }

  #checkTime(wish: Wish): void {
    const takes = this.#takes(wish)
    if (wish.timeInForce === 'GTX' && takes.length > 0) throw refuse.postOnly()
    const offered = takes.reduce((sum, [, amount]) => sum.plus(amount), new Decimal(0))
    if (wish.timeInForce === 'FOK' && offered.lt(wish.amount)) throw refuse.fok()
  }

  #takes({ listed, side, price }: Pick<Wish, 'listed' | 'side' | 'price'>) {
    const levels = opposite(this.book(listed), side === 'BUY')
    return levels.filter(([at]) => price.isZero() || (side === 'BUY' ? at.lte(price) : at.gte(price)))
  }

  #crosses({ side, price, listed }: VenueOrder): boolean {
    return side === 'BUY' ? price.gte(this.last(listed.symbol)) : price.lte(this.last(listed.symbol))
  }

  #take(account: Account, order: VenueOrder): void {
    for (const [price, offered] of this.#takes(order)) {
      const amount = this.#allowed(account, order, offered)
      if (!isOpen(order) || amount.isZero()) return
      this.#fill(account, order, price, amount, false)
    }
  }

  /** The price has come to a resting order: it fills at its own. */
  #meet(account: Account, order: VenueOrder): void {
    if (!isOpen(order)) return
    const offered = this.isThin ? amountWorth(THIN_WORTH, order.price, order.listed) : order.amount
    const amount = this.#allowed(account, order, offered)
    if (amount.isZero()) return this.#end(account, order, 'EXPIRED')
    this.#fill(account, order, order.price, amount, true)
    if (isOpen(order)) this.#refillLater(account, order)
  }

  #allowed(account: Account, order: VenueOrder, offered: Decimal): Decimal {
    const rest = Decimal.min(offered, order.amount.minus(order.filled))
    return order.reduceOnly ? Decimal.min(rest, account.reducible(order.listed.symbol, order.side)) : rest
  }

  #refillLater(account: Account, order: VenueOrder): void {
    const timer = setTimeout(() => {
      this.#refills.delete(timer)
      if (this.#crosses(order)) this.#meet(account, order)
    }, REFILL_MS)
    timer.unref()
    this.#refills.add(timer)
  }

  #fill(account: Account, order: VenueOrder, price: Decimal, amount: Decimal, isMaker: boolean): void {
    const fill = bookFill(account, order, { id: this.nextId(), price, amount, isMaker, time: this.time() })
    this.#tell(account, order, { type: 'TRADE', fill })
    if (!isOpen(order)) this.#finishAlgo(account, order)
  }

  #end(account: Account, order: VenueOrder, status: 'CANCELED' | 'EXPIRED'): void {
    Object.assign(order, { status, updateTime: this.time() })
    this.#tell(account, order, { type: status })
    this.#finishAlgo(account, order)
  }

  /** As on Binance: what the order in the book does is told before its algo order is. */
  #trigger(account: Account, algo: AlgoOrder): void {
    algo.triggerTime = this.time()
    this.#setAlgo(account, algo, 'TRIGGERING')
    const isMarket = algo.type.endsWith('_MARKET')
    const amount = algo.closePosition ? account.reducible(algo.listed.symbol, algo.side) : algo.amount
    const wish = {
      ...algo,
      amount,
      price: isMarket ? new Decimal(0) : algo.price,
      reduceOnly: algo.reduceOnly || algo.closePosition,
    }
    try {
      const { listed, clientId, side, price, timeInForce, reduceOnly } = wish
      const sent = { type: isMarket ? 'MARKET' : 'LIMIT', originalType: algo.type, algo } as const
      algo.child = this.submit(account, { listed, clientId, side, amount, price, timeInForce, reduceOnly }, sent)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return this.#setAlgo(account, algo, 'REJECTED', error.message)
    }
    this.#setAlgo(account, algo, 'TRIGGERED')
    if (!isOpen(algo.child)) this.#setAlgo(account, algo, 'FINISHED')
  }

  #finishAlgo(account: Account, { algo }: VenueOrder): void {
    if (algo?.status === 'TRIGGERED') this.#setAlgo(account, algo, 'FINISHED')
  }

  #setAlgo(account: Account, algo: AlgoOrder, status: AlgoOrder['status'], why?: string): void {
    Object.assign(algo, { status, updateTime: this.time() })
    account.tell(algoEvent(algo, algo.updateTime, why))
  }

  #liquidate(account: Account): void {
    const { unrealized, maintenance } = marginsOf(account, this.last)
    if (maintenance.isZero() || account.wallet.plus(unrealized).gte(maintenance)) return
    for (const order of account.openOrders()) this.#end(account, order, 'CANCELED')
    for (const algo of account.openAlgos()) this.#setAlgo(account, algo, 'EXPIRED')
    for (const listed of SYMBOLS) {
      const { amount } = account.held(listed.symbol)
      if (!amount.isZero()) this.#seize(account, listed, amount)
    }
    account.wallet = Decimal.max(0, account.wallet)
  }

  #seize(account: Account, listed: Listed, amount: Decimal): void {
    const [time, id, price, zero] = [this.time(), this.nextId(), this.last(listed.symbol), new Decimal(0)]
    const side = amount.gt(0) ? 'SELL' : 'BUY'
    const wish = { listed, clientId: `autoclose-${id}`, side, amount: amount.abs(), price, timeInForce: 'IOC' } as const
    const state = { filled: zero, cost: zero, status: 'NEW', updateTime: time, reduceOnly: true } as const
    const order: VenueOrder = { ...wish, ...state, id, time, type: 'LIQUIDATION', originalType: 'LIQUIDATION' }
    account.orders.set(id, order)
    this.#tell(account, order, { type: 'NEW' })
    const piece = {
      id: this.nextId(),
      price,
      amount: order.amount,
      isMaker: false,
      time: this.time(),
      feeRate: LIQUIDATION_FEE,
    }
    this.#tell(account, order, { type: 'CALCULATED', fill: bookFill(account, order, piece) })
  }

  #tell(account: Account, order: VenueOrder, execution: Execution): void {
    for (const event of orderEvent(account, order, execution, this.time())) account.tell(event)
  }
}

function isReached({ type, side, trigger }: Pick<AlgoOrder, 'type' | 'side' | 'trigger'>, last: Decimal): boolean {
  const above = type.startsWith('STOP') === (side === 'BUY')
  return above ? last.gte(trigger) : last.lte(trigger)
}
