// Which runs each hook has begun, and how many of the last ones failed (behaviour 47). Nothing is written for it: it is what the lines of
// `runs.jsonl` say, read once, before the first fire that is held to it. A run counts from its `start` on unless a later line says that it never
// began, so that a crash at any line counts too much rather than too little.
import type { BegunRun } from '../hooks/fire-limits.ts'
import type { RunResult } from '../runs/run.ts'
import { MAX_COUNTED } from '../stores/hooks.ts'
import type { Moment } from './fire-queue.ts'

interface KeptRun extends BegunRun {
  /** The number of the journal's file that has its lines; absent: some file before. */
  file?: number
}

interface HookRecord {
  /** Oldest first. */
  readonly begun: KeptRun[]
  /** One after another, since `resumed`. */
  failures: number
  resumed: number
}

/** A run of this process that has not ended. */
export interface OpenFire {
  /** When it began; undefined: it waits. */
  readonly begun?: number | undefined
}

interface LedgerSources {
  /** Every line there is, oldest first. */
  readonly lines: () => readonly string[]
  /** By run. */
  readonly ownFires: () => ReadonlyMap<string, OpenFire>
  readonly now: () => Moment
}

export class FireLedger {
  readonly #sources: LedgerSources
  #records: Map<string, HookRecord> | undefined
  /** The latest moment there was, on both clocks: time goes on from here, wherever the clock on the wall is set to. */
  #latest: Moment = { wallMs: 0, monotonicMs: 0 }

  constructor(sources: LedgerSources) {
    this.#sources = sources
  }

  /** The time, never less than it was, nor than that of a run that is counted. */
  steady({ wallMs, monotonicMs }: Moment): number {
    const { wallMs: before, monotonicMs: then } = this.#latest
    const passed = Math.floor(monotonicMs - then)
    if (wallMs >= before + passed) this.#latest = { wallMs, monotonicMs }
    else if (passed > 0) this.#latest = { wallMs: before + passed, monotonicMs: then + passed }
    return this.#latest.wallMs
  }

  of(hookId: string): Readonly<HookRecord> {
    return this.#load().get(hookId) ?? { begun: [], failures: 0, resumed: 0 }
  }

  /** What is known without reading; undefined: nothing. */
  known(hookId: string): Readonly<HookRecord> | undefined {
    return this.#records?.get(hookId)
  }

  /** What the lines say is read when it is needed: until then there is nothing to keep. */
  began(hookId: string, run: KeptRun): void {
    if (this.#records === undefined) return
    addRun(recordOf(this.#records, hookId), run)
  }

  /** @returns how many failed in a row by now; 0 where the run says nothing of that */
  ended(hookId: string, resumed: number, result: RunResult): number {
    // A success ends what was before it, known or not.
    if (this.#records === undefined && !isFailure(result)) return 0
    const isRead = this.#records === undefined
    const record = recordOf(this.#load(), hookId)
    // Its line is among those that were just read.
    if (!isRead) noteEnd(record, resumed, result)
    return isFailure(result) && record.resumed === resumed ? record.failures : 0
  }

  /** Other processes may have begun runs since. */
  forget(): void {
    this.#records = undefined
  }

  /**
   * As lines for the top of a new file: of each hook as many runs as `wanted` says, but for those that are in the file set aside, which stays
   * readable until this one is set aside too.
   * @param aside the number of the file set aside
   */
  carryOver(wanted: (hookId: string) => number | undefined, aside: number): readonly string[] {
    return [...this.#load()].flatMap(([hook, { begun, failures, resumed }]) => {
      const count = wanted(hook)
      if (count === undefined || (count === 0 && failures === 0)) return []
      const carried = count === 0 ? [] : begun.slice(-count).filter(({ file }) => file !== aside)
      for (const run of carried) run.file = aside + 1
      const runs = carried.map((run) => [run.runId, run.at, run.resumed])
      return [JSON.stringify({ t: 'begun', hook, runs, failures, resumed })]
    })
  }

  #load(): Map<string, HookRecord> {
    return this.#records ?? this.read(this.#sources.lines())
  }

  /** In place of what was known. */
  read(lines: readonly string[]): Map<string, HookRecord> {
    const { ownFires, now } = this.#sources
    const reading = new Reading()
    for (const line of lines) reading.add(line)
    const { wallMs, monotonicMs } = now()
    const steadyMs = this.steady({ wallMs: Math.max(wallMs, reading.newest), monotonicMs })
    this.#records = reading.end(ownFires(), steadyMs)
    return this.#records
  }
}

function isFailure({ success, unbegun, cut }: RunResult): boolean {
  return !success && unbegun === undefined && cut === undefined
}

function recordOf(records: Map<string, HookRecord>, hookId: string): HookRecord {
  const known = records.get(hookId)
  if (known !== undefined) return known
  const record: HookRecord = { begun: [], failures: 0, resumed: 0 }
  records.set(hookId, record)
  return record
}

function addRun({ begun }: HookRecord, run: KeptRun): void {
  begun.push(run)
  if (begun.length > MAX_COUNTED) begun.shift()
}

function noteEnd(record: HookRecord, resumed: number, result: RunResult): void {
  if (!result.success && !isFailure(result)) return
  if (resumed < record.resumed) return
  record.failures = isFailure(result) ? (resumed > record.resumed ? 0 : record.failures) + 1 : 0
  record.resumed = resumed
}

interface OpenLine {
  readonly hook: string
  readonly at: number
  readonly resumed: number
}

/** How the lines of a run begin: those of runs that no hook began need not be decoded. */
const BEGINNING = /^\{"t":"(start|done|interrupted|begun)"(?:,"runId":"([^"\\]*)")?/

class Reading {
  readonly #records = new Map<string, HookRecord>()
  readonly #open = new Map<string, OpenLine>()
  readonly #seen = new Set<string>()
  /** The latest time that a line tells of. */
  newest = 0

  add(text: string): void {
    const [, t, runId = ''] = BEGINNING.exec(text) ?? []
    if (t === 'begun') return this.#addKept(text)
    if (t === 'start') return text.includes('"hook":"') ? this.#addStart(runId, text) : undefined
    const open = t === undefined ? undefined : this.#open.get(runId)
    if (open === undefined) return
    this.#open.delete(runId)
    this.#addEnd(runId, open, t === 'interrupted', decode(text))
  }

  /** Of a run without an end: it may have begun at any moment until now, unless it is our own. */
  end(ownFires: ReadonlyMap<string, OpenFire>, now: number): Map<string, HookRecord> {
    for (const [runId, { hook, resumed }] of this.#open) {
      const own = ownFires.get(runId)
      const at = own === undefined ? now : own.begun
      if (at !== undefined) this.#count(hook, { runId, at, resumed })
    }
    for (const record of this.#records.values()) {
      record.begun.sort((a, b) => a.at - b.at)
      record.begun.splice(0, record.begun.length - MAX_COUNTED)
    }
    return this.#records
  }

  #addStart(runId: string, text: string): void {
    const { hook, at, resumed } = decode(text)
    if (typeof hook !== 'string' || !isTime(at) || this.#open.has(runId)) return
    this.newest = Math.max(this.newest, at)
    this.#open.set(runId, { hook, at, resumed: isTime(resumed) ? resumed : 0 })
  }

  #addEnd(runId: string, open: OpenLine, isCrash: boolean, line: Readonly<Record<string, unknown>>): void {
    const { hook, resumed } = open
    if (line.unbegun !== undefined) return
    const known = isCrash ? line.at : line.begun
    const at = isTime(known) ? known : open.at
    // When a dead process had begun it is not known: the clock may have been set back since.
    this.#count(hook, { runId, at: isCrash ? Math.max(at, this.newest) : at, resumed })
    if (isCrash) return
    const result: RunResult = { success: line.ok === true, ...(line.cut === undefined ? {} : { cut: true }) }
    noteEnd(recordOf(this.#records, hook), resumed, result)
  }

  /** What was carried over from files that are gone by now. */
  #addKept(text: string): void {
    const { hook, runs, failures, resumed } = decode(text)
    if (typeof hook !== 'string' || !Array.isArray(runs)) return
    for (const [runId, at, run] of runs.filter((each): each is unknown[] => Array.isArray(each))) {
      if (typeof runId === 'string' && isTime(at)) this.#count(hook, { runId, at, resumed: isTime(run) ? run : 0 })
    }
    if (isTime(failures) && isTime(resumed)) Object.assign(recordOf(this.#records, hook), { failures, resumed })
  }

  #count(hook: string, run: BegunRun): void {
    if (this.#seen.has(run.runId)) return
    this.#seen.add(run.runId)
    this.newest = Math.max(this.newest, run.at)
    recordOf(this.#records, hook).begun.push(run)
  }
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

/** Empty for a line torn by a crash, or written by a person. */
function decode(text: string): Readonly<Record<string, unknown>> {
  try {
    const line: unknown = JSON.parse(text)
    return typeof line === 'object' && line !== null ? (line as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
