// Replaces a file so that a crash at any moment leaves the old content or the new, and at most one temporary file.
// The temporary file is also a fence: each writer begins by removing those of all others, so that a writer that
// lost its lock (a suspended process) fails at its rename instead of undoing what was written meanwhile.
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
} from 'node:fs'
import { type FileHandle, open, readdir, readlink, realpath, rename, rm, unlink } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { refuseUnsafe, withinDirectory } from './private-file.ts'
import { StoreError, systemCode, UnsafeFileError, writeFailure } from './store-error.ts'

interface Replacement {
  /** Makes `bytes` the content, durably. Throws the system's error; the old content then remains. */
  commit(bytes: Uint8Array): Promise<void>
  /** Removes what is left of it; after a commit there is nothing left. */
  end(): Promise<void>
}

/** Replaces the file at `path` with this text in one step. @throws {StoreError} `store-write-failed`, and what else `writeFailure` makes of it */
export async function replaceWhole(path: string, text: string): Promise<void> {
  try {
    const replacement = await beginReplacement(path)
    try {
      await replacement.commit(Buffer.from(text))
    } finally {
      await replacement.end()
    }
  } catch (error) {
    throw writeFailure(path, error)
  }
}

/**
 * Begins to replace the file at `path`, or the file that it links to. Call with the file's lock held, and read the
 * content to be changed only afterwards: that order is what makes the fence hold. Throws the system's error.
 */
export async function beginReplacement(path: string): Promise<Replacement> {
  const target = await linkTarget(path)
  const directory = dirname(target)
  const temporary = join(directory, `.${basename(target)}.${randomBytes(8).toString('hex')}.tmp`)
  // Before there is one more: processes that die here one after another would pile theirs up.
  await removeOthers(target, temporary)
  let handle: FileHandle | undefined = await open(temporary, 'wx', 0o600)
  let committed = false
  const close = async (): Promise<void> => {
    const opened = handle
    handle = undefined
    await opened?.close()
  }
  const end = async (): Promise<void> => {
    await close()
    if (!committed) await rm(temporary, { force: true })
  }
  try {
    // Again, now that ours is there: this is the fence.
    await removeOthers(target, temporary)
  } catch (error) {
    await end()
    throw error
  }
  return {
    end,
    async commit(bytes) {
      if (handle === undefined) throw new Error('a replacement is committed once')
      await fill(handle, bytes)
      await close()
      await rename(temporary, target)
      committed = true
      await syncDirectory(directory)
    },
  }
}

async function fill(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  // The mode given to open() went through the umask.
  await handle.chmod(0o600)
  await handle.writeFile(bytes)
  await handle.sync()
}

/** Where a write to `path` must go: configuration files are often links into a repository. The target need not exist. */
async function linkTarget(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
  }
  try {
    return resolve(dirname(path), await readlink(path))
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT' || code === 'EINVAL') return path
    throw error
  }
}

/** Removes the temporary files of writers that crashed or lost their lock. */
async function removeOthers(target: string, own: string): Promise<void> {
  const directory = dirname(target)
  const prefix = `.${basename(target)}.`
  for (const name of await readdir(directory)) {
    if (!name.startsWith(prefix) || !/^[0-9a-f]{16}\.tmp$/.test(name.slice(prefix.length))) continue
    const other = join(directory, name)
    if (other !== own) await rm(other, { force: true })
  }
}

/** Without it a power cut may undo the rename. Windows, and some network file systems, have no such thing. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } catch (error) {
    const code = systemCode(error)
    if (code !== 'EINVAL' && code !== 'ENOTSUP') throw error
  } finally {
    await handle.close()
  }
}

// Files that hold nothing but a secret: keys, a passphrase. Stricter than the other private files: others may not read them either.

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
    // Half a secret helps no one, and would be in the way of the next try.
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

  /** Replaces it in one step, for no one else to read. Call `read` first. @throws {StoreError} */
  async write(path: string, text: string): Promise<void> {
    await replaceWhole(path, text)
  },
}

// The file that describes hookline to the service manager. It is not state, and lies where the manager looks for it.

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
