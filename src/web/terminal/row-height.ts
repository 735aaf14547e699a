// Which lines of the transcript are one row high for certain: those are not measured, and most lines are such. To measure one costs a layout of
// the page.
import { type LogEntry, MAX_ENTRIES } from './output-log.ts'

/** More than any font that a person sets: a row that might wrap is measured. */
const WIDEST_LETTER_PX = 11
/** What is not the line: the time, the edges, the scroll bar. */
const BESIDE_PX = 130
const COUNT_LETTERS = 14
/** All of one width. */
const PLAIN = /^[\x20-\x7e]*$/

/** @param widthPx of the transcript; undefined: not known yet */
export function isOneRow(entry: LogEntry | undefined, widthPx: number | undefined): boolean {
  if (entry === undefined || widthPx === undefined) return false
  const { source, text, times } = entry
  const letters = source.length + text.length + (times > 1 ? COUNT_LETTERS : 0)
  return letters * WIDEST_LETTER_PX <= widthPx - BESIDE_PX && PLAIN.test(source) && PLAIN.test(text)
}

/**
 * By which the height of a line is kept. The numbers come around, for what is kept is never forgotten, and lines come without end; no two lines
 * that are held at once have the same.
 */
export function sizeKey(entry: LogEntry | undefined): number | undefined {
  return entry && entry.key % (2 * MAX_ENTRIES)
}
