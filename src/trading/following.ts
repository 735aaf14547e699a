// The orders of this process, kept up to date by the venue's events. Fills are counted from trades, each by its id once (behaviour 38).
import { Decimal } from 'decimal.js'
import { BoundedSet } from '../base/concurrency.ts'
import { defined } from '../base/defined.ts'
import type { ExchangeEvent, VenueView } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import { isNothingLeft, type Order, orderKey, type Trade } from '../exchange/order.ts'
import type { Clock } from './clock.ts'
import type { OrderListener } from './order-event.ts'

/** One order while it is of interest. */
export interface FollowedOrder {
  /** Its `clientOrderId`. */
  readonly id: string
  /** As last heard of; undefined until it is acknowledged. */
  readonly order: Order | undefined
  readonly trades: readonly Trade[]
  /** In the market's amount unit: what its trades add up to. */
  readonly counted: Decimal
  /** That, or what the order says where that is more. */
  readonly filled: Decimal
  /** Whether it was open when it was acknowledged. */
  readonly wasOpen: boolean
  /** Whether its fills and its end are told as they come. */
  readonly isReleased: boolean
  /** Why the venue ended it, where it said so. */
  readonly reason: string | undefined
}

interface FollowerPorts {
  readonly venue: VenueView
  /** Whether this process has taken the order back, or is doing so. */
  isTakenBack(order: Order): boolean
  /** Whether the command that ended it reports that. */
  isEndReported(order: Order): boolean
  /** Whether a command has placed another for it. */
  isReplaced(order: Order): boolean
  /** Whether a command has reported the fill. */
  isFillReported(trade: Trade): boolean
  onFill(followed: FollowedOrder, trade: Trade): void
  /** It is no longer open; told once, and not before it was released. It stays followed, for fills that come after, until it is forgotten. */
  onEnd(followed: FollowedOrder, order: Order): void
}

const ZERO = new Decimal(0)

interface HeldFill {
  readonly order: Order
  readonly trade: Trade
  readonly counted: Decimal
}

interface Followed {
  readonly id: string
  notify: OrderListener
  /** Until it fills or is taken back: that somebody else took it back is told. */
  readonly isToRest: boolean
  order: Order | undefined
  readonly trades: Map<string, Trade>
  /** What they add up to. */
  counted: Decimal
  /** What was told of it by its order, before its fills were there. */
  reported: Decimal
  /** While a command may report its fills: what comes meanwhile. */
  held: HeldFill[] | undefined
  reason: string | undefined
  isAcknowledged: boolean
  wasOpen: boolean
  isReleased: boolean
  isEnded: boolean
}

/** So many fills by ids we do not know are kept while an order is being sent. */
const MAX_EARLY = 200

export class Follower {
  readonly #ports: FollowerPorts
  readonly #byClientId = new Map<string, Followed>()
  /** Venues number orders within a symbol. */
  readonly #byOrderId = new Map<string, Followed>()
  /** Fills of orders that were sent and not acknowledged: a venue may tell the fill first, by an id we do not know yet. */
  #early: Trade[] = []
  #unacknowledged = 0
  #stop: (() => void) | undefined

  constructor(ports: FollowerPorts) {
    this.#ports = ports
  }

  /** Begins before the order is sent, so that no event falls between its placing and our listening. */
  begin(id: string, notify: OrderListener, { isToRest = false }: { readonly isToRest?: boolean } = {}): void {
    this.#stop ??= this.#ports.venue.subscribe((event) => this.#receive(event))
    this.#byClientId.set(id, {
      id,
      notify,
      isToRest,
      trades: new Map(),
      counted: ZERO,
      reported: ZERO,
      held: undefined,
      order: undefined,
      reason: undefined,
      isAcknowledged: false,
      wasOpen: false,
      isReleased: false,
      isEnded: false,
    })
    this.#unacknowledged += 1
  }

  /** Somebody else is told from now on. @returns whether it is followed */
  renotify(id: string, notify: OrderListener): boolean {
    const followed = this.#byClientId.get(id)
    if (followed !== undefined) followed.notify = notify
    return followed !== undefined
  }

  /** The venue has it. What has filled by now is not told again as a later fill. */
  acknowledge(id: string, order: Order): FollowedOrder {
    const followed = this.#require(id)
    if (!followed.isAcknowledged) this.#unacknowledged -= 1
    followed.isAcknowledged = true
    followed.wasOpen = order.status === 'open'
    this.#byOrderId.set(keyOf(order), followed)
    followed.order = later(order, followed.order)
    const isOwn = ({ orderId, symbol }: Trade) => orderId === order.id && symbol === order.symbol
    for (const trade of this.#early.filter(isOwn)) this.#count(followed, trade)
    this.#early = this.#unacknowledged === 0 ? [] : this.#early.filter((trade) => !isOwn(trade))
    return view(followed)
  }

  /** Adds fills that were asked for. Those that come after its release are told, as any other. */
  addTrades(id: string, trades: readonly Trade[]): FollowedOrder {
    const followed = this.#require(id)
    for (const trade of trades) this.#add(followed, trade)
    return view(followed)
  }

  /** What the venue has answered about it: as if it had told that by itself. */
  received(id: string, order: Order): FollowedOrder | undefined {
    const followed = this.#byClientId.get(id)
    if (followed === undefined) return undefined
    this.#receiveOrder({ ...order, clientOrderId: id }, undefined)
    return view(followed)
  }

  /** So much was told to have filled: the fills of it are not told again. */
  noteReported(id: string, filled: Decimal): void {
    const followed = this.#byClientId.get(id)
    if (followed !== undefined) followed.reported = filled
  }

  /**
   * A command may report the fills that come now: none is told meanwhile.
   * @returns ends it; `filled`: so much has been reported in all
   */
  holdFills(id: string): (filled: string | undefined) => void {
    const followed = this.#byClientId.get(id)
    if (followed === undefined || followed.held !== undefined) return () => {}
    followed.held = []
    return (filled) => {
      const held = followed.held ?? []
      followed.held = undefined
      followed.reported = Decimal.max(followed.reported, filled ?? 0)
      for (const fill of held) this.#reportLater(followed, fill)
    }
  }

  /** From now on its fills and its end are told as they come; an end that was heard of before is told now. */
  release(id: string): void {
    const followed = this.#require(id)
    followed.isReleased = true
    if (followed.order?.status !== 'open') this.#end(followed)
  }

  forget(id: string): void {
    const followed = this.#byClientId.get(id)
    if (followed === undefined) return
    if (!followed.isAcknowledged) this.#unacknowledged -= 1
    if (followed.order !== undefined) this.#byOrderId.delete(keyOf(followed.order))
    this.#byClientId.delete(id)
    this.#rest()
  }

  find(id: string): FollowedOrder | undefined {
    const followed = this.#byClientId.get(id)
    return followed === undefined ? undefined : view(followed)
  }

  close(): void {
    this.#stop?.()
    this.#stop = undefined
    this.#byClientId.clear()
    this.#byOrderId.clear()
  }

  #receive(event: ExchangeEvent): void {
    if (event.type === 'trade') return this.#receiveTrade(event.trade)
    if (event.type === 'order') this.#receiveOrder(event.order, event.reason)
  }

  #receiveTrade(trade: Trade): void {
    const followed =
      this.#byOrderId.get(orderKey(trade.symbol, trade.orderId)) ?? this.#byClientId.get(trade.clientOrderId ?? '')
    if (followed === undefined) {
      if (this.#unacknowledged > 0) this.#early = [...this.#early.slice(1 - MAX_EARLY), trade]
      return
    }
    this.#add(followed, trade)
  }

  #add(followed: Followed, trade: Trade): void {
    if (!this.#count(followed, trade) || !followed.isReleased || followed.order === undefined) return
    const fill = { order: followed.order, trade, counted: followed.counted }
    if (followed.held === undefined) this.#reportLater(followed, fill)
    else followed.held.push(fill)
  }

  #reportLater({ notify, reported }: Followed, { order, trade, counted }: HeldFill): void {
    const isReported = counted.lte(reported) || this.#ports.isFillReported(trade)
    notify({ type: 'filled-later', order, trade, ...(isReported && { isReported }) })
  }

  #receiveOrder(order: Order, reason: string | undefined): void {
    const followed = this.#byOrderId.get(keyOf(order)) ?? this.#byClientId.get(order.clientOrderId ?? '')
    if (followed === undefined) return
    followed.reason = reason ?? followed.reason
    followed.order = later(order, followed.order)
    if (followed.isReleased && followed.order.status !== 'open') this.#end(followed)
  }

  #count(followed: Followed, trade: Trade): boolean {
    if (followed.trades.has(trade.id)) return false
    followed.trades.set(trade.id, trade)
    followed.counted = followed.counted.plus(trade.amount)
    this.#ports.onFill(view(followed), trade)
    return true
  }

  #end(followed: Followed): void {
    if (followed.isEnded || followed.order === undefined) return
    followed.isEnded = true
    const { order, reason } = followed
    const isElsewhere = order.status === 'canceled' && followed.isToRest && !this.#ports.isTakenBack(order)
    if (order.status !== 'closed') {
      const why = defined({ reason })
      const isReported = order.reduceOnly && isNothingLeft(order.cause) && this.#ports.isEndReported(order)
      const isReplaced = order.status === 'canceled' && this.#ports.isReplaced(order)
      const known = {
        ...(isElsewhere ? { isElsewhere } : {}),
        ...(isReported ? { isReported } : {}),
        ...(isReplaced ? { isReplaced } : {}),
      }
      followed.notify({ type: 'ended', order, ...why, ...known })
    }
    this.#ports.onEnd(view(followed), order)
  }

  /** Nothing to follow: nothing to listen for. */
  #rest(): void {
    if (this.#byClientId.size > 0) return
    this.#stop?.()
    this.#stop = undefined
    this.#early = []
  }

  #require(id: string): Followed {
    const followed = this.#byClientId.get(id)
    if (followed === undefined) throw new Error(`order ${id} is not followed`)
    return followed
  }
}

function keyOf({ symbol, id }: Order): string {
  return orderKey(symbol, id)
}

/** Of two pictures of one order: what is over stays over, and fills are never taken back. */
function later(next: Order, known: Order | undefined): Order {
  if (known === undefined || known.status === 'open') {
    return known !== undefined && next.status === 'open' && new Decimal(known.filled).gt(next.filled) ? known : next
  }
  return known
}

function view({ id, order, trades, counted, reason, wasOpen, isReleased }: Followed): FollowedOrder {
  return {
    id,
    order,
    trades: [...trades.values()],
    counted,
    filled: order === undefined || counted.gte(order.filled) ? counted : new Decimal(order.filled),
    wasOpen,
    isReleased,
    reason,
  }
}

// The fills of an order, asked for where the streams have not told them: before an end is written down they are in the journal (behaviour 36).

/** Others may have filled many times since it was placed. */
const MAX_TRADES = 1_000
/** A venue may list fills some seconds after it has said that their order is over. */
const PAUSES_MS = [0, 250, 1_000, 3_000, 10_000, 30_000]

/** Fewer where the venue does not tell: the order is placed all the same. */
export async function fillsOf(
  venue: VenueView,
  follower: Follower,
  id: string,
  order: Order,
): Promise<readonly Trade[]> {
  const followed = follower.find(id)
  const known = followed?.trades ?? []
  if (followed?.counted.gte(order.filled)) return known
  try {
    const own = await askFills(venue, id, order)
    // It may have ended meanwhile, with all its fills told.
    return follower.find(id) === undefined ? own : follower.addTrades(id, own).trades
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    return known
  }
}

interface FillReading {
  readonly venue: VenueView
  readonly follower: Follower
  readonly clock: Clock
  /** The process ends: the next one reads on. */
  readonly signal: AbortSignal
}

/** Asks until the fills of an order that is over add up to what it filled, for less than a minute. @returns what is known of it then */
export async function readFills(
  { venue, follower, clock, signal }: FillReading,
  id: string,
  order: Order,
): Promise<FollowedOrder | undefined> {
  for (const ms of PAUSES_MS) {
    if (ms > 0) await clock.delay(ms, signal)
    const followed = follower.find(id)
    if (signal.aborted || followed === undefined || followed.counted.gte(order.filled)) return followed
    await fillsOf(venue, follower, id, order)
  }
  return follower.find(id)
}

async function askFills(venue: VenueView, id: string, order: Order): Promise<readonly Trade[]> {
  const { id: orderId, symbol, timestamp } = order
  const all = await venue.fetchMyTrades({ symbol, since: timestamp, limit: MAX_TRADES })
  return all.filter((trade) => trade.orderId === orderId || trade.clientOrderId === id)
}

// The orders that this process has placed or taken back itself: their runs report them, and nothing else does.

/** What of an order tells whose it is. */
export type OrderNames = Pick<Order, 'id' | 'symbol'> & {
  readonly clientOrderId?: string
  readonly status?: Order['status']
}

export function namesOf({ orderId, clientOrderId, symbol }: Trade): OrderNames {
  return { id: orderId, symbol, ...defined({ clientOrderId }) }
}

/** So many are remembered after they are over: a venue may tell the last of an order late. */
const MAX_REMEMBERED = 5_000

export class OwnOrders {
  readonly #clientIds = new BoundedSet<string>(MAX_REMEMBERED)
  readonly #ids = new BoundedSet<string>(MAX_REMEMBERED)
  readonly #cancelling = new Map<object, string | undefined>()
  readonly #takenBack = new BoundedSet<string>(MAX_REMEMBERED)
  readonly #replaced = new BoundedSet<string>(MAX_REMEMBERED)
  readonly #claimed = new BoundedSet<string>(MAX_REMEMBERED)
  readonly #changing = new Map<object, string>()
  readonly #reportedFills = new BoundedSet<string>(MAX_REMEMBERED)

  /** Before it is sent. */
  addSent(clientOrderId: string): void {
    this.#clientIds.add(clientOrderId)
  }

  /** The venue's own id, for venues that do not tell the other one with every event. */
  addPlaced({ symbol, id }: Pick<Order, 'symbol' | 'id'>): void {
    this.#ids.add(orderKey(symbol, id))
  }

  /** It is being taken back, or made to end, by this process. @param isReplaced another rests for it */
  addTakenBack(symbol: string, id: string, isReplaced = false): void {
    this.#takenBack.add(orderKey(symbol, id))
    if (isReplaced) this.#replaced.add(orderKey(symbol, id))
  }

  isReplaced({ symbol, id }: Pick<OrderNames, 'symbol' | 'id'>): boolean {
    return this.#replaced.has(orderKey(symbol, id))
  }

  isTakenBack({ symbol, id }: Pick<OrderNames, 'symbol' | 'id'>): boolean {
    return this.#takenBack.has(orderKey(symbol, id)) || this.#isCancelling(symbol)
  }

  #isCancelling(symbol: string): boolean {
    return [...this.#cancelling.values()].some((each) => each === undefined || each === symbol)
  }

  /** The command that ends these orders reports that. @returns takes it back: they did not end */
  claimEnds(orders: readonly OrderNames[]): () => void {
    const keys = orders.map(({ symbol, id }) => orderKey(symbol, id))
    for (const key of keys) this.#claimed.add(key)
    return () => {
      for (const key of keys) this.#claimed.delete(key)
    }
  }

  isEndClaimed({ symbol, id }: Pick<OrderNames, 'symbol' | 'id'>): boolean {
    return this.#claimed.has(orderKey(symbol, id)) || this.#isCancelling(symbol)
  }

  /** A command changes an order on the symbol, and may report what fills by that. @returns ends it, with the fills that it has reported */
  claimFills(symbol: string): (reported: readonly Trade[]) => void {
    const mark = {}
    this.#changing.set(mark, symbol)
    return (reported) => {
      this.#changing.delete(mark)
      for (const trade of reported) this.#reportedFills.add(orderKey(trade.symbol, trade.id))
    }
  }

  isChanging(symbol: string): boolean {
    return [...this.#changing.values()].includes(symbol)
  }

  isFillReported({ symbol, id }: Pick<Trade, 'symbol' | 'id'>): boolean {
    return this.#reportedFills.has(orderKey(symbol, id))
  }

  /** From now until the returned function is called, a cancel of these orders is ours. @param symbol undefined: of all symbols */
  beginCancel(symbol: string | undefined): () => void {
    const mark = {}
    this.#cancelling.set(mark, symbol)
    return () => this.#cancelling.delete(mark)
  }

  has({ id, clientOrderId, symbol, status }: OrderNames): boolean {
    if (this.#ids.has(orderKey(symbol, id)) || (clientOrderId !== undefined && this.#clientIds.has(clientOrderId)))
      return true
    return status === 'canceled' && this.isTakenBack({ symbol, id })
  }
}
