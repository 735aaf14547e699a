// Requests and questions on their way to a paper account: the faults that are set meet them here.

import { defined } from '../../base/defined.ts'
import type { OrderOutcome } from '../../exchange/exchange.ts'
import { ExchangeError, type ExchangeErrorCode } from '../../exchange/exchange-error.ts'
import type { Order } from '../../exchange/order.ts'
import type { Action, LiveAccount } from './live-account.ts'
import { countsRequests, questionFault, requestFault } from './paper-controls.ts'

export interface Requests {
  /** Something that changes the account. @throws {ExchangeError} its refusal, `unavailable`, `outcome-unknown` */
  send<Result>(action: Action<Result>): Promise<Result>
  /** Something that does not. @throws {ExchangeError} its refusal, `unavailable`, `network`, `rate-limited` */
  ask<Result>(answer: () => Promise<Result>): Promise<Result>
}

type Arrived<Result> = { readonly result: Result } | { readonly error: ExchangeError }

/** @param delay resolves after so many ms */
export function createRequests(account: LiveAccount, delay: (ms: number) => Promise<void>): Requests {
  let questions = 0

  async function travel(): Promise<void> {
    const { latencyMs } = account.lastSeen().faults
    if (latencyMs !== undefined) await delay(latencyMs)
  }

  return {
    async send<Result>(action: Action<Result>): Promise<Result> {
      await travel()
      const arrived = await account.act(meetingFaults(action))
      if ('error' in arrived) throw arrived.error
      return arrived.result
    },
    async ask(answer) {
      await travel()
      const { faults } = account.lastSeen()
      questions += 1
      const fault = questionFault(faults, questions)
      if (fault !== undefined) throw fault
      return answer()
    },
  }
}

function meetingFaults<Result>(action: Action<Result>): Action<Arrived<Result>> {
  return (state, moment) => {
    if (!countsRequests(state.faults)) return arrive(action(state, moment))
    const counted = { ...state, faultCount: state.faultCount + 1, nextChangeSeq: state.nextChangeSeq + 1 }
    const fault = requestFault(state.faults, counted.faultCount)
    if (fault === 'lost-order') return { state: counted, result: { error: unanswered() } }
    if (fault instanceof ExchangeError) return { state: counted, result: { error: fault } }
    try {
      const arrived = arrive(action(counted, moment))
      return fault === 'lost-answer' ? { state: arrived.state, result: { error: unanswered() } } : arrived
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error
      return { state: counted, result: { error: fault === 'lost-answer' ? unanswered() : error } }
    }
  }
}

function arrive<Result>({ state, result }: ReturnType<Action<Result>>): ReturnType<Action<Arrived<Result>>> {
  return { state, result: { result } }
}

function unanswered(): ExchangeError {
  return new ExchangeError('outcome-unknown', 'the venue did not answer', {
    hint: 'check `orders` before sending it again: it may have been done',
  })
}

/** Of a request that leaves an order. Rejects with what is not an `ExchangeError`: a bug. */
export async function outcomeOf(sent: Promise<Order>, clientOrderId: string | undefined): Promise<OrderOutcome> {
  try {
    return { kind: 'placed', order: await sent }
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    if (error.code !== 'outcome-unknown') return { kind: 'refused', error }
    return { kind: 'unknown', error: named(error, clientOrderId) }
  }
}

function named(error: ExchangeError, clientOrderId: string | undefined): ExchangeError {
  const code: ExchangeErrorCode = 'outcome-unknown'
  return new ExchangeError(code, error.message, defined({ hint: error.hint, cause: error.cause, clientOrderId }))
}
