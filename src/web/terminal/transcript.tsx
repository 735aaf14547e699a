// The lines: only the visible ones are in the page. The view follows new lines while its end is visible.
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, type RefObject, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { Answer } from '../../client/questions.ts'
import type { Console } from '../console.ts'
import { showClock } from '../figures.ts'
import { isLive } from '../state/console-state.ts'
import { usePreferences } from '../state/preferences.ts'
import { useConsole, useDesk } from '../state/use-console.ts'
import { type LogEntry, linesOf, MAX_ENTRIES, type News, typedLine } from './output-log.ts'

const ROW_PX = 19
const AHEAD = 12
/** Nearer to the end than this, it is at the end. */
const END_PX = 24

export default function Transcript({ find }: { readonly find: string }) {
  const console = useConsole()
  const { log } = console
  useEarlierRuns(console)
  const entries = useSyncExternalStore(log.subscribe, log.entries)
  const shown = find === '' ? entries : entries.filter((entry) => isMatch(entry, find))
  const scroller = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => sizeKey(shown[index]) ?? index,
    overscan: AHEAD,
  })
  const width = useWidth(scroller)
  // biome-ignore lint/correctness/useExhaustiveDependencies: lines have other heights then, and what is kept of them wins over what they are
  useLayoutEffect(() => {
    virtual.measure()
    // Worked out once without what was kept: what equals that would not be taken note of.
    virtual.getTotalSize()
    for (const row of scroller.current?.querySelectorAll<HTMLElement>('[data-measured=true]') ?? [])
      virtual.resizeItem(Number(row.dataset.index), row.offsetHeight)
  }, [virtual, width])
  const last = shown.at(-1)
  const total = virtual.getTotalSize()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new line, or a line that turned out higher, moves the end
  useEffect(() => {
    const element = scroller.current
    if (element && isAtEnd.current) element.scrollTop = element.scrollHeight
  }, [last, total])
  const items = virtual.getVirtualItems()
  return (
    <section
      className="scrolls fill transcript"
      ref={scroller}
      aria-label="Terminal output"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: without a mouse there is no other way to scroll it
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < END_PX
      }}
    >
      <div className="relative full transcript-lines" style={{ height: total }}>
        {items.map(({ key, index, start }) => {
          const entry = shown[index]
          const isFlat = isOneRow(entry, width)
          return (
            <div
              // Under a flood each drawn frame has other lines: elements that need no measuring are filled anew.
              key={isFlat ? `row ${index}` : key}
              data-index={index}
              data-measured={!isFlat}
              ref={isFlat ? undefined : virtual.measureElement}
              className="gap-0 grid transcript-row"
              style={{ transform: `translateY(${start}px)` }}
            >
              <Line entry={entry} />
            </div>
          )
        })}
      </div>
    </section>
  )
}

// --- after a reload: hookline keeps what runs printed, and the browser nothing of it

const EARLIER_RUNS = 12
const EARLIER_MS = 24 * 3_600_000
const haveEarlier = new WeakSet<Console>()

/** Once a page, as soon as hookline answers. */
function useEarlierRuns(console: Console): void {
  const isUsable = useDesk(isLive)
  useEffect(() => {
    if (!isUsable || haveEarlier.has(console)) return
    haveEarlier.add(console)
    readEarlier(console).then(
      (lines) => console.log.printBefore(lines),
      // The connection ended, or hookline is too old: read at the next connection.
      () => haveEarlier.delete(console),
    )
  }, [console, isUsable])
}

async function readEarlier({ ask, label, openedAt }: Console): Promise<readonly News[]> {
  const filters = { from: openedAt - EARLIER_MS, to: openedAt }
  const { runs } = await ask.runs({ limit: 100, filters })
  const printedHere = runs.filter(({ source, origin }) => source === 'hook' || (source === 'web' && origin === label))
  const kept = await Promise.all(printedHere.slice(0, EARLIER_RUNS).map(({ runId }) => ask.run(runId)))
  return earlierLines(kept)
}

/** As the terminal printed them: a hook's under its name, a page's under its line. @param kept newest first @returns oldest first */
export function earlierLines(kept: readonly Pick<Answer<'runs:show'>, 'run' | 'output'>[]): readonly News[] {
  return kept.toReversed().flatMap(({ run, output }) => {
    const { source, origin, command, account, startedAt } = run
    const isHook = source === 'hook'
    const prompt = account === undefined ? 'hookline > ' : `${account} > `
    return [
      ...(isHook ? [] : [typedLine(prompt, command, startedAt)]),
      ...output.flatMap((line) => linesOf(line, startedAt + line.afterMs, isHook ? `[hook:${origin ?? 'hook'}] ` : '')),
    ]
  })
}

/** The virtualizer knows it too, and draws nothing anew for it. @returns undefined: not known yet */
function useWidth(element: RefObject<HTMLElement | null>): number | undefined {
  const [width, setWidth] = useState<number>()
  useLayoutEffect(() => {
    const observed = element.current
    if (observed === null) return
    const observer = new ResizeObserver(() => setWidth(observed.clientWidth))
    observer.observe(observed)
    return () => observer.disconnect()
  }, [element])
  return width
}

function isMatch({ source, text }: LogEntry, find: string): boolean {
  return `${source}${text}`.toLowerCase().includes(find.toLowerCase())
}

const Line = memo(({ entry }: { readonly entry: LogEntry | undefined }) => {
  const zone = usePreferences(({ timeZone }) => timeZone)
  if (entry === undefined) return null
  const { at, kind, source, text, times } = entry
  return (
    <>
      <time className="faint transcript-time" dateTime={new Date(at).toISOString()}>
        {showClock(at, zone)}
      </time>
      <span className="transcript-line">
        {source !== '' && <span className={kind === 'typed' ? 'output-prompt' : 'muted output-source'}>{source}</span>}
        <span className={`output-text ${toneOf(kind)}`}>{text}</span>
        {times > 1 && <span className="muted">{` ×${times.toLocaleString('en-US')}`}</span>}
      </span>
    </>
  )
})

/** A fill at a loss is printed as a success, too: green would say profit. */
export function toneOf(kind: LogEntry['kind']): string {
  return kind === 'success' ? '' : `toned ${kind}`
}

// --- which lines are one row high for certain: those are not measured, and most lines are such. To measure one costs a layout of the page

/** More than any font that a person sets: a row that might wrap is measured. */
const WIDEST_LETTER_PX = 11
/** The time, the edges and the scroll bar. */
const BESIDE_PX = 130
const COUNT_LETTERS = 14
/** All of one width. */
const PLAIN = /^[\x20-\x7e]*$/

/** @param widthPx of the transcript; undefined: not known yet */
export function isOneRow(entry: LogEntry | undefined, widthPx: number | undefined): boolean {
  if (entry === undefined || widthPx === undefined) return false
  const { source, text, times } = entry
  const letters = source.length + text.length + (times > 1 ? COUNT_LETTERS : 0)
  return letters * WIDEST_LETTER_PX <= widthPx - BESIDE_PX && PLAIN.test(source) && PLAIN.test(text)
}

/**
 * By which the height of a line is kept. The numbers come around, for what is kept is never forgotten, and lines come without end; no two lines
 * that are held at once have the same.
 */
export function sizeKey(entry: LogEntry | undefined): number | undefined {
  return entry && entry.key % (2 * MAX_ENTRIES)
}
