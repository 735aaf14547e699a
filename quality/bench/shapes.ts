// What the bench makes: rows of claims, and panels of what grows.
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

export type Wanted = { readonly atLeast: number } | { readonly atMost: number }

export interface Row {
  readonly claim: string
  /** In words: `≥ 0.6`. */
  readonly wanted: string
  /** Of the median. */
  readonly verdict: 'holds' | 'short' | 'skipped'
  /** Absent when skipped. */
  readonly got?: Spread
  /** Absolute figures, medians. */
  readonly details: string
  /** Why it falls short, where that is known, or was skipped. */
  readonly reason?: string
}

export interface Point {
  readonly size: number
  /** Absent where nothing could be measured. */
  readonly got?: Spread
  /** To the smallest size. */
  readonly ratio?: Spread
  /** What happened instead, and in how many rounds. */
  readonly cut?: string
}

export interface Line {
  /** Of several in a panel: `snapshot`. */
  readonly name: string
  /** The smallest size first. */
  readonly points: readonly Point[]
}

export interface Panel {
  /** What is measured: `a fire`. */
  readonly title: string
  /** What of: `hooks`. */
  readonly grows: string
  /** Of the sizes: `MB`. */
  readonly sizeUnit?: string
  /** Of what is measured. */
  readonly unit: 'µs' | 'ms'
  /** Whether the cost is that of the whole, which would grow in proportion if nothing helped. */
  readonly whole?: boolean
  readonly lines: readonly Line[]
  /** For people who read the table. */
  readonly remark?: string
}
