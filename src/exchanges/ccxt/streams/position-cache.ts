// What the account holds, as it was last read, for as long as the streams have reported nothing that changes it but orders of this process that
// were sent after that, and are over: what those have filled is added. Who asks for it is likely to ask again: what an order has changed is read
// anew behind it, and not before the next one.
import { defined } from '../../../base/defined.ts'
import type { OrderOutcome } from '../../../exchange/exchange.ts'
import type { Order, OrderRequest, Position, Trade } from '../../../exchange/order.ts'
import { Decimal } from '../decimals.ts'

/** A venue may settle, or end a position by itself, without a word on the streams. A look at the account comes more often (`gap-keeper.ts`). */
const KEPT_MS = 40_000
/** An order may fill in several parts at once, and each is reported as a fill and as a change of the order. */
const REREAD_MS = 10
/** What is known by adding is read again after this. */
const REREAD_ADDED_MS = 1_000
/** So often it is read anew for one that has asked. */
const REREADS = 2

interface PositionCacheOptions {
  readonly read: () => Promise<readonly Position[]>
  /** Whether every fill of the account is told at once. */
  readonly isReported: () => boolean
  /** The currency of a symbol's positions; undefined: nothing is added up there. */
  readonly settleOf?: (symbol: string) => string | undefined
  readonly now: () => number
  /** Calls `work` once, without keeping the process alive. */
  readonly after: (ms: number, work: () => void) => void
}

type Sent = Pick<OrderRequest, 'symbol' | 'side'>

/** An order that was sent after the last reading: nothing of it can be in that. */
interface SentOrder {
  readonly symbol: string
  readonly side: OrderRequest['side']
  readonly clientOrderId: string
  id: string | undefined
  order: Order | undefined
  /** Its fills, by id. */
  readonly trades: Map<string, string>
}

/** A reading that nothing overtook, and what was sent since. */
interface Base {
  readonly positions: readonly Position[]
  readonly at: number
  readonly sent: SentOrder[]
  /** What the two add up to, as of the last look. */
  sum: readonly Position[] | undefined
}

export interface ReceivedNews {
  readonly orders?: readonly Order[]
  readonly trades?: readonly Trade[]
}

export class PositionCache {
  readonly #options: PositionCacheOptions
  /** Read after the last change, or being read. */
  #known: { readonly positions: readonly Position[] | Promise<readonly Position[]>; readonly at: number } | undefined
  /** The last that was read, and what was sent since it was asked for; `undefined` among those: anything. */
  #last:
    | { readonly positions: readonly Position[]; readonly at: number; readonly since: (Sent | undefined)[] }
    | undefined
  /** While it is read. */
  #sentMeanwhile: (Sent | undefined)[] = []
  #changes = 0
  /** Orders of which the venue has not answered. */
  #sending = 0
  #rereads = 0
  /** How often something was heard, or an order was answered. */
  #news = 0
  #base: Base | undefined
  /** Of orders that are not answered, perhaps: their ids are not known yet. */
  #early: ReceivedNews[] = []

  constructor(options: PositionCacheOptions) {
    this.#options = options
  }

  async read(): Promise<readonly Position[]> {
    const [at, changes] = [this.#options.now(), this.#changes]
    const isCurrent = () => changes === this.#changes && this.#sending === 0
    const isUnsent = this.#sending === 0
    const since: (Sent | undefined)[] = []
    if (isUnsent) this.#sentMeanwhile = since
    const reading = this.#options.read()
    if (isCurrent()) this.#known ??= { positions: reading, at }
    try {
      const positions = await reading
      // What was under way as it was asked for may be in it, or not.
      if (isUnsent && this.#sentMeanwhile === since) this.#last = { positions, at, since }
      if (isCurrent()) {
        this.#known = { positions, at }
        this.#base = { positions, at, sent: [], sum: positions }
        this.#early = []
      }
      return positions
    } catch (error) {
      if (this.#known?.positions === reading) this.#known = undefined
      throw error
    }
  }

  known(before?: Sent): readonly Position[] | Promise<readonly Position[]> | undefined {
    this.#rereads = REREADS
    const { now, isReported } = this.#options
    if (!isReported()) return undefined
    const added = this.#added()
    if (added !== undefined) return added
    if (before !== undefined && !Array.isArray(this.#known?.positions)) {
      const last = this.#lastBefore(before)
      if (last !== undefined) return last
    }
    if (this.#known === undefined) return undefined
    return Math.abs(now() - this.#known.at) <= KEPT_MS ? this.#known.positions : undefined
  }

  /** @returns as `known`, and whether that is still so, whatever order has left since and was not answered */
  seen(): { readonly positions: readonly Position[]; readonly isStill: () => boolean } | undefined {
    const positions = this.known()
    if (positions === undefined || positions instanceof Promise) return undefined
    const news = this.#news
    return { positions, isStill: () => news === this.#news && this.#options.isReported() }
  }

  /** Of an order that adds to what is held it need not be known how much that is. */
  #lastBefore({ symbol, side }: Sent): readonly Position[] | undefined {
    if (this.#last === undefined || Math.abs(this.#options.now() - this.#last.at) > KEPT_MS) return undefined
    const { positions, since } = this.#last
    const held = positions.find((position) => position.symbol === symbol)
    const adds = held === undefined || (held.side === 'long') === (side === 'buy')
    const goesOn = since.every((sent) => sent !== undefined && (sent.symbol !== symbol || sent.side === side))
    return adds && goesOn ? positions : undefined
  }

  #added(): readonly Position[] | undefined {
    const base = this.#base
    const { now, settleOf } = this.#options
    if (base === undefined || this.#sending > 0 || Math.abs(now() - base.at) > KEPT_MS) return undefined
    base.sum ??= addUp(base, settleOf)
    return base.sum
  }

  /** Orders and fills of the account, as a stream has told them. */
  received(news: ReceivedNews): void {
    this.#news += 1
    if (!this.#take(news)) {
      // It may be an answer that is still on its way.
      if (this.#base === undefined || this.#sending === 0) return this.changed()
      this.#early.push(news)
    }
    this.#moved()
  }

  /** @returns whether all of it is of orders that were sent since the last reading */
  #take({ orders = [], trades = [] }: ReceivedNews): boolean {
    const base = this.#base
    if (base === undefined) return false
    base.sum = undefined
    let isOwn = true
    for (const order of orders) {
      const own = base.sent.find((each) => isOf(each, order.symbol, order.id, order.clientOrderId))
      if (own === undefined) isOwn = false
      else takeOrder(own, order)
    }
    for (const { symbol, orderId, clientOrderId, id, amount } of trades) {
      const own = base.sent.find((each) => isOf(each, symbol, orderId, clientOrderId))
      if (own === undefined) isOwn = false
      else own.trades.set(id, amount)
    }
    return isOwn
  }

  /** Something was heard, or lost, that may have changed what is held. */
  changed(): void {
    this.#news += 1
    this.#base = undefined
    this.#early = []
    this.#moved()
  }

  #moved(): void {
    this.#changes += 1
    this.#known = undefined
    if (this.#rereads === 0) return
    const changes = this.#changes
    const isAdded = this.#base !== undefined && (this.#sending > 0 || this.#added() !== undefined)
    this.#options.after(isAdded ? REREAD_ADDED_MS : REREAD_MS, () => {
      if (changes !== this.#changes || this.#sending > 0 || this.#known !== undefined) return
      this.#rereads -= 1
      // Who needs it asks again, and is told what is wrong.
      void this.read().catch(() => {})
    })
  }

  /** Sends an order: what it fills is known by its answer and by what is told of it. */
  async ordering(send: () => Promise<OrderOutcome>, request: OrderRequest): Promise<OrderOutcome> {
    const { symbol, side, clientOrderId } = request
    const own: SentOrder = { symbol, side, clientOrderId, id: undefined, order: undefined, trades: new Map() }
    const base = this.#base
    base?.sent.push(own)
    let isKnown = false
    try {
      return await this.#sendingOne(async () => {
        const outcome = await send()
        isKnown = base !== undefined && base === this.#base && this.#answered(base, own, outcome)
        return outcome
      }, request)
    } finally {
      const early = this.#early
      if (this.#sending === 0) this.#early = []
      if (isKnown) isKnown = early.map((news) => this.#take(news)).every(Boolean) || this.#sending > 0
      this.#news += 1
      if (isKnown) this.#moved()
      else this.changed()
    }
  }

  /** @returns whether the answer says what became of it */
  #answered(base: Base, own: SentOrder, outcome: OrderOutcome): boolean {
    base.sum = undefined
    if (outcome.kind === 'placed') {
      own.id = outcome.order.id
      takeOrder(own, outcome.order)
      return true
    }
    base.sent.splice(base.sent.indexOf(own), 1)
    return outcome.kind === 'refused' && outcome.error.code !== 'duplicate-id'
  }

  /** Sends what may change what is held. @param sent the order; absent: something else */
  async changing<T>(send: () => Promise<T>, sent?: Sent): Promise<T> {
    this.#base = undefined
    try {
      return await this.#sendingOne(send, sent)
    } finally {
      this.changed()
    }
  }

  async #sendingOne<T>(send: () => Promise<T>, sent: Sent | undefined): Promise<T> {
    this.#sentMeanwhile.push(sent)
    if (this.#last !== undefined && this.#last.since !== this.#sentMeanwhile) this.#last.since.push(sent)
    this.#known = undefined
    this.#changes += 1
    this.#sending += 1
    try {
      return await send()
    } finally {
      this.#sending -= 1
    }
  }
}

function isOf(own: SentOrder, symbol: string, id: string, clientOrderId: string | undefined): boolean {
  return own.symbol === symbol && (own.id === undefined ? own.clientOrderId === clientOrderId : own.id === id)
}

/** Over is over, and what has filled stays filled. */
function takeOrder(own: SentOrder, order: Order): void {
  const known = own.order
  const isLess = known !== undefined && new Decimal(order.filled).lt(known.filled)
  if (known === undefined || (!isLess && (known.status === 'open' || order.status !== 'open'))) own.order = order
}

/** @returns undefined where an order is not over, or where it is not known what its fills cost */
function addUp({ positions, sent }: Base, settleOf: PositionCacheOptions['settleOf']): readonly Position[] | undefined {
  const held = new Map(positions.map((position) => [position.symbol, position]))
  for (const { symbol, side, order, trades } of sent) {
    if (order === undefined || order.status === 'open') return undefined
    const filled = Decimal.max(order.filled, Decimal.sum(0, ...trades.values()))
    if (filled.isZero()) continue
    const settle = settleOf?.(symbol)
    if (settle === undefined || order.average === undefined) return undefined
    const after = addFill(
      held.get(symbol),
      { symbol, settle, price: order.average },
      side === 'buy' ? filled : filled.neg(),
    )
    if (after === undefined) held.delete(symbol)
    else held.set(symbol, after)
  }
  return [...held.values()].sort((left, right) => (left.symbol < right.symbol ? -1 : 1))
}

interface Fill {
  readonly symbol: string
  readonly settle: string
  readonly price: string
}

function addFill(held: Position | undefined, fill: Fill, by: Decimal): Position | undefined {
  const before = held === undefined ? new Decimal(0) : new Decimal(held.amount).times(held.side === 'long' ? 1 : -1)
  const after = before.plus(by)
  if (after.isZero()) return undefined
  const { symbol, settle, price } = fill
  const amount = after.abs().toFixed()
  const notional = after.abs().times(price).toFixed()
  const side = after.gt(0) ? 'long' : 'short'
  if (held === undefined || held.side !== side) return { symbol, side, amount, entryPrice: price, settle, notional }
  const { entryPrice, leverage, marginMode } = held
  const cost = before.times(entryPrice).plus(by.times(price))
  const average = after.abs().gt(before.abs()) ? cost.div(after).toSignificantDigits(15).toFixed() : entryPrice
  const settings = defined({ leverage, marginMode })
  return { symbol, side, amount, entryPrice: average, settle, notional, ...settings }
}
