// Lines that are wider than the terminal, broken between words. A terminal by itself breaks anywhere, and a table then cannot be read.
// A table is known by its gaps: places where every line has two spaces or more.
import { cellWidth } from './width.ts'

/** Cells from `start` to before `end`. */
interface Column {
  readonly start: number
  readonly end: number
}

/** A column as it is shown: from cell `at` on; `room` is set where its text is broken to fit. */
interface PlacedColumn extends Column {
  readonly at: number
  readonly room?: number
}

/** A line as cells: a wide character takes two, of which the second is empty. */
type Cells = readonly string[]

const GAP = 2
/** Columns that go below the others begin here. */
const INDENT = 4
/** With less room than this, the last column goes below the others. */
const MIN_LAST_COLUMN = 24
/** Where a broken line of prose goes on, counted from where it began. */
const HANG = 2
const WORDS = /( *)([^ ]+)/g
/** With room for it, a line to type stays in one piece. */
const WORDS_AND_CODE = /( *)([^ `]{0,20}`[^`]{1,40}`[^ ]*|[^ ]+)/g
const ROOM_FOR_CODE = 70
const CARET = /^ *\^$/
const CSV_HEADER = /^[\w ]+(?:,\w[\w ]*){2,}$/
const JSON_START = /^[{[]/
/** A terminal joins what it broke itself when people copy it, and not what we broke. */
const FOR_A_SHELL = /^(?:curl|npx|hookline [a-z]+) /

/** `lines` of one output, each at most `width` cells wide, unless a single word is wider or the line is there to be copied. */
export function fitLines(lines: readonly string[], width: number): readonly string[] {
  if (lines.every((line) => line.length <= width / 2 || cellWidth(line) <= width) || isForPrograms(lines)) return lines
  const rows = lines.map(cellsOf)
  const columns = findColumns(rows)
  if (columns.length > 1) return fitTable(rows, columns, width)
  return lines.flatMap((line, index) => {
    // The caret below points at a column of this line.
    const isPointedAt = CARET.test(line) || CARET.test(lines[index + 1] ?? '')
    return isPointedAt || FOR_A_SHELL.test(line) ? [line] : wrapProse(line, width)
  })
}

/** CSV or JSON: a break would be a part of a value. */
function isForPrograms(lines: readonly string[]): boolean {
  const [first = ''] = lines
  return CSV_HEADER.test(first) || (JSON_START.test(first) && isJson(lines.join('\n')))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function cellsOf(line: string): Cells {
  const cells: string[] = []
  for (const character of line) {
    const width = cellWidth(character)
    if (width === 0) cells.push((cells.pop() ?? '') + character)
    else cells.push(character)
    if (width === 2) cells.push('')
  }
  return cells
}

function findColumns(rows: readonly Cells[]): readonly Column[] {
  const width = Math.max(...rows.map((row) => row.length))
  const isBlank = (at: number) => rows.every((row) => (row[at] ?? ' ') === ' ')
  const columns: Column[] = []
  let start = 0
  let blanks = 0
  for (let at = 0; at < width; at++) {
    if (isBlank(at)) blanks++
    else {
      const before = at - blanks
      if (blanks >= GAP && before > start) {
        columns.push({ start, end: before })
        start = at
      }
      blanks = 0
    }
  }
  columns.push({ start, end: width - blanks })
  return columns
}

/** Columns that do not fit are a table of their own below, each row with its first cell again. One text that does not fit goes below its row. */
function fitTable(rows: readonly Cells[], columns: readonly Column[], width: number): string[] {
  const bands = placeColumns(columns, width)
  const [key] = columns
  const below = bands.slice(1).flat()
  const isText = below.length === 1 && below.every((column) => cellsIn(column) >= MIN_LAST_COLUMN)
  if (key === undefined || below.length === 0 || isText || width - cellsIn(key) - GAP < MIN_LAST_COLUMN) {
    return rows.flatMap((row) => bands.flatMap((band, index) => shownBand(row, band, index > 0)))
  }
  const tables = placeColumns(columns, width, key)
  return tables.flatMap((band, index) => rows.flatMap((row) => shownBand(row, band, index > 0, key)))
}

/** Bands of columns: those that do not fit beside the others go below them, behind a key where there is one. */
function placeColumns(columns: readonly Column[], width: number, key?: Column): readonly (readonly PlacedColumn[])[] {
  const bands: PlacedColumn[][] = []
  const behindKey = key === undefined ? INDENT : cellsIn(key) + GAP
  let next = Number.POSITIVE_INFINITY
  for (const [index, column] of columns.entries()) {
    const isLast = index === columns.length - 1
    const needed = cellsIn(column)
    let band = bands.at(-1)
    if (band === undefined || !(next + needed <= width || (isLast && width - next >= MIN_LAST_COLUMN))) {
      next = bands.length === 0 ? 0 : behindKey
      band = bands.length === 0 || key === undefined ? [] : [{ ...key, at: 0 }]
      bands.push(band)
    }
    band.push({ ...column, at: next, ...(next + needed <= width ? {} : { room: width - next }) })
    next += needed + GAP
  }
  return bands
}

function cellsIn({ start, end }: Column): number {
  return end - start
}

/** @param isMore of a band below, which shows no row that has nothing there besides its key */
function shownBand(row: Cells, band: readonly PlacedColumn[], isMore: boolean, key?: Column): string[] {
  const own = band.filter(({ start }) => start !== key?.start)
  const isEmpty = own.every(({ start, end }) => row.slice(start, end).join('').trim() === '')
  return isMore && isEmpty ? [] : showBand(row, band)
}

/** Only the last column of a band is ever broken. */
function showBand(row: Cells, band: readonly PlacedColumn[]): string[] {
  let line = ''
  let width = 0
  const more: string[] = []
  for (const { start, end, at, room } of band) {
    const text = row.slice(start, end).join('')
    const [first = '', ...rest] = room === undefined ? [text] : wrapWords(text.trim(), room, room)
    line += ' '.repeat(Math.max(0, at - width)) + first
    width = at + cellWidth(first)
    more.push(...rest.map((piece) => ' '.repeat(at) + piece))
  }
  return [line.trimEnd(), ...more]
}

function wrapProse(line: string, width: number): string[] {
  const text = line.trimStart()
  const indent = line.slice(0, line.length - text.length)
  const room = width - cellWidth(indent)
  const [first = '', ...rest] = wrapWords(text, room, room - HANG)
  return [indent + first, ...rest.map((piece) => `${indent}${' '.repeat(HANG)}${piece}`)]
}

/** Breaks at spaces, which are dropped there and kept elsewhere. The first piece has room for `first` cells, the others for `rest`. */
function wrapWords(text: string, first: number, rest: number): string[] {
  const pieces: string[] = []
  let piece = ''
  let width = 0
  for (const [, space = '', word = ''] of text.matchAll(rest < ROOM_FOR_CODE ? WORDS : WORDS_AND_CODE)) {
    const room = pieces.length === 0 ? first : rest
    const added = space.length + cellWidth(word)
    if (piece !== '' && width + added > room) {
      pieces.push(piece)
      piece = word
      width = cellWidth(word)
    } else {
      piece += space + word
      width += added
    }
  }
  return [...pieces, piece]
}
