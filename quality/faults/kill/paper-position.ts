import { Decimal } from 'decimal.js'
import { readPaperAccount } from '../../../harness/files/paper-account.ts'
import type { StoredPosition } from '../../../src/exchanges/paper/state.ts'

/** As the venue's files have it. */
export function storedPosition(directory: string, account: string, symbol: string): StoredPosition | undefined {
  return readPaperAccount(directory, account)?.positions.find((held) => held.symbol === symbol)
}

/** In base, negative when short; zero when flat. */
export function paperPosition(directory: string, account: string, symbol: string): Decimal {
  return new Decimal(storedPosition(directory, account, symbol)?.amount ?? 0)
}
