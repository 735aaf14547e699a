// What `paper replay` answers to programs.

/** Candles that are replayed on a paper account. */
export interface ReplayData {
  readonly type: 'replay'
  readonly account: string
  readonly file: string
  readonly symbol: string
  readonly speed: number
  readonly candles: number
  /** How many of them are over. */
  readonly done: number
  readonly startedAt: number
  readonly state: 'running' | 'stopped' | 'ended'
  /** Absent in the line that it begins with, as the next. */
  readonly last?: string
  /** What the account is worth. */
  readonly total?: string
}
