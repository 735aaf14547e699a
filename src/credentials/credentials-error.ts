import { CodedError } from '../base/coded-error.ts'

/** Why the keys of an account cannot be had or kept. No code, message or hint ever holds one. */
export type CredentialsErrorCode =
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
