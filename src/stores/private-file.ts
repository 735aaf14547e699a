// Opens files of the config directory, and nothing else that may have taken their name (behaviour 21): no FIFO that would never
// answer, no device, no link to a place that others may write to, no file of another user.
import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { type FileHandle, open, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { systemCode, systemReason, UnsafeFileError } from './store-error.ts'

const { R_OK, W_OK } = constants
/** Not every system has them; without them the checks after opening remain. */
const { O_NONBLOCK = 0, O_NOFOLLOW = 0, O_DSYNC = 0, O_RDONLY, O_WRONLY, O_APPEND, O_CREAT } = constants
const READING = O_RDONLY | O_NONBLOCK | O_NOFOLLOW
const APPENDING = O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOFOLLOW

type Stats = Pick<BigIntStats, 'isFile' | 'uid' | 'mode'>

/**
 * Reads a file that decides something: it must be a regular file, of this user or root, which no one else may write to, and in
 * its directory, if only by a link.
 * @throws {UnsafeFileError} or the system's error
 */
export function readPrivateFile(path: string): Buffer {
  const fd = openSync(withinDirectory(path), READING)
  try {
    refuseUnsafe(path, fstatSync(fd, { bigint: true }), 'others may not write to it')
    return readFileSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** As `readPrivateFile`, for files that record and decide nothing: only where they are, and what. Empty where there is none. */
export function readRecord(path: string): string {
  let fd: number
  try {
    fd = openForReading(path)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return ''
    throw error
  }
  try {
    return readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}

/** As `readRecord`, without holding up the process. Throws the system's error where there is no file. */
export async function readLongRecord(path: string): Promise<string> {
  const handle = await openHandleForReading(path)
  try {
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

/** A file that is added to, as a look at its name finds it. */
export interface RecordLook {
  /** Another one: it is another file, or there is none (the empty text). */
  readonly identity: string
  /** Why it can be neither read nor written, one line; absent: as far as a look tells, it can. */
  readonly fault?: string
}

/** Opens nothing. */
export function lookAtRecord(path: string): RecordLook {
  try {
    const real = withinDirectory(path)
    const stats = statSync(real, { bigint: true, throwIfNoEntry: false })
    if (stats === undefined) return { identity: '' }
    refuseUnsafe(path, stats)
    accessSync(real, R_OK | W_OK)
    return { identity: `${stats.dev}:${stats.ino}` }
  } catch (error) {
    return { identity: '', fault: `${basename(path)} cannot be read: ${systemReason(error)}` }
  }
}

/** As `openForReading`, as a handle. */
export async function openHandleForReading(path: string): Promise<FileHandle> {
  return checkedHandle(path, await open(withinDirectory(path), READING))
}

/** @throws {UnsafeFileError} or the system's error */
export function openForReading(path: string): number {
  return checked(path, openSync(withinDirectory(path), READING))
}

// Files of lines have versions too (behaviour 22): one of a later version begins with `{"version":2}`, one of the first has no such line.

/** Of the files of lines that this hookline writes. */
const LINES_VERSION = 1
const VERSION_LINE = /^\{"version":(\d{1,6})[,}]/

/** @returns why nothing is written to a file of lines; undefined: it is of our version, absent, or its opening will report why it cannot be read */
export function newerLines(path: string): string | undefined {
  let fd: number
  try {
    fd = openForReading(path)
  } catch {
    return undefined
  }
  try {
    const head = Buffer.alloc(32)
    const [, version] = VERSION_LINE.exec(head.toString('latin1', 0, readSync(fd, head, 0, head.length, 0))) ?? []
    if (version === undefined || Number(version) <= LINES_VERSION) return undefined
    return `is of version ${version}, written by a newer hookline; this one writes version ${LINES_VERSION}`
  } finally {
    closeSync(fd)
  }
}

/** @throws {UnsafeFileError} */
function refuseNewer(path: string): void {
  const newer = newerLines(path)
  if (newer !== undefined) throw new UnsafeFileError(newer, `update hookline; until then it does not write to ${path}`)
}

/** Opens a file to add to it, made with mode 0600 where there is none. @throws {UnsafeFileError} or the system's error */
export function openForAppending(path: string): number {
  refuseNewer(path)
  const fd = checked(
    path,
    openAnyway(path, () => openSync(withinDirectory(path), APPENDING, 0o600)),
  )
  if (isClosedToUs(fstatSync(fd))) fchmodSync(fd, 0o600)
  return fd
}

/** The umask took from a new file what its owner needs to open it again. */
function isClosedToUs({ mode, uid }: { readonly mode: number; readonly uid: number }): boolean {
  return process.platform !== 'win32' && (mode & 0o600) !== 0o600 && uid === process.geteuid?.()
}

/** Whether the system has writes that return when they are on the disk. */
export const HAS_SYNCED_WRITES = O_DSYNC !== 0

/** As `openForAppending`, as a handle. @param isSynced what is written is on the disk when the write has resolved */
export async function openHandleForAppending(path: string, isSynced = false): Promise<FileHandle> {
  refuseNewer(path)
  const flags = isSynced ? APPENDING | O_DSYNC : APPENDING
  const handle = await open(withinDirectory(path), flags, 0o600).catch((error: unknown) => {
    throw inWords(path, error)
  })
  await checkedHandle(path, handle)
  if (isClosedToUs(await handle.stat())) await handle.chmod(0o600)
  return handle
}

/** @throws {UnsafeFileError} what was found by `stat` cannot be used */
export function refuseUnsafe(path: string, stats: Stats, writers?: 'others may not write to it'): void {
  if (!stats.isFile()) throw new UnsafeFileError('is not a regular file', `move ${path} away`)
  if (!isOurs(stats)) {
    throw new UnsafeFileError('belongs to another user', `make it yours, or move ${path} away`)
  }
  if (writers !== undefined && process.platform !== 'win32' && (Number(stats.mode) & 0o022) !== 0) {
    throw new UnsafeFileError('may be written by other users', `look what is in it, then: chmod 600 ${path}`)
  }
}

/** Of this user or root, who may do everything anyway. True where the system has no users of this kind. */
export function isOurs({ uid }: { readonly uid: bigint | number }): boolean {
  const own = process.geteuid?.()
  return own === undefined || Number(uid) === own || Number(uid) === 0
}

/** Where `path` leads, links resolved. @throws {UnsafeFileError} out of its directory; the system's error */
export function withinDirectory(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined || !stats.isSymbolicLink()) return path
  const directory = realpathSync(dirname(path))
  const target = targetOf(path)
  if (target.startsWith(directory + sep)) return target
  throw new UnsafeFileError(
    'links out of its directory',
    `put the file itself there: ${join(directory, basename(path))}`,
  )
}

function targetOf(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
    throw new UnsafeFileError('is a link to a file that does not exist', `remove the link: ${path}`)
  }
}

function checked(path: string, fd: number): number {
  try {
    refuseUnsafe(path, fstatSync(fd, { bigint: true }))
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

async function checkedHandle(path: string, handle: FileHandle): Promise<FileHandle> {
  try {
    refuseUnsafe(path, await handle.stat({ bigint: true }))
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

function openAnyway(path: string, openIt: () => number): number {
  try {
    return openIt()
  } catch (error) {
    throw inWords(path, error)
  }
}

/** A FIFO that no one reads says ENXIO, a device that is not there too. */
function inWords(path: string, error: unknown): unknown {
  const code = systemCode(error)
  if (code !== 'ENXIO' && code !== 'ENODEV') return error
  return new UnsafeFileError('is not a regular file', `move ${path} away`)
}

// Overwrites what a file held before it was replaced, so that keys that were moved elsewhere do not stay readable in it. What no program can
// promise: copies of earlier versions, snapshots, backups, journals of the file system and the spare blocks of an SSD stay as they are.

/** What hookline and editors call a copy. */
const COPY = /\.(v\d+|bak|old|orig)$|~$|\.bak[.\d-]*$/
const BLOCK = Buffer.alloc(64 * 1_024)

/**
 * Gives the file a second name, before it is replaced: a crash after the replacement leaves a name by which the next start finds what is
 * still to be overwritten. Call with the file's lock held. Some file systems have no second names; then there is nothing to find.
 */
export function keepForErasing(path: string): void {
  const target = realpathSync(path)
  eraseKept(target)
  try {
    linkSync(target, nameOf(target))
  } catch (error) {
    const code = systemCode(error)
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP') throw error
  }
}

/**
 * Overwrites and removes what `keepForErasing` named, now or before a crash. Call with the file's lock held.
 * @returns `kept-elsewhere`: another name leads to it, so that it was left as it is
 */
export function eraseKept(path: string): 'nothing' | 'erased' | 'kept-elsewhere' {
  const target = existing(path) ?? path
  const kept = nameOf(target)
  const found = lstatSync(kept, { throwIfNoEntry: false })
  if (found === undefined) return 'nothing'
  const live = lstatSync(target, { throwIfNoEntry: false })
  const isLive = live !== undefined && live.ino === found.ino && live.dev === found.dev
  const outcome = isLive ? 'nothing' : overwrite(kept)
  rmSync(kept, { force: true })
  return outcome
}

/** Whether there is something to overwrite. */
export function hasKept(path: string): boolean {
  return lstatSync(nameOf(existing(path) ?? path), { throwIfNoEntry: false }) !== undefined
}

/** Overwrites and removes copies beside a file that hold one of `secrets`: `accounts.json.v1`, `accounts.json.bak`. @returns their names */
export async function eraseCopies(path: string, secrets: readonly string[]): Promise<readonly string[]> {
  const target = existing(path) ?? path
  const isCopy = (name: string) => name.startsWith(basename(target)) && COPY.test(name)
  const names = (await readdir(dirname(target))).filter(isCopy)
  const erased: string[] = []
  for (const name of names) {
    const copy = join(dirname(target), name)
    const text = textOf(copy)
    if (!secrets.some((secret) => text.includes(secret)) || overwrite(copy) !== 'erased') continue
    await rm(copy, { force: true })
    erased.push(name)
  }
  return erased
}

/** Empty where it cannot be read. */
function textOf(path: string): string {
  try {
    return readPrivateFile(path).toString('utf8')
  } catch {
    // Not a file of ours: not ours to remove.
    return ''
  }
}

/** Overwrites a file and removes it. One that is not a regular file of ours, or has another name, is only removed. */
export async function eraseFile(path: string): Promise<void> {
  overwrite(path)
  await rm(path, { force: true })
}

function nameOf(target: string): string {
  return join(dirname(target), `.${basename(target)}.erase`)
}

function existing(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function overwrite(path: string): 'nothing' | 'erased' | 'kept-elsewhere' {
  let fd: number
  try {
    fd = openSync(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW)
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT' || code === 'ELOOP' || code === 'ENXIO' || code === 'EISDIR') return 'nothing'
    throw error
  }
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile() || !isOurs(stats)) return 'nothing'
    if (stats.nlink > 1) return 'kept-elsewhere'
    for (let at = 0; at < stats.size; at += BLOCK.length) {
      writeSync(fd, BLOCK, 0, Math.min(BLOCK.length, stats.size - at), at)
    }
    fsyncSync(fd)
    return 'erased'
  } finally {
    closeSync(fd)
  }
}
