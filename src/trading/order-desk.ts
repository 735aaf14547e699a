import { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import type { Exchange, OrderContext, VenueView } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import { type Order, type OrderChange, type OrderRef, refOf, type Trade } from '../exchange/order.ts'
import { Simulated } from '../exchange/simulated.ts'
import type { Clock } from './clock.ts'
import { type FollowedOrder, Follower, fillsOf, type OrderNames, OwnOrders, readFills } from './following.ts'
import { OrderAmender, type Replacement, replaceOrder } from './order-amender.ts'
import type { OrderListener } from './order-event.ts'
import type { OrderJournal } from './order-journal.ts'
import type { IntendedChange, Intent, JournalledOrder, MadeHere, OpenIntent } from './order-journal-lines.ts'
import {
  endsAtOnce,
  guardContext,
  type OrderedBy,
  type OrderPlan,
  orderIdOf,
  type ProtectionPlan,
  type WaitingPrices,
  withAttached,
  withoutAsked,
  withoutSignal,
} from './order-plan.ts'
import { heldNow, isUnknownOutcome, OrderSender, type UnsettledOrder, unsettledOrder } from './order-sender.ts'
import { type Bracket, bracketOf } from './portfolio.ts'
import { heldAgainst, type Leftovers, Protections } from './protections.ts'
import { askOnce, orderOf } from './settlement.ts'
import { TradingError } from './trading-error.ts'

interface OrderDeskOptions {
  readonly account: string
  readonly exchange: Exchange
  readonly journal: OrderJournal
  readonly clock: Clock
  /** Told what becomes of orders that nobody waits for: those that another process left. */
  readonly report: OrderListener
  /** Told what failed with nobody waiting for it. */
  readonly onProblem: (error: unknown) => void
}

// Where every order of one account is placed, followed and taken back. Commands, hooks, tasks and copiers come here with a plan; nothing
// else sends an order. It tells what happens and never prints.

/** An account that can be traded on: what it holds and where it trades may be asked; orders go to its desk. */
export interface TradingAccount {
  readonly name: string
  readonly venue: VenueView
  /** One that sends, or that of a preview. */
  readonly orders: Orders
  /** How far through the market a limit may be, in percent, or `off`; absent: 5. */
  readonly priceBand?: () => string
}

/** Connects on first use and keeps the connection. Any account, not only the one that a run trades on. @throws {CommandError} `unknown-account`, `not-supported` */
export type Connect = (accountName: string) => Promise<TradingAccount>

export type Orders = Pick<OrderDesk, keyof OrderDesk>

type OrderRecordsOptions = Pick<OrderDeskOptions, 'account' | 'exchange' | 'journal' | 'clock'> & {
  readonly own: OwnOrders
  readonly sender: OrderSender
  readonly amender: OrderAmender
  /** The prices that wait for an entry to fill, by its `clientOrderId`. */
  readonly waitingFor: (entryId: string) => ProtectionPlan | undefined
  /** How many entries this process protects. */
  readonly protecting: () => number
  readonly signal: AbortSignal
}

/** An order that rests, with what is placed at its fill. */
export type BracketedOrder = Order & Bracket

/** What is known of an account's orders. It sends nothing and changes nothing. */
export class OrderRecords {
  readonly #options: OrderRecordsOptions

  constructor(options: OrderRecordsOptions) {
    this.#options = options
  }

  /** Whether this process has placed the order, follows it, or has just taken it back: who asked for that is told already. */
  isOwn(order: OrderNames): boolean {
    return this.#options.own.has(order)
  }

  /** Whether an order of this process on the symbol, or a change of one, has left and has no answer yet: venues tell fills before they acknowledge. */
  isSending(symbol: string): boolean {
    return this.#options.sender.isSending(symbol) || this.#options.own.isChanging(symbol)
  }

  /** Whether a command of this process reports the end of the order. */
  isEndReported(order: OrderNames): boolean {
    return this.#options.own.isEndClaimed(order)
  }

  /** Whether a command of this process has reported the fill, of whosever order. */
  isFillReported(trade: Trade): boolean {
    return this.#options.own.isFillReported(trade)
  }

  /** What the hooklines on this directory have made of the account's orders. @throws {StoreError} */
  madeHere(): Promise<MadeHere> {
    return this.#options.journal.madeHere(this.#options.account)
  }

  /** The stop and take-profit of an entry that this process protects, while nothing of it has filled. */
  waitingFor({ clientOrderId, reduceOnly }: Pick<Order, 'clientOrderId' | 'reduceOnly'>): ProtectionPlan | undefined {
    return clientOrderId === undefined || reduceOnly ? undefined : this.#options.waitingFor(clientOrderId)
  }

  /** As `waitingFor`, with entries of other processes. @throws {StoreError} */
  async waitingAnywhere(order: Order): Promise<ProtectionPlan | undefined> {
    const own = this.waitingFor(order)
    const { clientOrderId, reduceOnly, filled } = order
    if (own !== undefined || clientOrderId === undefined || reduceOnly || !new Decimal(filled).isZero()) return own
    return this.protectionOf(clientOrderId)
  }

  /** Resting orders, each with the stop and the take-profit that are placed at its fill; those of other processes too. @throws {StoreError} */
  withBrackets(orders: readonly Order[]): Promise<readonly BracketedOrder[]> {
    const { kind } = this.#options.exchange
    return Promise.all(
      orders.map(async (order) => ({ ...order, ...bracketOf(order, await this.waitingAnywhere(order), { kind }) })),
    )
  }

  /** What was to protect an entry, also once it has filled in part, as it was changed last. Undefined once it is over. @throws {StoreError} */
  async protectionOf(entryId: string): Promise<ProtectionPlan | undefined> {
    return (await this.#options.journal.openOrder(entryId))?.order.protection
  }

  /** How many entries have a stop or a take-profit that this process keeps. */
  protecting(): number {
    return this.#options.protecting()
  }

  /** Orders of which nothing definite is known. */
  unsettled(): readonly UnsettledOrder[] {
    return this.#options.sender.unsettled()
  }

  /** As `unsettled`, with those of other processes. @throws {StoreError} */
  async unsettledAnywhere(): Promise<readonly UnsettledOrder[]> {
    const { account, journal } = this.#options
    const own = this.#options.sender.unsettled()
    const others = (await journal.unsettledElsewhere(account)).filter((each) => !own.some(({ id }) => id === each.id))
    return [...own, ...others.map(({ id, order, at }) => ({ id, order, at }))]
  }

  /** All that the journal has of an order, by its `clientOrderId`. @throws {StoreError} */
  recordOf(id: string): Promise<JournalledOrder | undefined> {
    return this.#options.journal.recordOf(id)
  }

  /**
   * What an order is that was placed and that the venue no longer lists: its fills and the position say so.
   * @returns undefined: not known
   */
  async fateOf(order: Order, plan: OrderPlan, sentAt: number): Promise<Order | undefined> {
    const { exchange, clock } = this.#options
    const question = { venue: exchange, ref: refOf(order), sentAt, clock, signal: this.#options.signal }
    const answer = await askOnce({ ...question, sent: plan, placedAs: order.id })
    return answer.kind === 'found' ? answer.order : undefined
  }

  /** Changes of resting orders of which nothing definite is known. */
  unsettledChanges(): readonly IntendedChange[] {
    return this.#options.amender.unsettled()
  }
}

export class OrderDesk {
  readonly records: OrderRecords
  /** Judges a change of a resting order, and sends nothing. */
  readonly amender: Pick<OrderAmender, 'judge'>
  /** What protected a position that is gone. */
  readonly leftovers: Pick<Leftovers, 'exited'>
  readonly #options: OrderDeskOptions
  readonly #sender: OrderSender
  readonly #amender: OrderAmender
  readonly #follower: Follower
  readonly #protections: Protections
  readonly #own = new OwnOrders()
  readonly #closing = new AbortController()
  /** Who waits for the end of an order, by its `clientOrderId`. */
  readonly #awaited = new Map<string, (order: Order) => void>()
  /** What processes before this one have written down of the fills of an order. */
  readonly #filledBefore = new Map<string, string>()
  /** Entries that were to be over at once, and of which the venue has not said so. */
  readonly #unended = new Map<string, Order>()
  #recovery: Promise<void> | undefined

  constructor(options: OrderDeskOptions) {
    const { account, exchange, journal, clock, onProblem } = options
    const { signal } = this.#closing
    this.#options = options
    this.#sender = new OrderSender({
      exchange,
      journal,
      clock,
      signal,
      own: this.#own,
      onLate: (intent, order, notify) => this.#late(intent, order, notify),
    })
    this.#amender = new OrderAmender({ exchange, journal, clock, signal })
    this.amender = this.#amender
    this.records = new OrderRecords({
      account,
      exchange,
      journal,
      clock,
      own: this.#own,
      sender: this.#sender,
      amender: this.#amender,
      waitingFor: (entryId) => this.#protections.waiting(entryId),
      protecting: () => this.#protections.count,
      signal,
    })
    this.#follower = new Follower({
      venue: exchange,
      isTakenBack: (order) => this.#own.isTakenBack(order),
      isEndReported: (order) => this.#own.isEndClaimed(order),
      isReplaced: (order) => this.#own.isReplaced(order),
      isFillReported: (trade) => this.#own.isFillReported(trade),
      onFill: (followed, trade) => {
        journal.fill(followed.id, account, trade)
        if (followed.isReleased) this.#protections.follow(followed, undefined)
      },
      onEnd: (followed, order) => {
        this.#awaited.get(followed.id)?.(order)
        this.#protections.follow(followed, order)
        this.#finish(followed, order).catch(onProblem)
      },
    })
    this.#protections = new Protections({
      account,
      exchange,
      journal,
      clock,
      signal,
      onProblem,
      follower: this.#follower,
      sender: this.#sender,
      isUnderWay: (symbol) => this.#sender.isUnderWay(symbol),
      isEndReported: (order) => this.#own.isEndClaimed(order),
      isTakenBack: (order) => this.#own.isTakenBack(order),
    })
    this.leftovers = this.#protections.leftovers
  }

  /**
   * Sends one order and follows it. `tell` hears what becomes of it, also after this has resolved, until it is over.
   * @returns the order as it ended, where it takes (at the market, `ioc`, `fok`): `open` where the venue does not say so in time;
   * any other as it is after immediate fills
   * @throws {StoreError} nothing was sent @throws {ExchangeError} the venue's own no, or `guarded`
   * @throws {Simulated} it was computed and not sent: the caller must go no further with it (behaviour 40)
   * @throws {TradingError} `order-rejected`, `outcome-unknown`, `unsettled-order`, `stale-prices`; `stop-failed`: the entry was placed; `interrupted`: the order
   * was placed, and `by.signal` has ended the waiting for the rest
   */
  async place(plan: OrderPlan, by: OrderedBy, notify: OrderListener): Promise<Order> {
    if (by.asking !== undefined) await by.asking.begin()
    this.#requireCurrent(plan)
    await this.#requireSettled(plan)
    if (plan.reduceOnly !== true) await this.#protections.leftovers.beforeEntry(plan.symbol)
    const { account, exchange, clock } = this.#options
    const id = orderIdOf(by)
    const held = plan.reduceOnly === true ? undefined : heldNow(exchange, plan.symbol)
    const against = await heldAgainst(exchange, plan)
    const order = withAttached(withoutAsked(plan), exchange.capabilities, against)
    const intent: Intent = {
      id,
      at: clock.now(),
      account,
      venue: exchange.id,
      by: withoutSignal(by),
      order,
      ...defined({ held }),
    }
    const under = new UnderWay(notify)
    this.#follower.begin(id, under.notify, { isToRest: !endsAtOnce(plan) })
    this.#protections.begin(intent, under.notify, against)
    const work = this.#sendAndSee(intent, plan, under)
    return by.signal === undefined ? work : this.#unlessStopped(work, by.signal, under)
  }

  async #sendAndSee(intent: Intent, plan: OrderPlan, under: UnderWay): Promise<Order> {
    const sent = await this.#sender.send(intent, under.notify).catch((error: unknown) => this.#lost(intent, error))
    under.acknowledged(sent)
    return this.#seenThrough(intent, plan, sent, under.notify)
  }

  /** The order as it ended, where it takes. */
  async #seenThrough(intent: Intent, plan: OrderPlan, sent: Order, notify: OrderListener): Promise<Order> {
    const { id } = intent
    const waits = waitsFor(plan)
    const placed = await this.#placed(intent, sent, notify, waits)
    if (!endsAtOnce(plan)) return placed
    const ended = await this.#untilEnded(id, placed, waits, ({ status }) => status !== 'open')
    if (ended.status === 'open' && plan.type !== 'market' && plan.reduceOnly !== true) this.#unended.set(id, ended)
    return ended
  }

  /**
   * What is known soon after the run was stopped is told as ever; what takes longer goes on without it.
   * @throws {TradingError} `interrupted`
   */
  async #unlessStopped(work: Promise<Order>, signal: AbortSignal, under: UnderWay): Promise<Order> {
    const { clock, onProblem } = this.#options
    /** Of the wait that a stop begins: most orders are never stopped. */
    let over: AbortController | undefined
    let forget = (): void => {}
    const stopped = new Promise<void>((resolve) => {
      if (signal.aborted) return resolve()
      const stop = (): void => resolve()
      signal.addEventListener('abort', stop, { once: true })
      forget = () => signal.removeEventListener('abort', stop)
    }).then(() => {
      over = new AbortController()
      return clock.delay(STOPPED_MS, AbortSignal.any([over.signal, this.#closing.signal]))
    })
    // Until then nobody knows whether there is an order.
    const late = Promise.all([stopped, under.known]).then(() => undefined)
    const order = await Promise.race([work, late]).finally(() => {
      forget()
      over?.abort()
    })
    if (order !== undefined) return order
    if (!signal.aborted) return work
    under.leave()
    work.catch((error: unknown) => {
      if (error instanceof TradingError && error.code === 'stop-failed') under.notify({ type: 'stop-failed', error })
      // What became of it is told by itself.
      else if (!(error instanceof TradingError)) onProblem(error)
    })
    throw new TradingError('interrupted', 'interrupted: the order was sent, and its outcome is not known yet', {
      hint: 'check `orders` and `fills`',
    })
  }

  /** Whether the guards would let it pass; it is neither sent nor written down. @throws {ExchangeError} `guarded` @throws {TradingError} `unsettled-order` */
  async judge(plan: OrderPlan, by: OrderedBy): Promise<void> {
    await this.#requireSettled(plan)
    return this.#sender.judge(orderIdOf(by), plan, by)
  }

  /**
   * As `judge`, but takes nothing over and asks nothing again: it changes nothing.
   * @returns `reduceOnly` where the order is sent so: it asks for it, or passes its limits only because it reduces
   * @throws {ExchangeError} `guarded` @throws {TradingError}
   */
  async look(plan: OrderPlan, by: OrderedBy): Promise<Pick<OrderPlan, 'reduceOnly'>> {
    this.#requireCurrent(plan)
    const { account, journal } = this.#options
    const open = plan.reduceOnly === true ? [] : await journal.unsettledElsewhere(account)
    const found = open.find(({ order }) => order.symbol === plan.symbol)
    if (found !== undefined) throw unsettledOrder(found, undefined)
    return this.#sender.look(orderIdOf(by), withoutAsked(plan), by)
  }

  /** @param isReplaced another rests in its place @throws {ExchangeError} `order-not-found`, `outcome-unknown` @throws {Simulated} */
  async cancel(ref: OrderRef, by: OrderedBy, isReplaced = false): Promise<Order> {
    if (by.asking !== undefined) await by.asking.begin()
    if (ref.id !== undefined) {
      this.#own.addPlaced({ symbol: ref.symbol, id: ref.id })
      this.#own.addTakenBack(ref.symbol, ref.id, isReplaced)
    }
    const { symbol, id } = ref
    const release = this.#own.claimEnds(id === undefined ? [] : [{ symbol, id }])
    const canceled = await this.#options.exchange.cancelOrder(ref, guardContext(by)).catch((error: unknown) => {
      release()
      throw error
    })
    this.#options.journal.changed(this.#options.account, ref, 'canceled', withoutSignal(by))
    return canceled
  }

  /** Changes a resting order in place. `tell` hears of an answer that does not come. @throws as `OrderAmender.amend`; `unsettled-order` */
  async amend(order: Order, change: OrderChange, by: OrderedBy, notify: OrderListener): Promise<Order> {
    if (by.asking !== undefined) await by.asking.begin()
    await this.#requireSettled(order, order.id)
    const { account, clock } = this.#options
    const id = orderIdOf(by)
    // An amount that has filled already ends it.
    if (change.amount !== undefined) this.#own.addTakenBack(order.symbol, order.id)
    return this.#amender.amend(
      { id, at: clock.now(), account, ref: refOf(order), change, by: withoutSignal(by) },
      notify,
    )
  }

  /**
   * Other prices for the stop and take-profit that wait for an entry to fill; nothing is sent.
   * @throws {Simulated} @throws {TradingError} `order-ended` @throws {StoreError} they are as they were
   */
  async reprotect(order: Order, prices: WaitingPrices, isSimulated: boolean): Promise<void> {
    if (isSimulated) throw new Simulated({ kind: 'change', ref: refOf(order), change: {}, protection: prices })
    await this.#protections.reprotect(order.clientOrderId ?? '', prices)
  }

  /** Takes an order back, and only when it is known to be over places another. @throws as `replaceOrder` */
  async replace(
    order: Order,
    planFor: (ended: Order) => OrderPlan | undefined,
    by: OrderedBy,
    notify: OrderListener,
  ): Promise<Replacement> {
    await this.#requireSettled(order, order.id)
    const { exchange, journal } = this.#options
    const cancel = () => this.cancel(refOf(order), by)
    return replaceOrder({ exchange, journal, cancel, place: (plan) => this.place(plan, by, notify) }, order, planFor)
  }

  /** @throws {ExchangeError} as `Exchange.setLeverage` */
  async setLeverage(symbol: string, leverage: string, by: OrderedBy): Promise<void> {
    if (by.asking !== undefined) await by.asking.begin()
    return this.#options.exchange.setLeverage(symbol, leverage, guardContext(by))
  }

  /** @throws {ExchangeError} as `Exchange.setMarginMode`; `not-supported` where the venue has one mode */
  async setMarginMode(symbol: string, mode: 'cross' | 'isolated', by: OrderedBy): Promise<void> {
    if (by.asking !== undefined) await by.asking.begin()
    await setMarginMode(this.#options.exchange, symbol, mode, guardContext(by))
  }

  /** Of one symbol where given. @throws {ExchangeError} @throws {Simulated} */
  async cancelAll(symbol: string | undefined, by: OrderedBy): Promise<readonly Order[]> {
    if (by.asking !== undefined) await by.asking.begin()
    const ended = this.#own.beginCancel(symbol)
    const canceled = await this.#options.exchange.cancelAllOrders(symbol, guardContext(by)).finally(ended)
    this.#own.claimEnds(canceled)
    this.noteCanceled(canceled, by)
    return canceled
  }

  /**
   * The caller changes the order, and reports what fills by that: nothing else does.
   * @returns ends it, with the fills that were reported and what the order has filled in all; with none, they are reported as ever
   */
  claimFills({ symbol, clientOrderId = '' }: Order): (trades: readonly Trade[], filled: string | undefined) => void {
    const release = this.#own.claimFills(symbol)
    const reportHeld = this.#follower.holdFills(clientOrderId)
    return (trades, filled) => {
      release(trades)
      reportHeld(filled)
    }
  }

  /** Of an order that another hookline has canceled: the one that it placed for it. */
  replacing(order: Order): Promise<Order | undefined> {
    return this.#protections.replacing(order)
  }

  /** The caller reports that these orders end. @returns takes it back: they did not end */
  claimEnds(orders: readonly Order[]): () => void {
    return this.#own.claimEnds(orders)
  }

  /** Into the journal: orders that a control of the venue took back. */
  noteCanceled(orders: readonly Order[], by: OrderedBy): void {
    for (const order of orders)
      this.#options.journal.changed(this.#options.account, refOf(order), 'canceled', withoutSignal(by))
  }

  /** Into the journal: the account began anew. */
  noteReset(canceled: readonly Order[], by: OrderedBy): void {
    this.noteCanceled(canceled, by)
    this.#options.journal.reset(this.#options.account)
  }

  /**
   * A person has looked at what no question settles. Another process that looks after it reads that in the journal.
   * @param orderId the venue's own, of the order that it became; undefined: nothing of it is there
   * @returns that order
   * @throws {ExchangeError} `order-not-found` @throws {TradingError} `order-rejected`: it is another order
   */
  async settleByHand({ id, order, at }: UnsettledOrder, orderId: string | undefined): Promise<Order | undefined> {
    const { exchange, journal, clock } = this.#options
    if (orderId === undefined) {
      if (!(await this.#sender.settleByHand(id, undefined))) journal.outcome(id, SETTLED_BY_HAND)
      return undefined
    }
    const ref = { symbol: order.symbol, id: orderId }
    const asked = {
      venue: exchange,
      ref,
      sentAt: at,
      clock,
      signal: this.#closing.signal,
      sent: order,
      placedAs: orderId,
    }
    const answer = await askOnce(asked)
    const found =
      answer.kind === 'found' && (answer.isDeduced !== true || answer.order.filled !== '0') ? answer.order : undefined
    if (found === undefined) throw new ExchangeError('order-not-found', `the venue does not list order ${orderId}`)
    if (found.side !== order.side || new Decimal(found.filled).gt(order.amount)) throw anotherOrder(found, order)
    const settled = { ...found, clientOrderId: id }
    if (!(await this.#sender.settleByHand(id, settled))) journal.outcome(id, { outcome: 'placed', orderId })
    return settled
  }

  /** Takes over what was left open: settles it, follows it, and sees to its stops. Done once, before the first order. */
  recover(): Promise<void> {
    this.#recovery ??= this.#begin()
    return this.#recovery
  }

  /**
   * Hears from now on of an order that was sent by a process that no longer looks after it, or by this one: asked for once before it resolves,
   * and until it is known.
   * @throws {StoreError}
   */
  async adopt(ref: AdoptedRef, notify: OrderListener): Promise<Adopted> {
    await this.recover()
    return adoptOrder({ ...this.#options, ...this.#parts }, ref, notify)
  }

  /** As `recover`, again: other processes may have died since. */
  async recoverAgain(): Promise<void> {
    await this.recover()
    this.#recovery = this.#begin()
    return this.#recovery
  }

  /** Stops asking and following. What rests stays; the journal lets the next process go on. */
  close(): void {
    this.#protections.abandon()
    this.#closing.abort()
    this.#follower.close()
    this.#options.journal.leave(this.#options.account)
  }

  get #parts() {
    return { follower: this.#follower, protections: this.#protections, sender: this.#sender }
  }

  /** Of a venue that fills at the last price received. @throws {TradingError} `stale-prices` */
  #requireCurrent({ symbol, type, reduceOnly }: OrderPlan): void {
    const { exchange } = this.#options
    if (exchange.capabilities.fillsAtLastPrice !== true || exchange.stream !== 'stale') return
    if (type !== 'market' || reduceOnly === true) return
    throw new TradingError('stale-prices', `the prices of ${symbol} are stale, and a market order has no other`, {
      hint: 'wait until the prompt shows a price again; `close` and orders with a price are sent, `paper faults off` ends a simulated gap',
    })
  }

  /** What only reduces depends on nothing but on itself. */
  async #requireSettled(order: Pick<OrderPlan, 'symbol' | 'reduceOnly'>, orderId?: string): Promise<void> {
    await this.recover()
    await this.#sender.requireSettled(order)
    await this.#amender.requireSettled(order, orderId)
    if (order.reduceOnly === true) return
    await this.#requireEnded(order.symbol)
    await this.#requireSettledElsewhere(order.symbol)
  }

  /** One that was to be over at once may fill yet. @throws {TradingError} `unsettled-order` */
  async #requireEnded(symbol: string): Promise<void> {
    for (const [id, order] of this.#unended) {
      if (order.symbol !== symbol) continue
      const now = await this.#askFor(order)
      if (now !== undefined) this.#follower.received(id, now)
      if (this.#unended.has(id)) throw notEnded(order)
    }
  }

  /** What a process has left that died beside this one is taken over. @throws {TradingError} `unsettled-order` @throws {StoreError} */
  async #requireSettledElsewhere(symbol: string): Promise<void> {
    const { account, journal } = this.#options
    const find = async () => (await journal.unsettledElsewhere(account)).find(({ order }) => order.symbol === symbol)
    let found = await find()
    if (found?.isLeft === true) {
      await this.recoverAgain()
      await this.#sender.requireSettled({ symbol })
      found = await find()
    }
    if (found !== undefined) throw unsettledOrder(found, undefined)
  }

  /** @param waits pauses before each question, where it is to fill or end at once */
  async #placed(intent: Intent, sent: Order, notify: OrderListener, waits: number[] = []): Promise<Order> {
    this.#follower.acknowledge(intent.id, sent)
    const isNews = ({ status, filled }: Order) => status !== 'open' || filled !== '0'
    const order = await this.#untilEnded(intent.id, sent, waits, isNews)
    const filled = this.#follower.find(intent.id)?.filled ?? new Decimal(order.filled)
    const notifyFills = (trades: readonly Trade[]) => {
      if (trades.length === 0) this.#follower.noteReported(intent.id, filled)
      notify({ type: 'filled', order, trades })
    }
    const reported = filled.gt(0) ? this.#fillsOf(intent.id, order).then(notifyFills) : undefined
    // Only on spot the fees of the fills say how much there is to protect: elsewhere its stop does not wait for a list of fills.
    if (this.#options.exchange.kind === 'spot') await reported
    const isOpen = order.status === 'open'
    if (isOpen) notify({ type: 'rests', order })
    if (intent.order.protection !== undefined && isOpen) {
      const { fires: _, ...prices } = intent.order.protection
      notify({ type: 'stop-waits', symbol: order.symbol, ...prices })
    }
    await this.#follow(intent.id, filled, !isOpen, reported)
    return order
  }

  /**
   * Many venues acknowledge first and fill later: what an order did is asked for, unless a stream tells it before.
   * @param waits what is left of them; each is taken once
   * @returns the order as last known, where it is not over by then
   */
  async #untilEnded(id: string, order: Order, waits: number[], isEnough: (order: Order) => boolean): Promise<Order> {
    const { clock } = this.#options
    const { signal } = this.#closing
    let known = this.#follower.find(id)?.order ?? order
    while (!isEnough(known) && !signal.aborted) {
      const ms = waits.shift()
      if (ms === undefined) break
      const news = new AbortController()
      this.#awaited.set(id, (ended) => {
        known = ended
        news.abort()
      })
      await clock.delay(ms, AbortSignal.any([signal, news.signal]))
      this.#awaited.delete(id)
      known = this.#follower.find(id)?.order ?? known
      if (isEnough(known) || signal.aborted) break
      const asked = await this.#askFor(order)
      if (asked !== undefined) known = this.#follower.received(id, asked)?.order ?? asked
    }
    return known
  }

  /** undefined where the venue does not say. */
  async #askFor(order: Order): Promise<Order | undefined> {
    try {
      return await this.#options.exchange.fetchOrder(refOf(order))
    } catch (error) {
      if (error instanceof ExchangeError) return undefined
      throw error
    }
  }

  /** Its end is written after the fills that it counts: a crash in between leaves an order that the next process asks for. */
  async #finish({ id, wasOpen, reason, counted }: FollowedOrder, order: Order): Promise<void> {
    const { exchange: venue, journal, clock } = this.#options
    const { status, filled } = order
    this.#unended.delete(id)
    const before = this.#filledBefore.get(id)
    this.#filledBefore.delete(id)
    let missing = new Decimal(filled).minus(Decimal.max(counted, before ?? 0))
    if (missing.gt(0)) {
      const reading = { venue, follower: this.#follower, clock, signal: this.#closing.signal }
      const read = await readFills(reading, id, order)
      // The next process reads on.
      if (read === undefined) return
      missing = new Decimal(filled).minus(Decimal.max(read.counted, before ?? 0))
    }
    this.#follower.forget(id)
    // An order that was over as it was placed, with nothing filled, has its end in its outcome.
    if (status === 'open' || (!wasOpen && filled === '0')) return
    // Of what a dead process left, all that can be asked for has been: the next one need not ask again.
    const unlisted = missing.gt(0) && before !== undefined ? { unlisted: missing.toFixed() } : {}
    journal.end(id, { status, filled, ...defined({ reason }), ...unlisted })
  }

  #fillsOf(id: string, order: Order): Promise<readonly Trade[]> {
    return fillsOf(this.#options.exchange, this.#follower, id, order)
  }

  /** Of another process, and known to be placed: only what happened since is told. */
  async #resumed(intent: OpenIntent, order: Order, notify: OrderListener): Promise<void> {
    this.#filledBefore.set(intent.id, intent.filledBefore)
    const { filled } = this.#follower.acknowledge(intent.id, order)
    if (filled.gt(intent.filledBefore)) {
      await this.#fillsOf(intent.id, order)
      notify({ type: 'filled-meanwhile', order })
    }
    await this.#follow(intent.id, filled, order.status !== 'open')
  }

  /** @param told resolves when its fills so far were told: what is over is followed until then */
  async #follow(id: string, filled: Decimal, isOver: boolean, reported?: Promise<void>): Promise<void> {
    const before = this.#follower.find(id)?.counted ?? new Decimal(0)
    try {
      await this.#protections.update(id, filled, isOver)
    } finally {
      if (isOver) await reported
      this.#follower.release(id)
      const now = this.#follower.find(id)
      // What filled, or was listed, while its stop was placed.
      if (now?.filled.gt(filled) || now?.counted.gt(before)) this.#protections.follow(now, undefined)
      await reported
    }
  }

  /** What nobody waited for is known. Protective orders are seen to by their protection. */
  async #late(intent: Intent | OpenIntent, order: Order | undefined, notify: OrderListener): Promise<void> {
    if (intent.protects !== undefined) return this.#recordFills(intent, order)
    if (order === undefined) {
      if (intent.order.protection !== undefined) this.#options.journal.released(intent.id)
      return this.#forget(intent.id)
    }
    try {
      if ('filledBefore' in intent) await this.#resumed(intent, order, notify)
      else await this.#placed(intent, order, notify)
    } catch (error) {
      if (error instanceof TradingError) notify({ type: 'stop-failed', error })
      else this.#options.onProblem(error)
    }
  }

  /** Its fills may have been lost with the process that followed it, and its protection may be over. */
  async #recordFills(intent: Intent | OpenIntent, order: Order | undefined): Promise<void> {
    if (order === undefined || order.status === 'open' || !('filledBefore' in intent) || !intent.isEnded) return
    if (this.#follower.find(intent.id) !== undefined) return
    this.#follower.begin(intent.id, () => {})
    this.#filledBefore.set(intent.id, intent.filledBefore)
    this.#follower.acknowledge(intent.id, order)
    this.#follower.release(intent.id)
  }

  /** Not placed, or not known to be: what is unknown stays followed, so that nothing of it is missed. */
  #lost({ id }: Intent, error: unknown): never {
    if (!isUnknownOutcome(error)) this.#forget(id)
    throw error
  }

  #forget(id: string): void {
    this.#follower.forget(id)
    this.#protections.forget(id)
  }

  /** A journal that could not be read is read again by the next order. */
  #begin(): Promise<void> {
    const recovery = takeOver({ ...this.#options, ...this.#parts, amender: this.#amender })
    recovery.catch(() => {
      if (this.#recovery === recovery) this.#recovery = undefined
    })
    return recovery
  }
}

/** An order from its sending on: what is said of it, and that something was. */
class UnderWay {
  /** Resolves when it is there, or when it is told that this is not known. */
  readonly known: Promise<void>
  readonly notify: OrderListener
  #note: () => void = () => {}
  #order: Order | undefined
  #isReported = false
  readonly #notify: OrderListener

  constructor(notify: OrderListener) {
    this.#notify = notify
    this.known = new Promise((resolve) => {
      this.#note = resolve
    })
    this.notify = (event) => {
      this.#isReported = true
      this.#note()
      notify(event)
    }
  }

  acknowledged(order: Order): void {
    this.#order = order
    this.#note()
  }

  /** Nobody waits for it any more. */
  leave(): void {
    if (!this.#isReported && this.#order !== undefined) this.#notify({ type: 'sent', order: this.#order })
  }
}

/** A run that was stopped ends within a second. */
const STOPPED_MS = 500

/** Pauses before each question about an order that was to take, in ms. */
const TAKES_MS = [50, 100, 200, 400]
/** Before those about one that cannot rest. */
const ENDS_MS = [...TAKES_MS, 1_000, 2_000, 4_000]

function waitsFor(plan: OrderPlan): number[] {
  if (endsAtOnce(plan)) return [...ENDS_MS]
  return plan.crosses === true ? [...TAKES_MS] : []
}

function notEnded({ id, symbol }: Order): TradingError {
  return new TradingError('unsettled-order', `order ${id} on ${symbol} has not ended yet, and may fill more`, {
    hint: 'check `orders`: the venue is asked again with every entry; `close` and `cancel` work meanwhile',
  })
}

const SETTLED_BY_HAND = { outcome: 'refused', code: 'never-arrived', message: 'confirmed by hand' } as const

function anotherOrder(found: Order, { side, amount }: OrderPlan): TradingError {
  const is = `${found.side} ${found.amount}, filled ${found.filled}`
  return new TradingError('order-rejected', `order ${found.id} is another one: ${is}; sent was ${side} ${amount}`, {
    hint: '`orders --all` and `fills` list the orders of the symbol',
  })
}

// What processes that are gone have left of an account, taken over by its desk.

interface TakeOverPorts extends Pick<OrderDeskOptions, 'account' | 'journal' | 'report'> {
  readonly follower: Follower
  readonly protections: Protections
  readonly sender: OrderSender
  readonly amender: OrderAmender
}

/** All are in doubt before the first is asked for, so that no order passes one that it depends on. */
async function takeOver(ports: TakeOverPorts): Promise<void> {
  const { journal, account, report, follower, protections, sender, amender } = ports
  const { orders: left, changes } = await journal.takeOver(account)
  for (const intent of left.filter(({ protects }) => protects === undefined)) {
    follower.begin(intent.id, report, { isToRest: !endsAtOnce(intent.order) })
    // Only its fills are still to be read.
    if (!intent.isReleased) protections.begin(intent, report)
  }
  await Promise.all([
    ...left.map((intent) => sender.resume(intent, report)),
    ...changes.map((change) => amender.resume(change, report)),
  ])
  if (left.length > 0) protections.leftovers.suspectAll()
}

/** @throws {ExchangeError} as `Exchange.setMarginMode`; `not-supported` where the venue has one mode */
async function setMarginMode(
  exchange: Exchange,
  symbol: string,
  mode: 'cross' | 'isolated',
  context: OrderContext,
): Promise<void> {
  if (exchange.setMarginMode !== undefined && exchange.capabilities.setMarginMode === true) {
    return exchange.setMarginMode(symbol, mode, context)
  }
  throw new ExchangeError('not-supported', `hookline cannot set the margin mode on ${exchange.id}`)
}

// An order that was sent by a process that no longer looks after it: what it is now.

type AdoptedRef = OrderRef & { readonly clientOrderId: string }

export type Adopted =
  | { readonly kind: 'found'; readonly order: Order }
  /** Its intent was never written, or what came of it was a refusal. */
  | { readonly kind: 'never-arrived' }
  /** `isFollowed`: it is told when it is known; else it is to be asked for again. */
  | { readonly kind: 'unknown'; readonly isFollowed: boolean }

interface AdoptPorts {
  readonly exchange: VenueView
  readonly journal: OrderJournal
  readonly follower: Follower
  readonly protections: Protections
  readonly sender: OrderSender
}

/** From now on it is told to `tell`. @throws {StoreError} the journal cannot be read */
async function adoptOrder(ports: AdoptPorts, ref: AdoptedRef, notify: OrderListener): Promise<Adopted> {
  const { journal, follower, protections, sender } = ports
  const id = ref.clientOrderId
  if (!follower.renotify(id, notify)) {
    const intent = await journal.claim(id)
    if (intent !== undefined) {
      follower.begin(id, notify, { isToRest: !endsAtOnce(intent.order) })
      if (!intent.isReleased) protections.begin(intent, notify)
      await sender.resume(intent, notify)
    }
  }
  if (sender.renotify(id, notify)) return { kind: 'unknown', isFollowed: true }
  return askAdopted(ports, ref)
}

/** Of an order that the journal knows no doubt about: it was never sent, it is over, or it is followed. A venue forgets what is over. */
async function askAdopted({ exchange, journal, follower }: AdoptPorts, ref: AdoptedRef): Promise<Adopted> {
  const id = ref.clientOrderId
  try {
    return { kind: 'found', order: await exchange.fetchOrder(ref) }
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    if (error.code !== 'order-not-found' || follower.find(id) !== undefined)
      return { kind: 'unknown', isFollowed: false }
    const known = await journal.recordOf(id)
    const stated = known?.outcome?.outcome
    if (known === undefined || stated === 'refused' || stated === 'simulated') return { kind: 'never-arrived' }
    const order = asEnded(known)
    return order === undefined ? { kind: 'unknown', isFollowed: false } : { kind: 'found', order }
  }
}

/** As the journal has it; undefined where it has no end. */
function asEnded({ intent, outcome, end, filled, average }: JournalledOrder): Order | undefined {
  if (end === undefined || outcome?.outcome !== 'placed') return undefined
  const { id, at, order } = intent
  const ref = { symbol: order.symbol, clientOrderId: id }
  const most = Decimal.max(end.filled, filled)
  return {
    ...orderOf({ ref, sentAt: at }, order, outcome.orderId, []),
    status: end.status,
    filled: most.toFixed(),
    remaining: Decimal.max(0, new Decimal(order.amount).minus(most)).toFixed(),
    ...defined({ average }),
  }
}
