// Pages of `runs.jsonl`, newest first: every run that is kept, of every process, without reading all of it. A page begins at a place in the
// file, so that it stays where it is while new runs come. What a run's line lacks, its end, is in a later line: kept from earlier pages, or
// looked for from the page on.
import { defined } from '../base/defined.ts'
import { CommandError } from '../commands/kit/errors.ts'
import { isAskedFor, type RunQuery, type RunSummary, type Source, type Unbegun } from '../runs/run.ts'
import { type OpenFile, openPlacedLines } from '../stores/journal-file.ts'

/** All of them have to fit. */
export interface RunFilters {
  /** A hook's id or name. */
  readonly hookId?: string
  readonly source?: string
  readonly account?: string
  /** One that the command or the alert names. */
  readonly symbol?: string
  readonly status?: string
  /** Anywhere in what people read of a run. */
  readonly text?: string
  /** ms since the epoch: accepted from then on, and before then. */
  readonly from?: number
  readonly to?: number
}

interface RunPage {
  readonly runs: readonly RunSummary[]
  /** Where the next page begins; undefined: there is nothing older. */
  readonly next?: string
}

export interface RunPagesOptions {
  readonly path: string
  /** Runs of this process: what is under way has no end in the file. */
  readonly ownRuns: () => readonly RunSummary[]
  /** Whether another process lives that may work on a run which has no end. */
  readonly isRunning: (pid: number) => boolean
  /** So much of the file is looked through for one page. */
  readonly maxBytes?: number
}

const MAX_BYTES = 1024 * 1024
/** Ends of runs whose beginning has not been met yet, and of others: a run is longer than the file only by far less than this. */
const MAX_ENDS = 20_000

/** Lines of several processes are in order only about. */
const SLACK_MS = 60_000

interface Place {
  readonly inode: number
  readonly offset: number
}

const CURSOR = /^r1\.(\d{1,19})\.(\d{1,15})$/

/** @returns undefined: it is none that we gave */
function placeOf(cursor: string): Place | undefined {
  const [, inode, offset] = CURSOR.exec(cursor) ?? []
  return inode === undefined ? undefined : { inode: Number(inode), offset: Number(offset) }
}

/** A run as its line says. */
interface Found {
  readonly run: RunSummary
  /** Its end has not been met. */
  readonly isOpen: boolean
}

export class RunPages {
  readonly #options: RunPagesOptions
  readonly #ends = new Map<string, End>()

  constructor(options: RunPagesOptions) {
    this.#options = options
  }

  /** @param cursor of an earlier page @throws {CommandError} `invalid-field` @throws what the system says */
  async page(limit: number, filters: RunFilters, cursor?: string): Promise<RunPage> {
    const place = cursor === undefined ? undefined : placeOf(cursor)
    if (cursor !== undefined && place === undefined)
      throw new CommandError('invalid-field', 'invalid `cursor`', { hint: 'leave it out to start over' })
    const files = await this.#open()
    try {
      const begin = place === undefined ? 0 : files.findIndex(({ inode }) => inode === place.inode)
      // What it pointed into is gone, and so is all that was older.
      if (begin === -1) return { runs: [] }
      const { found, next } = await this.#scan(files.slice(begin), place, limit, filters)
      const ends = await this.#endsOf(found, place === undefined ? [] : files.slice(0, begin + 1), place)
      const own = new Map(this.#options.ownRuns().map((run) => [run.runId, run]))
      const runs = found.map((each) => this.#settled(each, own, ends)).filter((run) => fits(run, filters))
      return { runs, ...defined({ next }) }
    } finally {
      await Promise.all(files.map((file) => file.close()))
    }
  }

  /** @param id whole, or how it begins @returns the newest of them */
  async find(id: string): Promise<RunSummary | undefined> {
    const own = this.#options.ownRuns().find(({ runId }) => runId.startsWith(id))
    if (own !== undefined) return own
    const files = await this.#open()
    const ends = new Map<string, End>()
    const mark = `"runId":"${id}`
    try {
      for await (const { lines } of chunksOf(files)) {
        for (const { text } of lines) {
          if (!text.includes(mark)) continue
          const run = this.#runIn(text, ends)
          if (run?.runId.startsWith(id)) return run
          keepEndIn(ends, text)
        }
      }
      return undefined
    } finally {
      await Promise.all(files.map((file) => file.close()))
    }
  }

  #runIn(text: string, ends: ReadonlyMap<string, End>): RunSummary | undefined {
    const [, t, runId = ''] = BEGINNING.exec(text) ?? []
    if (t !== 'start') return undefined
    const run = readStart(text, ends.get(runId), this.#options.isRunning)
    // A line with two ids, which only an editor can write, does not count.
    return run?.runId === runId ? run : undefined
  }

  async #open(): Promise<readonly OpenFile[]> {
    const { path } = this.#options
    const opened: OpenFile[] = []
    for (const each of [path, `${path}.1`]) {
      const file = await openPlacedLines(each)
      // It became its own backup between the two.
      if (file !== undefined && opened.some(({ inode }) => inode === file.inode)) await file.close()
      else if (file !== undefined) opened.push(file)
    }
    return opened
  }

  async #scan(
    files: readonly OpenFile[],
    place: Place | undefined,
    limit: number,
    filters: RunFilters,
  ): Promise<{ readonly found: readonly Found[]; readonly next: string | undefined }> {
    const found = new Map<string, Found>()
    const until = (next: string | undefined) => ({ found: [...found.values()], next })
    let left = this.#options.maxBytes ?? MAX_BYTES
    for await (const { inode, lines } of chunksOf(files, place?.offset)) {
      for (const { text, begin } of lines) {
        left -= text.length
        if (this.#read(text, found, filters)) return until(undefined)
        if (found.size >= limit) return until(`r1.${inode}.${begin}`)
      }
      const oldest = lines.at(-1)
      if (left <= 0 && oldest !== undefined) return until(`r1.${inode}.${oldest.begin}`)
    }
    return until(undefined)
  }

  /** @returns whether nothing that is asked for can be older */
  #read(text: string, found: Map<string, Found>, filters: RunFilters): boolean {
    const [, t, runId = ''] = BEGINNING.exec(text) ?? []
    if (t === undefined || found.has(runId)) return false
    if (t !== 'start') {
      this.#keepEnd(runId, readEnd(t, text))
      return false
    }
    const end = this.#ends.get(runId)
    const run = this.#runIn(text, this.#ends)
    if (run === undefined) return false
    if (fits(run, end === undefined ? withoutEnd(filters) : filters)) {
      found.set(runId, { run, isOpen: end === undefined })
    }
    return filters.from !== undefined && run.startedAt < filters.from - SLACK_MS
  }

  #keepEnd(runId: string, end: End): void {
    keep(this.#ends, runId, end)
    const [oldest] = this.#ends.keys()
    if (this.#ends.size > MAX_ENDS && oldest !== undefined) this.#ends.delete(oldest)
  }

  /** What the runs of a page lack may be behind it. @param files up to the one in which the page is, the newest first */
  async #endsOf(
    found: readonly Found[],
    files: readonly OpenFile[],
    place: Place | undefined,
  ): Promise<ReadonlyMap<string, End>> {
    const ends = new Map<string, End>()
    const open = new Set(found.filter(({ isOpen }) => isOpen).map(({ run }) => run.runId))
    if (open.size === 0 || place === undefined) return ends
    for (const [index, file] of files.toReversed().entries()) {
      for await (const lines of file.forwards(index === 0 ? place.offset : 0)) {
        for (const text of lines) {
          const [, t, runId = ''] = BEGINNING.exec(text) ?? []
          if (t === undefined || t === 'start' || !open.delete(runId)) continue
          ends.set(runId, readEnd(t, text))
        }
        if (open.size === 0) return ends
      }
    }
    return ends
  }

  #settled({ run, isOpen }: Found, own: ReadonlyMap<string, RunSummary>, ends: ReadonlyMap<string, End>): RunSummary {
    if (!isOpen) return run
    const known = own.get(run.runId)
    if (known !== undefined) return known
    const end = ends.get(run.runId)
    if (end === undefined) return run
    const { at, state, error, outcome, warned, declined } = end
    return { ...run, state, ...(at === 0 ? {} : { finishedAt: at }), ...defined({ error, outcome, warned, declined }) }
  }
}

/** The lines of the files, the newest file and its last line first. @param end of the first one, where it is not its size */
async function* chunksOf(files: readonly OpenFile[], end?: number) {
  for (const [index, file] of files.entries()) {
    const from = index === 0 && end !== undefined ? end : file.size
    for await (const lines of file.backwards(from)) yield { inode: file.inode, lines }
  }
}

function keepEndIn(ends: Map<string, End>, text: string): void {
  const [, t, runId = ''] = BEGINNING.exec(text) ?? []
  if (t !== undefined && t !== 'start') keep(ends, runId, readEnd(t, text))
}

function keep(ends: Map<string, End>, runId: string, end: End): void {
  if (!ends.has(runId)) ends.set(runId, end)
}

/** As far as it can be told without knowing how the run ended. */
function withoutEnd({ status: _status, text: _text, ...filters }: RunFilters): RunFilters {
  return filters
}

function fits(run: RunSummary, filters: RunFilters): boolean {
  const { hookId, source, account, symbol, status, text, from, to } = filters
  if (from !== undefined && run.startedAt < from) return false
  if (to !== undefined && run.startedAt >= to) return false
  if (source !== undefined && run.source !== source) return false
  if (account !== undefined && run.account !== account) return false
  if (status !== undefined && run.state !== status) return false
  if (hookId !== undefined && run.hookId !== hookId && !(run.source === 'hook' && isSame(run.origin, hookId)))
    return false
  if (symbol !== undefined && !names(run, symbol)) return false
  return text === undefined || holds(run, text.toLowerCase())
}

function isSame(one: string | undefined, other: string): boolean {
  return one?.toLowerCase() === other.toLowerCase()
}

const BETWEEN_WORDS = /[\s,;&|()"']+/

function names({ command, values = {} }: RunSummary, symbol: string): boolean {
  const wanted = symbol.toUpperCase()
  return [...command.split(BETWEEN_WORDS), ...Object.values(values)].some((word) => word.toUpperCase() === wanted)
}

function holds({ command, origin = '', error = '', values = {} }: RunSummary, wanted: string): boolean {
  return [command, origin, error, ...Object.values(values)].some((each) => each.toLowerCase().includes(wanted))
}

// What ran, read from `runs.jsonl`: across restarts, and of every process that uses the directory.

/** How a run ended, as its line says. */
interface End {
  readonly at: number
  readonly state: RunSummary['state']
  readonly error?: string
  readonly outcome?: string
  readonly warned?: true
  readonly declined?: true
  readonly unbegun?: Unbegun
}

/** How the lines of a run begin: lines of runs that are not asked for need not be decoded. */
const BEGINNING = /^\{"t":"(start|done|interrupted)","runId":"([^"\\]*)"/

/**
 * @param lines newest first, as `linesBackwards` gives them
 * @param isRunning whether the process of a run that has no end still works on it
 * @returns newest first
 */
export async function findJournalledRuns(
  lines: AsyncIterable<readonly string[]>,
  query: RunQuery,
  isRunning: (pid: number, runId: string) => boolean,
): Promise<readonly RunSummary[]> {
  const reading: Reading = { ends: new Map(), found: new Map() }
  for await (const chunk of lines) {
    for (const text of chunk) readLine(text, reading, query, isRunning)
    if (reading.found.size >= query.limit) break
  }
  return [...reading.found.values()].sort((a, b) => b.startedAt - a.startedAt).slice(0, query.limit)
}

interface Reading {
  readonly ends: Map<string, End>
  readonly found: Map<string, RunSummary>
}

/** The end of a run is read before its start. */
function readLine(
  text: string,
  { ends, found }: Reading,
  query: RunQuery,
  isRunning: (pid: number, runId: string) => boolean,
): void {
  const [, t, runId = ''] = BEGINNING.exec(text) ?? []
  if (t === undefined || found.has(runId)) return
  if (t !== 'start') {
    if (!ends.has(runId)) ends.set(runId, readEnd(t, text))
    return
  }
  const run = readStart(text, ends.get(runId), isRunning)
  // A line with two ids, which only an editor can write, does not count.
  if (run?.runId === runId && isAskedFor(run, query)) found.set(runId, run)
}

function readEnd(t: string, text: string): End {
  const line = decode(text)
  const at = typeof line.at === 'number' ? line.at : 0
  if (t === 'interrupted') return { at, state: 'interrupted' }
  const error = typeof line.error === 'string' ? { error: line.error } : {}
  const outcome = typeof line.outcome === 'string' ? { outcome: line.outcome } : {}
  const warned = line.warned === true ? { warned: true as const } : {}
  const declined = line.declined === true ? { declined: true as const } : {}
  const unbegun = UNBEGUN.has(line.unbegun) ? { unbegun: line.unbegun as Unbegun } : {}
  return { at, state: line.ok === true ? 'done' : 'failed', ...error, ...outcome, ...warned, ...declined, ...unbegun }
}

const UNBEGUN: ReadonlySet<unknown> = new Set<Unbegun>(['skipped', 'expired', 'refused', 'stopped'])
const SOURCES: ReadonlySet<unknown> = new Set<Source>(['repl', 'exec', 'hook', 'web', 'phone'])

function readStart(
  text: string,
  end: End | undefined,
  isRunning: (pid: number, runId: string) => boolean,
): RunSummary | undefined {
  const { runId, at, source, origin, hook, command, trigger, values, account, pid } = decode(text)
  if (typeof runId !== 'string' || typeof at !== 'number' || typeof command !== 'string') return undefined
  if (!SOURCES.has(source) || !Number.isInteger(pid)) return undefined
  const open = isRunning(pid as number, runId) ? 'running' : 'interrupted'
  return {
    runId,
    source: source as Source,
    command,
    startedAt: at,
    state: end?.state ?? open,
    ...(typeof origin === 'string' ? { origin } : {}),
    ...(typeof hook === 'string' ? { hookId: hook } : {}),
    ...(typeof trigger === 'string' ? { trigger } : {}),
    ...(isTexts(values) ? { values } : {}),
    ...(typeof account === 'string' ? { account } : {}),
    ...(end === undefined || end.at === 0 ? {} : { finishedAt: end.at }),
    ...defined({
      error: end?.error,
      outcome: end?.outcome,
      warned: end?.warned,
      declined: end?.declined,
      unbegun: end?.unbegun,
    }),
  }
}

function isTexts(values: unknown): values is Readonly<Record<string, string>> {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return false
  return Object.values(values).every((text) => typeof text === 'string')
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
