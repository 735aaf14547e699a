// Where hookline keeps its files, closed to other users (behaviour 21).
import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { StoreError } from './store-error.ts'
import { systemReason } from './system-failure.ts'

/** Absolute. `HOOKLINE_CONFIG_DIR`, else `~/.hookline`. */
export function configDirectory(env: NodeJS.ProcessEnv): string {
  const chosen = env.HOOKLINE_CONFIG_DIR
  return chosen === undefined || chosen === '' ? join(homedir(), '.hookline') : resolve(chosen)
}

/**
 * Makes the directory with mode 0700 whatever the umask is, and sets one that exists to 0700. A directory that many
 * share (`/tmp`) is refused, not closed.
 * @throws {StoreError} `store-write-failed`
 */
export function prepareDirectory(path: string): void {
  let mode: number
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    mode = statSync(path).mode
    const isShared = (mode & 0o1000) !== 0
    if (!isShared && (mode & 0o777) !== 0o700) chmodSync(path, 0o700)
    if (!isShared) return
  } catch (cause) {
    throw new StoreError('store-write-failed', `cannot use the directory ${path}: ${systemReason(cause)}`, {
      hint: 'set HOOKLINE_CONFIG_DIR to a directory of your own',
      cause,
    })
  }
  throw new StoreError('store-write-failed', `${path} is shared with other users`, {
    hint: 'set HOOKLINE_CONFIG_DIR to a directory of your own',
  })
}
