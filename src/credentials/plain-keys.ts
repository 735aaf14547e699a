// Keys that are in `accounts.json` as plain text, from earlier versions and from pages, move into the vault once it is unlocked. Each step can be
// the last one before a crash: the keys are in one place or in both, never in none.
import { type AccountRow, type AccountStore, hasPlainKeys } from '../stores/accounts.ts'
import type { Credentials } from './credentials.ts'
import { keysIn } from './keys.ts'

/** @returns live rows that have keys in themselves, but for paper accounts, which need none */
export function rowsWithPlainKeys(accounts: Pick<AccountStore, 'list'>): readonly AccountRow[] {
  return accounts.list().filter((row) => row.exchange !== 'paper' && hasPlainKeys(row))
}

/**
 * @param names default: all of them
 * @returns the names of the accounts whose keys were moved @throws {CredentialsError} {StoreError} what was moved by then stays moved
 */
export async function movePlainKeys(
  accounts: Pick<AccountStore, 'list' | 'moveKeys' | 'finishErasing'>,
  credentials: Pick<Credentials, 'write'>,
  isMeant: (row: AccountRow) => boolean = () => true,
): Promise<readonly string[]> {
  await accounts.finishErasing()
  const rows = rowsWithPlainKeys(accounts).filter(isMeant)
  if (rows.length === 0) return []
  const moves = []
  for (const row of rows) moves.push({ row, to: await credentials.write(row, keysIn(row), 'vault') })
  return accounts.moveKeys(moves)
}
