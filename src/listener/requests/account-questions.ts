// `fills:query`, `equity:query` and `pnl:query`: what was executed on an account, what it realised, and what the account was worth.
import { defined } from '../../base/defined.ts'
import { unknownAccount } from '../../commands/account/account-name.ts'
import { describeGap } from '../../commands/history/show-list.ts'
import { CommandError, describeRefusal, isRefusal } from '../../commands/kit/errors.ts'
import type { CommandPorts } from '../../commands/kit/ports.ts'
import { describeCause } from '../../exchange/order.ts'
import { printable } from '../../language/printable.ts'
import type { Answerers } from '../../protocol/desk-frames.ts'
import type { EquityPoint, FillRow } from '../../protocol/frames.ts'
import type { EquityRecord } from '../../stores/equity-log.ts'
import {
  type AccountHistory,
  type AccountQuestion,
  askAccount,
  isWithin,
  type Range,
} from '../../trading/history/account-history.ts'
import { type DayOf, type GroupedHistory, groupPnl, utcDay, zonedDay } from '../../trading/history/pnl-groups.ts'
import type { RealizedExecution } from '../../trading/history/realize.ts'
import { findMarkets } from '../../trading/market-view.ts'
import type { OrderedBy } from '../../trading/order-plan.ts'
import { DEFAULT_PAGE } from './run-questions.ts'

interface AccountQuestionPorts {
  readonly accounts: CommandPorts['accounts']
  readonly focus: Pick<CommandPorts['focus'], 'account'>
  readonly connect: CommandPorts['connect']
  readonly histories: AccountHistories
  readonly equity: { read(account: string, from?: number, to?: number): Promise<readonly EquityRecord[]> }
}

const DEFAULT_POINTS = 500

type Questions = 'fills:query' | 'equity:query' | 'pnl:query'

export function accountQuestions(ports: AccountQuestionPorts): Pick<Answerers, Questions> {
  const { accounts, focus, histories, equity } = ports
  /** @throws {CommandError} `unknown-account` */
  const nameOf = (account = focus.account()): string => {
    if (accounts.find(account) === undefined) throw unknownAccount(account)
    return account
  }
  return {
    async 'fills:query'({ id, account, limit = DEFAULT_PAGE, cursor, filters = {} }) {
      const name = nameOf(account)
      const place = cursor === undefined ? undefined : placeOf(cursor)
      const { executions, gaps } = await histories.of(name, {})
      const fits = executions.filter((execution) => isAskedFor(execution, filters as FillFilters)).toReversed()
      const { page, next } = pageOf(fits, limit, place)
      return {
        t: 'fills:page',
        id,
        account: name,
        fills: page.map((each) => fillRowOf(name, each)),
        ...defined({ next }),
        gaps: gaps.map(describeGap),
      }
    },
    async 'equity:query'({ id, account, from, to, points = DEFAULT_POINTS }) {
      const name = nameOf(account)
      const records = await equity.read(name, from, to)
      const newest = records.at(-1)
      // An account that was made anew may be counted in something else.
      const same = records.filter(({ currency }) => currency === newest?.currency)
      const [oldest] = same
      return {
        t: 'equity:page',
        id,
        account: name,
        ...defined({ currency: newest?.currency, since: oldest?.at }),
        points: thinned(same, points).map(({ at, total, wallet }): EquityPoint => [at, total, wallet]),
      }
    },
    async 'pnl:query'({ id, by, account, symbol, from, to, zone }) {
      const dayOf = dayOfZone(zone)
      const range = rangeOf(from, to)
      const isOfAll = by === 'account' && account === undefined
      const names = isOfAll ? accounts.list().map(({ name }) => name) : [nameOf(account)]
      const asked = await Promise.all(names.map((name) => historyOf(ports, name, symbol, range, isOfAll)))
      const { groups, total } = groupPnl(
        asked.flatMap(({ history }) => history ?? []),
        by,
        dayOf,
      )
      return {
        t: 'pnl:page',
        id,
        by,
        accounts: names,
        groups: groups.map(({ key, fills, sums }) => ({ key, fills, sums: [...sums] })),
        total: { key: 'total', fills: total.fills, sums: [...total.sums] },
        gaps: asked.flatMap(({ gaps }) => gaps),
        ...defined({ zone }),
      }
    },
  }
}

/** @throws {CommandError} there is no such zone */
function dayOfZone(zone: string | undefined): DayOf {
  const dayOf = zone === undefined ? utcDay : zonedDay(zone)
  if (dayOf !== undefined) return dayOf
  throw new CommandError('invalid-field', 'there is no such time zone as `zone` says', {
    hint: 'name one as `Europe/Berlin`, or leave it out for UTC',
  })
}

function rangeOf(since: number | undefined, until: number | undefined): Range {
  return defined({ since, until })
}

interface Asked {
  readonly history?: GroupedHistory
  readonly gaps: readonly string[]
}

/** @param isOneOfAll one that does not answer keeps nobody from knowing of the others */
async function historyOf(
  { connect, histories }: AccountQuestionPorts,
  name: string,
  symbol: string | undefined,
  range: Range,
  isOneOfAll: boolean,
): Promise<Asked> {
  const prefix = isOneOfAll ? `${printable(name, 40)}: ` : ''
  try {
    const symbols = symbol === undefined ? [] : await findMarkets((await connect(name)).venue, [symbol])
    const { executions, funding, gaps } = await histories.of(name, { ...range, withFunding: true, symbols })
    const within = executions.filter(({ trade }) => isWithin(trade.timestamp, range))
    return {
      history: { account: name, executions: within, funding },
      gaps: gaps.map((gap) => `${prefix}${describeGap(gap)}`),
    }
  } catch (error) {
    if (!isOneOfAll || !isRefusal(error)) throw error
    return { gaps: [`${prefix}${describeRefusal(error)}`] }
  }
}

interface FillFilters {
  readonly symbol?: string
  readonly source?: string
  readonly hookId?: string
  readonly from?: number
  readonly to?: number
}

function isAskedFor({ trade, by }: RealizedExecution, { symbol, source, hookId, from, to }: FillFilters): boolean {
  if (!isWithin(trade.timestamp, rangeOf(from, to))) return false
  if (symbol !== undefined && trade.symbol !== symbol.toUpperCase()) return false
  if (source !== undefined && by?.source !== source) return false
  if (hookId === undefined) return true
  return by?.hookId === hookId || (by?.source === 'hook' && by.origin?.toLowerCase() === hookId.toLowerCase())
}

/** Behind so many fills of that time. */
interface Place {
  readonly timestamp: number
  readonly given: number
}

const CURSOR = /^f1\.(\d{1,15})\.(\d{1,6})$/

/** @throws {CommandError} it is none that we gave */
function placeOf(cursor: string): Place {
  const [, timestamp, given] = CURSOR.exec(cursor) ?? []
  if (timestamp === undefined) {
    throw new CommandError('invalid-field', 'invalid `cursor`', { hint: 'leave it out to begin anew' })
  }
  return { timestamp: Number(timestamp), given: Number(given) }
}
/** @param fills newest first */
function pageOf(fills: readonly RealizedExecution[], limit: number, place: Place | undefined) {
  const older = place === undefined ? fills : behind(fills, place)
  const page = older.slice(0, limit)
  const last = page.at(-1)?.trade.timestamp
  if (older.length <= limit || last === undefined) return { page, next: undefined }
  const before = fills.length - older.length + page.length
  const given = fills.slice(0, before).filter(({ trade }) => trade.timestamp === last).length
  return { page, next: `f1.${last}.${given}` }
}

function behind(fills: readonly RealizedExecution[], { timestamp, given }: Place): readonly RealizedExecution[] {
  const same = fills.filter(({ trade }) => trade.timestamp === timestamp).slice(given)
  return [...same, ...fills.filter(({ trade }) => trade.timestamp < timestamp)]
}

export function fillRowOf(
  account: string,
  { trade, by, pnl, currency }: Pick<RealizedExecution, 'trade' | 'by' | 'pnl' | 'currency'>,
): FillRow {
  const { id, orderId, symbol, side, amount, price, fee, feeCurrency, cause, timestamp } = trade
  return {
    account,
    id,
    orderId,
    symbol,
    side,
    amount,
    price,
    timestamp,
    ...defined({ fee, feeCurrency }),
    ...(cause === undefined ? {} : { cause: describeCause(cause) }),
    ...(pnl === undefined || currency === undefined ? {} : { pnl, pnlCurrency: currency }),
    ...(by === undefined ? {} : whoOrdered(by)),
  }
}

function whoOrdered({ source, origin, hookId, runId, taskId, copier }: OrderedBy): Partial<FillRow> {
  return { source, runId, ...defined({ origin, hookId, taskId, copier }) }
}

/** So many of them at most, evenly chosen, the first and the last among them. */
function thinned<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all
  const step = (all.length - 1) / (most - 1)
  return Array.from({ length: most }, (_, index) => all[Math.round(index * step)] as T)
}

// What happened on accounts, asked of journal and venue together: kept for a few seconds, so that the pages of one question are of one moment,
// and no page makes a venue answer more often than that.

const KEPT_MS = 5_000
const MAX_KEPT = 8

interface HistoryPorts {
  readonly connect: CommandPorts['connect']
  readonly orderHistory: CommandPorts['orderHistory']
  /** ms; only differences count. */
  readonly now: () => number
}

interface Kept {
  readonly of: string
  readonly history: Promise<AccountHistory>
  readonly until: number
}

export class AccountHistories {
  readonly #ports: HistoryPorts
  readonly #kept = new Map<string, Kept>()

  constructor(ports: HistoryPorts) {
    this.#ports = ports
  }

  /** @throws {TradingError} {ExchangeError} {CommandError} */
  of(account: string, question: AccountQuestion): Promise<AccountHistory> {
    const { symbols = [], ...rest } = question
    const key = JSON.stringify([account, symbols, rest.since, rest.until, rest.withFunding])
    const now = this.#ports.now()
    const known = this.#kept.get(key)
    if (known !== undefined && known.until > now) return known.history
    const history = this.#ask(account, { ...rest, ...(symbols.length === 0 ? {} : { symbols }) })
    this.#kept.delete(key)
    this.#kept.set(key, { of: account, history, until: now + KEPT_MS })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest)
    // What has failed is asked again.
    history.catch(() => this.#kept.delete(key))
    return history
  }

  /** Something has filled on it. */
  forget(account: string): void {
    for (const [key, { of }] of this.#kept) if (of === account) this.#kept.delete(key)
  }

  async #ask(account: string, question: AccountQuestion): Promise<AccountHistory> {
    const { venue } = await this.#ports.connect(account)
    return askAccount(venue, await this.#ports.orderHistory(account), question)
  }
}
