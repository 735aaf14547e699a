// `session`: what the trades of a day, or of another span, add up to.
import { defined } from '../../base/defined.ts'
import type { Argument } from '../../language/chain.ts'
import { printable } from '../../language/printable.ts'
import { showGain, showMoment, showSum, showZonedTime } from '../../trading/figures.ts'
import { equityNow, isWithin, type Range } from '../../trading/history/account-history.ts'
import { nameOf } from '../../trading/history/executions.ts'
import { type RoundTrip, roundTrips } from '../../trading/history/round-trips.ts'
import {
  type Drawdown,
  drawdownUntil,
  groupTrades,
  NO_TRADE,
  statsOf,
  type TradeGroup,
  type TradeStats,
} from '../../trading/history/trade-stats.ts'
import { count } from '../account/confirmation.ts'
import type { SingleCommand } from '../kit/command.ts'
import { showSource } from '../kit/lines.ts'
import { showFigure, sumWithCurrency } from './fills.ts'
import {
  askHistory,
  HISTORY_WORDS,
  type HistoryNeed,
  type HistoryOptions,
  hasTag,
  readHistoryOptions,
  refuseNamed,
  startOfDay,
  unknownFees,
} from './history-options.ts'
import { type ListColumn, showList } from './show-list.ts'

const WORDS = HISTORY_WORDS.filter((word) => word !== '--limit')

export const session: SingleCommand<HistoryNeed | 'equityHistory' | 'noteEquity'> = {
  name: 'session',
  group: 'history',
  usage: '[SYMBOL,…] [#tag…] [--today | --since <time>] [--until <time>] [--before-reset] [--csv | --json]',
  summary:
    'the closed trades of today: win rate, R, profit factor, fees, funding, maximum drawdown; by hook, symbol and tag',
  where: 'anywhere',
  showsAccounts: true,
  rows: 'own',
  takesWide: true,
  immediate: true,
  examples: [
    { line: 'session', meaning: 'since 00:00 UTC' },
    { line: 'session --since 7d', meaning: 'trades that were closed in a week' },
    { line: 'session #breakout --since 30d', meaning: 'only trades with that tag' },
    { line: 'session BTCUSDT --since 30d --csv', meaning: 'one symbol, as rows for a spreadsheet' },
  ],
  details: [
    'won            trades with a profit after fees; win rate: their share of the trades whose result is known',
    'R              profit after fees, as a multiple of the loss at the stop of the entry',
    'profit factor  gross profit divided by gross loss',
    'from           who entered: first in, first out, so a trade of two hooks counts for each',
    'funding        payments within the span',
    'max drawdown   of equity, recorded once a minute and now; deposits and withdrawals change it too',
  ],
  complete: ({ symbols }) => [...symbols, ...WORDS],
  check: (args) => readSessionOptions(args, 0),
  async run(context, args) {
    const options = readSessionOptions(args, context.clock.now())
    const history = await askHistory(context, options, true)
    const { executions, markets, journal, notes, symbols } = history
    const gaps = [
      ...history.gaps,
      ...unknownFees(executions.filter(({ trade }) => isWithin(trade.timestamp, options.range))),
    ]
    const funding = gaps.some(({ kind }) => kind === 'funding-unknown') ? undefined : history.funding
    const tagsOf = ({ symbol, orderIds = [], entryTags = new Map() }: Pick<RoundTrip, 'symbol'> & Partial<RoundTrip>) =>
      notes.ofTrade(symbol, orderIds, entryTags).tags ?? []
    const isTagged = options.tags.length > 0
    const all = roundTrips(executions, markets)
    const isWanted = hasTag(options)
    const trips = isTagged ? all.filter((trip) => isWanted({ tags: tagsOf(trip) })) : all
    // Funding is paid for a position, and belongs to no tag.
    const traded = { trips, funding: isTagged ? [] : funding, range: options.range }
    const total = statsOf(traded)
    const byHook = groupTrades({ ...traded, trips: traded.trips.flatMap(partsOf) }, ({ by }) => [
      by === undefined ? NO_TRADE : nameOf(by),
    ])
    const bySymbol = groupTrades(traded, ({ symbol }) => [symbol])
    const byTag = groupTrades(traded, tagsOf)
    const { venue } = await context.account()
    // Equity is of the whole account.
    const { since = 0, until = Number.POSITIVE_INFINITY } = options.range
    const { resetAt = 0, endsAt = Number.POSITIVE_INFINITY } = journal
    const isOfAccount = symbols.length === 0 && !isTagged && venue.kind !== 'spot'
    const [from, to] = [Math.max(since, resetAt), Math.min(until, endsAt)]
    const recorded = isOfAccount ? await context.ports.equityHistory(context.accountName, from, to) : []
    const at = context.clock.now()
    const now =
      isOfAccount && at < to ? await equityNow(venue, markets, { account: context.accountName, at }, gaps) : []
    const maxDrawdown = drawdownUntil(now, recorded, (record) => context.ports.noteEquity(record))
    const rows = [
      ...rowsOf('all', [{ key: context.accountName, ...total }], maxDrawdown),
      ...rowsOf('from', byHook),
      ...rowsOf('symbol', bySymbol),
      ...rowsOf('tag', byTag),
    ]
    const open = traded.trips.filter(({ closedAt }) => closedAt === undefined).length
    const data = () =>
      ({
        type: 'session',
        account: context.accountName,
        ...options.range,
        open,
        total,
        byHook,
        bySymbol,
        byTag,
        ...defined({ maxDrawdown }),
        gaps,
      }) as const
    const isEmpty = total.trades === 0 && total.sums.length === 0
    const none = `no closed trades ${describeSpan(options.range)}`
    const list = { columns: COLUMNS, rows: isEmpty ? [] : rows, gaps, none, data }
    if (options.form === 'table' && !isEmpty) context.out.info(`closed trades ${describeSpan(options.range)}`)
    showList(context, list, { ...options, limit: Math.max(1, rows.length) })
    if (options.form !== 'table') return
    const counted = total.r?.trades ?? 0
    if (counted < total.trades)
      context.out.info(`R counts ${counted} of ${count(total.trades, 'trade')}: an entry without a stop has no R`)
    for (const note of notesOf(total, { byHook, byTag })) context.out.info(note)
    if (open > 0) context.out.info(`open: ${open === 1 ? '1 trade' : `${open} trades`}, not counted (\`positions\`)`)
    if (symbols.length === 0 && !isTagged) context.out.info(describeDrawdown(maxDrawdown, recorded.length))
  },
}

const ATTRIBUTION = 'from: the source that opened the trade; `pnl --by hook` counts open trades too'

/** What the rows of the groups count. */
function notesOf(
  { trades }: TradeStats,
  { byHook, byTag }: Readonly<Record<'byHook' | 'byTag', readonly TradeGroup[]>>,
): readonly string[] {
  const counted = (groups: readonly TradeGroup[]) => groups.reduce((sum, group) => sum + group.trades, 0)
  return [
    ...(byHook.some(({ key }) => key !== 'repl') ? [ATTRIBUTION] : []),
    ...(counted(byHook) > trades ? ['a trade of several sources counts once for each source'] : []),
    ...(counted(byTag) > trades ? ['a trade of several tags counts once for each tag'] : []),
  ]
}

/** A trade that several have entered is one of each. */
function partsOf(trip: RoundTrip): readonly RoundTrip[] {
  const { parts, by: _, risk: __, r: ___, ...whole } = trip
  return parts?.map((part) => ({ ...whole, ...part })) ?? [trip]
}

/** @throws {LanguageError} */
function readSessionOptions(args: readonly Argument[], now: number): HistoryOptions {
  refuseNamed(args, ['--limit'], WORDS)
  const options = readHistoryOptions(args, now)
  // With `--until` alone, the day that ends there.
  const { since = Math.max(0, startOfDay((options.range.until ?? now) - 1)), ...rest } = options.range
  return { ...options, range: { ...rest, since } }
}

function describeSpan({ since = 0, until }: Range): string {
  return `since ${until === undefined ? showMoment(since) : `${showZonedTime(since)} and before ${showMoment(until)}`}`
}

/** With the space behind it. */
const DATE_LENGTH = '2026-11-29 '.length

function describeDrawdown(drawdown: Drawdown | undefined, records: number): string {
  if (drawdown === undefined) {
    const why = records === 0 ? 'no equity was recorded' : 'equity was recorded once'
    return `maximum drawdown unknown: ${why} in this span`
  }
  const { amount, percent, currency, from, to } = drawdown
  if (amount === '0') return 'no drawdown (recorded once a minute)'
  const [start, end] = [showZonedTime(from), showMoment(to)]
  const day = start.slice(0, DATE_LENGTH)
  const until = end.startsWith(day) ? end.slice(DATE_LENGTH) : end
  return `maximum drawdown ${percent}% (${sumWithCurrency(amount, currency)}), from ${start} to ${until}`
}

/** Each currency has a line of its own. */
interface SessionRow {
  readonly by: 'all' | 'from' | 'symbol' | 'tag'
  readonly key: string
  /** On the first line of its group. */
  readonly stats?: TradeStats
  readonly sums?: TradeStats['sums'][number]
  readonly maxDrawdown?: Drawdown
}

function rowsOf(by: SessionRow['by'], groups: readonly TradeGroup[], maxDrawdown?: Drawdown): readonly SessionRow[] {
  return groups.flatMap(({ key, ...stats }): readonly SessionRow[] => {
    const first = { by, key, stats, ...defined({ maxDrawdown }) }
    const [sums, ...others] = stats.sums
    if (sums === undefined) return [first]
    return [{ ...first, sums }, ...others.map((each): SessionRow => ({ by, key, sums: each }))]
  })
}

function countColumn(title: string, count: (stats: TradeStats) => number, rank?: number): ListColumn<SessionRow> {
  const show = ({ stats }: SessionRow) => (stats === undefined ? '' : String(count(stats)))
  return { title, align: 'right', ...defined({ rank }), show, fields: { [title]: show } }
}

function multipleColumn(title: string, figure: 'average' | 'best' | 'worst', rank: number): ListColumn<SessionRow> {
  return {
    title,
    rank,
    align: 'right',
    show: ({ stats }) => (stats?.r === undefined ? '' : showGain(stats.r[figure], (r) => `${r}R`)),
    fields: { [`${figure}_r`]: ({ stats }) => stats?.r?.[figure] },
  }
}

function showKnown(figure: keyof typeof SUM_RANKS, sums: TradeStats['sums'][number]): string {
  const sum = sums[figure]
  return sum === undefined ? '?' : showFigure(figure, sum, (each) => showSum(each, sums.currency))
}

const SUM_RANKS = { realized: 6, fees: 12, funding: 13, net: undefined } as const

const COLUMNS: readonly ListColumn<SessionRow>[] = [
  { title: 'by', rank: 1, show: ({ by }) => by, fields: { by: ({ by }) => by } },
  {
    title: '',
    least: 12,
    show: ({ by, key }) => printable(by === 'from' ? showSource(key) : key, 40),
    fields: { key: ({ by, key }) => (by === 'from' ? showSource(key) : key) },
  },
  countColumn('trades', ({ trades }) => trades),
  countColumn('won', ({ won }) => won, 10),
  countColumn('lost', ({ lost }) => lost, 11),
  {
    title: 'win rate',
    rank: 3,
    align: 'right',
    show: ({ stats }) => (stats?.winRate === undefined ? '' : `${stats.winRate}%`),
    fields: {
      even: ({ stats }) => (stats === undefined ? undefined : String(stats.even)),
      unknown: ({ stats }) => (stats === undefined ? undefined : String(stats.unknown)),
      win_rate: ({ stats }) => stats?.winRate,
      r_trades: ({ stats }) => (stats === undefined ? undefined : String(stats.r?.trades ?? 0)),
    },
  },
  multipleColumn('average R', 'average', 4),
  multipleColumn('best R', 'best', 9),
  multipleColumn('worst R', 'worst', 8),
  {
    title: 'profit factor',
    rank: 5,
    align: 'right',
    show: ({ sums }) => sums?.profitFactor ?? '',
    fields: { profit_factor: ({ sums }) => sums?.profitFactor },
  },
  {
    title: 'currency',
    rank: 14,
    show: ({ sums }) => printable(sums?.currency ?? '', 10),
    fields: { currency: ({ sums }) => sums?.currency },
  },
  ...(['realized', 'fees', 'funding', 'net'] as const).map(
    (figure): ListColumn<SessionRow> => ({
      title: figure,
      align: 'point',
      ...defined({ rank: SUM_RANKS[figure] }),
      show: ({ sums }) => (sums === undefined ? '' : showKnown(figure, sums)),
      fields: { [figure]: ({ sums }) => sums?.[figure] },
    }),
  ),
  {
    title: 'max drawdown',
    rank: 7,
    align: 'right',
    show: ({ maxDrawdown }) => (maxDrawdown === undefined ? '' : `${maxDrawdown.percent}%`),
    fields: {
      max_drawdown: ({ maxDrawdown }) => maxDrawdown?.amount,
      max_drawdown_percent: ({ maxDrawdown }) => maxDrawdown?.percent,
    },
  },
]
