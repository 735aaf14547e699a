// An append-only file of JSON lines with one backup. Lines appended in one event-loop turn are one write (group commit), and
// callers learn when theirs has reached the kernel: it then survives the death of the process, though not of the machine.
import { closeSync, fstatSync, mkdirSync, renameSync, rmdirSync, statSync, unlink, writeSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { atTurnEnd } from './event-loop-turn.ts'
import { openForAppending, openHandleForReading, readRecord } from './private-file.ts'
import { noteWriteFailure, systemCode, systemReason, UnsafeFileError } from './store-error.ts'

export interface JournalFile {
  /** Queues one line (without newline). `written` is called after the turn's write, and told whether the disk took it. */
  append(line: string, written?: (isWritten: boolean) => void): void
  /** Writes what is queued now. */
  flush(): void
  /** Another number for each file that lines went to: what was appended under it stays readable until the file after that is set aside too. */
  readonly fileNumber: number
  /** The lines of the backup, then of the file; unreadable files count as empty. */
  readLines(): string[]
  /** Whether another process may have written since the last call: one `stat`. */
  othersWrote(): boolean
  close(): void
}

interface JournalFileOptions {
  readonly path: string
  /** The file is renamed to `<path>.1` when it would grow over this. Default 5 MB (behaviour 31). */
  readonly maxBytes?: number
  /**
   * Called before a file is set aside that another process may have written to: its lines in the backup can be read for the last time.
   * @param unwritten lines that come next, and are in no file yet
   */
  readonly onShared?: (unwritten: readonly string[]) => void
  /** Lines that must stay findable are written again at the top of a new file. @param aside the number of the file that has become the backup */
  readonly carryOver?: (aside: number) => Iterable<string>
  /** Called once when writing begins to fail, and with undefined once it works again. */
  readonly onProblem?: (error: Error | undefined) => void
}

/** Two rotations by another process, after which what is written here is gone, take longer even at full speed. */
const REOPEN_CHECK_MS = 100
const STALE_ROTATION_MS = 10_000

export function openJournalFile(options: JournalFileOptions): JournalFile {
  const { path, maxBytes = 5_000_000 } = options
  let fd: number | undefined
  let fileNumber = 0
  let size = 0
  /** With what was carried over: a file that may not grow beyond that would be set aside at every write. */
  let sizeAtFirst = 0
  let inode = 0
  let checkedAt = 0
  let failing = false
  let maybeTorn = false
  let hasOthers = false
  let lines: string[] = []
  let waiting: ((isWritten: boolean) => void)[] = []
  let scheduled = false

  function open(): number {
    fd = openForAppending(path)
    fileNumber += 1
    const stat = fstatSync(fd)
    size = stat.size
    sizeAtFirst = size
    inode = stat.ino
    maybeTorn = size > 0
    hasOthers ||= size > 0
    checkedAt = performance.now()
    return fd
  }

  function release(): void {
    if (fd !== undefined) closeSync(fd)
    fd = undefined
  }

  /** Another process may have rotated the file, or someone removed it: then our descriptor points at the backup. */
  function isCurrent(): boolean {
    return statSync(path, { throwIfNoEntry: false })?.ino === inode
  }

  /** Freeing a file of 5 MB takes some ms, which a rename onto it would do synchronously (quality/bench/growth-journal). */
  function replaceBackup(): void {
    const [backup, former] = [`${path}.1`, `${path}.1.old`]
    try {
      renameSync(backup, former)
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error
    }
    renameSync(path, backup)
    unlink(former, () => {})
  }

  /** A directory is the lock: of several processes only one renames, and only the file that is really too large. */
  function rotate(unwritten: string): void {
    const lock = `${path}.rotating`
    try {
      mkdirSync(lock)
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error
      const held = statSync(lock, { throwIfNoEntry: false })
      if (held && Math.abs(Date.now() - held.mtimeMs) > STALE_ROTATION_MS) rmdirSync(lock)
      return
    }
    try {
      if (isCurrent()) {
        lookAtOthers()
        if (hasOthers) options.onShared?.(unwritten.split('\n').filter(Boolean))
        hasOthers = false
        replaceBackup()
      }
    } finally {
      rmdirSync(lock)
    }
    const aside = fileNumber
    release()
    open()
    const carried = [...(options.carryOver?.(aside) ?? [])]
    // In one write: there may be ten thousand of them, and fires wait meanwhile.
    if (carried.length > 0) write(`${carried.join('\n')}\n`)
    sizeAtFirst = size
  }

  function write(text: string): void {
    // A crash or a full disk may have left half a line at the end of the file; an empty line does no harm.
    const whole = maybeTorn ? `\n${text}` : text
    maybeTorn = false
    const length = Buffer.byteLength(whole)
    let written = writeSync(fd ?? open(), whole)
    // Nearly always nothing.
    if (written < length) {
      const bytes = Buffer.from(whole)
      while (written < length) written += writeSync(fd ?? open(), bytes, written)
    }
    size += length
  }

  function lookAtOthers(): void {
    const stat = statSync(path, { throwIfNoEntry: false })
    hasOthers ||= stat?.ino !== inode || stat.size !== size
    if (stat?.ino !== inode) release()
    else size = stat.size
  }

  function writeTurn(text: string): void {
    if (fd !== undefined && performance.now() - checkedAt > REOPEN_CHECK_MS) {
      checkedAt = performance.now()
      lookAtOthers()
    }
    if (fd === undefined) open()
    const most = sizeAtFirst > maxBytes ? sizeAtFirst * 2 : maxBytes
    if (size > 0 && size + text.length > most) rotate(text)
    write(text)
  }

  function flush(): void {
    scheduled = false
    if (lines.length === 0) return
    const text = `${lines.join('\n')}\n`
    const callbacks = waiting
    lines = []
    waiting = []
    try {
      writeTurn(text)
      if (failing) options.onProblem?.(undefined)
      failing = false
    } catch (error) {
      if (!failing)
        options.onProblem?.(error instanceof UnsafeFileError ? new Error(systemReason(error)) : (error as Error))
      failing = true
      noteWriteFailure()
      release()
    }
    const isWritten = !failing
    for (const callback of callbacks) callback(isWritten)
  }

  return {
    append(line, written) {
      lines.push(line)
      if (written) waiting.push(written)
      if (scheduled) return
      scheduled = true
      atTurnEnd(flush)
    },
    flush,
    get fileNumber() {
      return fileNumber
    },
    readLines: () => [...linesOf(`${path}.1`), ...linesOf(path)],
    othersWrote() {
      if (fd !== undefined) lookAtOthers()
      // Without a file of its own it cannot know.
      const isSo = hasOthers || fd === undefined
      hasOthers = false
      return isSo
    },
    close() {
      flush()
      release()
    },
  }
}

function linesOf(path: string): string[] {
  try {
    return readRecord(path).split('\n').filter(Boolean)
  } catch {
    // Absent or unreadable: there is nothing to report from it, and the first append will tell the operator why.
    return []
  }
}

// Files of lines read from a place on, in either direction: who asks for one page of a long journal reads that page. A place stays where it is
// while lines are added, and while the file becomes its own backup.

const CHUNK_BYTES = 128 * 1024
const NEWLINE = 0x0a

interface PlacedLine {
  readonly text: string
  /** Where it begins in its file. */
  readonly begin: number
}

/** A file that is open for reading, as it was then. */
export interface OpenFile {
  readonly inode: number
  readonly size: number
  /** Lines that end before `end`, last first, several at a time; the event loop runs between. @param end where a line begins, or the size */
  backwards(end: number): AsyncGenerator<readonly PlacedLine[]>
  /** Lines from `begin` on, in order, several at a time. @param begin where a line begins */
  forwards(begin: number): AsyncGenerator<readonly string[]>
  close(): Promise<void>
}

/** @returns undefined: there is no such file @throws what the system says when it cannot be read */
export async function openPlacedLines(path: string, chunkBytes = CHUNK_BYTES): Promise<OpenFile | undefined> {
  const handle = await openHandleForReading(path).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error
    return undefined
  })
  if (handle === undefined) return undefined
  const { ino, size } = await handle.stat()
  return {
    inode: ino,
    size,
    backwards: (end) => backwards(handle, Math.min(end, size), chunkBytes),
    forwards: (begin) => forwards(handle, begin, size, chunkBytes),
    close: () => handle.close(),
  }
}

async function* backwards(handle: FileHandle, from: number, chunkBytes: number): AsyncGenerator<readonly PlacedLine[]> {
  let end = from
  /** The beginning of a line whose rest has been read, and that rest; undefined until a newline was seen. */
  let rest: Buffer | undefined
  while (end > 0) {
    const begin = Math.max(0, end - chunkBytes)
    const chunk = await readBytes(handle, begin, end)
    // Shorter than it was: cut by hand.
    if (chunk.length < end - begin) return
    end = begin
    // What follows the last newline is being written, or was torn.
    const last = rest === undefined ? chunk.lastIndexOf(NEWLINE) : chunk.length
    if (last === -1) continue
    const bytes = rest === undefined ? chunk.subarray(0, last) : Buffer.concat([chunk, rest])
    const first = begin === 0 ? -1 : bytes.indexOf(NEWLINE)
    if (begin > 0 && first === -1) {
      rest = bytes
      continue
    }
    rest = bytes.subarray(0, Math.max(0, first))
    const lines = linesIn(bytes, first + 1, begin)
    if (lines.length > 0) yield lines
  }
}

/** Last first. @param at where `bytes` begin in the file */
function linesIn(bytes: Buffer, from: number, at: number): readonly PlacedLine[] {
  const lines: PlacedLine[] = []
  let end = bytes.length
  while (end >= from) {
    const begin = end === 0 ? 0 : Math.max(from, bytes.lastIndexOf(NEWLINE, end - 1) + 1)
    if (end > begin) lines.push({ text: bytes.toString('utf8', begin, end), begin: at + begin })
    end = begin - 1
  }
  return lines
}

async function* forwards(
  handle: FileHandle,
  from: number,
  size: number,
  chunkBytes: number,
): AsyncGenerator<readonly string[]> {
  let rest: Buffer = Buffer.alloc(0)
  for (let begin = from; begin < size; begin += chunkBytes) {
    const chunk = Buffer.concat([rest, await readBytes(handle, begin, Math.min(size, begin + chunkBytes))])
    const last = chunk.lastIndexOf(NEWLINE)
    rest = chunk.subarray(last + 1)
    if (last > 0) yield chunk.toString('utf8', 0, last).split('\n')
  }
}

async function readBytes(handle: FileHandle, begin: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Math.max(0, end - begin))
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, begin)
  return bytes.subarray(0, bytesRead)
}

// Files of lines, read from the end: who looks for what happened last need not read what happened long ago.

const LARGE_CHUNK_BYTES = 256 * 1024

/** A file and its backup, as `openJournalFile` keeps them. */
export function withBackup(path: string): readonly string[] {
  return [path, `${path}.1`]
}

/**
 * The lines of the files, the newest file first and of each the last line first; several at a time, and the event loop runs between. Empty lines and a
 * last line without its newline, which is being written or was torn, are left out. A file that is absent has none.
 * @throws what the system says when a file cannot be read
 */
export async function* linesBackwards(
  files: readonly string[],
  chunkBytes = LARGE_CHUNK_BYTES,
): AsyncGenerator<readonly string[]> {
  const read = new Set<number>()
  for (const file of files) {
    const opened = await openPlacedLines(file, chunkBytes)
    if (opened === undefined) continue
    try {
      const { inode, size } = opened
      // It became the next one while it was read.
      if (read.has(inode)) continue
      read.add(inode)
      for await (const lines of opened.backwards(size)) yield lines.map(({ text }) => text)
    } finally {
      await opened.close()
    }
  }
}
