// Finding one order at a venue by what is known of it: where it may be kept, what it is asked for by, and which row of an answer it is. A row is
// that order by its own fields alone: what is known of an order is added to its row afterwards.
import { defined } from '../../base/defined.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { MarketKind } from '../../exchange/market.ts'
import type { OrderRef } from '../../exchange/order.ts'
import { type OrderReading, readOrder } from './orders.ts'
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

/** What names an order in its own row. */
export interface RowNames {
  readonly id?: string
  readonly clientOrderId?: string
}

/** In the place of what a row leaves out, so that a row with little more than its names can be told from others. */
const PLACEHOLDER = { id: '', side: 'buy', amount: '1' } as const

/** @returns undefined for what is not a row of an order of this account's markets */
export function namesOf(row: unknown, reading: OrderReading, symbol: string): RowNames | undefined {
  const read = readOrder(row, reading, { ...PLACEHOLDER, symbol })
  if (read === undefined || read.symbol !== symbol) return undefined
  const { id, clientOrderId } = read
  return { ...(id === PLACEHOLDER.id ? {} : { id }), ...defined({ clientOrderId }) }
}

/** Ids are the venue's own and never given twice; ours are of 128 bits. */
export function isNamed(names: RowNames, { id, clientOrderId }: Pick<OrderRef, 'id' | 'clientOrderId'>): boolean {
  if (id !== undefined && names.id === id) return true
  return clientOrderId !== undefined && names.clientOrderId === clientOrderId
}

export function isNotFound(error: unknown): error is ExchangeError {
  return error instanceof ExchangeError && error.code === 'order-not-found'
}

export function notFound(): ExchangeError {
  return new ExchangeError('order-not-found', 'the venue has no such open order')
}

/** It may be the order that was asked for: that it is nowhere cannot be said. */
export function unreadableOrder(): ExchangeError {
  return new ExchangeError('network', 'the venue gave an order that cannot be read')
}
