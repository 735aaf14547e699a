import { basename, dirname } from 'node:path'
import { CodedError } from '../base/coded-error.ts'

/** A name in the config directory leads to something that is not opened (behaviour 21). */
export class UnsafeFileError extends Error {
  override readonly name = 'UnsafeFileError'
  /** What to do next, for people. */
  readonly hint: string
  /** @param message what is wrong, after the file's name: `is not a regular file` */
  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

/** Why a store could not do what was asked. */
type StoreErrorCode =
  /** The file is not valid JSON or not of the store's shape; it was left untouched and writes are refused until it is fixed. */
  | 'store-corrupt'
  /** A newer hookline wrote the file; it was left untouched, and this one does not write to it. */
  | 'store-newer'
  /** Another process held the lock for too long. */
  | 'store-locked'
  /** The disk or the permissions refused the write; the old content remains. `cause` has the system's error. */
  | 'store-write-failed'
  /** The row asked for is not there. */
  | 'not-found'
  /** A prefix fits several rows. */
  | 'ambiguous'
  /** A prefix of fewer than 8 characters (behaviour 127). */
  | 'prefix-too-short'
  /** A row of that name exists. */
  | 'already-exists'
  /** A value that the store does not take. */
  | 'invalid-value'
  /** Only a person may do it, and none has said yes. */
  | 'needs-person'
  | 'more-than-asked'
  /** Pages and hooks may add no more rows (`ROW_LIMITS`). */
  | 'too-many'

export class StoreError extends CodedError<StoreErrorCode> {
  override readonly name = 'StoreError'
}

/** What is wrong with a file, told to the operator. */
export interface StoreProblem {
  /**
   * `file`: nothing of it is used and nothing is written to it. `row`: the row is not used and stays in the file; all else is.
   * `newer`: a newer hookline wrote it; what can be read is used, and nothing is written to it. `setting`: that field is not used; all
   * else is. `switch`: the value of a kill switch cannot be trusted, and the switch counts as off.
   */
  readonly kind: 'file' | 'row' | 'newer' | 'setting' | 'switch'
  readonly path: string
  /** 1-based line of the fault, where it is known. */
  readonly line?: number
  readonly message: string
}

// Puts the system's errors on files into words for people: why, and what to do next.

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

let failedWrites = 0

/** The disk or the permissions have refused a write of this process. */
export function noteWriteFailure(): void {
  failedWrites += 1
}

/** How many writes of this process were refused. */
export function countWriteFailures(): number {
  return failedWrites
}

/** A `store-write-failed` for `path`, with the system's error as its cause. */
export function writeFailure(path: string, cause: unknown): StoreError {
  noteWriteFailure()
  const known = cause instanceof UnsafeFileError ? cause.hint : WORDING[systemCode(cause) ?? '']?.hint(path)
  const hint = known ?? permissions(path)
  return new StoreError('store-write-failed', `cannot write ${basename(path)}: ${systemReason(cause)}`, { hint, cause })
}
