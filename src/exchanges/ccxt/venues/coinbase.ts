// Coinbase Advanced, spot: an order's kind, time in force and stop are one word; there is no stop at market, and no question by our id.
import * as z from 'zod/mini'
import type { AccessReport } from '../../../exchange/exchange.ts'
import type { CcxtClient } from '../ccxt-client.ts'
import { UUID } from '../client-order-ids.ts'
import { DEFAULT_PROFILE, isJson, placeUnified } from '../default-profile.ts'
import type { VenueProfile } from '../profile.ts'

export const COINBASE: VenueProfile = {
  ...DEFAULT_PROFILE,
  id: 'coinbase',
  name: 'Coinbase Advanced',
  classes: { spot: 'coinbase' },
  demo: 'none',
  needsNoClock: true,
  clientOrderIds: UUID,
  orderTypes: () => ['market', 'limit', 'stop-limit'],
  place(request, context) {
    const order = placeUnified(request, context)
    const { clientOrderId, triggerPrice, ...rest } = order.params
    // ccxt has the other direction for what it calls a trigger price, and a client order id of its own.
    const stop = triggerPrice === undefined ? {} : { stopLossPrice: triggerPrice }
    return { ...order, params: { ...rest, ...stop, client_order_id: clientOrderId } }
  },
  // An assumption: its documents do not say how far back its list goes.
  findableMs: () => 86_400_000,
  balanceScopes: () => [{ v3: true }],
  buysByCost: () => true,
  tradesNewestFirst: true,
  access,
  isAnswer: isJson,
  codeOf: codeOfCoinbase,
  codes: {
    INSUFFICIENT_FUND: 'insufficient-funds',
    PREVIEW_INSUFFICIENT_FUND: 'insufficient-funds',
    INVALID_LIMIT_PRICE_POST_ONLY: 'order-immediately-fillable',
    INVALID_PRODUCT_ID: 'bad-symbol',
    ORDER_ENTRY_DISABLED: 'unavailable',
    INELIGIBLE_PAIR: 'permission',
    UNKNOWN_CANCEL_ORDER: 'order-not-found',
    DUPLICATE_CANCEL_REQUEST: 'order-not-found',
    NOT_FOUND: 'order-not-found',
    PERMISSION_DENIED: 'permission',
    UNAUTHENTICATED: 'authentication',
    RESOURCE_EXHAUSTED: 'rate-limited',
    UNSUPPORTED_ORDER_CONFIGURATION: 'invalid-order',
  },
  unknownCodes: [
    ...['UNKNOWN_FAILURE_REASON', 'UNKNOWN_CANCEL_FAILURE_REASON', 'COMMANDER_REJECTED_CANCEL_ORDER'],
    ...[
      'INTERNAL',
      'UNKNOWN',
      'UNAVAILABLE',
      'DEADLINE_EXCEEDED',
      'ABORTED',
      'CANCELLED',
      'DATA_LOSS',
      'ALREADY_EXISTS',
    ],
  ],
  // `error_response` gives a reason why an order was not created. `error` is one of the 16 failures of gRPC: those that leave it open are above.
  isRefusalCode: (code) => /^[A-Z][A-Z_]+$/.test(code),
}

const answer = z.looseObject({
  error: z.optional(z.string()),
  error_response: z.optional(z.looseObject({ error: z.optional(z.string()) })),
  results: z.optional(z.array(z.looseObject({ success: z.boolean(), failure_reason: z.optional(z.string()) }))),
})

function codeOfCoinbase(json: unknown): string | undefined {
  const read = z.safeParse(answer, json)
  if (!read.success) return undefined
  const { error, error_response: refusal, results = [] } = read.data
  return refusal?.error ?? results.find(({ success }) => !success)?.failure_reason ?? error
}

const permissions = z.object({ can_trade: z.boolean(), can_transfer: z.boolean() })

async function access(client: CcxtClient): Promise<AccessReport> {
  const answered = await client.request('brokerage/key_permissions', ['v3', 'private'], 'GET')
  const { can_trade: mayTrade, can_transfer: mayWithdraw } = z.parse(permissions, answered)
  return { mayTrade, mayWithdraw, remarks: [] }
}
