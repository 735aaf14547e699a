// What keys are called for people: as the venue calls them, where it has a word of its own.
import type { Venue } from '../../exchanges/venues.ts'

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
