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
