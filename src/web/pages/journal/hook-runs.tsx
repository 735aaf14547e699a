// What hooks print, live: the last fires this page has seen, newest first.

import type { HookRow } from '../../../protocol/frames.ts'
import { StateBadge } from '../../components/badge.tsx'
import { type HookRun, hookName, type OutputLine } from '../../console-state.ts'
import { showTime } from '../../figures.ts'
import { useDesk } from '../../use-console.ts'

const SHOWN = 5
/** Of each fire, the last. */
const SHOWN_LINES = 20

export function HookRuns({
  runs,
  hooks,
}: {
  readonly runs: readonly HookRun[]
  readonly hooks: readonly HookRow[] | undefined
}) {
  if (runs.length === 0) return null
  return (
    <section className="block" aria-label="Hook runs">
      <h3>Last fires</h3>
      <div>
        <ol className="runs">
          {runs.slice(0, SHOWN).map((run) => (
            <li key={run.runId}>
              <div className="run-head">
                <b className="long">{hookName(hooks, run.hookId) ?? 'a hook'}</b>
                <span className="muted">{showTime(run.at, Date.now())}</span>
                <Result run={run} />
              </div>
              <Unbegun run={run} />
              <Lines runId={run.runId} />
            </li>
          ))}
        </ol>
      </div>
    </section>
  )
}

function Result({ run: { result } }: { readonly run: HookRun }) {
  return <StateBadge state={result === undefined ? 'running' : result.success ? 'ok' : (result.unbegun ?? 'failed')} />
}

/** A fire that never began has printed nothing. */
function Unbegun({ run: { result } }: { readonly run: HookRun }) {
  if (result?.unbegun === undefined || result.error === undefined) return null
  return <Line line={{ kind: 'warn', text: result.error }} />
}

function Lines({ runId }: { readonly runId: string }) {
  const lines = useDesk(({ hookLines }) => hookLines.get(runId))
  return lines?.slice(-SHOWN_LINES).map((line, index) => (
    // Rows of output have nothing else to be known by.
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    <Line key={index} line={line} />
  ))
}

function Line({ line: { kind, text } }: { readonly line: OutputLine }) {
  return <div className={`output output-${kind}`}>{text}</div>
}
