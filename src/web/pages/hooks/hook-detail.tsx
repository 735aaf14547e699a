// One hook: what it runs, what the alert has to say, what its fires are held to, how they went. Its token never reaches this page.
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { HookRow } from '../../../protocol/frames.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { type HookRun, runsOfHook } from '../../console-state.ts'
import { showTime } from '../../figures.ts'
import { HookRuns } from '../journal/hook-runs.tsx'
import { RunList } from '../journal/run-list.tsx'
import { showSpan } from '../journal/run-words.ts'
import { useRuns } from '../journal/use-runs.ts'
import { HookActions } from './hook-actions.tsx'
import { HookAlert } from './hook-alert.tsx'
import { Block } from './hook-block.tsx'
import { HookDayBar } from './hook-day-bar.tsx'
import { HookEdit } from './hook-edit.tsx'
import { hookWord, testLine } from './hook-lines.ts'
import { dayWords, type HookDay } from './hook-order.ts'
import { limitsText, pauseText } from './hook-terms.ts'
import { RunHere } from './run-here.tsx'

export interface HookDetailProps {
  readonly hook: HookRow
  readonly day: HookDay | undefined
  /** What is left of its limits; empty where nothing is counted. */
  readonly left: string
  readonly hookRuns: readonly HookRun[]
  /** What a change came to. */
  readonly onNote: (kind: 'success' | 'error', text: string) => void
}

export function HookDetail({ hook, day, left, hookRuns, onNote }: HookDetailProps) {
  const [isEditing, setEditing] = useState(false)
  const { name, command, account, id, paused } = hook
  return (
    <div className="hook-detail">
      <header>
        <h3 className="cut">{name}</h3>
        <code className="muted">{id.slice(0, 8)}</code>
        <span className="tag">{account ?? 'the account in focus'}</span>
        <HookActions hook={hook} onNote={onNote} />
      </header>
      {paused && <Paused hook={hook} paused={paused} />}
      <Block title="Last 24 hours">
        <HookDayBar day={day} />
        <p className="muted">
          {dayWords(day)}
          {day?.medianMs !== undefined && ` · half took ${showSpan(day.medianMs)} or less`}
          {day?.p95Ms !== undefined && ` · p95 ${showSpan(day.p95Ms)}`}
        </p>
      </Block>
      <Block
        title="Command and limits"
        action={<EditButton isEditing={isEditing} onClick={() => setEditing(!isEditing)} />}
      >
        {isEditing ? (
          <HookEdit key={id} hook={hook} onDone={() => setEditing(false)} />
        ) : (
          <>
            <div className="run-command">
              <code>{command}</code>
            </div>
            <p className="muted">{limitsText(hook) || 'No limits: every fire runs.'}</p>
            {left !== '' && <p>{left}</p>}
          </>
        )}
      </Block>
      <HookAlert hook={hook} />
      <TestFire key={id} hook={hook} />
      <HookRuns runs={runsOfHook(hookRuns, id)} hooks={[hook]} />
      <HookJournal hook={hook} />
    </div>
  )
}

function EditButton({ isEditing, onClick }: { readonly isEditing: boolean; readonly onClick: () => void }) {
  return (
    <button type="button" className="button small" aria-expanded={isEditing} onClick={onClick}>
      {isEditing ? 'Leave it' : 'Edit'}
    </button>
  )
}

/** Why, since when, and the line that ends it: at the terminal only. */
function Paused({ hook, paused }: { readonly hook: HookRow; readonly paused: NonNullable<HookRow['paused']> }) {
  const line = `hook resume ${hookWord(hook)}`
  return (
    <div className="warning" role="note">
      <p>{`Paused since ${showTime(paused.since, Date.now())}: ${pauseText(paused)}. Its fires are answered and run nothing.`}</p>
      <span className="line-to-type">
        Type in the hookline terminal: <code>{line}</code>
        <CopyButton text={line} name="Copy the line that resumes it" />
      </span>
    </div>
  )
}

function TestFire({ hook }: { readonly hook: HookRow }) {
  const [body, setBody] = useState('')
  return (
    <Block title="Test fire">
      <label className="test-body">
        <span className="muted">What the alert says; nothing is sent to the exchange</span>
        <input
          value={body}
          placeholder="size=250 or {&quot;size&quot;:250}"
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setBody(event.target.value)}
        />
      </label>
      <RunHere line={testLine(hook, body)} label="Test" />
    </Block>
  )
}

function HookJournal({ hook }: { readonly hook: HookRow }) {
  const [, navigate] = useLocation()
  const [filters, setFilters] = useState({ hook: hook.id })
  if (filters.hook !== hook.id) setFilters({ hook: hook.id })
  const { runs, error, hasOlder, loadOlder } = useRuns(filters, false)
  const address = `?hook=${encodeURIComponent(hook.name)}`
  return (
    <Block
      title="Journal"
      action={
        <button type="button" className="button small" onClick={() => navigate(`/journal${address}`)}>
          All in the journal
        </button>
      }
    >
      {runs?.length === 0 && <p className="muted">It has not fired yet.</p>}
      {runs === undefined && error !== undefined && <p className="muted">{error}</p>}
      {runs !== undefined && runs.length > 0 && (
        <div className="hook-journal">
          <RunList
            label={`Runs of ${hook.name}`}
            runs={runs}
            selected={undefined}
            onOpen={({ runId }) => navigate(`/journal/${runId}${address}`)}
            onEnd={() => hasOlder && loadOlder()}
          />
        </div>
      )}
    </Block>
  )
}
