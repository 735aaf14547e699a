// KuCoin: spot and futures are two APIs under one class; stops are kept apart on spot, and an order on futures names its margin mode and leverage.
import * as z from 'zod/mini'
import { ExchangeError } from '../../../exchange/exchange-error.ts'
import type { Balance, OrderRequest, VenueCause } from '../../../exchange/order.ts'
import { contractBalances } from '../balances.ts'
import type { CcxtClient, Params } from '../ccxt-client.ts'
import { figure, word } from '../decimals.ts'
import {
  codeIn,
  DEFAULT_PROFILE,
  hasField,
  KEY_HINTS,
  optionsOf,
  placeWithoutGtc,
  referUnified,
  unifiedMode,
  waitsAbove,
} from '../default-profile.ts'
import { type MarketBook, present } from '../markets.ts'
import type { OrderContext, VenueProfile } from '../profile.ts'

const PAGE = 100

export const KUCOIN: VenueProfile = {
  ...DEFAULT_PROFILE,
  id: 'kucoin',
  name: 'KuCoin',
  classes: { spot: 'kucoin', linear: 'kucoin' },
  options: (kind) => ({
    ...optionsOf(kind),
    fetchMarkets: { types: [kind === 'spot' ? 'spot' : 'swap'], fetchTickersFees: false },
    // ccxt would ask in the middle of the first order. Every spot account is of the new kind by now; unified ones are not.
    ...{ hf: true, uta: false },
  }),
  marketsParams: { marginables: false },
  demo: 'none',
  async place(request, context) {
    const order = placeWithoutGtc({ ...request, type: plainType(request) }, context)
    const terms = {
      ...(context.kind === 'spot' ? spotTrigger(request) : contractTrigger(request)),
      ...(context.kind === 'spot' ? {} : await marginOf(context)),
    }
    return { ...order, params: { ...order.params, ...terms } }
  },
  refer: referUnified,
  triggers: (kind) =>
    kind === 'spot'
      ? { apart: { trigger: true }, lists: [{ trigger: true, hf: false, pageSize: PAGE }] }
      : { apart: {}, lists: [{ trigger: true }] },
  openOrdersNeedSymbol: (kind) => kind === 'spot',
  symbolsWithOrders,
  openOrdersPage: { size: PAGE, next: (_rows, page) => ({ currentPage: page }) },
  openOrdersScopes: (kind) => (kind === 'spot' ? [{}] : [{ pageSize: PAGE }]),
  balances: (info, kind) => (kind === 'spot' ? undefined : accountBalances(info)),
  tradesNewestFirst: true,
  // Get Trade History: 7 × 24 hours at a time, 24 hours where only the beginning is named; of futures three months.
  tradesWindow: () => ({ ms: 7 * 86_400_000 - 60_000, needsEnd: true }),
  tradesKeptMs: (kind) => (kind === 'spot' ? undefined : 90 * 86_400_000),
  fillHintsOf: ({ tradeType }) => present({ cause: CAUSES.get(String(tradeType).toLowerCase()) }),
  positionMode: unifiedMode,
  isAnswer: hasField('code'),
  codeOf: codeIn('code'),
  codes: {
    '100001': 'invalid-order',
    '100004': 'order-not-found',
    '102411': 'duplicate-id',
    '102426': 'duplicate-id',
    '200004': 'insufficient-funds',
    '200005': 'insufficient-funds',
    '230003': 'insufficient-funds',
    '260100': 'permission',
    '300003': 'insufficient-funds',
    '300009': 'reduce-only-rejected',
    '300012': 'invalid-order',
    '330005': 'wrong-account-mode',
    '330011': 'wrong-account-mode',
    '400001': 'authentication',
    '400002': 'clock',
    '400003': 'authentication',
    '400004': 'authentication',
    '400005': 'authentication',
    '400006': 'permission',
    '400007': 'permission',
    '400008': 'not-supported',
    '400100': 'invalid-order',
    '400600': 'invalid-order',
    '400760': 'invalid-order',
    '411100': 'permission',
    '415000': 'invalid-order',
    '429000': 'rate-limited',
    '900001': 'bad-symbol',
  },
  hints: { '400004': KEY_HINTS.passphrase, '400006': KEY_HINTS.address, '400007': KEY_HINTS.rights },
  unknownCodes: ['500000', '200000'],
  isRefusalCode: (code) => /^[1-4]\d{5}$/.test(code) && code !== '200000',
}

const CAUSES: ReadonlyMap<string, VenueCause> = new Map([
  ['liquidation', 'liquidation'],
  ['adl', 'deleveraging'],
  ['settlement', 'settlement'],
])

const overview = z.object({
  data: z.object({
    ...{
      currency: word,
      accountEquity: figure,
      unrealisedPNL: z.optional(figure),
      availableBalance: z.optional(figure),
    },
  }),
})

function accountBalances(info: unknown): readonly Balance[] | undefined {
  const account = z.safeParse(overview, info).data?.data
  if (account === undefined) return undefined
  const { currency, accountEquity: total, unrealisedPNL: unrealized, availableBalance: free } = account
  return contractBalances([{ currency, total, unrealized, free }])
}

const activeSymbols = z.object({ data: z.object({ symbols: z.array(z.string()) }) })

async function symbolsWithOrders(client: CcxtClient, markets: MarketBook): Promise<readonly string[]> {
  const { symbols } = z.parse(activeSymbols, await client.request('hf/orders/active/symbols', 'private', 'GET')).data
  return symbols.flatMap((id) => markets.byId(id)?.symbol ?? [])
}

function plainType({ type }: OrderRequest): OrderRequest['type'] {
  return type === 'take-profit' ? 'stop' : type
}

/** It takes a trigger that says nothing for one below the price. */
function spotTrigger(request: OrderRequest): Params {
  return request.triggerPrice === undefined ? {} : { stop: waitsAbove(request) ? 'entry' : 'loss' }
}

/** ccxt alone would watch the mark price. */
function contractTrigger(request: OrderRequest): Params {
  return request.triggerPrice === undefined ? {} : { stop: waitsAbove(request) ? 'up' : 'down', stopPriceType: 'TP' }
}

const marginMode = z.object({ data: z.object({ marginMode: z.string() }) })
const leverage = z.object({ data: z.object({ leverage: figure }) })

/** What the symbol is set to: an order that named another mode or leverage would change it. */
async function marginOf({ client, market }: OrderContext): Promise<Params> {
  const symbol = market.id
  const mode = z.parse(marginMode, await client.request('position/getMarginMode', 'futuresPrivate', 'GET', { symbol }))
    .data.marginMode
  if (mode !== 'CROSS') {
    throw new ExchangeError(
      'wrong-account-mode',
      `${market.market.symbol} is in isolated margin, where KuCoin wants its leverage with each order`,
      {
        hint: 'switch the symbol to cross margin at the venue',
      },
    )
  }
  const set = z.parse(leverage, await client.request('getCrossUserLeverage', 'futuresPrivate', 'GET', { symbol }))
  return { marginMode: 'CROSS', ...(set.data.leverage === undefined ? {} : { leverage: Number(set.data.leverage) }) }
}
