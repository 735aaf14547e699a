import type { OutputKind } from '../runs/run.ts'

/** What hookline tells the operator about itself: one line that says what, why, and what to do next, and more lines where there are details. */
export interface Notice {
  readonly kind: OutputKind
  readonly text: string
}
