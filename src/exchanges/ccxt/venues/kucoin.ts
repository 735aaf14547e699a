// KuCoin: spot and futures are two APIs under one class; stops are kept apart on spot, and an order on futures names its margin mode and leverage.

import * as z from 'zod/mini'
import { defined } from '../../../base/defined.ts'
import { ExchangeError } from '../../../exchange/exchange-error.ts'
import type { MarketKind } from '../../../exchange/market.ts'
import type { Balance, OrderRequest, VenueCause } from '../../../exchange/order.ts'
import type { CcxtClient, Params } from '../ccxt-client.ts'
import { soonOr } from '../connection.ts'
import { decimalText, figure, isPositive, word } from '../decimals.ts'
import {
  codeIn,
  DEFAULT_PROFILE,
  hasField,
  isJson,
  KEY_HINTS,
  meaningOf,
  optionsOf,
  placeWithoutGtc,
  referUnified,
  type StatusWords,
  unifiedMode,
  waitsAbove,
} from '../default-profile.ts'
import { contractBalances } from '../holdings.ts'
import type { MarketBook, VenueMarket } from '../markets.ts'
import type { OrderContext, OrderHints, StatusMeaning, VenueProfile } from '../profile.ts'

const PAGE = 100
type Info = Readonly<Record<string, unknown>>

/** Where a row has a word: stops, contracts, streams. */
export const WORDS: StatusWords = {
  NEW: 'open',
  TRIGGERED: 'triggered',
  new: 'open',
  open: 'open',
  active: 'open',
  match: 'open',
  done: 'closed',
  fail: 'rejected',
}

/** Of futures; `100001` is said of parameters too. */
const NO_SUCH_ORDER = 'error.getOrder.orderNotExist'

export const KUCOIN: VenueProfile = {
  ...DEFAULT_PROFILE,
  id: 'kucoin',
  name: 'KuCoin',
  classes: { spot: 'kucoin', linear: 'kucoin' },
  options: (kind) => ({
    ...optionsOf(kind),
    fetchMarkets: { types: [kind === 'spot' ? 'spot' : 'swap'], fetchTickersFees: false },
    // ccxt would ask in the middle of the first order. Every spot account is of the new kind by now; unified ones are not.
    hf: true,
    uta: false,
    // The best bid, ask and last price as they change; what the class takes by itself comes every two seconds.
    watchTicker: { spotMethod: '/market/ticker' },
  }),
  marketsParams: { marginables: false },
  adjust: readStopByOurs,
  // Contracts know no fill-or-kill.
  timeInForce: (kind) => (kind === 'spot' ? ['gtc', 'ioc', 'fok'] : ['gtc', 'ioc']),
  demo: 'none',
  async place(request, context) {
    const order = placeWithoutGtc({ ...request, type: plainType(request) }, context)
    const terms = {
      ...(context.kind === 'spot' ? spotTrigger(request) : contractTrigger(request)),
      ...(context.kind === 'spot' ? {} : await marginOf(context, request)),
    }
    return { ...order, params: { ...order.params, ...terms } }
  },
  // Each match is a row of its order. Trigger orders have a topic of their own.
  streams: () => ({
    orders: [{ isHint: true }, { params: { trigger: true }, isHint: true, isOfTriggers: true }],
    fills: [],
    triggers: 'streamed',
  }),
  refer: referUnified,
  // It answers with success and no order.
  answersNothing: true,
  findEnded: findByOurs,
  // Of spot: `3 * 24` hours. Of contracts an assumption: its documents do not say.
  findableMs: (kind) => (kind === 'spot' ? 259_200_000 : 86_400_000),
  triggers: (kind) =>
    kind === 'spot'
      ? { apart: { trigger: true }, lists: [{ trigger: true, hf: false, pageSize: PAGE }] }
      : { apart: {}, lists: [{ trigger: true }] },
  statusOf,
  hintsOf,
  openOrdersNeedSymbol: (kind) => kind === 'spot',
  symbolsWithOrders,
  openOrdersPage: { size: PAGE, next: (_rows, page) => ({ currentPage: page }) },
  openOrdersScopes: (kind) => (kind === 'spot' ? [{}] : [{ pageSize: PAGE }]),
  balances: (info, kind) => (kind === 'spot' ? undefined : accountBalances(info)),
  tradesNewestFirst: true,
  // Get Trade History: 7 × 24 hours at a time, 24 hours where only the beginning is named; of futures three months.
  tradesWindow: () => ({ ms: 7 * 86_400_000 - 60_000, needsEnd: true }),
  tradesKeptMs: (kind) => (kind === 'spot' ? undefined : 90 * 86_400_000),
  fillHintsOf: ({ tradeType }) => defined({ cause: CAUSES.get(String(tradeType).toLowerCase()) }),
  positionMode: unifiedMode,
  isAnswer: hasField('code'),
  codeOf: codeOfKucoin,
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
    [NO_SUCH_ORDER]: 'order-not-found',
    order_not_exist: 'order-not-found',
    order_not_exist_or_not_allow_to_cancel: 'order-not-found',
    '400760': 'invalid-order',
    '411100': 'permission',
    '415000': 'invalid-order',
    '429000': 'rate-limited',
    '900001': 'bad-symbol',
  },
  hints: { '400004': KEY_HINTS.passphrase, '400006': KEY_HINTS.address, '400007': KEY_HINTS.rights },
  unknownCodes: ['500000', '200000'],
  isRefusalCode: (code) => /^(?:[1-4]\d{5}|[a-z_]+)$/.test(code) && code !== '200000',
}

/** An order that rests may have been canceled in part: whether it rests says more than that. */
function statusOf({ isActive, active = isActive, cancelExist, status }: Info): StatusMeaning | 'unlisted' | undefined {
  if (active === true) return 'open'
  if (cancelExist === true) return 'canceled'
  if (typeof status === 'string' && status !== '') return meaningOf(WORDS, status)
  return active === false ? 'closed' : undefined
}

/** Of stops: which way they wait, and whether they close all. */
function hintsOf({ stop, side, closeOrder, size }: Info): OrderHints {
  const isAbove = stop === 'up' || stop === 'entry'
  const isBelow = stop === 'down' || stop === 'loss'
  const closesPosition = closeOrder === true && !isPositive(decimalText(size))
  return {
    ...(isAbove || isBelow ? { isTakeProfit: isAbove === (side === 'sell') } : {}),
    ...(closesPosition ? { closesPosition } : {}),
  }
}

/** `400100` is said of many things; where its message is a word of the venue's and no sentence, that one is the code. */
function codeOfKucoin(json: unknown): string | undefined {
  const code = codeIn('code')(json)
  if (!isJson(json)) return code
  const { msg } = json as { readonly msg?: unknown }
  if (code === '100001' && msg === NO_SUCH_ORDER) return msg
  return code === '400100' && typeof msg === 'string' && /^[a-z]+(?:_[a-z]+)+$/.test(msg) ? msg : code
}

export const CAUSES: ReadonlyMap<string, VenueCause> = new Map([
  ['liquidation', 'liquidation'],
  ['adl', 'deleveraging'],
  ['settlement', 'settlement'],
])

type Ask = (params?: Params) => Promise<unknown>
const listedStops = z.looseObject({ data: z.array(z.unknown()) })

/** Get Stop Order By ClientOid lists it; ccxt takes a list for no order. */
function readStopByOurs(client: CcxtClient): void {
  const ccxt = client as CcxtClient & { privateGetStopOrderQueryOrderByClientOid: Ask }
  const ask = ccxt.privateGetStopOrderQueryOrderByClientOid
  ccxt.privateGetStopOrderQueryOrderByClientOid = async (params) => {
    const answer = await ask(params)
    const listed = z.safeParse(listedStops, answer).data
    return listed === undefined ? answer : { ...listed, data: listed.data[0] }
  }
}

const named = z.object({ id: z.string() })

/** A stop of spot that fired is another order, and keeps our id. */
async function findByOurs(
  client: CcxtClient,
  { id, venueId }: { readonly id?: string; readonly venueId?: string },
  { symbol }: VenueMarket,
  { kind, isTrigger }: { readonly kind: MarketKind; readonly isTrigger: boolean },
): Promise<unknown> {
  if (kind !== 'spot' || isTrigger || id === undefined || venueId === undefined) return []
  const row = await client.fetchOrder('', symbol, { clientOrderId: venueId })
  return z.safeParse(named, row).success ? [row] : []
}

const overview = z.object({
  data: z.object({
    currency: word,
    accountEquity: figure,
    unrealisedPNL: z.optional(figure),
    availableBalance: z.optional(figure),
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

/** What the symbol is set to: an order that named another mode or leverage would change it. An exit is not held for the answer. */
function marginOf(context: OrderContext, { reduceOnly }: OrderRequest): Promise<Params> {
  const asked = context.setting('margin', () => askMargin(context))
  if (reduceOnly !== true) return asked
  return soonOr(asked, () => ({ marginMode: context.marginMode === 'isolated' ? 'ISOLATED' : 'CROSS' }))
}

async function askMargin({ client, market }: OrderContext): Promise<Params> {
  const symbol = market.id
  const ask = (path: string) => client.request(path, 'futuresPrivate', 'GET', { symbol })
  const [modes, leverages] = await Promise.all([ask('position/getMarginMode'), ask('getCrossUserLeverage')])
  const mode = z.parse(marginMode, modes).data.marginMode
  if (mode !== 'CROSS') {
    throw new ExchangeError(
      'wrong-account-mode',
      `${market.market.symbol} is in isolated margin, where KuCoin wants its leverage with each order`,
      {
        hint: 'switch the symbol to cross margin at the venue',
      },
    )
  }
  const set = z.parse(leverage, leverages)
  return { marginMode: 'CROSS', ...(set.data.leverage === undefined ? {} : { leverage: Number(set.data.leverage) }) }
}
