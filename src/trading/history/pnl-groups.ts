// On which day something happened: in UTC, or in a zone that a person lives in.
import { defined } from '../../base/defined.ts'
import type { FundingPayment } from '../../exchange/order.ts'
import { isWithin, type Range } from './account-history.ts'
import { nameOf } from './executions.ts'
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

/** Of an execution, or of a share of it. */
interface Money {
  readonly pnl?: string
  readonly fee?: string
  /** That of `pnl`. */
  readonly currency: string | undefined
  readonly feeCurrency: string | undefined
}

export function moneyOf({ trade, pnl, currency }: RealizedExecution): Money {
  return { currency, feeCurrency: trade.feeCurrency, ...defined({ pnl, fee: trade.fee }) }
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

  addExecution({ pnl, currency, fee, feeCurrency }: Money): void {
    if (pnl !== undefined && currency !== undefined) this.add('realized', currency, pnl)
    if (fee !== undefined) this.add('fees', feeCurrency ?? currency ?? 'unknown', fee)
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

// What was realised, put together by day, symbol, account or who entered. Any grouping adds up to the same.

export const GROUPINGS = ['day', 'symbol', 'hook', 'account'] as const
export type Grouping = (typeof GROUPINGS)[number]

/** What happened on one account. */
export interface GroupedHistory {
  readonly account: string
  /** All there are, oldest first. */
  readonly executions: readonly RealizedExecution[]
  /** Within the range. */
  readonly funding: readonly FundingPayment[]
  /** Default: all of the time. */
  readonly range?: Range
}

export interface PnlGroup {
  /** A day, a symbol, an account, or who entered. */
  readonly key: string
  /** By who entered: those that it ordered. */
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
  const groupAt = (key: string): Sum => {
    const sum = groups.get(key) ?? { fills: 0, sums: new MoneySums() }
    groups.set(key, sum)
    return sum
  }
  for (const { account, executions, funding, range = {} } of histories) {
    for (const execution of executions) {
      if (!isWithin(execution.trade.timestamp, range)) continue
      const whole = moneyOf(execution)
      const ordered = groupAt(keyOf(execution, account, by, dayOf))
      for (const sum of [ordered, total]) sum.fills += 1
      total.sums.addExecution(whole)
      if (by !== 'hook') ordered.sums.addExecution(whole)
      else for (const share of execution.shares) groupAt(nameOf(share.by)).sums.addExecution({ ...whole, ...share })
    }
    for (const payment of funding) {
      for (const { sums } of [groupAt(fundingKey(payment, account, by, { dayOf, executions })), total])
        sums.add('funding', payment.currency, payment.amount)
    }
  }
  const listed = [...groups].map(([key, { fills, sums }]) => ({ key, fills, sums: sums.list() }))
  return {
    groups: listed.sort((a, b) => (a.key < b.key ? -1 : 1)),
    total: { fills: total.fills, sums: total.sums.list() },
  }
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

interface FundingPlace {
  readonly dayOf: DayOf
  readonly executions: readonly RealizedExecution[]
}

/** By who entered: it is with who opened what it was paid for. */
function fundingKey(
  { symbol, timestamp }: FundingPayment,
  account: string,
  by: Grouping,
  { dayOf, executions }: FundingPlace,
): string {
  if (by === 'day') return dayOf(timestamp)
  if (by !== 'hook') return by === 'symbol' ? symbol : account
  const held = executions.findLast(({ trade }) => trade.symbol === symbol && trade.timestamp <= timestamp)
  return nameOf(held?.opener?.by)
}
