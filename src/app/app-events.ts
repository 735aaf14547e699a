import type { ListenerEvent } from '../listener/listener-state.ts'
import type { SessionEvents } from '../listener/sessions/sessions-options.ts'
import type { StoreProblem } from '../stores/store-error.ts'
import type { TaskReport } from '../tasks/task-port.ts'
import type { Meanwhile } from '../trading/offline-changes.ts'
import type { OrderEvent } from '../trading/order-event.ts'
import type { Notice } from './notice.ts'

/** What the app reports, for whichever front shows it to a person. */
export interface AppEvents extends Pick<SessionEvents, 'question' | 'editQuestion' | 'activity'> {
  /** Something the operator should know that does not belong to a run. */
  warn(text: string): void
  listener(event: ListenerEvent): void
  /** A file, or a row in one, has gone bad. */
  problem(problem: StoreProblem): void
  /** Something became of an order that nobody here waits for. */
  order(account: string, event: OrderEvent): void
  /** Something to tell of a task. */
  task(told: TaskReport): void
  /** What the cross-trade engine of this process tells. */
  engine?(notice: Notice): void
  /** The console is served. */
  console?(notice: Notice): void
  /** What happened on an account that no process watched. */
  meanwhile(account: string, meanwhile: Meanwhile): void
}
