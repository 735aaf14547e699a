// Kraken, spot: every private request is a POST with a rising number; a stop is a type of order with its trigger in `price`.
import * as z from 'zod/mini'
import { defined } from '../../../base/defined.ts'
import type { CcxtClient, Params } from '../ccxt-client.ts'
import {
  DEFAULT_PROFILE,
  hasField,
  KEY_HINTS,
  placeWithoutGtc,
  type StatusWords,
  statusIn,
  takenUntil,
  withRisingClock,
} from '../default-profile.ts'
import type { VenueMarket } from '../markets.ts'
import { type OrderHints, PLAIN, UUID, type VenueProfile } from '../profile.ts'

/** What places, changes or cancels; all else only asks. */
const CHANGES = /\/private\/(?:AddOrder|AddOrderBatch|EditOrder|AmendOrder|CancelOrder|CancelOrderBatch|CancelAll)\b/

/** Of answers, and of its streams. */
export const WORDS: StatusWords = {
  pending: 'open',
  pending_new: 'open',
  new: 'open',
  open: 'open',
  partially_filled: 'open',
  filled: 'closed',
  closed: 'closed',
  canceled: 'canceled',
  expired: 'expired',
}

export const KRAKEN: VenueProfile = {
  ...DEFAULT_PROFILE,
  id: 'kraken',
  name: 'Kraken',
  classes: { spot: 'kraken' },
  demo: 'none',
  needsNoClock: true,
  // It keeps the number, not the text: with dashes it is the same id.
  clientOrderIds: { toVenue: PLAIN.toVenue, fromVenue: (id) => PLAIN.fromVenue(id) ?? UUID.fromVenue(id) },
  isOneAtATime: true,
  adjust(client) {
    withRisingClock(client)
    watchTouch(client)
    receiveOnce(client)
  },
  // `executions`: orders, trigger orders and fills on one channel, which the class parts by the first row of a message. It leaves out what has
  // filled and our id, and later rows may lack the symbol: hints.
  streams: () => ({ orders: [{ isHint: true }], fills: [{ isHint: true }], triggers: 'streamed' }),
  place(request, context) {
    const order = placeWithoutGtc(request, context)
    const { triggerPrice, ...rest } = order.params
    // A request has a number and no time: held up, it would be placed whenever it comes.
    const deadline = new Date(takenUntil(context.client)).toISOString()
    // What ccxt calls a trigger price the venue does not know: the order would be a market order at once.
    const stop = defined({ stopLossPrice: triggerPrice })
    return { ...order, params: { ...rest, ...stop, deadline } }
  },
  refer({ id }, venueId, { isCancel }) {
    if (id !== undefined) return { id, params: {} }
    return isCancel && venueId !== undefined ? { id: '', params: { clientOrderId: venueId } } : undefined
  },
  findByClientOrderId,
  statusOf: statusIn(WORDS, 'status', 'order_status'),
  hintsOf: (info) => ({
    ...typeOf(info),
    ...(typeof info.cl_ord_id === 'string' ? { clientOrderId: info.cl_ord_id } : {}),
  }),
  tradesPerPage: 50,
  // Of the counter of 15 that the lowest tier has, which a balance adds 1 to and 3 seconds take 1 from (REST rate limits): a third.
  burstMs: 15_000,
  tradesNewestFirst: true,
  tradesOfAllSymbols: true,
  isAnswer: hasField('error'),
  codeOf: (json) => z.safeParse(failure, json).data?.error[0],
  codes: {
    'EAPI:Invalid key': 'authentication',
    'EAPI:Invalid signature': 'authentication',
    'EAPI:Invalid nonce': 'clock',
    'EAPI:Rate limit exceeded': 'rate-limited',
    'EAPI:Feature disabled': 'not-supported',
    'EOrder:Rate limit exceeded': 'rate-limited',
    'EOrder:Orders limit exceeded': 'rate-limited',
    'EOrder:Insufficient funds': 'insufficient-funds',
    'EOrder:Insufficient margin': 'insufficient-funds',
    'EOrder:Order minimum not met': 'invalid-order',
    'EOrder:Cost minimum not met': 'invalid-order',
    'EOrder:Tick size check failed': 'invalid-order',
    'EOrder:Post only order': 'order-immediately-fillable',
    'EOrder:Unknown order': 'order-not-found',
    'EOrder:Trading agreement required': 'permission',
    'EGeneral:Permission denied': 'permission',
    'EGeneral:Temporary lockout': 'rate-limited',
    'EGeneral:Too many requests': 'rate-limited',
    'EQuery:Unknown asset pair': 'bad-symbol',
    'EQuery:Invalid asset pair': 'bad-symbol',
    'EService:Market in cancel_only mode': 'unavailable',
    'EService:Market in post_only mode': 'unavailable',
    'EService:Deadline elapsed': 'unavailable',
  },
  gridCodes: ['EOrder:Tick size check failed'],
  // Requests of two processes, and those that were given up for an order, may arrive in another order than they were numbered in.
  remarks: [
    'set the nonce window of the key to 5000 at Kraken, so that no request is refused that another one overtakes',
  ],
  hints: { 'EGeneral:Permission denied': KEY_HINTS.rights },
  unknownCodes: [
    'EService:Unavailable',
    'EService:Busy',
    'EService:Timeout',
    'EGeneral:Internal error',
    'EDatabase:Internal error',
  ],
  isRefusalCode: (code) => /^E(?:Order|Query|API|Account|Trade|General:Invalid)/.test(code),
  isQuestion: ({ request }) => !CHANGES.test(request.url),
}

/** The class would have the last fifty fills repeated with whichever of the two streams is subscribed to first: both are one channel. */
function receiveOnce(made: CcxtClient): void {
  type Watch = (symbol?: string, since?: number, limit?: number, params?: Params) => Promise<unknown>
  const client = made as unknown as {
    watchMyTrades: Watch
    watchPrivate: (name: string, ...given: Parameters<Watch>) => Promise<unknown>
  }
  client.watchMyTrades = (symbol, since, limit, params) =>
    client.watchPrivate('myTrades', symbol, since, limit, { ...params, snap_orders: true })
}

/** Of itself the venue tells a price with each trade only, and the best bid and ask between two trades grow old. */
function watchTouch(made: CcxtClient): void {
  const client = made as unknown as { watchTicker(symbol: string, params?: object): Promise<unknown> }
  const watch = client.watchTicker.bind(client)
  client.watchTicker = (symbol) => watch(symbol, { event_trigger: 'bbo' })
}

const failure = z.object({ error: z.array(z.string()).check(z.minLength(1)) })

const row = z.object({ descr: z.object({ ordertype: z.string(), price: z.optional(z.string()) }) })

/** Where ccxt's row has the trigger as its price. */
function typeOf(info: unknown): OrderHints {
  const { ordertype, price } = z.safeParse(row, info).data?.descr ?? { ordertype: '' }
  if (!/^(?:stop-loss|take-profit)/.test(ordertype)) return {}
  const type = ordertype.endsWith('-limit') ? 'limit' : 'market'
  return { type, triggerPrice: price, isTakeProfit: ordertype.startsWith('take-profit') }
}

/** Among the open ones, then among those that ended. */
async function findByClientOrderId(client: CcxtClient, id: string, { symbol }: VenueMarket): Promise<unknown> {
  const open = await client.fetchOpenOrders(symbol, undefined, undefined, { clientOrderId: id })
  if (Array.isArray(open) && open.length > 0) return open
  return client.fetchClosedOrders(symbol, undefined, undefined, { clientOrderId: id })
}
