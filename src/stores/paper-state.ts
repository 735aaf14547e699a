// `paper-<account>.json`: what the paper exchange keeps of one account. Its shape belongs to the exchange.
import { join } from 'node:path'
import { requireAccountName } from './account-name.ts'
import { createJsonFile, type JsonFile } from './json-file.ts'

/** `parse` and `encode` as in `JsonFileOptions`. @throws {StoreError} `invalid-value` for a name that cannot be an account's */
export function openPaperState<T>(
  directory: string,
  accountName: string,
  parse: (value: unknown) => T,
  defaults: T,
  encode?: (value: T) => string,
): JsonFile<T> {
  requireAccountName(accountName)
  const path = join(directory, `paper-${accountName}.json`)
  return createJsonFile({ path, parse, defaults, ...(encode === undefined ? {} : { encode }) })
}
