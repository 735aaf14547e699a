// A venue's rows as its private streams tell them: which can be taken as they are, which only say that an order has changed, and what they leave
// out of what is known.

import * as z from 'zod/mini'
import { defined } from '../../../base/defined.ts'
import { isTriggerType, type Order, type Trade } from '../../../exchange/order.ts'
import { figure, idWord, isPositive, moment, word } from '../decimals.ts'
import type { MarketBook } from '../markets.ts'
import { noteFired, readingOf, type VenueAccount, withKnown } from '../order-lookup.ts'
import { readOrder } from '../orders.ts'
import { readFill } from '../trade-lists.ts'
import type { OwnStream, ReceivedRow } from './own-streams.ts'

/** What each row has to name: an order, or of a fill its order. */
const named = z.object({
  id: z.optional(idWord),
  order: z.optional(idWord),
  clientOrderId: z.optional(word),
  symbol: z.optional(word),
  timestamp: z.optional(moment),
  status: z.optional(word),
  filled: z.optional(figure),
})

const reported = z.object({ info: z.looseObject({}) })

type Naming = Exclude<ReceivedRow<never>, { readonly as: 'row' }>

function nameIn(raw: unknown, idField: 'id' | 'order', account: VenueAccount, markets: MarketBook): Naming {
  const read = z.safeParse(named, raw)
  if (!read.success) return { as: 'unread' }
  const { clientOrderId, symbol, timestamp, status, filled } = read.data
  const id = read.data[idField]
  const market = symbol === undefined ? undefined : markets.bySymbol(symbol)
  if (symbol !== undefined && market === undefined) return { as: 'foreign' }
  if (account.profile.streams(account.kind)?.isForeign?.(raw) === true) return { as: 'foreign' }
  if (market === undefined || id === undefined)
    return { as: 'unread', ...defined({ symbol: market?.market.symbol, id, at: timestamp }) }
  const ours = clientOrderId === undefined ? undefined : account.profile.clientOrderIds.fromVenue(clientOrderId)
  const ref = { symbol: market.market.symbol, id, ...defined({ clientOrderId: ours }) }
  const isResting = idField === 'id' && status === 'open' && !isPositive(filled)
  return { as: 'change', ref, isResting, ...defined({ at: timestamp }) }
}

function isHinted({ isHint = false }: OwnStream, raw: unknown): boolean {
  return typeof isHint === 'function' ? isHint(raw) : isHint
}

/** An order of a stream, with what the venue's stream leaves out. */
export function receivedOrder(
  raw: unknown,
  stream: OwnStream,
  account: VenueAccount,
  markets: MarketBook,
): ReceivedRow<Order> {
  const { profile, known, fired } = account
  const name = nameIn(raw, 'id', account, markets)
  if (name.as !== 'change') return name
  const successor = profile.successorOf?.(raw)
  // What became of a trigger order that fired tells more than that it has fired.
  if (successor !== undefined && successor !== '' && name.ref.id !== undefined) {
    fired.set(successor, { ...name.ref, id: name.ref.id })
  }
  if (successor !== undefined || isHinted(stream, raw)) return originOf(name, account)
  const order = readOrder(raw, readingOf(account, markets))
  if (order === undefined) return unreadOf(name)
  noteFired(account, raw, order)
  const { id, clientOrderId = order.clientOrderId } = firedFrom(order, account) ?? order
  return { as: 'row', row: known.remember(withKnown({ ...order, id, ...defined({ clientOrderId }) }, known)) }
}

export function receivedTrade(
  raw: unknown,
  stream: OwnStream,
  account: VenueAccount,
  markets: MarketBook,
): ReceivedRow<Trade> {
  const { profile, known } = account
  const name = nameIn(raw, 'order', account, markets)
  if (name.as !== 'change') return name
  if (isHinted(stream, raw)) return originOf(name, account)
  const row = profile.streamedTrade?.(raw) ?? raw
  // Funding and settlements come on the same stream.
  const info = z.safeParse(reported, row).data?.info
  if (info !== undefined && profile.isFill?.(info) === false) return { as: 'foreign' }
  const trade = readFill(account, row, markets)
  if (trade === undefined) return unreadOf(name)
  const { id: orderId, clientOrderId: ours } = firedFrom({ ...trade, id: trade.orderId }, account) ?? {
    id: trade.orderId,
  }
  const clientOrderId = trade.clientOrderId ?? ours ?? known.find({ symbol: trade.symbol, id: orderId })?.clientOrderId
  return { as: 'row', row: { ...trade, orderId, ...defined({ clientOrderId }) } }
}

function unreadOf({ ref: { symbol, id } }: Extract<Naming, { readonly as: 'change' }>): Naming {
  return { as: 'unread', symbol, ...defined({ id }) }
}

/** Of the order that a trigger order became, the trigger order has changed. */
function originOf(name: Extract<Naming, { readonly as: 'change' }>, account: VenueAccount): Naming {
  const { symbol, id, clientOrderId } = name.ref
  const origin = id === undefined ? undefined : firedFrom({ symbol, id, ...defined({ clientOrderId }) }, account)
  return origin === undefined ? name : { ...name, ref: { symbol, ...origin } }
}

/**
 * The trigger order that this one comes from, where it goes on under another id: as the venue has named it, or as the one that carries the same
 * id of ours.
 */
function firedFrom(
  { symbol, id, clientOrderId }: Pick<Order, 'symbol' | 'id' | 'clientOrderId'>,
  { profile, fired, known }: VenueAccount,
): Pick<Order, 'id' | 'clientOrderId'> | undefined {
  const noted = fired.get(id)
  if (noted !== undefined) return noted
  if (profile.successorOf === undefined || clientOrderId === undefined) return undefined
  const same = known.find({ symbol, clientOrderId })
  if (same === undefined || same.id === id || !isTriggerType(same.type)) return undefined
  const origin = { id: same.id, clientOrderId }
  fired.set(id, origin)
  return origin
}
