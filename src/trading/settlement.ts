// What became of an order that got no definite answer, or that ended while no process followed it (behaviour 37): the venue is asked by the id
// that the order carries, with growing pauses. "Not found" alone settles nothing: venues forget ended orders, some within a minute. What rests,
// what filled and what is held decide; where they do not, a person does. The order is never sent again.
import { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import type { VenueView } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import type { Order, OrderRef, Position, Side, Trade } from '../exchange/order.ts'
import type { Clock } from './clock.ts'
import type { OrderPlan } from './order-plan.ts'

export type Settlement =
  /** `isDeduced`: the venue no longer lists the order itself; its fills say what it did. */
  | { readonly kind: 'found'; readonly order: Order; readonly isDeduced?: true }
  /** The venue does not have it, no longer can come to have it, and nothing on the account speaks of it. */
  | { readonly kind: 'never-arrived' }
  /** Still not known: it may be asked about again. */
  | { readonly kind: 'unsettled'; readonly why?: OpenPoint }

/** Why nothing more can be found out by asking for the order. */
export type OpenPoint =
  /** The venue forgets ended orders before it was asked for this one. */
  | { readonly kind: 'forgotten' }
  /** Fills of these orders may be its own. */
  | { readonly kind: 'fills'; readonly orderIds: readonly string[] }
  /** There are more fills since it was sent than are read. */
  | { readonly kind: 'too-many-fills' }
  /** The position has changed by what no listed fill explains. */
  | { readonly kind: 'position'; readonly amount: string }

/** Pauses before each question, in ms: a minute in all. */
export const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000]

/** An order may be on its way for a while: only so long after it was sent, "not found" means that it is not there. */
export const NOT_FOUND_IS_FINAL_MS = 60_000

/** The venue's clock may be behind ours by so much. */
const CLOCKS_APART_MS = 1_000
/** So many orders of others are asked for one by one. */
const MAX_CANDIDATES = 20
const MAX_TRADES = 500

interface Question {
  readonly venue: VenueView
  readonly ref: OrderRef
  /** When the order was sent, ms since the epoch. */
  readonly sentAt: number
  readonly clock: Clock
  /** Ends the asking; what is not known by then stays unsettled. */
  readonly signal: AbortSignal
  /** What was sent. Absent: only the order itself is asked for, and "not found" is final after a minute. */
  readonly sent?: OrderPlan
  /** The position before it was sent, negative for a short; absent: not known. */
  readonly heldBefore?: string
  /** The venue's own id, of an order that is known to have been placed. */
  readonly placedAs?: string
  /** It protects a position and can only reduce: sent a second time it does no harm, and missing it does. */
  readonly isProtective?: boolean
  /** Whether the venue's id is known to be of another order. */
  readonly isOther?: (orderId: string) => boolean
}

/** One question. @throws nothing but bugs: what cannot be asked is not settled */
export function askOnce(question: Question): Promise<Settlement> {
  return new Inquiry(question).ask()
}

/** All questions about one order: what one of them has found out serves the next. */
export class Inquiry {
  readonly question: Question
  /** The venue did not have it at a time when it would still have listed it, had it ended by then. */
  #wasMissed = false
  /** Orders of which it is known that they are others. */
  readonly #others = new Set<string>()

  constructor(question: Question) {
    this.question = question
  }

  /** Asks until the venue has given a definite answer, for a minute at most. */
  async settle(): Promise<Settlement> {
    const { clock, signal } = this.question
    let last: Settlement = { kind: 'unsettled' }
    for (const ms of PAUSES_MS) {
      await clock.delay(ms, signal)
      if (signal.aborted) return { kind: 'unsettled' }
      last = await this.ask()
      if (last.kind !== 'unsettled') return last
    }
    return last
  }

  /** @throws nothing but bugs */
  async ask(): Promise<Settlement> {
    try {
      const order = await this.#find(this.question.ref)
      return order === undefined ? await this.#withoutOrder() : { kind: 'found', order }
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error
      return { kind: 'unsettled' }
    }
  }

  async #find(ref: OrderRef): Promise<Order | undefined> {
    try {
      return await this.question.venue.fetchOrder(ref)
    } catch (error) {
      if (error instanceof ExchangeError && error.code === 'order-not-found') return undefined
      throw error
    }
  }

  async #withoutOrder(): Promise<Settlement> {
    const { venue, clock, sentAt, sent, placedAs } = this.question
    const age = clock.now() - sentAt
    if (age <= (venue.findableMs ?? Number.POSITIVE_INFINITY)) this.#wasMissed = true
    if (age < NOT_FOUND_IS_FINAL_MS) return { kind: 'unsettled' }
    if (sent === undefined) return { kind: 'never-arrived' }
    const seen = await this.#look(sent.symbol)
    return placedAs === undefined ? this.#judge(sent, seen) : this.#judgePlaced(sent, placedAs, seen)
  }

  async #look(symbol: string): Promise<Seen> {
    const { venue, sentAt } = this.question
    const [open, trades, positions] = await Promise.all([
      venue.fetchOpenOrders(symbol),
      venue.fetchMyTrades({ symbol, since: sentAt - CLOCKS_APART_MS, limit: MAX_TRADES }),
      venue.kind === 'spot' ? undefined : venue.fetchPositions(),
    ])
    return { open, trades, position: positions && signed(positions.find((each) => each.symbol === symbol)) }
  }

  /** Nothing has been heard of it since it was sent. */
  async #judge(sent: OrderPlan, seen: Seen): Promise<Settlement> {
    const { clientOrderId } = this.question.ref
    const open = seen.open.find((order) => order.clientOrderId === clientOrderId)
    if (open !== undefined) return { kind: 'found', order: open }
    const own = seen.trades.filter((trade) => trade.clientOrderId === clientOrderId)
    if (own[0] !== undefined) return this.#fromFills(sent, own[0].orderId, own)
    const found = await this.#amongCandidates(sent, seen.trades)
    if (found.order !== undefined) return { kind: 'found', order: found.order }
    if (found.suspects.length > 0) return { kind: 'unsettled', why: { kind: 'fills', orderIds: found.suspects } }
    if (seen.trades.length >= MAX_TRADES) return { kind: 'unsettled', why: { kind: 'too-many-fills' } }
    const amount = this.#unexplained(sent.side, seen)
    if (amount.gt(0)) return { kind: 'unsettled', why: { kind: 'position', amount: amount.toFixed() } }
    if (this.#wasMissed || this.question.isProtective === true) return { kind: 'never-arrived' }
    return { kind: 'unsettled', why: { kind: 'forgotten' } }
  }

  /** It was placed, and the venue no longer lists it: it is over, and its fills say how much it did. */
  async #judgePlaced(sent: OrderPlan, orderId: string, seen: Seen): Promise<Settlement> {
    const { clientOrderId } = this.question.ref
    const isOwn = (names: { readonly id: string; readonly clientOrderId?: string }) =>
      names.id === orderId || (clientOrderId !== undefined && names.clientOrderId === clientOrderId)
    const open = seen.open.find(isOwn)
    if (open !== undefined) return { kind: 'found', order: open }
    const fills = seen.trades.filter((trade) => isOwn({ ...trade, id: trade.orderId }))
    const order = orderOf(this.question, sent, orderId, fills)
    if (order.status === 'closed') return { kind: 'found', order, isDeduced: true }
    if (seen.trades.length >= MAX_TRADES) return { kind: 'unsettled', why: { kind: 'too-many-fills' } }
    const amount = this.#unexplained(sent.side, seen)
    if (amount.gt(0)) return { kind: 'unsettled', why: { kind: 'position', amount: amount.toFixed() } }
    return { kind: 'found', order, isDeduced: true }
  }

  /** Its fills name it. The venue may still know it by its own id. */
  async #fromFills(sent: OrderPlan, orderId: string, fills: readonly Trade[]): Promise<Settlement> {
    const { symbol } = sent
    const order = await this.#find({ symbol, id: orderId })
    const { clientOrderId } = this.question.ref
    if (order !== undefined) return { kind: 'found', order: named(order, clientOrderId) }
    return { kind: 'found', order: orderOf(this.question, sent, orderId, fills), isDeduced: true }
  }

  /** Fills that name no order of ours: each of their orders is asked for by the venue's id, which venues remember longest. */
  async #amongCandidates(
    { symbol, side, amount }: OrderPlan,
    trades: readonly Trade[],
  ): Promise<{ readonly order?: Order; readonly suspects: readonly string[] }> {
    const { isOther, ref } = this.question
    const isCandidate = (trade: Trade) =>
      trade.side === side && trade.clientOrderId === undefined && isOther?.(trade.orderId) !== true
    const filledOf = new Map<string, Decimal>()
    for (const trade of trades.filter(isCandidate)) {
      filledOf.set(trade.orderId, (filledOf.get(trade.orderId) ?? new Decimal(0)).plus(trade.amount))
    }
    const ids = [...filledOf.keys()].filter((id) => !this.#others.has(id))
    const suspects: string[] = []
    for (const id of ids.slice(0, MAX_CANDIDATES)) {
      if (filledOf.get(id)?.gt(amount) === true) {
        this.#others.add(id)
        continue
      }
      const order = await this.#find({ symbol, id })
      if (order !== undefined && order.clientOrderId === ref.clientOrderId) return { order, suspects }
      const isAnother =
        order !== undefined && (order.clientOrderId !== undefined || !new Decimal(order.amount).eq(amount))
      if (isAnother) this.#others.add(id)
      else suspects.push(id)
    }
    return { suspects: [...suspects, ...ids.slice(MAX_CANDIDATES)] }
  }

  /** By how much the position has gone the order's way without a fill that is listed; zero where it is not known what was held. */
  #unexplained(side: Side, { position, trades }: Seen): Decimal {
    const { heldBefore, sentAt } = this.question
    if (heldBefore === undefined || position === undefined) return new Decimal(0)
    const change = position.minus(heldBefore)
    // What filled in the second before it was sent may be in what was held, or not.
    const least = [sentAt, sentAt - CLOCKS_APART_MS].map((since) => {
      const filled = Decimal.sum(0, ...trades.filter(({ timestamp }) => timestamp >= since).map(signedFill))
      const rest = change.minus(filled)
      return side === 'buy' ? rest : rest.neg()
    })
    return Decimal.max(0, Decimal.min(...least))
  }
}

interface Seen {
  readonly open: readonly Order[]
  readonly trades: readonly Trade[]
  /** Negative for a short; absent on spot. */
  readonly position: Decimal | undefined
}

/** An order that the venue no longer lists and that rests no more, put together from its fills. */
export function orderOf(
  { ref, sentAt }: Pick<Question, 'ref' | 'sentAt'>,
  { symbol, side, type, amount, price, triggerPrice, reduceOnly, postOnly }: OrderPlan,
  id: string,
  fills: readonly Trade[],
): Order {
  const filled = Decimal.sum(0, ...fills.map((trade) => trade.amount))
  const cost = Decimal.sum(0, ...fills.map((trade) => new Decimal(trade.amount).times(trade.price)))
  const isWhole = filled.gte(amount)
  const order: Order = {
    id,
    symbol,
    side,
    type,
    amount,
    filled: filled.toFixed(),
    ...defined({ clientOrderId: ref.clientOrderId }),
    remaining: Decimal.max(0, new Decimal(amount).minus(filled)).toFixed(),
    reduceOnly: reduceOnly === true,
    postOnly: postOnly === true,
    status: isWhole ? 'closed' : 'canceled',
    timestamp: sentAt,
  }
  return {
    ...order,
    ...defined({ price, triggerPrice }),
    ...(filled.isZero() ? {} : { average: cost.div(filled).toSignificantDigits(12).toFixed() }),
  }
}

function named(order: Order, clientOrderId: string | undefined): Order {
  return clientOrderId === undefined ? order : { ...order, clientOrderId }
}

/** The position of a symbol among others, negative for a short. */
export function signed(position: Position | undefined): Decimal {
  const amount = new Decimal(position?.amount ?? 0)
  return position?.side === 'short' ? amount.neg() : amount
}

function signedFill({ side, amount }: Trade): Decimal {
  return side === 'buy' ? new Decimal(amount) : new Decimal(amount).neg()
}
