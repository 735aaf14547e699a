// How the fires of one hook went in the last 24 h.

export type FireOutcome = 'ok' | 'failed' | 'skipped' | 'expired'

export interface HookCounts {
  readonly fires: number
  readonly ok: number
  readonly failed: number
  readonly skipped: number
  readonly expired: number
  /** How long the runs took that began; of the newest thousand. Absent: none has ended. */
  readonly medianMs?: number
  readonly p95Ms?: number
  readonly last?: LastFire
}

export interface LastFire {
  readonly runId: string
  /** When it came or began, ms since the epoch. */
  readonly at: number
  readonly outcome: FireOutcome
  readonly error?: string
}

export interface EndedFire extends LastFire {
  /** Absent: it did not begin. */
  readonly tookMs?: number
}
