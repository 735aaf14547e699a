// What `guards` and simulation answer to programs (`--json`).
import type { Would } from '../../exchange/simulated.ts'
import type { LimitName } from '../../stores/guards.ts'

/** In simulation: what was worked out and checked, and not sent. `kind` says what. */
export type WouldData = { readonly type: 'would' } & Would

/** What holds for each account. */
export interface GuardsData {
  readonly type: 'guards'
  /** Of every account: `active`, `reducing` or `halted`. */
  readonly state: string
  readonly simulated: boolean
  readonly accounts: readonly GuardedAccountData[]
}

export interface GuardedAccountData {
  readonly account: string
  readonly state: string
  readonly since?: number
  readonly by?: string
  readonly simulated: boolean
  /** Those that are on: dollars, percent for `band`, orders for `rate`. */
  readonly limits: { readonly [limit in LimitName]?: string } & { readonly lossWithOpen: boolean }
  /** Since 00:00 UTC, in dollars; `rate` in the last minute. */
  readonly used: { readonly day: string; readonly loss: string; readonly rate: number }
}
