// What the run journal holds, line by line: how often each run was started, and how it ended.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'

export interface JournalLine {
  readonly t: 'start' | 'done' | 'interrupted'
  readonly runId: string
  /** ms since the epoch. */
  readonly at: number
  readonly source?: string
  readonly command?: string
  readonly ok?: boolean
  readonly error?: string
}

export interface Journal {
  readonly lines: readonly JournalLine[]
  /** Lines that are no JSON. */
  readonly torn: readonly string[]
  started(runId: string): number
  done(runId: string): readonly JournalLine[]
}

/** @param files default: the backup and the file */
export function readJournal(
  directory: string,
  files: readonly string[] = ['runs.jsonl.1', 'runs.jsonl'].map((name) => join(directory, name)),
): Journal {
  const texts = files
    .filter((path) => existsSync(path))
    .flatMap((path) => readFileSync(path, 'utf8').split('\n'))
    .filter((line) => line !== '')
  const decoded = texts.map(decode)
  const lines = decoded.filter((line) => line !== undefined)
  const byRun = new Map<string, JournalLine[]>()
  for (const line of lines) byRun.set(line.runId, [...(byRun.get(line.runId) ?? []), line])
  const of = (runId: string, t: JournalLine['t']) => (byRun.get(runId) ?? []).filter((line) => line.t === t)
  return {
    lines,
    torn: texts.filter((_, index) => decoded[index] === undefined),
    started: (runId) => of(runId, 'start').length,
    done: (runId) => of(runId, 'done'),
  }
}

/** Resolves once the journal has the end of each of these runs. */
export async function runsEnded(directory: string, runIds: readonly string[]): Promise<Journal> {
  let journal = readJournal(directory)
  const underWay = () => {
    journal = readJournal(directory)
    return runIds.filter((runId) => journal.done(runId).length === 0).length
  }
  await expect.poll(underWay, { timeout: 15_000 }).toBe(0)
  return journal
}

/** How many of these runs were started once and ended once. */
export function countOnce(journal: Journal, runIds: readonly string[]): number {
  return runIds.filter((runId) => journal.started(runId) === 1 && journal.done(runId).length === 1).length
}

function decode(line: string): JournalLine | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
