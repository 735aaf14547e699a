// Runs, newest first: however many, only those in sight are in the page. One tab stop; the arrows go from run to run.
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef } from 'react'
import type { RunRow } from '../../../protocol/frames.ts'
import { StateBadge } from '../../components/badge.tsx'
import { showTime } from '../../figures.ts'
import { useMedia } from '../../use-media.ts'
import { outcomeOf, sourceWord, tookOf, whoRan } from './run-words.ts'

export interface RunListProps {
  readonly label: string
  readonly runs: readonly RunRow[]
  readonly selected: string | undefined
  readonly onOpen: (run: RunRow) => void
  /** The end is in sight. */
  readonly onEnd?: () => void
}

const ROW_PX = 30
const NARROW_ROW_PX = 52
const AHEAD = 12

export function RunList({ label, runs, selected, onOpen, onEnd }: RunListProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const isNarrow = useMedia('(max-width: 799px)')
  const virtual = useVirtualizer({
    count: runs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isNarrow ? NARROW_ROW_PX : ROW_PX),
    overscan: AHEAD,
    getItemKey: (index) => runs[index]?.runId ?? index,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows have another height then
  useLayoutEffect(() => virtual.measure(), [virtual, isNarrow])
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= runs.length - 1) onEnd?.()
  }, [last, runs.length, onEnd])
  const index = runs.findIndex(({ runId }) => runId === selected)
  const stop = items.some((item) => item.index === index) ? index : (items[0]?.index ?? 0)
  const move = (event: KeyboardEvent) => {
    const to = nextIndex(event, Number((event.target as HTMLElement).dataset.index), runs.length)
    if (to === undefined) return
    event.preventDefault()
    virtual.scrollToIndex(to)
    // Once it is in the page.
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-index="${to}"]`)?.focus())
  }
  return (
    <div className="run-list" ref={scroller}>
      <ol aria-label={label} style={{ height: virtual.getTotalSize(), position: 'relative' }} onKeyDown={move}>
        {items.map((item) => {
          const run = runs[item.index]
          return run ? (
            <li
              key={item.key}
              aria-posinset={item.index + 1}
              aria-setsize={runs.length}
              style={{ height: item.size, transform: `translateY(${item.start}px)` }}
            >
              <button
                type="button"
                className="run-row"
                data-index={item.index}
                tabIndex={item.index === stop ? 0 : -1}
                aria-current={item.index === index ? 'true' : undefined}
                onClick={() => onOpen(run)}
              >
                <RunCells run={run} />
              </button>
            </li>
          ) : null
        })}
      </ol>
    </div>
  )
}

function RunCells({ run }: { readonly run: RunRow }) {
  const { command, error, startedAt, source } = run
  return (
    <>
      <span className="run-at">{showTime(startedAt, Date.now())}</span>
      <b className="run-who cut" title={sourceWord(source)}>
        {whoRan(run)}
      </b>
      <span className="run-what cut">
        <code>{command}</code>
        {error !== undefined && <span className="muted"> {error}</span>}
      </span>
      <StateBadge state={outcomeOf(run)} />
      <span className="run-took">{tookOf(run) ?? ''}</span>
    </>
  )
}

function nextIndex(event: KeyboardEvent, index: number, count: number): number | undefined {
  if (event.altKey || event.ctrlKey || event.metaKey || Number.isNaN(index)) return undefined
  const to = { ArrowDown: index + 1, j: index + 1, ArrowUp: index - 1, k: index - 1, Home: 0, End: count - 1 }[
    event.key
  ]
  return to === undefined ? undefined : Math.max(0, Math.min(to, count - 1))
}
