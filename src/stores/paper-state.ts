// `paper-<account>.json` and `paper-<account>.history.jsonl`: what the paper exchange keeps of one account. Their shapes belong to the
// exchange.
import { join } from 'node:path'
import { requireAccountName } from './account-name.ts'
import { createJsonFile, type JsonFile } from './json-file.ts'
import { type LineArchive, openLineArchive } from './line-archive.ts'

/** Some three thousand orders and their trades, twice. */
const MAX_HISTORY_BYTES = 2_000_000

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

/** Nothing is touched before something is added. @throws {StoreError} `invalid-value` for a name that cannot be an account's */
export function openPaperHistory(directory: string, accountName: string): LineArchive {
  requireAccountName(accountName)
  return openLineArchive({ path: join(directory, `paper-${accountName}.history.jsonl`), maxBytes: MAX_HISTORY_BYTES })
}
