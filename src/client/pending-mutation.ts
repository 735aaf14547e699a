// One `mutate:*` as its caller sees it: a promise of `mutate:ack.data`.
import type { Frame } from '../protocol/frames.ts'
import type { ClientError } from './client-error.ts'
import { type AnswerFrame, type PendingCall, refused } from './pending-calls.ts'

export type MutateFrame = Frame<'mutate:hook'> | Frame<'mutate:account'> | Frame<'mutate:cross-trade-config'>

export class PendingMutation implements PendingCall {
  readonly canPrintLater = false
  readonly data: Promise<unknown>
  #succeed!: (data: unknown) => void
  #fail!: (error: ClientError) => void

  constructor() {
    this.data = new Promise((resolve, reject) => {
      this.#succeed = resolve
      this.#fail = reject
    })
  }

  answer(frame: AnswerFrame): boolean {
    switch (frame.t) {
      case 'mutate:ack':
        this.#succeed(frame.data)
        return true
      case 'mutate:err':
      case 'error':
        this.fail(refused(frame.error))
        return true
      default:
        return false
    }
  }

  fail(error: ClientError): void {
    this.#fail(error)
  }
}
