// Finding one order at a venue by what is known of it: the venue's id, ours, or neither place that it may be kept in.
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { MarketKind } from '../../exchange/market.ts'
import type { Order, OrderRef } from '../../exchange/order.ts'
import type { Reference, VenueProfile } from './profile.ts'

/** Where a trigger order may be: apart, with the others, or unknown: then first with the others. */
export function placesOf(ref: OrderRef, profile: VenueProfile, kind: MarketKind): readonly boolean[] {
  if (profile.triggers(kind) === 'with-others') return [ref.isTrigger === true]
  if (ref.isTrigger === true) return [true, false]
  return ref.isTrigger === false ? [false] : [false, true]
}

/** @returns undefined where the venue cannot be asked by what is known */
export function referenceOf(
  ref: OrderRef,
  profile: VenueProfile,
  kind: MarketKind,
  isTrigger: boolean,
  isCancel = false,
): Reference | undefined {
  const venueId = ref.clientOrderId === undefined ? undefined : profile.clientOrderIds.toVenue(ref.clientOrderId)
  const reference = profile.refer(ref, venueId, { kind, isTrigger, isCancel })
  if (reference === undefined || !isTrigger) return reference
  const triggers = profile.triggers(kind)
  return triggers === 'with-others' ? reference : { ...reference, params: { ...triggers.apart, ...reference.params } }
}

/** The first place that has it. @throws {ExchangeError} `order-not-found` where none has, or what a place throws */
export async function firstFound<T>(places: readonly boolean[], look: (isTrigger: boolean) => Promise<T>): Promise<T> {
  let missing: unknown = notFound()
  for (const isTrigger of places) {
    try {
      return await look(isTrigger)
    } catch (error) {
      if (!isNotFound(error)) throw error
      missing = error
    }
  }
  throw missing
}

export function matches(order: Order, { id, clientOrderId }: OrderRef): boolean {
  return id === undefined ? clientOrderId !== undefined && order.clientOrderId === clientOrderId : order.id === id
}

export function isNotFound(error: unknown): error is ExchangeError {
  return error instanceof ExchangeError && error.code === 'order-not-found'
}

export function notFound(): ExchangeError {
  return new ExchangeError('order-not-found', 'the venue has no such open order')
}
