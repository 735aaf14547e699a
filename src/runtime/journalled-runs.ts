// What ran, read from `runs.jsonl`: across restarts, and of every process that uses the directory.
import type { RunSummary, Source, Unbegun } from '../runs/run.ts'
import { isAskedFor, type RunQuery } from '../runs/run-query.ts'

/** How a run ended, as its line says. */
export interface End {
  readonly at: number
  readonly state: RunSummary['state']
  readonly error?: string
  readonly unbegun?: Unbegun
}

/** How the lines of a run begin: lines of runs that are not asked for need not be decoded. */
export const BEGINNING = /^\{"t":"(start|done|interrupted)","runId":"([^"\\]*)"/

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

export function readEnd(t: string, text: string): End {
  const line = decode(text)
  const at = typeof line.at === 'number' ? line.at : 0
  if (t === 'interrupted') return { at, state: 'interrupted' }
  const error = typeof line.error === 'string' ? { error: line.error } : {}
  const unbegun = UNBEGUN.has(line.unbegun) ? { unbegun: line.unbegun as Unbegun } : {}
  return { at, state: line.ok === true ? 'done' : 'failed', ...error, ...unbegun }
}

const UNBEGUN: ReadonlySet<unknown> = new Set<Unbegun>(['skipped', 'expired', 'refused', 'stopped'])
const SOURCES: ReadonlySet<unknown> = new Set<Source>(['repl', 'exec', 'hook', 'web'])

export function readStart(
  text: string,
  end: End | undefined,
  isRunning: (pid: number, runId: string) => boolean,
): RunSummary | undefined {
  const { runId, at, source, origin, hook, command, values, account, pid } = decode(text)
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
    ...(isTexts(values) ? { values } : {}),
    ...(typeof account === 'string' ? { account } : {}),
    ...(end === undefined || end.at === 0 ? {} : { finishedAt: end.at }),
    ...(end?.error === undefined ? {} : { error: end.error }),
    ...(end?.unbegun === undefined ? {} : { unbegun: end.unbegun }),
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
