// What became of an order that got no definite answer (behaviour 37): the venue is asked by the id the order carries, with growing pauses.
// It is never sent again.
import type { VenueView } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import type { Order, OrderRef } from '../exchange/order.ts'
import type { Clock } from './clock.ts'

export type Settlement =
  | { readonly kind: 'found'; readonly order: Order }
  /** The venue does not know it, and no longer can come to know it. */
  | { readonly kind: 'never-arrived' }
  /** Still not known: it may be asked about again. */
  | { readonly kind: 'unsettled' }

/** Pauses before each question, in ms: a minute in all. */
export const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000]

/** An order may be on its way for a while: only so long after it was sent, "not found" means that it is not there. */
export const NOT_FOUND_IS_FINAL_MS = 60_000

export interface Question {
  readonly venue: VenueView
  readonly ref: OrderRef
  /** When the order was sent, ms since the epoch. */
  readonly sentAt: number
  readonly clock: Clock
  /** Ends the asking; what is not known by then stays unsettled. */
  readonly signal: AbortSignal
}

/** Asks until the venue has given a definite answer, for a minute at most. */
export async function settle(question: Question): Promise<Settlement> {
  for (const ms of PAUSES_MS) {
    await question.clock.delay(ms, question.signal)
    if (question.signal.aborted) return { kind: 'unsettled' }
    const answer = await askOnce(question)
    if (answer.kind !== 'unsettled') return answer
  }
  return { kind: 'unsettled' }
}

/** One question. @throws nothing but bugs: what cannot be asked is not settled */
export async function askOnce({ venue, ref, sentAt, clock }: Question): Promise<Settlement> {
  try {
    return { kind: 'found', order: await venue.fetchOrder(ref) }
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    const isFinal = error.code === 'order-not-found' && clock.now() - sentAt >= NOT_FOUND_IS_FINAL_MS
    return { kind: isFinal ? 'never-arrived' : 'unsettled' }
  }
}
