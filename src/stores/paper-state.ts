// `paper-<account>.json` and `paper-<account>.history.jsonl`: what the paper exchange keeps of one account. Their shapes belong to the
// exchange.
import { join } from 'node:path'
import { requireAccountName } from './account-name.ts'
import { createJsonFile, type JsonFile, type JsonFileOptions } from './json-file.ts'
import { type LineArchive, openLineArchive } from './line-archive.ts'

/** Some three thousand orders and their trades, twice. */
const MAX_HISTORY_BYTES = 2_000_000

/** As in `JsonFileOptions`. @throws {StoreError} `invalid-value` for a name that cannot be an account's */
export function openPaperState<T>(
  directory: string,
  accountName: string,
  options: Omit<JsonFileOptions<T>, 'path'>,
): JsonFile<T> {
  requireAccountName(accountName)
  return createJsonFile({ path: join(directory, `paper-${accountName}.json`), ...options })
}

/** Nothing is touched before something is added. @throws {StoreError} `invalid-value` for a name that cannot be an account's */
export function openPaperHistory(directory: string, accountName: string): LineArchive {
  requireAccountName(accountName)
  return openLineArchive({ path: join(directory, `paper-${accountName}.history.jsonl`), maxBytes: MAX_HISTORY_BYTES })
}
