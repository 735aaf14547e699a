// Gate: our id is an order's `text` and may take the place of the venue's; contracts are asked for one settle currency at a time.

import * as z from 'zod/mini'
import { defined } from '../../../base/defined.ts'
import { ExchangeError } from '../../../exchange/exchange-error.ts'
import type { MarketKind } from '../../../exchange/market.ts'
import type { Balance, VenueCause } from '../../../exchange/order.ts'
import type { CcxtClient, Params } from '../ccxt-client.ts'
import { decimalText, figure, idWord, word } from '../decimals.ts'
import {
  codeIn,
  DEFAULT_PROFILE,
  isJson,
  KEY_HINTS,
  meaningOf,
  optionsOf,
  placeWithoutGtc,
  type StatusWords,
  wordIn,
} from '../default-profile.ts'
import { contractBalances } from '../holdings.ts'
import type { VenueMarket } from '../markets.ts'
import { type OrderHints, type PositionMode, SHORT, type StatusMeaning, type VenueProfile } from '../profile.ts'
import { joinPrices, withBidsAsks } from '../streams/joined-prices.ts'

const PAGE = 100
type Info = Readonly<Record<string, unknown>>

export const WORDS: StatusWords = {
  open: 'open',
  // Of a take-profit or a stop whose order has not filled yet, or never will.
  inactive: 'open',
  invalid: 'canceled',
  closed: 'closed',
  cancelled: 'canceled',
}

/** How what is `finished` has ended; a word that is not here says that it has. */
export const ENDS: StatusWords = {
  cancelled: 'canceled',
  liquidated: 'canceled',
  liquidate_cancelled: 'canceled',
  ioc: 'expired',
  poc: 'canceled',
  fok: 'expired',
  small: 'canceled',
  depth_not_enough: 'canceled',
  trader_not_enough: 'canceled',
  auto_deleveraged: 'canceled',
  reduce_only: 'canceled',
  reduce_out: 'canceled',
  position_closed: 'canceled',
  stp: 'canceled',
  mmp_cancelled: 'canceled',
  succeeded: 'triggered',
  failed: 'rejected',
  expired: 'expired',
}

export const END_CAUSES: Readonly<Record<string, VenueCause>> = {
  liquidated: 'liquidation',
  liquidate_cancelled: 'liquidation',
  auto_deleveraged: 'deleveraging',
  reduce_only: 'reduce-only',
  reduce_out: 'reduce-only',
  position_closed: 'position-closed',
  stp: 'self-trade',
  failed: 'trigger-failed',
}

/** What the venue writes where a person writes `t-` and a text. */
export const OWN_TEXTS: readonly (readonly [text: RegExp, cause: VenueCause])[] = [
  [/^(?:liquidation$|liq-|hedge-liq-|insurance$|(?:pm|comb_margin|scm)_liquidate)/, 'liquidation'],
  [/^auto_deleveraging/, 'deleveraging'],
]

export const GATE: VenueProfile = {
  ...DEFAULT_PROFILE,
  id: 'gate',
  name: 'Gate',
  classes: { spot: 'gate', linear: 'gate' },
  options: (kind) => ({
    ...optionsOf(kind),
    fetchMarkets: { types: [kind === 'spot' ? 'spot' : 'swap'] },
    // Asked for in `prepare`: ccxt would take a question that failed for a no.
    unifiedAccount: false,
  }),
  prepare,
  // Rows as in its answers (`orders`, `usertrades`); trigger orders have a channel of their own, whose rows are only a hint.
  streams: (kind) => ({
    orders: kind === 'spot' ? [{}] : [{}, { params: { trigger: true }, isHint: true, isOfTriggers: true }],
    fills: [{}],
    triggers: 'streamed',
    isForeign: (row) => /margin/.test(borrowing.safeParse(row).data?.info.account ?? ''),
  }),
  prepareStreams: nameUser,
  // Tickers of contracts lack the best bid and ask.
  adjust: (client) => {
    if (client.options.defaultType !== 'spot') joinPrices(client, withBidsAsks())
  },
  clientOrderIds: SHORT,
  // On spot a stop there is a limit order with an end.
  orderTypes: (kind) =>
    kind === 'spot' ? ['market', 'limit'] : ['market', 'limit', 'stop', 'stop-limit', 'take-profit'],
  place: placeWithoutGtc,
  // Without an id ccxt would cancel every order. A stop has no `text` that it can be named by.
  refer({ id }, venueId, { isTrigger }) {
    const name = id ?? (isTrigger ? undefined : venueId)
    return name === undefined ? undefined : { id: name, params: {} }
  },
  triggers: (kind) => (kind === 'spot' ? 'with-others' : { apart: { trigger: true } }),
  findEnded: listFinished,
  // Contracts that ended without a fill are listed for ten minutes, filled ones for six months; by `text` spot orders are found for an hour.
  findableMs: (kind) => (kind === 'spot' ? 3_600_000 : 600_000),
  successorOf: firedAs,
  firedOrders,
  statusOf,
  causeOf,
  hintsOf,
  openOrdersPage: { size: PAGE, next: (_rows, page) => ({ page, offset: (page - 1) * PAGE }) },
  openOrdersScopes: scopes,
  positionsScopes: scopes,
  balanceScopes: scopes,
  balances: (info, kind) => (kind === 'spot' ? undefined : accountBalances(info)),
  buysByCost: (kind) => kind === 'spot',
  leverageParams,
  // "Cross margin leverage(valid only when `leverage` is 0)" (Position).
  leverageOf: ({ cross_leverage_limit: limit }) => decimalText(limit),
  tradesNewestFirst: true,
  // List personal trading history: from `from` to `to` 30 days at most, and 7 days where they are not named; contracts are taken for the same.
  tradesWindow: () => ({ ms: 30 * 86_400_000 - 60_000, needsEnd: true }),
  // An assumption: of contracts it lists about half a year.
  tradesKeptMs: (kind) => (kind === 'spot' ? undefined : 180 * 86_400_000),
  // It counts whole seconds.
  tradesBefore: (ms) => ({ until: Math.ceil(ms / 1000) * 1000 }),
  fillHintsOf: ({ text }) => defined({ cause: causeOf({ text }) }),
  positionMode,
  isAnswer: isJson,
  codeOf: codeIn('label'),
  codes: {
    INVALID_KEY: 'authentication',
    INVALID_SIGNATURE: 'authentication',
    MISSING_REQUIRED_HEADER: 'authentication',
    REQUEST_EXPIRED: 'clock',
    IP_FORBIDDEN: 'permission',
    READ_ONLY: 'permission',
    FORBIDDEN: 'permission',
    USER_NOT_FOUND: 'permission',
    MARGIN_NOT_SUPPORTED: 'not-supported',
    INVALID_CURRENCY_PAIR: 'bad-symbol',
    CONTRACT_NOT_FOUND: 'bad-symbol',
    BALANCE_NOT_ENOUGH: 'insufficient-funds',
    INSUFFICIENT_AVAILABLE: 'insufficient-funds',
    ORDER_NOT_FOUND: 'order-not-found',
    ORDER_CLOSED: 'order-not-found',
    ORDER_CANCELLED: 'order-not-found',
    ORDER_FINISHED: 'order-not-found',
    AUTO_ORDER_NOT_FOUND: 'order-not-found',
    POC_FILL_IMMEDIATELY: 'order-immediately-fillable',
    ORDER_POC_IMMEDIATE: 'order-immediately-fillable',
    AUTO_TRIGGER_PRICE_LESS_LAST: 'would-trigger',
    AUTO_TRIGGER_PRICE_GREATE_LAST: 'would-trigger',
    AUTO_TRIGGER_PRICE_LESS_MARK: 'would-trigger',
    AUTO_TRIGGER_PRICE_GREATE_MARK: 'would-trigger',
    REDUCE_EXCEEDED: 'reduce-only-rejected',
    INCREASE_POSITION: 'reduce-only-rejected',
    POSITION_EMPTY: 'reduce-only-rejected',
    POSITION_DUAL_MODE: 'wrong-account-mode',
    DUPLICATE_TEXT: 'duplicate-id',
    REPEATED_CLIENT_ORDER_ID: 'duplicate-id',
    TOO_MANY_REQUESTS: 'rate-limited',
    TOO_FAST: 'rate-limited',
  },
  hints: { READ_ONLY: KEY_HINTS.rights, FORBIDDEN: KEY_HINTS.address, IP_FORBIDDEN: KEY_HINTS.address },
  // Nothing says whether a busy server has taken the order.
  unknownCodes: ['SERVER_ERROR', 'INTERNAL', 'TOO_BUSY'],
  gridCodes: ['INVALID_PRECISION'],
}

const priceOrder = z.object({
  info: z.looseObject({ trigger: z.looseObject({}), finish_as: z.optional(z.string()), trade_id: z.optional(idWord) }),
})

/** `trade_id` is the order that a price order made, 0 before that. */
function firedAs(row: unknown): string | undefined {
  const { finish_as: end, trade_id: id = '0' } = priceOrder.safeParse(row).data?.info ?? {}
  if (id !== '0') return id
  return end === 'succeeded' ? '' : undefined
}

const firedPrices = z.array(
  z.looseObject({ id: idWord, trade_id: z.optional(idWord), initial: z.looseObject({ text: z.optional(word) }) }),
)

/** Fills name the order that a price order made, which has another `text`. */
async function firedOrders(client: CcxtClient, { id: contract, market }: VenueMarket, kind: MarketKind) {
  if (kind === 'spot') return new Map()
  const query = { settle: (market.settle ?? market.quote).toLowerCase(), contract, status: 'finished', limit: PAGE }
  const rows = await client.request('{settle}/price_orders', ['private', 'futures'], 'GET', query)
  return new Map(
    z.parse(firedPrices, rows).flatMap(({ id, trade_id: successor, initial: { text } }) => {
      if (id === undefined || successor === undefined || successor === '0') return []
      return [[successor, { id, ...defined({ clientOrderId: text }) }] as const]
    }),
  )
}

/** By `text` an order of contracts is found until a minute after its end; the list has it with its `text` for longer. */
async function listFinished(
  client: CcxtClient,
  { venueId }: { readonly venueId?: string },
  { symbol }: VenueMarket,
  { isTrigger }: { readonly isTrigger: boolean },
): Promise<unknown> {
  if (venueId === undefined || isTrigger) return []
  return client.fetchClosedOrders(symbol, undefined, PAGE)
}

function statusOf({ status, finish_as: end }: Info): StatusMeaning | 'unlisted' | undefined {
  if (typeof status !== 'string') return undefined
  const isOver = status === 'finished' || status === 'cancelled' || status === 'closed'
  if (!isOver) return meaningOf(WORDS, status)
  return wordIn(ENDS, end) ?? wordIn(WORDS, status) ?? 'closed'
}

function causeOf({ finish_as: end, is_liq: isLiquidation, text }: Info): VenueCause | undefined {
  if (isLiquidation === true) return 'liquidation'
  const own = OWN_TEXTS.find(([form]) => typeof text === 'string' && form.test(text))
  return own?.[1] ?? wordIn(END_CAUSES, end)
}

const waitingOrder = z.object({
  trigger: z.object({ rule: z.number() }),
  initial: z.object({ size: figure, is_close: z.optional(z.boolean()), close: z.optional(z.boolean()) }),
  order_type: z.optional(z.string()),
})
const ABOVE = 1

/** Of an order that waits for a price: which way, and whether it closes all. */
function hintsOf(info: Info): OrderHints {
  const read = z.safeParse(waitingOrder, info)
  if (!read.success) return {}
  const { trigger, initial, order_type: type = '' } = read.data
  const isWhole =
    initial.size === '0' && (initial.is_close === true || initial.close === true || type.includes('close-'))
  // Without an amount only the type says which side.
  const isSell = initial.size === '0' ? type.includes('close-long') : initial.size?.startsWith('-') === true
  if (initial.size === '0' && type === '') return { unread: 'it does not name the side that it closes' }
  return {
    side: isSell ? 'sell' : 'buy',
    isTakeProfit: (trigger.rule === ABOVE) === isSell,
    isTriggerAlone: true,
    ...(isWhole ? { closesPosition: true } : {}),
  }
}

const detail = z.object({ key: z.object({ mode: z.number() }), user_id: z.optional(word) })
const UNIFIED = 2

async function prepare(client: CcxtClient): Promise<void> {
  const { key } = z.parse(detail, await client.request('detail', ['private', 'account'], 'GET'))
  client.options.unifiedAccount = key.mode === UNIFIED
}

const borrowing = z.object({ info: z.looseObject({ account: z.string() }) })

/** Subscriptions to contracts name the user. */
async function nameUser(client: CcxtClient, kind: MarketKind): Promise<void> {
  const named = client as { uid?: string }
  if (kind === 'spot' || (named.uid !== undefined && named.uid !== '')) return
  const { user_id: user } = z.parse(detail, await client.request('detail', ['private', 'account'], 'GET'))
  if (user === undefined) throw new ExchangeError('network', 'the venue does not report whose account it is')
  named.uid = user
}

function scopes(kind: MarketKind, settles: readonly string[]): readonly Params[] {
  if (kind === 'spot' || settles.length === 0) return [{}]
  return settles.map((settle) => ({ settle: settle.toLowerCase() }))
}

const account = z.object({
  currency: word,
  total: z.optional(figure),
  unrealised_pnl: z.optional(figure),
  available: z.optional(figure),
})
/** ccxt takes the answer of a unified account for one of its rows. */
const unified = z.tuple([
  z.object({ balances: z.record(z.string(), z.object({ equity: figure, available: z.optional(figure) })) }),
])

/** "The balance … does not include upl of positions" (FuturesAccount.total); a unified account says what it is worth with it. */
function accountBalances(info: unknown): readonly Balance[] | undefined {
  const [several] = z.safeParse(unified, info).data ?? []
  if (several !== undefined) {
    const coins = Object.entries(several.balances)
    return contractBalances(coins.map(([currency, { equity: total, available: free }]) => ({ currency, total, free })))
  }
  const rows = z.safeParse(z.array(account), info).data
  return (
    rows &&
    contractBalances(
      rows.map(({ currency, total: wallet, unrealised_pnl: unrealized, available: free }) => {
        return { currency, wallet, unrealized, free }
      }),
    )
  )
}

const settleOf = (kind: MarketKind, market?: VenueMarket): string =>
  (market?.market.settle ?? (kind === 'inverse' ? 'BTC' : 'USDT')).toLowerCase()

const futuresAccount = z.object({ in_dual_mode: z.boolean() })

async function positionMode(client: CcxtClient, kind: MarketKind, market?: VenueMarket): Promise<PositionMode> {
  const settle = settleOf(kind, market)
  const answer = await client.request('{settle}/accounts', ['private', 'futures'], 'GET', { settle })
  return z.parse(futuresAccount, answer).in_dual_mode ? 'hedge' : 'one-way'
}

const position = z.object({ leverage: z.string() })

/** Cross margin is a leverage of 0 there: to say another number would switch the symbol to isolated margin. */
async function leverageParams(
  _mode: unknown,
  client: CcxtClient,
  market: VenueMarket,
  leverage: string,
): Promise<Params> {
  const { kind } = market.market
  const answer = await client.request('{settle}/positions/{contract}', ['private', 'futures'], 'GET', {
    settle: settleOf(kind, market),
    contract: market.id,
  })
  return Number(z.parse(position, answer).leverage) === 0 ? { cross_leverage_limit: leverage } : {}
}
