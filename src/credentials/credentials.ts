// Where keys come from (behaviour 43): the four sources behind one question. An account's row says which one it is.
import type { KeySource } from '../protocol/rows.ts'
import { type AccountRow, type AccountStore, hasPlainKeys, type KeyPlace } from '../stores/accounts.ts'
import type { FileKeys } from './credential-file.ts'
import type { EnvironmentKeys } from './environment.ts'
import type { Keychain } from './keychain.ts'
import { CredentialsError, isSameKeys, type Keys, keysIn } from './keys.ts'
import type { Vault } from './vault.ts'

/** Of a row: whose keys they are. */
export type KeyOwner = Pick<AccountRow, 'name' | 'exchange'>

/** A file that hookline made, and that the row of its account does not name. */
export interface LeftFile {
  readonly name: string
  readonly path: string
  /** Undefined: there is no such account. */
  readonly row: AccountRow | undefined
}

interface CredentialsOptions {
  readonly environment: EnvironmentKeys
  readonly files: FileKeys
  readonly keychain: Keychain
  readonly vault: Vault
}

export class Credentials {
  readonly vault: Vault
  readonly #options: CredentialsOptions

  constructor(options: CredentialsOptions) {
    this.vault = options.vault
    this.#options = options
  }

  /** The same sources for what hookline writes by itself: of files, those that it makes. */
  ownOnly(): Credentials {
    return new Credentials({ ...this.#options, files: this.#options.files.ownOnly() })
  }

  /** Where `write` will put them; undefined where the source names the place itself. */
  placeFor({ name }: KeyOwner, from: KeySource): KeyPlace | undefined {
    if (from === 'keychain') return undefined
    return from === 'file' ? { from, path: this.#options.files.ownFile(name) } : { from }
  }

  /**
   * The keys of an account. No one is asked, and nothing waits for a person.
   * @throws {CredentialsError} `missing-keys`, `bad-keys`, `vault-locked`, `wrong-passphrase`, `vault-damaged`, `keychain-unavailable`
   * @throws {StoreError} vault.json is not valid
   */
  async resolveKeys(row: AccountRow): Promise<Keys> {
    // Keys that a page sent after the account had its own elsewhere are the newer ones.
    if (hasPlainKeys(row)) return keysIn(row)
    if (row.credentials !== undefined) return this.read(row, row.credentials)
    throw new CredentialsError('missing-keys', `account ${row.name} has no keys`, {
      hint: `\`account remove ${row.name}\`, then \`account add ${row.name} ${row.exchange}\` asks for them`,
    })
  }

  /** @throws as `resolveKeys` */
  async read(owner: KeyOwner, { from, path }: KeyPlace): Promise<Keys> {
    const { environment, files, keychain, vault } = this.#options
    switch (from) {
      case 'environment':
        return environment.read(owner.name)
      case 'file':
        return files.read(owner, path)
      case 'keychain':
        return keychain.read(owner, path)
      case 'vault':
        return vault.read(owner.name, owner.exchange)
    }
  }

  /** Whether the system's keychain gives back what it is given. @throws {CredentialsError} `keychain-unavailable` */
  async testKeychain(): Promise<void> {
    await this.#options.keychain.test()
  }

  /** Whether keys are there already, put there by someone else: hookline asks for none then. */
  isGiven(source: KeySource, { name }: KeyOwner): boolean {
    return source === 'environment' || (source === 'file' && this.#options.files.handedOver(name) !== undefined)
  }

  /**
   * Puts keys into a source, and reads them back. A source that hookline does not write must have the very same keys.
   * @throws {CredentialsError} `unsuitable-source`, and as `resolveKeys`
   */
  async write(owner: KeyOwner, keys: Keys, source: KeySource): Promise<KeyPlace> {
    const place = this.isGiven(source, owner) ? { from: source } : await this.#put(owner, keys, source)
    if (isSameKeys(await this.read(owner, place), keys)) return place
    throw new CredentialsError('unsuitable-source', `the ${source} has other keys for account ${owner.name}`, {
      hint: 'correct them there first',
    })
  }

  /** Removes what hookline has put there; what others put there stays. @returns whether there was anything @throws as `resolveKeys` */
  async remove({ name, exchange }: KeyOwner, { from, path }: KeyPlace): Promise<boolean> {
    const { files, keychain, vault } = this.#options
    switch (from) {
      case 'environment':
        return false
      case 'file':
        return files.remove(name, path)
      case 'keychain':
        return keychain.remove(path)
      case 'vault':
        return vault.remove(name, exchange)
    }
  }

  /**
   * Files with keys in plain text that no account uses: what a crash has left between two places.
   * @param rows the accounts that there are
   */
  leftFiles(rows: readonly AccountRow[]): readonly LeftFile[] {
    const { files } = this.#options
    return files.ownNames().flatMap((name) => {
      const path = files.ownFile(name)
      const row = rows.find((each) => each.name === name)
      return row?.credentials?.path === path ? [] : [{ name, path, row }]
    })
  }

  /**
   * Erases such a file where the account has its keys elsewhere.
   * @returns false: it has other keys than those, or there is no such account: a person has to look
   * @throws as `resolveKeys`
   */
  async eraseLeft({ name, path, row }: LeftFile): Promise<boolean> {
    if (row === undefined) return false
    const { files } = this.#options
    const used = await this.resolveKeys(row)
    if (files.isWhole(path) && !isSameKeys(used, files.read(row, path))) return false
    return files.remove(name, path)
  }

  async #put(owner: KeyOwner, keys: Keys, from: KeySource): Promise<KeyPlace> {
    const { files, keychain, vault } = this.#options
    if (from === 'keychain') return { from, path: await keychain.write(owner, keys) }
    if (from === 'file') return { from, path: await files.write(owner, keys) }
    await vault.write(owner.name, owner.exchange, keys)
    return { from }
  }
}

// Keys that are in `accounts.json` as plain text, from earlier versions and from pages, move into the vault once it is unlocked. Each step can be
// the last one before a crash: the keys are in one place or in both, never in none.

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
