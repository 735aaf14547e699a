// `mutate:*`: what an approved client changes in the stores. Resolves with `mutate:ack.data` (design decision 17); what it throws
// becomes `mutate:err`.
import { lookup } from '../commands/catalogue.ts'
import { CommandError, type Services } from '../commands/command.ts'
import { requireExchange } from '../commands/exchanges.ts'
import { registerHook } from '../commands/hook-registry.ts'
import type { Frame } from '../protocol/frames.ts'
import { scrubAccount } from '../stores/accounts.ts'
import { type CrossTradeStore, scrubCrossTradeConfig } from '../stores/cross-trade.ts'
import { scrubHook } from '../stores/hooks.ts'

export type MutateFrame = Frame<'mutate:hook'> | Frame<'mutate:account'> | Frame<'mutate:cross-trade-config'>

export interface MutationPorts {
  readonly services: Pick<Services, 'config' | 'hooks' | 'accounts' | 'aliases' | 'disconnect' | 'now'>
  readonly crossTrade: CrossTradeStore
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

async function mutateHook(frame: Frame<'mutate:hook'>, { services }: MutationPorts): Promise<unknown> {
  const { op, account } = frame
  if (op === 'create') {
    const name = required(frame.name, 'name', frame)
    const command = required(frame.command, 'command', frame)
    const pin = account === undefined ? {} : { account }
    return scrubHook(await registerHook(services, lookup, { name, command, ...pin }))
  }
  const hookId = required(frame.hookId, 'hookId', frame)
  return scrubHook(op === 'rotate' ? await services.hooks.rotate(hookId) : await services.hooks.revoke(hookId))
}

async function mutateAccount(frame: Frame<'mutate:account'>, { services }: MutationPorts): Promise<unknown> {
  if (!services.config.read().listener.accountSync) throw new CommandError('disabled', 'accountSync disabled')
  const { accounts, disconnect } = services
  const updatedAt = frame.updatedAt ?? services.now()
  if (frame.op === 'delete') {
    const name = required(frame.name, 'name', frame)
    const stored = accounts.find(name)
    const row = { name, exchange: stored?.exchange ?? 'paper', createdAt: stored?.createdAt ?? updatedAt }
    // By our own clock: the tombstone serves its time from here, however old the edit is.
    const deletedAt = services.now()
    if (!(await accounts.merge({ ...row, updatedAt, deletedAt }))) return LOST
    await disconnect(name)
    return { name, deletedAt }
  }
  const edit = required(frame.account, 'account', frame)
  requireExchange(edit.exchange)
  const createdAt = accounts.find(edit.name)?.createdAt ?? updatedAt
  if (!(await accounts.merge({ ...edit, createdAt, updatedAt }))) return LOST
  await disconnect(edit.name)
  const row = accounts.find(edit.name)
  return row ? scrubAccount(row) : LOST
}

async function mutateCrossTradeConfig(
  frame: Frame<'mutate:cross-trade-config'>,
  { services, crossTrade }: MutationPorts,
): Promise<unknown> {
  if (frame.op === 'delete') {
    const id = required(frame.configId, 'configId', frame)
    const { applied } = await crossTrade.remove(id, frame.updatedAt)
    return applied ? { id, deletedAt: services.now() } : LOST
  }
  const config = required(frame.config, 'config', frame)
  const updatedAt = config.updatedAt ?? frame.updatedAt
  const { applied, row } = await crossTrade.merge({ ...config, ...(updatedAt === undefined ? {} : { updatedAt }) })
  return applied ? scrubCrossTradeConfig(row) : LOST
}

function required<T>(value: T | undefined, field: string, { t, op }: MutateFrame): T {
  if (value !== undefined) return value
  throw new CommandError('missing-field', `${t} with op ${op} needs \`${field}\``)
}
