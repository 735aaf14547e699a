// An append-only file of JSON lines that survives the machine: a line is on the disk before its writer goes on. Lines that come while a
// sync is under way share the next one. A file that has grown is set aside under its date and never removed.
import { type FileHandle, open, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { carriedFrom, ignoreMissing, linesOf, linesWithAside, setAside } from './file-set-aside.ts'
import { createGroupCommit, type Group } from './group-commit.ts'
import { openHandleForAppending } from './private-file.ts'
import { writeFailure } from './system-failure.ts'

export interface DurableJournal {
  readonly path: string
  /** Resolves once the lines are on the disk, all of them or, after a crash, a beginning of them. @throws {StoreError} `store-write-failed` */
  append(lines: readonly string[]): Promise<void>
  /** As `append`, but without a sync of its own: the line survives the process, though not the machine. @throws as `append` */
  note(lines: readonly string[]): Promise<void>
  /** What must be findable: the lines of the file, and of the one before it where a crash kept them from being carried over. @throws {StoreError} `store-corrupt` */
  read(): Promise<readonly string[]>
  /** Changes whenever the file does; empty where there is none. */
  version(): Promise<string>
  /** Writes what is queued and lets go of the file. */
  close(): Promise<void>
}

export interface DurableJournalOptions {
  readonly path: string
  /** Above this a new file is begun. Default 8 MB. */
  readonly maxBytes?: number
  /** Of a file that is set aside, the lines that must stay findable: they begin the new one. */
  readonly carryOver: (lines: readonly string[]) => readonly string[]
}

interface OpenFile {
  readonly handle: FileHandle
  readonly inode: number
}

export function openDurableJournal({ path, maxBytes = 8_000_000, carryOver }: DurableJournalOptions): DurableJournal {
  const file = createAppendedFile(path)

  async function write(groups: readonly Group[]): Promise<void> {
    const text = groups.flatMap(({ lines }) => lines.map((line) => `${line}\n`)).join('')
    const isSynced = groups.some((group) => group.isSynced)
    const { handle, inode } = await file.append(text, isSynced)
    if ((await handle.stat()).size > maxBytes) await setAside(path, inode, begin)
  }

  /** The new file, after the old one was set aside. */
  async function begin(aside: string): Promise<void> {
    await file.release()
    const kept = carryOver(await linesOf(aside))
    const { handle } = await file.current()
    await handle.appendFile([...kept, carriedFrom(aside)].map((line) => `${line}\n`).join(''))
    await handle.datasync()
  }

  const commits = createGroupCommit(write, async (error) => {
    await file.release().catch(() => {})
    return writeFailure(path, error)
  })

  return {
    path,
    append: (lines) => commits.add({ lines, isSynced: true }),
    note: (lines) => commits.add({ lines, isSynced: false }),
    read: () => linesWithAside(path),
    async version() {
      const found = await stat(path).catch(ignoreMissing)
      return found === undefined ? '' : `${found.ino}:${found.size}`
    },
    async close() {
      await commits.idle()
      await file.release()
    },
  }
}

/** The file under this name, whichever that is at the time: another process may set it aside. */
function createAppendedFile(path: string) {
  let file: OpenFile | undefined

  async function release(): Promise<void> {
    const { handle } = file ?? {}
    file = undefined
    await handle?.close()
  }

  /** Another process may have set the file aside, or somebody removed it. */
  async function current(): Promise<OpenFile> {
    if (file !== undefined) {
      const found = await stat(path).catch(ignoreMissing)
      if (found?.ino === file.inode) return file
      await release()
    }
    const handle = await openHandleForAppending(path)
    const { ino, size } = await handle.stat()
    file = { handle, inode: ino }
    // A crash may have left half a line; an empty one does no harm.
    if (size > 0) await handle.write('\n')
    else await syncDirectory(dirname(path))
    return file
  }

  /** @returns the file that has the text */
  async function append(text: string, isSynced: boolean): Promise<OpenFile> {
    for (;;) {
      const written = await current()
      await written.handle.appendFile(text)
      if (isSynced) await written.handle.datasync()
      const found = await stat(path).catch(ignoreMissing)
      // Set aside by another process while it was written: whether that process still saw the lines is not known, so they are written again.
      if (found?.ino === written.inode) return written
    }
  }

  return { append, current, release }
}

/** A new file is on the disk only when its directory is. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(join(directory, '.'), 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
