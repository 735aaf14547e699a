// A row of `accounts.json` (behaviour 23): its shape, its keys, and what becomes of one when an edit of it comes in.
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import { pick } from '../protocol/pick.ts'
import {
  ACCOUNT_PLACES,
  ACCOUNT_SWITCHES,
  accountRow,
  CREDENTIALS,
  type Credential,
  KEY_SOURCES,
  MARKET_KINDS,
  type RowOf,
  time,
  type AccountRow as WireAccount,
} from '../protocol/rows.ts'
import { ACCOUNT_NAME } from './account-name.ts'
import { editedAt, isLive } from './last-write-wins.ts'
import { StoreError } from './store-error.ts'

const { hasCredentials: _, kind: _kind, demo: _demo, ...wireFields } = accountRow.shape

/** Where an account's keys are. `path`: the file of `file`, the entry of `keychain`. */
export const keyPlace = z.looseObject({
  from: z.enum(KEY_SOURCES, `must be ${KEY_SOURCES.join(', ')}`),
  path: z.exactOptional(z.string()),
})
export type KeyPlace = Readonly<RowOf<(typeof keyPlace)['def']['shape']>>

const PRICES = /^[a-z0-9_-]{1,32}:(spot|linear|inverse)$/

export const shape = {
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
export function settingsOf({ kind, demo, credentials, prices }: NewAccount): Partial<AccountRow> {
  return Object.fromEntries(
    Object.entries({ kind, demo, credentials, prices }).filter(([, value]) => value !== undefined),
  ) as Partial<AccountRow>
}

/** Whether both rows have the same keys for the same venue, in themselves or in the same place. */
export function isSameKeys(a: AccountRow, b: AccountRow): boolean {
  const keysOf = (row: AccountRow) => [row.exchange, row.credentials, CREDENTIALS.map((key) => credentialsOf(row)[key])]
  return isSameValue(keysOf(a), keysOf(b))
}

/** The credentials that are there; an empty text is none. They are not checked: a file may have them as people wrote them. */
export function credentialsOf(row: object): Readonly<Partial<Record<Credential, string>>> {
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
export function timed(edit: AccountEdit, stored: AccountRow | undefined, now: number): AccountRow {
  const updatedAt = edit.updatedAt ?? editedAt(now, stored)
  const isSameAccount = stored !== undefined && (isLive(stored) || edit.deletedAt !== undefined)
  return { ...edit, createdAt: edit.createdAt ?? (isSameAccount ? stored.createdAt : updatedAt), updatedAt }
}

/** Without credentials, and without unknown fields, which may be credentials too. */
export function tombstoneOf({ name, exchange, createdAt, updatedAt, deletedAt }: AccountRow): AccountRow {
  return { name, exchange, createdAt, updatedAt, ...defined({ deletedAt }) }
}

/** The winner as it is stored: unknown fields and missing credentials come from the row it replaces. */
export function merged(stored: AccountRow | undefined, row: AccountRow): AccountRow {
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

export function withoutCredentials(row: AccountRow): AccountRow {
  const isCredential = (field: string) => (CREDENTIALS as readonly string[]).includes(field)
  return Object.fromEntries(Object.entries(row).filter(([field]) => !isCredential(field))) as AccountRow
}

function withoutPlace({ credentials: _place, ...row }: AccountRow): AccountRow {
  return row as AccountRow
}

/** @throws {StoreError} `invalid-value` */
export function requireExchange(exchange: string): void {
  if (/^[A-Za-z0-9_-]{1,32}$/.test(exchange)) return
  throw new StoreError('invalid-value', `"${exchange.slice(0, 40)}" cannot be an exchange`, {
    hint: 'use paper, or the id of an exchange in ccxt',
  })
}
