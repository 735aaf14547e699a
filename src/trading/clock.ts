export interface Clock {
  /** ms since the epoch. */
  now(): number
  /** Resolves after `ms`, or at once when `signal` aborts. */
  delay(ms: number, signal: AbortSignal): Promise<void>
}
