// A real table in a box that scrolls sideways, which the keyboard can reach.
import type { ReactNode } from 'react'

export interface ColumnHead {
  readonly title: string
  /** Figures are right aligned. */
  readonly isFigure?: boolean
  /** For columns of buttons and marks, whose heading only screen readers need. */
  readonly isUnseen?: boolean
}

export interface DataTableProps {
  readonly label: string
  readonly columns: readonly ColumnHead[]
  /** The rows: `<tr>`. */
  readonly children: ReactNode
}

export function DataTable({ label, columns, children }: DataTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a mouse there is no other way to scroll it
    <section className="scroll-x" tabIndex={0} aria-label={`${label}, table`}>
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ title, isFigure = false, isUnseen = false }) => (
              <th key={title} scope="col" className={isFigure ? 'figure' : undefined}>
                {isUnseen ? <span className="visually-hidden">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  )
}
