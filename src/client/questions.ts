// What a page asks besides commands and edits: one answer each, or an error.
import type { Frame } from '../protocol/frames.ts'
import { PendingAnswer } from './pending-calls.ts'

/** Which frame answers which. */
interface Answers {
  'runs:query': 'runs:page'
  'runs:show': 'runs:run'
  'fills:query': 'fills:page'
  'equity:query': 'equity:page'
  'pnl:query': 'pnl:page'
  complete: 'complete:ok'
  'hooks:counts': 'hooks:day'
  'copies:query': 'copies:page'
  'copy:check': 'copy:checked'
}

export type QuestionFrame = Frame<keyof Answers>

/** A frame's fields, as a caller fills them in. */
export type Question<T extends QuestionFrame['t']> = Omit<Frame<T>, 't' | 'id'>
export type Answer<T extends QuestionFrame['t']> = Frame<Answers[T]>

const ANSWERS: Readonly<Answers> = {
  'runs:query': 'runs:page',
  'runs:show': 'runs:run',
  'fills:query': 'fills:page',
  'equity:query': 'equity:page',
  'pnl:query': 'pnl:page',
  complete: 'complete:ok',
  'hooks:counts': 'hooks:day',
  'copies:query': 'copies:page',
  'copy:check': 'copy:checked',
}

/** Each rejects with a `ClientError`. They change nothing: one that was lost with the connection may be asked again. */
export interface Questions {
  runs(question?: Question<'runs:query'>): Promise<Answer<'runs:query'>>
  run(runId: string): Promise<Answer<'runs:show'>>
  fills(question?: Question<'fills:query'>): Promise<Answer<'fills:query'>>
  equity(question?: Question<'equity:query'>): Promise<Answer<'equity:query'>>
  pnl(question: Question<'pnl:query'>): Promise<Answer<'pnl:query'>>
  complete(question: Question<'complete'>): Promise<Answer<'complete'>>
  /** How hooks fared in 24 h; those that did not fire are not in it. */
  hookCounts(): Promise<Answer<'hooks:counts'>>
  /** What copiers ordered last. */
  copies(question?: Question<'copies:query'>): Promise<Answer<'copies:query'>>
  /** Whether a pair could be copied, as it was typed. */
  copyCheck(question: Question<'copy:check'>): Promise<Answer<'copy:check'>>
}

/** @param ask sends the question under an id of its own */
export function questionsBy(
  ask: <T extends QuestionFrame['t']>(t: T, question: Question<T>) => Promise<Answer<T>>,
): Questions {
  return {
    runs: (question = {}) => ask('runs:query', question),
    run: (runId) => ask('runs:show', { runId }),
    fills: (question = {}) => ask('fills:query', question),
    equity: (question = {}) => ask('equity:query', question),
    pnl: (question) => ask('pnl:query', question),
    complete: (question) => ask('complete', question),
    hookCounts: () => ask('hooks:counts', {}),
    copies: (question = {}) => ask('copies:query', question),
    copyCheck: (question) => ask('copy:check', question),
  }
}

export function pendingQuestion<T extends QuestionFrame['t']>(t: T): PendingAnswer<Answer<T>> {
  return new PendingAnswer((frame) => (frame.t === ANSWERS[t] ? { value: frame as Answer<T> } : undefined))
}
