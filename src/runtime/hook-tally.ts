// Counts of one hook's fires.
import { defined } from '../base/defined.ts'
import type { EndedFire, FireOutcome, HookCounts, LastFire, Unbegun } from '../runs/run.ts'

const DAY_MS = 24 * 60 * 60_000
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
  add({ runId, at, outcome, error, tookMs }: EndedFire): void {
    const slot = Math.floor(at / SLOT_MS)
    const tally = this.#slots.get(slot) ?? { ok: 0, failed: 0, skipped: 0, expired: 0 }
    tally[outcome] += 1
    this.#slots.set(slot, tally)
    if (tookMs !== undefined) this.#timed.push({ at, ms: tookMs })
    if (this.#timed.length > 2 * MAX_TIMED) this.#timed = this.#newestTimed()
    if (this.#last !== undefined && this.#last.at > at) return
    this.#last = { runId, at, outcome, ...defined({ error }) }
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

/** A bad alert, and a fire that somebody stopped, have failed. */
export function outcomeOf(succeeded: boolean, unbegun: Unbegun | undefined): FireOutcome {
  if (succeeded) return 'ok'
  return unbegun === 'skipped' || unbegun === 'expired' ? unbegun : 'failed'
}
