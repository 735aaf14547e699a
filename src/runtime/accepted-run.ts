// What is settled about a run when it is accepted, and what its end needs.
import type { OrderBudget } from '../exchange/exchange.ts'
import type { RunRequest, RunResult } from '../runs/run.ts'
import type { RunTerms } from './active-run.ts'
import type { FiredHook, Moment, QueuedFire } from './fire-queue.ts'
import type { Placed } from './roster.ts'
import type { HistoryEntry } from './run-history.ts'
import type { JournalledRun } from './run-journal.ts'

/** A run from its acceptance to its end, as the runner knows it. */
export interface Accepted extends Placed, RunTerms {
  /** The request as it is kept: without tokens. */
  readonly kept: RunRequest
  /** Of a fire. */
  readonly hook: FiredHook | undefined
  readonly acceptedAt: Moment
  /** Given when it begins. */
  budget: OrderBudget | undefined
  readonly settle: ((result: RunResult) => void) | undefined
  readonly remembered: HistoryEntry
  /** Given while the journal writes it. */
  journalled: JournalledRun | undefined
  /** Cut short before it began; with a reason where it was stopped. */
  cut: { readonly reason: string | undefined } | undefined
}

export type AcceptedFire = Accepted & QueuedFire

type Settled = Pick<Accepted, 'kept' | 'hook' | 'acceptedAt' | 'settle' | 'remembered'>

/** Field by field: of spread objects V8 makes one that is slow wherever it is used, and a fire took a fifth longer (quality/bench/fires). */
export function accept(
  { request, accountName, symbol, admission }: Omit<RunTerms, 'budget'>,
  { kept, hook, acceptedAt, settle, remembered }: Settled,
): Accepted {
  return {
    request,
    accountName,
    symbol,
    admission,
    kept,
    hook,
    acceptedAt,
    settle,
    remembered,
    journalled: undefined,
    cut: undefined,
    budget: undefined,
    place: 0,
  }
}
