// One hook: what it runs, what the alert has to say, what its fires are held to, how they went. Its token never reaches this page.
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { HookRow } from '../../../protocol/frames.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { type HookRun, runsOfHook } from '../../console-state.ts'
import { showTime } from '../../figures.ts'
import { HookRuns } from '../journal/hook-runs.tsx'
import { RunList } from '../journal/run-list.tsx'
import { useRuns } from '../journal/use-runs.ts'
import { FireTest } from './fire-test.tsx'
import { HookActions } from './hook-actions.tsx'
import { HookAlert } from './hook-alert.tsx'
import { Block } from './hook-block.tsx'
import { HookEdit } from './hook-edit.tsx'
import { HookFigures } from './hook-figures.tsx'
import { HookLimits } from './hook-limits.tsx'
import { resumeLine } from './hook-lines.ts'
import type { HookDay, HookLeft } from './hook-order.ts'
import { HookCommand } from './hook-slots.tsx'
import { pauseText } from './hook-terms.ts'

export interface HookDetailProps {
  readonly hook: HookRow
  readonly day: HookDay | undefined
  readonly left: HookLeft | undefined
  /** When these were told. */
  readonly at: number
  readonly hookRuns: readonly HookRun[]
  readonly onPause: (hook: HookRow) => void
  /** What a change came to. */
  readonly onNote: (kind: 'success' | 'error', text: string) => void
}

export function HookDetail({ hook, day, left, at, hookRuns, onPause, onNote }: HookDetailProps) {
  const [edited, setEdited] = useState<string>()
  const { name, account, id, paused } = hook
  const isEditing = edited === id
  const edit = () => setEdited(isEditing ? undefined : id)
  return (
    <div className="hook-detail">
      <header>
        <h3 className="cut">{name}</h3>
        <code className="muted">{id.slice(0, 8)}</code>
        <span className="tag">{account ?? 'the account in focus'}</span>
        <HookActions hook={hook} isEditing={isEditing} onEdit={edit} onPause={onPause} onNote={onNote} />
      </header>
      {paused && <Paused hook={hook} paused={paused} />}
      <HookFigures hook={hook} day={day} />
      {isEditing ? (
        <Block title="Edit">
          <HookEdit key={id} hook={hook} onDone={() => setEdited(undefined)} />
        </Block>
      ) : (
        <Block title="Command">
          <HookCommand hook={hook} />
        </Block>
      )}
      <HookAlert key={`alert ${id}`} hook={hook} />
      <FireTest key={`test ${id}`} hook={hook} />
      <HookJournal hook={hook} />
      <Block title="Limits">
        <HookLimits hook={hook} left={left} at={at} />
      </Block>
      <HookRuns runs={runsOfHook(hookRuns, id)} hooks={[hook]} />
    </div>
  )
}

/** Why, since when, and the line that ends it: at the terminal only. */
function Paused({ hook, paused }: { readonly hook: HookRow; readonly paused: NonNullable<HookRow['paused']> }) {
  const line = resumeLine(hook)
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
