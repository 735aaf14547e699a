// A call with one answer, as its caller sees it: a promise.
import type { ClientError } from './client-error.ts'
import { type AnswerFrame, type PendingCall, refused } from './pending-calls.ts'

/** What a frame makes of the call: its value, why there is none, or undefined where it is not the answer. */
export type Outcome<T> = { readonly value: T } | { readonly error: ClientError } | undefined

export class PendingAnswer<T> implements PendingCall {
  readonly canPrintLater = false
  /** Rejects with a {@link ClientError}. */
  readonly answered: Promise<T>
  readonly #read: (frame: AnswerFrame) => Outcome<T>
  #succeed!: (value: T) => void
  #fail!: (error: ClientError) => void

  /** @param read is not asked of an `error`, which ends every call */
  constructor(read: (frame: AnswerFrame) => Outcome<T>) {
    this.#read = read
    this.answered = new Promise((resolve, reject) => {
      this.#succeed = resolve
      this.#fail = reject
    })
  }

  answer(frame: AnswerFrame): boolean {
    const outcome = frame.t === 'error' ? { error: refused(frame.error) } : this.#read(frame)
    if (outcome === undefined) return false
    if ('error' in outcome) this.fail(outcome.error)
    else this.#succeed(outcome.value)
    return true
  }

  fail(error: ClientError): void {
    this.#fail(error)
  }
}
