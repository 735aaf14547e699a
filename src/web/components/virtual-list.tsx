// A list to choose from: however long, only what is in sight is in the page. One tab stop; the arrows go from row to row.
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useMedia } from '../use-media.ts'

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
  /** The end is in sight. */
  readonly onEnd?: () => void
  readonly rowPx: number
  readonly narrowRowPx: number
}

const AHEAD = 12

export function VirtualList<Row>(props: VirtualListProps<Row>) {
  const { label, rows, keyOf, selected, onEnd, rowPx, narrowRowPx } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [visited, setVisited] = useState<string>()
  const isNarrow = useMedia('(max-width: 799px)')
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
    const to = nextIndex(event, Number((event.target as HTMLElement).dataset.index), rows.length)
    if (to === undefined) return
    event.preventDefault()
    virtual.scrollToIndex(to)
    // Once it is in the page.
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-index="${to}"]`)?.focus())
  }
  return (
    <div className="list-scroll" ref={scroller}>
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
      className={`list-row ${className}`}
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

function nextIndex(event: KeyboardEvent, index: number, count: number): number | undefined {
  if (event.altKey || event.ctrlKey || event.metaKey || Number.isNaN(index)) return undefined
  const to = { ArrowDown: index + 1, j: index + 1, ArrowUp: index - 1, k: index - 1, Home: 0, End: count - 1 }[
    event.key
  ]
  return to === undefined ? undefined : Math.max(0, Math.min(to, count - 1))
}
