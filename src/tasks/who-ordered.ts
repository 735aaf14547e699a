import { defined } from '../base/defined.ts'
import type { OrderedBy } from '../trading/order-plan.ts'
import type { AskedBy } from './task-port.ts'

/** Who ordered, for an order of a task: the one who began it. */
export function orderedBy(
  { source, runId, origin, hookId, clientId }: AskedBy,
  taskId: string,
  step: number,
): OrderedBy {
  return { source, runId, step, taskId, ...defined({ origin, hookId, clientId }) }
}
