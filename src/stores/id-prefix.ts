// Finds the one row meant by a whole id or by its beginning (behaviour 127).
import { StoreError } from './store-error.ts'

/** Behaviour 127. */
export const MIN_PREFIX_LENGTH = 8

export interface IdPrefixQuery<Row> {
  /** A whole id of any length, or at least 8 characters of its beginning. */
  readonly prefix: string
  readonly idOf: (row: Row) => string
  /** What a row is called in errors: `hook`. */
  readonly noun: string
}

/** @throws {StoreError} `prefix-too-short`, `ambiguous`, `not-found` */
export function findByIdPrefix<Row>(rows: readonly Row[], { prefix, idOf, noun }: IdPrefixQuery<Row>): Row {
  const whole = rows.find((row) => idOf(row) === prefix)
  if (whole !== undefined) return whole
  if (prefix.length < MIN_PREFIX_LENGTH) {
    throw new StoreError('prefix-too-short', `"${prefix}" is too short for a ${noun} id`, {
      hint: `give at least ${MIN_PREFIX_LENGTH} characters`,
    })
  }
  const [first, ...others] = rows.filter((row) => idOf(row).startsWith(prefix))
  if (first === undefined) throw new StoreError('not-found', `no ${noun} has an id that begins with "${prefix}"`)
  if (others.length > 0) {
    throw new StoreError('ambiguous', `${others.length + 1} ${noun}s have ids that begin with "${prefix}"`, {
      hint: 'give more characters',
    })
  }
  return first
}
