// Gate: our id is an order's `text` and may take the place of the venue's; contracts are asked for one settle currency at a time.
import * as z from 'zod/mini'
import { ExchangeError } from '../../../exchange/exchange-error.ts'
import type { MarketKind } from '../../../exchange/market.ts'
import type { CcxtClient, Params } from '../ccxt-client.ts'
import { SHORT } from '../client-order-ids.ts'
import { word } from '../decimals.ts'
import { codeIn, DEFAULT_PROFILE, isJson, KEY_HINTS, optionsOf, placeWithoutGtc } from '../default-profile.ts'
import type { VenueMarket } from '../markets.ts'
import type { PositionMode, VenueProfile } from '../profile.ts'
import { joinPrices, withBidsAsks } from '../streams/joined-prices.ts'

const PAGE = 100

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
  openOrdersPage: { size: PAGE, next: (_rows, page) => ({ page, offset: (page - 1) * PAGE }) },
  openOrdersScopes: scopes,
  positionsScopes: scopes,
  balanceScopes: scopes,
  buysByCost: (kind) => kind === 'spot',
  leverageParams,
  tradesNewestFirst: true,
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
    REDUCE_EXCEEDED: 'reduce-only-rejected',
    INCREASE_POSITION: 'reduce-only-rejected',
    POSITION_EMPTY: 'reduce-only-rejected',
    POSITION_DUAL_MODE: 'wrong-account-mode',
    DUPLICATE_TEXT: 'duplicate-id',
    REPEATED_CLIENT_ORDER_ID: 'duplicate-id',
    TOO_MANY_REQUESTS: 'rate-limited',
    TOO_FAST: 'rate-limited',
    TOO_BUSY: 'rate-limited',
  },
  hints: { READ_ONLY: KEY_HINTS.rights, FORBIDDEN: KEY_HINTS.address, IP_FORBIDDEN: KEY_HINTS.address },
  unknownCodes: ['SERVER_ERROR', 'INTERNAL'],
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
  if (user === undefined) throw new ExchangeError('network', 'the venue does not say whose account it is')
  named.uid = user
}

function scopes(kind: MarketKind, settles: readonly string[]): readonly Params[] {
  if (kind === 'spot' || settles.length === 0) return [{}]
  return settles.map((settle) => ({ settle: settle.toLowerCase() }))
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
