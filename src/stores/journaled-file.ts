// A state that is kept as a snapshot and the changes since: `<name>.json`, and `<name>.changes-<id>.jsonl`, which the snapshot names in its field
// `journal`. A change is one synced line. Several processes share both without a lock: each line has a number, readers take the first whole line
// of the next number, and a writer whose line came second reads on and makes its change again. What is stored follows from the bytes alone.
//
// A journal that has grown is ended by a last line; then a snapshot that names a new journal replaces the old one (under the lock of the
// snapshot's file), by whichever process comes first. Journals that no snapshot names are removed. After a crash at any step either snapshot
// serves, each with its own journal.
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  write,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { setImmediate as endOfTurn, setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { watchFile } from './directory-watch.ts'
import { currentTurn, forgetTurn } from './event-loop-turn.ts'
import type { FileState, JsonFile } from './json-file.ts'
import { HAS_SYNCED_WRITES, openForReading, refuseUnsafe, withinDirectory } from './private-file.ts'
import { StoreError, type StoreProblem, systemCode, systemReason, writeFailure } from './store-error.ts'

/** What a snapshot has besides its own fields. */
export interface Journaled {
  /** Of the journal with the changes since; absent: there are none. */
  readonly journal?: string
}

/** How a change is written as text. */
export interface ChangeFormat<T> {
  /** The change as JSON on one line, which `apply` makes the same of. @throws for a state that cannot be read back */
  encode(from: T, to: T): string
  /** @throws when the change is not of the shape, or does not fit the state */
  apply(state: T, change: unknown): T
}

export interface JournaledFile<T> extends FileState {
  /** The value as on disk now: two looks at names, and what was added since. Never throws, as `JsonFile.read`. The same reference while nothing changed. */
  read(): T
  /** As `read()`, but one look serves all calls of one event-loop turn. */
  readOncePerTurn(): T
  /**
   * Applies `change` to the freshest value and stores the result durably; the same reference stores nothing. Updates of one process queue in
   * order; an update begins at the end of the turn. `change` is applied again where another process stored one in between.
   * @returns the value as it is now
   * @throws {StoreError} `store-corrupt`, `store-newer`, `store-locked`, `store-write-failed`, `invalid-value`; or whatever `change` throws.
   *   After `store-write-failed` the change is stored only where `read()` has it: it does not come later.
   */
  update(change: (current: T) => T): Promise<T>
}

interface JournaledFileOptions<T extends Journaled> {
  readonly snapshot: SnapshotFile<T>
  readonly changes: ChangeFormat<T>
  /** A journal that is longer is ended at the next update. Default 256 KiB: a start reads it in some 10 ms. */
  readonly maxBytes?: number
  readonly disk?: JournalDisk
}

/** The file of the snapshot. */
export type SnapshotFile<T> = Pick<
  JsonFile<T>,
  'path' | 'read' | 'update' | 'problem' | 'problems' | 'watch' | 'isVanishing'
>

/** What is read of a journal so far. */
interface Tail<T> {
  readonly base: T
  readonly path: string
  inode: number | undefined
  state: T
  /** The number of the last line that counts. */
  count: number
  /** Lines so far, for faults. */
  lines: number
  /** Where the whole lines end. */
  end: number
  /** What was there at the last look; more than `end`: a line that is being written, or was torn. */
  size: number
  isEnded: boolean
  /** Lines of other processes came after the last write of ours: whether they are on the disk is not known. */
  hasForeign: boolean
  /** Of the last line that is ours. */
  own: number
  /** The line that is being added, and the state with it: who looks meanwhile finds it in the file. */
  adding: { readonly line: string; readonly next: T } | undefined
  fault: Fault | undefined
}

type Fault = Pick<StoreProblem, 'line' | 'message'>

const NEWLINE = 0x0a
/** Ends what a crash left without a newline: no line that was whole but for that counts later. */
const SPOILED = '#\n'
const DEFAULT_MAX_BYTES = 262_144

export function createJournaledFile<T extends Journaled>({
  snapshot,
  changes,
  maxBytes = DEFAULT_MAX_BYTES,
  disk = systemDisk,
}: JournaledFileOptions<T>): JournaledFile<T> {
  const stem = snapshot.path.slice(0, -extname(snapshot.path).length)
  /** Names this writer in its lines: two processes may write the very same change. */
  const by = randomBytes(6).toString('hex')
  let tail = beginTail(snapshot.read())
  let value = tail.base
  let fault: Fault | undefined
  let version = 0
  let lookedInTurn = -1
  let lastUpdate: Promise<unknown> = Promise.resolve()

  function pathOf(id: string): string {
    return `${stem}.changes-${id}.jsonl`
  }

  function beginTail(base: T): Tail<T> {
    return {
      base,
      path: pathOf(base.journal ?? ''),
      inode: undefined,
      state: base,
      count: 0,
      lines: 0,
      end: 0,
      size: 0,
      isEnded: false,
      hasForeign: false,
      own: 0,
      adding: undefined,
      fault: undefined,
    }
  }

  function settle(next: T, nextFault: Fault | undefined): T {
    if (value !== next || fault?.message !== nextFault?.message || fault?.line !== nextFault?.line) version += 1
    value = next
    fault = nextFault
    return value
  }

  function look(): T {
    lookedInTurn = currentTurn()
    for (let missing: T | undefined; ; ) {
      const base = snapshot.read()
      if (base !== tail.base) tail = beginTail(base)
      if (base.journal === undefined) return settle(base, undefined)
      try {
        if (readOn()) return settle(tail.state, tail.fault)
      } catch (error) {
        return settle(value, { message: `cannot be read: ${systemReason(error)}` })
      }
      // Another process has ended it: then there is another snapshot.
      if (missing === base) return settle(value, { message: 'is missing' })
      missing = base
    }
  }

  /** @returns false: there is no journal */
  function readOn(): boolean {
    const found = disk.look(tail.path)
    if (found === undefined) return false
    const isOther = tail.inode !== undefined && found.inode !== tail.inode
    const isMended = tail.fault !== undefined && found.size !== tail.size
    if (isOther || isMended || found.size < tail.end) tail = beginTail(tail.base)
    tail.inode = found.inode
    if (found.size !== tail.size) fold(tail, disk.read(tail.path, tail.end))
    return true
  }

  /** @param bytes all that follows the whole lines so far */
  function fold(into: Tail<T>, bytes: Buffer): void {
    const whole = bytes.lastIndexOf(NEWLINE) + 1
    for (const text of bytes.toString('utf8', 0, whole).split('\n').slice(0, -1)) {
      into.lines += 1
      if (into.fault === undefined) take(into, text)
    }
    into.size = into.end + bytes.length
    into.end += whole
  }

  function take(into: Tail<T>, text: string): void {
    const line = readLine(text)
    // A second one of its number was made from a state that was not the newest any more.
    if (line === undefined || line.n <= into.count) return
    const next = into.count + 1
    if (line.n > next) {
      into.fault = { line: into.lines, message: `follows change ${into.count}, and change ${next} is missing` }
      return
    }
    try {
      if (line.end) into.isEnded = true
      else into.state = into.adding?.line === text ? into.adding.next : changes.apply(into.state, line.change)
    } catch {
      into.fault = { line: into.lines, message: 'is not a change of this state' }
      return
    }
    into.count = next
    if (line.by === by) into.own = next
    else into.hasForeign = true
  }

  /** @param next the state with that line @returns false: another process was first, and the state is another one by now */
  async function add(text: string, next: T): Promise<boolean> {
    // Whatever is looked at meanwhile: what became of the line is read in the file that it went to.
    const into = tail
    const n = into.count + 1
    const spoiled = into.size > into.end ? SPOILED : ''
    const line = `{"n":${n},"by":"${by}",${text}}`
    const bytes = Buffer.from(`${spoiled}${line}\n`)
    const place = { inode: into.inode ?? 0, end: into.end, size: into.size }
    into.adding = { line, next }
    const found = await disk.append(into.path, bytes, place, into.hasForeign).catch((error: unknown) => {
      into.adding = undefined
      throw writeFailure(into.path, error)
    })
    if (found === 'elsewhere') return false
    if (found !== 'alone') fold(into, found.subarray(into.end - place.end))
    else if (into.own !== n) {
      into.state = next
      into.count = n
      into.own = n
      into.lines += spoiled === '' ? 1 : 2
      into.size = place.size + bytes.length
      into.end = into.size
    }
    into.adding = undefined
    const isOurs = into.own === n
    if (isOurs) into.hasForeign = found !== 'alone'
    forgetTurn()
    if (tail === into) settle(into.state, into.fault)
    else look()
    return isOurs
  }

  /** Stores the change in a new snapshot. @returns false: another process made one */
  async function replace(change: (current: T) => T): Promise<boolean> {
    const { journal } = tail.base
    if (journal !== undefined && !tail.isEnded) {
      const ended = tail
      if (!(await add('"end":true', ended.state))) return false
      ended.isEnded = true
      if (tail !== ended) return false
    }
    const { state } = tail
    let isNewest = true
    let leftovers: readonly string[] = []
    await snapshot.update((found) => {
      isNewest = found.journal === journal
      if (!isNewest) return found
      const from = journal === undefined ? found : state
      const next = change(from)
      if (next === from && journal === undefined) return found
      // Listed while the lock is held, and removed only once the lock is known to have been held until the end.
      leftovers = disk.list(dirname(snapshot.path)).filter(isJournal)
      const id = randomBytes(8).toString('hex')
      disk.create(pathOf(id))
      return { ...next, journal: id }
    })
    if (isNewest) for (const name of leftovers) await disk.remove(join(dirname(snapshot.path), name)).catch(() => {})
    look()
    return isNewest
  }

  function isJournal(name: string): boolean {
    return name.startsWith(`${basename(stem)}.changes-`) && name.endsWith('.jsonl')
  }

  async function store(change: (current: T) => T): Promise<T> {
    for (;;) {
      // What the turn adds shares the write.
      await endOfTurn()
      const current = await lookForWriting()
      if (tail.base.journal === undefined || tail.isEnded || tail.end > maxBytes) {
        if (await replace(change)) return value
        continue
      }
      const next = change(current)
      if (next === current || (await add(`"change":${encode(current, next)}`, next))) return value
    }
  }

  /** @throws {StoreError} where nothing may be written */
  async function lookForWriting(): Promise<T> {
    let current = look()
    // As `JsonFile.update`: what was deleted must not come back by a write.
    while (snapshot.isVanishing()) {
      await sleep(20)
      current = look()
    }
    // That refuses what cannot be read, with its reason.
    if (snapshot.problem() !== undefined) await snapshot.update((found) => found)
    if (fault !== undefined) throw corrupt(fault)
    return current
  }

  function encode(from: T, to: T): string {
    try {
      return changes.encode(from, to)
    } catch (cause) {
      throw new StoreError('invalid-value', `${basename(snapshot.path)} would not be of its shape any more`, { cause })
    }
  }

  function corrupt({ line, message }: Fault): StoreError {
    const place = line === undefined ? '' : `line ${line}: `
    return new StoreError('store-corrupt', `${basename(tail.path)}: ${place}${message}`, {
      hint: `put back ${tail.path}, or remove the field "journal" of ${snapshot.path} to go on without those changes`,
    })
  }

  function problems(): readonly StoreProblem[] {
    const own = fault === undefined ? [] : [{ kind: 'file' as const, path: tail.path, ...fault }]
    return [...snapshot.problems(), ...own]
  }

  return {
    path: snapshot.path,
    look: () => void look(),
    read: look,
    readOncePerTurn: () => (currentTurn() === lookedInTurn ? value : look()),
    problem: () => snapshot.problem() ?? problems().find(({ kind }) => kind === 'file'),
    problems,
    update(change) {
      const turn = lastUpdate.then(() => store(change))
      lastUpdate = turn.catch(() => {})
      return turn
    },
    watch(handler) {
      look()
      let seen = version
      let watched = tail.path
      let stopWatching = watchJournal()
      function watchJournal(): () => void {
        return watchFile(dirname(watched), basename(watched), lookAgain)
      }
      function lookAgain(): void {
        look()
        if (tail.path !== watched) {
          stopWatching()
          watched = tail.path
          stopWatching = watchJournal()
        }
        if (version === seen) return
        seen = version
        handler()
      }
      const stopSnapshot = snapshot.watch(lookAgain)
      return () => {
        stopSnapshot()
        stopWatching()
      }
    },
  }
}

interface Line {
  readonly n: number
  readonly by?: unknown
  readonly end: boolean
  readonly change: unknown
}

/** Undefined for one that was torn. */
function readLine(text: string): Line | undefined {
  try {
    const raw: unknown = JSON.parse(text)
    if (typeof raw !== 'object' || raw === null || !('n' in raw) || !Number.isSafeInteger(raw.n)) return undefined
    const { n, by, end, change } = raw as { n: number; by?: unknown; end?: unknown; change?: unknown }
    return { n, by, end: end === true, change }
  } catch {
    return undefined
  }
}

// What a journal asks of the disk, so that a test can let each step of it fail, or be the last.

/** The file that was read, and how far. */
interface Place {
  readonly inode: number
  /** Where its whole lines end. */
  readonly end: number
  readonly size: number
}

/** Everything throws the system's errors. */
export interface JournalDisk {
  look(path: string): Pick<Place, 'inode' | 'size'> | undefined
  /** From there to the end. */
  read(path: string, from: number): Buffer
  /** Makes an empty file, durably. */
  create(path: string): void
  /**
   * Adds to the file, durably: nothing where there is another or none.
   * @param isWhole what others wrote before must be on the disk too
   * @returns `alone`: the bytes begin at `place.size`, and nothing follows them; otherwise all that follows `place.end` by now
   */
  append(path: string, bytes: Buffer, place: Place, isWhole: boolean): Promise<'alone' | 'elsewhere' | Buffer>
  /** The names in a directory. */
  list(directory: string): readonly string[]
  remove(path: string): Promise<void>
}

/** Not every system has them; without them the checks after opening remain. */
const { O_NONBLOCK = 0, O_NOFOLLOW = 0, O_DSYNC = 0, O_RDWR, O_APPEND, O_CREAT, O_EXCL } = constants
const ADDING = O_RDWR | O_APPEND | O_NONBLOCK | O_NOFOLLOW | O_DSYNC

const writeTo = promisify(write)
const syncData = promisify(fdatasync)

const systemDisk: JournalDisk = {
  look(path) {
    const found = statSync(path, { throwIfNoEntry: false })
    return found === undefined ? undefined : { inode: found.ino, size: found.size }
  },
  read(path, from) {
    const fd = openForReading(path)
    try {
      refuseUnsafe(path, fstatSync(fd, { bigint: true }), 'others may not write to it')
      return readFrom(fd, from)
    } finally {
      closeSync(fd)
    }
  },
  create(path) {
    const fd = openSync(path, ADDING | O_CREAT | O_EXCL, 0o600)
    try {
      // The mode given to open() went through the umask.
      fchmodSync(fd, 0o600)
    } finally {
      closeSync(fd)
    }
    // The snapshot that names it may be elsewhere, by a link: its directory is synced as the snapshot is written, this one here.
    syncDirectory(dirname(path))
  },
  async append(path, bytes, { inode, end, size }, isWhole) {
    const fd = openForAdding(path, inode)
    if (fd === undefined) return 'elsewhere'
    try {
      for (let done = 0; done < bytes.length; ) {
        done += (await writeTo(fd, bytes, done, bytes.length - done, null)).bytesWritten
      }
      const isAlone = fstatSync(fd).size === size + bytes.length
      if (isWhole || !isAlone || !HAS_SYNCED_WRITES) await syncData(fd)
      const added = isAlone ? 'alone' : readFrom(fd, end)
      keepOpen(path, { fd, inode })
      return added
    } catch (error) {
      closeSync(fd)
      throw error
    }
  },
  list: (directory) => readdirSync(directory),
  remove: (path) => {
    letGo(path)
    return rm(path, { force: true })
  },
}

/** As `atomic-write.ts` does it, at once: it is asked for between two steps of a write. */
function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return
  const fd = openSync(join(directory, '.'), 'r')
  try {
    fsyncSync(fd)
  } catch (error) {
    const code = systemCode(error)
    if (code !== 'EINVAL' && code !== 'ENOTSUP') throw error
  } finally {
    closeSync(fd)
  }
}

// A file that is added to again and again stays open for a moment after each time: only its name is looked at.

const KEPT_OPEN_MS = 2_000

interface KeptOpen {
  readonly fd: number
  readonly inode: number
}

const keptOpen = new Map<string, KeptOpen & { readonly ends: NodeJS.Timeout }>()

/** The caller closes it, or hands it to `keepOpen`. @returns undefined where there is another file or none */
function openForAdding(path: string, inode: number): number | undefined {
  const kept = takeKept(path)
  if (kept?.inode === inode && statSync(path, { throwIfNoEntry: false })?.ino === inode) return kept.fd
  if (kept !== undefined) closeSync(kept.fd)
  const fd = openIfThere(path)
  if (fd === undefined || fstatSync(fd).ino === inode) return fd
  closeSync(fd)
  return undefined
}

function keepOpen(path: string, file: KeptOpen): void {
  const other = takeKept(path)
  if (other !== undefined) closeSync(other.fd)
  keptOpen.set(path, { ...file, ends: setTimeout(() => letGo(path), KEPT_OPEN_MS).unref() })
}

function letGo(path: string): void {
  const kept = takeKept(path)
  if (kept !== undefined) closeSync(kept.fd)
}

function takeKept(path: string): KeptOpen | undefined {
  const kept = keptOpen.get(path)
  clearTimeout(kept?.ends)
  keptOpen.delete(path)
  return kept
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(withinDirectory(path), ADDING)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function readFrom(fd: number, from: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, fstatSync(fd).size - from))
  return bytes.subarray(0, bytes.length === 0 ? 0 : readSync(fd, bytes, 0, bytes.length, from))
}
