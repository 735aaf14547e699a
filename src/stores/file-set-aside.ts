// A file of lines that has grown is set aside under its date and never removed. What must stay findable begins the new file, which also says
// of which one it was taken: a crash in between leaves both to be read.
import { mkdir, readdir, rename, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { readLongRecord } from './private-file.ts'
import { StoreError } from './store-error.ts'
import { systemCode, systemReason } from './system-failure.ts'
import { UnsafeFileError } from './unsafe-file-error.ts'

/** A lock directory of a process that was killed while it set a file aside. */
const STALE_ROTATION_MS = 10_000

/**
 * Renames the file, if it is still the one of this inode. Of several processes only one does.
 * @param begin begins the new file, from what the old one holds by then: until the renaming, other processes may have written to it
 */
export async function setAside(path: string, inode: number, begin: (aside: string) => Promise<void>): Promise<void> {
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
export async function linesWithAside(path: string): Promise<readonly string[]> {
  return linesAfter(path, await asidesOf(path))
}

/** What must stay findable of a file that was just set aside: as `linesWithAside`. @throws {StoreError} */
export async function linesOfAside(path: string, aside: string): Promise<readonly string[]> {
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
export function linesCarried(aside: string, kept: readonly string[]): readonly string[] {
  return [carryingFrom(aside), ...kept, carriedFrom(aside)]
}

/** @throws {StoreError} `store-corrupt` when the file cannot be read; one that is missing has no lines */
export async function linesOf(path: string): Promise<readonly string[]> {
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

export function ignoreMissing(error: unknown): undefined {
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
