// A curve in rows of braille: each cell is two dots wide and four high.

/** The dot of each row of a cell, of the left column and the right one. */
const DOTS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const
const EMPTY = 0x2800

/**
 * @param values at least one, at equal distances
 * @param width in cells @param height in rows
 * @returns the rows, the highest first; of values that are all the same, a line in the middle
 */
export function brailleCurve(values: readonly number[], width: number, height: number): readonly string[] {
  const [columns, dots] = [2 * width, 4 * height]
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const rowOf = (value: number) =>
    most === least ? Math.floor(dots / 2) : Math.round(((most - value) / (most - least)) * (dots - 1))
  const cells = Array.from({ length: height }, () => new Array<number>(width).fill(EMPTY))
  let before: number | undefined
  for (let column = 0; column < columns; column += 1) {
    const at = columns === 1 ? 0 : Math.round((column / (columns - 1)) * (values.length - 1))
    const row = rowOf(values[at] ?? 0)
    // From the dot before to this one, so that a step is a line.
    const [from, to] = before === undefined ? [row, row] : [Math.min(before, row), Math.max(before, row)]
    for (let dot = from; dot <= to; dot += 1) mark(cells, column, dot)
    before = row
  }
  return cells.map((row) => String.fromCodePoint(...row))
}

function mark(cells: readonly number[][], column: number, dot: number): void {
  const row = cells[Math.floor(dot / 4)]
  const bit = DOTS[dot % 4]?.[column % 2] ?? 0
  const cell = Math.floor(column / 2)
  if (row !== undefined) row[cell] = (row[cell] ?? EMPTY) | bit
}
