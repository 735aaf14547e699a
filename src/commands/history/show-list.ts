// A list of what happened, in the form that was asked for: a table for people, rows for spreadsheets, or the data as they are.
import { Decimal } from 'decimal.js'
import type { Market } from '../../exchange/market.ts'
import { printable, renderCsv } from '../../language/printable.ts'
import { showAmount, showMoment } from '../../trading/figures.ts'
import type { Gap } from '../../trading/history/executions.ts'
import type { Noted } from '../../trading/history/notes.ts'
import type { CommandContext, Output } from '../kit/command.ts'
import type { CommandData } from '../kit/data.ts'
import { type Column, renderTable } from '../kit/lines.ts'
import type { HistoryOptions } from './history-options.ts'

/** One column of it. */
export interface ListColumn<Row> extends Column {
  /** Of the table, where no row has anything in it. */
  readonly isLeftOutEmpty?: true
  /** As people read it. @param market absent: not known, or of none */
  readonly show: (row: Row, market?: Market) => string
  /** Its columns for spreadsheets: name and text, exact. */
  readonly fields: Readonly<Record<string, (row: Row) => string | undefined>>
}

interface HistoryList<Row> {
  readonly columns: readonly ListColumn<Row>[]
  /** All of them, oldest first. */
  readonly rows: readonly Row[]
  /** Of the rows of one market each; absent: prices are shown without the digits of a step. */
  readonly marketOf?: (row: Row) => Market | undefined
  readonly gaps: readonly (Gap & { readonly account?: string })[]
  /** For a list without rows. */
  readonly none: string
  readonly data: (rows: readonly Row[]) => CommandData
}

export function marketsBySymbol(markets: readonly Market[]): (row: { readonly symbol: string }) => Market | undefined {
  const bySymbol = new Map(markets.map((market) => [market.symbol, market]))
  return ({ symbol }) => bySymbol.get(symbol)
}

export function showList<Row>(
  { out, tableWidth }: Pick<CommandContext, 'out' | 'tableWidth'>,
  list: HistoryList<Row>,
  { limit, form, tags }: HistoryOptions,
): void {
  const rows = list.rows.slice(-limit)
  const data = list.data(rows)
  if (form === 'json') out.print(JSON.stringify(data, undefined, 1), data)
  else if (form === 'csv') out.print(csvOf(list.columns, rows), data)
  else if (rows.length === 0) out.info(list.none, data)
  else {
    const columns = list.columns.filter(
      ({ isLeftOutEmpty, show }) => isLeftOutEmpty !== true || rows.some((row) => show(row) !== ''),
    )
    const cells = rows.map((row) => columns.map(({ show }) => show(row, list.marketOf?.(row))))
    // Tags that were asked for stay where the terminal is narrow.
    const ranked = columns.map((column) =>
      column.title === 'note' && tags.length > 0 ? { ...column, rank: 0 } : column,
    )
    out.print(renderTable(ranked, cells, tableWidth), data)
  }
  warnOfGaps(out, list.gaps, form)
  const older = list.rows.length - rows.length
  if (older === 0) return
  const line = `${older} older ${older === 1 ? 'row is' : 'rows are'} left out: \`--limit ${list.rows.length}\` shows all`
  // A file that is short is a fault; a table that is short is what was asked for.
  if (form === 'table') out.info(line)
  else out.warn(line)
}

/** What a person noted, and the tags: no column of the table where no row has any. */
export const NOTE_COLUMN: ListColumn<Noted> = {
  title: 'note',
  isLeftOutEmpty: true,
  rank: 20,
  least: 12,
  show: ({ tags = [], note }) =>
    [...tags.map((tag) => `#${tag}`), ...(note === undefined ? [] : [printable(note, 60)])].join(' '),
  fields: { tags: ({ tags = [] }) => tags.join(' '), note: ({ note }) => note },
}

function csvOf<Row>(columns: readonly ListColumn<Row>[], rows: readonly Row[]): string {
  const fields = columns.flatMap((column) => Object.entries(column.fields))
  return renderCsv(
    fields.map(([name]) => name),
    rows.map((row) => fields.map(([, text]) => text(row) ?? '')),
  )
}

/** What is as it should be is not said beside rows for programs. */
function warnOfGaps(
  out: Output,
  gaps: readonly (Gap & { readonly account?: string })[],
  form: HistoryOptions['form'],
): void {
  for (const gap of gaps) {
    const line = `${gap.account === undefined ? '' : `${printable(gap.account, 40)}: `}${describeGap(gap)}`
    if (gap.kind !== 'orders-unknown' && gap.kind !== 'fills-not-asked') out.warn(line)
    else if (form === 'table') out.info(line)
  }
}

export function describeGap(gap: Gap): string {
  switch (gap.kind) {
    case 'venue-silent':
      return `${gap.symbol === undefined ? 'open orders come' : `${gap.symbol} comes`} only from the journal: ${printable(gap.message, 120)}`
    case 'symbols-left-out':
      return `the venue was not asked about ${gap.symbols.length} more symbols: name them (${gap.symbols.slice(0, 5).join(', ')}…)`
    case 'list-cut':
      return `${gap.symbol}: the venue lists only the newest fills, since ${showMoment(gap.since)}; older ones are those of the journal`
    case 'fills-not-kept':
      return `the venue lists no fills before ${showMoment(gap.since)}: older ones are those of the journal`
    case 'fills-not-asked':
      return `the venue was asked for fills since ${showMoment(gap.since)}, older ones are those of the journal: \`--since\` asks for more`
    case 'fills-unread':
      return unreadLine(gap)
    case 'cost-unknown':
      return `${gap.symbol}: ${showAmount(gap.amount)} were sold without a known purchase: their profit is not counted`
    case 'position-differs':
      return `${gap.symbol}: the fills add up to ${describeAmount(gap.counted)}, the venue has ${describeAmount(gap.held)}: some fills are not known`
    case 'market-unknown':
      return `${printable(gap.symbol, 30)} is no longer listed by the venue: the profit of its fills is not counted`
    case 'ends-unknown':
      return `how ${gap.orders} of them ended is unknown: the venue does not report it`
    case 'account-silent':
      return `not counted: ${printable(gap.message, 160)}`
    case 'funding-unknown':
      return 'funding is not counted: the venue does not report it here'
    case 'equity-unknown':
      return 'the equity of now is not known: the drawdown ends with the last record'
    case 'funding-cut':
      return `${printable(gap.symbol, 30)}: funding before ${showMoment(gap.since)} is not counted: there is more than is read at once`
    case 'fees-unknown':
      return `the fee of ${gap.fills === 1 ? '1 fill' : `${gap.fills} fills`} is not counted: the venue does not report it`
    case 'orders-unknown':
      return ordersUnknownLine(gap)
  }
}

function unreadLine({ symbol, fills, ids }: Extract<Gap, { kind: 'fills-unread' }>): string {
  const what = fills === 1 ? '1 fill' : `${fills} fills`
  const of = symbol === undefined ? '' : ` of ${printable(symbol, 30)}`
  const named = ids.slice(0, 5).map((id) => printable(id, 40))
  const names = named.length === 0 ? '' : ` (${named.join(', ')}${ids.length > named.length ? '…' : ''})`
  return `${what}${of} cannot be read and ${fills === 1 ? 'is' : 'are'} not counted${names}: check the venue`
}

function ordersUnknownLine({ fills, knownSince }: Extract<Gap, { kind: 'orders-unknown' }>): string {
  const what = `who ordered ${fills === 1 ? '1 fill' : `${fills} fills`} is not known`
  return knownSince === undefined ? what : `${what}; the order journal begins at ${showMoment(knownSince)}`
}

function describeAmount(amount: string): string {
  const size = new Decimal(amount)
  return size.isZero() ? 'no position' : `${size.isNeg() ? 'short' : 'long'} ${showAmount(size.abs())}`
}

/** `2026-11-21T10:10:05.000Z`, or nothing. */
export function isoTime(ms: number | undefined): string | undefined {
  return ms === undefined || Number.isNaN(new Date(ms).getTime()) ? undefined : new Date(ms).toISOString()
}
