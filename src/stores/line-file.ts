// A text file of plain lines that keeps its youngest: the REPL's history. It is a convenience, so losing it never costs a
// session: nothing here throws, and the first failure is reported once.
import { closeSync, fchmodSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { openForAppending, readRecord } from './private-file.ts'
import { type StoreProblem, systemReason, UnsafeFileError } from './store-error.ts'

interface LineFile {
  /** The youngest `maxLines` lines, oldest first; empty when the file is absent or unreadable. */
  read(): string[]
  /** Adds one line (without newline) at the end, with one write. Trims the file once it holds twice `maxLines`. */
  append(line: string): void
}

interface LineFileOptions {
  readonly path: string
  readonly maxLines: number
  /** Reported once per file, the first time the disk refuses. */
  readonly onProblem?: (problem: StoreProblem) => void
}

/** Opens lazily: nothing is touched before the first call. The file is 0600 and its directory 0700 (behaviour 21). */
export function openLineFile({ path, maxLines, onProblem }: LineFileOptions): LineFile {
  /** Lines in the file as far as we know; undefined until it was read. Other processes may have added more. */
  let count: number | undefined
  let torn = false
  let reported = false

  function attempt<T>(doing: string, work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      if (!reported) onProblem?.({ kind: 'file', path, message: `cannot ${doing} ${path}: ${reasonOf(error)}` })
      reported = true
      return undefined
    }
  }

  function readAll(): string[] {
    const text = readRecord(path)
    torn = text !== '' && !text.endsWith('\n')
    const lines = text.split('\n').filter((line) => line !== '')
    count = lines.length
    return lines
  }

  function trim(): void {
    const lines = readAll().slice(-maxLines)
    replaceFile(path, `${lines.join('\n')}\n`)
    count = lines.length
    torn = false
  }

  return {
    read: () => (attempt('read', readAll) ?? []).slice(-maxLines),
    append(line) {
      attempt('write', () => {
        if (count === undefined) readAll()
        appendPrivately(path, torn ? `\n${line}\n` : `${line}\n`)
        torn = false
        count = (count ?? 0) + 1
        if (count >= 2 * maxLines) trim()
      })
    },
  }
}

function reasonOf(error: unknown): string {
  return error instanceof UnsafeFileError ? systemReason(error) : (error as Error).message
}

function appendPrivately(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const fd = openForAppending(path)
  try {
    writeSync(fd, text)
    // The mode counts only for a new file; one that was copied here may be open to others.
    fchmodSync(fd, 0o600)
  } finally {
    closeSync(fd)
  }
}

/** Old or new, never half: a reader or a crash in between sees the file whole. */
function replaceFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    const fd = openSync(temporary, 'w', 0o600)
    try {
      fchmodSync(fd, 0o600)
      writeSync(fd, text)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}
