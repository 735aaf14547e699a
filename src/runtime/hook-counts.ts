// How hooks fared in the last 24 h: read from the journal once, when somebody first asks, and counted on from what runs here. A process that
// takes no fires reads again.
import { defined } from '../base/defined.ts'
import type { EndedFire, HookCounts, RunQuery, RunRequest, RunResult, RunSink, RunSummary } from '../runs/run.ts'
import { HookTally, outcomeOf } from './hook-tally.ts'

export interface HookCountsOptions {
  readonly find: (query: RunQuery) => Promise<readonly RunSummary[]>
  /** @returns stops the sink */
  readonly addSink: (sink: RunSink) => () => void
  readonly now: () => number
  /** Whether fires come to this process. */
  readonly isListening: () => boolean
}

/** By hook id; hooks that have not fired are not in it. */
export type ReadHookCounts = () => Promise<ReadonlyMap<string, HookCounts>>

const DAY_MS = 24 * 60 * 60_000
/** How long what was read serves in a process that takes no fires. */
const FRESH_MS = 5_000

export function createHookCounts(options: HookCountsOptions): ReadHookCounts {
  let counted: Promise<Counted> | undefined
  let readAt = 0
  return async () => {
    const isOld = !options.isListening() && options.now() - readAt > FRESH_MS
    if (counted === undefined || isOld) {
      const before = counted
      readAt = options.now()
      counted = count(options)
      void before?.then(({ stop }) => stop())
      counted.catch(() => {
        counted = undefined
      })
    }
    const { tallies } = await counted
    const now = options.now()
    return new Map([...tallies].map(([hookId, tally]) => [hookId, tally.counts(now)]))
  }
}

interface Counted {
  readonly tallies: ReadonlyMap<string, HookTally>
  stop(): void
}

interface Ended extends EndedFire {
  readonly hookId: string
}

/** What ends while the journal is read is kept back, and counted once. */
async function count({ find, addSink, now }: HookCountsOptions): Promise<Counted> {
  const tallies = new Map<string, HookTally>()
  const begunAt = new Map<string, number>()
  let meanwhile: Map<string, Ended> | undefined = new Map()
  const add = (fire: Ended) => {
    const tally = tallies.get(fire.hookId) ?? new HookTally()
    tallies.set(fire.hookId, tally)
    tally.add(fire)
  }
  const end = (
    { runId, hookId }: RunRequest,
    { success, error, unbegun }: RunResult,
    tookMs: number | undefined,
    at: number,
  ) => {
    if (hookId === undefined) return
    const fire = { runId, hookId, at, outcome: outcomeOf(success, unbegun), ...defined({ error }) }
    const ended = tookMs === undefined ? fire : { ...fire, tookMs }
    if (meanwhile === undefined) add(ended)
    else meanwhile.set(runId, ended)
  }
  const stop = addSink({
    started: ({ runId, hookId }) => {
      if (hookId !== undefined) begunAt.set(runId, now())
    },
    done: (run, result) => {
      const at = begunAt.get(run.runId)
      begunAt.delete(run.runId)
      end(run, result, at === undefined ? undefined : Math.max(0, now() - at), at ?? now())
    },
    unbegun: (run, result) => end(run, result, undefined, now()),
  })
  try {
    for (const run of await find({ limit: Number.MAX_SAFE_INTEGER, since: now() - DAY_MS })) {
      const fire = endedFire(run)
      if (fire !== undefined && !meanwhile.has(run.runId)) add(fire)
    }
  } catch (error) {
    stop()
    throw error
  }
  for (const fire of meanwhile.values()) add(fire)
  meanwhile = undefined
  return { tallies, stop }
}

/** Of a run as it is kept; what goes on is counted when it ends. */
function endedFire(run: RunSummary): Ended | undefined {
  const { runId, source, hookId, startedAt, finishedAt, state, error, unbegun } = run
  if (source !== 'hook' || hookId === undefined || state === 'running' || state === 'waiting') return undefined
  const outcome = outcomeOf(state === 'done', unbegun)
  const hasRun = finishedAt !== undefined && unbegun === undefined
  return {
    runId,
    hookId,
    at: startedAt,
    outcome,
    ...(hasRun ? { tookMs: Math.max(0, finishedAt - startedAt) } : {}),
    ...defined({ error }),
  }
}
