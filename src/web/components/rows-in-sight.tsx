// Of a long table, the rows in sight and a few more; loaded when there is such a table.
import { useVirtualizer } from '@tanstack/react-virtual'
import type { ReactNode, RefObject } from 'react'

export interface RowsInSightProps {
  readonly count: number
  readonly scroller: RefObject<HTMLElement | null>
  /** Columns. */
  readonly span: number
  /** @param measure is told each row's element: rows are of different heights, as cards above all */
  readonly draw: (index: number, measure: (element: HTMLElement | null) => void) => ReactNode
}

const ROW_PX = 28
const AHEAD = 20

export default function RowsInSight({ count, scroller, span, draw }: RowsInSightProps) {
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: AHEAD,
  })
  const items = virtual.getVirtualItems()
  const before = items[0]?.start ?? 0
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    <>
      {before > 0 && <Gap height={before} span={span} />}
      {items.map(({ index }) => draw(index, virtual.measureElement))}
      {after > 0 && <Gap height={after} span={span} />}
    </>
  )
}

function Gap({ height, span }: { readonly height: number; readonly span: number }) {
  return (
    <tr>
      <td colSpan={span} style={{ height, padding: 0, border: 0 }} />
    </tr>
  )
}
