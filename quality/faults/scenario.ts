// One fault and what hookline makes of it: a test whose figure is shown. `npm run faults` collects what stands in `task.meta`.
import { test } from 'vitest'

export interface Finding {
  /** The figure, with its unit, as the table shows it: `500 of 500 closed within 5.4 s`. */
  readonly got: string
  readonly holds: boolean
  /** Why it does not hold and is known not to. Without it, a figure that does not hold is a failure. */
  readonly short?: string
}

export interface FaultRow {
  /** 1–46: the scenario's number in the list of what a listener of this kind should survive; a word for those beyond it. */
  readonly number: string
  readonly title: string
  readonly wanted: string
  readonly finding?: Finding
  /** Why the scenario has no meaning here, or was not asked for. */
  readonly leftOut?: string
}

export interface FaultOptions {
  /** Rounds of the random workload that is killed. Default 500. */
  readonly rounds: number
  /** 0: no soak. */
  readonly soakMinutes: number
}

declare module 'vitest' {
  interface TaskMeta {
    fault?: FaultRow
  }
  interface ProvidedContext {
    faultOptions: FaultOptions
  }
}

const MINUTE_MS = 60_000

/**
 * @param number as in {@link FaultRow}
 * @param title what happens: a fact in the present tense
 * @param wanted the figure that is promised
 * @param run makes it happen and measures; throws what it did not expect
 * @param timeoutMinutes default 5
 */
export function scenario(
  number: number | string,
  title: string,
  wanted: string,
  run: () => Promise<Finding>,
  timeoutMinutes = 5,
): void {
  test(`${number}. ${title}`, { timeout: timeoutMinutes * MINUTE_MS }, async ({ task }) => {
    const row = { number: String(number), title, wanted }
    task.meta.fault = row
    const finding = await run()
    task.meta.fault = { ...row, finding }
    if (!finding.holds && finding.short === undefined) throw new Error('does not hold')
  })
}

/** A scenario that stays in the table with the reason why nothing is measured. */
export function leftOut(number: number | string, title: string, wanted: string, reason: string): void {
  test(`${number}. ${title}`, ({ task }) => {
    task.meta.fault = { number: String(number), title, wanted, leftOut: reason }
  })
}
