// `mutate:*`: what an approved client changes in the stores. Resolves with `mutate:ack.data` (behaviour 17); what it throws
// becomes `mutate:err`.
import { defined } from '../../base/defined.ts'
import { dropLooserLimits, rowsOf } from '../../commands/account/account-users.ts'
import { lookup } from '../../commands/catalogue.ts'
import { shortId } from '../../commands/cross-trade/row-words.ts'
import { CommandError } from '../../commands/kit/errors.ts'
import { withoutExtras } from '../../cross-trade/rows-check.ts'
import { registerHook } from '../../hooks/registration.ts'
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
import { type CrossTradeConfig, type CrossTradeStore, scrubCrossTradeConfig } from '../../stores/cross-trade.ts'
import type { Focus } from '../../stores/focus.ts'
import type { GuardStore } from '../../stores/guards.ts'
import { type Hook, type HookStore, type ScrubbedHook, scrubHook } from '../../stores/hooks.ts'
import { ROW_LIMITS, type TextMapStore } from '../../stores/rows.ts'
import type { TaskStore } from '../../stores/tasks.ts'

export type MutateFrame = Frame<'mutate:hook'> | Frame<'mutate:account'> | Frame<'mutate:cross-trade-config'>

export type HookOp = Frame<'mutate:hook'>['op']

export interface MutationPorts extends AccountEditPorts {
  readonly hooks: HookStore
  readonly aliases: TextMapStore
  readonly crossTrade: CrossTradeStore
  /** Called after a hook was created, rotated or revoked. */
  readonly onHook: (op: HookOp, hook: ScrubbedHook) => void
  /** Called after a cross-trade row was written or deleted. */
  readonly onCrossTrade: (
    op: 'upsert' | 'delete',
    row: Pick<CrossTradeConfig, 'id' | 'masterAccount'>,
    /** What of it waits for a yes at the terminal. */
    waits: readonly string[],
  ) => void
}

export function mutate(frame: MutateFrame, ports: MutationPorts): Promise<unknown> {
  switch (frame.t) {
    case 'mutate:hook':
      return mutateHook(frame, ports)
    case 'mutate:account':
      return mutateAccount(frame, ports)
    case 'mutate:cross-trade-config':
      return mutateCrossTradeConfig(frame, ports)
  }
}

async function mutateHook(frame: Frame<'mutate:hook'>, ports: MutationPorts): Promise<ScrubbedHook> {
  const hook = scrubHook(await changeHook(frame, ports))
  ports.onHook(frame.op, hook)
  return hook
}

function changeHook(frame: Frame<'mutate:hook'>, ports: MutationPorts): Promise<Hook> {
  const { op, account } = frame
  if (op === 'create') {
    const name = required(frame.name, 'name', frame)
    const command = required(frame.command, 'command', frame)
    const pin = defined({ account })
    return registerHook(ports, lookup, { name, command, ...pin }, ROW_LIMITS.hooks)
  }
  const hookId = required(frame.hookId, 'hookId', frame)
  return op === 'rotate' ? ports.hooks.rotate(hookId) : ports.hooks.revoke(hookId)
}

async function mutateCrossTradeConfig(
  frame: Frame<'mutate:cross-trade-config'>,
  { now, crossTrade, onCrossTrade }: MutationPorts,
): Promise<unknown> {
  const updatedAt = frame.updatedAt ?? frame.config?.updatedAt
  requireOurTime(updatedAt, now())
  if (frame.op === 'delete') {
    const id = required(frame.configId, 'configId', frame)
    const stored = crossTrade.list().find((row) => row.id === id)
    const { applied } = await crossTrade.remove(id, frame.updatedAt, ROW_LIMITS.crossTrade)
    if (!applied) return LOST
    if (stored !== undefined) onCrossTrade('delete', stored, [])
    return { id, deletedAt: now() }
  }
  const config = required(frame.config, 'config', frame)
  if ('deletedAt' in config) {
    throw new CommandError('invalid-field', '`config.deletedAt` cannot be stored', { hint: 'op `delete` deletes' })
  }
  const edit = { ...withoutExtras(config), ...defined({ updatedAt }) }
  const { applied, row } = await crossTrade.merge(edit, { maxRows: ROW_LIMITS.crossTrade })
  if (!applied) return LOST
  onCrossTrade('upsert', row, crossTrade.waiting().get(row.id) ?? [])
  return scrubCrossTradeConfig(row)
}

// What holds for every edit by a client, whatever it edits (behaviour 17).

/** `mutate:ack.data` of an edit that a newer one has overtaken. */
const LOST = { applied: false } as const

/** An edit from far ahead would win over all others for that long; a clock that is a little fast is common. */
const MAX_AHEAD_MS = 24 * 60 * 60 * 1_000

/** @throws {CommandError} `bad-time` */
function requireOurTime(updatedAt: number | undefined, now: number): void {
  if (updatedAt === undefined || updatedAt <= now + MAX_AHEAD_MS) return
  throw new CommandError('bad-time', '`updatedAt` is more than a day ahead of this machine', {
    hint: 'send milliseconds since 1970, and check the clocks',
  })
}

/** @throws {CommandError} `missing-field` */
function required<T>(value: T | undefined, field: string, { t, op }: { readonly t: string; readonly op: string }): T {
  if (value !== undefined) return value
  throw new CommandError('missing-field', `${t} with op ${op} needs \`${field}\``)
}

// `mutate:account`: what it would change, whether the operator is asked first, and what is written (behaviour 17). An edit of the account that
// is traded on, or of one that hooks and tasks trade on, may put someone else's keys under its name.

interface AccountEditPorts {
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

async function mutateAccount(frame: Frame<'mutate:account'>, ports: AccountEditPorts): Promise<unknown> {
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
 * Asks the operator where the account is in use. An edit that has lost already asks no one.
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
