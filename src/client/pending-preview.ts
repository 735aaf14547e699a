// One `preview` as its caller sees it: what the line would do.
import type { Preview } from '../protocol/preview.ts'
import { ClientError } from './client-error.ts'
import { type Outcome, PendingAnswer } from './pending-answer.ts'
import { type AnswerFrame, refused } from './pending-calls.ts'

export function pendingPreview(): PendingAnswer<Preview> {
  return new PendingAnswer(readPreview)
}

function readPreview(frame: AnswerFrame): Outcome<Preview> {
  if (frame.t === 'preview:ok') return { value: frame.preview }
  if (frame.t !== 'preview:err') return undefined
  const { code, error } = frame
  return { error: code === 'superseded' ? new ClientError('superseded', 'sent', error) : refused(error) }
}
