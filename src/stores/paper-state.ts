// `paper-<account>.json`: what the paper exchange keeps of one account. Its shape belongs to the exchange.
import { join } from 'node:path'
import { requireAccountName } from './account-name.ts'
import { createJsonFile, type JsonFile, type JsonFileOptions } from './json-file.ts'

/** As in `JsonFileOptions`. @throws {StoreError} `invalid-value` for a name that cannot be an account's */
export function openPaperState<T>(
  directory: string,
  accountName: string,
  options: Omit<JsonFileOptions<T>, 'path'>,
): JsonFile<T> {
  requireAccountName(accountName)
  return createJsonFile({ path: join(directory, `paper-${accountName}.json`), ...options })
}
