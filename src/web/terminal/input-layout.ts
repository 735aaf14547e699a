// Where prompt and line are drawn in a terminal of so many columns. Widths are xterm.js's (Unicode 6): what it draws in two cells
// counts two here, and is never split at the last column.

export interface InputLayout {
  /** 0-based, from the prompt's row. */
  readonly cursor: { readonly row: number; readonly column: number }
  readonly end: { readonly row: number; readonly column: number }
}

/** @param before all that is before the cursor, the prompt included; printable text */
export function layOut(before: string, after: string, columns: number): InputLayout {
  const cursor = advance({ row: 0, column: 0 }, before, columns)
  const end = advance(cursor, after, columns)
  // A full row: the cursor is where the next character will go.
  return { cursor: wrapped(cursor, columns), end }
}

type Place = InputLayout['end']

function advance(from: Place, text: string, columns: number): Place {
  let place = from
  for (const character of text) {
    const width = cellWidth(character)
    const isFull = place.column + width > columns
    place = isFull ? { row: place.row + 1, column: width } : { row: place.row, column: place.column + width }
  }
  return place
}

function wrapped(place: Place, columns: number): Place {
  return place.column < columns ? place : { row: place.row + 1, column: 0 }
}

const ZERO_WIDE = /^[\p{Mn}\p{Me}]$/u
const TWO_WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]$/u

function cellWidth(character: string): number {
  if (ZERO_WIDE.test(character)) return 0
  return TWO_WIDE.test(character) ? 2 : 1
}
