// How much pages and hooks may keep here (behaviour 141): every edit writes the whole file. Rows that people put into a file are not
// counted against anyone; once there are as many, only people add more.
import { StoreError } from './store-error.ts'

export const ROW_LIMITS = {
  /** Deleted ones too, for the 30 days that they stay. */
  accounts: 500,
  /** Deleted ones too. */
  crossTrade: 500,
  hooks: 1_000,
  variables: 1_000,
  /** Of one account or cross-trade row as JSON, in UTF-16 units. */
  rowLength: 16_384,
} as const

/** @throws {StoreError} `too-many` */
export function requireRoom(count: number, max: number, noun: string): void {
  if (count < max) return
  throw new StoreError(
    'too-many',
    `there are ${count} ${noun} already, and pages and hooks may add none beyond ${max}`,
    {
      hint: 'remove some, or add it in the terminal',
    },
  )
}

/** @throws {StoreError} `invalid-value` */
export function requireShortRow(row: object): void {
  if (JSON.stringify(row).length <= ROW_LIMITS.rowLength) return
  throw new StoreError('invalid-value', `the row is longer than ${ROW_LIMITS.rowLength} characters`, {
    hint: 'leave out what hookline does not need',
  })
}
