// The matching: market orders take from the book, limits rest and fill when the price comes to them, algo orders become orders.
import { Decimal } from 'decimal.js'
import { amountWorth, type Book, bookAround, opposite, THIN_WORTH } from '../order-book.ts'
import {
  type Account,
  type AlgoOrder,
  type Attached,
  isOpen,
  type Leg,
  marginsOf,
  type VenueOrder,
  type Wish,
} from './account.ts'
import { bookFill } from './fill.ts'
import { INSTRUMENTS, type Instrument, worthOf } from './instruments.ts'
import { Refusal, reject } from './refusal.ts'
import { algoRow, balanceRow, fillNews, orderNews, positionRow } from './rows.ts'
import { type AlgoWish, checkAttached } from './wishes.ts'

/** Until a resting order in a thin book gets its next piece. */
const REFILL_MS = 400

/** Why the venue ends an order by itself, in its own numbers. */
const CANCELED = { byUser: '1', fok: '13', ioc: '14', positionClosed: '17', postOnly: '31' } as const

export interface EngineOptions {
  readonly now: () => number
  /** `open`: a client order id may come again once its order has ended. */
  readonly uniqueIds: 'open' | 'ever'
  onPrice(instId: string): void
}

export class Engine {
  isThin = false
  /** How long after its order what was attached is placed; `never`: the venue could not. */
  attachedMs: number | 'never' = 0
  readonly accounts = new Map<string, Account>()
  readonly #options: EngineOptions
  readonly #last = new Map(INSTRUMENTS.map(({ id, startPrice }) => [id, new Decimal(startPrice)]))
  readonly #refills = new Set<NodeJS.Timeout>()
  #ids = 1_500_000_000_000_000n
  #time = 0

  constructor(options: EngineOptions) {
    this.#options = options
  }

  last = (instId: string): Decimal => this.#last.get(instId) ?? new Decimal(0)

  book(instrument: Instrument): Book {
    return bookAround(this.last(instrument.id), instrument, this.isThin)
  }

  /** Never the same twice, so that "newest first" has one answer. */
  time(): number {
    this.#time = Math.max(this.#options.now(), this.#time + 1)
    return this.#time
  }

  nextId(): string {
    this.#ids += 1n
    return String(this.#ids)
  }

  /** @throws {Refusal} */
  submit(account: Account, wish: Wish, algo?: AlgoOrder): VenueOrder {
    this.#checkName(account, wish)
    this.#checkFunds(account, wish)
    checkAttached(wish, this.last(wish.instrument.id))
    const [time, zero] = [this.time(), new Decimal(0)]
    const sums = { filled: zero, cost: zero, fee: zero, pnl: zero }
    const order: VenueOrder = {
      ...wish,
      ...(algo && { algo }),
      ...sums,
      id: this.nextId(),
      time,
      state: 'live',
      cancelSource: '',
      updateTime: time,
    }
    account.orders.set(order.id, order)
    if (order.kind === 'post_only' && this.#takes(order).length > 0) this.#end(account, order, CANCELED.postOnly)
    else if (order.kind === 'fok' && this.#offered(order).lt(order.size)) this.#end(account, order, CANCELED.fok)
    else this.#enter(account, order)
    return order
  }

  #enter(account: Account, order: VenueOrder): void {
    this.#tell(account, order)
    this.#take(account, order)
    if (!isOpen(order)) return
    if (order.kind === 'market' || order.kind === 'ioc') this.#end(account, order, CANCELED.ioc)
    else if (this.#crosses(order)) this.#refillLater(account, order)
  }

  cancel(account: Account, order: VenueOrder): void {
    if (!isOpen(order)) throw reject.notOpen()
    this.#end(account, order, CANCELED.byUser)
  }

  /** @throws {Refusal} */
  amend(account: Account, order: VenueOrder, size: Decimal, price: Decimal, reqId: string): void {
    if (!isOpen(order)) throw reject.notChangeable()
    Object.assign(order, { size, price, updateTime: this.time() })
    if (size.lte(order.filled)) order.state = 'filled'
    this.#tell(account, order, { reqId })
    if (!isOpen(order)) return
    if (order.kind === 'post_only' && this.#takes(order).length > 0) this.#end(account, order, CANCELED.postOnly)
    else this.#take(account, order)
  }

  /** @throws {Refusal} */
  submitAlgo(account: Account, wish: AlgoWish): AlgoOrder {
    const named = wish.clientId === '' ? undefined : account.algoNamed(wish.clientId)
    const isTaken = named !== undefined && (named.state === 'live' || this.#options.uniqueIds === 'ever')
    if (isTaken) throw reject.duplicateAlgo()
    const time = this.time()
    const state = { state: 'live', updateTime: time, triggerTime: 0, firedBy: '', failCode: '' } as const
    const algo: AlgoOrder = { ...wish, ...state, id: this.nextId(), time }
    account.algos.set(algo.id, algo)
    this.tellAlgo(account, algo)
    return algo
  }

  cancelAlgo(account: Account, algo: AlgoOrder): void {
    if (algo.state !== 'live') throw reject.notOpen()
    algo.state = 'canceled'
    this.tellAlgo(account, algo)
  }

  tellAlgo(account: Account, algo: AlgoOrder): void {
    algo.updateTime = this.time()
    account.tell('orders-algo', algoRow(account, algo))
  }

  movePrice(instId: string, price: string): void {
    this.#last.set(instId, new Decimal(price))
    this.#options.onPrice(instId)
    for (const account of this.accounts.values()) {
      for (const algo of account.openAlgos(instId)) this.#fireIfReached(account, algo)
      for (const order of account.openOrders(instId)) if (this.#crosses(order)) this.#meet(account, order)
    }
  }

  close(): void {
    for (const timer of this.#refills) clearTimeout(timer)
    this.#refills.clear()
  }

  #checkName(account: Account, { clOrdId }: Wish): void {
    const named = clOrdId === '' ? undefined : account.orderNamed(clOrdId)
    if (named !== undefined && (isOpen(named) || this.#options.uniqueIds === 'ever')) throw reject.duplicate()
  }

  #checkFunds(account: Account, { instrument, side, size, price, reduceOnly }: Wish): void {
    const reducible = account.reducible(instrument, side)
    if (reduceOnly) {
      if (reducible.isZero()) throw reject.nothingToReduce()
      return
    }
    const adds = Decimal.max(0, size.minus(reducible))
    const at = price.isZero() ? this.last(instrument.id) : price
    const margin = worthOf(adds, at, instrument).div(account.leverageOf(instrument))
    if (margin.gt(marginsOf(account, this.last).available)) throw reject.funds()
  }

  #takes({ instrument, side, price }: Pick<Wish, 'instrument' | 'side' | 'price'>) {
    const levels = opposite(this.book(instrument), side === 'buy')
    return levels.filter(([at]) => price.isZero() || (side === 'buy' ? at.lte(price) : at.gte(price)))
  }

  #offered(order: VenueOrder): Decimal {
    return this.#takes(order).reduce((sum, [, size]) => sum.plus(size), new Decimal(0))
  }

  #crosses({ side, price, instrument }: VenueOrder): boolean {
    const last = this.last(instrument.id)
    return side === 'buy' ? price.gte(last) : price.lte(last)
  }

  #take(account: Account, order: VenueOrder): void {
    for (const [price, offered] of this.#takes(order)) {
      const size = this.#allowed(account, order, offered)
      if (!isOpen(order) || size.isZero()) return
      this.#fill(account, order, price, size, false)
    }
  }

  /** The price has come to a resting order: it fills at its own. */
  #meet(account: Account, order: VenueOrder): void {
    if (!isOpen(order)) return
    const offered = this.isThin ? amountWorth(THIN_WORTH, order.price, order.instrument) : order.size
    const size = this.#allowed(account, order, offered)
    if (size.isZero()) return this.#end(account, order, CANCELED.positionClosed)
    this.#fill(account, order, order.price, size, true)
    if (isOpen(order)) this.#refillLater(account, order)
  }

  #allowed(account: Account, order: VenueOrder, offered: Decimal): Decimal {
    const rest = Decimal.min(offered, order.size.minus(order.filled))
    return order.reduceOnly ? Decimal.min(rest, account.reducible(order.instrument, order.side)) : rest
  }

  #refillLater(account: Account, order: VenueOrder): void {
    const timer = setTimeout(() => {
      this.#refills.delete(timer)
      if (this.#crosses(order)) this.#meet(account, order)
    }, REFILL_MS)
    timer.unref()
    this.#refills.add(timer)
  }

  #fill(account: Account, order: VenueOrder, price: Decimal, size: Decimal, isMaker: boolean): void {
    const fill = bookFill(account, order, { id: this.nextId(), price, size, isMaker, time: this.time() })
    account.tell('orders', orderNews(account, order, { fill }))
    account.tell('fills', fillNews(fill))
    account.tell('positions', positionRow(account, order.instrument, this.last(order.instrument.id)))
    this.#tellBalance(account)
    if (order.state === 'filled') this.#attachAll(account, order)
  }

  /**
   * "Placed when the main order is partially filled with the remaining portion cancelled, or when the main order is fully filled. The TP/SL order
   * quantity will be the actual filled amount of the main order" (announcement of 1 July 2026).
   */
  #attachAll(account: Account, order: VenueOrder): void {
    if (order.filled.isZero() || order.attached.length === 0 || this.attachedMs === 'never') return
    const attach = () => {
      for (const part of order.attached) this.#attach(account, order, part)
    }
    if (this.attachedMs === 0) return attach()
    const timer = setTimeout(() => {
      this.#refills.delete(timer)
      attach()
    }, this.attachedMs)
    this.#refills.add(timer.unref())
  }

  /** Such a row has `reduceOnly` true in net mode (recorded: nautilus_trader, `http_get_orders_algo_pending_attached_oco.json`). */
  #attach(account: Account, order: VenueOrder, { attachAlgoClOrdId: clientId, ...part }: Attached): void {
    const leg = (trigger: string, price: string): Leg | undefined =>
      trigger === '' ? undefined : { trigger: new Decimal(trigger), price }
    const [stop, profit] = [leg(part.slTriggerPx, part.slOrdPx), leg(part.tpTriggerPx, part.tpOrdPx)]
    const { instrument, marginMode, filled: size } = order
    const side = order.side === 'buy' ? 'sell' : 'buy'
    const kind = stop !== undefined && profit !== undefined ? 'oco' : 'conditional'
    const legs = { ...(stop && { stop }), ...(profit && { profit }) }
    this.submitAlgo(account, { clientId, kind, instrument, side, marginMode, size, reduceOnly: true, ...legs })
  }

  #end(account: Account, order: VenueOrder, cancelSource: string): void {
    Object.assign(order, { state: 'canceled', cancelSource, updateTime: this.time() })
    this.#tell(account, order)
    this.#attachAll(account, order)
  }

  #fireIfReached(account: Account, algo: AlgoOrder): void {
    const last = this.last(algo.instrument.id)
    const isSell = algo.side === 'sell'
    const { plain, stop, profit } = algo
    if (plain && (plain.isAbove ? last.gte(plain.trigger) : last.lte(plain.trigger))) {
      this.#fire(account, algo, plain, '')
    } else if (stop && (isSell ? last.lte(stop.trigger) : last.gte(stop.trigger))) this.#fire(account, algo, stop, 'sl')
    else if (profit && (isSell ? last.gte(profit.trigger) : last.lte(profit.trigger))) {
      this.#fire(account, algo, profit, 'tp')
    }
  }

  #fire(account: Account, algo: AlgoOrder, { price }: Leg, firedBy: AlgoOrder['firedBy']): void {
    const { instrument, side, size, reduceOnly, marginMode } = algo
    const isMarket = price === '-1'
    const kind = isMarket ? 'market' : 'limit'
    const at = new Decimal(isMarket ? 0 : price)
    Object.assign(algo, { firedBy, triggerTime: this.time(), state: 'effective' })
    const wish = { instrument, side, size, reduceOnly, marginMode, kind, price: at, clOrdId: '', attached: [] } as const
    try {
      algo.child = this.submit(account, wish, algo)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      Object.assign(algo, { state: 'order_failed', failCode: error.code })
    }
    this.tellAlgo(account, algo)
  }

  #tell(account: Account, order: VenueOrder, amended?: { readonly reqId: string }): void {
    account.tell('orders', orderNews(account, order, { ...(amended && { amended }) }))
    this.#tellBalance(account)
  }

  #tellBalance(account: Account): void {
    account.tell('account', balanceRow(account, this.last, this.#time))
  }
}
