// One `preview` as its caller sees it: a promise of what the line would do.
import type { Preview } from '../protocol/preview.ts'
import { ClientError } from './client-error.ts'
import { type AnswerFrame, type PendingCall, refused } from './pending-calls.ts'

export class PendingPreview implements PendingCall {
  readonly canPrintLater = false
  readonly preview: Promise<Preview>
  #succeed!: (preview: Preview) => void
  #fail!: (error: ClientError) => void

  constructor() {
    this.preview = new Promise((resolve, reject) => {
      this.#succeed = resolve
      this.#fail = reject
    })
  }

  answer(frame: AnswerFrame): boolean {
    switch (frame.t) {
      case 'preview:ok':
        this.#succeed(frame.preview)
        return true
      case 'preview:err':
        this.fail(frame.code === 'superseded' ? superseded(frame.error) : refused(frame.error))
        return true
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

function superseded(error: string): ClientError {
  return new ClientError('superseded', 'sent', error)
}
