// Keys in a file: what systemd's `LoadCredential=` hands over, a file that the account's row names, or one that hookline made beside its
// others. A file is closed to other users, or it is not read (behaviour 21).
import { isAbsolute, join } from 'node:path'
import { defined } from '../base/defined.ts'
import { namesIn, readSecretFile, writeNewSecretFile } from '../stores/atomic-write.ts'
import { eraseFile } from '../stores/private-file.ts'
import { StoreError, systemCode, systemReason, UnsafeFileError } from '../stores/store-error.ts'
import { CredentialsError, hasKeys, type Keys, keysIn, parseRecord } from './keys.ts'

interface FileKeysOptions {
  /** Where hookline keeps its files. */
  readonly directory: string
  /** systemd's `$CREDENTIALS_DIRECTORY`. */
  readonly credentialsDirectory: string | undefined
}

/** As `ownFile` names them. */
const OWN_FILE = /^keys-(.+)\.json$/s

export class FileKeys {
  readonly #options: FileKeysOptions

  constructor(options: FileKeysOptions) {
    this.#options = options
  }

  /** The same directory, and nothing that was handed over: what hookline writes by itself. */
  ownOnly(): FileKeys {
    return new FileKeys({ ...this.#options, credentialsDirectory: undefined })
  }

  /** Where `write` puts the keys of an account. */
  ownFile(name: string): string {
    return join(this.#options.directory, `keys-${name}.json`)
  }

  /** Of which accounts there are files that hookline made. None where the directory cannot be read. */
  ownNames(): readonly string[] {
    return namesIn(this.#options.directory).flatMap((file) => OWN_FILE.exec(file)?.[1] ?? [])
  }

  /** A write that a crash or a full disk cut short has left no JSON. @throws {CredentialsError} as `read` */
  isWhole(path: string): boolean {
    try {
      JSON.parse(readSecret(path))
      return true
    } catch (error) {
      if (error instanceof SyntaxError) return false
      throw error
    }
  }

  /** Where systemd puts the keys of an account; undefined where hookline was not started with credentials. */
  handedOver(account: string): string | undefined {
    const { credentialsDirectory } = this.#options
    return credentialsDirectory === undefined ? undefined : join(credentialsDirectory, `hookline-${account}.json`)
  }

  /** @param path as the account's row has it @throws {CredentialsError} `missing-keys`, `bad-keys` */
  read({ name, exchange }: { readonly name: string; readonly exchange: string }, path: string | undefined): Keys {
    const place = this.#placeOf(name, path)
    const record = parseRecord(readSecret(place), place) as { readonly venue?: unknown }
    if (record.venue !== undefined && record.venue !== exchange) {
      throw new CredentialsError('bad-keys', `${place} has keys of another venue than ${exchange}`, {
        hint: 'correct `venue` there, or the account',
      })
    }
    const keys = keysIn(record)
    if (hasKeys(keys)) return keys
    throw new CredentialsError('missing-keys', `${place} has no keys`, {
      hint: 'write {"apiKey":"…","secret":"…"} into it',
    })
  }

  /** @returns the file that it made @throws {CredentialsError} `unsuitable-source`: there is one already */
  async write({ name, exchange }: { readonly name: string; readonly exchange: string }, keys: Keys): Promise<string> {
    const path = this.ownFile(name)
    try {
      await writeNewSecretFile(path, `${JSON.stringify({ venue: exchange, ...keys }, null, 2)}\n`)
    } catch (error) {
      const reason = systemCode(error) === 'EEXIST' ? 'it exists already' : systemReason(error)
      throw new CredentialsError('unsuitable-source', `${path} cannot be made: ${reason}`, {
        hint: 'move it away, or choose another place for the keys',
        cause: error,
      })
    }
    return path
  }

  /** Overwrites and removes a file that hookline made; any other is its owner's. @returns whether it did */
  async remove(name: string, path: string | undefined): Promise<boolean> {
    if (path !== this.ownFile(name)) return false
    await eraseFile(path)
    return true
  }

  #placeOf(name: string, path: string | undefined): string {
    const place = path ?? this.handedOver(name)
    if (place === undefined) {
      throw new CredentialsError('missing-keys', `no file has the keys of account ${name}`, {
        hint: `start hookline with LoadCredential=hookline-${name}.json:<file>, or name a file in its row`,
      })
    }
    if (isAbsolute(place)) return place
    throw new CredentialsError('bad-keys', `the path of the keys of account ${name} is not absolute`, {
      hint: 'write it from / on in accounts.json',
    })
  }
}

/** @throws {CredentialsError} `missing-keys`: there is no file; `bad-keys`: it may not be used */
export function readSecret(path: string): string {
  try {
    return readSecretFile(path)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') {
      throw new CredentialsError('missing-keys', `there is no file ${path}`, { hint: 'check its path', cause: error })
    }
    const hint = error instanceof UnsafeFileError || error instanceof StoreError ? error.hint : 'check its permissions'
    throw new CredentialsError('bad-keys', `${path} is not used: ${systemReason(error)}`, {
      ...defined({ hint }),
      cause: error,
    })
  }
}

// The passphrase of the vault where no one is there to type it: a file, or what systemd's `LoadCredential=hookline-vault:…` hands over.

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
