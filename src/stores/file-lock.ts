// One writer at a time per file, across processes (behaviour 22): a directory `<file>.lock` whose age tells
// whether its holder still lives.
import { mkdir, readdir, rmdir, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreError, systemCode, writeFailure } from './store-error.ts'

/** A lock whose holder has not touched it for so long, in ms, belongs to a process that was killed. */
const STALE_MS = 5_000
/** Longer than STALE_MS, so that a killed holder never costs an update. */
const PATIENCE_MS = 10_000
const LONGEST_PAUSE_MS = 50
const NEVER_MS = 2 ** 40

export interface HeldLock {
  /** @throws {StoreError} `store-locked` when another process took the lock over, because this one was asleep */
  assertHeld(): void
}

/**
 * Runs `work` while holding the lock of the file at `path`, which need not exist.
 * @throws {StoreError} `store-locked` after 10 s of waiting; `store-write-failed` when no lock can be made
 */
export async function withFileLock<R>(path: string, work: (lock: HeldLock) => Promise<R>): Promise<R> {
  // Loaded on the first write: most starts write nothing.
  const { lock } = await import('proper-lockfile')
  let compromised: Error | undefined
  const onCompromised = (error: Error): void => {
    compromised = error
  }
  // We decide what is stale: of several processes that find the same dead lock, it lets each remove the next one's.
  const options = { realpath: false, stale: NEVER_MS, update: STALE_MS / 2, onCompromised }
  const release = await acquire(path, () => lock(path, options))
  try {
    return await work({
      assertHeld() {
        if (compromised !== undefined) throw lostLock(path, compromised)
      },
    })
  } finally {
    // A lock that cannot be removed goes stale by itself, and the work's own result matters more.
    await release().catch(() => {})
  }
}

async function acquire<R>(path: string, tryLock: () => Promise<R>): Promise<R> {
  const giveUpAt = performance.now() + PATIENCE_MS
  for (let pauseMs = 2; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await tryLock()
    } catch (error) {
      if (systemCode(error) !== 'ELOCKED') throw writeFailure(path, error)
      if (performance.now() >= giveUpAt) throw heldTooLong(path, error)
    }
    if (!(await removeStale(`${path}.lock`))) await sleep(pauseMs * (0.5 + Math.random()))
  }
}

/** Removes the lock of a process that was killed, one process at a time. @returns whether it did */
async function removeStale(lockPath: string): Promise<boolean> {
  if (!(await isStale(lockPath))) return false
  const guard = `${lockPath}.removing`
  try {
    await mkdir(guard)
  } catch {
    // Another process is removing it, or was killed while it did.
    if (await isStale(guard)) await rmdir(guard).catch(() => {})
    return false
  }
  try {
    // Looked at again: another one may have removed it, and hold its own by now.
    if (!(await isStale(lockPath))) return false
    await rmdir(lockPath)
    return true
  } catch (error) {
    if (systemCode(error) === 'ENOTEMPTY') throw await foreignFile(lockPath, error)
    return false
  } finally {
    await rmdir(guard).catch(() => {})
  }
}

async function isStale(path: string): Promise<boolean> {
  try {
    // One from the future was made before the clock was set back. A holder that lives touches its lock again within half of this.
    return Math.abs(Date.now() - (await stat(path)).mtimeMs) > STALE_MS
  } catch {
    return false
  }
}

/** Programs that synchronise directories put files of theirs into every one: no lock of ours can be removed with one in it. */
async function foreignFile(lockPath: string, cause: unknown): Promise<StoreError> {
  const [name = 'a file'] = await readdir(lockPath).catch(() => [])
  return new StoreError(
    'store-locked',
    `${basename(lockPath)} of a process that ended holds a file that is not hookline's: ${name}`,
    {
      hint: `remove the directory ${lockPath}`,
      cause,
    },
  )
}

function heldTooLong(path: string, cause: unknown): StoreError {
  return new StoreError('store-locked', `${basename(path)} is being written by another process`, {
    hint: `try again; if no other hookline runs, remove ${path}.lock`,
    cause,
  })
}

export function lostLock(path: string, cause: unknown): StoreError {
  return new StoreError('store-locked', `another process took over ${basename(path)} during the write`, {
    hint: 'try again: nothing was changed (a computer that sleeps during a write causes this)',
    cause,
  })
}
