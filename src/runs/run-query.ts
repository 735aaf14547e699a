// Which runs someone asks for, and what is kept of one.
import type { OutputKind, RunSummary } from './run.ts'

/** What is asked for. */
export interface RunQuery {
  /** The newest so many. */
  readonly limit: number
  /** Accepted at or after, ms since the epoch. */
  readonly since?: number
  /** A hook's id or name. */
  readonly hook?: string
  /** Failed and interrupted ones only; what a limit of its hook has skipped is none of them. */
  readonly failed?: boolean
  /** How its `runId` begins. */
  readonly id?: string
}

/** Whether a run is asked for, whatever the limit. */
export function isAskedFor(run: RunSummary, query: Omit<RunQuery, 'limit'>): boolean {
  const { since, hook, failed, id } = query
  if (since !== undefined && run.startedAt < since) return false
  if (id !== undefined && !run.runId.startsWith(id.toLowerCase())) return false
  if (failed === true && run.unbegun === 'skipped') return false
  if (failed === true && run.error === undefined && run.state !== 'interrupted' && run.state !== 'failed') return false
  if (hook === undefined) return true
  return run.source === 'hook' && (run.hookId === hook || run.origin?.toLowerCase() === hook.toLowerCase())
}

/** ms after the run began, the kind, the text. */
export type KeptLine = readonly [number, OutputKind, string]

/** ms after the run began, ms it took, whether it succeeded, the text. */
export type KeptStep = readonly [number, number, boolean, string]

/** What a run printed, as far as it was kept. */
export interface KeptOutput {
  readonly lines: readonly KeptLine[]
  /** Of a line with several, in the order in which they ended; the first hundred. */
  readonly steps: readonly KeptStep[]
  /** Lines beyond the limits of one run. */
  readonly leftOut: number
}
