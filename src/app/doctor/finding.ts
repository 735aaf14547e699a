// What the doctor says: one line for each thing that a fire needs.

/** `ok`; `warn`: a fire trades, or may; `fails`: it does not. */
export type Verdict = 'ok' | 'warn' | 'fails'

export interface Finding {
  /** What was looked at: `port`, `account main`. */
  readonly check: string
  readonly verdict: Verdict
  /** A fact. */
  readonly what: string
  /** What to do next. */
  readonly next?: string
}

export const ok = (check: string, what: string): Finding => ({ check, verdict: 'ok', what })

export const warn = (check: string, what: string, next: string): Finding => ({ check, verdict: 'warn', what, next })

export const fails = (check: string, what: string, next: string): Finding => ({ check, verdict: 'fails', what, next })
