// Files of lines read from a place on, in either direction: who asks for one page of a long journal reads that page. A place stays where it is
// while lines are added, and while the file becomes its own backup.
import type { FileHandle } from 'node:fs/promises'
import { openHandleForReading } from './private-file.ts'
import { systemCode } from './store-error.ts'

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
