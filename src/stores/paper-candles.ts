// `paper-<account>.candles.csv`: the candles that an account replays, as its exchange writes them. A copy: the file that somebody named may change.
import { join } from 'node:path'
import { requireAccountName } from './account-name.ts'
import { replaceWhole } from './atomic-write.ts'
import { withFileLock } from './file-lock.ts'
import { readRecord } from './private-file.ts'

export interface PaperCandles {
  /** Empty where there are none. Throws the system's error. */
  read(): string
  /** @throws {StoreError} `store-write-failed`, `store-locked` */
  replace(text: string): Promise<void>
}

/** @throws {StoreError} `invalid-value` for a name that cannot be an account's */
export function openPaperCandles(directory: string, accountName: string): PaperCandles {
  requireAccountName(accountName)
  const path = join(directory, `paper-${accountName}.candles.csv`)
  return {
    read: () => readRecord(path),
    replace: (text) => withFileLock(path, () => replaceWhole(path, text)),
  }
}
