// Gate: our id is an order's `text` and may take the place of the venue's; contracts are asked for one settle currency at a time.
import * as z from 'zod/mini'
import type { MarketKind } from '../../../exchange/market.ts'
import type { Balance, VenueCause } from '../../../exchange/order.ts'
import { contractBalances } from '../balances.ts'
import type { CcxtClient, Params } from '../ccxt-client.ts'
import { SHORT } from '../client-order-ids.ts'
import { figure, word } from '../decimals.ts'
import { codeIn, DEFAULT_PROFILE, isJson, KEY_HINTS, optionsOf, placeWithoutGtc } from '../default-profile.ts'
import { present, type VenueMarket } from '../markets.ts'
import type { PositionMode, VenueProfile } from '../profile.ts'

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
  balances: (info, kind) => (kind === 'spot' ? undefined : accountBalances(info)),
  buysByCost: (kind) => kind === 'spot',
  leverageParams,
  tradesNewestFirst: true,
  // List personal trading history: from `from` to `to` 30 days at most, and 7 days where they are not named; contracts are taken for the same.
  tradesWindow: () => ({ ms: 30 * 86_400_000 - 60_000, needsEnd: true }),
  // An assumption: of contracts it lists about half a year.
  tradesKeptMs: (kind) => (kind === 'spot' ? undefined : 180 * 86_400_000),
  // It counts whole seconds.
  tradesBefore: (ms) => ({ until: Math.ceil(ms / 1000) * 1000 }),
  fillHintsOf: ({ text }) => present({ cause: causeOf(text) }),
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

/** What the venue writes where a person's order has our id. */
function causeOf(text: unknown): VenueCause | undefined {
  const word = String(text)
  if (word === 'auto_deleveraging') return 'deleveraging'
  return /^(?:liquidation$|liq-|hedge-liq-|pm_liquidate|comb_margin_liquidate|scm_liquidate)/.test(word)
    ? 'liquidation'
    : undefined
}

const detail = z.object({ key: z.object({ mode: z.number() }) })
const UNIFIED = 2

async function prepare(client: CcxtClient): Promise<void> {
  const { key } = z.parse(detail, await client.request('detail', ['private', 'account'], 'GET'))
  client.options.unifiedAccount = key.mode === UNIFIED
}

function scopes(kind: MarketKind, settles: readonly string[]): readonly Params[] {
  if (kind === 'spot' || settles.length === 0) return [{}]
  return settles.map((settle) => ({ settle: settle.toLowerCase() }))
}

const account = z.object({
  ...{ currency: word, total: z.optional(figure), unrealised_pnl: z.optional(figure), available: z.optional(figure) },
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
