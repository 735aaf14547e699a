// Kraken Futures: a refusal comes under "success" with a status of its own, and ended orders are in a history of their own.

import * as z from 'zod/mini'
import { defined } from '../../../base/defined.ts'
import type { Balance, OrderRequest, VenueCause } from '../../../exchange/order.ts'
import type { CcxtClient, Params } from '../ccxt-client.ts'
import { Decimal, figure } from '../decimals.ts'
import {
  DEFAULT_PROFILE,
  hasField,
  placeUnified,
  type StatusWords,
  statusIn,
  takenUntil,
  wordIn,
} from '../default-profile.ts'
import { contractBalances, held } from '../holdings.ts'
import type { OrderContext, OutgoingOrder, VenueProfile } from '../profile.ts'

/** Of lists, of acknowledgements, and of the history as it is read here. */
export const WORDS: StatusWords = {
  untouched: 'open',
  UNTOUCHED: 'open',
  partiallyFilled: 'open',
  PARTIALLY_FILLED: 'open',
  placed: 'open',
  edited: 'open',
  attempted: 'open',
  ENTERED_BOOK: 'open',
  TRIGGER_PLACED: 'open',
  filled: 'closed',
  closed: 'closed',
  FULLY_EXECUTED: 'closed',
  canceled: 'canceled',
  cancelled: 'canceled',
  CANCELLED: 'canceled',
  expired: 'expired',
  rejected: 'rejected',
  REJECTED: 'rejected',
  TRIGGER_ACTIVATION_FAILURE: 'rejected',
}

/** Why a stream says that an order has changed. */
export const REASONS: Readonly<Record<string, VenueCause>> = {
  liquidation: 'liquidation',
  not_enough_margin: 'liquidation',
  contract_expired: 'settlement',
  would_execute_self: 'self-trade',
  would_not_reduce_position: 'reduce-only',
}

export const KRAKENFUTURES: VenueProfile = {
  ...DEFAULT_PROFILE,
  id: 'krakenfutures',
  name: 'Kraken Futures',
  classes: { linear: 'krakenfutures', inverse: 'krakenfutures' },
  timeInForce: () => ['gtc', 'ioc'],
  // `iocWouldNotExecute` (Send Order).
  refusesUnfilled: () => ['ioc'],
  // There leverage is a preference that makes the contract's margin isolated.
  setLeverage: false,
  place,
  // What ended is asked for in its history: the status of one order is told for five seconds.
  refer({ id }, venueId, { isCancel }) {
    if (!isCancel) return undefined
    if (id !== undefined) return { id, params: {} }
    return venueId !== undefined ? { id: '', params: { cliOrdId: venueId, order_id: undefined } } : undefined
  },
  listEnded,
  // An assumption: its documents do not say how far back a page of its history goes.
  findableMs: () => 86_400_000,
  statusOf: statusIn(WORDS, 'status'),
  causeOf: ({ reason, status: word }) =>
    wordIn(REASONS, reason) ?? (word === 'TRIGGER_ACTIVATION_FAILURE' ? 'trigger-failed' : undefined),
  // `open_orders` adds up what has filled from the rows that it has seen, and says nothing of what never rests: hints, of orders and of fills.
  streams: () => ({ orders: [{ isHint: true }], fills: [{ isHint: true }], triggers: 'streamed' }),
  balances: (info, kind) => (kind === 'linear' ? flexBalances(info) : marginBalances(info)),
  // ccxt takes an immediate limit order for one at the market.
  hintsOf: ({ limitPrice, orderType }) => ({ price: limitPrice, ...(orderType === 'IoC' && { type: 'limit' }) }),
  averageInFills: true,
  tradesNewestFirst: true,
  tradesOfAllSymbols: true,
  // What filled in that very millisecond is listed again.
  tradesBefore: (ms) => ({ lastFillTime: new Date(ms + 1).toISOString() }),
  // Of inverse contracts ccxt leaves the amount out.
  fillHintsOf: ({ size, fillType }) => defined({ amount: size, cause: CAUSES.get(String(fillType)) }),
  isAnswer: hasField('result', 'elements'),
  codeOf: codeOfKrakenFutures,
  codes: {
    authenticationError: 'authentication',
    accountInactive: 'permission',
    apiLimitExceeded: 'rate-limited',
    nonceBelowThreshold: 'clock',
    nonceDuplicate: 'clock',
    requiredArgumentMissing: 'invalid-order',
    invalidArgument: 'invalid-order',
    invalidUnit: 'invalid-order',
    contractDoesNotExist: 'bad-symbol',
    marketUnavailable: 'unavailable',
    marketSuspended: 'unavailable',
    marketInactive: 'unavailable',
    insufficientAvailableFunds: 'insufficient-funds',
    insufficientFunds: 'insufficient-funds',
    invalidOrderType: 'invalid-order',
    invalidSide: 'invalid-order',
    invalidSize: 'invalid-order',
    invalidPrice: 'invalid-order',
    selfFill: 'invalid-order',
    tooManySmallOrders: 'invalid-order',
    maxPositionViolation: 'invalid-order',
    outsidePriceCollar: 'invalid-order',
    clientOrderIdTooLong: 'invalid-order',
    clientOrderIdAlreadyExist: 'duplicate-id',
    postWouldExecute: 'order-immediately-fillable',
    iocWouldNotExecute: 'invalid-order',
    wouldNotReducePosition: 'reduce-only-rejected',
    wouldCauseLiquidation: 'insufficient-funds',
    orderForEditNotFound: 'order-not-found',
    notFound: 'order-not-found',
    filled: 'order-not-found',
  },
}

const flex = z.object({
  accounts: z.object({
    flex: z.object({
      currencies: z.record(z.string(), z.object({ quantity: figure, available: z.optional(figure) })),
      totalUnrealized: z.optional(figure),
    }),
  }),
})

/** Contracts of the account of many currencies gain and lose dollars. */
function flexBalances(info: unknown): readonly Balance[] | undefined {
  const read = z.safeParse(flex, info)
  if (!read.success) return undefined
  const { currencies, totalUnrealized } = read.data.accounts.flex
  const holdingRows = Object.entries(currencies).map(([name, { quantity: wallet, available: free }]) => ({
    currency: codeOf(name),
    wallet,
    free,
    unrealized: codeOf(name) === 'USD' ? totalUnrealized : undefined,
  }))
  return contractBalances(holdingRows)
}

const margin = z.object({
  type: z.literal('marginAccount'),
  currency: z.string(),
  balances: z.record(z.string(), figure),
  auxiliary: z.object({ pv: figure, af: figure }),
})

/** Each inverse contract has an account of its own, in the coin that it settles in. */
function marginBalances(info: unknown): readonly Balance[] | undefined {
  const read = z.safeParse(z.object({ accounts: z.record(z.string(), z.unknown()) }), info)
  if (!read.success) return undefined
  const rows = Object.values(read.data.accounts).flatMap((account) => {
    const { currency, balances, auxiliary } = z.safeParse(margin, account).data ?? {}
    if (currency === undefined) return []
    const holdingRows = {
      currency: codeOf(currency),
      wallet: balances?.[currency],
      total: auxiliary?.pv,
      free: auxiliary?.af,
    }
    return contractBalances([holdingRows])
  })
  const currencies = [...new Set(rows.map(({ currency }) => currency))]
  return held(
    currencies.map((currency) => {
      const own = rows.filter((row) => row.currency === currency)
      const sum = (name: 'wallet' | 'total' | 'used' | 'free') => Decimal.sum(...own.map((row) => row[name])).toFixed()
      return { currency, wallet: sum('wallet'), total: sum('total'), used: sum('used'), free: sum('free') }
    }),
  )
}

function codeOf(name: string): string {
  const code = name.toUpperCase()
  return code === 'XBT' ? 'BTC' : code
}

/** An assignor's position is handed on because its liquidation failed; a counterparty's is unwound with the bankrupt one. */
export const CAUSES: ReadonlyMap<string, VenueCause> = new Map([
  ['liquidation', 'liquidation'],
  ['partialLiquidation', 'liquidation'],
  ['assignor', 'liquidation'],
  ['unwindBankrupt', 'liquidation'],
  ['unwindCounterparty', 'deleveraging'],
])

const historyOrder = z.looseObject({ uid: z.string(), orderType: z.optional(z.string()) })
const history = z.object({
  elements: z.array(
    z.object({
      event: z.looseObject({
        OrderUpdated: z.optional(z.looseObject({ reason: z.optional(z.string()), newOrder: historyOrder })),
        OrderCancelled: z.optional(z.looseObject({ order: historyOrder })),
        OrderRejected: z.optional(z.looseObject({ order: historyOrder })),
      }),
    }),
  ),
})

/** From the events that end an order. ccxt takes one that was only placed for canceled. */
async function listEnded(client: CcxtClient): Promise<readonly unknown[]> {
  const { elements } = z.parse(history, await client.request('orders', 'history', 'GET'))
  return elements.flatMap(({ event: { OrderUpdated, OrderCancelled, OrderRejected } }) => {
    const ended =
      OrderUpdated?.reason === 'full_fill'
        ? { ...OrderUpdated.newOrder, status: 'closed' }
        : (OrderCancelled && { ...OrderCancelled.order, status: cancelled(OrderCancelled.order) }) ||
          (OrderRejected && { ...OrderRejected.order, status: 'rejected' })
    return ended ? [client.parseOrder(ended)] : []
  })
}

/** An immediate order is ended by the venue. */
function cancelled({ orderType }: z.output<typeof historyOrder>): 'canceled' | 'expired' {
  return orderType === 'IoC' ? 'expired' : 'canceled'
}

function place(request: OrderRequest, context: OrderContext): OutgoingOrder {
  // ccxt's own take-profit would be reduce-only.
  const order = placeUnified({ ...request, type: request.type === 'take-profit' ? 'stop' : request.type }, context)
  const { timeInForce, ...rest } = order.params
  const terms: Params = {
    // A request has a number and no time: held up, it would be placed whenever it comes.
    processBefore: new Date(takenUntil(context.client)).toISOString(),
    ...(timeInForce === 'IOC' ? { timeInForce: 'ioc' } : {}),
    ...(request.type === 'take-profit' ? { orderType: 'take_profit' } : {}),
  }
  return { ...order, params: { ...rest, ...terms } }
}

const status = z.optional(z.looseObject({ status: z.optional(z.string()) }))
const answer = z.looseObject({
  error: z.optional(z.string()),
  sendStatus: status,
  editStatus: status,
  cancelStatus: status,
})

/** These words say that it was done. */
export const DONE: ReadonlySet<string> = new Set(['placed', 'attempted', 'edited', 'cancelled', 'partiallyFilled'])

function codeOfKrakenFutures(json: unknown): string | undefined {
  const read = z.safeParse(answer, json)
  if (!read.success) return undefined
  const { error, sendStatus, editStatus, cancelStatus } = read.data
  const problem = error ?? sendStatus?.status ?? editStatus?.status ?? cancelStatus?.status
  return problem === undefined || DONE.has(problem) ? undefined : problem
}
