// Who begins a task, or asks something of it: the one who typed, fired or sent the run.
import { defined } from '../../base/defined.ts'
import type { AskedBy } from '../../tasks/task-port.ts'
import type { CommandContext } from '../kit/command.ts'

/** @throws {CommandError} the run was stopped, or may send nothing more */
export function askedBy(context: Pick<CommandContext, 'orderedBy'>): AskedBy {
  const { source, runId, origin, hookId, clientId, isDry, admission } = context.orderedBy()
  return { source, runId, ...defined({ origin, hookId, clientId, isDry, admission: admission?.() }) }
}
