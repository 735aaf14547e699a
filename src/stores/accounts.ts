// `accounts.json`: names, venues and keys (behaviour 23). The last write wins; keys that an edit leaves out stay.
import { join } from 'node:path'
import * as z from 'zod/mini'
import {
  ACCOUNT_PLACES,
  ACCOUNT_SWITCHES,
  accountRow,
  CREDENTIALS,
  type Credential,
  pick,
  type RowOf,
  time,
  type AccountRow as WireAccount,
} from '../protocol/rows.ts'
import { ACCOUNT_NAME, requireAccountName } from './account-name.ts'
import { createJsonFile, type FileState, stateOf, updateReturning } from './json-file.ts'
import { editedAt, isLive, isNewer, withRow } from './last-write-wins.ts'
import { rowsUnder } from './row-file.ts'
import { requireRoom, requireShortRow } from './row-limits.ts'
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

/**
 * A row from elsewhere, with the credentials of `CREDENTIALS`, and whatever else it has. Without `updatedAt` it is an edit made now, which wins.
 */
export type AccountEdit = Omit<AccountRow, 'createdAt' | 'updatedAt'> & {
  readonly createdAt?: number
  readonly updatedAt?: number
}

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
   * @param maxRows how many there may be, tombstones included, for a name that is new; default: any number
   * @returns the row as it was written; undefined: a newer one is stored
   * @throws {StoreError} `invalid-value`; `too-many`; `already-exists` when a live row's name differs in case only
   */
  merge(row: AccountEdit, maxRows?: number): Promise<AccountRow | undefined>
  /** Creates `paper` when the file does not exist; leaves a file that does, good or bad. */
  ensurePaper(): Promise<void>
}

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
    async merge(edit, maxRows = Number.POSITIVE_INFINITY) {
      requireAccountName(edit.name)
      requireShortRow(edit)
      return updateReturning(file, (content) => {
        const stored = namesake(content, edit.name)
        const row = timed(edit, stored, now())
        if (stored !== undefined && !isNewer(row, stored)) return [content, undefined]
        if (stored === undefined) requireRoom(content.accounts.length, maxRows, 'accounts, with those deleted lately,')
        if (isLive(row)) refuseOtherCase(content, row.name)
        const written = merged(stored, row)
        return [withAccount(content, written), written]
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

/** The credentials that are there; an empty text is none. They are not checked: a file may have them as people wrote them. */
function credentialsOf(row: object): Readonly<Partial<Record<Credential, string>>> {
  const fields = row as Readonly<Record<string, unknown>>
  return Object.fromEntries(CREDENTIALS.flatMap((key) => (fields[key] ? [[key, fields[key]]] : [])))
}

/** What decides which money an account trades: its exchange, its keys, and what they are for. */
const SENSITIVE_FIELDS = ['exchange', ...CREDENTIALS, ...ACCOUNT_SWITCHES, ...ACCOUNT_PLACES] as const

/** Whether a connection made for one row still serves the other. */
export function isSameConnection(a: AccountRow, b: AccountRow): boolean {
  const [one, other] = [a, b].map((row) => row as unknown as Readonly<Record<string, unknown>>)
  return a.updatedAt === b.updatedAt && SENSITIVE_FIELDS.every((field) => one?.[field] === other?.[field])
}

/** @returns the names of the fields that `edit` would change in `stored`, of those that decide which money is traded */
export function sensitiveChanges(stored: AccountRow | undefined, edit: AccountEdit): readonly string[] {
  const [before, after] = [stored ?? {}, merged(stored, { createdAt: 0, updatedAt: 0, ...edit })].map(
    (row) => row as Readonly<Record<string, unknown>>,
  )
  return SENSITIVE_FIELDS.filter((field) => before?.[field] !== after?.[field])
}

/** The edit with its times. A deleted account that comes back is a new one. */
function timed(edit: AccountEdit, stored: AccountRow | undefined, now: number): AccountRow {
  const updatedAt = edit.updatedAt ?? editedAt(now, stored)
  const isSameAccount = stored !== undefined && (isLive(stored) || edit.deletedAt !== undefined)
  return { ...edit, createdAt: edit.createdAt ?? (isSameAccount ? stored.createdAt : updatedAt), updatedAt }
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
  if (stored === undefined || !isLive(stored) || !isSameExchange(stored, row)) return { ...bare, ...given }
  const kept = Object.keys(given).length > 0 ? given : credentialsOf(stored)
  return { ...withoutCredentials(stored), ...bare, ...kept }
}

/** People write the ids of ccxt in any case. */
function isSameExchange(a: AccountRow, b: AccountRow): boolean {
  return a.exchange.toLowerCase() === b.exchange.toLowerCase()
}

function withoutCredentials(row: AccountRow): AccountRow {
  const isCredential = (field: string) => (CREDENTIALS as readonly string[]).includes(field)
  return Object.fromEntries(Object.entries(row).filter(([field]) => !isCredential(field))) as AccountRow
}

/** @throws {StoreError} `invalid-value` */
export function requireExchange(exchange: string): void {
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
