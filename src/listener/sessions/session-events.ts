// What the WebSocket side tells the rest of the program.
import type { Question, QuestionEvents } from '../approvals/approvals.ts'
import type { HookOp } from './mutations.ts'

export interface SessionEvents extends QuestionEvents {
  /** A client did something that the operator should know. */
  activity(activity: ClientActivity): void
  /** A client was turned away because it did not prove itself. Texts are as it sent them. */
  unproven(client: Question): void
  /** An error of no known class. */
  bug(error: unknown): void
}

export type ClientActivity =
  | { readonly type: 'connected' | 'disconnected'; readonly label: string; readonly origin: string }
  | {
      readonly type: 'hook'
      readonly op: HookOp
      readonly label: string
      readonly hookId: string
      readonly name: string
    }
  /** Both this machine's engine and a web page's trade the same configs: orders would be doubled. */
  | { readonly type: 'dual-engine'; readonly active: boolean }
