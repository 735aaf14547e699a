// The file that describes hookline to the service manager. It is not state, and lies where the manager looks for it.
import { lstatSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { replaceWhole } from './atomic-write.ts'
import { StoreError, systemCode, writeFailure } from './store-error.ts'

/** Closed to others, as its folder may not be. */
const FOLDER_MODE = 0o700

export const serviceFiles = {
  /** @returns undefined where there is none @throws {StoreError} */
  read(path: string): string | undefined {
    try {
      requireRegular(path)
      return readFileSync(path, 'utf8')
    } catch (error) {
      if (error instanceof StoreError) throw error
      if (systemCode(error) === 'ENOENT') return undefined
      throw writeFailure(path, error)
    }
  },

  /** Replaces it in one step, and makes its folder. Call `read` first: it refuses what must not be replaced. @throws {StoreError} */
  async write(path: string, text: string): Promise<void> {
    try {
      mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE })
    } catch (error) {
      throw writeFailure(path, error)
    }
    await replaceWhole(path, text)
  },

  /** @returns whether there was one @throws {StoreError} */
  async remove(path: string): Promise<boolean> {
    try {
      rmSync(path)
      return true
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return false
      throw writeFailure(path, error)
    }
  },
}

/** A masked unit is a link to `/dev/null`, which must not be replaced; what other links lead to is not ours. */
function requireRegular(path: string): void {
  if (lstatSync(path).isFile()) return
  throw new StoreError('store-write-failed', `${path} is not a regular file`, {
    hint: 'remove it, or unmask the service, and install again',
  })
}
