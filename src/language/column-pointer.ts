// Shows where in a line an error is: the line, and a caret under the column. A line that is too long is cut around it.
import { printable } from './printable.ts'

const MAX_WIDTH = 100

/**
 * Two lines: `line`, cut to 100 units around the column where it is longer, and a caret under the column.
 * @param column 1-based, in UTF-16 units; one past the end points behind the line, anything outside is moved to the nearest end
 */
export function pointAt(line: string, column: number): string {
  const target = Math.min(Math.max(Math.trunc(column) || 1, 1), line.length + 1) - 1
  const lastStart = Math.max(0, line.length - MAX_WIDTH)
  const start = Math.min(Math.max(0, target - MAX_WIDTH / 2), lastStart)
  let shown = line.slice(start, start + MAX_WIDTH)
  if (start > 0) shown = `…${shown.slice(1)}`
  if (start < lastStart) shown = `${shown.slice(0, -1)}…`
  return `${printable(shown)}\n${' '.repeat(target - start)}^`
}
