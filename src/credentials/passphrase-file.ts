// The passphrase of the vault where nobody is there to type it: a file, or what systemd's `LoadCredential=hookline-vault:…` hands over.
import { join } from 'node:path'
import { readSecret } from './credential-file.ts'
import { CredentialsError } from './credentials-error.ts'

/** @returns reads it anew at each call; undefined: none is named. @throws {CredentialsError} `missing-keys`, `bad-keys` */
export function passphraseFile(env: NodeJS.ProcessEnv): () => string | undefined {
  const named = env.HOOKLINE_VAULT_PASSPHRASE_FILE
  const directory = env.CREDENTIALS_DIRECTORY
  return () => {
    if (named !== undefined && named !== '') return withoutNewline(readSecret(named))
    if (directory === undefined || directory === '') return undefined
    try {
      return withoutNewline(readSecret(join(directory, 'hookline-vault')))
    } catch (error) {
      // A service may have credentials of accounts alone.
      if (error instanceof CredentialsError && error.code === 'missing-keys') return undefined
      throw error
    }
  }
}

/** Editors end files with one. */
function withoutNewline(text: string): string {
  return text.replace(/\r?\n$/, '')
}
