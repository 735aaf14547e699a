// What a page asks besides commands and edits: one answer each, or an error.
import { type AnswerTo, QUESTIONS, type QuestionFrame, type QuestionName } from '../protocol/desk-frames.ts'
import { PendingAnswer } from './pending-calls.ts'

/** A frame's fields, as a caller fills them in. */
export type Question<T extends QuestionName> = Omit<QuestionFrame<T>, 't' | 'id'>
export type Answer<T extends QuestionName> = AnswerTo<T>

/** Each rejects with a `ClientError`. They change nothing: one that was lost with the connection may be asked again. */
export interface Questions {
  runs(question?: Question<'runs:query'>): Promise<Answer<'runs:query'>>
  run(runId: string): Promise<Answer<'runs:show'>>
  fills(question?: Question<'fills:query'>): Promise<Answer<'fills:query'>>
  equity(question?: Question<'equity:query'>): Promise<Answer<'equity:query'>>
  pnl(question: Question<'pnl:query'>): Promise<Answer<'pnl:query'>>
  /** What closed trades add up to: win rate, R, profit factor, maximum drawdown. */
  trades(question?: Question<'trades:query'>): Promise<Answer<'trades:query'>>
  /** Every order that is known of one account, newest first. */
  orders(question?: Question<'orders:query'>): Promise<Answer<'orders:query'>>
  /** Price, 24 h and funding of several markets. */
  markets(question: Question<'markets:query'>): Promise<Answer<'markets:query'>>
  complete(question: Question<'complete'>): Promise<Answer<'complete'>>
  /** How hooks fared in 24 h; those that did not fire are not in it. */
  hookCounts(): Promise<Answer<'hooks:counts'>>
  /** A hook with a condition or times of its own on the candles of the past days. It may take a minute. */
  replay(question: Question<'hooks:replay'>): Promise<Answer<'hooks:replay'>>
  /** What copiers ordered last. */
  copies(question?: Question<'copies:query'>): Promise<Answer<'copies:query'>>
  /** Whether a pair could be copied, as it was typed. */
  copyCheck(question: Question<'copy:check'>): Promise<Answer<'copy:check'>>
  /** A line for a person to approve. An equal one that is open is answered instead of another. */
  propose(question: Question<'propose'>): Promise<Answer<'propose'>>
  /** An own one that is open. */
  withdraw(proposal: string): Promise<Answer<'withdraw'>>
  /** One of another client; for the console, and for clients with the grant `trade` without limits. `shown`: its `digest`. */
  approve(proposal: string, shown: string): Promise<Answer<'approve'>>
  deny(proposal: string): Promise<Answer<'deny'>>
  /** Clients that the operator has approved; for the console alone. */
  clients(): Promise<Answer<'clients:query'>>
  /** Takes power away from one. `client`: the `ref` of its row. */
  narrow(client: string, to: Question<'clients:narrow'>['to']): Promise<Answer<'clients:narrow'>>
}

/** @param ask sends the question under an id of its own */
export function questionsBy(
  ask: <T extends QuestionName>(t: T, question: Question<T>) => Promise<Answer<T>>,
): Questions {
  return {
    runs: (question = {}) => ask('runs:query', question),
    run: (runId) => ask('runs:show', { runId }),
    fills: (question = {}) => ask('fills:query', question),
    equity: (question = {}) => ask('equity:query', question),
    pnl: (question) => ask('pnl:query', question),
    trades: (question = {}) => ask('trades:query', question),
    orders: (question = {}) => ask('orders:query', question),
    markets: (question) => ask('markets:query', question),
    complete: (question) => ask('complete', question),
    hookCounts: () => ask('hooks:counts', {}),
    replay: (question) => ask('hooks:replay', question),
    copies: (question = {}) => ask('copies:query', question),
    copyCheck: (question) => ask('copy:check', question),
    propose: (question) => ask('propose', question),
    withdraw: (proposal) => ask('withdraw', { proposal }),
    approve: (proposal, shown) => ask('approve', { proposal, shown }),
    deny: (proposal) => ask('deny', { proposal }),
    clients: () => ask('clients:query', {}),
    narrow: (client, to) => ask('clients:narrow', { client, to }),
  }
}

export function pendingQuestion<T extends QuestionName>(t: T): PendingAnswer<Answer<T>> {
  const [answer] = QUESTIONS[t].answer.shape.t.def.values
  return new PendingAnswer((frame) => (frame.t === answer ? { value: frame as Answer<T> } : undefined))
}
