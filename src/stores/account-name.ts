// What an account may be called. Names become file names (`paper-<name>.json`), so nothing but plain characters.
import { StoreError } from './store-error.ts'

/** Letters, digits, `-` and `_`; 1 to 32 of them. */
export const ACCOUNT_NAME = /^[A-Za-z0-9_-]{1,32}$/

/** @throws {StoreError} `invalid-value` */
export function requireAccountName(name: string): void {
  if (ACCOUNT_NAME.test(name)) return
  throw new StoreError('invalid-value', `"${name.slice(0, 40)}" cannot be the name of an account`, {
    hint: 'use 1 to 32 letters, digits, - and _',
  })
}
