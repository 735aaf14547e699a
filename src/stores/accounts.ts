// `accounts.json`: names, venues and keys (behaviour 23). The last write wins; keys that an edit leaves out stay.
import { join } from 'node:path'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import {
  ACCOUNT_PLACES,
  ACCOUNT_SWITCHES,
  accountRow,
  CREDENTIALS,
  type Credential,
  KEY_SOURCES,
  MARKET_KINDS,
  pick,
  type RowOf,
  time,
  type AccountRow as WireAccount,
} from '../protocol/rows.ts'
import { withFileLock } from './file-lock.ts'
import { createJsonFile, type FileState, type JsonFile, stateOf, updateReturning } from './json-file.ts'
import { eraseCopies, eraseKept, hasKept, keepForErasing } from './private-file.ts'
import { editedAt, isLive, isNewer, requireRoom, requireShortRow, rowsUnder, withRow } from './rows.ts'
import { StoreError } from './store-error.ts'

// What an account may be called. Names become file names (`paper-<name>.json`), so nothing but plain characters.

/** Letters, digits, `-` and `_`; 1 to 32 of them. */
const ACCOUNT_NAME = /^[A-Za-z0-9_-]{1,32}$/

/** @throws {StoreError} `invalid-value` */
export function requireAccountName(name: string): void {
  if (ACCOUNT_NAME.test(name)) return
  throw new StoreError('invalid-value', `\`${name.slice(0, 40)}\` cannot be the name of an account`, {
    hint: 'use 1 to 32 letters, digits, - and _',
  })
}

// A row of `accounts.json` (behaviour 23): its shape, its keys, and what becomes of one when an edit of it comes in.

const { hasCredentials: _, kind: _kind, demo: _demo, ...wireFields } = accountRow.shape

/** Where an account's keys are. `path`: the file of `file`, the entry of `keychain`. */
export const keyPlace = z.looseObject({
  from: z.enum(KEY_SOURCES, `must be ${KEY_SOURCES.join(', ')}`),
  path: z.exactOptional(z.string()),
})
export type KeyPlace = Readonly<RowOf<(typeof keyPlace)['def']['shape']>>

const PRICES = /^[a-z0-9_-]{1,32}:(spot|linear|inverse)$/

const shape = {
  ...wireFields,
  /** Two accounts never differ in case only. */
  name: z.string().check(z.regex(ACCOUNT_NAME, 'must be 1 to 32 letters, digits, - and _')),
  /** `paper`, or a ccxt id. */
  exchange: z.string().check(z.minLength(1, 'must not be empty')),
  apiKey: z.exactOptional(z.string()),
  secret: z.exactOptional(z.string()),
  password: z.exactOptional(z.string()),
  /** Which of the venue's markets it trades; absent: the venue's own default. */
  kind: z.exactOptional(z.enum(MARKET_KINDS, `must be ${MARKET_KINDS.join(', ')}`)),
  /** Absent: in this row, or there are none. */
  credentials: z.exactOptional(keyPlace),
  /** Of a paper account: whose prices it follows, `binance:linear`. */
  prices: z.exactOptional(z.string().check(z.regex(PRICES, 'must be <venue>:<kind>'))),
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

/** Keys may come with it, or a note of where they are. */
export interface NewAccount
  extends Pick<AccountRow, 'name' | 'exchange' | 'apiKey' | 'secret' | 'password' | 'kind' | 'credentials' | 'prices'> {
  readonly demo?: boolean
}

export function scrubAccount(row: AccountRow): ScrubbedAccount {
  const { demo: _demo, ...rest } = row as AccountRow & { readonly demo?: unknown }
  return pick(accountRow, { ...rest, ...(isDemo(row) && { demo: true }), hasCredentials: hasCredentials(row) })
}

/** Whether no money is real there. All that is set but a plain no counts as yes. */
export function isDemo(row: object): boolean {
  const fields = row as Readonly<Record<string, unknown>>
  return ACCOUNT_SWITCHES.some((name) => ![undefined, null, '', false].includes(fields[name] as null))
}

/** Whether it has keys, wherever they are. */
export function hasCredentials(row: AccountRow): boolean {
  return row.credentials !== undefined || hasPlainKeys(row)
}

/** Whether its keys are in the row itself. */
export function hasPlainKeys(row: AccountRow): boolean {
  return Object.keys(credentialsOf(row)).length > 0
}

/** What `add` is told besides name, exchange and keys. */
function settingsOf({ kind, demo, credentials, prices }: NewAccount): Partial<AccountRow> {
  return Object.fromEntries(
    Object.entries({ kind, demo, credentials, prices }).filter(([, value]) => value !== undefined),
  ) as Partial<AccountRow>
}

/** Whether both rows have the same keys for the same venue, in themselves or in the same place. */
function isSameKeys(a: AccountRow, b: AccountRow): boolean {
  const keysOf = (row: AccountRow) => [row.exchange, row.credentials, CREDENTIALS.map((key) => credentialsOf(row)[key])]
  return isSameValue(keysOf(a), keysOf(b))
}

/** The credentials that are there; an empty text is none. They are not checked: a file may have them as people wrote them. */
function credentialsOf(row: object): Readonly<Partial<Record<Credential, string>>> {
  const fields = row as Readonly<Record<string, unknown>>
  return Object.fromEntries(CREDENTIALS.flatMap((key) => (fields[key] ? [[key, fields[key]]] : [])))
}

/** What decides which money an account trades: its exchange, its keys, and what they are for. */
const SENSITIVE_FIELDS = [
  'exchange',
  ...CREDENTIALS,
  ...ACCOUNT_SWITCHES,
  ...ACCOUNT_PLACES,
  'kind',
  'credentials',
  'prices',
] as const

/** Whether a connection made for one row still serves the other. */
export function isSameConnection(a: AccountRow, b: AccountRow): boolean {
  const [one, other] = [a, b].map((row) => row as unknown as Readonly<Record<string, unknown>>)
  return a.updatedAt === b.updatedAt && SENSITIVE_FIELDS.every((field) => isSameValue(one?.[field], other?.[field]))
}

/** @returns the names of the fields that `edit` would change in `stored`, of those that decide which money is traded */
export function sensitiveChanges(stored: AccountRow | undefined, edit: AccountEdit): readonly string[] {
  const [before, after] = [stored ?? {}, merged(stored, { createdAt: 0, updatedAt: 0, ...edit })].map(
    (row) => row as Readonly<Record<string, unknown>>,
  )
  return SENSITIVE_FIELDS.filter((field) => !isSameValue(before?.[field], after?.[field]))
}

function isSameValue(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

/** The edit with its times. A deleted account that comes back is a new one. */
function timed(edit: AccountEdit, stored: AccountRow | undefined, now: number): AccountRow {
  const updatedAt = edit.updatedAt ?? editedAt(now, stored)
  const isSameAccount = stored !== undefined && (isLive(stored) || edit.deletedAt !== undefined)
  return { ...edit, createdAt: edit.createdAt ?? (isSameAccount ? stored.createdAt : updatedAt), updatedAt }
}

/** Without credentials, and without unknown fields, which may be credentials too. */
function tombstoneOf({ name, exchange, createdAt, updatedAt, deletedAt }: AccountRow): AccountRow {
  return { name, exchange, createdAt, updatedAt, ...defined({ deletedAt }) }
}

/** The winner as it is stored: unknown fields and missing credentials come from the row it replaces. */
function merged(stored: AccountRow | undefined, row: AccountRow): AccountRow {
  if (!isLive(row)) return tombstoneOf(row)
  const given = credentialsOf(row)
  const bare = withoutCredentials(row)
  if (stored === undefined || !isLive(stored) || !isSameExchange(stored, row)) return { ...bare, ...given }
  // Keys that come with an edit are the account's keys from now on, wherever it had its own.
  if (Object.keys(given).length > 0) return { ...withoutPlace(withoutCredentials(stored)), ...bare, ...given }
  return { ...withoutCredentials(stored), ...bare, ...credentialsOf(stored) }
}

/** People write the ids of ccxt in any case. */
function isSameExchange(a: AccountRow, b: AccountRow): boolean {
  return a.exchange.toLowerCase() === b.exchange.toLowerCase()
}

function withoutCredentials(row: AccountRow): AccountRow {
  const isCredential = (field: string) => (CREDENTIALS as readonly string[]).includes(field)
  return Object.fromEntries(Object.entries(row).filter(([field]) => !isCredential(field))) as AccountRow
}

function withoutPlace({ credentials: _place, ...row }: AccountRow): AccountRow {
  return row as AccountRow
}

/** @throws {StoreError} `invalid-value` */
export function requireExchange(exchange: string): void {
  if (/^[A-Za-z0-9_-]{1,32}$/.test(exchange)) return
  throw new StoreError('invalid-value', `\`${exchange.slice(0, 40)}\` cannot be an exchange`, {
    hint: 'use paper, or the id of an exchange in ccxt',
  })
}

/** Keys of a row that are kept elsewhere from now on. */
interface KeyMove {
  /** As it was when its keys were copied. */
  readonly row: AccountRow
  readonly to: KeyPlace
}

export interface AccountStore extends FileState {
  /** Live rows, by name. */
  list(): readonly AccountRow[]
  /** A live row. */
  find(name: string): AccountRow | undefined
  /** Creates the row, over a tombstone too. @throws {StoreError} `already-exists`, `invalid-value` */
  add(input: NewAccount): Promise<AccountRow>
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
  /**
   * Takes plain keys out of rows and notes where they are now. A row whose keys or venue have changed meanwhile stays as it is. What the file
   * held is overwritten as far as the file system lets one, the copies that older versions left beside it too.
   * @returns the names of the rows that were changed
   */
  moveKeys(moves: readonly KeyMove[]): Promise<readonly string[]>
  /** Overwrites what a crash during `moveKeys` may have left. @throws {StoreError} */
  finishErasing(): Promise<void>
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
        const row: AccountRow = { name, exchange, ...credentialsOf(input), ...settingsOf(input), createdAt, updatedAt }
        return [withAccount(content, row), row]
      })
    },
    remove: (name) =>
      updateReturning(file, (content) => {
        const row = namesake(content, name)
        if (row === undefined || !isLive(row)) throw new StoreError('not-found', `no account \`${name}\` found`)
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
    moveKeys: (moves) => moveKeys(file, moves),
    finishErasing: () => finishErasing(file),
    async ensurePaper() {
      if (file.read() !== none || file.problem() !== undefined) return
      await file.update((content) => {
        if (content !== none) return content
        return { accounts: [{ name: 'paper', exchange: 'paper', createdAt: now(), updatedAt: now() }] }
      })
    },
    ...stateOf(file),
  }
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
  return new StoreError('already-exists', `account \`${name}\` already exists`, {
    hint: 'choose another name, or remove it first',
  })
}

function byName(a: AccountRow, b: AccountRow): number {
  return a.name < b.name ? -1 : 1
}

function namesake(content: AccountsFile, name: string): AccountRow | undefined {
  return content.accounts.find((row) => row.name === name)
}

/** The copies go first: after a crash the file itself says that there is more to do. */
async function moveKeys(file: JsonFile<AccountsFile>, moves: readonly KeyMove[]): Promise<readonly string[]> {
  const secrets = moves.flatMap(({ row }) => Object.values(credentialsOf(row))).filter((text) => text.length > 5)
  if (secrets.length > 0) await eraseCopies(file.path, secrets)
  const moved = await updateReturning(file, (content) => {
    const names: string[] = []
    const accounts = content.accounts.map((row) => {
      const move = moves.find(({ row: before }) => before.name === row.name && isSameKeys(before, row))
      if (move === undefined || !isLive(row)) return row
      names.push(row.name)
      return { ...withoutCredentials(row), credentials: move.to }
    })
    if (names.length === 0) return [content, names]
    if (content.accounts.some(hasPlainKeys)) keepForErasing(file.path)
    return [{ ...content, accounts }, names]
  })
  await finishErasing(file)
  return moved
}

async function finishErasing({ path }: JsonFile<AccountsFile>): Promise<void> {
  if (hasKept(path)) await withFileLock(path, async () => void eraseKept(path))
}
