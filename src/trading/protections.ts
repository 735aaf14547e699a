// The protective orders of all entries of one account: created with their entry, told of its fills and of their own.
import { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import type { Exchange, ExchangeEvent, VenueView } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import type { Market } from '../exchange/market.ts'
import { isForced, isTriggerType, type Order, type Side, type Trade } from '../exchange/order.ts'
import { amountOnLot } from '../exchange/price-grid.ts'
import { StoreError } from '../stores/store-error.ts'
import type { Clock } from './clock.ts'
import { type FollowedOrder, type Follower, fillsOf } from './following.ts'
import type { OrderListener } from './order-event.ts'
import type { OrderJournal } from './order-journal.ts'
import type { Intent } from './order-journal-lines.ts'
import type { OrderPlan, ProtectionPlan, WaitingPrices } from './order-plan.ts'
import type { OrderSender } from './order-sender.ts'
import { Protection, type ProtectionPorts } from './protection.ts'
import { LAG_MS, type ProtectedEntry, type SinceEntry } from './protection-state.ts'
import { TradingError } from './trading-error.ts'

interface ProtectionsOptions {
  readonly account: string
  readonly exchange: Exchange
  readonly journal: OrderJournal
  readonly clock: Clock
  readonly sender: OrderSender
  readonly follower: Follower
  /** The process ends. */
  readonly signal: AbortSignal
  readonly onProblem: (error: unknown) => void
  /** Whether an entry of the symbol is being sent, or its fate is unknown. */
  readonly isUnderWay: (symbol: string) => boolean
  /** Whether the command that ended it reports that. */
  readonly isEndReported: (order: Order) => boolean
  /** Whether a command of this process canceled it. */
  readonly isTakenBack: (order: Order) => boolean
}

interface Kept extends Guarded {
  /** The entry carries its orders. */
  readonly isAttached: boolean
  /** Of the entry: what a process before this one has written down, with what it had paid by currency. */
  readonly before: { readonly filled: string; readonly fees: Readonly<Record<string, string>> }
  /** The entry as last heard of: it may be forgotten while its protection is not. */
  entry?: Order
  filled: Decimal
  trades: readonly Trade[]
  /** What was held of the other side as the entry was sent, which it reduces first; undefined: not known. */
  readonly against: Decimal | undefined
  /** It has filled later than it was placed: what it met then is not known. */
  isLate: boolean
}

/** How long a stop waits for the price, for the list of positions, and on spot for the fills of its entry. */
const SOON_MS = 1_000
/** On spot, before each question for those fills. */
const FILLS_MS = [50, 100, 200, 250, 300]
/** A venue's clock may be behind by so much. */
const SKEW_MS = 60_000
/** Clocks differ by less, and what is canceled first is replaced at once. */
const CLOCKS_APART_MS = 1_000

export class Protections {
  readonly #options: ProtectionsOptions
  readonly #kept = new Map<string, Kept>()
  /** Called when a protective order is over, by its `clientOrderId`. */
  readonly #onEnd = new Map<string, (order: Order) => void>()
  /** By the `clientOrderId` of a protective order. */
  readonly #entryOf = new Map<string, string>()
  readonly leftovers: Leftovers

  constructor(options: ProtectionsOptions) {
    this.#options = options
    this.leftovers = new Leftovers({ ...options, guarded: () => this.#kept.values() })
  }

  /**
   * Begins to protect an entry that asks for it.
   * @param against what is held of the other side as it is sent; absent: not known
   */
  begin(entry: ProtectedEntry, notify: OrderListener, against?: Decimal): void {
    const { protection: plan, symbol, side } = entry.order
    if (plan === undefined) return
    /** The venue's own words, by the id of the order. */
    const reasons = new Map<string, string>()
    const protection = new Protection(
      entry,
      plan,
      this.#annotated(notify, reasons),
      this.#ports(entry, notify, reasons),
    )
    this.#kept.set(entry.id, {
      protection,
      notify,
      symbol,
      side,
      isAttached: plan.isAttached === true,
      filledAt: this.#options.clock.now(),
      looksLeft: 0,
      isTaken: false,
      before: { filled: entry.filledBefore ?? '0', fees: entry.feesBefore ?? {} },
      filled: new Decimal(0),
      trades: [],
      against,
      isLate: false,
    })
    this.leftovers.listen()
  }

  /** Entries that are protected here. */
  get count(): number {
    return this.#kept.size
  }

  /** The prices that wait for an entry to fill; undefined: none do here. */
  waiting(entryId: string): ProtectionPlan | undefined {
    return this.#kept.get(entryId)?.protection.waiting
  }

  /** @throws as `Protection.reprotect` */
  async reprotect(entryId: string, prices: WaitingPrices): Promise<void> {
    const kept = this.#kept.get(entryId)
    if (kept === undefined) throw new TradingError('order-ended', 'no stop or take-profit waits for this order')
    await kept.protection.reprotect(prices)
  }

  /** The entry was never placed, or nothing of it is left to protect. */
  forget(entryId: string): void {
    this.#kept.delete(entryId)
    if (this.#kept.size === 0) this.leftovers.rest()
  }

  /** @throws {TradingError} `stop-failed`; it is tried again by itself */
  async update(entryId: string, filled: Decimal, isEntryOver: boolean): Promise<void> {
    const kept = this.#kept.get(entryId)
    if (kept === undefined) return
    if (filled.gt(0)) kept.filledAt = this.#options.clock.now()
    this.#learn(entryId, kept, filled)
    try {
      const market = await this.#spotMarket(kept.symbol)
      if (market === undefined) {
        const known = kept.filled
        const opened = await this.#opened(entryId, kept)
        await kept.protection.update(opened, isEntryOver, undefined, known.minus(opened))
      } else {
        await this.#fillsSoon(entryId, kept)
        await kept.protection.update(coinsLeft(kept, market), isEntryOver, market.minAmount)
      }
    } finally {
      this.#forgetReleased(entryId)
    }
  }

  /** An order of this account filled or ended: as `update`, with nobody waiting. */
  follow({ id, filled }: FollowedOrder, ended: Order | undefined): void {
    if (ended !== undefined) {
      this.#onEnd.get(id)?.(ended)
      this.#onEnd.delete(id)
    }
    const entryId = this.#entryOf.get(id)
    if (entryId !== undefined) this.#received(entryId)
    if (ended !== undefined) this.#entryOf.delete(id)
    const kept = this.#kept.get(id)
    if (kept === undefined) return
    if (filled.gt(kept.filled)) kept.isLate = true
    this.update(id, filled, ended !== undefined).catch((error: unknown) => {
      if (error instanceof TradingError) kept.notify({ type: 'stop-failed', error })
      else this.#options.onProblem(error)
    })
  }

  /** Entries that may still fill, and pairs of which one must end with the other: this process will no longer see to them. */
  abandon(): void {
    for (const { notify, symbol, protection, isAttached } of this.#kept.values()) {
      const { isEntryOver, isPair } = protection
      const attached = isAttached && !isEntryOver ? { isAttached } : {}
      if (!isEntryOver || isPair) notify({ type: 'left', symbol, isPair: isEntryOver, ...attached })
    }
    this.#kept.clear()
    this.leftovers.rest()
  }

  #received(entryId: string): void {
    const kept = this.#kept.get(entryId)
    kept?.protection
      .settled()
      .then(() => this.#forgetReleased(entryId))
      .catch(this.#options.onProblem)
  }

  /** What is known of the entry now: its order is forgotten once its fills are read. */
  #learn(entryId: string, kept: Kept, filled: Decimal): void {
    const followed = this.#options.follower.find(entryId)
    kept.filled = Decimal.max(kept.filled, filled, followed?.filled ?? 0)
    if (followed === undefined) return
    kept.trades = followed.trades
    if (followed.order !== undefined) kept.entry = followed.order
  }

  /**
   * What of a derivative's entry is there to protect: what it bought or sold of the other side's position is not. Where that is not certain, it is
   * what may have been opened at most, and is looked at again: a stop that covers too much only reduces.
   */
  async #opened(entryId: string, kept: Kept): Promise<Decimal> {
    const { filled, against, isLate } = kept
    if (filled.lte(0) || (against?.isZero() === true && !isLate)) return filled
    // Not known: it is all protected. An order that only reduces does no harm by being too large.
    if (against?.gt(0) !== true) {
      this.#lookLater(entryId, kept, undefined)
      return filled
    }
    const { exchange } = this.#options
    const is = await this.#soon(heldOf(exchange, kept.symbol, kept.side))
    const net = is?.held.minus(is.against)
    // Nothing else has traded, and the list is as new as the fill.
    if (net?.eq(filled.minus(against)) === true) {
      const opened = Decimal.max(0, net)
      kept.protection.notifyOffset(filled, opened)
      return opened
    }
    this.#lookLater(entryId, kept, against)
    return net === undefined ? filled : Decimal.max(0, filled.plus(Decimal.min(0, net)))
  }

  /**
   * Once the list of positions must be as new as what has filled by now.
   * @param against what was held of the other side: what the entry has filled beyond it was opened, and is held less only where it was closed since.
   * undefined: not known; then less than the entry has filled may be held because its stop has fired, but the other side only because it opened nothing
   */
  #lookLater(entryId: string, kept: Kept, against: Decimal | undefined): void {
    const { exchange, clock, signal, onProblem } = this.#options
    const { filled, symbol, side } = kept
    const look = async (): Promise<void> => {
      await clock.delay(LAG_MS, signal)
      if (signal.aborted || this.#kept.get(entryId) !== kept || !kept.filled.eq(filled)) return
      const is = await this.#soon(heldOf(exchange, symbol, side))
      if (is === undefined) return
      const least = against === undefined && is.against.isZero() ? filled : filled.minus(against ?? filled)
      const opened = Decimal.max(0, is.held, least)
      if (opened.gte(filled)) return
      await kept.protection.reduce(opened)
      if (is.against.gt(0)) kept.protection.notifyOffset(filled, opened)
      this.#forgetReleased(entryId)
    }
    look().catch(onProblem)
  }

  /** undefined: no spot */
  async #spotMarket(symbol: string): Promise<Market | undefined> {
    const { exchange } = this.#options
    if (exchange.kind !== 'spot') return undefined
    return (await exchange.loadMarkets()).find((each) => each.symbol === symbol)
  }

  /** On spot the fills say how many coins a fee has left. Some venues acknowledge first and list them later. */
  async #fillsSoon(entryId: string, kept: Kept): Promise<void> {
    const { exchange, follower, signal, clock } = this.#options
    const isKnown = () => kept.side !== 'buy' || countedOf(kept).gte(kept.filled)
    let isLate = false
    const ask = async (): Promise<void> => {
      for (const ms of FILLS_MS) {
        if (kept.entry === undefined || isKnown() || isLate || signal.aborted) return
        await clock.delay(ms, signal)
        const trades = await fillsOf(exchange, follower, entryId, kept.entry)
        if (trades.length >= kept.trades.length) kept.trades = trades
        this.#learn(entryId, kept, kept.filled)
      }
    }
    if (!isKnown()) await this.#soon(ask())
    isLate = true
  }

  /** With the venue's reason of an end, and with what is reported of it already. */
  #annotated(notify: OrderListener, reasons: ReadonlyMap<string, string>): OrderListener {
    return (event) => {
      if (event.type !== 'ended') return notify(event)
      const reason = reasons.get(event.order.id)
      const isExpected = event.outcome === 'taken-back' || event.outcome === 'flat'
      const isReported = isExpected && this.#options.isEndReported(event.order)
      const annotated = { ...event, ...defined({ reason }), ...(isReported ? { isReported } : {}) }
      const isElsewhere = event.outcome === 'taken-back' && reason === undefined
      if (!isElsewhere || this.#options.isTakenBack(event.order)) return notify(annotated)
      this.replacing(event.order)
        .then((replacedBy) => notify({ ...annotated, isElsewhere, ...defined({ replacedBy }) }))
        .catch(this.#options.onProblem)
    }
  }

  /** The order that does its work now: placed before it was canceled, and for the same position. Undefined: none is known to. */
  async replacing({ id, symbol, side, type, remaining }: Order): Promise<Order | undefined> {
    const { exchange, journal, account } = this.#options
    const at = await journal.canceledAt(account, id).catch((error: unknown) => {
      if (error instanceof StoreError) return undefined
      throw error
    })
    if (at === undefined) return undefined
    const open = await this.#soon(exchange.fetchOpenOrders(symbol))
    return open?.find((order) => {
      const isAlike = order.type === type && order.side === side && order.reduceOnly
      return isAlike && order.timestamp <= at + CLOCKS_APART_MS && new Decimal(order.remaining).gte(remaining)
    })
  }

  #ports(entry: Intent, notify: OrderListener, reasons: Map<string, string>): ProtectionPorts {
    const { exchange, journal, account, clock, sender, follower, signal, onProblem } = this.#options
    const { symbol, side } = entry.order
    const watchEnd = (id: string, onEnd: (order: Order) => void) => {
      this.#onEnd.set(id, (order) => {
        onEnd(order)
        this.#forgetReleased(entry.id)
      })
    }
    const listen = (id: string, onEnd: (order: Order) => void) => {
      this.#entryOf.set(id, entry.id)
      watchEnd(id, onEnd)
      // Its protection says how it ended, once it knows what becomes of what it covered.
      follower.begin(id, (event) => {
        if (event.type !== 'ended') notify(event)
        else if (event.reason !== undefined) reasons.set(event.order.id, event.reason)
      })
    }
    return {
      exchange,
      journal,
      now: () => clock.now(),
      send: async (part, onEnd) => {
        const intent: Intent = { ...part, at: clock.now(), account, venue: exchange.id }
        listen(intent.id, onEnd)
        const order = await sender.send(intent, notify).catch((error: unknown) => {
          follower.forget(intent.id)
          this.#onEnd.delete(intent.id)
          this.#entryOf.delete(intent.id)
          throw error
        })
        const { filled, trades } = follower.acknowledge(intent.id, order)
        if (filled.gt(0)) {
          if (trades.length === 0) follower.noteReported(intent.id, filled)
          notify({ type: 'filled', order, trades })
        }
        return order
      },
      find: async (id) => {
        const asked = await sender.askAgain(id)
        return asked === undefined ? findOrder(exchange, symbol, id) : asked.order
      },
      adopt: (intent, order) => sender.adopt({ ...intent, account, venue: exchange.id }, order),
      priceSoon: () => this.#soon(exchange.fetchTicker(symbol).then(({ last }) => last)),
      heldSoon: () => this.#soon(heldOf(exchange, symbol, side)),
      sinceEntrySoon: (net) => this.#sinceEntrySoon(entry, net),
      follow: (order, id, onEnd) => {
        this.#entryOf.set(id, entry.id)
        if (follower.find(id) === undefined) listen(id, onEnd)
        else watchEnd(id, onEnd)
        follower.acknowledge(id, order)
      },
      release: (id) => follower.release(id),
      filledOf: ({ clientOrderId = '', filled }) => Decimal.max(follower.find(clientOrderId)?.filled ?? 0, filled),
      later: (ms, work) => {
        clock
          .delay(ms, signal)
          .then(() => {
            if (!signal.aborted && this.#kept.has(entry.id)) work()
          })
          .catch(onProblem)
      },
      bug: onProblem,
    }
  }

  /** undefined: the venue did not say so soon, or could not. */
  async #soon<Answer>(question: Promise<Answer>): Promise<Answer | undefined> {
    const { clock, signal } = this.#options
    const asked = question.catch((error: unknown) => {
      if (error instanceof ExchangeError) return undefined
      throw error
    })
    const known = new AbortController()
    const late = clock.delay(SOON_MS, AbortSignal.any([signal, known.signal])).then(() => undefined)
    try {
      return await Promise.race([asked, late])
    } finally {
      known.abort()
    }
  }

  async #sinceEntrySoon(entry: Intent, net: Decimal): Promise<SinceEntry | undefined> {
    const { exchange, clock } = this.#options
    if (exchange.kind === 'spot') return undefined
    const { symbol, side } = entry.order
    const trades = await this.#soon(exchange.fetchMyTrades({ symbol, since: entry.at - SKEW_MS }))
    if (trades === undefined) return undefined
    const orderId = this.#kept.get(entry.id)?.entry?.id
    const last = trades.findLastIndex((each) => each.clientOrderId === entry.id || each.orderId === orderId)
    if (last === -1) return undefined
    const later = trades.slice(last + 1)
    const newest = later.at(-1)
    if (newest !== undefined && clock.now() - newest.timestamp < LAG_MS) return 'recent'
    return wasFlat(later, side, net) ? 'flat' : undefined
  }

  #forgetReleased(entryId: string): void {
    if (this.#kept.get(entryId)?.protection.isReleased === true) this.forget(entryId)
  }
}

/** Whether one of these fills, oldest first, has ended a position of this side. @param net what they have left of it */
function wasFlat(trades: readonly Trade[], side: Side, net: Decimal): boolean {
  let left = net
  for (const trade of trades.toReversed()) {
    const isExit = trade.side !== side
    if (isExit && left.lte(0)) return true
    left = isExit ? left.plus(trade.amount) : left.minus(trade.amount)
  }
  return false
}

/** How much of what has filled is accounted for by fills. */
function countedOf({ filled, trades, before }: Kept): Decimal {
  const counted = Decimal.sum(0, ...trades.map(({ amount }) => amount))
  const together = counted.plus(before.filled)
  return together.lte(filled) ? together : Decimal.max(counted, before.filled)
}

/** What can be sold: a fee may have been taken from the coins that were bought. Of what no fill tells, the highest that the market takes. */
function coinsLeft(kept: Kept, market: Market): Decimal {
  const { filled, trades, before, side } = kept
  const paidBefore = new Decimal(before.fees[market.base] ?? 0)
  const inCoins = trades.filter(({ feeCurrency }) => feeCurrency === market.base)
  const paidSince = Decimal.sum(0, ...inCoins.map(({ fee }) => fee ?? 0))
  const counted = countedOf(kept)
  const isAfter = Decimal.sum(before.filled, ...trades.map(({ amount }) => amount)).lte(filled)
  const paid = isAfter ? paidBefore.plus(paidSince) : Decimal.max(paidBefore, paidSince)
  const unreported = side === 'buy' ? Decimal.max(0, filled.minus(counted)).times(market.takerFee ?? 0) : 0
  return amountOnLot(Decimal.max(0, filled.minus(paid).minus(unreported)), market)
}

/**
 * What is held of the side that an entry reduces before it opens anything: where that is known, or can be asked, without a word of the venue's
 * more than its guard needs. undefined: not known, or nothing is to be protected.
 */
export async function heldAgainst(venue: VenueView, order: OrderPlan): Promise<Decimal | undefined> {
  const { symbol, side, protection } = order
  if (protection === undefined || venue.kind === 'spot') return undefined
  try {
    const asked = venue.knownPositions === undefined ? venue.fetchPositions() : venue.knownPositions({ symbol, side })
    const positions = await asked
    if (positions === undefined) return undefined
    const position = positions.find((each) => each.symbol === symbol)
    return new Decimal(position !== undefined && (position.side === 'long') === (side === 'sell') ? position.amount : 0)
  } catch (error) {
    if (error instanceof ExchangeError) return undefined
    throw error
  }
}

async function findOrder(exchange: Exchange, symbol: string, clientOrderId: string): Promise<Order | undefined> {
  // What was executed at once never was a trigger order, and some venues keep those elsewhere.
  for (const isTrigger of [true, false]) {
    try {
      return await exchange.fetchOrder({ symbol, clientOrderId, isTrigger })
    } catch (error) {
      if (!(error instanceof ExchangeError) || error.code !== 'order-not-found') throw error
    }
  }
  return undefined
}

/** How much is held of what an entry of this side opens, and of the other side. On spot: the coins that there are, if they can be sold. */
async function heldOf(exchange: Exchange, symbol: string, side: Side): Promise<{ held: Decimal; against: Decimal }> {
  const none = new Decimal(0)
  if (exchange.kind !== 'spot') {
    const position = (await exchange.fetchPositions()).find((each) => each.symbol === symbol)
    const amount = new Decimal(position?.amount ?? 0)
    const isOurs = (position?.side === 'long') === (side === 'buy')
    return isOurs ? { held: amount, against: none } : { held: none, against: amount }
  }
  const [markets, balances] = await Promise.all([exchange.loadMarkets(), exchange.fetchBalances()])
  const market = markets.find((each) => each.symbol === symbol)
  const coins = balances.find(({ currency }) => currency === market?.base)
  if (market === undefined || coins === undefined) return { held: none, against: none }
  const held = amountOnLot(coins.total, market)
  return { held: held.lt(market.minAmount) ? none : held, against: none }
}

// Protective orders whose position is gone: some venues leave them resting, where they would hit the next position of the symbol. They are taken
// back once the venue itself says that the symbol is flat. What was placed by hand is told and left alone.

/** An entry with its protective orders. */
interface Guarded {
  readonly protection: Protection
  readonly notify: OrderListener
  readonly symbol: string
  /** Of the entry. */
  readonly side: Side
  /** When the last of it is known to have filled, ms since the epoch. */
  filledAt: number
  /** How often the venue is still to be asked whether its position is there: something may have ended it. */
  looksLeft: number
  /** The venue has taken some of the position by force: its orders are to cover no more than what is left. */
  isTaken: boolean
}

interface LeftoversOptions {
  readonly exchange: VenueView
  readonly journal: Pick<OrderJournal, 'openOrder'>
  readonly clock: Clock
  /** The process ends. */
  readonly signal: AbortSignal
  readonly onProblem: (error: unknown) => void
  readonly guarded: () => Iterable<Guarded>
  /** Whether an entry of the symbol is being sent, or its fate is unknown. */
  readonly isUnderWay: (symbol: string) => boolean
}

/** After a fill that may have ended a position: what else it set off is told first. */
const LOOK_MS = 1_000
/** While a position is listed all the same. */
const LOOK_AGAIN_MS = 2_000
const RETRY_MS = 30_000
const LOOKS = 3

export class Leftovers {
  readonly #options: LeftoversOptions
  readonly #waiting = new Set<string>()
  /** By symbol: one look after the other. */
  readonly #looking = new Map<string, Promise<void>>()
  #stop: (() => void) | undefined

  constructor(options: LeftoversOptions) {
    this.#options = options
  }

  /** There is something that could be left over. */
  listen(): void {
    this.#stop ??= this.#options.exchange.subscribe((event) => this.#receive(event))
  }

  rest(): void {
    this.#stop?.()
    this.#stop = undefined
  }

  /** The entries of another process were taken over: what ended meanwhile nobody has told. */
  suspectAll(): void {
    for (const each of this.#options.guarded()) this.#suspect(each, LAG_MS)
  }

  /**
   * An exit has filled whole: what protected the position that it left flat is taken back. Never rejects: what fails now is tried again later.
   * @param notify is called for reduce-only orders that were placed by hand and still rest
   */
  async exited({ symbol, side }: Pick<Order, 'symbol' | 'side'>, notify: OrderListener): Promise<void> {
    if (this.#options.exchange.kind === 'spot') return
    for (const each of this.#of(symbol)) if (each.side !== side) each.looksLeft = LOOKS
    await this.#look(symbol, true)
    if (this.#isStale) return
    await this.#notifyTyped(symbol, notify).catch((error: unknown) => {
      if (!(error instanceof ExchangeError)) this.#options.onProblem(error)
    })
  }

  /** An entry of the symbol is about to be sent: what an earlier one left must not hit it. */
  async beforeEntry(symbol: string): Promise<void> {
    if (this.#of(symbol).some(isSuspect)) await this.#look(symbol, false)
  }

  #receive(event: ExchangeEvent): void {
    if (event.type === 'stream' && event.state === 'resynced') {
      for (const each of this.#options.guarded()) this.#suspect(each, LOOK_MS)
    }
    if (event.type !== 'trade') return
    const { symbol, side, cause } = event.trade
    for (const each of this.#of(symbol).filter((one) => one.side !== side)) {
      each.isTaken ||= isForced(cause)
      this.#suspect(each, LOOK_MS)
    }
  }

  #suspect(guarded: Guarded, ms: number): void {
    if (this.#options.exchange.kind === 'spot') return
    guarded.looksLeft = LOOKS
    this.#lookLater(guarded.symbol, ms)
  }

  #lookLater(symbol: string, ms: number): void {
    if (this.#waiting.has(symbol)) return
    this.#waiting.add(symbol)
    const { clock, signal, onProblem } = this.#options
    clock
      .delay(ms, signal)
      .then(() => {
        this.#waiting.delete(symbol)
        return signal.aborted ? undefined : this.#look(symbol, false)
      })
      .catch(onProblem)
  }

  async #look(symbol: string, isExitKnown: boolean): Promise<void> {
    const before = this.#looking.get(symbol) ?? Promise.resolve()
    const look = before.then(() => this.#lookOnce(symbol, isExitKnown))
    const done = look.catch((error: unknown) => {
      if (!(error instanceof ExchangeError)) this.#options.onProblem(error)
      this.#lookLater(symbol, RETRY_MS)
    })
    this.#looking.set(symbol, done)
    await done
    if (this.#looking.get(symbol) === done) this.#looking.delete(symbol)
  }

  /** Only what had filled before the question is judged by its answer: what is opened meanwhile keeps its own. */
  async #lookOnce(symbol: string, isExitKnown: boolean): Promise<void> {
    const { exchange, clock, isUnderWay } = this.#options
    const suspects = this.#of(symbol).filter(isSuspect)
    if (suspects.length === 0) return
    // `resynced` asks again.
    if (this.#isStale) return
    const now = clock.now()
    const isYoung = !isExitKnown && suspects.some(({ filledAt }) => now - filledAt < LAG_MS)
    if (isYoung || isUnderWay(symbol)) return this.#lookLater(symbol, LOOK_MS)
    const filledAt = new Map(suspects.map((each) => [each, each.filledAt]))
    const position = (await exchange.fetchPositions()).find((each) => each.symbol === symbol)
    if (this.#isStale) return
    if (isUnderWay(symbol)) return this.#lookLater(symbol, LOOK_MS)
    for (const each of suspects.filter((one) => one.filledAt === filledAt.get(one))) {
      each.looksLeft -= 1
      const isHeld = position !== undefined && (position.side === 'long') === (each.side === 'buy')
      if (isHeld && each.isTaken) await each.protection.reduce(new Decimal(position.amount))
      if (each.looksLeft === 0) each.isTaken = false
      if (isHeld) continue
      each.looksLeft = 0
      each.isTaken = false
      await each.protection.retire()
    }
    if (suspects.some(isSuspect)) this.#lookLater(symbol, LOOK_AGAIN_MS)
  }

  /** Nobody but who placed them knows what they are for. Those of other processes of ours are seen to by them. */
  async #notifyTyped(symbol: string, notify: OrderListener): Promise<void> {
    const { exchange, journal } = this.#options
    const resting = await exchange.fetchOpenOrders(symbol)
    const typed: Order[] = []
    for (const order of resting.filter(({ reduceOnly, type }) => reduceOnly && isTriggerType(type))) {
      const known = order.clientOrderId === undefined ? undefined : await journal.openOrder(order.clientOrderId)
      if (known?.protects === undefined) typed.push(order)
    }
    if (typed.length === 0) return
    if ((await exchange.fetchPositions()).some((each) => each.symbol === symbol)) return
    for (const order of typed) notify({ type: 'still-rests', order })
  }

  get #isStale(): boolean {
    return this.#options.exchange.stream === 'stale'
  }

  #of(symbol: string): readonly Guarded[] {
    return [...this.#options.guarded()].filter((each) => each.symbol === symbol)
  }
}

function isSuspect({ looksLeft }: Guarded): boolean {
  return looksLeft > 0
}
