// Files of lines, read from the end: who looks for what happened last need not read what happened long ago.
import { openPlacedLines } from './placed-lines.ts'

const CHUNK_BYTES = 256 * 1024

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
