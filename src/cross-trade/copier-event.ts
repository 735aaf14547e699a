// What the copier tells as it happens. Nothing here is text for people but `why`, which is one line without a full stop.
import type { CopierState } from './engine-port.ts'

/** One copier on one symbol. */
export interface CopierName {
  readonly configId: string
  readonly account: string
  readonly symbol: string
}

export type CopierEvent =
  /** The state of a copier, or why it is so, has changed. */
  | { readonly type: 'state'; readonly copier: CopierState }
  /** An order of it has filled, whole or in part. `amount` is what filled, in the market's amount unit. */
  | ({
      readonly type: 'copied'
      readonly side: 'buy' | 'sell'
      readonly amount: string
      readonly average?: string
      readonly reduceOnly: boolean
    } & CopierName)
  /** A row begins: from these positions of the master on its changes are copied. */
  | { readonly type: 'row-on'; readonly configId: string; readonly baseline: Readonly<Record<string, string>> }
  /** A row has ended; what its copiers hold stays. */
  | { readonly type: 'row-off'; readonly configId: string }
  /** A row, or one of its copiers, does nothing as it is; undefined `why`: it may now. */
  | { readonly type: 'refused'; readonly configId: string; readonly account?: string; readonly why?: string }
  /** Nothing current has been known of an account for 15 s; nothing is traded on it, or by it. */
  | { readonly type: 'account-stale'; readonly account: string; readonly why: string }
  /** And now there is. */
  | { readonly type: 'account-current'; readonly account: string }
  /** Others have changed what a copier holds: it is left alone. Signed amounts in the market's amount unit. */
  | ({ readonly type: 'drift'; readonly owned: string; readonly held: string } & CopierName)
  /** What its orders had built is no longer there: others have closed it, and it counts as gone. */
  | ({ readonly type: 'written-off'; readonly amount: string } & CopierName)
  /** The machine slept, or its clock was set: everything is read again before anything is traded. */
  | { readonly type: 'slept'; readonly ms: number }
