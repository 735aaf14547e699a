// `mutate:account`: what it would change, whether the operator is asked first, and what is written (behaviour 17). An edit of the account that
// is traded on, or of one that hooks and tasks trade on, may put someone else's keys under its name.

import { defined } from '../../base/defined.ts'
import { dropLooserLimits, rowsOf } from '../../commands/account/account-users.ts'
import { shortId } from '../../commands/cross-trade/row-words.ts'
import { CommandError } from '../../commands/kit/command-error.ts'
import type { Focus } from '../../commands/kit/ports.ts'
import type { Frame } from '../../protocol/frames.ts'
import { ACCOUNT_PLACES, ACCOUNT_SWITCHES } from '../../protocol/rows.ts'
import {
  type AccountEdit,
  type AccountRow,
  type AccountStore,
  requireExchange,
  scrubAccount,
  sensitiveChanges,
} from '../../stores/accounts.ts'
import type { ConfigStore } from '../../stores/config.ts'
import type { CrossTradeStore } from '../../stores/cross-trade.ts'
import type { GuardStore } from '../../stores/guards.ts'
import type { HookStore } from '../../stores/hooks.ts'
import { ROW_LIMITS } from '../../stores/row-limits.ts'
import type { TaskStore } from '../../stores/tasks.ts'
import { LOST, required, requireOurTime } from './edit-rules.ts'

export interface AccountEditPorts {
  readonly config: Pick<ConfigStore, 'read'>
  readonly focus: Pick<Focus, 'account'>
  readonly hooks: Pick<HookStore, 'list'>
  readonly tasks: Pick<TaskStore, 'list'>
  readonly accounts: AccountStore
  readonly crossTrade: Pick<CrossTradeStore, 'list'>
  readonly guards: Pick<GuardStore, 'list' | 'setLimits'>
  /** What the account holds, in words; undefined: nothing. Why it cannot be known, where it cannot. */
  readonly holdingsOf: (accountName: string) => Promise<string | undefined>
  /** ms since the epoch. */
  readonly now: () => number
  /** Ends a connection, because its account row changed or is gone. */
  readonly disconnect: (accountName: string) => Promise<void>
  /** Resolves once the operator has allowed it. @throws {CommandError} why it is not */
  readonly confirm: (change: AccountChange) => Promise<void>
  /** Called after a row was written. */
  readonly onAccount: (change: Omit<AccountChange, 'uses'>) => void
}

/** What an edit does to an account. */
export interface AccountChange {
  readonly op: 'add' | 'change' | 'delete'
  readonly name: string
  readonly exchange: string
  /** Names of fields that decide which money is traded, with the value where that may be shown: `apiKey`, `testnet false, was true`. */
  readonly fields: readonly string[]
  /** Who trades on it: `in focus`, `hook dip`. */
  readonly uses: readonly string[]
}

export async function mutateAccount(frame: Frame<'mutate:account'>, ports: AccountEditPorts): Promise<unknown> {
  requireAccountSync(ports)
  return frame.op === 'delete' ? deleteAccount(frame, ports) : upsertAccount(frame, ports)
}

async function deleteAccount(frame: Frame<'mutate:account'>, ports: AccountEditPorts): Promise<unknown> {
  const { accounts, now } = ports
  const name = required(frame.name, 'name', frame)
  requireOurTime(frame.updatedAt, now())
  const stored = accounts.find(name)
  const exchange = stored?.exchange ?? 'paper'
  const uses = await usesOf(name, stored, ports)
  const change = { op: 'delete', name, exchange, fields: [], uses } as const
  const edit = { name, exchange, updatedAt: frame.updatedAt }
  const updatedAt = stored === undefined ? edit.updatedAt : await allow(change, stored, edit.updatedAt, ports)
  // By our own clock: the tombstone serves its time from here, however old the edit is.
  const deletedAt = now()
  const tombstone = { name, exchange, deletedAt, ...defined({ updatedAt }) }
  if ((await accounts.merge(tombstone, ROW_LIMITS.accounts)) === undefined) return LOST
  await ports.disconnect(name)
  if (stored !== undefined) ports.onAccount(change)
  return { name, deletedAt }
}

async function upsertAccount(frame: Frame<'mutate:account'>, ports: AccountEditPorts): Promise<unknown> {
  const { accounts, now } = ports
  const { updatedAt: ofRow, ...edit } = readEdit(required(frame.account, 'account', frame))
  const asked = frame.updatedAt ?? ofRow
  requireOurTime(asked, now())
  const { name, exchange } = edit
  const stored = accounts.find(name)
  const changed = sensitiveChanges(stored, edit)
  const fields = changed
    .filter((field) => stored || field !== 'exchange')
    .map((field) => describeField(field, edit, stored))
  const uses = changed.length === 0 ? [] : await usesOf(name, stored, ports)
  const change = { op: stored ? 'change' : 'add', name, exchange, fields, uses } as const
  const updatedAt = changed.length === 0 ? asked : await allow(change, stored, asked, ports)
  // What was set for another account of that name does not loosen this one.
  if (stored?.exchange !== exchange) await dropLooserLimits(ports.guards, name, exchange)
  const row = await accounts.merge({ ...edit, ...defined({ updatedAt }) }, ROW_LIMITS.accounts)
  if (row === undefined) return LOST
  await ports.disconnect(name)
  ports.onAccount(change)
  return scrubAccount(row)
}

/**
 * Asks the operator where the account is in use. An edit that has lost already asks nobody.
 * @returns when the edit was made; undefined: now
 * @throws {CommandError} the operator does not allow it
 */
async function allow(
  change: AccountChange,
  stored: AccountRow | undefined,
  updatedAt: number | undefined,
  ports: AccountEditPorts,
): Promise<number | undefined> {
  const hasLost = stored !== undefined && updatedAt !== undefined && updatedAt <= stored.updatedAt
  if (change.uses.length === 0 || hasLost) return updatedAt
  // What is changed while the operator thinks is newer than this edit.
  const arrivedAt = Math.max(ports.now(), (stored?.updatedAt ?? 0) + 1)
  await ports.confirm(change)
  requireAccountSync(ports)
  return updatedAt ?? arrivedAt
}

const OPEN_FIELDS: ReadonlySet<string> = new Set(['exchange', 'kind', 'prices', ...ACCOUNT_SWITCHES, ...ACCOUNT_PLACES])

function describeField(field: string, edit: object, stored: object | undefined): string {
  if (!OPEN_FIELDS.has(field)) return field
  const [after, before] = [edit, stored].map((row) => (row as Readonly<Record<string, unknown>> | undefined)?.[field])
  return `${field} ${after ?? 'gone'}${before === undefined ? '' : `, was ${before}`}`
}

const MAX_USES = 5

async function usesOf(
  name: string,
  stored: AccountRow | undefined,
  { focus, config, hooks, tasks, crossTrade, holdingsOf }: AccountEditPorts,
): Promise<readonly string[]> {
  const isInFocus = name === focus.account() || name === config.read().defaultAccount
  const isHeld = (row: { readonly account?: string; readonly status?: string }) =>
    row.account === name && (row.status === undefined || row.status === 'running' || row.status === 'interrupted')
  const users = [
    ...hooks
      .list()
      .filter(isHeld)
      .map((hook) => `hook ${hook.name}`),
    ...tasks
      .list()
      .filter(isHeld)
      .map((task) => `task ${task.kind} ${task.symbol}`),
    ...rowsOf({ crossTrade }, name).map(({ id }) => `cross-trade row ${shortId(id)}`),
  ]
  const more = users.length > MAX_USES ? [`${users.length - MAX_USES} more`] : []
  const known = [...(isInFocus ? ['in focus'] : []), ...users.slice(0, MAX_USES), ...more]
  if (known.length > 0 || stored === undefined) return known
  const held = await holdingsOf(name)
  return held === undefined ? [] : [held]
}

/** Fields that hookline makes itself: a page that sends a row back as it came has them. */
const DERIVED = new Set(['hasCredentials'])
/** Fields that no row can keep, or that no page may set: where keys are read from is the operator's to say. */
const REFUSED = ['deletedAt', 'credentials', '__proto__']

/** Empty fields are as good as absent; ccxt writes the ids of exchanges in lower case. @throws {CommandError} `invalid-field` @throws {StoreError} `invalid-value` */
function readEdit(account: NonNullable<Frame<'mutate:account'>['account']>): AccountEdit {
  for (const field of REFUSED) {
    if (!Object.hasOwn(account, field)) continue
    throw new CommandError('invalid-field', `\`account.${field}\` cannot be stored`, {
      hint: 'leave it out; op `delete` deletes',
    })
  }
  const fields = Object.entries(account).filter(
    ([field, value]) => !DERIVED.has(field) && value !== null && value !== '',
  )
  const exchange = account.exchange.toLowerCase()
  requireExchange(exchange)
  return { ...(Object.fromEntries(fields) as unknown as AccountEdit), exchange }
}

/** @throws {CommandError} `disabled` */
function requireAccountSync({ config }: Pick<AccountEditPorts, 'config'>): void {
  if (!config.read().listener.accountSync) throw new CommandError('disabled', 'accountSync disabled')
}
