// Aligned columns of text. Width is what a terminal shows, not how many code units a string has.

export interface Column {
  readonly title: string
  /** Default `left`. Numbers go `right`. */
  readonly align?: 'left' | 'right'
}

const GAP = '  '

// East Asian wide and fullwidth blocks and the emoji planes: two cells. Combining marks and joiners: none.
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]|[\u{20000}-\u{3fffd}]/u
const ZERO = /\p{Mark}|\u200d|\ufe0f/u

/** Terminal cells that `text` takes. */
export function cellWidth(text: string): number {
  let width = 0
  for (const character of text) width += ZERO.test(character) ? 0 : WIDE.test(character) ? 2 : 1
  return width
}

/** Pads with spaces to `width` cells; longer text stays as it is. */
export function padCells(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const padding = ' '.repeat(Math.max(0, width - cellWidth(text)))
  return align === 'right' ? padding + text : text + padding
}

/** A heading line and one line per row, without trailing spaces. Columns without a title in any column print no heading. */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const hasHeading = columns.some((column) => column.title !== '')
  const lines = hasHeading ? [columns.map((column) => column.title), ...rows] : rows
  const widths = columns.map((_, index) => Math.max(0, ...lines.map((line) => cellWidth(line[index] ?? ''))))
  return lines
    .map((line) =>
      columns
        .map((column, index) => padCells(line[index] ?? '', widths[index] ?? 0, column.align))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n')
}
