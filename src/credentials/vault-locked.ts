// Why the keys of the vault cannot be had now, for people.
import { CredentialsError } from './credentials-error.ts'

export function locked(): CredentialsError {
  return new CredentialsError('vault-locked', 'the vault is locked', {
    hint: 'type `vault unlock` at the prompt, or set HOOKLINE_VAULT_PASSPHRASE_FILE',
  })
}

export function changedElsewhere(): CredentialsError {
  return new CredentialsError('vault-locked', 'another process changed the passphrase of the vault', {
    hint: '`vault unlock` asks for the new one',
  })
}
