// What closed trades add up to: how many gained, by how much of what they risked, and what they brought. Currencies are never added to one another.
import { defined } from '../../base/defined.ts'
import type { FundingPayment } from '../../exchange/order.ts'
import type { EquityRecord } from '../../stores/equity-log.ts'
import { isWithin, type Range } from './account-history.ts'
import { MoneySums, type Sums } from './pnl-groups.ts'
import { Exact } from './realize.ts'
import type { RoundTrip } from './round-trips.ts'

export interface TradeStats {
  /** Closed within the span. */
  readonly trades: number
  /** By what they brought after fees; together `trades`. Of `unknown`, a part of the cost or the market is not known. */
  readonly won: number
  readonly lost: number
  readonly even: number
  readonly unknown: number
  /** Of 100 trades whose result is known, so many gained, to one digit; absent without such a trade. */
  readonly winRate?: string
  /** Of the trades whose risk is known; absent where it is known of none. */
  readonly r?: RStats
  /** One for each currency. */
  readonly sums: readonly TradeSums[]
}

interface RStats {
  readonly trades: number
  readonly average: string
  readonly best: string
  readonly worst: string
}

/** `realized` and `fees` are of whole trades, `funding` of the payments within the span. */
interface TradeSums extends Omit<Sums, 'funding'> {
  /** Absent: not known, and not in `net`. */
  readonly funding?: string
  /** What the gaining trades brought, divided by what the losing ones lost, both after fees; absent without a loss. */
  readonly profitFactor?: string
}

export interface TradeGroup extends TradeStats {
  readonly key: string
}

/** What is summed up. */
interface Traded {
  /** Also those that are open: they pay funding. */
  readonly trips: readonly RoundTrip[]
  /** Within the span; undefined: not known. */
  readonly funding: readonly FundingPayment[] | undefined
  readonly range: Range
}

/** The group of funding that was paid for no trade that is known. */
export const NO_TRADE = 'other'

export function statsOf({ trips, funding, range }: Traded): TradeStats {
  const sum = new StatsSum(funding !== undefined)
  for (const trip of trips) if (isClosedWithin(trip, range)) sum.addTrade(trip)
  for (const payment of funding ?? []) sum.addFunding(payment)
  return sum.stats()
}

/**
 * By key, in the order of the keys.
 * @param keysOf none: the trade is in no group. Funding is in the groups of the trade that was open on its symbol.
 */
export function groupTrades(
  { trips, funding, range }: Traded,
  keysOf: (trade: Pick<RoundTrip, 'symbol'> & Partial<RoundTrip>) => readonly string[],
): readonly TradeGroup[] {
  const groups = new Map<string, StatsSum>()
  const at = (key: string) => {
    const sum = groups.get(key) ?? new StatsSum(funding !== undefined)
    groups.set(key, sum)
    return sum
  }
  for (const trip of trips) if (isClosedWithin(trip, range)) for (const key of keysOf(trip)) at(key).addTrade(trip)
  for (const payment of funding ?? []) {
    const trip = trips.find((each) => each.symbol === payment.symbol && isOpenAt(each, payment.timestamp))
    for (const key of keysOf(trip ?? { symbol: payment.symbol })) at(key).addFunding(payment)
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, sum]) => ({ key, ...sum.stats() }))
}

function isClosedWithin({ closedAt }: RoundTrip, range: Range): boolean {
  return closedAt !== undefined && isWithin(closedAt, range)
}

function isOpenAt({ openedAt, closedAt = Number.POSITIVE_INFINITY }: RoundTrip, ms: number): boolean {
  return openedAt <= ms && ms <= closedAt
}

class StatsSum {
  readonly #isFundingKnown: boolean
  #trades = 0
  #won = 0
  #lost = 0
  #even = 0
  readonly #multiples: Exact[] = []
  readonly #sums = new MoneySums()
  /** By currency. */
  readonly #gains = new Map<string, Exact>()
  readonly #losses = new Map<string, Exact>()

  constructor(isFundingKnown: boolean) {
    this.#isFundingKnown = isFundingKnown
  }

  addTrade({ sums, currency, r }: RoundTrip): void {
    this.#trades += 1
    for (const { currency: of, realized, fees } of sums) {
      this.#sums.add('realized', of, realized)
      this.#sums.add('fees', of, fees)
    }
    if (r !== undefined) this.#multiples.push(new Exact(r))
    const net = currency === undefined ? undefined : sums.find((each) => each.currency === currency)?.net
    if (currency !== undefined && net !== undefined) this.#addResult(currency, new Exact(net))
  }

  #addResult(currency: string, net: Exact): void {
    if (net.isZero()) {
      this.#even += 1
      return
    }
    const isGain = net.gt(0)
    if (isGain) this.#won += 1
    else this.#lost += 1
    const of = isGain ? this.#gains : this.#losses
    of.set(currency, net.abs().plus(of.get(currency) ?? 0))
  }

  addFunding({ currency, amount }: FundingPayment): void {
    this.#sums.add('funding', currency, amount)
  }

  stats(): TradeStats {
    const known = this.#won + this.#lost + this.#even
    const winRate = known === 0 ? undefined : new Exact(this.#won).div(known).times(100).toFixed(1)
    return {
      trades: this.#trades,
      won: this.#won,
      lost: this.#lost,
      even: this.#even,
      unknown: this.#trades - known,
      ...defined({ winRate, r: this.#rStats() }),
      sums: this.#sums.list().map(({ funding, ...sums }) => ({
        ...sums,
        ...(this.#isFundingKnown ? { funding } : {}),
        ...defined({ profitFactor: this.#factor(sums.currency) }),
      })),
    }
  }

  #rStats(): RStats | undefined {
    const trades = this.#multiples.length
    if (trades === 0) return undefined
    return {
      trades,
      average: Exact.sum(...this.#multiples)
        .div(trades)
        .toDecimalPlaces(2)
        .toFixed(2),
      best: Exact.max(...this.#multiples).toFixed(2),
      worst: Exact.min(...this.#multiples).toFixed(2),
    }
  }

  #factor(currency: string): string | undefined {
    const losses = this.#losses.get(currency)
    return losses === undefined ? undefined : new Exact(this.#gains.get(currency) ?? 0).div(losses).toFixed(2)
  }
}

// How deep the worth of an account fell.

export interface Drawdown {
  readonly currency: string
  /** From the highest worth before it to the lowest after it, and in percent of that highest, to two digits. `0`: it never fell. */
  readonly amount: string
  readonly percent: string
  /** When both were recorded, ms since the epoch. */
  readonly from: number
  readonly to: number
}

/** @param records of one account, oldest first @returns undefined with fewer than two records in the account's last currency */
export function maxDrawdownOf(records: readonly EquityRecord[]): Drawdown | undefined {
  const currency = records.at(-1)?.currency
  const ofCurrency = records.filter((record) => record.currency === currency)
  const [first, ...others] = ofCurrency
  if (first === undefined || currency === undefined || others.length === 0) return undefined
  let peak = first
  let deepest = { from: first, to: first, amount: new Exact(0) }
  for (const record of others) {
    const amount = new Exact(peak.total).minus(record.total)
    if (amount.gt(deepest.amount)) deepest = { from: peak, to: record, amount }
    if (amount.lt(0)) peak = record
  }
  const { from, to, amount } = deepest
  const percent = new Exact(from.total).gt(0) ? amount.div(from.total).times(100) : new Exact(0)
  return { currency, amount: amount.toFixed(), percent: percent.toFixed(2), from: from.at, to: to.at }
}

/**
 * The drawdown of the records and of now. One that ends now is written down: a record a minute would miss it, and the next answer would be less.
 */
export function drawdownUntil(
  now: readonly EquityRecord[],
  recorded: readonly EquityRecord[],
  note: (record: EquityRecord) => void,
): Drawdown | undefined {
  const deepest = maxDrawdownOf([...recorded, ...now])
  if (deepest !== undefined && deepest.amount !== (maxDrawdownOf(recorded)?.amount ?? '0')) now.forEach(note)
  return deepest
}
