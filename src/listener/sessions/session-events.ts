// What the WebSocket side tells the rest of the program.
import type { Question, QuestionEvents } from '../approvals/approvals.ts'
import type { EditEnd, EditQuestion } from '../approvals/edit-questions.ts'
import type { HookOp } from './mutations.ts'

export interface SessionEvents extends QuestionEvents {
  /** The edit that the operator is asked about has changed, undefined: there is none; `ended` says what became of the one shown before. */
  editQuestion(question: EditQuestion | undefined, waiting: number, ended?: EditEnd): void
  /** A client did something that the operator should know. `by`: whose page, where it edited something. */
  activity(activity: ClientActivity, by?: ActingClient): void
  /** A client was turned away because it did not prove itself. Texts are as it sent them. */
  unproven(client: Question): void
  /** An error of no known class. */
  bug(error: unknown): void
}

/** As it was let in. */
export interface ActingClient {
  readonly clientId: string
  readonly origin: string
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
  | {
      readonly type: 'account'
      readonly op: 'add' | 'change' | 'delete'
      readonly label: string
      readonly name: string
      readonly exchange: string
      /** As in `AccountChange`. */
      readonly fields: readonly string[]
    }
  | {
      readonly type: 'cross-trade'
      readonly op: 'upsert' | 'delete'
      readonly label: string
      readonly id: string
      readonly masterAccount: string
      /** What of it copies only after a yes at the terminal. */
      readonly waits: readonly string[]
    }
  /** Both this machine's engine and web pages' trade the same configs: orders would be doubled. `labels`: of the pages. */
  | { readonly type: 'dual-engine'; readonly active: boolean; readonly labels: readonly string[] }
