// How hooks fared in the last 24 h: read from the journal once, when someone first asks, and counted on from what runs here. A process that
// takes no fires reads again.
import { defined } from '../base/defined.ts'
import type {
  EndedFire,
  FireOutcome,
  HookCounts,
  LastFire,
  RunQuery,
  RunRequest,
  RunResult,
  RunSink,
  RunSummary,
  Unbegun,
} from '../runs/run.ts'

interface HookCountsOptions {
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
  let meanwhile: Map<string, Ended> | undefined = new Map()
  const add = (fire: Ended) => {
    const tally = tallies.get(fire.hookId) ?? new HookTally()
    tallies.set(fire.hookId, tally)
    tally.add(fire)
  }
  const end = (
    { runId, hookId }: RunRequest,
    { success, error, unbegun, warned }: RunResult,
    tookMs: number | undefined,
    at: number,
  ) => {
    if (hookId === undefined) return
    const fire = { runId, hookId, at, outcome: outcomeOf(success, unbegun), ...defined({ error, warned }) }
    const ended = tookMs === undefined ? fire : { ...fire, tookMs }
    if (meanwhile === undefined) add(ended)
    else meanwhile.set(runId, ended)
  }
  const stop = addSink({
    done: (run, result, { acceptedAt, endedAt }) => end(run, result, Math.max(0, endedAt - acceptedAt), acceptedAt),
    unbegun: (run, result, { acceptedAt }) => end(run, result, undefined, acceptedAt),
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
  const { runId, source, hookId, startedAt, finishedAt, state, error, warned, unbegun } = run
  if (source !== 'hook' || hookId === undefined || state === 'running' || state === 'waiting') return undefined
  const outcome = outcomeOf(state === 'done', unbegun)
  const hasRun = finishedAt !== undefined && unbegun === undefined
  return {
    runId,
    hookId,
    at: startedAt,
    outcome,
    ...(hasRun ? { tookMs: Math.max(0, finishedAt - startedAt) } : {}),
    ...defined({ error, warned }),
  }
}

// Counts of one hook's fires.

/** Counts go in slots of this length: what falls out of the day falls out a slot at a time. */
const SLOT_MS = 10 * 60_000
const MAX_TIMED = 1_000

type Tally = Record<FireOutcome, number>

/** Of one hook. What it holds is bounded, however often it fires. */
export class HookTally {
  readonly #slots = new Map<number, Tally>()
  #timed: { readonly at: number; readonly ms: number }[] = []
  #last: LastFire | undefined

  /** Also out of order. */
  add({ runId, at, outcome, warned, error, tookMs }: EndedFire): void {
    const slot = Math.floor(at / SLOT_MS)
    const tally = this.#slots.get(slot) ?? { ok: 0, failed: 0, skipped: 0, expired: 0 }
    tally[outcome] += 1
    this.#slots.set(slot, tally)
    if (tookMs !== undefined) this.#timed.push({ at, ms: tookMs })
    if (this.#timed.length > 2 * MAX_TIMED) this.#timed = this.#newestTimed()
    if (this.#last !== undefined && this.#last.at > at) return
    this.#last = { runId, at, outcome, ...defined({ warned, error }) }
  }

  counts(now: number): HookCounts {
    const oldest = Math.floor((now - DAY_MS) / SLOT_MS)
    for (const slot of this.#slots.keys()) if (slot <= oldest) this.#slots.delete(slot)
    const sum: Tally = { ok: 0, failed: 0, skipped: 0, expired: 0 }
    for (const tally of this.#slots.values()) {
      for (const outcome of ['ok', 'failed', 'skipped', 'expired'] as const) sum[outcome] += tally[outcome]
    }
    const took = this.#newestTimed()
      .filter(({ at }) => at > now - DAY_MS)
      .map(({ ms }) => ms)
      .sort((a, b) => a - b)
    const median = quantile(took, 0.5)
    const p95 = quantile(took, 0.95)
    return {
      fires: sum.ok + sum.failed + sum.skipped + sum.expired,
      ...sum,
      ...defined({ medianMs: median, p95Ms: p95, last: this.#last }),
    }
  }

  #newestTimed() {
    return this.#timed.toSorted((a, b) => a.at - b.at).slice(-MAX_TIMED)
  }
}

/** The smallest value that this share of them does not pass. */
function quantile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]
}

/** A bad alert, and a fire that someone stopped, have failed. */
export function outcomeOf(succeeded: boolean, unbegun: Unbegun | undefined): FireOutcome {
  if (succeeded) return 'ok'
  return unbegun === 'skipped' || unbegun === 'expired' ? unbegun : 'failed'
}
