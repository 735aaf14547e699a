// `paper-<account>.json`: what the paper exchange keeps of one account. Its shape belongs to the exchange.
import { join } from 'node:path'
import { requireAccountName } from './account-name.ts'
import { createJsonFile, type JsonFile } from './json-file.ts'

/** `parse` as in `JsonFileOptions`. @throws {StoreError} `invalid-value` for a name that cannot be an account's */
export function openPaperState<T>(
  directory: string,
  accountName: string,
  parse: (value: unknown) => T,
  defaults: T,
): JsonFile<T> {
  requireAccountName(accountName)
  return createJsonFile({ path: join(directory, `paper-${accountName}.json`), parse, defaults })
}
