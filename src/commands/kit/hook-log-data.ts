import type { OutputKind, RunSummary } from '../../runs/run.ts'

/** One run of a hook, when it has ended, with what it printed. */
export interface HookLogData {
  readonly type: 'hook-log'
  readonly run: RunSummary
  readonly output: readonly { readonly afterMs: number; readonly kind: OutputKind; readonly text: string }[]
  /** Lines that were not kept. */
  readonly leftOut: number
}
