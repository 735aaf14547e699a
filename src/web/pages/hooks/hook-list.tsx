// The hooks as a list to choose from: searched, sorted, each with its state and its last 24 h.
import { useMemo, useState } from 'react'
import type { HookRow } from '../../../protocol/frames.ts'
import { StateBadge } from '../../components/icon.tsx'
import { VirtualList } from '../../components/virtual-list.tsx'
import { showTime } from '../../figures.ts'
import { endOf } from '../../runs/use-runs.ts'
import { type HookRun, runsOfHook } from '../../state/console-state.ts'
import { dayWords, type HookDay, type HookOrder, ORDERS, PARTS, shownHooks } from './hook-days.ts'

interface HookListProps {
  readonly hooks: readonly HookRow[]
  readonly hookRuns: readonly HookRun[]
  readonly days: ReadonlyMap<string, HookDay>
  /** Whether the fires of the day have been heard. */
  readonly isKnown: boolean
  readonly isOff: boolean
  readonly selected: string | undefined
  readonly onOpen: (hook: HookRow) => void
  /** Pauses it, or says how it goes on. */
  readonly onPause: (hook: HookRow) => void
}

export function HookList({ hooks, hookRuns, days, isKnown, isOff, selected, onOpen, onPause }: HookListProps) {
  const [text, setText] = useState('')
  const [order, setOrder] = useState<HookOrder>('fired')
  const shown = useMemo(() => shownHooks(hooks, days, { text, order }), [hooks, days, text, order])
  return (
    <>
      <search className="inset ruled surface gap-3 cluster filter-bar" aria-label="Filter hooks">
        <input
          type="search"
          className="wide"
          data-filter=""
          aria-label="Name or command"
          placeholder="Name or command"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <select aria-label="Order" value={order} onChange={(event) => setOrder(event.target.value as HookOrder)}>
          {Object.entries(ORDERS).map(([id, title]) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      </search>
      <p className="visually-hidden" role="status">
        {text === '' ? '' : `${shown.length} of ${hooks.length} hooks match`}
      </p>
      {shown.length === 0 && <p className="inset muted">No hook matches.</p>}
      <VirtualList
        label="Hooks"
        className="hook-row"
        rows={shown}
        keyOf={({ id }) => id}
        selected={selected}
        onOpen={onOpen}
        onSpace={onPause}
        rowPx={50}
        narrowRowPx={58}
        draw={(hook) => {
          const lastRun = runsOfHook(hookRuns, hook.id)[0]
          const day = days.get(hook.id)
          return <HookCells hook={hook} day={day} isKnown={isKnown} lastRun={lastRun} isOff={isOff} />
        }}
      />
    </>
  )
}

interface HookCellsProps {
  readonly hook: HookRow
  readonly day: HookDay | undefined
  readonly isKnown: boolean
  readonly lastRun: HookRun | undefined
  readonly isOff: boolean
}

function HookCells({ hook, day, isKnown, lastRun, isOff }: HookCellsProps) {
  const { name, command, paused } = hook
  const dot = paused === undefined ? (isOff ? 'off' : 'on') : paused.by === 'failures' ? 'failing' : 'paused'
  return (
    <>
      <i className={`circle state-dot ${dot}`} aria-hidden="true" />
      <b className="cut">{name}</b>
      <HookState hook={hook} day={day} isKnown={isKnown} lastRun={lastRun} isOff={isOff} />
      <code className="cut muted">{command}</code>
      <FiresBar day={day} />
    </>
  )
}

/** A pause or an off switch is shown before the state of the last fire. */
function HookState({ hook, day, isKnown, lastRun, isOff }: HookCellsProps) {
  if (hook.paused) return <StateBadge state="paused" detail={hook.paused.by === 'failures' ? 'by itself' : ''} />
  if (isOff) return <span className="tag warn">off</span>
  if (lastRun !== undefined && lastRun.result === undefined) return <StateBadge state="running" />
  const last = day?.last
  const run = lastRun?.result && { ...lastRun, outcome: endOf(lastRun.result) }
  if (run !== undefined && (last === undefined || run.at >= last.at)) {
    return <StateBadge state={run.outcome} detail={showTime(run.at, Date.now())} />
  }
  if (last !== undefined)
    return <StateBadge state={last.warned ? 'warning' : last.outcome} detail={showTime(last.at, Date.now())} />
  return <span className="muted">{isKnown && 'not fired in 24 h'}</span>
}

// The fires of 24 h as one bar, and in words for who cannot see it.

const PART_TONE: Readonly<Record<(typeof PARTS)[number], string>> = {
  ok: 'good',
  failed: 'bad',
  skipped: 'warn',
  expired: 'off',
}

export function FiresBar({ day }: { readonly day: HookDay | undefined }) {
  return (
    <span className="clips soft raised row fires-bar" role="img" aria-label={dayWords(day)} title={dayWords(day)}>
      {PARTS.map((part) => (
        <i key={part} className={PART_TONE[part]} style={{ flexGrow: day?.[part] ?? 0 }} />
      ))}
    </span>
  )
}
