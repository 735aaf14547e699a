// The timeline of a run: its start, each step with its output, its end. Pure.
import type { Answer } from '../../../client/questions.ts'
import { outcomeOf, showSpan } from '../../runs/use-runs.ts'

type Run = Pick<Answer<'runs:show'>, 'run' | 'steps' | 'output'>

export interface Moment {
  readonly title: string
  readonly isCommand: boolean
  /** Since the beginning. */
  readonly atMs: number
  /** How long it took, in words. */
  readonly took: string | undefined
  readonly tone: 'good' | 'warn' | 'bad' | 'plain'
  readonly lines: Run['output']
}

/** Output up to the end of a step belongs to the step; the rest to the end of the run. */
export function timelineOf({ run, steps, output }: Run): readonly Moment[] {
  const ordered = [...steps].sort((a, b) => endOf(a) - endOf(b))
  let from = Number.NEGATIVE_INFINITY
  const moments = ordered.map((step): Moment => {
    const since = from
    from = endOf(step)
    return {
      title: step.text,
      isCommand: true,
      atMs: Math.max(0, step.afterMs),
      took: showSpan(step.tookMs),
      tone: step.success ? 'good' : 'bad',
      lines: output.filter((line) => line.afterMs > since && line.afterMs <= from),
    }
  })
  const rest = output.filter((line) => line.afterMs > from)
  return [beginning(run), ...moments, ending(run, rest)]
}

/** `afterMs` is when it began. */
function endOf({ afterMs, tookMs }: Run['steps'][number]): number {
  return afterMs + tookMs
}

function beginning({ source }: Run['run']): Moment {
  const title = source === 'hook' ? 'Alert received' : 'Received'
  return { title, isCommand: false, atMs: 0, took: undefined, tone: 'plain', lines: [] }
}

const ENDS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    ok: 'Done',
    warning: 'Done, with a warning',
    canceled: 'Canceled at its question',
    failed: 'Failed',
    skipped: 'Skipped, nothing ran',
    expired: 'Expired, nothing ran',
    refused: 'Refused, nothing ran',
    stopped: 'Stopped before it ran',
    interrupted: 'Interrupted: hookline ended before the run did',
    running: 'Still running',
    waiting: 'Waiting in the queue',
  }),
)

const TONES: ReadonlyMap<string, Moment['tone']> = new Map(
  Object.entries<Moment['tone']>({ ok: 'good', warning: 'warn', failed: 'bad', interrupted: 'bad' }),
)

function ending(run: Run['run'], lines: Run['output']): Moment {
  const outcome = outcomeOf(run)
  const ms = run.finishedAt === undefined ? undefined : run.finishedAt - run.startedAt
  return {
    title: ENDS.get(outcome) ?? outcome,
    isCommand: false,
    lines,
    atMs: ms ?? lines.at(-1)?.afterMs ?? 0,
    took: ms === undefined ? undefined : showSpan(ms),
    tone: TONES.get(outcome) ?? 'plain',
  }
}
