// Overwrites what a file held before it was replaced, so that keys that were moved elsewhere do not stay readable in it. What no program can
// promise: copies of earlier versions, snapshots, backups, journals of the file system and the spare blocks of an SSD stay as they are.
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  realpathSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isOurs, readPrivateFile } from './private-file.ts'
import { systemCode } from './store-error.ts'

const { O_WRONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants
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
