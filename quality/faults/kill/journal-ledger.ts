// `runs.jsonl` as it grows from kill to kill: every run starts once, ends at most once, and is told at most once as interrupted.
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BrokenPromises } from './broken-promises.ts'

interface StartLine {
  readonly t: 'start'
  readonly runId: string
  readonly source: string
  /** The hook's id. */
  readonly hook?: string
  readonly pid: number
}

type JournalLine =
  | StartLine
  | { readonly t: 'done'; readonly runId: string; readonly ok: boolean }
  | { readonly t: 'interrupted'; readonly runId: string }

/** What one process added. */
export interface JournalledRound {
  /** By runId. */
  readonly started: ReadonlyMap<string, StartLine>
  /** Those of `started` that ended well. */
  readonly succeeded: ReadonlySet<string>
  /** How many runs of dead processes it noted as interrupted. */
  readonly interrupted: number
  /** Runs of dead processes that nobody has noted yet. */
  readonly untold: number
}

export class JournalLedger {
  readonly #path: string
  readonly #broken: BrokenPromises
  /** Every run that ever started. */
  readonly #started = new Set<string>()
  /** Those neither done nor interrupted, with their line. */
  readonly #open = new Map<string, { readonly start: StartLine; readonly text: string }>()
  #inode = 0
  #offset = 0
  #wasTorn = false

  constructor(directory: string, broken: BrokenPromises) {
    this.#path = join(directory, 'runs.jsonl')
    this.#broken = broken
  }

  /** Takes in what was written since the last call. @param pid of the only process that wrote, dead by now */
  take(pid: number): JournalledRound {
    const started = new Map<string, StartLine>()
    const succeeded = new Set<string>()
    let interrupted = 0
    for (const text of this.#newLines()) {
      const line = this.#decode(text)
      if (line === undefined) continue
      if (line.t === 'start') {
        this.#begin(line, text, pid)
        started.set(line.runId, line)
        continue
      }
      this.#broken.expect(this.#open.delete(line.runId), 'twice', `${line.t} of a run that is not open: ${text}`)
      if (line.t === 'interrupted') interrupted++
      else if (line.ok) succeeded.add(line.runId)
    }
    const untold = [...this.#open.values()].filter(({ start }) => start.pid !== pid).length
    return { started, succeeded, interrupted, untold }
  }

  #begin(start: StartLine, text: string, pid: number): void {
    this.#broken.expect(start.pid === pid, 'wrong', `a start by process ${start.pid}, not ${pid}: ${text}`)
    // A rotation writes the lines of runs under way again, as they were.
    if (this.#open.get(start.runId)?.text === text) return
    this.#broken.expect(!this.#started.has(start.runId), 'twice', `a second start: ${text}`)
    this.#started.add(start.runId)
    this.#open.set(start.runId, { start, text })
  }

  #decode(text: string): JournalLine | undefined {
    try {
      return JSON.parse(text)
    } catch {
      this.#broken.add('torn', `a line in the middle of the journal: ${text}`)
      return undefined
    }
  }

  /** Whole lines only: the last one of a process that was killed may be torn. */
  #newLines(): string[] {
    const current = statSync(this.#path, { throwIfNoEntry: false })
    if (current === undefined) return []
    if (current.ino === this.#inode) return this.#linesOf(this.#path)
    const rotated = this.#inode === 0 ? [] : this.#rest()
    this.#inode = current.ino
    this.#offset = 0
    this.#wasTorn = false
    return [...rotated, ...this.#linesOf(this.#path)]
  }

  /** What came to the file before it became the backup. */
  #rest(): string[] {
    const backup = `${this.#path}.1`
    if (statSync(backup, { throwIfNoEntry: false })?.ino === this.#inode) return this.#linesOf(backup)
    throw new Error('the journal was rotated twice in one round: too much work for one round')
  }

  #linesOf(path: string): string[] {
    const text = readFrom(path, this.#offset)
    this.#offset += Buffer.byteLength(text)
    const lines = text.split('\n')
    const first = lines[0] ?? ''
    if (this.#wasTorn && text !== '') {
      this.#broken.expect(first === '', 'torn', `a line was glued to half a line: ${first}`)
    }
    if (text !== '') this.#wasTorn = lines.pop() !== ''
    return lines.filter(Boolean)
  }
}

function readFrom(path: string, offset: number): string {
  const fd = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(fstatSync(fd).size - offset)
    readSync(fd, bytes, 0, bytes.length, offset)
    return bytes.toString('utf8')
  } finally {
    closeSync(fd)
  }
}
