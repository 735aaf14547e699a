// Who begins a task, or asks something of it: the one who typed, fired or sent the run.
import type { AskedBy } from '../../tasks/task-port.ts'
import type { CommandContext } from '../kit/command.ts'

/** @throws {CommandError} the run was stopped, or may send nothing more */
export function askedBy(context: Pick<CommandContext, 'orderedBy'>): AskedBy {
  const { source, runId, origin, hookId, clientId, isDry, admission } = context.orderedBy()
  return {
    ...{ source, runId },
    ...(origin === undefined ? {} : { origin }),
    ...(hookId === undefined ? {} : { hookId }),
    ...(clientId === undefined ? {} : { clientId }),
    ...(isDry === undefined ? {} : { isDry }),
    ...(admission === undefined ? {} : { admission: admission() }),
  }
}
