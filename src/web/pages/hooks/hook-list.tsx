// The hooks as a list to choose from: searched, sorted, each with its state and its last 24 h. One tab stop, however many there are.
import { memo, useMemo, useRef, useState } from 'react'
import type { HookRow } from '../../../protocol/frames.ts'
import { StateBadge } from '../../components/badge.tsx'
import { useRoving } from '../../components/roving.ts'
import { type HookRun, runsOfHook } from '../../console-state.ts'
import { showTime } from '../../figures.ts'
import { HookDayBar } from './hook-day-bar.tsx'
import { type HookDay, type HookOrder, ORDERS, shownHooks } from './hook-order.ts'

export interface HookListProps {
  readonly hooks: readonly HookRow[]
  readonly hookRuns: readonly HookRun[]
  readonly days: ReadonlyMap<string, HookDay>
  readonly isOff: boolean
  readonly selected: string | undefined
  readonly onOpen: (hook: HookRow) => void
}

export function HookList({ hooks, hookRuns, days, isOff, selected, onOpen }: HookListProps) {
  const [text, setText] = useState('')
  const [order, setOrder] = useState<HookOrder>('fired')
  const list = useRef<HTMLUListElement>(null)
  const roving = useRoving(list, '.hook-row')
  const shown = useMemo(() => shownHooks(hooks, days, { text, order }), [hooks, days, text, order])
  return (
    <>
      <search className="filter-bar" aria-label="Filter hooks">
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
      {shown.length === 0 && <p className="hint">No hook matches.</p>}
      <ul className="hooks" aria-label="Hooks" ref={list} {...roving}>
        {shown.map((hook) => (
          <HookItem
            key={hook.id}
            hook={hook}
            day={days.get(hook.id)}
            lastRun={runsOfHook(hookRuns, hook.id)[0]}
            isOff={isOff}
            isSelected={hook.id === selected}
            onOpen={onOpen}
          />
        ))}
      </ul>
    </>
  )
}

interface HookItemProps {
  readonly hook: HookRow
  readonly day: HookDay | undefined
  readonly lastRun: HookRun | undefined
  readonly isOff: boolean
  readonly isSelected: boolean
  readonly onOpen: (hook: HookRow) => void
}

/** Drawn anew only when it changed itself: there may be hundreds. */
const HookItem = memo(({ hook, day, lastRun, isOff, isSelected, onOpen }: HookItemProps) => (
  <li>
    <button
      type="button"
      className="hook-row"
      tabIndex={-1}
      aria-current={isSelected ? 'true' : undefined}
      onClick={() => onOpen(hook)}
    >
      <b className="cut">{hook.name}</b>
      <HookState hook={hook} day={day} lastRun={lastRun} isOff={isOff} />
      <code className="cut muted">{hook.command}</code>
      <HookDayBar day={day} />
    </button>
  </li>
))

/** What keeps its fires from running comes before how the last one went. */
function HookState({ hook, day, lastRun, isOff }: Pick<HookItemProps, 'hook' | 'day' | 'lastRun' | 'isOff'>) {
  if (hook.paused) return <StateBadge state="paused" detail={hook.paused.by === 'failures' ? 'by itself' : ''} />
  if (isOff) return <span className="tag warn">off</span>
  if (lastRun !== undefined && lastRun.result === undefined) return <StateBadge state="running" />
  const last = day?.last
  const run = lastRun?.result && {
    ...lastRun,
    outcome: lastRun.result.success ? 'ok' : (lastRun.result.unbegun ?? 'failed'),
  }
  if (run !== undefined && (last === undefined || run.at >= last.at)) {
    return <StateBadge state={run.outcome} detail={showTime(run.at, Date.now())} />
  }
  if (last !== undefined) return <StateBadge state={last.outcome} detail={showTime(last.at, Date.now())} />
  return <span className="muted">not fired in 24 h</span>
}
