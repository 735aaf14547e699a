// An append-only file of JSON lines that survives the machine: a line is on the disk before its writer goes on. Lines that come while a
// sync is under way share the next one. A file that has grown is set aside under its date and never removed.
import { type Stats, statSync } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ignoreMissing, linesCarried, linesOfAside, linesWithAside, setAside } from './file-set-aside.ts'
import { createGroupCommit, type Group } from './group-commit.ts'
import { HAS_SYNCED_WRITES, openHandleForAppending } from './private-file.ts'
import { writeFailure } from './system-failure.ts'

export interface DurableJournal {
  readonly path: string
  /**
   * Resolves once the lines are on the disk, all of them or, after a crash, a beginning of them.
   * @param isFollowed more lines come before the next tick: they share the write
   * @throws {StoreError} `store-write-failed`
   */
  append(lines: readonly string[], isFollowed?: boolean): Promise<void>
  /** As `append`, but without a sync of its own: the line survives the process, though not the machine. @throws as `append` */
  note(lines: readonly string[]): Promise<void>
  /** What must be findable: the lines of the file, and of the one before it where a crash kept them from being carried over. @throws {StoreError} `store-corrupt` */
  read(): Promise<readonly string[]>
  /** Changes whenever the file does; empty where there is none. */
  version(): Promise<string>
  /** Calls `listener` with each write of ours that nothing else can have come between: what it says need not be read back. */
  onWritten?(listener: (written: Written) => void): void
  /** Writes what is queued and lets go of the file. */
  close(): Promise<void>
}

/** Whole lines, and their place in the file. */
export interface Written {
  readonly lines: readonly string[]
  readonly inode: number
  readonly from: number
  readonly to: number
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
  /** Of the same file: a write is on the disk when it has resolved. Absent where the system has no such writes. */
  readonly synced: FileHandle | undefined
  readonly inode: number
  /** Where it ended after our last write. */
  end: number
}

export function openDurableJournal({ path, maxBytes = 8_000_000, carryOver }: DurableJournalOptions): DurableJournal {
  const file = createAppendedFile(path)
  const listeners: ((written: Written) => void)[] = []

  async function write(groups: readonly Group[]): Promise<void> {
    const lines = groups.flatMap((group) => group.lines)
    const isSynced = groups.some((group) => group.isSynced)
    const { inode, from, to } = await file.append(Buffer.from(lines.map((line) => `${line}\n`).join('')), isSynced)
    if (from !== undefined) for (const listener of listeners) listener({ lines, inode, from, to })
    if (to > maxBytes) await setAside(path, inode, begin)
  }

  /** The new file, after the old one was set aside. */
  async function begin(aside: string): Promise<void> {
    await file.release()
    const kept = carryOver(await linesOfAside(path, aside))
    const lines = linesCarried(aside, kept)
    await file.append(Buffer.from(lines.map((line) => `${line}\n`).join('')), true)
  }

  const commits = createGroupCommit(write, async (error) => {
    await file.release().catch(() => {})
    return writeFailure(path, error)
  })

  return {
    path,
    append: (lines, isFollowed = false) => commits.add({ lines, isSynced: true, isFollowed }),
    note: (lines) => commits.add({ lines, isSynced: false }),
    read: () => linesWithAside(path),
    onWritten: (listener) => void listeners.push(listener),
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
    const { handle, synced } = file ?? {}
    file = undefined
    await Promise.all([handle?.close(), synced?.close()])
  }

  /** Another process may have set the file aside, or somebody removed it. */
  async function current(): Promise<OpenFile> {
    for (;;) {
      const open = file ?? (await begin())
      // At once: a look at a name is quicker than the way to the pool and back.
      if (stateOf(path)?.ino === open.inode) return open
      await release()
    }
  }

  async function begin(): Promise<OpenFile> {
    const handle = await openHandleForAppending(path)
    const { ino, size } = await handle.stat()
    file = { handle, synced: undefined, inode: ino, end: size }
    // A crash may have left half a line; an empty one does no harm.
    if (size > 0) await handle.write('\n')
    else await syncDirectory(dirname(path))
    const synced = HAS_SYNCED_WRITES ? await openHandleForAppending(path, true) : undefined
    file = { handle, synced, inode: ino, end: size > 0 ? size + 1 : 0 }
    if (synced === undefined || (await synced.stat()).ino === ino) return file
    // Set aside in between.
    await release()
    return begin()
  }

  /** @returns the file that has the bytes, and where; `from` undefined: another process may have written just before */
  async function append(bytes: Buffer, isSynced: boolean) {
    for (;;) {
      const written = await current()
      await writeWhole(isSynced ? (written.synced ?? written.handle) : written.handle, bytes)
      if (isSynced && written.synced === undefined) await written.handle.datasync()
      const found = stateOf(path)
      // Set aside by another process while it was written: whether that process still saw the lines is not known, so they are written again.
      if (found?.ino !== written.inode) continue
      const from = written.end
      const isAlone = found.size === from + bytes.length
      written.end = found.size
      return { inode: written.inode, from: isAlone ? from : undefined, to: found.size }
    }
  }

  return { append, current, release }
}

/** In one write where the system takes it so. */
async function writeWhole(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) done += (await handle.write(bytes, done)).bytesWritten
}

function stateOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
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
