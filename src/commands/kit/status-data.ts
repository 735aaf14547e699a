import type { ConsoleStatus } from './ports.ts'

export interface StatusData {
  readonly type: 'status'
  readonly version: string
  readonly account: string
  readonly symbol: string
  /** Absent where the venue does not answer; then `error` has a line about it. */
  readonly last?: string
  /** Present while panic is on; times are ms since the epoch, 0: not known. */
  readonly panic?: { readonly since: number; readonly by: string }
  /** Of the account in use: `active`, `reducing` or `halted`; `simulated`: nothing is sent. */
  readonly guards: { readonly state: string; readonly since?: number; readonly by?: string; readonly simulated: boolean }
  readonly listener: string
  readonly console: ConsoleStatus
  readonly hooks: number
  readonly running: number
  readonly waiting: number
  /** Tasks that run, or wait to be resumed; `driver`: the process that drives them. */
  readonly tasks: { readonly running: number; readonly interrupted: number; readonly driver?: number }
  readonly problems: readonly { readonly path: string; readonly line?: number; readonly message: string }[]
}
