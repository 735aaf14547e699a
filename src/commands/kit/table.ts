// Aligned columns of text. Width is what a terminal shows, not how many code units a string has.
import { cellWidth, padCells } from '../../terminal/width.ts'

export interface Column {
  readonly title: string
  /** Default `left`. Numbers go `right`. */
  readonly align?: 'left' | 'right'
}

const GAP = '  '

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
