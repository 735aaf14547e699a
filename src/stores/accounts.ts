// `accounts.json`: names, venues and keys (behaviour 23). The last write wins; keys that an edit leaves out stay.
import { join } from 'node:path'
import * as z from 'zod/mini'
import { requireAccountName } from './account-name.ts'
import {
  type AccountEdit,
  type AccountRow,
  credentialsOf,
  hasPlainKeys,
  isSameKeys,
  type KeyPlace,
  merged,
  type NewAccount,
  requireExchange,
  settingsOf,
  shape,
  timed,
  tombstoneOf,
  withoutCredentials,
} from './account-row.ts'
import { eraseCopies, eraseKept, hasKept, keepForErasing } from './erased-file.ts'
import { withFileLock } from './file-lock.ts'
import { createJsonFile, type FileState, type JsonFile, stateOf, updateReturning } from './json-file.ts'
import { editedAt, isLive, isNewer, withRow } from './last-write-wins.ts'
import { rowsUnder } from './row-file.ts'
import { requireRoom, requireShortRow } from './row-limits.ts'
import { StoreError } from './store-error.ts'

export {
  type AccountEdit,
  type AccountRow,
  credentialsOf,
  hasCredentials,
  hasPlainKeys,
  isDemo,
  isSameConnection,
  type KeyPlace,
  type NewAccount,
  requireExchange,
  type ScrubbedAccount,
  scrubAccount,
  sensitiveChanges,
} from './account-row.ts'

/** Keys of a row that are kept elsewhere from now on. */
export interface KeyMove {
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
  return new StoreError('already-exists', `account "${name}" already exists`, {
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
