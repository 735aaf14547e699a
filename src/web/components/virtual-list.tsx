// Long lists and tables: only the visible rows and a few more are in the page. A list has one tab stop; the arrows go from row to row.
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { NARROW, useMedia } from '../state/use-console.ts'
import { indexAfter } from './arrow-keys.ts'

export interface VirtualListProps<Row> {
  readonly label: string
  /** Of the rows, besides `list-row`. */
  readonly className: string
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly draw: (row: Row) => ReactNode
  /** The key of the one that is open. */
  readonly selected: string | undefined
  readonly onOpen: (row: Row) => void
  /** Space on a row; absent: it opens it, as Enter does. */
  readonly onSpace?: (row: Row) => void
  /** The last row is visible. */
  readonly onEnd?: () => void
  readonly rowPx: number
  readonly narrowRowPx: number
}

const AHEAD = 12

export function VirtualList<Row>(props: VirtualListProps<Row>) {
  const { label, rows, keyOf, selected, onEnd, rowPx, narrowRowPx } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [visited, setVisited] = useState<string>()
  const isNarrow = useMedia(NARROW)
  const keyAt = (index: number) => {
    const row = rows[index]
    return row === undefined ? `${index}` : keyOf(row)
  }
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isNarrow ? narrowRowPx : rowPx),
    overscan: AHEAD,
    getItemKey: keyAt,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows have another height then
  useLayoutEffect(() => virtual.measure(), [virtual, isNarrow])
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= rows.length - 1) onEnd?.()
  }, [last, rows.length, onEnd])
  const isInPage = (key: string | undefined) => items.some((item) => item.key === key)
  const stop = [visited, selected].find(isInPage) ?? items[0]?.key
  const move = (event: KeyboardEvent) => {
    const from = Number((event.target as HTMLElement).dataset.index)
    const to = Number.isNaN(from) ? undefined : indexAfter('rows', event, from, rows.length)
    if (to === undefined) return
    event.preventDefault()
    virtual.scrollToIndex(to)
    // Once it is in the page.
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-index="${to}"]`)?.focus())
  }
  return (
    <div className="scrolls fill list-scroll" ref={scroller}>
      <ol aria-label={label} style={{ height: virtual.getTotalSize(), position: 'relative' }} onKeyDown={move}>
        {items.map(({ key, index, size, start }) => {
          const row = rows[index]
          return row === undefined ? null : (
            <li
              key={key}
              aria-posinset={index + 1}
              aria-setsize={rows.length}
              style={{ height: size, transform: `translateY(${start}px)` }}
            >
              <RowButton
                {...props}
                row={row}
                index={index}
                isStop={key === stop}
                onVisit={() => setVisited(keyOf(row))}
              />
            </li>
          )
        })}
      </ol>
    </div>
  )
}

interface RowButtonProps<Row> extends VirtualListProps<Row> {
  readonly row: Row
  readonly index: number
  readonly isStop: boolean
  readonly onVisit: () => void
}

function RowButton<Row>(props: RowButtonProps<Row>) {
  const { className, draw, keyOf, selected, onOpen, onSpace, row, index, isStop, onVisit } = props
  const isSpace = ({ key, altKey, ctrlKey, metaKey }: KeyboardEvent) =>
    onSpace !== undefined && key === ' ' && !altKey && !ctrlKey && !metaKey
  return (
    <button
      type="button"
      className={`ruled text-2 full at-start grid list-row ${className}`}
      data-index={index}
      tabIndex={isStop ? 0 : -1}
      aria-current={keyOf(row) === selected ? 'true' : undefined}
      onFocus={onVisit}
      onClick={() => onOpen(row)}
      onKeyDown={(event) => {
        if (!isSpace(event)) return
        event.preventDefault()
        if (!event.repeat) onSpace?.(row)
      }}
      // Some browsers press a button when Space comes up.
      onKeyUp={(event) => isSpace(event) && event.preventDefault()}
    >
      {draw(row)}
    </button>
  )
}

// --- the rows of a long table

interface VirtualRowsProps {
  readonly count: number
  readonly scroller: RefObject<HTMLElement | null>
  /** Columns. */
  readonly span: number
  /** @param measure takes each row's element: rows are of different heights, as cards above all */
  readonly draw: (index: number, measure: (element: HTMLElement | null) => void) => ReactNode
}

const TABLE_ROW_PX = 28
const TABLE_ROWS_AHEAD = 20

export function VirtualRows({ count, scroller, span, draw }: VirtualRowsProps) {
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => TABLE_ROW_PX,
    overscan: TABLE_ROWS_AHEAD,
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
