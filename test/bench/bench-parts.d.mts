export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

export interface Row {
  readonly claim: string
  readonly wanted: string
  readonly verdict: 'holds' | 'short' | 'skipped'
  readonly got?: Spread
  readonly details: string
  readonly reason?: string
}

export type Wanted = { readonly atLeast: number } | { readonly atMost: number }

export interface Point {
  readonly size: number
  /** Absent where nothing could be measured. */
  readonly got?: Spread
  /** To the smallest size. */
  readonly ratio?: Spread
  /** What happened instead. */
  readonly cut?: string
}

export interface Line {
  readonly name: string
  readonly points: readonly Point[]
}

export interface Panel {
  readonly title: string
  readonly grows: string
  readonly sizeUnit?: string
  readonly unit: 'µs' | 'ms'
  readonly whole?: boolean
  readonly lines: readonly Line[]
  readonly remark?: string
}

export function judge(claim: string, wanted: Wanted, got: Spread, details: string, short?: string): Row
export function skip(claim: string, wanted: Wanted, reason: string): Row
export function formatTable(rows: readonly Row[]): string
export function countVerdicts(rows: readonly Row[]): string
export function formatPanel(panel: Panel): string
export function chooseGroups(asked: readonly string[]): string[]
export function linesOf(
  sizes: readonly number[],
  results: Readonly<Record<string, readonly Readonly<Record<string, number | string>>[]>>,
): Line[]
export function drawGrowth(panels: readonly Panel[], caption: string): string
export function frameSplitter(onFrame: (text: string, opcode: number) => void): (bytes: Buffer) => void
