// `vault.json`: keys of accounts, encrypted. What is in an entry only `credentials/vault.ts` can tell; this file knows its shape.
import { join } from 'node:path'
import * as z from 'zod/mini'
import { time } from '../protocol/rows.ts'
import { createJsonFile, type FileState, stateOf } from './json-file.ts'
import { rowsUnder } from './rows.ts'
import { StoreError } from './store-error.ts'

/** What AES-256-GCM makes of a text: ciphertext, and behind it the tag of 16 bytes, both in hex. */
export interface Sealed {
  readonly nonce: string
  readonly data: string
}

export interface VaultEntry extends Sealed {
  readonly account: string
  readonly venue: string
  /** ms since the epoch. */
  readonly updatedAt: number
}

export interface VaultContent {
  /** How the passphrase becomes a key. Another way is another version of the file. */
  readonly kdf: typeof VAULT_KDF
  /** Hex. */
  readonly salt: string
  /** A known text: whether a passphrase is the right one. */
  readonly check: Sealed
  /** How often it was locked for every process: a key that was derived before is dropped, also by a process that slept meanwhile. */
  readonly locks?: number
  /** No file with a passphrase opens it until a person does. */
  readonly isLocked?: boolean
  readonly entries: readonly VaultEntry[]
}

export const VAULT_KDF = 'scrypt N=131072 r=8 p=1'

export interface VaultFile extends FileState {
  /** Undefined: there is no file. @throws {StoreError} `store-corrupt` */
  read(): VaultContent | undefined
  /** As `JsonFile.update`; `change` gets undefined where there is no file. */
  update(change: (current: VaultContent | undefined) => VaultContent): Promise<void>
}

const hex = (pattern: RegExp, what: string) => z.string().check(z.regex(pattern, what))
const sealed = {
  nonce: hex(/^[0-9a-f]{24}$/, 'must be 24 hex characters'),
  data: hex(/^(?:[0-9a-f]{2}){16,}$/, 'must be hex'),
}
const entrySchema = z.looseObject({ ...sealed, account: z.string(), venue: z.string(), updatedAt: time })
const headSchema = z.looseObject({
  kdf: z.literal(VAULT_KDF),
  salt: hex(/^[0-9a-f]{64}$/, 'must be 64 hex characters'),
  check: z.object(sealed),
  locks: z.exactOptional(z.int().check(z.nonnegative())),
  isLocked: z.exactOptional(z.boolean()),
})

/** Means "there is no file"; never written. */
const none: VaultContent = { kdf: VAULT_KDF, salt: '', check: { nonce: '', data: '' }, entries: [] }

export function openVaultFile(directory: string): VaultFile {
  const rows = rowsUnder<'entries', VaultEntry, VaultContent>('entries', () => entrySchema)
  const file = createJsonFile<VaultContent>({
    path: join(directory, 'vault.json'),
    ...rows,
    parse(value, setAside, ...more) {
      z.parse(headSchema, value)
      return rows.parse(value, setAside, ...more)
    },
    defaults: none,
  })
  const known = (content: VaultContent) => (content === none ? undefined : content)
  return {
    read() {
      const content = known(file.read())
      const problem = file.problem()
      // A bad file must not read as "no vault": the next step would be a new passphrase.
      if (content !== undefined || problem === undefined) return content
      throw new StoreError('store-corrupt', `vault.json ${problem.message}`, {
        hint: `fix ${problem.path} or put a backup in its place`,
      })
    },
    async update(change) {
      await file.update((content) => change(known(content)))
    },
    ...stateOf(file),
  }
}
