// What the orders of each account add up to, folded from the lines of the order journal (behaviour 40). Nothing is counted that is not there,
// and nothing that is there is counted twice: orders go by their ids, fills by the ids of their trades.
import { Decimal } from 'decimal.js'
import type { Side, Trade } from '../exchange/order.ts'
import { decodeJournalLine, type JournalLine, type OrderEnd } from '../trading/order-journal.ts'
import { addFill, type SymbolFills } from './day-fills.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const ZERO = new Decimal(0)

/** 00:00 UTC of that day. */
export function dayOf(ms: number): number {
  return ms - (ms % DAY_MS)
}

/** An order that is sent and not answered for. */
export interface UnderWay {
  readonly id: string
  readonly symbol: string
  readonly side: Side
  readonly amount: string
}

interface Kept {
  readonly id: string
  readonly account: string
  readonly day: number
  symbol: string
  side: Side
  amount: Decimal
  /** In dollars, when it was sent. */
  value: Decimal
  isCounted: boolean
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
  /** When each order was sent, oldest first, by its id. */
  readonly sent: Map<string, number>
  readonly underWay: Map<string, UnderWay>
  readonly fills: Map<string, SymbolFills>
  readonly trades: Set<string>
}

export interface AccountUse {
  readonly day: Decimal
  readonly lastMinute: number
  readonly underWay: readonly UnderWay[]
}

export class DayFold {
  /** What is older does not count any more. */
  readonly day: number
  readonly #orders = new Map<string, Kept>()
  readonly #accounts = new Map<string, Account>()

  /** @param day as `dayOf` gives it */
  constructor(day: number) {
    this.day = day
  }

  add(text: string): JournalLine | undefined {
    const line = decodeJournalLine(text)
    if (line === undefined || !(line.at >= this.day)) return line
    if (line.t === 'intent') this.#intend(line)
    else if (line.t === 'counted') this.#count(line)
    else if (line.t === 'outcome') this.#answer(line)
    else if (line.t === 'end') this.#end(line.id, line)
    else if (line.t === 'fill') this.#fill(line.id, line.account, line.trade)
    return line
  }

  /** @param besides the order in question */
  use(account: string, now: number, besides?: string): AccountUse {
    const known = this.#accounts.get(account)
    if (known === undefined) return { day: ZERO, lastMinute: 0, underWay: [] }
    const own = besides === undefined ? undefined : this.#orders.get(besides)
    forgetOlder(known.sent, now - MINUTE_MS)
    return {
      day: own === undefined || own.account !== account ? known.used : known.used.minus(usedBy(own)),
      lastMinute: known.sent.size - (besides !== undefined && known.sent.has(besides) ? 1 : 0),
      underWay: [...known.underWay.values()].filter(({ id }) => id !== besides),
    }
  }

  /** What filled since the day began, by symbol. */
  fills(account: string): ReadonlyMap<string, SymbolFills> {
    return this.#accounts.get(account)?.fills ?? new Map()
  }

  #intend(line: Extract<JournalLine, { t: 'intent' }>): void {
    // A line may be there twice where a file was set aside while it was written.
    if (this.#orders.has(line.id)) return
    const { id, account, at, order } = line
    const [amount, price] = [decimal(order.amount), decimal(order.price ?? order.triggerPrice ?? '0')]
    const value = order.reduceOnly === true ? ZERO : amount.times(price)
    this.#keep({ id, account, symbol: order.symbol, side: order.side, amount, value, at })
    this.#account(account).sent.set(id, at)
  }

  #count({ id, account, symbol, side, amount, value, at }: Extract<JournalLine, { t: 'counted' }>): void {
    const known = this.#orders.get(id) ?? this.#keep({ id, account, symbol, side, amount: ZERO, value: ZERO, at })
    this.#change(known, () => {
      // A change counts the whole order anew; whether it was made is not known, so the larger counts.
      const next = decimal(value)
      known.value = known.isCounted ? Decimal.max(known.value, next) : next
      known.amount = known.isCounted ? Decimal.max(known.amount, decimal(amount)) : decimal(amount)
      known.isCounted = true
    })
    if (known.isAnswered) return
    this.#account(account).underWay.set(id, { id, symbol, side, amount })
  }

  #answer(line: Extract<JournalLine, { t: 'outcome' }>): void {
    const known = this.#orders.get(line.id)
    if (known === undefined) return
    const { underWay, sent } = this.#account(known.account)
    if (line.outcome !== 'unknown') underWay.delete(known.id)
    this.#change(known, () => {
      known.isAnswered ||= line.outcome !== 'unknown' || !known.isCounted
      if (line.outcome === 'refused' || line.outcome === 'simulated') known.isVoid = true
    })
    if (line.outcome === 'simulated' || (line.outcome === 'refused' && line.code === 'guarded')) sent.delete(known.id)
    if (line.outcome === 'placed' && line.end !== undefined) this.#end(line.id, line.end)
  }

  #end(id: string, { filled }: Pick<OrderEnd, 'filled'>): void {
    const known = this.#orders.get(id)
    if (known === undefined) return
    this.#account(known.account).underWay.delete(id)
    this.#change(known, () => {
      known.filled = Decimal.max(known.filled ?? 0, decimal(filled))
    })
  }

  #fill(id: string, account: string, trade: Trade): void {
    const of = this.#account(account)
    const key = `${trade?.symbol}/${trade?.id}`
    if (of.trades.has(key) || !(trade?.timestamp >= this.day)) return
    of.trades.add(key)
    of.fills.set(trade.symbol, addFill(of.fills.get(trade.symbol), trade))
    const known = this.#orders.get(id)
    if (known === undefined) return
    this.#change(known, () => {
      known.traded = known.traded.plus(decimal(trade.amount))
      known.cost = known.cost.plus(decimal(trade.amount).times(decimal(trade.price)))
    })
  }

  #keep(order: Pick<Kept, 'id' | 'account' | 'symbol' | 'side' | 'amount' | 'value'> & { readonly at: number }): Kept {
    const { at, ...rest } = order
    const kept: Kept = {
      ...{ ...rest, day: dayOf(at), isCounted: false, isAnswered: false, isVoid: false },
      ...{ filled: undefined, traded: ZERO, cost: ZERO },
    }
    this.#orders.set(kept.id, kept)
    const of = this.#account(kept.account)
    of.used = of.used.plus(usedBy(kept))
    return kept
  }

  #change(kept: Kept, change: () => void): void {
    const of = this.#account(kept.account)
    const before = usedBy(kept)
    change()
    of.used = of.used.minus(before).plus(usedBy(kept))
  }

  #account(name: string): Account {
    const known = this.#accounts.get(name)
    if (known !== undefined) return known
    const made: Account = { used: ZERO, sent: new Map(), underWay: new Map(), fills: new Map(), trades: new Set() }
    this.#accounts.set(name, made)
    return made
  }
}

/** What an order counts for: all of it while it may fill, what has filled once it is over, nothing if it never was. */
function usedBy({ value, amount, isCounted, isAnswered, isVoid, filled, traded, cost }: Kept): Decimal {
  // What is not counted yet has its count further down, and is not sent before that.
  if (isVoid || (!isCounted && !isAnswered)) return ZERO
  // Of an order at the market that was sent while nothing was counted, only its fills say what it was worth.
  if (!isCounted && value.isZero()) return cost
  if (filled === undefined || amount.lte(0)) return value
  return value.times(Decimal.min(1, Decimal.max(filled, traded).div(amount)))
}

function forgetOlder(sent: Map<string, number>, before: number): void {
  for (const [id, at] of sent) {
    if (at > before) return
    sent.delete(id)
  }
}

/** Zero for anything but an amount, as a person may have written it. */
function decimal(text: unknown): Decimal {
  return typeof text === 'string' && /^\d+(\.\d+)?$/.test(text) ? new Decimal(text) : ZERO
}
