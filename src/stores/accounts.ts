// `accounts.json`: names, venues and keys (behaviour 23). The last write wins; keys that an edit leaves out stay.
import { join } from 'node:path'
import * as z from 'zod/mini'
import { accountRow, pick, type RowOf, time, type AccountRow as WireAccount } from '../protocol/rows.ts'
import { ACCOUNT_NAME, requireAccountName } from './account-name.ts'
import { createJsonFile, type FileState, stateOf, updateReturning } from './json-file.ts'
import { editedAt, isLive, isNewer, withRow } from './last-write-wins.ts'
import { rowsUnder } from './row-file.ts'
import { StoreError } from './store-error.ts'

const { hasCredentials: _, ...wireFields } = accountRow.shape

const shape = {
  ...wireFields,
  /** Two accounts never differ in case only. */
  name: z.string().check(z.regex(ACCOUNT_NAME, 'must be 1 to 32 letters, digits, - and _')),
  /** `paper`, or a ccxt id. */
  exchange: z.string().check(z.minLength(1, 'must not be empty')),
  apiKey: z.exactOptional(z.string()),
  secret: z.exactOptional(z.string()),
  password: z.exactOptional(z.string()),
  /** Set on tombstones, which carry no credentials and go after 30 days. */
  deletedAt: z.exactOptional(time),
}

/** A row of `accounts.json` (behaviour 23). Fields we do not know are kept. */
export type AccountRow = Readonly<RowOf<typeof shape>>

/** An account as lists and the wire show it. */
export type ScrubbedAccount = Readonly<WireAccount>

/** A row from elsewhere. Without `updatedAt` it is an edit made now, which wins. */
export type AccountEdit = Omit<AccountRow, 'updatedAt'> & { readonly updatedAt?: number }

export interface AccountStore extends FileState {
  /** Live rows, by name. */
  list(): readonly AccountRow[]
  /** A live row. */
  find(name: string): AccountRow | undefined
  /** Creates the row, over a tombstone too. @throws {StoreError} `already-exists`, `invalid-value` */
  add(input: {
    readonly name: string
    readonly exchange: string
    readonly apiKey?: string
    readonly secret?: string
    readonly password?: string
  }): Promise<AccountRow>
  /** @returns the tombstone it leaves @throws {StoreError} `not-found` */
  remove(name: string): Promise<AccountRow>
  /**
   * Last write wins on strictly greater `updatedAt`, tombstones included. A row without credentials keeps the stored ones
   * if its exchange is the same.
   * @returns whether the row was taken
   * @throws {StoreError} `invalid-value`; `already-exists` when a live row's name differs in case only
   */
  merge(row: AccountEdit): Promise<boolean>
  /** Creates `paper` when the file does not exist; leaves a file that does, good or bad. */
  ensurePaper(): Promise<void>
}

const CREDENTIALS = ['apiKey', 'secret', 'password'] as const
type Credentials = Pick<AccountRow, (typeof CREDENTIALS)[number]>

interface AccountsFile {
  readonly accounts: readonly AccountRow[]
}

export function openAccountStore(directory: string, now: () => number = Date.now): AccountStore {
  const none: AccountsFile = { accounts: [] }
  const file = createJsonFile<AccountsFile>({
    path: join(directory, 'accounts.json'),
    ...rowsUnder<'accounts', AccountRow, AccountsFile>('accounts', () => z.looseObject(shape)),
    defaults: none,
  })
  const list = (): readonly AccountRow[] => file.read().accounts.filter(isLive).sort(byName)

  function withAccount(content: AccountsFile, row: AccountRow): AccountsFile {
    const replaces = (other: AccountRow) => other.name === row.name
    return { ...content, accounts: withRow(content.accounts, { row, replaces, now: now() }) }
  }

  return {
    list,
    find: (name) => file.read().accounts.find((row) => row.name === name && isLive(row)),
    async add(input) {
      const { name, exchange } = input
      requireAccountName(name)
      requireExchange(exchange)
      return updateReturning(file, (content) => {
        refuseTakenName(content, name)
        const createdAt = now()
        const updatedAt = editedAt(createdAt, namesake(content, name))
        const row: AccountRow = { name, exchange, ...credentialsOf(input), createdAt, updatedAt }
        return [withAccount(content, row), row]
      })
    },
    remove: (name) =>
      updateReturning(file, (content) => {
        const row = namesake(content, name)
        if (row === undefined || !isLive(row)) throw new StoreError('not-found', `there is no account "${name}"`)
        const tombstone = tombstoneOf({ ...row, updatedAt: editedAt(now(), row), deletedAt: now() })
        return [withAccount(content, tombstone), tombstone]
      }),
    async merge(edit) {
      requireAccountName(edit.name)
      return updateReturning(file, (content) => {
        const stored = namesake(content, edit.name)
        const row: AccountRow = { ...edit, updatedAt: edit.updatedAt ?? editedAt(now(), stored) }
        if (stored !== undefined && !isNewer(row, stored)) return [content, false]
        if (isLive(row)) refuseOtherCase(content, row.name)
        return [withAccount(content, merged(stored, row)), true]
      })
    },
    async ensurePaper() {
      if (file.read() !== none || file.problem() !== undefined) return
      await file.update((content) => {
        if (content !== none) return content
        const createdAt = now()
        return { accounts: [{ name: 'paper', exchange: 'paper', createdAt, updatedAt: createdAt }] }
      })
    },
    ...stateOf(file),
  }
}

export function scrubAccount(row: AccountRow): ScrubbedAccount {
  return pick(accountRow, { ...row, hasCredentials: Object.keys(credentialsOf(row)).length > 0 })
}

function byName(a: AccountRow, b: AccountRow): number {
  return a.name < b.name ? -1 : 1
}

function namesake(content: AccountsFile, name: string): AccountRow | undefined {
  return content.accounts.find((row) => row.name === name)
}

/** The credentials that are there; an empty text is none. */
function credentialsOf(row: Credentials): Credentials {
  return Object.fromEntries(CREDENTIALS.flatMap((key) => (row[key] ? [[key, row[key]]] : [])))
}

/** Without credentials, and without unknown fields, which may be credentials too. */
function tombstoneOf({ name, exchange, createdAt, updatedAt, deletedAt }: AccountRow): AccountRow {
  return { name, exchange, createdAt, updatedAt, ...(deletedAt !== undefined && { deletedAt }) }
}

/** The winner as it is stored: unknown fields and missing credentials come from the row it replaces. */
function merged(stored: AccountRow | undefined, row: AccountRow): AccountRow {
  if (!isLive(row)) return tombstoneOf(row)
  const given = credentialsOf(row)
  const bare = withoutCredentials(row)
  if (stored === undefined || !isLive(stored) || stored.exchange !== row.exchange) return { ...bare, ...given }
  const kept = Object.keys(given).length > 0 ? given : credentialsOf(stored)
  return { ...withoutCredentials(stored), ...bare, ...kept }
}

function withoutCredentials({ apiKey, secret, password, ...rest }: AccountRow): AccountRow {
  return rest
}

function requireExchange(exchange: string): void {
  if (/^[A-Za-z0-9_-]{1,32}$/.test(exchange)) return
  throw new StoreError('invalid-value', `"${exchange.slice(0, 40)}" cannot be an exchange`, {
    hint: 'use paper, or the id of an exchange in ccxt',
  })
}

function refuseTakenName(content: AccountsFile, name: string): void {
  if (content.accounts.some((row) => isLive(row) && row.name === name)) throw taken(name)
  refuseOtherCase(content, name)
}

/** `paper-Main.json` and `paper-main.json` are one file on many disks. */
function refuseOtherCase(content: AccountsFile, name: string): void {
  const clash = content.accounts.find(
    (row) => isLive(row) && row.name !== name && row.name.toLowerCase() === name.toLowerCase(),
  )
  if (clash !== undefined) throw taken(clash.name)
}

function taken(name: string): StoreError {
  return new StoreError('already-exists', `account "${name}" already exists`, {
    hint: 'choose another name, or remove it first',
  })
}
