/** How many runs there may be, and how long a fire may wait (behaviour 30). */
export interface RunLimits {
  /** Fires running at once. */
  readonly running: number
  /** Of one hook, unless it has `parallel`. */
  readonly runningPerHook: number
  /** Fires accepted and not yet begun. */
  readonly waiting: number
  /** Of one hook: none fills the waiting room for the others. */
  readonly waitingPerHook: number
  /** How long a fire may wait before it expires, unless its hook has `maxAgeMs`. */
  readonly maxAgeMs: number
  /** Ended runs that `runs` still shows. */
  readonly remembered: number
}

export const RUN_LIMITS: RunLimits = {
  running: 100,
  runningPerHook: 20,
  waiting: 10_000,
  waitingPerHook: 2_000,
  maxAgeMs: 30_000,
  remembered: 200,
}
