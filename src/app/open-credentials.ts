// The sources of keys of this process. What the environment has is taken out of it here, before anything is started that would inherit it.
import { FileKeys, passphraseFile } from '../credentials/credential-file.ts'
import { Credentials } from '../credentials/credentials.ts'
import { takeEnvironmentKeys } from '../credentials/environment.ts'
import { Keychain } from '../credentials/keychain.ts'
import { type DeriveKey, Vault } from '../credentials/vault.ts'
import type { VaultFile } from '../stores/vault-file.ts'

interface CredentialsPlaces {
  readonly env: NodeJS.ProcessEnv
  readonly directory: string
  readonly file: VaultFile
  /** Default: the system's. */
  readonly keychain?: Keychain
  /** Default: scrypt, which takes a second. */
  readonly deriveKey?: DeriveKey
}

export function openCredentials({
  env,
  directory,
  file,
  keychain = new Keychain(),
  deriveKey,
}: CredentialsPlaces): Credentials {
  const credentialsDirectory = env.CREDENTIALS_DIRECTORY === '' ? undefined : env.CREDENTIALS_DIRECTORY
  return new Credentials({
    environment: takeEnvironmentKeys(env),
    files: new FileKeys({ directory, credentialsDirectory }),
    keychain,
    vault: new Vault({ file, now: Date.now, passphrase: passphraseFile(env), ...(deriveKey && { deriveKey }) }),
  })
}
