// Replaces a file so that a crash at any moment leaves the old content or the new, and at most one temporary file.
// The temporary file is also a fence: each writer begins by removing those of all others, so that a writer that
// lost its lock (a suspended process) fails at its rename instead of undoing what was written meanwhile.
import { randomBytes } from 'node:crypto'
import { type FileHandle, open, readdir, readlink, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { systemCode, writeFailure } from './store-error.ts'

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
