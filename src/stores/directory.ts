// Where hookline keeps its files, closed to other users (behaviour 21).
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, type Stats, statSync } from 'node:fs'
import { open, rm, statfs } from 'node:fs/promises'
import { homedir, userInfo } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { defined } from '../base/defined.ts'
import { isOurs } from './private-file.ts'
import { StoreError, systemCode, systemReason } from './store-error.ts'

/** Absolute. `HOOKLINE_CONFIG_DIR`, else `~/.hookline`. @throws {StoreError} `store-write-failed`: there is no home directory */
export function configDirectory(env: NodeJS.ProcessEnv): string {
  const chosen = env.HOOKLINE_CONFIG_DIR
  return chosen === undefined || chosen === '' ? join(homeDirectory(), '.hookline') : resolve(chosen)
}

/** An empty or relative HOME would put state into whichever folder hookline is started in; then the system's list of users counts. */
function homeDirectory(): string {
  for (const find of [homedir, () => userInfo().homedir]) {
    try {
      const home = find()
      if (isAbsolute(home)) return home
    } catch {
      // No user of that number: a container may run under any.
    }
  }
  throw refusal('this user has no home directory, and HOME is not set')
}

/**
 * Makes the directory with mode 0700 whatever the umask is, and sets one that exists to 0700. It may be a link. A directory that
 * many share (`/tmp`), or that belongs to another user, is refused and left as it is, also for root: its owner could put files there.
 * @throws {StoreError} `store-write-failed`
 */
export function prepareDirectory(path: string): void {
  let found: Stats
  try {
    makeWithParents(path)
    found = statSync(path)
    if ((found.mode & 0o1000) !== 0) throw refusal(`${path} is shared with other users`)
    if (!isOurs(found)) throw refusal(`${path} belongs to another user (uid ${found.uid})`)
    if ((found.mode & 0o777) !== 0o700) chmodSync(path, 0o700)
  } catch (cause) {
    if (cause instanceof StoreError) throw cause
    throw refusal(`cannot use the directory ${path}: ${systemReason(cause)}`, cause)
  }
}

/** Not `recursive`: where nothing can be made (`/proc`) Node tries for ever, because the system says ENOENT there. */
function makeWithParents(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  const parent = dirname(path)
  if (parent !== path) makeWithParents(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (cause) {
    if (systemCode(cause) === 'EEXIST' && statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
    if (systemCode(cause) !== 'ENOENT') throw cause
    throw refusal(`cannot use the directory ${path}: nothing can be made in ${parent}`, cause)
  }
}

/** @returns the names there that fit; none where the directory is absent or cannot be read */
export function namesIn(directory: string, pattern: RegExp): readonly string[] {
  try {
    return readdirSync(directory).filter((name) => pattern.test(name))
  } catch {
    // `probeDirectory` finds the reason.
    return []
  }
}

function refusal(message: string, cause?: unknown): StoreError {
  return new StoreError('store-write-failed', message, {
    hint: 'set HOOKLINE_CONFIG_DIR to a directory of your own',
    ...defined({ cause }),
  })
}

// Whether the config directory could be written to now, found out by writing to it. Nothing of it stays.

export type DirectoryHealth =
  | { readonly is: 'usable'; readonly isPrivate: boolean; readonly freeBytes?: number }
  /** The first start makes it. */
  | { readonly is: 'missing' }
  | { readonly is: 'unusable'; readonly reason: string }

/** As much as a busy minute of a journal. */
const PROBE = Buffer.alloc(64 * 1_024)

export async function probeDirectory(path: string): Promise<DirectoryHealth> {
  let found: Stats | undefined
  try {
    found = statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    return { is: 'unusable', reason: systemReason(error) }
  }
  if (found === undefined) return { is: 'missing' }
  if (!found.isDirectory()) return { is: 'unusable', reason: 'it is not a directory' }
  if (!isOurs(found)) return { is: 'unusable', reason: `it belongs to another user (uid ${found.uid})` }
  if ((found.mode & 0o1000) !== 0) return { is: 'unusable', reason: 'it is shared with other users' }
  const reason = await whyNotWritable(path)
  if (reason !== undefined) return { is: 'unusable', reason }
  const isPrivate = process.platform === 'win32' || (found.mode & 0o077) === 0
  return { is: 'usable', isPrivate, ...(await freeSpace(path)) }
}

async function whyNotWritable(directory: string): Promise<string | undefined> {
  const path = join(directory, `.doctor.${randomBytes(8).toString('hex')}.tmp`)
  try {
    const handle = await open(path, 'wx', 0o600)
    try {
      await handle.writeFile(PROBE)
      await handle.sync()
    } finally {
      await handle.close()
    }
    return undefined
  } catch (error) {
    return systemReason(error)
  } finally {
    await rm(path, { force: true }).catch(() => {})
  }
}

async function freeSpace(path: string): Promise<{ readonly freeBytes?: number }> {
  try {
    const { bavail, bsize } = await statfs(path)
    return { freeBytes: bavail * bsize }
  } catch {
    // Not every file system says.
    return {}
  }
}
