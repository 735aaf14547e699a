// One `mutate:*` as its caller sees it: `mutate:ack.data`.
import type { Frame } from '../protocol/frames.ts'
import { type Outcome, PendingAnswer } from './pending-answer.ts'
import { type AnswerFrame, refused } from './pending-calls.ts'

export type MutateFrame = Frame<'mutate:hook'> | Frame<'mutate:account'> | Frame<'mutate:cross-trade-config'>

export function pendingMutation(): PendingAnswer<unknown> {
  return new PendingAnswer(readMutation)
}

function readMutation(frame: AnswerFrame): Outcome<unknown> {
  if (frame.t === 'mutate:ack') return { value: frame.data }
  return frame.t === 'mutate:err' ? { error: refused(frame.error) } : undefined
}
