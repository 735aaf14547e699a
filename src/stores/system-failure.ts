// Puts the system's errors on files into words for people: why, and what to do next.
import { basename, dirname } from 'node:path'
import { StoreError } from './store-error.ts'
import { UnsafeFileError } from './unsafe-file-error.ts'

interface Wording {
  readonly reason: string
  readonly hint: (path: string) => string
}

const permissions = (path: string): string => `check who owns ${dirname(path)} and its permissions`

const WORDING: Readonly<Record<string, Wording>> = {
  ENOSPC: { reason: 'the disk is full', hint: () => 'free some space and try again' },
  EDQUOT: { reason: 'the disk quota is used up', hint: () => 'free some space and try again' },
  EACCES: { reason: 'permission denied', hint: permissions },
  EPERM: { reason: 'not permitted', hint: permissions },
  EROFS: { reason: 'the file system is read-only', hint: (path) => `make ${dirname(path)} writable and try again` },
  ENOENT: { reason: 'its directory is gone', hint: () => 'start hookline again: it makes the directory' },
  EEXIST: { reason: 'something else has that name', hint: (path) => `move ${path} away` },
  ENOTDIR: { reason: 'its parent is not a directory', hint: (path) => `move ${dirname(path)} away` },
  EISDIR: { reason: 'it is a directory', hint: (path) => `move ${path} away` },
  ELOOP: { reason: 'its symbolic links form a loop', hint: (path) => `fix the link ${path}` },
  EIO: { reason: 'the disk reports an error', hint: () => 'check the disk' },
}

/** The system's code of an error (`ENOENT`), where it has one. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** `the disk is full (ENOSPC)`; the system's own words for codes we have none for. */
export function systemReason(error: unknown): string {
  if (error instanceof UnsafeFileError) return `it ${error.message}`
  const code = systemCode(error)
  const wording = code === undefined ? undefined : WORDING[code]
  if (wording !== undefined) return `${wording.reason} (${code})`
  return error instanceof Error ? error.message : String(error)
}

/** A `store-write-failed` for `path`, with the system's error as its cause. */
export function writeFailure(path: string, cause: unknown): StoreError {
  const known = cause instanceof UnsafeFileError ? cause.hint : WORDING[systemCode(cause) ?? '']?.hint(path)
  const hint = known ?? permissions(path)
  return new StoreError('store-write-failed', `cannot write ${basename(path)}: ${systemReason(cause)}`, { hint, cause })
}
