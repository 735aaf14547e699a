// What the commands that begin tasks answer to programs (`--json`).

/** A task that was begun, with its `id`; or, with `--dry`, one that was only worked out. */
export interface TaskPlanData {
  readonly type: 'task-plan'
  readonly id?: string
  readonly account: string
  /** `chase`, `twap`, or a later one. */
  readonly kind: string
  readonly symbol: string
  readonly side: 'buy' | 'sell'
  /** In the market's amount unit. */
  readonly amount: string
  readonly reduceOnly: boolean
  /** When it ends at the latest, in ms from its begin. Absent: with its position. */
  readonly lastsMs?: number
  /** Where its first order would rest now. */
  readonly price?: string
  /** As far as it goes with a price. */
  readonly limit?: string
  /** What becomes of the rest when its time is over: `market` or `cancel`. */
  readonly rest?: string
  /** Of a trail: how far its stop is from the best price. */
  readonly distance?: { readonly kind: 'percent' | 'amount'; readonly value: string }
  /** Of a trail: it rests no stop before last has come to this price. */
  readonly after?: string
  /** Of an oco: `price` is its stop, and this is where it takes the profit. */
  readonly takeProfitPrice?: string
  /** As they come when each fills whole. */
  readonly slices?: readonly { readonly afterMs: number; readonly amount: string }[]
}
