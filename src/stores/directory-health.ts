// Whether the config directory could be written to now, found out by writing to it. Nothing of it stays.
import { randomBytes } from 'node:crypto'
import { type Stats, statSync } from 'node:fs'
import { open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { isOurs } from './private-file.ts'
import { systemReason } from './store-error.ts'

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
