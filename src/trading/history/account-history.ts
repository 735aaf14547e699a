// What happened on one account: what was executed, what that realised, and what is not known of it.

import { defined } from '../../base/defined.ts'
import type { VenueView } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Market } from '../../exchange/market.ts'
import type { FundingPayment, Position } from '../../exchange/order.ts'
import type { EquityRecord } from '../../stores/equity-log.ts'
import { equityOf } from '../portfolio.ts'
import { type Gap, gatherExecutions } from './executions.ts'
import type { JournalHistory } from './journal-history.ts'
import { Exact, type Holding, type RealizedExecution, realize } from './realize.ts'

/** A time span, ms since the epoch: from `since` on, and before `until`. */
export interface Range {
  readonly since?: number
  readonly until?: number
}

export interface AccountQuestion extends Range {
  /** Default: every symbol that the journal has, or that something is held or rests on. */
  readonly symbols?: readonly string[]
  readonly withFunding?: boolean
}

export interface AccountHistory {
  /** All there are, oldest first; those in the range are asked for with `isWithin`. */
  readonly executions: readonly RealizedExecution[]
  /** Within the range. */
  readonly funding: readonly FundingPayment[]
  readonly markets: readonly Market[]
  readonly gaps: readonly Gap[]
}

/** Of one symbol: more than a year of hourly payments. */
const MAX_PAYMENTS = 10_000

/** @throws {ExchangeError} the venue does not tell its markets */
export async function askAccount(
  venue: VenueView,
  journal: JournalHistory,
  question: AccountQuestion,
): Promise<AccountHistory> {
  const markets = await venue.loadMarkets()
  const { symbols: asked, since, until, withFunding = false } = question
  const gathered = await gatherExecutions(venue, journal, defined({ symbols: asked, since }))
  const { executions, holdings, gaps } = realize(gathered.executions, markets)
  const found: Gap[] = [...gathered.gaps, ...gaps]
  const kinds = new Map(markets.map(({ symbol, kind }) => [symbol, kind]))
  const contracts = gathered.symbols.filter((symbol) => kinds.get(symbol) !== 'spot')
  if (gathered.positions !== undefined && until === undefined && journal.endsAt === undefined) {
    found.push(...differences(contracts, holdings, gathered.positions))
  }
  const funding = withFunding ? await askFunding(venue, contracts, question, found) : []
  // What the venue did by itself has no one who ordered it.
  const unordered = executions.filter(
    ({ trade, by }) => by === undefined && trade.cause === undefined && isWithin(trade.timestamp, question),
  ).length
  if (unordered > 0) {
    const { beginsAt } = journal
    found.push({ kind: 'orders-unknown', fills: unordered, ...defined({ knownSince: beginsAt }) })
  }
  return { executions, funding, markets, gaps: found }
}

export function isWithin(ms: number, { since = 0, until = Number.POSITIVE_INFINITY }: Range): boolean {
  return ms >= since && ms < until
}

function differences(
  symbols: readonly string[],
  holdings: ReadonlyMap<string, Holding>,
  positions: readonly Position[],
): Gap[] {
  return symbols.flatMap((symbol) => {
    const position = positions.find((candidate) => candidate.symbol === symbol)
    const size = new Exact(position?.amount ?? 0)
    const held = position?.side === 'short' ? size.neg() : size
    const counted = holdings.get(symbol)?.amount ?? new Exact(0)
    if (counted.eq(held)) return []
    return [{ kind: 'position-differs', symbol, counted: counted.toFixed(), held: held.toFixed() }]
  })
}

async function askFunding(
  venue: VenueView,
  symbols: readonly string[],
  range: Range,
  gaps: Gap[],
): Promise<readonly FundingPayment[]> {
  if (symbols.length === 0) return []
  const fetchPayments = venue.fetchFundingPayments?.bind(venue)
  if (fetchPayments === undefined) {
    gaps.push({ kind: 'funding-unknown' })
    return []
  }
  const { since } = range
  try {
    const asked = symbols.map(async (symbol) => {
      const payments = await fetchPayments({ symbol, limit: MAX_PAYMENTS, ...defined({ since }) })
      const [oldest] = payments
      if (payments.length >= MAX_PAYMENTS && oldest !== undefined) {
        gaps.push({ kind: 'funding-cut', symbol, since: oldest.timestamp })
      }
      return payments
    })
    return (await Promise.all(asked)).flat().filter(({ timestamp }) => isWithin(timestamp, range))
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    gaps.push({ kind: 'funding-unknown' })
    return []
  }
}

/** The newest record of equity, which is written down once a minute. @param gaps has one more where the account is stale or silent */
export async function equityNow(
  venue: VenueView,
  markets: readonly Market[],
  now: Pick<EquityRecord, 'account' | 'at'>,
  gaps: Gap[],
): Promise<readonly EquityRecord[]> {
  const balances = venue.stream === 'stale' ? undefined : await venue.fetchBalances().catch(ifSilent)
  if (balances === undefined) gaps.push({ kind: 'equity-unknown' })
  const record = balances && equityOf(balances, markets, now)
  return record === undefined ? [] : [record]
}

function ifSilent(error: unknown): undefined {
  if (!(error instanceof ExchangeError)) throw error
}
