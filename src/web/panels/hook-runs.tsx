// What hooks print, live: the last fires this page has seen, newest first.

import type { HookRow } from '../../protocol/frames.ts'
import { type HookRun, hookName, type OutputLine } from '../console-state.ts'
import { showTime } from '../figures.ts'

const SHOWN = 5

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
      <div role="log" aria-label="Output of hooks">
        <ol className="runs">
          {runs.slice(0, SHOWN).map((run) => (
            <li key={run.runId}>
              <div className="run-head">
                <b className="long">{hookName(hooks, run.hookId) ?? 'a hook'}</b>
                <span className="muted">{showTime(run.at, Date.now())}</span>
                <Result run={run} />
              </div>
              {run.lines.map((line, index) => (
                // Lines are only ever added at the end.
                // biome-ignore lint/suspicious/noArrayIndexKey: see above
                <Line key={index} line={line} />
              ))}
            </li>
          ))}
        </ol>
      </div>
    </section>
  )
}

function Result({ run: { result } }: { readonly run: HookRun }) {
  if (result === undefined) return <span className="tag busy">running</span>
  return <span className={`tag ${result.success ? 'good' : 'bad'}`}>{result.success ? 'ok' : 'failed'}</span>
}

function Line({ line: { kind, text } }: { readonly line: OutputLine }) {
  return <div className={`output ${kind}`}>{text}</div>
}
