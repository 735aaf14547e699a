// What a page asks and what answers it, by the frame's `t`.
import type { Frame, ServerFrame } from '../../protocol/frames.ts'

interface AnswerTo {
  'runs:query': 'runs:page'
  'runs:show': 'runs:run'
  'fills:query': 'fills:page'
  'equity:query': 'equity:page'
  'pnl:query': 'pnl:page'
  'copies:query': 'copies:page'
  'copy:check': 'copy:checked'
}

export type QuestionName = keyof AnswerTo
export type QuestionFrame = Frame<QuestionName>

/** @throws what is a refusal for people; anything else is a bug */
export type Answerer<T extends QuestionName> = (frame: Frame<T>) => Promise<Frame<AnswerTo[T]>>

export type Answerers = { readonly [T in QuestionName]: Answerer<T> }

export function answerBy(answerers: Answerers, frame: QuestionFrame): Promise<ServerFrame> {
  // The union of the answerers takes no frame; the one of this name takes this frame.
  const answerer = answerers[frame.t] as (question: QuestionFrame) => Promise<ServerFrame>
  return answerer(frame)
}

/** About an account: refused while `listener.accountSync` is off. */
export function isAboutAccount(t: QuestionName): boolean {
  return t !== 'runs:query' && t !== 'runs:show'
}
