// Rows for spreadsheets: RFC 4180 quoting, and no cell that a spreadsheet would run as a formula.
import { printable } from './printable.ts'

const NUMBER = /^-?\d+(\.\d+)?$/
/** How spreadsheets know a formula, also in the wide forms of East Asian keyboards. */
const FORMULA = /^\s*[=+\-@＝＋－＠]/
const QUOTED = /[",]|^\s|\s$/

/** The header and one line for each row. Cells are texts without line breaks: what would break a line is a space here, as everywhere. */
export function renderCsv(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, ...rows].map((row) => row.map(csvCell).join(',')).join('\n')
}

export function csvCell(text: string): string {
  if (NUMBER.test(text)) return text
  const line = printable(text)
  const plain = FORMULA.test(line) ? `'${line}` : line
  return QUOTED.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
