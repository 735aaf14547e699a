// Deribit, contracts: amounts are dollars or coins and never contracts, our id is the order's label, and orders leave by GET.
import * as z from 'zod/mini'
import { defined } from '../../../base/defined.ts'
import { ExchangeError } from '../../../exchange/exchange-error.ts'
import type { MarketKind } from '../../../exchange/market.ts'
import type { Balance, VenueCause } from '../../../exchange/order.ts'
import type { CcxtClient, Params } from '../ccxt-client.ts'
import { decimalText, figure, idWord, moment, word } from '../decimals.ts'
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
import { contractBalances } from '../holdings.ts'
import type { VenueMarket } from '../markets.ts'
import type { FillHints, OrderHints, VenueProfile } from '../profile.ts'

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
  causeOf,
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
  fillHintsOf,
  handedOn,
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

function causeOf(info: Readonly<Record<string, unknown>>): VenueCause | undefined {
  const { is_liquidation: isLiquidation, order_type: type, order_state: state, cancel_reason: reason } = info
  if (isLiquidation === true || type === 'liquidation') return 'liquidation'
  // A trigger order that is refused as it is placed is an error and no order.
  if (state === 'rejected' && typeOf(info).triggerPrice !== undefined) return 'trigger-failed'
  return wordIn(CANCEL_REASONS, reason)
}

/**
 * Entries of the transaction log that change a position without a trade: "LSP transfer" and "ADL transfer" (Liquidity Support Program, Transaction Log
 * Entries), and the delivery of a contract that expires (get_transaction_log, `type`).
 */
export const LOG_CAUSES: Readonly<Record<string, VenueCause>> = {
  'LSP transfer': 'liquidation',
  'ADL transfer': 'deleveraging',
  delivery: 'settlement',
}

function fillHintsOf(info: Readonly<Record<string, unknown>>): FillHints {
  const { type, role, cashflow, liquidation, liquidity } = info
  const cause = wordIn(LOG_CAUSES, type)
  if (cause !== undefined) {
    // A participant of the program takes over what another account was liquidated of.
    const isOurs = cause !== 'liquidation' || role !== 'destination'
    return { ...(isOurs && { cause }), ...defined({ realizedPnl: decimalText(cashflow) }) }
  }
  // `M`, `T` or `MT`: which sides of the trade were liquidated.
  const isLiquidated =
    typeof liquidation === 'string' && typeof liquidity === 'string' && liquidation.includes(liquidity)
  return isLiquidated ? { cause: 'liquidation' } : {}
}

const LOG_COUNT = 250
const LOG_PAGES = 20
/** Sustained, one request a second. */
const LOG_MS = 1_000
/** Several symbols are asked for at once, and the log is of all of them. */
const LOG_FRESH_MS = 2_000
const LOG_STEP_MS = 900_000

const logged = z.looseObject({
  id: idWord,
  type: z.string(),
  timestamp: moment,
  instrument_name: z.optional(word),
  side: z.optional(word),
  commission: z.optional(figure),
  currency: z.optional(word),
})
const logPage = z.object({
  result: z.object({ logs: z.array(logged), continuation: z.optional(z.nullable(z.number())) }),
})
type Logged = z.output<typeof logged>

interface LogAnswer {
  readonly from: number
  readonly at: number
  readonly rows: readonly Logged[]
}

const answers = new WeakMap<CcxtClient, Map<string, LogAnswer>>()

/** Only perpetuals that settle in USDC are handed on, and only what expires is delivered. */
async function handedOn(
  client: CcxtClient,
  venueMarket: VenueMarket,
  kind: MarketKind,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<readonly unknown[]> {
  const { id, symbol, market } = venueMarket
  const isPerpetual = id.endsWith('-PERPETUAL')
  if (isPerpetual && kind !== 'linear') return []
  // An assumption: that `transfer` finds both kinds of transfers by their type.
  const about = { currency: market.settle ?? market.quote, query: isPerpetual ? 'transfer' : 'delivery' }
  const start = Math.floor(from / LOG_STEP_MS) * LOG_STEP_MS
  const rows = await readLog(client, about, start, until)
  return rows.flatMap((row) => {
    if (row.instrument_name !== id || wordIn(LOG_CAUSES, row.type) === undefined) return []
    const name = `log-${row.id}`
    const terms = {
      trade_id: name,
      order_id: name,
      ...defined({ direction: /\b(buy|sell)$/.exec(row.side ?? '')?.[1] }),
    }
    return [
      client.parseTrade(
        { ...row, ...terms, fee: row.commission, fee_currency: row.currency },
        client.markets?.[symbol],
      ),
    ]
  })
}

async function readLog(client: CcxtClient, about: Params, from: number, until: number): Promise<readonly Logged[]> {
  const key = Object.values(about).join(' ')
  const kept = answers.get(client)?.get(key)
  const now = client.milliseconds()
  if (kept !== undefined && kept.from <= from && now - kept.at < LOG_FRESH_MS) return kept.rows
  const rows: Logged[] = []
  let next: number | null | undefined
  for (let page = 0; page < LOG_PAGES && next !== null; page += 1) {
    const span = { start_timestamp: from, end_timestamp: until, count: LOG_COUNT, ...defined({ continuation: next }) }
    const cost = LOG_MS / client.rateLimit
    const answer = await client.request(
      'get_transaction_log',
      'private',
      'GET',
      { ...about, ...span },
      undefined,
      undefined,
      {
        cost,
      },
    )
    const { logs, continuation = null } = z.parse(logPage, answer).result
    rows.push(...logs)
    next = continuation
  }
  if (next !== null) throw new ExchangeError('network', 'the venue lists more transfers than can be read')
  const own = answers.get(client) ?? new Map<string, LogAnswer>()
  answers.set(client, own.set(key, { from, at: now, rows }))
  return rows
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
