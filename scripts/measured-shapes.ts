// The shapes of what `--json` of the bench, the faults and the fuzzer write, as far as `measured.mjs` reads them.
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

export interface Machine {
  readonly processor: string
  readonly memoryGiB: number
  readonly system: string
  readonly node: string
  readonly pinning: string
}

export interface BenchRow {
  readonly claim: string
  readonly wanted: string
  /** Absent when skipped. */
  readonly got?: Spread
  readonly verdict: string
  readonly details: string
  readonly reason?: string
}

export interface FaultRow {
  readonly number: string
  readonly title: string
  readonly wanted: string
  readonly finding?: { readonly got: string }
  readonly verdict: string
  readonly reason: string
}

export interface FuzzRow {
  readonly name: string
  readonly seconds: number
  readonly inputs: number
  readonly blocks: { readonly atStart: number; readonly atEnd: number; readonly known: number }
  readonly crashes: readonly unknown[]
}

/** Of `of` changes, one in `every` of all that a test of the room reaches. */
export interface MutatedRoom {
  readonly at: string
  readonly every: number
  readonly killed: number
  readonly of: number
  /** Absent: not counted. */
  readonly unreached?: number
  readonly survivors: readonly string[]
  /** Why it falls short. */
  readonly reason?: string
}

export interface Measured {
  readonly bench: { readonly machine: Machine; readonly rows: readonly BenchRow[] }
  /** The soak, which runs apart, stands in for the row that was left out. */
  readonly faults: { readonly machine: Machine; readonly rows: readonly FaultRow[] }
  readonly fuzz: { readonly seed: number; readonly rows: readonly FuzzRow[] }
  readonly mutation: { readonly rooms: Readonly<Record<string, MutatedRoom>> }
}
