// Where in a line a mistake is: as much of the line as fits a narrow ticket, and a caret under the place.
import { printable } from '../../../../language/printable.ts'

const WIDTH = 34

/** Two lines. @param column from 1; behind the line points behind it */
export function caretUnder(line: string, column: number): string {
  const at = Math.min(Math.max(Math.trunc(column), 1), line.length + 1) - 1
  const start = Math.max(0, Math.min(at - WIDTH / 2, line.length + 1 - WIDTH))
  const part = line.slice(start, start + WIDTH)
  const shown = `${start > 0 ? '…' : ''}${start > 0 ? part.slice(1) : part}`
  return `${printable(shown)}\n${' '.repeat(at - start)}^`
}
