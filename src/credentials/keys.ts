// The keys of one account, by the names of ccxt's `requiredCredentials`.

import { CodedError } from '../base/coded-error.ts'
import { CREDENTIALS, type Credential } from '../protocol/rows.ts'

/** Why the keys of an account cannot be had or kept. No code, message or hint ever holds one. */
type CredentialsErrorCode =
  /** The account has no keys where its row says they are. */
  | 'missing-keys'
  /** What is there cannot be read as keys, or may not be used (behaviour 21). */
  | 'bad-keys'
  | 'vault-locked'
  /** There is no vault yet. */
  | 'no-vault'
  | 'vault-exists'
  | 'wrong-passphrase'
  | 'weak-passphrase'
  /** An entry was changed, or put where it does not belong. */
  | 'vault-damaged'
  | 'keychain-unavailable'
  /** This source cannot take these keys. */
  | 'unsuitable-source'

export class CredentialsError extends CodedError<CredentialsErrorCode> {
  override readonly name = 'CredentialsError'
}

/** Never printed, logged, sent or kept in a file that is not one of the sources. */
export type Keys = Readonly<Partial<Record<Credential, string>>>

/** What other programs call the same. */
const OTHER_NAMES: Readonly<Partial<Record<Credential, Credential>>> = { apiSecret: 'secret', passphrase: 'password' }

/** The names that an adapter is handed. */
export const KEY_NAMES: readonly Credential[] = CREDENTIALS.filter((name) => OTHER_NAMES[name] === undefined)

/** The keys in a record. An empty text is none; ccxt's own name wins over another name for the same. */
export function keysIn(record: object): Keys {
  const fields = record as Readonly<Record<string, unknown>>
  const found = CREDENTIALS.flatMap((name) => {
    const value = fields[name]
    const text = Number.isSafeInteger(value) ? String(value) : value
    return typeof text === 'string' && text !== '' ? [[name, text] as const] : []
  })
  const keys: Partial<Record<Credential, string>> = {}
  for (const [name, value] of found) {
    const own = OTHER_NAMES[name]
    if (own === undefined) keys[name] = value
    else keys[own] ??= value
  }
  return keys
}

export function hasKeys(keys: Keys): boolean {
  return Object.keys(keys).length > 0
}

export function isSameKeys(a: Keys, b: Keys): boolean {
  return KEY_NAMES.every((name) => a[name] === b[name])
}

/**
 * Reads what a source holds as JSON. Nothing of it is quoted in the error.
 * @param where the source, for people: `/run/credentials/hookline-main.json`
 * @throws {CredentialsError} `bad-keys`
 */
export function parseRecord(text: string, where: string): object {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The error of JSON.parse quotes what it read.
    throw new CredentialsError('bad-keys', `${where} is not JSON`, {
      hint: 'write {"apiKey":"…","secret":"…"} into it',
    })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new CredentialsError('bad-keys', `${where} is not a JSON object`, {
    hint: 'write {"apiKey":"…","secret":"…"} into it',
  })
}
