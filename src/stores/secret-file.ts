// Files that hold nothing but a secret: keys, a passphrase. Stricter than the other private files: others may not read them either.
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { open, unlink } from 'node:fs/promises'
import { replaceWhole } from './atomic-write.ts'
import { refuseUnsafe, withinDirectory } from './private-file.ts'
import { StoreError, systemCode, UnsafeFileError, writeFailure } from './store-error.ts'

const { O_NONBLOCK = 0, O_NOFOLLOW = 0, O_RDONLY } = constants
const MAX_BYTES = 64 * 1_024

/**
 * The file is a regular one, of this user or root; others may neither write to it nor read it. A group may read it: so systemd hands
 * credentials over.
 * @throws {UnsafeFileError} or the system's error
 */
export function readSecretFile(path: string): string {
  const fd = openSync(withinDirectory(path), O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
  try {
    const stats = fstatSync(fd, { bigint: true })
    refuseUnsafe(path, stats, 'others may not write to it')
    if (process.platform !== 'win32' && (Number(stats.mode) & 0o004) !== 0) {
      throw new UnsafeFileError('may be read by other users', `make its secrets invalid, then: chmod 600 ${path}`)
    }
    if (stats.size > MAX_BYTES) throw new UnsafeFileError('is too large', `put nothing but the secret into ${path}`)
    const buffer = Buffer.alloc(MAX_BYTES)
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, MAX_BYTES, 0))
  } finally {
    closeSync(fd)
  }
}

/** Never over a file that is there. Throws the system's error; then there is no file. */
export async function writeNewSecretFile(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.chmod(0o600)
    await handle.writeFile(text)
    await handle.sync()
  } catch (error) {
    // Half a secret helps nobody, and would be in the way of the next try.
    await unlink(path).catch(() => {})
    throw error
  } finally {
    await handle.close()
  }
}

/** Of the files in a directory; none where it cannot be read. */
export function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    return []
  }
}

// The file of a proxy, which has tokens in it. It is not state: it lies where the person says, and is looked at before it is replaced.

export const proxyFiles = {
  /** @returns undefined where there is none @throws {StoreError} also for one that others may read or write */
  read(path: string): string | undefined {
    try {
      return readSecretFile(path)
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined
      if (!(error instanceof UnsafeFileError)) throw writeFailure(path, error)
      throw new StoreError('store-write-failed', `${path} ${error.message}`, { hint: error.hint, cause: error })
    }
  },

  /** Replaces it in one step, for nobody else to read. Call `read` first. @throws {StoreError} */
  async write(path: string, text: string): Promise<void> {
    await replaceWhole(path, text)
  },
}
