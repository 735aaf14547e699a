// Coinbase Advanced, spot: an order's kind, time in force and stop are one word; there is no stop at market, and no question by our id.
import * as z from 'zod/mini'
import { defined } from '../../../base/defined.ts'
import type { AccessReport } from '../../../exchange/exchange.ts'
import type { CcxtClient } from '../ccxt-client.ts'
import { decimalText, isPositive } from '../decimals.ts'
import { DEFAULT_PROFILE, isJson, placeUnified, type StatusWords, statusIn } from '../default-profile.ts'
import { type OrderHints, UUID, type VenueProfile } from '../profile.ts'

/** `UNKNOWN_ORDER_STATUS` is none of them: it says nothing. */
export const WORDS: StatusWords = {
  PENDING: 'open',
  OPEN: 'open',
  QUEUED: 'open',
  EDIT_QUEUED: 'open',
  CANCEL_QUEUED: 'open',
  FILLED: 'closed',
  CANCELLED: 'canceled',
  EXPIRED: 'expired',
  FAILED: 'rejected',
}

export const COINBASE: VenueProfile = {
  ...DEFAULT_PROFILE,
  id: 'coinbase',
  name: 'Coinbase Advanced',
  classes: { spot: 'coinbase' },
  demo: 'none',
  // `user` tells orders and no fills; the class takes what has filled for the amount: hints.
  streams: () => ({ orders: [{ isHint: true }], fills: [], triggers: 'streamed' }),
  needsNoClock: true,
  clientOrderIds: UUID,
  orderTypes: () => ['market', 'limit', 'stop-limit'],
  place(request, context) {
    const order = placeUnified(request, context)
    const { clientOrderId, triggerPrice, ...rest } = order.params
    // ccxt has the other direction for what it calls a trigger price, and a client order id of its own.
    const stop = defined({ stopLossPrice: triggerPrice })
    return { ...order, params: { ...rest, ...stop, client_order_id: clientOrderId } }
  },
  // An assumption: its documents do not say how far back its list goes.
  findableMs: () => 86_400_000,
  statusOf: statusIn(WORDS, 'status'),
  causeOf: ({ is_liquidation: isLiquidation }) => (isLiquidation === true ? 'liquidation' : undefined),
  hintsOf,
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
    PREVIEW_STOP_PRICE_ABOVE_LAST_TRADE_PRICE: 'would-trigger',
    PREVIEW_STOP_PRICE_BELOW_LAST_TRADE_PRICE: 'would-trigger',
  },
  unknownCodes: [
    'UNKNOWN_FAILURE_REASON',
    'UNKNOWN_CANCEL_FAILURE_REASON',
    'COMMANDER_REJECTED_CANCEL_ORDER',
    'INTERNAL',
    'UNKNOWN',
    'UNAVAILABLE',
    'DEADLINE_EXCEEDED',
    'ABORTED',
    'CANCELLED',
    'DATA_LOSS',
    'ALREADY_EXISTS',
    // No order is sent twice: one that the venue has already is this one.
    'DUPLICATE_CLIENT_ORDER_ID',
  ],
  isRefusalCode: (code) => code.startsWith('PREVIEW_') || REFUSALS.has(code) || GRPC_FAILURES.has(code),
}

const bracket = z.object({
  base_size: z.optional(z.string()),
  limit_price: z.optional(z.string()),
  stop_trigger_price: z.optional(z.string()),
})
const configured = z.object({
  order_configuration: z.looseObject({
    trigger_bracket_gtc: z.optional(bracket),
    trigger_bracket_gtd: z.optional(bracket),
  }),
})

/** A stop and a take-profit in one order; without an amount they are of all that its entry has bought. */
function hintsOf(info: Readonly<Record<string, unknown>>): OrderHints {
  const { trigger_bracket_gtc: gtc, trigger_bracket_gtd: gtd } =
    configured.safeParse(info).data?.order_configuration ?? {}
  const found = gtc ?? gtd
  if (found === undefined) return {}
  const { base_size: amount, limit_price: takeProfitPrice, stop_trigger_price: triggerPrice } = found
  const whole = isPositive(decimalText(amount)) ? {} : { closesPosition: true }
  return { type: 'market', amount, triggerPrice, takeProfitPrice, isPair: true, ...whole }
}

const answer = z.looseObject({
  error: z.optional(z.string()),
  error_response: z.optional(
    z.looseObject({
      error: z.optional(z.string()),
      new_order_failure_reason: z.optional(z.string()),
      preview_failure_reason: z.optional(z.string()),
    }),
  ),
  results: z.optional(z.array(z.looseObject({ success: z.boolean(), failure_reason: z.optional(z.string()) }))),
})

/**
 * Create Order, `new_order_failure_reason`, as far as it concerns spot: the order was not created. `unknownCodes` has the words that leave this
 * open. A word that is in neither list decides nothing, so a word that the venue adds leaves its order unknown.
 */
const REFUSALS: ReadonlySet<string> = new Set([
  'INVALID_SIDE',
  'INVALID_SIZE_PRECISION',
  'INVALID_PRICE_PRECISION',
  'INVALID_LEDGER_BALANCE',
  'INVALID_LIMIT_PRICE',
  'INVALID_NO_LIQUIDITY',
  'INVALID_REQUEST',
  'INVALID_UNSUPPORTED_INSTRUMENT',
  'INVALID_BRACKET_PRICES',
  'INVALID_BRACKET_LIMIT_PRICE',
  'INVALID_BRACKET_STOP_TRIGGER_PRICE',
  'INSUFFICIENT_FUNDS',
  'COMMANDER_REJECTED_NEW_ORDER',
  'UNTRADABLE_PRODUCT',
  'GEOFENCING_RESTRICTION',
  'MISSING_MARKET_TRADE_DATA',
  'BRACKET_LIMIT_PRICE_OUT_OF_BOUNDS',
  'STOP_TRIGGER_PRICE_OUT_OF_BOUNDS',
  'BRACKET_ORDER_NOT_SUPPORTED',
  'OPEN_BRACKET_ORDERS',
  'QUOTE_SIZE_NOT_ALLOWED_FOR_BRACKET',
  'FOK_DISABLED',
  'FOK_ONLY_ALLOWED_ON_LIMIT_ORDERS',
  'POST_ONLY_NOT_ALLOWED_WITH_FOK',
  'END_TIME_TOO_FAR_IN_FUTURE',
  'END_TIME_IS_IN_THE_PAST',
  'GTD_ORDERS_MUST_HAVE_END_TIME',
  'LIMIT_PRICE_TOO_FAR_FROM_MARKET',
  'LIMIT_ORDER_PRICE_EXCEEDS_PRICE_BAND_ON_BUY',
  'LIMIT_ORDER_PRICE_EXCEEDS_PRICE_BAND_ON_SELL',
  'PRICE_NOT_ALLOWED_FOR_MARKET_ORDERS',
  'REDUCE_ONLY_NOT_ALLOWED_ON_VENUE',
  'REDUCE_ONLY_NOT_ALLOWED_ON_SPOT_PRODUCTS',
  'STOP_LOSS_PRICE_TOO_LOW',
  'STOP_LOSS_PRICE_TOO_HIGH',
  'ASSET_BALANCE_INCREASE_REJECT',
  'BREACHED_RISK_LIMIT',
  'PRODUCT_TRADING_HALTED',
  'TRADING_DISABLED',
  // Cancel Orders, `failure_reason`.
  'INVALID_CANCEL_REQUEST',
])

/** The failures of gRPC (google.rpc.Code). A proxy in front of the venue reports other words, which decide nothing. */
const GRPC_FAILURES: ReadonlySet<string> = new Set([
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'UNAUTHENTICATED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
])

function codeOfCoinbase(json: unknown): string | undefined {
  const read = z.safeParse(answer, json)
  if (!read.success) return undefined
  const { error, error_response: refusal, results = [] } = read.data
  const previewed = refusal?.preview_failure_reason
  // What has failed in its preview was never placed, and only that gives the reason.
  if (previewed?.startsWith('PREVIEW_') === true) return previewed
  const failure = error !== undefined && GRPC_FAILURES.has(error) ? error : undefined
  // `error` is the deprecated name of the reason; either may have the unspecific word while the other has the reason.
  const reasons = [refusal?.new_order_failure_reason, refusal?.error].filter((reason) => reason !== undefined)
  return (
    reasons.find((reason) => reason !== 'UNKNOWN_FAILURE_REASON') ??
    reasons[0] ??
    results.find(({ success }) => !success)?.failure_reason ??
    failure
  )
}

const permissions = z.object({ can_trade: z.boolean(), can_transfer: z.boolean() })

async function access(client: CcxtClient): Promise<AccessReport> {
  const answered = await client.request('brokerage/key_permissions', ['v3', 'private'], 'GET')
  const { can_trade: mayTrade, can_transfer: mayWithdraw } = z.parse(permissions, answered)
  return { mayTrade, mayWithdraw, remarks: [] }
}
