// The questions of sessions about an account, its runs and the copier's rows, and their answers.
import { createHash, randomUUID } from 'node:crypto'
import { defined } from '../../base/defined.ts'
import { unknownAccount } from '../../commands/account/account-name.ts'
import { readMode, readSlippage, readSymbol, readWeight } from '../../commands/cross-trade/read-copier.ts'
import { unknownFees } from '../../commands/history/history-options.ts'
import { pastOrders } from '../../commands/history/orders-all.ts'
import { describeGap } from '../../commands/history/show-list.ts'
import { listedTrips } from '../../commands/history/trades.ts'
import { leftData } from '../../commands/hooks/limit-lines.ts'
import type { HookReplayData } from '../../commands/kit/data.ts'
import { requireConsole, requireMayDecide } from '../../commands/kit/effects.ts'
import { CommandError, describeRefusal, isRefusal } from '../../commands/kit/errors.ts'
import type { Clients, CommandPorts, ProposalPort, ReplayHook, RunArchive } from '../../commands/kit/ports.ts'
import { checkRows, problemOf } from '../../cross-trade/rows-check.ts'
import type { VenueView } from '../../exchange/exchange.ts'
import { describeCause } from '../../exchange/order.ts'
import { isCounted } from '../../hooks/fire-limits.ts'
import { printable } from '../../language/printable.ts'
import {
  type Answerers,
  type Asking,
  type ClientRow,
  copyRow,
  type ProposalRow,
  pastOrderRow,
  proposalRow,
  runOrderRow,
  runRow,
  tradeRow,
} from '../../protocol/desk-frames.ts'
import type { EquityPoint, FillRow, Frame } from '../../protocol/frames.ts'
import { crossTradeDraft, GRANT_MS, isOpen, pick } from '../../protocol/rows.ts'
import { WIRE_LIMITS } from '../../protocol/wire-limits.ts'
import { type HookCounts, isOfOperator, type RunSummary } from '../../runs/run.ts'
import type { RunFilters, RunPages } from '../../runtime/run-pages.ts'
import type { Runner } from '../../runtime/runner.ts'
import type { AccountStore } from '../../stores/accounts.ts'
import type { Grant, HeldGrant } from '../../stores/client-grants.ts'
import type { CrossTradeConfig, CrossTradeCopier, CrossTradeStore } from '../../stores/cross-trade.ts'
import type { EquityLog, EquityRecord } from '../../stores/equity-log.ts'
import type { Focus } from '../../stores/focus.ts'
import type { HookStore } from '../../stores/hooks.ts'
import type { NoteStore } from '../../stores/notes.ts'
import type { Proposal } from '../../stores/proposals.ts'
import type { TrustedClient, TrustedClientStore } from '../../stores/trusted-clients.ts'
import type { Clock } from '../../trading/clock.ts'
import {
  type AccountHistory,
  type AccountQuestion,
  askAccount,
  equityNow,
  isWithin,
  type Range,
} from '../../trading/history/account-history.ts'
import type { CopyRecord } from '../../trading/history/copies.ts'
import type { ReadOrderHistory } from '../../trading/history/journal-history.ts'
import { type Noted, Notes } from '../../trading/history/notes.ts'
import { type DayOf, type GroupedHistory, groupPnl, utcDay, zonedDay } from '../../trading/history/pnl-groups.ts'
import type { RealizedExecution } from '../../trading/history/realize.ts'
import { roundTrips } from '../../trading/history/round-trips.ts'
import { drawdownUntil, maxDrawdownOf, statsOf } from '../../trading/history/trade-stats.ts'
import { findMarkets } from '../../trading/market-view.ts'
import type { Connect } from '../../trading/order-desk.ts'
import type { OrderedBy } from '../../trading/order-plan.ts'
import { marketRowOf } from './watched-market.ts'

interface RunQuestionPorts {
  readonly runPages: Pick<RunPages, 'page' | 'find'>
  readonly runArchive: Pick<RunArchive, 'output' | 'orders'>
  /** Whether pages see accounts. */
  readonly showsAccounts: () => boolean
  readonly hooks: Pick<HookStore, 'list'>
  /** Of the last 24 h, by hook id. */
  readonly hookCounts: () => Promise<ReadonlyMap<string, HookCounts>>
  readonly runner: Pick<Runner, 'hookFacts'>
}

const DEFAULT_PAGE = 50

/** What a run of a terminal brought is output of that terminal. */
export function shownRun(run: RunSummary) {
  const { outcome, ...others } = pick(runRow, run)
  return outcome === undefined || isOfOperator(run.source) ? others : { ...others, outcome }
}

/** A UUID, or how one begins. */
const RUN_ID = /^[0-9a-f-]{8,36}$/

export function runQuestions({
  runPages,
  runArchive,
  showsAccounts,
  hooks,
  hookCounts,
  runner,
}: RunQuestionPorts): Pick<Answerers, 'runs:query' | 'runs:show' | 'hooks:counts'> {
  return {
    async 'runs:query'({ id, limit = DEFAULT_PAGE, cursor, filters = {} }) {
      const { runs, next } = await runPages.page(limit, filters as RunFilters, cursor)
      return { t: 'runs:page', id, runs: runs.map(shownRun), ...defined({ next }) }
    },
    async 'runs:show'({ id, runId }) {
      const wanted = runId.toLowerCase()
      const run = RUN_ID.test(wanted) ? await runPages.find(wanted) : undefined
      if (run === undefined)
        throw new CommandError('unknown-run', 'there is no such run', { hint: 'ask for `runs:query`' })
      // A page sees what pages and hooks did; what the operator's own terminal showed is the operator's.
      if (isOfOperator(run.source)) {
        throw new CommandError('terminal-only', 'what was typed in a terminal is shown in a terminal only', {
          hint: `type \`runs show ${run.runId.slice(0, 8)}\` there`,
        })
      }
      const [output, orders] = await Promise.all([
        runArchive.output(run),
        showsAccounts() ? runArchive.orders(run) : undefined,
      ])
      return {
        t: 'runs:run',
        id,
        run: shownRun(run),
        leftOut: output.leftOut,
        steps: output.steps.map(([afterMs, tookMs, success, text]) => ({ afterMs, tookMs, success, text })),
        output: output.lines.map(([afterMs, kind, text]) => ({ afterMs, kind, text })),
        ...defined({ orders: orders?.map((order) => pick(runOrderRow, order)) }),
      }
    },
    async 'hooks:counts'({ id }) {
      const counts = await hookCounts()
      const all = hooks.list()
      // The runs that count are in memory: the journal is read for the first one that asks, be it a fire or a page.
      const left = all.filter(isCounted).map((hook) => ({ hookId: hook.id, ...leftData(hook, runner.hookFacts(hook)) }))
      return {
        t: 'hooks:day',
        id,
        hooks: all.flatMap(({ id: hookId }) => {
          const day = counts.get(hookId)
          return day === undefined ? [] : [{ hookId, ...day }]
        }),
        left,
      }
    },
  }
}

// `hooks:replay`: a hook on candles of the past.

/** The client, and what ends its questions: its session has ended, or pages may not see accounts any more. */
export interface EndingAsker extends Asking {
  readonly signal: AbortSignal
}

export function replayQuestion(replayHook: ReplayHook): Pick<Answerers<EndingAsker>, 'hooks:replay'> {
  return {
    async 'hooks:replay'({ id, hookId, days }, { signal }) {
      const until = AbortSignal.any([signal, AbortSignal.timeout(WIRE_LIMITS.replayMs)])
      const replayed = await replayHook({ hookId, days, maxCandles: WIRE_LIMITS.replayCandles }, until)
      return { t: 'hooks:replayed', id, hookId, ...replayRow(replayed) }
    },
  }
}

const MAX_REPLAY_TASKS = 20

function replayRow(replayed: HookReplayData): Omit<Frame<'hooks:replayed'>, 't' | 'id' | 'hookId'> {
  const { stats, fires, fills, tasks = [], equity, notes, unknown, open, deepestFall: fall } = replayed
  const leftOut = fills.length - WIRE_LIMITS.replayFills
  const error = fires.find(({ run }) => run?.error !== undefined)?.run?.error
  return {
    when: replayed.when,
    command: replayed.command,
    account: replayed.account,
    symbol: replayed.symbol,
    frame: replayed.frame,
    bars: replayed.bars,
    from: replayed.from,
    to: replayed.to,
    currency: replayed.currency,
    balance: replayed.balance,
    profit: replayed.profit,
    profitPercent: replayed.profitPercent,
    fees: replayed.fees,
    inMarketPercent: replayed.inMarketPercent,
    fires: countsOf(fires.map(({ run }) => run?.state ?? 'unfilled')),
    fills: fills
      .slice(-WIRE_LIMITS.replayFills)
      .map(({ at, side, amount, price, fee, pnl }) => ({ at, side, amount, price, ...defined({ fee, pnl }) })),
    ...(leftOut > 0 ? { leftOut } : {}),
    ...defined({
      error: error === undefined ? undefined : printable(error, 300),
      open: open && { side: open.side, amount: open.amount },
      deepestFall: fall && { amount: fall.amount, percent: fall.percent, from: fall.from, to: fall.to },
      winRate: stats.winRate,
      r: stats.r?.average,
      ended: replayed.ended,
    }),
    trades: stats.trades,
    exits: fills.filter(({ pnl = '0' }) => /[1-9]/.test(pnl)).length,
    tasks: tasks.slice(-MAX_REPLAY_TASKS).map(({ kind, status, doing }) => ({ kind, status, ...defined({ doing }) })),
    equity: equity.map(([at, value]) => [at, value]),
    notes: [...notes],
    assumptions: [...unknown],
  }
}

function countsOf(states: readonly string[]): { state: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1)
  return [...counts].map(([state, count]) => ({ state, count }))
}

// `fills:query`, `equity:query` and `pnl:query`: what was executed on an account, what it realised, and what the account was worth.

interface AccountQuestionPorts {
  readonly accounts: AccountStore
  readonly focus: Pick<Focus, 'account'>
  readonly connect: Connect
  readonly histories: AccountHistories
  readonly orderHistory: ReadOrderHistory
  readonly notes: Pick<NoteStore, 'read'>
  readonly onBug: (error: unknown) => void
  readonly equity: Pick<EquityLog, 'read'> & { note(record: EquityRecord): void }
  readonly clock: Pick<Clock, 'now'>
}

const DEFAULT_POINTS = 500

type Questions = 'fills:query' | 'equity:query' | 'pnl:query'

export function accountQuestions(ports: AccountQuestionPorts): Pick<Answerers, Questions> {
  const { accounts, histories, equity } = ports
  const nameOf = (account?: string) => knownAccount(ports, account)
  return {
    async 'fills:query'({ id, account, limit = DEFAULT_PAGE, cursor, filters = {} }) {
      const name = nameOf(account)
      const place = cursor === undefined ? undefined : placeOf(cursor)
      const { executions, gaps } = await histories.of(name, {})
      const fits = executions.filter((execution) => isAskedFor(execution, filters as FillFilters)).toReversed()
      const { page, next } = pageOf(fits, limit, place)
      const notes = await notesOf(ports, name, (await ports.orderHistory(name)).resetAt)
      return {
        t: 'fills:page',
        id,
        account: name,
        fills: page.map((each) =>
          fillRowOf(name, each, notes.ofOrder(each.trade.symbol, each.trade.orderId, each.tags)),
        ),
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
        points: curveOf(same, points).map(({ at, total, wallet }): EquityPoint => [at, total, wallet]),
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

/** @throws {CommandError} `unknown-account` */
function knownAccount(
  { accounts, focus }: Pick<AccountQuestionPorts, 'accounts' | 'focus'>,
  account = focus.account(),
): string {
  if (accounts.find(account) === undefined) throw unknownAccount(account)
  return account
}

/** @throws {CommandError} there is no such zone */
function dayOfZone(zone: string | undefined): DayOf {
  const dayOf = zone === undefined ? utcDay : zonedDay(zone)
  if (dayOf !== undefined) return dayOf
  throw new CommandError('invalid-field', '`zone` is not a known time zone', {
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

/** @param isOneOfAll one that does not answer keeps no one from knowing of the others */
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
    return {
      history: { account: name, executions, funding, range },
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
    throw new CommandError('invalid-field', 'invalid `cursor`', { hint: 'leave it out to start over' })
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
  { note, tags }: Noted = {},
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
    ...defined({ note, tags: tags && [...tags] }),
  }
}

function whoOrdered({ source, origin, hookId, runId, taskId, copier }: OrderedBy): Partial<FillRow> {
  return { source, runId, ...defined({ origin, hookId, taskId, copier }) }
}

/** So many of them at most; the deepest fall is among them. */
function curveOf(records: readonly EquityRecord[], most: number): readonly EquityRecord[] {
  if (records.length <= most) return records
  const { from, to } = maxDrawdownOf(records) ?? {}
  const ends = records.filter(({ at }) => at === from || at === to)
  const kept = new Set([...thinned(records, Math.max(2, most - ends.length)), ...(most > 3 ? ends : [])])
  return records.filter((record) => kept.has(record))
}

/** So many of them at most, evenly chosen, the first and the last among them. */
function thinned<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all
  const step = (all.length - 1) / (most - 1)
  return Array.from({ length: most }, (_, index) => all[Math.round(index * step)] as T)
}

// `trades:query`, `orders:query` and `markets:query`: what `session`, `orders --all` and `price` show.

export function historyQuestions(
  ports: AccountQuestionPorts,
): Pick<Answerers, 'trades:query' | 'orders:query' | 'markets:query'> {
  const { connect, histories, equity, orderHistory } = ports
  const summaries = new MarketSummaries(ports)
  return {
    async 'trades:query'({ id, account, symbol, from, to, limit }) {
      const name = knownAccount(ports, account)
      const range = rangeOf(from, to)
      const { venue } = await connect(name)
      const symbols = symbol === undefined ? [] : await findMarkets(venue, [symbol])
      const journal = await orderHistory(name)
      const history = await histories.of(name, { ...range, withFunding: true, symbols })
      const within = history.executions.filter(({ trade }) => isWithin(trade.timestamp, range))
      const gaps = [...history.gaps, ...unknownFees(within)]
      const trips = roundTrips(history.executions, history.markets)
      const funding = gaps.some(({ kind }) => kind === 'funding-unknown') ? undefined : history.funding
      const isOfAccount = symbols.length === 0 && venue.kind !== 'spot'
      const records = isOfAccount ? await equity.read(name, Math.max(from ?? 0, journal.resetAt ?? 0), to) : []
      const at = ports.clock.now()
      const now =
        isOfAccount && at < (to ?? at + 1) ? await equityNow(venue, history.markets, { account: name, at }, gaps) : []
      const { sums, ...stats } = statsOf({ trips, funding, range })
      const listed =
        limit === undefined
          ? undefined
          : newestOf(listedTrips(trips, { range, notes: await notesOf(ports, name, journal.resetAt), now: at }), limit)
      return {
        t: 'trades:sums',
        id,
        account: name,
        ...stats,
        open: trips.filter(({ closedAt }) => closedAt === undefined).length,
        sums: [...sums],
        ...defined({ maxDrawdown: drawdownUntil(now, records, (record) => equity.note(record)) }),
        ...(listed && { list: listed.newest.map((trip) => pick(tradeRow, trip)), ...listed.older }),
        gaps: gaps.map(describeGap),
      }
    },
    async 'orders:query'({ id, account, symbol, limit = DEFAULT_PAGE }) {
      const name = knownAccount(ports, account)
      const { venue } = await connect(name)
      const symbols = symbol === undefined ? [] : await findMarkets(venue, [symbol])
      const journal = await orderHistory(name)
      const notes = await notesOf(ports, name, journal.resetAt)
      const { rows, gaps } = await pastOrders(venue, name, { journal, notes, symbols, range: {}, isBeforeReset: false })
      const { newest, older } = newestOf(rows, limit)
      return {
        t: 'orders:page',
        id,
        account: name,
        orders: newest.map((row) => pick(pastOrderRow, row)),
        ...older,
        gaps: gaps.map(describeGap),
      }
    },
    async 'markets:query'({ id, account, symbols }) {
      const name = knownAccount(ports, account)
      const { venue } = await connect(name)
      const markets = await Promise.all([...new Set(symbols)].map((symbol) => summaries.of(name, venue, symbol)))
      return { t: 'markets:page', id, account: name, markets }
    },
  }
}

/** The newest first, and how many older ones there are. */
function newestOf<Row>(rows: readonly Row[], limit: number) {
  const newest = rows.slice(-limit).toReversed()
  return { newest, older: newest.length < rows.length ? { leftOut: rows.length - newest.length } : {} }
}

/** Without any where the file cannot be read. */
async function notesOf({ accounts, notes, onBug }: AccountQuestionPorts, name: string, resetAt = 0): Promise<Notes> {
  const since = Math.max(accounts.find(name)?.createdAt ?? 0, resetAt)
  try {
    return new Notes(await notes.read(name), { since })
  } catch (error) {
    if (!isRefusal(error)) onBug(error)
    return new Notes([], { since })
  }
}

type SummaryRow = Frame<'markets:page'>['markets'][number]

/** Kept for a few seconds: no page makes a venue answer more often than that. */
class MarketSummaries {
  readonly #ports: Pick<AccountQuestionPorts, 'onBug'>
  readonly #kept = new Map<string, { readonly row: Promise<SummaryRow>; readonly until: number }>()

  constructor(ports: Pick<AccountQuestionPorts, 'onBug'>) {
    this.#ports = ports
  }

  of(account: string, venue: VenueView, symbol: string): Promise<SummaryRow> {
    const key = JSON.stringify([account, symbol])
    const now = performance.now()
    const known = this.#kept.get(key)
    if (known !== undefined && known.until > now) return known.row
    const row = this.#ask(venue, symbol)
    this.#kept.delete(key)
    this.#kept.set(key, { row, until: now + KEPT_MS })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MAX_SUMMARIES && oldest !== undefined) this.#kept.delete(oldest)
    return row
  }

  async #ask(venue: VenueView, typed: string): Promise<SummaryRow> {
    try {
      const [symbol = typed] = await findMarkets(venue, [typed])
      const [markets, { last }, summary] = await Promise.all([
        venue.loadMarkets(),
        venue.fetchTicker(symbol),
        venue.fetchMarketSummary?.(symbol).catch(this.#unknown),
      ])
      const { mark, changePercent, quoteVolume, funding } = summary ?? {}
      const market = markets.find((each) => each.symbol === symbol)
      return {
        symbol,
        last,
        ...defined({
          tick: market && marketRowOf(market, last).tick,
          mark,
          changePercent,
          quoteVolume,
          fundingRate: funding?.rate,
          fundingAt: funding?.at,
        }),
      }
    } catch (error) {
      if (!isRefusal(error)) this.#ports.onBug(error)
      return { symbol: typed, problem: isRefusal(error) ? describeRefusal(error) : 'internal error' }
    }
  }

  /** The price is shown without it. */
  readonly #unknown = (error: unknown): undefined => {
    if (!isRefusal(error)) throw error
  }
}

const MAX_SUMMARIES = 200

// What happened on accounts, asked of journal and venue together: kept for a few seconds, so that the pages of one question are of one moment,
// and no page makes a venue answer more often than that.

const KEPT_MS = 5_000
const MAX_KEPT = 8

interface HistoryPorts {
  readonly connect: Connect
  readonly orderHistory: ReadOrderHistory
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

// `propose` and `withdraw`, `approve` and `deny`, and the rows of the topic `proposals`.

/** As it was decided: `runId` of one that has begun. */
interface ProposalDecision {
  readonly op: 'approve' | 'deny'
  readonly proposal: Proposal
  readonly runId?: string
}

interface ProposalQuestionPorts {
  readonly proposals: Pick<ProposalPort, 'find' | 'propose' | 'withdraw' | 'approve' | 'deny'>
  readonly trustedClients: Pick<TrustedClientStore, 'grantOf' | 'standingOf'>
  /** Whether pages see accounts, and so proposals. */
  readonly showsAccounts: () => boolean
  readonly onDecision: (decision: ProposalDecision, by: Asking) => void
  readonly onBug: (error: unknown) => void
}

export function proposalQuestions({
  proposals,
  trustedClients,
  showsAccounts,
  onDecision,
  onBug,
}: ProposalQuestionPorts): Pick<Answerers, 'propose' | 'withdraw' | 'approve' | 'deny'> {
  /** @throws {CommandError} `not-granted`, `switched-off` */
  const requireMay = (by: Asking, proposer: string) => {
    if (trustedClients.standingOf(by) !== 'trusted') throw new CommandError('not-granted', 'this client was revoked')
    requireMayDecide(by, trustedClients.grantOf(by.clientId, by.origin), proposer)
    if (showsAccounts()) return
    throw new CommandError('switched-off', 'accountSync is off: no page sees a proposal', {
      hint: 'type `switch on accountSync` in the terminal',
    })
  }
  return {
    async propose({ id, t: _t, ...proposed }, by) {
      return { t: 'proposed', id, proposal: shownProposal(await proposals.propose(by, proposed)) }
    },
    async withdraw({ id, proposal }, { clientId }) {
      return { t: 'withdrawn', id, proposal: shownProposal(await proposals.withdraw(clientId, proposal)) }
    },
    async approve({ id, proposal, shown }, by) {
      const found = await proposals.find(proposal)
      requireMay(by, found.clientId)
      if (isOpen(found) && found.digest !== shown) {
        throw new CommandError('changed', `proposal ${found.id} has changed since it was shown`, {
          hint: 'look at it as it is now',
        })
      }
      const { runId, ended } = await proposals.approve(found, () => requireMay(by, found.clientId))
      ended.catch(onBug)
      onDecision({ op: 'approve', proposal: found, runId }, by)
      return { t: 'approved', id, proposal: shownProposal(await proposals.find(proposal)) }
    },
    async deny({ id, proposal }, by) {
      requireMay(by, (await proposals.find(proposal)).clientId)
      const denied = await proposals.deny(proposal)
      onDecision({ op: 'deny', proposal: denied }, by)
      return { t: 'denied', id, proposal: shownProposal(denied) }
    },
  }
}

export function shownProposal(proposal: Proposal): ProposalRow {
  const { preview, ...others } = pick(proposalRow, proposal)
  return isOpen(proposal) ? { ...others, ...defined({ preview }) } : others
}

// `clients:query` and `clients:narrow`: who else may drive this hookline, for the console alone. Ids stay here: a client without a key is known by
// its id.

interface ClientQuestionPorts {
  readonly trustedClients: Pick<TrustedClientStore, 'list' | 'grantOf' | 'standingOf' | 'grant' | 'revoke'>
  readonly guardBook: CommandPorts['guardBook']
  readonly connected: Clients['connected']
  /** ms since the epoch. */
  readonly now: () => number
  readonly onChange: (change: ClientChange, by: Asking) => void
  readonly onBug: (error: unknown) => void
}

interface ClientChange {
  readonly op: 'grant' | 'revoke'
  readonly client: Pick<TrustedClient, 'clientId' | 'label' | 'origin'>
  readonly to?: string
}

export function clientQuestions(ports: ClientQuestionPorts): Pick<Answerers, 'clients:query' | 'clients:narrow'> {
  const { trustedClients, now, onChange } = ports
  /** @throws {CommandError} `not-granted` */
  const requireMay = (by: Asking) => {
    if (trustedClients.standingOf(by) !== 'trusted') throw new CommandError('not-granted', 'this client was revoked')
    requireConsole(by, trustedClients.grantOf(by.clientId, by.origin))
  }
  return {
    async 'clients:query'({ id }, by) {
      requireMay(by)
      return { t: 'clients:page', id, clients: await clientRows(ports, by) }
    },
    async 'clients:narrow'({ id, client, to }, by) {
      requireMay(by)
      const row = trustedClients.list().find(({ clientId }) => refOf(clientId) === client)
      if (row === undefined) throw new CommandError('not-found', 'no client with this ref is approved')
      const { clientId, label, origin } = row
      if (to === 'none') await trustedClients.revoke(clientId)
      // The store refuses what is wider than what the client has.
      else await trustedClients.grant(clientId, { ...row.grant, ...spanOf(row.grant, now()), may: to }, false)
      onChange({ op: to === 'none' ? 'revoke' : 'grant', client: { clientId, label, origin }, to }, by)
      return { t: 'clients:narrowed', id, clients: await clientRows(ports, by) }
    },
  }
}

function spanOf(grant: Grant | undefined, now: number): Pick<Grant, 'grantedAt' | 'until'> {
  return { grantedAt: now, until: grant?.until ?? now + GRANT_MS }
}

async function clientRows(
  { trustedClients, guardBook, connected, onBug }: ClientQuestionPorts,
  by: Asking,
): Promise<ClientRow[]> {
  const counts = connected()
  const book = await guardBook().catch(onBug)
  const usedBy = async (client: string) => {
    const use = await book?.look('', { id: '', key: '', client }).catch(onBug)
    return use?.client.toFixed()
  }
  const rows = trustedClients.list().slice(-WIRE_LIMITS.pageRows)
  return Promise.all(
    rows.map(async ({ clientId, label, origin, approvedAt, key, grant }) => {
      const held = grant && trustedClients.grantOf(clientId, origin)
      return {
        ref: refOf(clientId),
        label: printable(label, WIRE_LIMITS.labelLength),
        origin: printable(origin, WIRE_LIMITS.filterLength),
        approvedAt,
        hasKey: key !== undefined,
        connected: counts.get(clientId) ?? 0,
        ...(clientId === by.clientId && origin === by.origin && { isYou: true as const }),
        ...(held && { grant: { ...grantTermsOf(held), ...defined({ usedToday: await usedBy(clientId) }) } }),
      }
    }),
  )
}

function grantTermsOf({ ended: _ended, grantedAt: _at, hasEnded, accounts, symbols, ...terms }: HeldGrant) {
  return {
    ...terms,
    ...defined({ accounts: accounts && [...accounts], symbols: symbols && [...symbols] }),
    ...(hasEnded && { hasEnded: true as const }),
  }
}

/** Names a client without giving its id away. */
function refOf(clientId: string): string {
  return createHash('sha256').update(clientId).digest('hex').slice(0, 16)
}

// `copies:query` and `copy:check`: what copiers ordered last, and whether a pair could be copied as a person has typed it.

interface CopyQuestionPorts {
  readonly accounts: Pick<AccountStore, 'find'>
  readonly crossTrade: Pick<CrossTradeStore, 'list' | 'approved'>
  readonly copies: (limit: number) => Promise<readonly CopyRecord[]>
}

type Typed = Omit<Frame<'copy:check'>, 't' | 'id'>
type Problem = Frame<'copy:checked'>['problems'][number]

export function copyQuestions(ports: CopyQuestionPorts): Pick<Answerers, 'copies:query' | 'copy:check'> {
  return {
    async 'copies:query'({ id, limit = DEFAULT_PAGE }) {
      const copies = await ports.copies(limit)
      return { t: 'copies:page', id, copies: copies.map((copy) => pick(copyRow, copy)) }
    },
    async 'copy:check'({ t: _, id, ...typed }) {
      return { t: 'copy:checked', id, ...check(typed, ports) }
    },
  }
}

function check(typed: Typed, ports: CopyQuestionPorts): Pick<Frame<'copy:checked'>, 'problems' | 'config'> {
  const problems: Problem[] = []
  const rows = ports.crossTrade.list()
  const stored = rows.find(({ id }) => id === typed.configId)
  if (typed.configId !== undefined && stored === undefined)
    return { problems: [{ field: 'configId', why: 'the row is gone: it was removed meanwhile' }] }
  const row = readRow(typed, stored, reader(problems))
  if (problems.length === 0) problems.push(...problemsOf(row, ports.crossTrade.approved(), ports))
  return problems.length > 0 ? { problems } : { problems, config: draftOf(row) }
}

type Read = <T>(field: keyof Typed, text: string | undefined, read: (text: string | undefined) => T, none: T) => T

/** What a person types wrong is a problem of its field. */
function reader(problems: Problem[]): Read {
  return (field, text, read, none) => {
    try {
      return read(text || undefined)
    } catch (error) {
      if (!isRefusal(error)) throw error
      problems.push({ field, why: describeRefusal(error) })
      return none
    }
  }
}

function readRow(typed: Typed, stored: CrossTradeConfig | undefined, read: Read): CrossTradeConfig {
  const symbol = read('symbol', typed.symbol, readSymbol, undefined)
  const slippage = typed.mode === 'LimitSlippage' && typed.slippage ? typed.slippage : undefined
  const figure = slippage && read('slippage', slippage, (text = '') => readSlippage(text), undefined)
  const copier: CrossTradeCopier = {
    account: typed.account ?? '',
    ...defined({ symbol }),
    weight: read('weight', typed.weight, (text) => readWeight(text, '--weight'), 1),
    mode: read('mode', typed.mode, (text = 'Market') => readMode(text), 'Market'),
    ...(figure ? { slippage: figure } : {}),
  }
  const masterWeight = read('masterWeight', typed.masterWeight, (text) => readWeight(text, '--master-weight'), 1)
  if (stored !== undefined) return { ...stored, masterWeight, copiers: withCopier(stored.copiers, copier) }
  const masterSymbol = read('masterSymbol', typed.masterSymbol, readSymbol, undefined)
  return {
    id: randomUUID(),
    enabled: false,
    masterAccount: typed.masterAccount ?? '',
    masterWeight,
    ...defined({ masterSymbol }),
    copiers: [copier],
    updatedAt: 0,
  }
}

/** In the place of the one of that account and symbol. */
function withCopier(copiers: readonly CrossTradeCopier[], copier: CrossTradeCopier): readonly CrossTradeCopier[] {
  const isSame = ({ account, symbol }: CrossTradeCopier) => account === copier.account && symbol === copier.symbol
  return copiers.some(isSame) ? copiers.map((each) => (isSame(each) ? copier : each)) : [...copiers, copier]
}

/** As if it were on: what would keep it from being copied beside the rows that are. */
function problemsOf(row: CrossTradeConfig, rows: readonly CrossTradeConfig[], ports: CopyQuestionPorts): Problem[] {
  const isAccount = (name: string) => ports.accounts.find(name) !== undefined
  const wanted = { ...row, enabled: true }
  const own = problemOf(wanted, isAccount)
  if (own !== undefined) return [{ ...own, why: printable(own.why, 160) }]
  const beside = checkRows([...rows.filter(({ id }) => id !== row.id), wanted], isAccount)
  return beside
    .filter(({ configId }) => configId === row.id)
    .map(({ why }) => ({ field: 'account', why: printable(why, 160) }))
}

function draftOf(row: CrossTradeConfig): NonNullable<Frame<'copy:checked'>['config']> {
  return pick(crossTradeDraft, row)
}
