import { CodedError } from '../base/coded-error.ts'

/** Why a store could not do what was asked. */
export type StoreErrorCode =
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
