// `mutate:*`: what an approved client changes in the stores. Resolves with `mutate:ack.data` (behaviour 17); what it throws
// becomes `mutate:err`.
import { lookup } from '../../commands/catalogue.ts'
import { CommandError } from '../../commands/kit/command-error.ts'
import { findVenue } from '../../exchanges/venues.ts'
import { registerHook } from '../../hooks/registration.ts'
import { printable } from '../../language/printable.ts'
import type { Frame } from '../../protocol/frames.ts'
import { type AccountStore, scrubAccount } from '../../stores/accounts.ts'
import type { ConfigStore } from '../../stores/config.ts'
import { type CrossTradeStore, scrubCrossTradeConfig } from '../../stores/cross-trade.ts'
import { type Hook, type HookStore, type ScrubbedHook, scrubHook } from '../../stores/hooks.ts'
import type { TextMapStore } from '../../stores/text-map.ts'

export type MutateFrame = Frame<'mutate:hook'> | Frame<'mutate:account'> | Frame<'mutate:cross-trade-config'>

export type HookOp = Frame<'mutate:hook'>['op']

export interface MutationPorts {
  readonly config: Pick<ConfigStore, 'read'>
  readonly hooks: HookStore
  readonly accounts: AccountStore
  readonly aliases: TextMapStore
  readonly crossTrade: CrossTradeStore
  /** ms since the epoch. */
  readonly now: () => number
  /** Ends a connection, because its account row changed or is gone. */
  readonly disconnect: (accountName: string) => Promise<void>
  /** Called after a hook was created, rotated or revoked. */
  readonly onHook: (op: HookOp, hook: ScrubbedHook) => void
}

const LOST = { applied: false } as const

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
    return registerHook(ports, lookup, { name, command, ...(account === undefined ? {} : { account }) })
  }
  const hookId = required(frame.hookId, 'hookId', frame)
  return op === 'rotate' ? ports.hooks.rotate(hookId) : ports.hooks.revoke(hookId)
}

async function mutateAccount(frame: Frame<'mutate:account'>, ports: MutationPorts): Promise<unknown> {
  const { config, accounts, disconnect, now } = ports
  if (!config.read().listener.accountSync) throw new CommandError('disabled', 'accountSync disabled')
  requireOurTime(frame.updatedAt, now())
  const edited = frame.updatedAt === undefined ? {} : { updatedAt: frame.updatedAt }
  if (frame.op === 'delete') {
    const name = required(frame.name, 'name', frame)
    const stored = accounts.find(name)
    const row = { name, exchange: stored?.exchange ?? 'paper', createdAt: stored?.createdAt ?? now() }
    // By our own clock: the tombstone serves its time from here, however old the edit is.
    const deletedAt = now()
    if (!(await accounts.merge({ ...row, ...edited, deletedAt }))) return LOST
    await disconnect(name)
    return { name, deletedAt }
  }
  const edit = required(frame.account, 'account', frame)
  requireVenue(edit.exchange)
  const createdAt = accounts.find(edit.name)?.createdAt ?? frame.updatedAt ?? now()
  if (!(await accounts.merge({ ...edit, createdAt, ...edited }))) return LOST
  await disconnect(edit.name)
  const row = accounts.find(edit.name)
  return row ? scrubAccount(row) : LOST
}

async function mutateCrossTradeConfig(
  frame: Frame<'mutate:cross-trade-config'>,
  { now, crossTrade }: MutationPorts,
): Promise<unknown> {
  requireOurTime(frame.updatedAt, now())
  requireOurTime(frame.config?.updatedAt, now())
  if (frame.op === 'delete') {
    const id = required(frame.configId, 'configId', frame)
    const { applied } = await crossTrade.remove(id, frame.updatedAt)
    return applied ? { id, deletedAt: now() } : LOST
  }
  const config = required(frame.config, 'config', frame)
  const updatedAt = config.updatedAt ?? frame.updatedAt
  const { applied, row } = await crossTrade.merge({ ...config, ...(updatedAt === undefined ? {} : { updatedAt }) })
  return applied ? scrubCrossTradeConfig(row) : LOST
}

/** @throws {CommandError} `unknown-exchange` */
function requireVenue(id: string): void {
  if (findVenue(id) !== undefined) return
  throw new CommandError('unknown-exchange', `${printable(id, 32)} is not an exchange known here`, {
    hint: 'use paper, or the ccxt id of a venue, such as bybit',
  })
}

/** An edit from far ahead would win over all others for that long; a clock that is a little fast is common. */
const MAX_AHEAD_MS = 24 * 60 * 60 * 1_000

/** @throws {CommandError} `bad-time` */
function requireOurTime(updatedAt: number | undefined, now: number): void {
  if (updatedAt === undefined || updatedAt <= now + MAX_AHEAD_MS) return
  throw new CommandError('bad-time', '`updatedAt` is more than a day ahead of this machine', {
    hint: 'send milliseconds since 1970, and check the clocks',
  })
}

function required<T>(value: T | undefined, field: string, { t, op }: MutateFrame): T {
  if (value !== undefined) return value
  throw new CommandError('missing-field', `${t} with op ${op} needs \`${field}\``)
}
