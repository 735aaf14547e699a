// Files of lines, read from the end: who looks for what happened last need not read what happened long ago.
import type { FileHandle } from 'node:fs/promises'
import { openHandleForReading } from './private-file.ts'
import { systemCode } from './system-failure.ts'

const CHUNK_BYTES = 256 * 1024
const NEWLINE = 0x0a

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
  chunkBytes = CHUNK_BYTES,
): AsyncGenerator<readonly string[]> {
  const read = new Set<number>()
  for (const file of files) {
    const handle = await openIfThere(file)
    if (handle === undefined) continue
    try {
      const { ino, size } = await handle.stat()
      // It became the next one while it was read.
      if (read.has(ino)) continue
      read.add(ino)
      yield* linesOf(handle, size, chunkBytes)
    } finally {
      await handle.close()
    }
  }
}

async function* linesOf(handle: FileHandle, size: number, chunkBytes: number): AsyncGenerator<readonly string[]> {
  let end = size
  /** The beginning of a line whose rest has been read, and that rest; undefined until a newline was seen. */
  let rest: Buffer | undefined
  while (end > 0) {
    const begin = Math.max(0, end - chunkBytes)
    const chunk = Buffer.alloc(end - begin)
    await handle.read(chunk, 0, chunk.length, begin)
    end = begin
    const last = rest === undefined ? chunk.lastIndexOf(NEWLINE) : chunk.length
    if (last === -1) continue
    const bytes = rest === undefined ? chunk.subarray(0, last) : Buffer.concat([chunk, rest])
    const first = begin === 0 ? -1 : bytes.indexOf(NEWLINE)
    if (begin > 0 && first === -1) {
      rest = bytes
      continue
    }
    rest = bytes.subarray(0, Math.max(0, first))
    const lines = bytes
      .toString('utf8', first + 1)
      .split('\n')
      .filter(Boolean)
    if (lines.length > 0) yield lines.reverse()
  }
}

async function openIfThere(file: string): Promise<FileHandle | undefined> {
  try {
    return await openHandleForReading(file)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}
