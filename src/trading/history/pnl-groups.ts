// On which day something happened: in UTC, or in a zone that a person lives in.
import type { FundingPayment } from '../../exchange/order.ts'
import type { OrderedBy } from '../order-plan.ts'
import { Exact, type RealizedExecution } from './realize.ts'

/** `2026-03-29`. @param ms since the epoch */
export type DayOf = (ms: number) => string

export function utcDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** @param zone of the IANA database, as `Europe/Berlin` @returns undefined where there is no such zone */
export function zonedDay(zone: string): DayOf | undefined {
  const format = formatOf(zone)
  return format && ((ms) => dayIn(format, ms))
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function dayIn(format: Intl.DateTimeFormat, ms: number): string {
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]))
  return `${parts.get('year')?.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`
}

// Sums of money that never mix currencies.

/** Of one currency. What was paid is positive among fees, and what was got is positive among the others. */
export interface Sums {
  readonly currency: string
  /** Before fees. */
  readonly realized: string
  readonly funding: string
  readonly fees: string
  /** `realized` and `funding` without `fees`. */
  readonly net: string
}

type Kind = 'realized' | 'funding' | 'fees'
const KINDS: readonly Kind[] = ['realized', 'funding', 'fees']

export class MoneySums {
  readonly #byCurrency = new Map<string, Record<Kind, Exact>>()

  add(kind: Kind, currency: string, amount: string): void {
    const known = this.#byCurrency.get(currency)
    const sums = known ?? { realized: new Exact(0), funding: new Exact(0), fees: new Exact(0) }
    if (known === undefined) this.#byCurrency.set(currency, sums)
    sums[kind] = sums[kind].plus(amount)
  }

  /** By currency. */
  list(): readonly Sums[] {
    return [...this.#byCurrency]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([currency, sums]) => {
        const [realized, funding, fees] = KINDS.map((kind) => sums[kind].toFixed()) as [string, string, string]
        return { currency, realized, funding, fees, net: sums.realized.plus(sums.funding).minus(sums.fees).toFixed() }
      })
  }
}

// What was realised, put together by day, symbol, account or who ordered. Every execution is in one group, so any grouping adds up to the same.

export const GROUPINGS = ['day', 'symbol', 'hook', 'account'] as const
export type Grouping = (typeof GROUPINGS)[number]

/** What happened on one account. */
export interface GroupedHistory {
  readonly account: string
  readonly executions: readonly RealizedExecution[]
  readonly funding: readonly FundingPayment[]
}

export interface PnlGroup {
  /** A day, a symbol, an account, or who ordered. */
  readonly key: string
  readonly fills: number
  readonly sums: readonly Sums[]
}

interface Pnl {
  /** By key. */
  readonly groups: readonly PnlGroup[]
  readonly total: Omit<PnlGroup, 'key'>
}

interface Sum {
  fills: number
  readonly sums: MoneySums
}

/** @param dayOf on which day a time is; default: in UTC */
export function groupPnl(histories: readonly GroupedHistory[], by: Grouping, dayOf: DayOf = utcDay): Pnl {
  const groups = new Map<string, Sum>()
  const total: Sum = { fills: 0, sums: new MoneySums() }
  const sumsAt = (key: string): readonly Sum[] => {
    const known = groups.get(key)
    const sum = known ?? { fills: 0, sums: new MoneySums() }
    if (known === undefined) groups.set(key, sum)
    return [sum, total]
  }
  for (const { account, executions, funding } of histories) {
    for (const execution of executions) {
      for (const sum of sumsAt(keyOf(execution, account, by, dayOf))) addExecution(sum, execution)
    }
    for (const payment of funding) {
      for (const { sums } of sumsAt(fundingKey(payment, account, by, dayOf))) {
        sums.add('funding', payment.currency, payment.amount)
      }
    }
  }
  const listed = [...groups].map(([key, { fills, sums }]) => ({ key, fills, sums: sums.list() }))
  return {
    groups: listed.sort((a, b) => (a.key < b.key ? -1 : 1)),
    total: { fills: total.fills, sums: total.sums.list() },
  }
}

function addExecution(sum: Sum, { trade, pnl, currency }: RealizedExecution): void {
  sum.fills += 1
  if (pnl !== undefined && currency !== undefined) sum.sums.add('realized', currency, pnl)
  if (trade.fee !== undefined) sum.sums.add('fees', trade.feeCurrency ?? currency ?? 'unknown', trade.fee)
}

function keyOf({ trade, by: orderedBy }: RealizedExecution, account: string, by: Grouping, dayOf: DayOf): string {
  switch (by) {
    case 'day':
      return dayOf(trade.timestamp)
    case 'symbol':
      return trade.symbol
    case 'account':
      return account
    case 'hook':
      return orderedBy === undefined && trade.cause !== undefined ? trade.cause : nameOf(orderedBy)
  }
}

/** Nobody ordered it. */
function fundingKey({ symbol, timestamp }: FundingPayment, account: string, by: Grouping, dayOf: DayOf): string {
  if (by === 'hook') return 'funding'
  return by === 'day' ? dayOf(timestamp) : by === 'symbol' ? symbol : account
}

/** `hook:dip`, `web:Console`, `repl`; `other` for what hookline did not order, or did not write down. */
export function nameOf(by: OrderedBy | undefined): string {
  if (by === undefined) return 'other'
  return by.origin === undefined ? by.source : `${by.source}:${by.origin}`
}
