// The terminal, over the foot of every page: its output, lines that were pasted, and the line being typed.
import { type KeyboardEvent, lazy, type PointerEvent, Suspense, useEffect, useRef, useState } from 'react'
import { DEVICE_STORAGE } from '../../client/text-storage.ts'
import { useConfirm } from '../components/dialog.tsx'
import { whyNoCommands } from '../state/console-state.ts'
import { closeDrawer, useDeskStore } from '../state/desk-store.ts'
import { prefer, usePreferences } from '../state/preferences.ts'
import { useConsole, useDesk } from '../state/use-console.ts'
import { InputLine } from './input-line.tsx'
import { describeEnd, MAX_LENGTH, runPasted, shownWhole, stopPasted, usePasteRun } from './paste.ts'
import { openTypedHistory } from './typed-history.ts'

const Transcript = lazy(() => import('./transcript.tsx'))
const history = openTypedHistory(DEVICE_STORAGE)
/** Six lines, the head and the line being typed. */
const SMALLEST_PX = 200
/** Of the window, for the header and some of the page. */
const KEPT_PX = 180
const STEPS_PX: Readonly<Record<string, number>> = { ArrowUp: 40, ArrowDown: -40, PageUp: 160, PageDown: -160 }

export default function Drawer() {
  const isOpen = useDeskStore((state) => state.isDrawerOpen)
  const height = usePreferences((state) => state.drawerHeight)
  const field = useRef<HTMLInputElement>(null)
  const { send, paste, result } = useRuns(field)
  const [find, setFind] = useState<string>()
  const noCommands = useDesk(whyNoCommands)
  const underWay = useDesk(({ runsUnderWay }) => runsUnderWay)
  useEffect(() => {
    if (isOpen) field.current?.focus()
  }, [isOpen])
  return (
    <section
      className="surface relative stack drawer"
      aria-label="Terminal"
      hidden={!isOpen}
      data-region="Terminal"
      style={{ '--drawer': `${height}px` } as React.CSSProperties}
      onKeyDown={(event) => event.key === 'Escape' && !event.defaultPrevented && closeDrawer()}
    >
      <Grip height={height} />
      <header className="ruled rigid row drawer-head">
        <h2 className="text-2">Terminal</h2>
        <span className="text-2 muted cut">runs in hookline on this machine</span>
        <span className="count">{underWay > 0 ? `${underWay} running` : ''}</span>
        <span className="fill head-space" />
        <FindField find={find} onFind={setFind} />
        <button type="button" className="button quiet small" onClick={closeDrawer}>
          Close <kbd>`</kbd>
        </button>
      </header>
      {noCommands !== undefined && (
        <p className="soft rigid warning" role="note">
          {noCommands}
        </p>
      )}
      {isOpen && (
        <Suspense fallback={<div className="scrolls fill transcript" />}>
          <Transcript find={find ?? ''} />
        </Suspense>
      )}
      <PasteProgress />
      <InputLine field={field} history={history} onEnter={send} onPasteLines={paste} />
      <p className="visually-hidden" aria-live="assertive">
        {result}
      </p>
    </section>
  )
}

/** Runs a line, typed or pasted. Screen readers read only how it ended. */
function useRuns(field: React.RefObject<HTMLInputElement | null>) {
  const console = useConsole()
  const confirm = useConfirm()
  const [result, setResult] = useState('')
  const { log } = console
  const note = (text: string) => log.print({ kind: 'warn', text }, Date.now())
  const run = async (line: string) => {
    const { isDone, text } = await console.runTyped(line)
    setResult(`${isDone ? '' : 'failed: '}${text}`)
    return isDone
  }
  const send = (typed: string) => {
    const line = typed.trim()
    if (line === '') return
    if (line.length > MAX_LENGTH) return note(`nothing was sent: hookline takes ${MAX_LENGTH} characters`)
    history.add(typed)
    // The screen is this page's own; hookline would refuse it.
    if (/^(clear|cls)$/i.test(line)) return log.clear()
    void run(line)
  }
  const paste = async (lines: readonly string[]) => {
    if (usePasteRun.getState().run) return note('nothing was pasted: the lines pasted before are still running')
    const isSure = await confirm(pasteQuestion(lines))
    field.current?.focus()
    if (!isSure) return
    const end = describeEnd(
      await runPasted(lines, (line) => {
        history.add(line)
        return run(line.trim())
      }),
    )
    if (end !== undefined) note(end)
  }
  return { result, send, paste: (lines: readonly string[]) => void paste(lines) }
}

function pasteQuestion(lines: readonly string[]) {
  return {
    title: `Run ${lines.length} pasted lines?`,
    body: (
      <>
        <p>They run one after the other, each once the one before has ended. One that fails ends them.</p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without a mouse there is no other way to scroll it */}
        <pre className="scrolls raised pasted" tabIndex={0}>
          {lines.map(shownWhole).join('\n')}
        </pre>
      </>
    ),
    yes: `Run ${lines.length} lines`,
    no: 'Do not run them',
  }
}

function PasteProgress() {
  const run = usePasteRun((state) => state.run)
  if (run === undefined) return null
  const { index, lines, isStopping } = run
  return (
    <p className="rigid row paste-progress">
      <span className="fill cut">
        {`Pasted line ${index + 1} of ${lines.length}: `}
        <code>{shownWhole(lines[index] ?? '')}</code>
      </span>
      <button type="button" className="button small danger" disabled={isStopping} onClick={stopPasted}>
        {isStopping ? 'Stopping after this line' : 'Stop'}
      </button>
    </p>
  )
}

interface FindFieldProps {
  readonly find: string | undefined
  readonly onFind: (find: string | undefined) => void
}

function FindField({ find, onFind }: FindFieldProps) {
  if (find === undefined) {
    return (
      <button type="button" className="button quiet small" onClick={() => onFind('')}>
        Find
      </button>
    )
  }
  const leave = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    onFind(undefined)
  }
  return (
    <input
      // biome-ignore lint/a11y/noAutofocus: it was opened to type here
      autoFocus
      className="find-field"
      aria-label="Find in what the terminal shows"
      placeholder="Find in the output"
      value={find}
      onChange={(event) => onFind(event.target.value)}
      onKeyDown={leave}
    />
  )
}

const tallest = () => Math.max(SMALLEST_PX, innerHeight - KEPT_PX)

/** The upper edge, dragged or moved by keys; a double click gives it its height back. */
function Grip({ height }: { readonly height: number }) {
  // The stored height may come from a taller window.
  const now = Math.max(SMALLEST_PX, Math.min(height, tallest()))
  const resize = (to: number) => prefer({ drawerHeight: Math.round(Math.max(SMALLEST_PX, Math.min(to, tallest()))) })
  const drag = (event: PointerEvent<HTMLElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) resize(innerHeight - event.clientY)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const ends: Readonly<Record<string, number>> = { Home: SMALLEST_PX, End: tallest() }
    const to = ends[event.key] ?? now + (STEPS_PX[event.key] ?? Number.NaN)
    if (Number.isNaN(to)) return
    event.preventDefault()
    resize(to)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule that can be moved is a separator that takes the focus
    <div
      className="drawer-grip wide-only"
      role="separator"
      aria-label="Height of the terminal"
      aria-orientation="horizontal"
      aria-valuenow={now}
      aria-valuemin={SMALLEST_PX}
      aria-valuemax={tallest()}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onDoubleClick={() => resize(320)}
      onKeyDown={onKeyDown}
    />
  )
}
