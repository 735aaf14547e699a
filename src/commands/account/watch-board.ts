// The screen of `watch`, as a function of what is known and of the size of the terminal.
import { Decimal } from 'decimal.js'
import type { Market, MarketKind, Ticker } from '../../exchange/market.ts'
import { type Balance, isTriggerType, type Order, orderKey, type Position } from '../../exchange/order.ts'
import { typedLine } from '../../language/print.ts'
import { printable } from '../../language/printable.ts'
import type { PositionDetailRow } from '../../protocol/rows.ts'
import type { RunSummary } from '../../runs/run.ts'
import type { Task } from '../../stores/tasks.ts'
import { fitLines } from '../../terminal/fit.ts'
import type { ScreenSize } from '../../terminal/full-screen.ts'
import { alignPoints, cellWidth, cutCells, padCells } from '../../terminal/width.ts'
import {
  showAmount,
  showAverageOf,
  showDuration,
  showGain,
  showMoment,
  showMoney,
  showPrice,
  showSum,
} from '../../trading/figures.ts'
import type { BracketedOrder } from '../../trading/order-desk.ts'
import { AT_FILL, pricesOf, showSource } from '../kit/lines.ts'
import { runLine } from '../session/runs.ts'
import { progressBar, shortTaskId, stateOf } from '../tasks/task-words.ts'
import { showNearest, showStops } from './positions.ts'

/** What is known of an account at one moment. */
export interface Board {
  readonly account: string
  readonly symbol: string
  /** `panic`, `halted`, `reducing`, `sim`. */
  readonly words: readonly string[]
  /** ms since the epoch. */
  readonly now: number
  /** What the venue last answered; absent: nothing yet. */
  readonly seen?: Seen
  /** Whether the venue's streams have fallen silent. */
  readonly isSilent: boolean
  /** Why the venue does not answer. */
  readonly problem?: string
  readonly tasks: readonly Task[]
  readonly runs: readonly RunSummary[]
  readonly news: readonly NewsLine[]
}

export interface Seen {
  /** ms since the epoch. */
  readonly at: number
  readonly kind: MarketKind
  /** Those that rows are of, at least. */
  readonly markets: readonly Market[]
  /** Absent: the venue does not have the symbol in focus. */
  readonly ticker?: Ticker
  readonly balance?: Balance
  readonly positions: readonly Position[]
  /** The same, with what covers them and what was risked. */
  readonly held: readonly PositionDetailRow[]
  readonly orders: readonly BracketedOrder[]
  /** Orders that have got no answer. */
  readonly unsettled: number
}

export interface NewsLine {
  readonly text: string
  readonly tone?: Tone
}

/** Where the person is in it. */
interface BoardView extends ScreenSize {
  readonly coloured: boolean
  /** The key of the row that is chosen. */
  readonly chosen?: string
  /** Above the keys: a line to confirm, a remark. */
  readonly remark?: NewsLine
  /** The keys; absent: they have no row. */
  readonly keys?: string
}

export type Tone = 'good' | 'bad' | 'warn' | 'dim'

/** Older figures than this are stale. A live venue is asked every 10 s while nothing happens. */
export const STALE_MS = 15_000
const COLOUR: Readonly<Record<Tone, string>> = { good: '32', bad: '31', warn: '33', dim: '90' }
const GAP = '  '
const MARK = '> '
const MAX_NAME = 24
const ROWS_FOR_HIDDEN = 16
const MAX_TEXT = 300

// Rows that can be chosen.

type Chosen = { readonly key: string; readonly position: Position } | { readonly key: string; readonly order: Order }

/** In the order in which they are shown. */
export function rowsOf({ seen }: Board): readonly Chosen[] {
  if (seen === undefined) return []
  return [
    ...seen.positions.map((position) => ({ key: `position ${position.symbol}`, position })),
    ...seen.orders.map((order) => ({ key: `order ${orderKey(order.symbol, order.id)}`, order })),
  ]
}

/** The line that a key writes. `why`: there is none. */
type KeyLine = { readonly line: string; readonly asksYes?: true } | { readonly why: string }

/** @param key `c` close, `b` break even, `x` cancel, `f` nuke */
export function lineOf(key: 'c' | 'b' | 'x' | 'f', row: Chosen | undefined): KeyLine {
  if (key === 'f') return { line: 'nuke --yes', asksYes: true }
  if (row === undefined) return { why: 'no position and no order to choose' }
  if (key === 'x') {
    if (!('order' in row)) return { why: 'choose an order first: x cancels one' }
    const { id } = row.order
    // In quotes it is an id and nothing else.
    return written(/^all$/i.test(id) ? `cancel "${id}"` : typedLine`cancel ${id}`)
  }
  if (!('position' in row)) return { why: `choose a position first: ${key} works on one` }
  const { symbol } = row.position
  return written(key === 'c' ? typedLine`close ${symbol}` : typedLine`stop ${symbol} breakeven`)
}

function written(line: string | undefined): KeyLine {
  return line === undefined ? { why: 'this name cannot be typed' } : { line }
}

// Tables that lose their least important columns where the terminal is narrow.

interface BoardColumn<Row> {
  readonly title: string
  readonly align?: 'right' | 'point'
  /** 0: never left out; the highest goes first. */
  readonly rank: number
  /** It may be cut down to so many cells before another is left out. */
  readonly least?: number
  /** @param market absent: of none, or no longer listed */
  show(row: Row, market?: Market): NewsLine | string
}

interface TableRow {
  /** Of one that can be chosen. */
  readonly key?: string
  /** Of the head and of the foot: it begins at the left edge. */
  readonly isOutside?: true
  /** Where rows are few, the last ones are shown. */
  readonly isNews?: true
  readonly cells: readonly NewsLine[]
}

function tableLines<Row>(
  columns: readonly BoardColumn<Row>[],
  rows: readonly Row[],
  options: {
    readonly columns: number
    readonly keyOf?: (row: Row) => string | undefined
    readonly marketOf?: (row: Row) => Market | undefined
  },
): { readonly lines: readonly TableRow[]; readonly hidden: readonly string[] } {
  const shown = rows.map((row) => columns.map((column) => asCell(column.show(row, options.marketOf?.(row)))))
  const texts = alignPoints(
    columns,
    shown.map((row) => row.map(({ text }) => text)),
  )
  const cells = shown.map((row, at) => row.map((cell, index) => ({ ...cell, text: texts[at]?.[index] ?? '' })))
  const used = columns.map((_, index) => index === 0 || cells.some((row) => row[index]?.text !== ''))
  const widths = columns.map(({ title }, index) =>
    Math.max(cellWidth(title), ...cells.map((row) => cellWidth(row[index]?.text ?? ''))),
  )
  let kept = columns.map((_, index) => index).filter((index) => used[index])
  const excess = () =>
    kept.reduce((sum, index) => sum + (widths[index] ?? 0) + GAP.length, MARK.length - GAP.length) - options.columns
  while (excess() > 0) {
    const wide = kept.find((index) => (widths[index] ?? 0) > (columns[index]?.least ?? Number.POSITIVE_INFINITY))
    const last = kept.reduce((a, b) => ((columns[b]?.rank ?? 0) >= (columns[a]?.rank ?? 0) ? b : a))
    if (wide !== undefined) widths[wide] = Math.max(columns[wide]?.least ?? 0, (widths[wide] ?? 0) - excess())
    else if ((columns[last]?.rank ?? 0) === 0) break
    else kept = kept.filter((index) => index !== last)
  }
  const padded = (row: readonly NewsLine[]) =>
    kept.map((index) => {
      const cell = row[index] ?? { text: '' }
      const width = widths[index] ?? 0
      return { ...cell, text: padCells(cutCells(cell.text, width), width, columns[index]?.align) }
    })
  const heading = { cells: padded(columns.map(({ title }) => ({ text: title, tone: 'dim' }))) }
  const lines = rows.map((row, index) => {
    const key = options.keyOf?.(row)
    return { cells: padded(cells[index] ?? []), ...(key === undefined ? {} : { key }) }
  })
  const hidden = columns.flatMap(({ title }, index) => (used[index] === true && !kept.includes(index) ? [title] : []))
  return { lines: [heading, ...lines], hidden }
}

/** `2 columns hidden: value, age`, or how many. */
function hiddenLine(hidden: readonly string[], columns: number): NewsLine {
  const count = `${hidden.length} column${hidden.length === 1 ? '' : 's'} hidden`
  const named = `${count}: ${hidden.join(', ')}; a wider terminal shows all`
  return { text: cellWidth(named) <= columns ? named : `${count}; a wider terminal shows all`, tone: 'dim' }
}

function asCell(shown: NewsLine | string): NewsLine {
  return typeof shown === 'string' ? { text: shown } : shown
}

const gain = (figure: string | undefined, show: (figure: string) => string): NewsLine => {
  if (figure === undefined) return { text: '' }
  const value = new Decimal(figure)
  return { text: showGain(figure, show), ...(value.isZero() ? {} : { tone: value.gt(0) ? 'good' : 'bad' }) }
}

const POSITION_COLUMNS: readonly BoardColumn<PositionDetailRow>[] = [
  { title: 'position', rank: 0, show: ({ symbol }) => printable(symbol, MAX_NAME) },
  { title: 'side', rank: 0, show: ({ side }) => side },
  { title: 'amount', align: 'point', rank: 2, show: ({ amount }) => showAmount(amount) },
  { title: 'value', align: 'point', rank: 6, show: ({ notional }) => showMoney(notional) },
  {
    title: 'entry',
    align: 'point',
    rank: 3,
    show: ({ entryPrice }, market) => showAverageOf(entryPrice, market),
  },
  {
    title: 'mark',
    align: 'point',
    rank: 4,
    show: ({ markPrice }, market) => (markPrice === undefined ? '' : showPrice(markPrice, market)),
  },
  {
    title: 'pnl',
    align: 'point',
    rank: 1,
    show: ({ unrealizedPnl, settle = '' }) => gain(unrealizedPnl, (figure) => showSum(figure, settle)),
  },
  { title: '%', align: 'right', rank: 5, show: ({ movePercent }) => gain(movePercent, (figure) => `${figure}%`) },
  { title: 'R', align: 'right', rank: 5, show: ({ r }) => gain(r, (figure) => `${figure}R`) },
  {
    title: 'liquidation',
    align: 'point',
    rank: 7,
    show: ({ liquidationPrice }, market) =>
      liquidationPrice === undefined ? '' : showAverageOf(liquidationPrice, market),
  },
  {
    title: 'stop',
    align: 'point',
    rank: 0,
    show: (row, market) => toned(showStops(row, market), isCovered(row) ? undefined : 'bad'),
  },
  { title: 'target', align: 'point', rank: 8, show: ({ targets = [] }, market) => showNearest(targets, market) },
]

function isCovered({ uncovered = '0' }: PositionDetailRow): boolean {
  return new Decimal(uncovered).isZero()
}

/** An order, or what is placed at the fill of the one above: that has no id, and cannot be chosen. */
interface OrderRow extends Pick<Order, 'id' | 'symbol' | 'side' | 'type'> {
  readonly amount: string
  readonly price: string
  readonly flags: string
  /** ms; absent of what is not placed. */
  readonly age?: number
}

function orderRowsOf(order: BracketedOrder, now: number, market: Market | undefined): readonly OrderRow[] {
  const { id, symbol, side, type, remaining, stop, takeProfit } = order
  const amount = order.closesPosition === true ? 'all' : showAmount(remaining)
  const placed: OrderRow = {
    id,
    symbol,
    side,
    type,
    amount,
    price: pricesOf(order, market),
    flags: flagsOf(order),
    age: now - order.timestamp,
  }
  const atFill = (of: Order['type'], price: string): OrderRow => {
    return {
      id: '',
      symbol: AT_FILL,
      side: side === 'buy' ? 'sell' : 'buy',
      type: of,
      amount,
      price: showPrice(price, market),
      flags: '',
    }
  }
  return [
    placed,
    ...(stop === undefined ? [] : [atFill('stop', stop.triggerPrice)]),
    ...(takeProfit === undefined ? [] : [atFill('take-profit', takeProfit.triggerPrice)]),
  ]
}

const ORDER_COLUMNS: readonly BoardColumn<OrderRow>[] = [
  { title: 'order', rank: 0, show: ({ id }) => printable(id, MAX_NAME) },
  { title: 'symbol', rank: 0, show: ({ symbol }) => printable(symbol, MAX_NAME) },
  { title: 'side', rank: 0, show: ({ side }) => side },
  { title: 'type', rank: 1, show: ({ type }) => type },
  { title: 'amount', align: 'point', rank: 2, show: ({ amount }) => amount },
  { title: 'price', align: 'point', rank: 0, show: ({ price }) => price },
  { title: 'flags', rank: 4, show: ({ flags }) => flags },
  { title: 'age', align: 'right', rank: 5, show: ({ age }) => (age === undefined ? '' : ageOf(age)) },
]

function flagsOf({ reduceOnly, closesPosition, postOnly, type, filled }: Order): string {
  const flags = [
    ...(postOnly ? ['po'] : []),
    ...(closesPosition === true ? ['closes'] : reduceOnly ? ['reduce'] : []),
    ...(new Decimal(filled).gt(0) && !isTriggerType(type) ? [`filled ${showAmount(filled)}`] : []),
  ]
  return flags.join(' ')
}

const TASK_COLUMNS: readonly BoardColumn<Task>[] = [
  { title: 'task', rank: 0, show: (task) => `${printable(task.kind, 20)} ${shortTaskId(task)}` },
  { title: 'symbol', rank: 0, show: ({ symbol }) => printable(symbol, MAX_NAME) },
  { title: 'state', rank: 0, show: (task) => toned(stateOf(task), task.status === 'running' ? undefined : 'warn') },
  { title: 'progress', rank: 2, show: progressBar },
  { title: 'doing', rank: 3, least: 12, show: ({ doing, reason }) => printable(reason ?? doing ?? '', 60) },
]

const RUN_COLUMNS: readonly BoardColumn<RunSummary & { readonly now: number }>[] = [
  {
    title: 'run',
    rank: 0,
    show: ({ source, origin }) =>
      printable(showSource(origin === undefined ? source : `${source}:${origin}`), MAX_NAME),
  },
  { title: 'state', rank: 0, show: ({ state, unbegun }) => toned(unbegun ?? state, RUN_TONE[state]) },
  { title: 'age', align: 'right', rank: 2, show: ({ startedAt, now }) => ageOf(now - startedAt) },
  { title: 'command', rank: 1, least: 20, show: (run) => printable(runLine(run), 60) },
  { title: 'error', rank: 3, least: 20, show: ({ error }) => printable(error ?? '', 80) },
]

const RUN_TONE: Readonly<Record<RunSummary['state'], Tone | undefined>> = {
  waiting: 'dim',
  running: 'good',
  done: undefined,
  failed: 'bad',
  interrupted: 'bad',
}

function toned(text: string, tone: Tone | undefined): NewsLine {
  return tone === undefined ? { text } : { text, tone }
}

function ageOf(ms: number): string {
  return ms < 1_000 ? 'now' : showDuration(Math.floor(ms / 1_000) * 1_000)
}

// The head.

function headLines(board: Board, width: number): readonly (readonly NewsLine[])[] {
  const { account, symbol, words, seen, now } = board
  const time = showMoment(now).slice(11)
  const ticker = seen?.ticker
  const market = seen?.markets.find((each) => each.symbol === ticker?.symbol)
  const tone = isStale(board) ? 'dim' : undefined
  const first = [
    { text: printable(account, MAX_NAME) },
    { text: printable(symbol, MAX_NAME) },
    ...(ticker === undefined ? [] : [toned(showPrice(ticker.last, market), tone)]),
    ...words.map((word) => ({ text: word, tone: 'bad' as const })),
    ...(ticker === undefined
      ? []
      : [toned(`bid ${showPrice(ticker.bid, market)}  ask ${showPrice(ticker.ask, market)}`, 'dim')]),
  ]
  const fresh = freshness(board)
  const sums = sumsOf(board)
  const right = { text: time, tone: 'dim' } as const
  return [spread(first, right, width), ...(isStale(board) ? [sums, [fresh]] : [spread(sums, fresh, width)])]
}

/** The last one at the right end, where there is room for it. */
function spread(left: readonly NewsLine[], right: NewsLine, width: number): readonly NewsLine[] {
  const taken = left.reduce((sum, { text }) => sum + cellWidth(text) + GAP.length, 0)
  const room = width - taken - cellWidth(right.text)
  if (room < 0) return left
  return [...left, { ...right, text: ' '.repeat(Number.isFinite(room) ? room : 0) + right.text }]
}

function sumsOf(board: Board): readonly NewsLine[] {
  const { seen } = board
  if (seen === undefined) return []
  const { balance, positions, unsettled } = seen
  const uncovered = (board.seen?.held ?? []).filter((row) => !isCovered(row))
  const bare = uncovered.filter(({ uncovered: open = '0', amount }) => new Decimal(open).gte(amount)).length
  const bareness = [
    ...(bare === 0 ? [] : [`${bare} bare`]),
    ...(bare === uncovered.length ? [] : [`${uncovered.length - bare} partly covered`]),
  ].join(', ')
  const open = sumOf(positions.map(({ unrealizedPnl }) => unrealizedPnl))
  return [
    ...(balance === undefined ? [] : [{ text: `equity ${showSum(balance.total, balance.currency)}` }]),
    ...(bareness === '' ? [] : [{ text: bareness, tone: 'bad' as const }]),
    ...(unsettled === 0 ? [] : [{ text: `${unsettled} without an answer`, tone: 'bad' as const }]),
    ...(positions.length === 0 || open === undefined || balance === undefined
      ? []
      : [
          prefixed(
            'open ',
            gain(open, (figure) => showSum(figure, balance.currency)),
          ),
        ]),
    ...(balance === undefined ? [] : [{ text: `free ${showSum(balance.free, balance.currency)}` }]),
  ]
}

function prefixed(prefix: string, line: NewsLine): NewsLine {
  return { ...line, text: prefix + line.text }
}

function sumOf(figures: readonly (string | undefined)[]): string | undefined {
  const known = figures.filter((figure) => figure !== undefined)
  return known.length < figures.length ? undefined : Decimal.sum(0, ...known).toFixed()
}

export function isStale({ isSilent, problem, seen, now }: Board): boolean {
  return isSilent || problem !== undefined || seen === undefined || now - seen.at > STALE_MS
}

/** Whether the figures are of now, and why not. */
function freshness(board: Board): NewsLine {
  const { isSilent, problem, seen, now } = board
  if (seen === undefined) {
    if (problem === undefined) return { text: 'asking the venue …', tone: 'dim' }
    return { text: `no figures: ${printable(problem, MAX_TEXT)}`, tone: 'bad' }
  }
  const age = ageOf(now - seen.at)
  const read = age === 'now' ? 'updated just now' : `updated ${age} ago`
  if (!isStale(board)) return { text: read, tone: 'dim' }
  const why = problem ?? (isSilent ? 'no news from the venue' : 'the venue does not answer')
  return { text: `STALE, ${read}: ${printable(why, MAX_TEXT)}`, tone: 'warn' }
}

// All of it.

/** Without the keys, for `watch --once`: every row, whole. */
export function boardText(board: Board): string {
  const all = { columns: Number.POSITIVE_INFINITY, rows: Number.POSITIVE_INFINITY, coloured: false }
  return renderBoard(board, all)
    .map((line) => line.trimEnd())
    .join('\n')
}

/** @returns at most `rows` rows, each at most `columns` cells wide besides its colours */
export function renderBoard(board: Board, view: BoardView): readonly string[] {
  const { columns, rows, remark, keys } = view
  const outside = (cells: readonly NewsLine[]): TableRow => ({ cells, isOutside: true })
  const { sections, hidden } = sectionsOf(board, columns)
  const foot = [
    // Of a low screen every row is for figures.
    ...(hidden.length === 0 || rows < ROWS_FOR_HIDDEN ? [] : [outside([hiddenLine(hidden, columns)])]),
    ...(remark === undefined ? [] : [outside([{ ...remark, text: printable(remark.text, MAX_TEXT) }])]),
    ...(keys === undefined ? [] : [outside([{ text: keys, tone: 'dim' }])]),
  ]
  const head = headLines(board, columns)
    .filter((cells) => cells.length > 0)
    .map(outside)
  const room = Math.max(0, rows - foot.length)
  const body = [...head, ...sectionRows(sections, view, Math.max(0, room - head.length))].slice(0, room)
  const filler = rows === Number.POSITIVE_INFINITY ? 0 : Math.max(0, room - body.length)
  const lines = [...body, ...Array.from({ length: filler }, (): TableRow => ({ cells: [] })), ...foot]
  return lines.slice(-rows).map((row) => rowText(row, view))
}

/** Each section with its heading, an empty row between them; the later ones give way where rows are few. */
function sectionRows(all: readonly (readonly TableRow[])[], view: BoardView, room: number): readonly TableRow[] {
  const sections = all.filter((section) => section.length > 0)
  // A heading and one row for each, before any has more.
  const least = sections.map((section) => Math.min(section.length, 2))
  let left = room - least.reduce((sum, rows) => sum + rows, 0)
  const given = sections.map((section, index) => {
    const more = Math.max(0, Math.min(section.length - (least[index] ?? 0), left))
    left -= more
    return (least[index] ?? 0) + more
  })
  const spaced = left >= sections.length
  return sections
    .flatMap((section, index) => [
      ...(spaced ? [{ cells: [] }] : []),
      ...windowOf(section, given[index] ?? 0, view.chosen),
    ])
    .slice(0, room)
}

function sectionsOf(
  board: Board,
  columns: number,
): { readonly sections: readonly (readonly TableRow[])[]; readonly hidden: readonly string[] } {
  const { seen, tasks, runs, news, now } = board
  const held = board.seen?.held ?? []
  const marketOf = ({ symbol }: { readonly symbol: string }) => seen?.markets.find((market) => market.symbol === symbol)
  const orders = (seen?.orders ?? []).flatMap((order) => orderRowsOf(order, now, marketOf(order)))
  const table = <Row>(
    of: readonly BoardColumn<Row>[],
    rows: readonly Row[],
    about: Omit<Parameters<typeof tableLines<Row>>[2], 'columns'> = {},
  ): readonly TableRow[] => {
    if (rows.length === 0) return []
    const { lines, hidden: left } = tableLines(of, rows, { columns, ...about })
    hidden.push(...left)
    return lines
  }
  const hidden: string[] = []
  const none = seen === undefined || held.length > 0 ? [] : [noneRow(noPositions(seen))]
  const sections = [
    [...none, ...table(POSITION_COLUMNS, held, { keyOf: ({ symbol }) => `position ${symbol}`, marketOf })],
    seen !== undefined && orders.length === 0
      ? [noneRow('no open orders')]
      : table(ORDER_COLUMNS, orders, {
          keyOf: ({ symbol, id }) => (id === '' ? undefined : `order ${orderKey(symbol, id)}`),
        }),
    table(TASK_COLUMNS, tasks),
    table(
      RUN_COLUMNS,
      runs.map((run) => ({ ...run, now })),
    ),
    news.length === 0
      ? []
      : [{ cells: [{ text: 'news', tone: 'dim' as const }] }, ...news.flatMap((line) => newsRows(line, columns))],
  ]
  return { sections, hidden }
}

function noPositions({ kind }: Seen): string {
  return kind === 'spot' ? 'a spot account has no positions: `balance` shows its coins' : 'no open positions'
}

function noneRow(text: string): TableRow {
  return { cells: [{ text, tone: 'dim' }] }
}

function newsRows({ text, tone }: NewsLine, columns: number): readonly TableRow[] {
  const lines = fitLines([printable(text, MAX_TEXT)], columns - MARK.length)
  return lines.map((line) => ({ cells: [toned(line, tone)], isNews: true }))
}

/** The heading, and as many rows as there is room for, with the chosen one among them. */
function windowOf(section: readonly TableRow[], room: number, chosen: string | undefined): readonly TableRow[] {
  if (section.length <= room) return section
  const [heading, ...rows] = section
  if (heading === undefined || room < 2) return section.slice(0, room)
  if (rows.at(-1)?.isNews === true) return [heading, ...rows.slice(1 - room)]
  const shown = Math.max(1, room - 2)
  const at = rows.findIndex(({ key }) => key !== undefined && key === chosen)
  const from = Math.max(0, Math.min(at - shown + 1, rows.length - shown))
  const more = noneRow(`… ${rows.length - shown} more`)
  return [heading, ...rows.slice(from, from + shown), ...(room > 2 ? [more] : [])]
}

function rowText({ key, isOutside, cells }: TableRow, { columns, coloured, chosen }: BoardView): string {
  const isChosen = key !== undefined && key === chosen
  const mark = isOutside === true || cells.length === 0 ? '' : isChosen ? MARK : ' '.repeat(MARK.length)
  let room = columns - mark.length
  const parts = cells.map(({ text, tone }, index) => {
    const gap = index === 0 ? '' : GAP
    // Half a word of the head says less than none of it.
    const isLeftOut = isOutside === true && index > 0 && cellWidth(gap + text) > room
    const fits = isLeftOut ? '' : cutCells(gap + text, room)
    if (isLeftOut) room = 0
    room -= cellWidth(fits)
    if (!coloured || tone === undefined || isChosen || !fits.startsWith(gap)) return fits
    return `${gap}\u001b[${COLOUR[tone]}m${fits.slice(gap.length)}\u001b[39m`
  })
  const text = mark + parts.join('')
  return isChosen && coloured ? `\u001b[7m${text}\u001b[27m` : text
}
