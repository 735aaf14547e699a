// An order that was sent by a process that no longer looks after it: what it is now.
import type { VenueView } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import type { Order, OrderRef } from '../exchange/order.ts'
import type { Follower } from './following.ts'
import type { TellOrder } from './order-event.ts'
import type { OrderJournal } from './order-journal.ts'
import type { OrderSender } from './order-sender.ts'
import type { Protections } from './protections.ts'

export type AdoptedRef = OrderRef & { readonly clientOrderId: string }

export type Adopted =
  | { readonly kind: 'found'; readonly order: Order }
  /** Neither the journal nor the venue has it as an order that lives, or ever did. */
  | { readonly kind: 'never-arrived' }
  /** `isFollowed`: it is told when it is known; else it is to be asked for again. */
  | { readonly kind: 'unknown'; readonly isFollowed: boolean }

interface AdoptPorts {
  readonly exchange: VenueView
  readonly journal: OrderJournal
  readonly follower: Follower
  readonly protections: Protections
  readonly sender: OrderSender
}

/** From now on it is told to `tell`. @throws {StoreError} the journal cannot be read */
export async function adoptOrder(ports: AdoptPorts, ref: AdoptedRef, tell: TellOrder): Promise<Adopted> {
  const { exchange, journal, follower, protections, sender } = ports
  const id = ref.clientOrderId
  if (!follower.retell(id, tell)) {
    const intent = await journal.claim(id)
    if (intent !== undefined) {
      follower.begin(id, tell)
      protections.begin(intent, tell)
      await sender.resume(intent, tell)
    }
  }
  if (sender.retell(id, tell)) return { kind: 'unknown', isFollowed: true }
  return askAdopted(exchange, ref, follower.find(id) !== undefined)
}

/**
 * Of an order that the journal knows no doubt about: either its intent was never written, and so it was never sent, or it is over, or it is
 * followed.
 */
async function askAdopted(venue: VenueView, ref: AdoptedRef, isFollowed: boolean): Promise<Adopted> {
  try {
    return { kind: 'found', order: await venue.fetchOrder(ref) }
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    if (error.code === 'order-not-found' && !isFollowed) return { kind: 'never-arrived' }
    return { kind: 'unknown', isFollowed: false }
  }
}
