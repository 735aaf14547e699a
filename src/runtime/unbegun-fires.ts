// Fires that ended without running, for the operator: a burst of them is told at once, not one by one.

import type { RunResult, Unbegun } from '../runs/run.ts'

export interface UnbegunFires {
  /** As their runs' `error`. */
  readonly error: string
  /** What kept them; absent: hookline is at its end. */
  readonly unbegun?: Unbegun
  /** How many of each hook, by its name. */
  readonly counts: ReadonlyMap<string, number>
}

/** From the first of a burst to when it is told. */
const BURST_MS = 250

export class UnbegunTally {
  readonly #tell: (fires: UnbegunFires) => void
  readonly #byError = new Map<string, { readonly unbegun: Unbegun | undefined; readonly counts: Map<string, number> }>()
  #timer: NodeJS.Timeout | undefined

  constructor(tell: (fires: UnbegunFires) => void) {
    this.#tell = tell
  }

  count(hookName: string, { error = '', unbegun }: RunResult): void {
    const burst = this.#byError.get(error) ?? { unbegun, counts: new Map<string, number>() }
    burst.counts.set(hookName, (burst.counts.get(hookName) ?? 0) + 1)
    this.#byError.set(error, burst)
    this.#timer ??= setTimeout(() => this.flush(), BURST_MS).unref()
  }

  /** Tells now what has not been told. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const bursts = [...this.#byError]
    this.#byError.clear()
    for (const [error, { unbegun, counts }] of bursts) this.#tell({ error, counts, ...(unbegun && { unbegun }) })
  }
}
