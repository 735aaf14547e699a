// Which blocks of the code under test have run: V8's precise block coverage, asked through the inspector. V8 names only blocks whose
// count differs from that of what surrounds them, so what is covered is painted, function by function.
import { type Profiler, Session } from 'node:inspector'

type FunctionCoverage = Profiler.FunctionCoverage

/** Starts counting in this process. Code compiled before has no blocks: call it before the target is loaded. */
export function startCoverage(url: string): { take(): readonly FunctionCoverage[]; stop(): void } {
  const session = new Session()
  session.connect()
  ask(session, 'Profiler.enable')
  ask(session, 'Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return {
    take() {
      const { result } = ask(session, 'Profiler.takePreciseCoverage') as Profiler.TakePreciseCoverageReturnType
      return result.find((script) => script.url === url)?.functions ?? []
    },
    stop() {
      ask(session, 'Profiler.stopPreciseCoverage')
      session.disconnect()
    },
  }
}

/** The session is with this very thread, so answers are there at once. */
function ask(session: Session, method: string, params: object = {}): unknown {
  let answer: unknown
  session.post(method, params, (error, result) => {
    if (error !== null) throw error
    answer = result
  })
  return answer
}

/** Where the modules of `folder` stand in a bundle that esbuild made: it names each in a comment above it. */
export function modulesIn(bundle: string, folder: string): (offset: number) => boolean {
  const starts = [...bundle.matchAll(/^ *\/\/ ([\w./@-]+\.[a-z]+)$/gm)].map((match) => ({
    at: match.index,
    wanted: (match[1] ?? '').startsWith(folder),
  }))
  return (offset) => starts.findLast(({ at }) => at <= offset)?.wanted ?? false
}

interface SeenFunction {
  readonly start: number
  /** One per character: whether it has run. */
  readonly covered: Uint8Array
  /** Which blocks stood still, in each way seen so far: what was seen before is not painted again. */
  readonly patterns: Set<string>
  /** First offset of each block known, within the function. */
  readonly blocks: Map<string, number>
  /** How often each block has run, as a bit per power of two. */
  readonly counts: Map<string, number>
}

/** What has run so far. */
export class CoverageMap {
  readonly #isWanted: (offset: number) => boolean
  readonly #functions = new Map<string, SeenFunction>()
  readonly #unwanted = new Set<string>()

  constructor(isWanted: (offset: number) => boolean = () => true) {
    this.#isWanted = isWanted
  }

  /** Adds a look. @returns whether it has a block that never ran before, or (with `counts`) never so often */
  add(look: readonly FunctionCoverage[], { counts = false } = {}): boolean {
    let isNew = false
    for (const covered of look) {
      const seen = this.#seen(covered)
      if (seen === undefined) continue
      if (paint(seen, covered)) isNew = true
      if (counts && tally(seen, covered)) isNew = true
    }
    return isNew
  }

  /** Whether `add` would return true for blocks, without adding. */
  hasNew(look: readonly FunctionCoverage[]): boolean {
    return look.some((covered) => {
      const seen = this.#seen(covered)
      return seen !== undefined && uncovered(seen, covered) !== undefined
    })
  }

  /** What has run until now, to count its blocks later, when more blocks are known. */
  snapshot(): ReadonlyMap<string, Uint8Array> {
    return new Map([...this.#functions].map(([key, { covered }]) => [key, covered.slice()]))
  }

  /** Of the blocks known by now, those that have run: ever, or until the snapshot. */
  blocks(until?: ReadonlyMap<string, Uint8Array>): { readonly covered: number; readonly known: number } {
    let covered = 0
    let known = 0
    for (const [key, seen] of this.#functions) {
      const then = until === undefined ? seen.covered : until.get(key)
      known += seen.blocks.size
      for (const offset of seen.blocks.values()) covered += then?.[offset] ?? 0
    }
    return { covered, known }
  }

  #seen({ functionName, ranges }: FunctionCoverage): SeenFunction | undefined {
    const [whole] = ranges
    if (whole === undefined) return undefined
    const key = `${whole.startOffset}:${whole.endOffset}:${functionName}`
    const seen = this.#functions.get(key)
    if (seen !== undefined || this.#unwanted.has(key)) return seen
    if (!this.#isWanted(whole.startOffset)) {
      this.#unwanted.add(key)
      return undefined
    }
    const made: SeenFunction = {
      start: whole.startOffset,
      covered: new Uint8Array(whole.endOffset - whole.startOffset),
      patterns: new Set(),
      blocks: new Map(),
      counts: new Map(),
    }
    this.#functions.set(key, made)
    return made
  }
}

/** @returns the function as this look paints it, where that shows something new */
function uncovered(seen: SeenFunction, { ranges }: FunctionCoverage): Uint8Array | undefined {
  if (seen.patterns.has(patternOf(ranges))) return undefined
  const painted = new Uint8Array(seen.covered.length)
  // Outer ranges come before inner ones.
  for (const { startOffset, endOffset, count } of ranges) {
    painted.fill(count > 0 ? 1 : 0, startOffset - seen.start, endOffset - seen.start)
  }
  return painted.some((isCovered, offset) => isCovered === 1 && seen.covered[offset] === 0) ? painted : undefined
}

function paint(seen: SeenFunction, covered: FunctionCoverage): boolean {
  const pattern = patternOf(covered.ranges)
  if (seen.patterns.has(pattern)) return false
  const painted = uncovered(seen, covered)
  seen.patterns.add(pattern)
  for (const { startOffset, endOffset } of covered.ranges) {
    seen.blocks.set(`${startOffset}:${endOffset}`, startOffset - seen.start)
  }
  painted?.forEach((isCovered, offset) => {
    if (isCovered === 1) seen.covered[offset] = 1
  })
  return painted !== undefined
}

function patternOf(ranges: readonly Profiler.CoverageRange[]): string {
  return ranges.map(({ startOffset, endOffset, count }) => (count === 0 ? `${startOffset}:${endOffset}` : '')).join()
}

/** @returns whether a block has run as often as never before: once, twice, up to 4, 8, 16 times and so on */
function tally(seen: SeenFunction, { ranges }: FunctionCoverage): boolean {
  let isNew = false
  for (const { startOffset, endOffset, count } of ranges) {
    if (count === 0) continue
    const key = `${startOffset}:${endOffset}`
    const before = seen.counts.get(key) ?? 0
    const bucket = 1 << Math.ceil(Math.log2(count))
    if ((before & bucket) !== 0) continue
    seen.counts.set(key, before | bucket)
    isNew = true
  }
  return isNew
}
