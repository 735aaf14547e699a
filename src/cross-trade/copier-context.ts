import type { Clock } from '../trading/clock.ts'
import type { OrderedBy } from '../trading/order-plan.ts'
import type { CopierEvent } from './copier-event.ts'
import type { ChasePort } from './copy-chase.ts'
import type { StateJournal } from './state-journal.ts'

/** What all copiers of an engine share. */
export interface CopierContext {
  readonly journal: StateJournal
  readonly clock: Clock
  /** The engine stops. */
  readonly signal: AbortSignal
  readonly by: Pick<OrderedBy, 'source' | 'runId'>
  /** Absent: nothing here drives tasks. */
  readonly chase?: ChasePort
  readonly report: (event: CopierEvent) => void
  readonly onProblem: (error: unknown) => void
  /** Why no order may be sent at this moment, by anyone. */
  readonly whyIdle: () => string | undefined
}
