// `mutate:*`: what an approved client changes in the stores. Resolves with `mutate:ack.data` (behaviour 17); what it throws
// becomes `mutate:err`.
import { defined } from '../../base/defined.ts'
import { lookup } from '../../commands/catalogue.ts'
import { CommandError } from '../../commands/kit/command-error.ts'
import { withoutExtras } from '../../cross-trade/row-extras.ts'
import { registerHook } from '../../hooks/registration.ts'
import type { Frame } from '../../protocol/frames.ts'
import { type CrossTradeConfig, type CrossTradeStore, scrubCrossTradeConfig } from '../../stores/cross-trade.ts'
import { type Hook, type HookStore, type ScrubbedHook, scrubHook } from '../../stores/hooks.ts'
import { ROW_LIMITS } from '../../stores/row-limits.ts'
import type { TextMapStore } from '../../stores/text-map.ts'
import { type AccountEditPorts, mutateAccount } from './account-edits.ts'
import { LOST, required, requireOurTime } from './edit-rules.ts'

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
