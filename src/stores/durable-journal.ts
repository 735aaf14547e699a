// An append-only file of JSON lines that survives the machine: a line is on the disk before its writer goes on. Lines that come while a
// sync is under way share the next one. A file that has grown is set aside under its date and never removed.
import { closeSync, fstatSync, readSync, type Stats, statSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import {
  HAS_SYNCED_WRITES,
  openForReading,
  openHandleForAppending,
  openHandleForReading,
  readLongRecord,
} from './private-file.ts'
import { StoreError, systemCode, systemReason, UnsafeFileError, writeFailure } from './store-error.ts'

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

interface DurableJournalOptions {
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

  /** Another process may have set the file aside, or someone removed it. */
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

// Writers that share a write: lines that come while one is under way wait for the next one, which takes them all.

interface Group {
  readonly lines: readonly string[]
  readonly isSynced: boolean
  /** Its writer adds more before it waits for anything: both are one write. */
  readonly isFollowed?: boolean
}

interface WaitingGroup extends Group {
  readonly settle: (error: Error | undefined) => void
}

interface GroupCommit {
  /** Resolves once the write that took the group has. Rejects with what `explain` made of its failure. */
  add(group: Group): Promise<void>
  /** Resolves when no write is under way. */
  idle(): Promise<void>
}

/**
 * @param write writes all of the groups or rejects; never called while it is under way
 * @param explain makes of a failed write the error that its writers get
 */
export function createGroupCommit(
  write: (groups: readonly Group[]) => Promise<void>,
  explain: (error: unknown) => Promise<Error>,
): GroupCommit {
  let waiting: WaitingGroup[] = []
  let pumping: Promise<void> | undefined
  /** Of a write that waits for what its writer adds to the group it was asked for. */
  let begin: (() => void) | undefined

  async function pump(): Promise<void> {
    while (waiting.length > 0) {
      const groups = waiting
      waiting = []
      const failure = await write(groups).then(() => undefined, explain)
      for (const { settle } of groups) settle(failure)
    }
    pumping = undefined
  }

  /** By the next tick all that the writer knows to add is there. */
  function beginSoon(isFollowed: boolean): void {
    if (pumping !== undefined) return
    pumping = new Promise<void>((resolve) => {
      let hasBegun = false
      const beginOnce = () => {
        begin = undefined
        if (!hasBegun) resolve(pump())
        hasBegun = true
      }
      // The request of an order is prepared while its lines are written: they do not wait for that.
      if (isFollowed) begin = beginOnce
      process.nextTick(beginOnce)
    })
  }

  return {
    add: (group) =>
      new Promise((resolve, reject) => {
        waiting.push({ settle: (error) => (error === undefined ? resolve() : reject(error)), ...group })
        // All that the tick adds is one write, but for a group that is followed: that is whole with what follows it.
        if (begin === undefined || group.isFollowed === true) beginSoon(group.isFollowed === true)
        else begin()
      }),
    async idle() {
      await pumping
    },
  }
}

// A file of lines that has grown is set aside under its date and never removed. What must stay findable begins the new file, which also says
// of which one it was taken: a crash in between leaves both to be read.

/** A lock directory of a process that was killed while it set a file aside. */
const STALE_ROTATION_MS = 10_000

/**
 * Renames the file, if it is still the one of this inode. Of several processes only one does.
 * @param begin begins the new file, from what the old one holds by then: until the renaming, other processes may have written to it
 */
async function setAside(path: string, inode: number, begin: (aside: string) => Promise<void>): Promise<void> {
  if (!(await takeRotation(`${path}.rotating`))) return
  try {
    const found = await stat(path).catch(ignoreMissing)
    if (found === undefined || found.ino !== inode) return
    const aside = await freeName(path)
    await rename(path, aside)
    await begin(aside)
  } finally {
    await rmdir(`${path}.rotating`)
  }
}

/** The lines of the file, and before them those of the ones set aside before it where a crash kept them from being carried over. @throws {StoreError} */
async function linesWithAside(path: string): Promise<readonly string[]> {
  return linesAfter(path, await asidesOf(path))
}

/** What must stay findable of a file that was just set aside: as `linesWithAside`. @throws {StoreError} */
async function linesOfAside(path: string, aside: string): Promise<readonly string[]> {
  return linesAfter(
    aside,
    (await asidesOf(path)).filter((name) => name < aside),
  )
}

/** @param asides of what was set aside before this file, oldest first */
async function linesAfter(file: string, asides: readonly string[]): Promise<readonly string[]> {
  const lines = await linesOf(file)
  const aside = asides.at(-1)
  if (aside === undefined) return lines
  const end = lines.indexOf(carriedFrom(aside))
  if (end === -1) return [...(await linesAfter(aside, asides.slice(0, -1))), ...lines]
  // Another process may have written into the new file before it was begun: what it says is of lines that were carried over.
  const start = lines.lastIndexOf(carryingFrom(aside), end)
  return start <= 0 ? lines : [...lines.slice(start, end), ...lines.slice(0, start), ...lines.slice(end)]
}

/** The lines that begin the file after `aside`, in one write: `kept` is all of it that must stay findable. */
function linesCarried(aside: string, kept: readonly string[]): readonly string[] {
  return [carryingFrom(aside), ...kept, carriedFrom(aside)]
}

/** @throws {StoreError} `store-corrupt` when the file cannot be read; one that is missing has no lines */
async function linesOf(path: string): Promise<readonly string[]> {
  try {
    return (await readLongRecord(path)).split('\n').filter(Boolean)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return []
    const hint = error instanceof UnsafeFileError ? error.hint : 'check its permissions'
    throw new StoreError('store-corrupt', `${path} cannot be read: ${systemReason(error)}`, { hint, cause: error })
  }
}

function carryingFrom(aside: string): string {
  return JSON.stringify({ t: 'carrying', from: basename(aside) })
}

/** The line that says that all of `aside` which must stay findable is in this file. */
function carriedFrom(aside: string): string {
  return JSON.stringify({ t: 'carried', from: basename(aside) })
}

function ignoreMissing(error: unknown): undefined {
  if (systemCode(error) !== 'ENOENT') throw error
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

/** The file and those set aside of it after a time (ms since the epoch), newest first: all that can hold a line of then or later. */
export async function filesSince(path: string, at: number): Promise<readonly string[]> {
  const begins = nameAside(path, at)
  return [path, ...(await asidesOf(path)).filter((aside) => aside >= begins).reverse()]
}

/** Oldest first. */
async function asidesOf(path: string): Promise<readonly string[]> {
  const ending = extname(path)
  const beginning = `${basename(path, ending)}-`
  const names = await readdir(dirname(path)).catch(() => [])
  return names
    .filter((name) => name.startsWith(beginning) && name.endsWith(ending))
    .sort()
    .map((name) => join(dirname(path), name))
}

async function freeName(path: string): Promise<string> {
  for (let at = Date.now(); ; at += 1) {
    const name = nameAside(path, at)
    if ((await stat(name).catch(ignoreMissing)) === undefined) return name
  }
}

/** `orders.jsonl` → `orders-2026-11-22T03-04-05.678Z.jsonl`. */
function nameAside(path: string, at: number): string {
  const ending = extname(path)
  const stem = path.slice(0, path.length - ending.length)
  return `${stem}-${new Date(at).toISOString().replaceAll(':', '-')}${ending}`
}

// What was appended to a journal since the last look, by whichever process: the file is read on from where it ended then. Where it was set
// aside meanwhile, all that can hold a line of interest is read again.

interface NewLines {
  /** What was read before no longer counts: `lines` has all of it again. */
  readonly isAnew: boolean
  readonly lines: readonly string[]
}

export interface LineTail {
  /** @param since of what was set aside, only files that can hold a line of then (ms since the epoch) or later @throws the system's error */
  readOn(since: number): Promise<NewLines>
  /** The next look reads everything again. */
  forget(): void
  /** What this process has written behind the last look, with nothing in between, needs no look. Absent, or empty: look. */
  takeOwn?(): readonly string[]
  /** What `takeOwn` would give now. */
  peekOwn?(): readonly string[]
  /** Notified of what this process writes. */
  noteOwn?(written: Written): void
  /** Whether the file ends where the last look, or `takeOwn`, did: a look would find nothing. */
  isAtEnd?(): boolean
}

/** Bytes of a few orders: to read them is quicker than the way to the pool and back, and an order may wait for it. */
const READ_AT_ONCE = 64 * 1024
/** So many writes; what no one has asked for is read when someone does. */
const MOST_OWN = 1_000

export function openLineTail(path: string): LineTail {
  /** Where the last look ended. */
  let place: { readonly inode: number; readonly offset: number } | undefined
  /** The last look found no file, and none set aside: until there is one, its name says all. */
  let isNone = false
  /** Of this process, one after the other, and not looked at yet. */
  let own: { readonly inode: number; readonly from: number; readonly to: number; readonly lines: readonly string[] }[] =
    []

  async function readAll(since: number): Promise<NewLines> {
    for (;;) {
      const files = await filesSince(path, since)
      const earlier: string[] = []
      for (const aside of files.slice(1).reverse()) earlier.push(...(await linesOf(aside)))
      const { lines, inode, offset } = await readFrom(path, 0)
      // Set aside meanwhile: what it held was in neither.
      if ((await filesSince(path, since)).length !== files.length) continue
      place = inode === undefined ? undefined : { inode, offset }
      isNone = inode === undefined && files.length === 1
      return { isAnew: true, lines: [...earlier, ...lines] }
    }
  }

  /** A look may have found them in the file before they were reported as written. */
  function dropRead(): void {
    const { inode, offset } = place ?? {}
    while (own[0] !== undefined && own[0].inode === inode && own[0].to <= (offset ?? 0)) own.shift()
  }

  /** Of this process, where they begin where the last look ended. */
  function nextOwn(): typeof own {
    dropRead()
    const isNext = place !== undefined && own[0]?.inode === place.inode && own[0].from === place.offset
    return isNext ? own : []
  }

  return {
    forget() {
      place = undefined
      isNone = false
    },
    noteOwn(written) {
      const last = own.at(-1)
      const goesOn = last === undefined || (last.inode === written.inode && last.to === written.from)
      if (!goesOn || own.length >= MOST_OWN) own = []
      own.push(written)
    },
    peekOwn: () => nextOwn().flatMap(({ lines }) => lines),
    takeOwn() {
      const taken = nextOwn()
      own = []
      const last = taken.at(-1)
      if (last !== undefined) place = { inode: last.inode, offset: last.to }
      return taken.flatMap(({ lines }) => lines)
    },
    isAtEnd() {
      // At once: a look at a name is quicker than the way to the pool and back.
      const found = place === undefined ? undefined : statSync(path, { throwIfNoEntry: false })
      return found !== undefined && found.ino === place?.inode && found.size === place.offset
    },
    async readOn(since) {
      const found = stateOf(path)
      if (isNone && found === undefined) return { isAnew: false, lines: [] }
      if (place === undefined || found === undefined || found.ino !== place.inode || found.size < place.offset) {
        return readAll(since)
      }
      if (found.size === place.offset) return { isAnew: false, lines: [] }
      const isShort = found.size - place.offset <= READ_AT_ONCE
      const { lines, inode, offset } = isShort ? readNow(path, place.offset) : await readFrom(path, place.offset)
      if (inode !== place.inode) return readAll(since)
      place = { inode, offset }
      return { isAnew: false, lines }
    },
  }
}

interface ReadLines {
  readonly lines: readonly string[]
  /** Undefined: there is no file. */
  readonly inode: number | undefined
  readonly offset: number
}

const NOTHING: ReadLines = { lines: [], inode: undefined, offset: 0 }

async function readFrom(path: string, start: number): Promise<ReadLines> {
  const handle = await openHandleForReading(path).catch(ignoreMissing)
  if (handle === undefined) return NOTHING
  try {
    const { ino, size } = await handle.stat()
    const bytes = Buffer.allocUnsafe(Math.max(0, size - start))
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, start)
    return wholeLines(ino, bytes.subarray(0, bytesRead), start)
  } finally {
    await handle.close()
  }
}

function readNow(path: string, start: number): ReadLines {
  let fd: number
  try {
    fd = openForReading(path)
  } catch (error) {
    ignoreMissing(error)
    return NOTHING
  }
  try {
    const { ino, size } = fstatSync(fd)
    const bytes = Buffer.allocUnsafe(Math.max(0, size - start))
    return wholeLines(ino, bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, start)), start)
  } finally {
    closeSync(fd)
  }
}

/** What follows the last newline is read again when it has ended. */
function wholeLines(inode: number, bytes: Buffer, start: number): ReadLines {
  const end = bytes.lastIndexOf(0x0a) + 1
  const lines = bytes.toString('utf8', 0, end).split('\n').filter(Boolean)
  return { lines, inode, offset: start + end }
}
