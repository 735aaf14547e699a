// What the fills of one symbol made or lost on one day. Where the venue says so with each fill, that counts; elsewhere what was bought that
// day is set against what was sold that day at average cost, and nothing is said of what was held before.
import { Decimal } from 'decimal.js'
import { isGuardCode } from '../exchange/exchange-error.ts'
import type { Side, Trade } from '../exchange/order.ts'
import type { CountedOrder } from '../trading/order-event.ts'
import { decodeJournalLine, type JournalLine, type OrderEnd } from '../trading/order-journal-lines.ts'

export interface SymbolFills {
  /** In what the market settles in; fees not taken off. */
  readonly pnl: Decimal
  /** By currency; `''` where the venue does not report which. */
  readonly fees: ReadonlyMap<string, Decimal>
  /** Bought less sold that day, and at what on average, where the venue does not report what a fill made. */
  readonly net: Decimal
  readonly cost: Decimal
  readonly lastPrice: string
}

const ZERO = new Decimal(0)
const NONE: SymbolFills = { pnl: ZERO, fees: new Map(), net: ZERO, cost: ZERO, lastPrice: '0' }

/** A line that a person has written may be anything. */
function isReadable({ amount, price, fee, realizedPnl }: Trade): boolean {
  return [amount, price, fee ?? '0', realizedPnl ?? '0'].every(
    (text) => typeof text === 'string' && /^-?\d+(?:\.\d+)?$/.test(text),
  )
}

function addFill(before: SymbolFills = NONE, trade: Trade): SymbolFills {
  const fees = trade.fee === undefined ? before.fees : withFee(before.fees, trade.feeCurrency ?? '', trade.fee)
  const known = { ...before, fees, lastPrice: trade.price }
  if (trade.realizedPnl !== undefined) return { ...known, pnl: before.pnl.plus(trade.realizedPnl) }
  const signed = new Decimal(trade.amount).times(trade.side === 'buy' ? 1 : -1)
  return { ...known, ...matched(before, signed, new Decimal(trade.price)) }
}

function matched({ pnl, net, cost }: SymbolFills, signed: Decimal, price: Decimal) {
  const next = net.plus(signed)
  if (net.isZero() || net.s === signed.s) {
    return { pnl, net: next, cost: net.abs().times(cost).plus(signed.abs().times(price)).div(next.abs()) }
  }
  const closed = Decimal.min(net.abs(), signed.abs())
  const made = price.minus(cost).times(closed).times(net.s)
  // What is left turned round: it began at this price.
  const isTurned = signed.abs().gt(net.abs())
  return { pnl: pnl.plus(made), net: next, cost: next.isZero() ? ZERO : isTurned ? price : cost }
}

function withFee(fees: ReadonlyMap<string, Decimal>, currency: string, fee: string): ReadonlyMap<string, Decimal> {
  return new Map(fees).set(currency, (fees.get(currency) ?? ZERO).plus(fee))
}

// When the orders of one account were sent, for the limit of orders a minute (behaviour 40). Looking changes nothing, so that what was read
// anew says the same; a clock that was set back holds no one up for longer than a minute.
const MINUTE_MS = 60_000

interface Sent {
  readonly key: string
  readonly at: number
}

export class SentTimes {
  /** By time, whatever the order in which they came: an order looks at its own minute, and not at the hundreds before it. */
  readonly #byTime: Sent[] = []
  /** Those that were not sent after all stay, so that they are not added again. */
  readonly #byKey = new Map<string, Sent | undefined>()

  add(key: string, at: number): void {
    if (this.#byKey.has(key)) return
    const sent = { key, at }
    this.#byKey.set(key, sent)
    this.#byTime.splice(this.#firstAfter(at), 0, sent)
  }

  /** It was not sent after all. */
  remove(key: string): void {
    const sent = this.#byKey.get(key)
    if (sent === undefined) return
    this.#byKey.set(key, undefined)
    this.#byTime.splice(this.#byTime.indexOf(sent, this.#firstAfter(sent.at - 1)), 1)
  }

  /** @param besides the key of the one in question */
  lastMinute(now: number, besides: string | undefined): number {
    const count = this.#firstAfter(now + MINUTE_MS) - this.#firstAfter(now - MINUTE_MS)
    const own = besides === undefined ? undefined : this.#byKey.get(besides)
    return own !== undefined && own.at > now - MINUTE_MS && own.at <= now + MINUTE_MS ? count - 1 : count
  }

  /** Where the first is that was sent later. */
  #firstAfter(at: number): number {
    let [low, high] = [0, this.#byTime.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#byTime[middle] as Sent).at > at) high = middle
      else low = middle + 1
    }
    return low
  }
}

// What the orders of each account add up to, folded from the lines of the order journal (behaviour 40). Nothing is counted that is not there,
// and nothing that is there is counted twice: orders go by their ids, changes by their keys, fills by the ids of their trades.

const DAY_MS = 86_400_000
/** What was sent so shortly before midnight may still be under way, and counts for the minute. */
const BEFORE_MS = 3_600_000

/** 00:00 UTC of that day. */
export function dayOf(ms: number): number {
  return ms - (ms % DAY_MS)
}

/** An order, or a change that makes one larger, that is sent and not answered for. */
export interface UnderWay {
  readonly id: string
  readonly key: string
  readonly symbol: string
  readonly side: Side
  /** By which it may add to what is held or rests. */
  readonly amount: string
}

/** What an order, or a change of it, was counted for. */
interface Count {
  readonly amount: Decimal
  /** In dollars, when it was sent; zero where that was on an earlier day. */
  readonly value: Decimal
  readonly isAnswered?: true
}

interface Kept {
  readonly id: string
  readonly account: string
  readonly at: number
  /** It only reduces, by its intent. */
  readonly isExit: boolean
  /** What its intent says; dollars only where the market's quote is. */
  readonly intended: Decimal
  /** By key: its own, and those of its changes. */
  readonly counts: Map<string, Count>
  /** Clients that ordered or changed it under a grant: it counts in full for each. */
  readonly clients: Set<string>
  isAnswered: boolean
  isVoid: boolean
  /** What filled, once it is over. */
  filled: Decimal | undefined
  /** What its trades add up to, in the market's unit and in quote. */
  traded: Decimal
  cost: Decimal
}

interface Account {
  /** Of the day that is kept. */
  used: Decimal
  readonly sent: SentTimes
  readonly underWay: Map<string, UnderWay>
  readonly fills: Map<string, SymbolFills>
  readonly trades: Set<string>
}

export interface AccountUse {
  readonly day: Decimal
  readonly lastMinute: number
  readonly underWay: readonly UnderWay[]
  /** What the client in question has used of its day, on all accounts; zero where none is. */
  readonly client: Decimal
}

type Line<T extends JournalLine['t']> = Extract<JournalLine, { t: T }>

export class DayFold {
  /** What is older is not worth anything any more. */
  readonly day: number
  /** No line that is older is of interest. */
  readonly since: number
  readonly #orders = new Map<string, Kept>()
  readonly #accounts = new Map<string, Account>()
  /** Used on the day that is kept, by client. An account that begins anew gives no client anything back. */
  readonly #clients = new Map<string, Decimal>()

  /** @param day as `dayOf` gives it */
  constructor(day: number) {
    this.day = day
    this.since = day - BEFORE_MS
  }

  /** @returns undefined where it cannot be read, or is too old */
  add(text: string): JournalLine | undefined {
    const line = decodeJournalLine(text)
    if (line === undefined || !(line.at >= this.since)) return undefined
    if (line.t === 'intent') this.#intend(line)
    else if (line.t === 'counted') this.#count(line)
    else if (line.t === 'answered') this.#answerChange(line)
    else if (line.t === 'outcome') this.#answer(line)
    else if (line.t === 'end') this.#end(line.id, line)
    else if (line.t === 'fill') this.#fill(line.id, line.account, line.trade)
    else if (line.t === 'reset') this.#reset(line.account)
    return line
  }

  /** @param besides the order or change in question */
  use(account: string, now: number, besides?: Pick<CountedOrder, 'id' | 'key' | 'client'>): AccountUse {
    const known = this.#accounts.get(account)
    const own = besides === undefined ? undefined : this.#orders.get(besides.id)
    const client = this.#usedByClient(besides?.client, own)
    if (known === undefined) return { day: ZERO, lastMinute: 0, underWay: [], client }
    return {
      client,
      day: own === undefined || own.account !== account ? known.used : known.used.minus(usedBy(own)),
      lastMinute: known.sent.lastMinute(now, besides?.key),
      underWay: [...known.underWay.values()].filter(({ key }) => key !== besides?.key),
    }
  }

  #usedByClient(client: string | undefined, own: Kept | undefined): Decimal {
    const used = (client === undefined ? undefined : this.#clients.get(client)) ?? ZERO
    return client !== undefined && own?.clients.has(client) === true ? used.minus(usedBy(own)) : used
  }

  /** What filled since the day began, by symbol. */
  fills(account: string): ReadonlyMap<string, SymbolFills> {
    return this.#accounts.get(account)?.fills ?? new Map()
  }

  #intend({ id, account, at, order, by, protects }: Line<'intent'>): void {
    // A line may be there twice where a file was set aside while it was written.
    if (this.#orders.has(id)) return
    const price = decimal(order?.price ?? order?.triggerPrice ?? '0')
    // An exit is sent without being counted first.
    const isExit = order?.reduceOnly === true || protects !== undefined || by?.closes === true
    const isNothing = isExit || at < this.day
    this.#keep({ id, account, at, isExit, intended: isNothing ? ZERO : decimal(order?.amount).times(price) })
    if (isExit) this.#account(account).sent.add(id, at)
  }

  #count({ id, key, account, symbol, side, amount, value, grows, client, at }: Line<'counted'>): void {
    const known = this.#orders.get(id) ?? this.#keep({ id, account, at, isExit: false, intended: ZERO })
    const before = known.counts.get(key)
    // A file that was set aside while a line was written has it twice.
    if (before?.isAnswered === true) return
    // Counted first as an exit and then as an entry: the larger counts.
    const count = {
      amount: Decimal.max(before?.amount ?? 0, decimal(amount)),
      value: Decimal.max(before?.value ?? 0, at < this.day ? 0 : decimal(value)),
    }
    this.#change(known, () => {
      known.counts.set(key, count)
      if (client !== undefined) known.clients.add(client)
    })
    const of = this.#account(known.account)
    of.sent.add(key, at)
    if (key === id && known.isAnswered) return
    const adds = grows ?? amount
    if (decimal(adds).gt(0)) of.underWay.set(key, { id, key, symbol, side, amount: adds })
  }

  #answerChange({ id, key, account, outcome, at }: Line<'answered'>): void {
    const { underWay, sent } = this.#account(account)
    underWay.delete(key)
    // What only reduces is changed without being counted first.
    if (outcome === 'not-sent') sent.remove(key)
    else sent.add(key, at)
    const known = this.#orders.get(id)
    if (known === undefined) return
    const before = known.counts.get(key)
    if (before === undefined) return
    const count = outcome === 'made' ? before : { amount: ZERO, value: ZERO }
    this.#change(known, () => known.counts.set(key, { ...count, isAnswered: true }))
  }

  #answer(line: Line<'outcome'>): void {
    const known = this.#orders.get(line.id)
    if (known === undefined) return
    const { underWay, sent } = this.#account(known.account)
    const isVoid = line.outcome === 'refused' || line.outcome === 'simulated'
    if (line.outcome !== 'unknown') underWay.delete(known.id)
    // What no one counted was sent all the same.
    if (!known.counts.has(known.id)) sent.add(known.id, known.at)
    this.#change(known, () => {
      known.isAnswered ||= line.outcome !== 'unknown' || known.counts.size === 0
      known.isVoid ||= isVoid
    })
    if (line.outcome === 'simulated' || (line.outcome === 'refused' && isGuardCode(line.code))) sent.remove(known.id)
    if (line.outcome === 'placed' && line.end !== undefined) this.#end(line.id, line.end)
  }

  #end(id: string, { filled }: Pick<OrderEnd, 'filled'>): void {
    const known = this.#orders.get(id)
    if (known === undefined) return
    const { underWay } = this.#account(known.account)
    for (const each of [...underWay.values()]) if (each.id === id) underWay.delete(each.key)
    this.#change(known, () => {
      known.filled = Decimal.max(known.filled ?? 0, decimal(filled))
    })
  }

  #fill(id: string, account: string, trade: Trade): void {
    const of = this.#account(account)
    const key = `${trade?.symbol}/${trade?.id}`
    if (of.trades.has(key) || !(trade?.timestamp >= this.day) || !isReadable(trade)) return
    of.trades.add(key)
    of.fills.set(trade.symbol, addFill(of.fills.get(trade.symbol), trade))
    const known = this.#orders.get(id)
    if (known === undefined) return
    if (known.at < this.day) return
    this.#change(known, () => {
      known.traded = known.traded.plus(decimal(trade.amount))
      known.cost = known.cost.plus(decimal(trade.amount).times(decimal(trade.price)))
    })
  }

  /** The account began anew, with other money. */
  #reset(account: string): void {
    this.#accounts.delete(account)
    for (const [id, kept] of this.#orders) if (kept.account === account) this.#orders.delete(id)
  }

  #keep(order: Pick<Kept, 'id' | 'account' | 'at' | 'isExit' | 'intended'>): Kept {
    const kept: Kept = {
      ...order,
      counts: new Map(),
      clients: new Set(),
      isAnswered: false,
      isVoid: false,
      filled: undefined,
      traded: ZERO,
      cost: ZERO,
    }
    this.#orders.set(kept.id, kept)
    return kept
  }

  #change(kept: Kept, change: () => void): void {
    const of = this.#account(kept.account)
    const before = usedBy(kept)
    const counted = new Set(kept.clients)
    change()
    const after = usedBy(kept)
    of.used = of.used.minus(before).plus(after)
    for (const client of kept.clients) {
      const used = this.#clients.get(client) ?? ZERO
      this.#clients.set(client, used.minus(counted.has(client) ? before : ZERO).plus(after))
    }
  }

  #account(name: string): Account {
    const known = this.#accounts.get(name)
    if (known !== undefined) return known
    const made: Account = {
      used: ZERO,
      sent: new SentTimes(),
      underWay: new Map(),
      fills: new Map(),
      trades: new Set(),
    }
    this.#accounts.set(name, made)
    return made
  }
}

/** What an order counts for: all of it while it may fill, what has filled once it is over, nothing if it never was. */
function usedBy({ id, counts, isExit, intended, isAnswered, isVoid, filled, traded, cost }: Kept): Decimal {
  if (isVoid) return ZERO
  // What is not counted yet has its count further down, and is not sent before that; what never was counts for what it says.
  const uncounted = counts.has(id) || !isAnswered ? ZERO : intended
  // Of an order at the market that was sent while nothing was counted, only its fills say what it was worth.
  if (counts.size === 0 && uncounted.isZero()) return isAnswered && !isExit ? cost : ZERO
  const all = [...counts.values()]
  const value = Decimal.max(uncounted, ...all.map((count) => count.value))
  const amount = Decimal.max(0, ...all.map((count) => count.amount))
  if (filled === undefined || amount.lte(0)) return value
  return value.times(Decimal.min(1, Decimal.max(filled, traded).div(amount)))
}

/** Zero for anything but an amount, as a person may have written it. */
function decimal(text: unknown): Decimal {
  return typeof text === 'string' && /^\d+(\.\d+)?$/.test(text) ? new Decimal(text) : ZERO
}
