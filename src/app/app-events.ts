// What the app reports, and the line that a person reads of it.
import type { CopierEvent } from '../cross-trade/engine-port.ts'
import type { KnownMarkets } from '../exchange/market.ts'
import type { ListenerEvent } from '../listener/listener-state.ts'
import type { SessionEvents } from '../listener/sessions/sessions-options.ts'
import type { OutputKind } from '../runs/run.ts'
import type { StoreProblem } from '../stores/store-error.ts'
import type { TaskReport } from '../tasks/task-port.ts'
import type { Meanwhile } from '../trading/offline-changes.ts'
import type { OrderEvent } from '../trading/order-event.ts'

type Copied = Extract<CopierEvent, { type: 'copied' }>

/** For whichever front shows it to a person. */
export interface AppEvents extends Pick<SessionEvents, 'question' | 'editQuestion' | 'activity'> {
  /** Something the operator should know that does not belong to a run. */
  warn(text: string): void
  listener(event: ListenerEvent): void
  /** A file, or a row in one, has gone bad. */
  problem(problem: StoreProblem): void
  /** An order changed for which no run here waits. */
  order(account: string, event: OrderEvent, known: KnownMarkets): void
  /** A task changed. */
  task(report: TaskReport, known: KnownMarkets): void
  /** A hook did not fire by itself, or is not judged: the line that was given as a warning, for who is away. */
  unfired?(hook: string, text: string): void
  /** The cross-trade engine of this process reports. */
  engine?(notice: Notice): void
  /** A copier has traded, in the engine of this process. */
  copied?(copied: Copied): void
  /** The console is served. */
  console?(notice: Notice): void
  /** A client proposes a line, or one that it proposed has ended without a run. */
  proposal?(notice: Notice): void
  /** What happened on an account that no process watched. */
  meanwhile(account: string, meanwhile: Meanwhile, known: KnownMarkets): void
}

/** One line with the fact, its cause and what to do next; more lines where there are details. */
export interface Notice {
  readonly kind: OutputKind
  readonly text: string
}

/** For commands that end by themselves: only warnings are printed, on stderr. */
export const quietEvents: AppEvents = {
  warn: (text) => void process.stderr.write(`${text}\n`),
  listener: () => {},
  problem: () => {},
  question: () => {},
  editQuestion: () => {},
  activity: () => {},
  order: () => {},
  task: () => {},
  meanwhile: () => {},
}
