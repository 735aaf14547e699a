// Finds the one row meant by a whole id, by its beginning (behaviour 127) or by its name.
import { StoreError } from './store-error.ts'

/** Behaviour 127. */
export const MIN_PREFIX_LENGTH = 8

export interface IdPrefixQuery<Row> {
  /** A whole id of any length, at least 8 characters of its beginning, or a whole name in any case. */
  readonly prefix: string
  readonly idOf: (row: Row) => string
  /** Absent for rows that are not found by name. */
  readonly nameOf?: (row: Row) => string
  /** What a row is called in errors: `hook`. */
  readonly noun: string
}

/**
 * A whole id always finds its own row, so that no name can keep an id from working. A name that is also the beginning of another row's
 * id finds neither.
 * @throws {StoreError} `prefix-too-short`, `ambiguous`, `not-found`
 */
export function findByIdPrefix<Row>(rows: readonly Row[], { prefix, idOf, nameOf, noun }: IdPrefixQuery<Row>): Row {
  const whole = rows.find((row) => idOf(row) === prefix)
  if (whole !== undefined) return whole
  const isLong = prefix.length >= MIN_PREFIX_LENGTH
  const name = nameKey(prefix)
  const isNamed = (row: Row) => nameOf !== undefined && nameKey(nameOf(row)) === name
  const [first, ...others] = rows.filter((row) => isNamed(row) || (isLong && idOf(row).startsWith(prefix)))
  if (first !== undefined && others.length === 0) return first
  if (first !== undefined) {
    const what = nameOf === undefined ? 'ids that begin with' : 'an id that begins with, or the name,'
    throw new StoreError('ambiguous', `${others.length + 1} ${noun}s have ${what} "${prefix}"`, {
      hint: nameOf === undefined ? 'give more characters' : 'give more characters of the id',
    })
  }
  const named = nameOf === undefined ? '' : ', and none has that name'
  if (isLong) throw new StoreError('not-found', `no ${noun} has an id that begins with "${prefix}"${named}`)
  if (nameOf === undefined) {
    throw new StoreError('prefix-too-short', `"${prefix}" is too short for a ${noun} id`, {
      hint: `give at least ${MIN_PREFIX_LENGTH} characters`,
    })
  }
  throw new StoreError('prefix-too-short', `no ${noun} is named "${prefix}", and it is too short for an id`, {
    hint: `give the name, or at least ${MIN_PREFIX_LENGTH} characters of the id`,
  })
}

/** Names that read alike are one: case and how accents are composed do not count. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase()
}
