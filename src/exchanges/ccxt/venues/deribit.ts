// Deribit, contracts: amounts are dollars or coins and never contracts, our id is the order's label, and orders leave by GET.
import * as z from 'zod/mini'
import { defined } from '../../../base/defined.ts'
import type { MarketKind } from '../../../exchange/market.ts'
import type { Balance, VenueCause } from '../../../exchange/order.ts'
import { contractBalances } from '../balances.ts'
import type { CcxtClient, Params } from '../ccxt-client.ts'
import { figure, word } from '../decimals.ts'
import {
  DEFAULT_PROFILE,
  hasField,
  KEY_HINTS,
  placeWithoutGtc,
  type StatusWords,
  statusIn,
  takenUntil,
  wordIn,
} from '../default-profile.ts'
import type { VenueMarket } from '../markets.ts'
import type { OrderHints, VenueProfile } from '../profile.ts'

const CHANGES = /\/private\/(?:buy|sell|edit|cancel|close_position|set_)/

export const WORDS: StatusWords = {
  open: 'open',
  untriggered: 'open',
  triggered: 'triggered',
  filled: 'closed',
  cancelled: 'canceled',
  rejected: 'rejected',
}

export const CANCEL_REASONS: Readonly<Record<string, VenueCause>> = {
  autoliquidation: 'liquidation',
  settlement: 'settlement',
}

export const DERIBIT: VenueProfile = {
  ...DEFAULT_PROFILE,
  id: 'deribit',
  name: 'Deribit',
  classes: { linear: 'deribit', inverse: 'deribit' },
  // Leverage there is a matter of the whole account.
  setLeverage: false,
  editOrder: true,
  // Rows as in its answers, trigger orders among the others (`user.orders`, `user.trades`).
  streams: () => ({ orders: [{}], fills: [{}], triggers: 'streamed' }),
  // The second of two streams would be subscribed to before the first has signed in.
  prepareStreams: async (client) => {
    await (client as unknown as { authenticate(): Promise<unknown> }).authenticate()
  },
  contractSizeOf: () => '1',
  place(request, context) {
    const order = placeWithoutGtc(request, context)
    const { clientOrderId, triggerPrice, ...rest } = order.params
    // What ccxt calls a trigger price the venue does not know: the order would be a market order at once.
    const stop = defined({ stopLossPrice: triggerPrice })
    return { ...order, params: { ...rest, ...stop, label: clientOrderId, valid_until: takenUntil(context.client) } }
  },
  editParams: ({ triggerPrice }) => defined({ trigger_price: triggerPrice }),
  findByClientOrderId,
  findEnded: (client, _names, market) => history(client, market),
  findableMs: () => FINDABLE_MS,
  successorOf: (row) => (triggered.safeParse(row).data?.info.order_state === 'triggered' ? '' : undefined),
  askSuccessor,
  ownIdOf: (row) => became.safeParse(row).data?.info.order_id,
  statusOf: statusIn(WORDS, 'order_state'),
  causeOf: ({ is_liquidation: isLiquidation, order_type: type, cancel_reason: reason }) =>
    isLiquidation === true || type === 'liquidation' ? 'liquidation' : wordIn(CANCEL_REASONS, reason),
  hintsOf: (info) => ({
    ...(typeof info.trigger_order_id === 'string' ? { id: info.trigger_order_id } : {}),
    ...typeOf(info),
    ...(typeof info.label === 'string' ? { clientOrderId: info.label } : {}),
    reduceOnly: info.reduce_only === true,
  }),
  openOrdersScopes: (kind, settles) =>
    settles.length === 0 ? [{}] : scopes(kind, settles).map(({ currency }) => ({ code: currency, currency })),
  positionsScopes: scopes,
  balanceScopes: (kind, settles) => scopes(kind, settles).map(({ currency }) => ({ code: currency })),
  balances: accountBalances,
  tradesNewestFirst: true,
  // By time it wants both ends, and lists in the order that is asked for.
  tradesWindow: () => ({ ms: Number.POSITIVE_INFINITY, needsEnd: true }),
  // What it calls recent trades is of 24 hours, and its history is without those.
  tradesOlder: { ms: 86_400_000, params: { historical: true } },
  tradesParams: { sorting: 'desc' },
  tradesBefore: (ms) => ({ end_timestamp: ms }),
  // `M`, `T` or `MT`: which sides of the trade were liquidated.
  fillHintsOf: ({ liquidation, liquidity }) =>
    typeof liquidation === 'string' && typeof liquidity === 'string' && liquidation.includes(liquidity)
      ? { cause: 'liquidation' }
      : {},
  isAnswer: hasField('result', 'error'),
  codeOf: (json) => z.safeParse(failure, json).data?.error.code,
  codes: {
    '10004': 'order-not-found',
    '10009': 'insufficient-funds',
    '10010': 'order-not-found',
    '10011': 'invalid-order',
    '10020': 'bad-symbol',
    '10028': 'rate-limited',
    '10034': 'would-trigger',
    '10035': 'would-trigger',
    '10043': 'invalid-order',
    '10044': 'order-not-found',
    '11030': 'reduce-only-rejected',
    '11036': 'would-trigger',
    '11044': 'order-not-found',
    '11050': 'invalid-order',
    '11051': 'unavailable',
    '11054': 'order-immediately-fillable',
    '12001': 'rate-limited',
    '13004': 'authentication',
    '13009': 'authentication',
    '13021': 'permission',
    '13028': 'unavailable',
    '13403': 'permission',
    '13404': 'permission',
  },
  hints: { '13021': KEY_HINTS.rights },
  unknownCodes: ['11094', '13503', '13888', '10040', '10041', '-32000', '-32603'],
  isRefusalCode: (code) => /^1[0-3]\d{3}$/.test(code) || code === '-32602' || code === '-32600',
  isQuestion: ({ request }) => !CHANGES.test(request.url),
}

const failure = z.object({
  error: z.object({
    code: z.pipe(
      z.number(),
      z.transform((code) => String(code)),
    ),
  }),
})

function typeOf({ order_type: type, trigger_price: triggerPrice }: Readonly<Record<string, unknown>>): OrderHints {
  if (typeof type !== 'string' || !/^(?:stop|take)_/.test(type)) return {}
  return { type: type.endsWith('_limit') ? 'limit' : 'market', triggerPrice, isTakeProfit: type.startsWith('take_') }
}

const summary = z.object({
  currency: word,
  equity: figure,
  balance: z.optional(figure),
  available_funds: z.optional(figure),
  initial_margin: z.optional(figure),
})

/** `balance` has what was realised, `equity` what is not yet too. */
function accountBalances(info: unknown): readonly Balance[] | undefined {
  const account = z.safeParse(summary, info).data
  if (account === undefined) return undefined
  const { currency, equity: total, balance: wallet, available_funds: free, initial_margin: used } = account
  return contractBalances([{ currency, total, wallet, free, used }])
}

/** What a contract settles in; each is asked for alone. */
function scopes(kind: MarketKind, settles: readonly string[]): readonly Params[] {
  const usual = kind === 'inverse' ? ['BTC', 'ETH'] : ['USDC']
  return (settles.length === 0 ? usual : settles).map((currency) => ({ currency }))
}

const HISTORY_COUNT = 1000
/** What it calls recent orders: those that ended within half an hour. Older ones are in a history that is indexed late. */
const FINDABLE_MS = 1_800_000

const labelled = z.object({ result: z.array(z.unknown()) })

async function findByClientOrderId(client: CcxtClient, label: string, venueMarket: VenueMarket): Promise<unknown> {
  const { settle, quote } = venueMarket.market
  const recent = await rowsOf(client, venueMarket, 'get_order_state_by_label', { currency: settle ?? quote, label })
  return recent.length > 0 ? recent : history(client, venueMarket)
}

/** Orders that ended longer ago than `get_order_state` tells of them. */
function history(client: CcxtClient, venueMarket: VenueMarket): Promise<readonly unknown[]> {
  return rowsOf(client, venueMarket, 'get_order_history_by_instrument', {
    instrument_name: venueMarket.id,
    count: HISTORY_COUNT,
    include_old: true,
    include_unfilled: true,
    historical: true,
  })
}

async function rowsOf(
  client: CcxtClient,
  { symbol }: VenueMarket,
  path: string,
  query: Params,
): Promise<readonly unknown[]> {
  const answer = await client.request(path, 'private', 'GET', query)
  return z.parse(labelled, answer).result.map((row) => client.parseOrder(row, client.markets?.[symbol]))
}

const triggered = z.object({ info: z.looseObject({ order_id: z.string(), order_state: z.string() }) })
const became = z.object({ info: z.looseObject({ order_id: z.string(), trigger_order_id: z.string() }) })

const triggerHistory = z.object({
  result: z.object({
    entries: z.array(
      z.looseObject({ trigger_order_id: z.string(), order_id: z.optional(z.string()), order_state: z.string() }),
    ),
  }),
})

/** Of all that happens to a trigger order its own history alone names the order that it became, and a refusal of that one. */
async function askSuccessor(
  client: CcxtClient,
  row: unknown,
  { id, market }: VenueMarket,
): Promise<string | undefined> {
  const { order_id: triggerId } = z.parse(triggered, row).info
  const query = { currency: market.settle ?? market.quote, instrument_name: id, count: HISTORY_COUNT }
  const answer = await client.request('get_trigger_order_history', 'private', 'GET', query)
  const events = z.parse(triggerHistory, answer).result.entries.filter(({ trigger_order_id: of }) => of === triggerId)
  const successor = events.find(({ order_id: made }) => made !== undefined && made !== triggerId)?.order_id
  return successor ?? (events.some(({ order_state: state }) => state === 'rejected') ? 'failed' : undefined)
}
