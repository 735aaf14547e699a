// Where hookline keeps its files, closed to other users (behaviour 21).
import { chmodSync, mkdirSync, type Stats, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { defined } from '../base/defined.ts'
import { isOurs } from './private-file.ts'
import { StoreError, systemCode, systemReason } from './store-error.ts'

/** Absolute. `HOOKLINE_CONFIG_DIR`, else `~/.hookline`. */
export function configDirectory(env: NodeJS.ProcessEnv): string {
  const chosen = env.HOOKLINE_CONFIG_DIR
  return chosen === undefined || chosen === '' ? join(homedir(), '.hookline') : resolve(chosen)
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

function refusal(message: string, cause?: unknown): StoreError {
  return new StoreError('store-write-failed', message, {
    hint: 'set HOOKLINE_CONFIG_DIR to a directory of your own',
    ...defined({ cause }),
  })
}
