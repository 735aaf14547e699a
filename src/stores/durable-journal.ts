// An append-only file of JSON lines that survives the machine: a line is on the disk before its writer goes on. Lines that come while a
// sync is under way share the next one (group commit). A file that has grown is set aside under its date and never removed.
import { type FileHandle, mkdir, open, readdir, readFile, rename, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { StoreError } from './store-error.ts'
import { systemCode, writeFailure } from './system-failure.ts'

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

interface Group {
  readonly lines: readonly string[]
  readonly isSynced: boolean
  readonly settle: (error?: StoreError) => void
}

interface OpenFile {
  readonly handle: FileHandle
  readonly inode: number
}

/** A lock directory of a process that was killed while it set a file aside. */
const STALE_ROTATION_MS = 10_000

export function openDurableJournal({ path, maxBytes = 8_000_000, carryOver }: DurableJournalOptions): DurableJournal {
  let waiting: Group[] = []
  let pumping: Promise<void> | undefined
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
    const handle = await open(path, 'a', 0o600)
    const { ino, size } = await handle.stat()
    file = { handle, inode: ino }
    // A crash may have left half a line; an empty one does no harm.
    if (size > 0) await handle.write('\n')
    else await syncDirectory(dirname(path))
    return file
  }

  async function write(groups: readonly Group[]): Promise<void> {
    const text = groups.flatMap(({ lines }) => lines.map((line) => `${line}\n`)).join('')
    const isSynced = groups.some((group) => group.isSynced)
    // Set aside by another process while it was written: whether that process still saw the lines is not known.
    do {
      const { handle } = await current()
      await handle.appendFile(text)
      if (isSynced) await handle.datasync()
    } while ((await stat(path).catch(ignoreMissing))?.ino !== file?.inode)
    if (file !== undefined && (await file.handle.stat()).size > maxBytes) await setAside()
  }

  /** Of several processes only one renames, and only the file that has really grown. */
  async function setAside(): Promise<void> {
    if (!(await takeRotation(`${path}.rotating`))) return
    try {
      const found = await stat(path).catch(ignoreMissing)
      if (found === undefined || found.ino !== file?.inode) return
      const aside = await freeName(path)
      await rename(path, aside)
      await release()
      // Read only now: until the renaming, other processes may have written to it.
      const kept = carryOver(await linesOf(aside))
      const { handle } = await current()
      await handle.appendFile([...kept, carriedFrom(aside)].map((line) => `${line}\n`).join(''))
      await handle.datasync()
    } finally {
      await rmdir(`${path}.rotating`)
    }
  }

  async function pump(): Promise<void> {
    while (waiting.length > 0) {
      const groups = waiting
      waiting = []
      const failure = await write(groups).then(
        () => undefined,
        async (error: unknown) => {
          await release().catch(() => {})
          return writeFailure(path, error)
        },
      )
      for (const { settle } of groups) settle(failure)
    }
    pumping = undefined
  }

  function queue(lines: readonly string[], isSynced: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      waiting.push({ lines, isSynced, settle: (error) => (error === undefined ? resolve() : reject(error)) })
      // A turn later, so that all that this turn orders is one write.
      pumping ??= new Promise<void>((begin) => setImmediate(begin)).then(pump)
    })
  }

  return {
    path,
    append: (lines) => queue(lines, true),
    note: (lines) => queue(lines, false),
    async read() {
      const lines = await linesOf(path)
      const aside = await newestAside(path)
      // A crash between setting a file aside and carrying over what must stay findable.
      const isCarried = aside === undefined || lines.includes(carriedFrom(aside))
      return isCarried ? lines : [...(await linesOf(aside)), ...lines]
    },
    async version() {
      const found = await stat(path).catch(ignoreMissing)
      return found === undefined ? '' : `${found.ino}:${found.size}`
    },
    async close() {
      await pumping
      await release()
    },
  }
}

async function linesOf(path: string): Promise<readonly string[]> {
  try {
    return (await readFile(path, 'utf8')).split('\n').filter(Boolean)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return []
    throw new StoreError('store-corrupt', `${path} cannot be read`, { hint: 'check its permissions', cause: error })
  }
}

async function takeRotation(lock: string): Promise<boolean> {
  try {
    await mkdir(lock)
    return true
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
    const held = await stat(lock).catch(ignoreMissing)
    if (held !== undefined && Math.abs(Date.now() - held.mtimeMs) > STALE_ROTATION_MS)
      await rmdir(lock).catch(ignoreMissing)
    return false
  }
}

function carriedFrom(aside: string): string {
  return JSON.stringify({ t: 'carried', from: basename(aside) })
}

/** The file that was set aside last. */
async function newestAside(path: string): Promise<string | undefined> {
  const ending = extname(path)
  const beginning = `${basename(path, ending)}-`
  const names = await readdir(dirname(path)).catch(() => [])
  const newest = names
    .filter((name) => name.startsWith(beginning) && name.endsWith(ending))
    .sort()
    .at(-1)
  return newest === undefined ? undefined : join(dirname(path), newest)
}

/** `orders.jsonl` → `orders-2026-11-22T03-04-05.678Z.jsonl`. */
async function freeName(path: string): Promise<string> {
  const ending = extname(path)
  const stem = path.slice(0, path.length - ending.length)
  for (let at = Date.now(); ; at += 1) {
    const name = `${stem}-${new Date(at).toISOString().replaceAll(':', '-')}${ending}`
    if ((await stat(name).catch(ignoreMissing)) === undefined) return name
  }
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

function ignoreMissing(error: unknown): undefined {
  if (systemCode(error) !== 'ENOENT') throw error
}
