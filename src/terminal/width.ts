// Terminal cells that text takes. The package `string-width` would say the same of what people name things, and costs 16 ms at its
// first call for V8's table of graphemes: a third of a whole start.

/** East Asian wide and fullwidth blocks, and the emoji: two cells. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]|[\u{20000}-\u{3fffd}]/u
/** Marks that are drawn over the character before them, joiners and selectors: none. Spacing marks take their cell. */
const ZERO = /\p{Mn}|\p{Me}|\u200d|\ufe0f/u

export function cellWidth(text: string): number {
  let width = 0
  for (const character of text) width += ZERO.test(character) ? 0 : WIDE.test(character) ? 2 : 1
  return width
}

/** Pads with spaces to `width` cells; longer text stays as it is. */
export function padCells(text: string, width: number, align: 'left' | 'right' | 'point' = 'left'): string {
  const padding = ' '.repeat(Math.max(0, width - cellWidth(text)))
  return align === 'left' ? text + padding : padding + text
}

/** With room behind the shorter fractions of a column of points, so that the points of its first figures are below each other. */
export function alignPoints(
  columns: readonly { readonly align?: string }[],
  rows: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  const aligned = columns.map(({ align }, index) => {
    const cells = rows.map((row) => row[index] ?? '')
    return align === 'point' ? withTails(cells) : cells
  })
  return rows.map((_, row) => aligned.map((cells) => cells[row] ?? ''))
}

function withTails(cells: readonly string[]): readonly string[] {
  const tails = cells.map((cell) => {
    const [, whole = ''] = /^([-+]?\$?\d[\d,]*)/.exec(cell) ?? []
    return whole === '' ? undefined : cellWidth(cell) - whole.length
  })
  const longest = Math.max(0, ...tails.map((tail) => tail ?? 0))
  return cells.map((cell, index) => cell + ' '.repeat(longest - (tails[index] ?? longest)))
}

/** The beginning of the text that fits into `width` cells; where that is not all of it, it ends in `…`. */
export function cutCells(text: string, width: number): string {
  if (text.length <= width / 2 || cellWidth(text) <= width) return text
  let cut = ''
  let left = width - 1
  for (const character of text) {
    left -= cellWidth(character)
    if (left < 0) break
    cut += character
  }
  return width < 1 ? '' : `${cut}…`
}
