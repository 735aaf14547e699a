// `trades`: round trips, from flat to flat.
import { defined } from '../../base/defined.ts'
import { printable } from '../../language/printable.ts'
import { showAmount, showAverageOf, showGain, showZonedTime } from '../../trading/figures.ts'
import { isWithin, type Range } from '../../trading/history/account-history.ts'
import { nameOf } from '../../trading/history/executions.ts'
import type { Notes } from '../../trading/history/notes.ts'
import { type RoundTrip, roundTrips } from '../../trading/history/round-trips.ts'
import type { SingleCommand } from '../kit/command.ts'
import type { TripData } from '../kit/data.ts'
import { showSource } from '../kit/lines.ts'
import { fromWhom, showFigure, sumWithCurrency } from './fills.ts'
import {
  askHistory,
  HISTORY_WORDS,
  type HistoryNeed,
  hasTag,
  readHistoryOptions,
  TAGGED_USAGE,
} from './history-options.ts'
import { isoTime, type ListColumn, marketsBySymbol, NOTE_COLUMN, showList } from './show-list.ts'

export const trades: SingleCommand<HistoryNeed> = {
  name: 'trades',
  group: 'history',
  usage: TAGGED_USAGE,
  summary: 'round trips by closing time, with entry, exit and result',
  where: 'anywhere',
  showsAccounts: true,
  rows: 'own',
  takesWide: true,
  immediate: true,
  examples: [
    { line: 'trades', meaning: 'the newest 50, and those still open' },
    { line: 'trades --since 7d', meaning: 'those that ended in a week, and those still open' },
    { line: 'trades #breakout', meaning: 'those with that tag' },
  ],
  complete: ({ symbols }) => [...symbols, ...HISTORY_WORDS],
  check: (args) => readHistoryOptions(args, 0),
  async run(context, args) {
    const now = context.clock.now()
    const options = readHistoryOptions(args, now)
    const { executions, markets, gaps, notes } = await askHistory(context, options)
    const rows = listedTrips(roundTrips(executions, markets), { range: options.range, notes, now }).filter(
      hasTag(options),
    )
    const data = (listed: readonly TripData[]) =>
      ({ type: 'trades', account: context.accountName, trades: listed, gaps }) as const
    showList(
      context,
      { columns: COLUMNS, rows, marketOf: marketsBySymbol(markets), gaps, none: 'no trades', data },
      options,
    )
  },
}

interface Listing {
  readonly range: Range
  readonly notes: Notes
  readonly now: number
}

/** Those that ended within the range, the newest last, then those that are open. */
export function listedTrips(trips: readonly RoundTrip[], { range, notes, now }: Listing): readonly TripData[] {
  return trips
    .filter(({ closedAt = now }) => isWithin(closedAt, range))
    .sort((a, b) => (a.closedAt ?? Number.POSITIVE_INFINITY) - (b.closedAt ?? Number.POSITIVE_INFINITY))
    .map((trip) => tripData(trip, notes))
}

function tripData({ by, entryTags, parts: _, ...trip }: RoundTrip, notes: Notes): TripData {
  const noted = notes.ofTrade(trip.symbol, trip.orderIds, entryTags)
  return { ...trip, ...(by === undefined ? {} : { by: nameOf(by) }), ...noted }
}

type Figure = 'realized' | 'fees' | 'net'

/** Of each currency one figure: `-$1.20, 0.001 BNB`. */
function figures({ sums }: TripData, figure: Figure): string {
  return sums
    .filter((sum) => sum[figure] !== '0')
    .map((sum) => showFigure(figure, sum[figure], (each) => sumWithCurrency(each, sum.currency)))
    .join(', ')
}

/** For spreadsheets, a number: of the currency of the trade, the first of its sums that is not of fees alone. */
function mainSum({ sums }: TripData): TripData['sums'][number] | undefined {
  return sums.find(({ realized }) => realized !== '0') ?? sums[0]
}

/** Fees in other currencies, which the numbers leave out: `0.001 BNB`. */
function otherFees(row: TripData): string {
  const main = mainSum(row)
  return row.sums
    .filter((sum) => sum !== main && sum.fees !== '0')
    .map(({ fees, currency }) => `${fees} ${currency}`)
    .join(' ')
}

function figureColumn(title: string, figure: Figure, rank?: number): ListColumn<TripData> {
  return {
    title,
    ...defined({ rank }),
    align: 'point',
    show: (row) => figures(row, figure),
    fields: { [figure]: (row) => mainSum(row)?.[figure] },
  }
}

const COLUMNS: readonly ListColumn<TripData>[] = [
  {
    title: 'opened',
    rank: 11,
    isTime: true,
    show: ({ openedAt }) => showZonedTime(openedAt),
    fields: { opened: ({ openedAt }) => isoTime(openedAt) },
  },
  {
    title: 'closed',
    rank: 2,
    isTime: true,
    show: ({ closedAt }) => (closedAt === undefined ? 'open' : showZonedTime(closedAt)),
    fields: { closed: ({ closedAt }) => isoTime(closedAt) },
  },
  { title: 'symbol', show: ({ symbol }) => symbol, fields: { symbol: ({ symbol }) => symbol } },
  { title: 'side', show: ({ side }) => side, fields: { side: ({ side }) => side } },
  {
    title: 'amount',
    rank: 3,
    align: 'point',
    show: ({ entered }) => showAmount(entered),
    fields: { entered: ({ entered }) => entered, exited: ({ exited }) => exited },
  },
  {
    title: 'entry',
    rank: 4,
    align: 'point',
    show: ({ entryPrice }, market) => showAverageOf(entryPrice, market),
    fields: { entry: ({ entryPrice }) => entryPrice },
  },
  {
    title: 'exit',
    rank: 5,
    align: 'point',
    show: ({ exitPrice }, market) => (exitPrice === undefined ? '' : showAverageOf(exitPrice, market)),
    fields: { exit: ({ exitPrice }) => exitPrice },
  },
  figureColumn('pnl', 'realized'),
  figureColumn('fees', 'fees', 9),
  {
    ...figureColumn('net', 'net'),
    fields: { net: (row) => mainSum(row)?.net, currency: (row) => mainSum(row)?.currency, other_fees: otherFees },
  },
  {
    title: 'R',
    rank: 1,
    align: 'right',
    show: ({ r }) => (r === undefined ? '' : showGain(r, (gain) => `${gain}R`)),
    fields: { risk: ({ risk }) => risk, r: ({ r }) => r },
  },
  {
    title: 'fills',
    rank: 12,
    align: 'right',
    show: ({ fills }) => String(fills),
    fields: { fills: ({ fills }) => String(fills) },
  },
  {
    title: 'from',
    rank: 10,
    least: 8,
    show: ({ by, cause }) => fromWhom(by, cause),
    fields: { from: ({ by }) => by && showSource(by), cause: ({ cause }) => cause },
  },
  {
    title: 'id',
    rank: 7,
    show: ({ orderIds: [id = ''] }) => printable(id, 24),
    fields: { orders: ({ orderIds }) => orderIds.join(' ') },
  },
  NOTE_COLUMN,
]
