// How accounts are spoken of: where they trade, and where their keys are. Never a key.
import type { Venue } from '../../exchanges/venues.ts'
import { printable } from '../../language/printable.ts'
import { type AccountRow, hasPlainKeys, isDemo, type NewAccount } from '../../stores/accounts.ts'

/** `binance linear demo`, `paper at prices of binance:linear`. */
export function describeVenue(row: AccountRow | NewAccount): string {
  const prices = row.prices === undefined ? undefined : `at prices of ${printable(row.prices, 40)}`
  return [printable(row.exchange, 20), row.kind, isDemo(row) && 'demo', prices].filter(Boolean).join(' ')
}

/** `vault`, `plain text`, `none`. */
export function describeKeys(row: AccountRow): string {
  if (hasPlainKeys(row)) return 'plain text'
  return row.credentials?.from ?? 'none'
}

/** Whether no money is real there. */
export function isPractice(row: AccountRow): boolean {
  return row.exchange === 'paper' || isDemo(row)
}

// What keys are called for people: as the venue calls them, where it has a word of its own.

const WORDS: Readonly<Partial<Record<string, string>>> = {
  apiKey: 'API key',
  password: 'passphrase',
  privateKey: 'private key',
  walletAddress: 'wallet address',
  uid: 'user id',
  accountId: 'account id',
}

/** @param name by ccxt */
export function credentialWords(venue: Venue, name: string): string {
  return venue.credentialWords[name] ?? WORDS[name] ?? name
}
