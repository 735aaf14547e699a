// Bybit v5, unified accounts: one class for all kinds, one settle currency a question.
import * as z from 'zod/mini'
import { defined } from '../../../base/defined.ts'
import type { AccessReport, MarginSetting } from '../../../exchange/exchange.ts'
import { ExchangeError } from '../../../exchange/exchange-error.ts'
import type { MarketKind } from '../../../exchange/market.ts'
import type { Balance, VenueCause } from '../../../exchange/order.ts'
import type { CcxtClient, Params } from '../ccxt-client.ts'
import { Decimal, decimalText, figure, isPositive, moment, word } from '../decimals.ts'
import {
  codeIn,
  DEFAULT_PROFILE,
  hasField,
  KEY_HINTS,
  optionsOf,
  placeUnified,
  type StatusWords,
  statusIn,
  waitsAbove,
  wordIn,
} from '../default-profile.ts'
import { held } from '../holdings.ts'
import type { VenueMarket } from '../markets.ts'
import type { FundingPage, FundingQuery, OrderHints, PositionMode, VenueProfile } from '../profile.ts'
import { joinPrices, withBidsAsks } from '../streams/joined-prices.ts'

export const WORDS: StatusWords = {
  New: 'open',
  PartiallyFilled: 'open',
  Untriggered: 'open',
  // For a moment, under the same id.
  Triggered: 'open',
  Created: 'open',
  Active: 'open',
  PendingCancel: 'open',
  Filled: 'closed',
  PartiallyFilledCanceled: 'canceled',
  Cancelled: 'canceled',
  Deactivated: 'canceled',
  Rejected: 'rejected',
}

export const CREATED: Readonly<Record<string, VenueCause>> = {
  CreateByLiq: 'liquidation',
  CreateByTakeOver_PassThrough: 'liquidation',
  CreateByAdl_PassThrough: 'deleveraging',
  CreateBySettle: 'settlement',
}

export const CANCELED: Readonly<Record<string, VenueCause>> = {
  CancelByPrepareLiq: 'liquidation',
  CancelAllBeforeLiq: 'liquidation',
  CancelByPrepareAdl: 'deleveraging',
  CancelAllBeforeAdl: 'deleveraging',
  CancelBySettle: 'settlement',
  CancelByDelivery: 'settlement',
  CancelByReduceOnly: 'reduce-only',
  CancelByTpSlTsClear: 'position-closed',
  CancelBySmp: 'self-trade',
  CancelByCrossSelfMuch: 'self-trade',
}

export const BYBIT: VenueProfile = {
  ...DEFAULT_PROFILE,
  id: 'bybit',
  name: 'Bybit',
  classes: { spot: 'bybit', linear: 'bybit', inverse: 'bybit' },
  options: (kind) => ({
    ...optionsOf(kind),
    fetchMarkets: { types: [kind] },
    // Every account is unified by now; `access` refuses one that is not. ccxt would ask in the middle of the first order.
    enableUnifiedMargin: false,
    enableUnifiedAccount: true,
    unifiedMarginStatus: 6,
  }),
  demo: 'demo',
  // Rows as in its answers, trigger orders among the others (v5 `order` and `execution`). Of spot, tickers lack the best bid and ask.
  streams: (kind) => ({ orders: [{}], fills: [{}], triggers: 'streamed', isForeign: isOfOther(kind) }),
  adjust: (client) => {
    if (client.options.defaultType === 'spot') joinPrices(client, withBidsAsks())
  },
  setMarginMode: false,
  editOrder: true,
  // What it has is of a position, carries no id of ours to ask by, and falls apart when one half is changed: here the two are two orders.
  oco: () => false,
  place(request, context) {
    const order = placeUnified({ ...request, type: request.type === 'take-profit' ? 'stop' : request.type }, context)
    if (request.triggerPrice === undefined || context.kind === 'spot') return order
    // ccxt's own take-profit would be reduce-only.
    const triggerDirection = waitsAbove(request) ? 'ascending' : 'descending'
    return { ...order, params: { ...order.params, triggerDirection, triggerBy: 'LastPrice' } }
  },
  refer({ id }, venueId, { isCancel }) {
    const params = isCancel ? {} : { acknowledged: true }
    if (id !== undefined) return { id, params }
    return venueId === undefined
      ? undefined
      : { id: '', params: { ...params, orderLinkId: venueId, orderId: undefined } }
  },
  findEnded: listHistory,
  // Orders that ended without a fill are in its history for 24 hours, others for longer.
  findableMs: () => 86_400_000,
  // `triggerDirection` is of contracts (docs/v5/order/create-order).
  triggersEitherWay: (kind) => kind === 'spot',
  triggers: (kind) => (kind === 'spot' ? { apart: { trigger: true } } : 'with-others'),
  openOrdersPage: { size: 50, next: nextCursor },
  openOrdersScopes: scopes,
  positionsPerPage: 200,
  positionsScopes: (kind, settles) => (kind === 'linear' ? scopes(kind, settles) : [{}]),
  statusOf: statusIn(WORDS, 'orderStatus'),
  causeOf,
  hintsOf,
  tradesNewestFirst: true,
  // Get Trade History: "only startTime is passed, return range between startTime and startTime+7 days"; two years (bybit-exchange.github.io).
  tradesWindow: () => ({ ms: 7 * 86_400_000 - 60_000 }),
  tradesKeptMs: () => 730 * 86_400_000,
  // ccxt asks for what people traded: a liquidation and a deleveraging are not among that.
  tradesParams: { execType: undefined },
  isFill: ({ execType }) => !NO_FILLS.has(String(execType)),
  fillHintsOf: ({ execType }) => defined({ cause: CAUSES.get(String(execType)) }),
  margin,
  funding: { windowMs: 7 * 86_400_000, page: fundingPage },
  balances: (info) => unifiedBalances(info),
  positionMode,
  isModeOfSymbol: true,
  access,
  isAnswer: hasField('retCode', 'ret_code'),
  codeOf: codeIn('retCode', 'ret_code'),
  codes: {
    '10002': 'clock',
    '10003': 'authentication',
    '10004': 'authentication',
    '10005': 'permission',
    '10006': 'rate-limited',
    '10009': 'permission',
    '10010': 'permission',
    '10018': 'rate-limited',
    '10024': 'permission',
    '10029': 'bad-symbol',
    '33004': 'authentication',
    '110001': 'order-not-found',
    '110003': 'invalid-order',
    '110004': 'insufficient-funds',
    '110007': 'insufficient-funds',
    '110012': 'insufficient-funds',
    '110013': 'invalid-order',
    '110017': 'reduce-only-rejected',
    '110043': 'invalid-order',
    '110072': 'duplicate-id',
    '110092': 'would-trigger',
    '110093': 'would-trigger',
    '110094': 'invalid-order',
    '170131': 'insufficient-funds',
    '170141': 'duplicate-id',
    '170142': 'order-not-found',
    '170143': 'order-not-found',
    '170213': 'order-not-found',
    '170218': 'order-immediately-fillable',
  },
  // The venue's own failures: whether the order was taken is not said.
  hints: {
    '10005': KEY_HINTS.rights,
    '10009': KEY_HINTS.address,
    '10010': KEY_HINTS.address,
    '33004': KEY_HINTS.expired,
  },
  unknownCodes: ['10000', '10016', '10019', '110079', '170001', '170007', '170032'],
  // Of prices and of amounts with too many decimals, on spot.
  gridCodes: ['170134', '170137'],
  // Its documentation: HTTP 403 is an address that is banned for too many requests, for ten minutes at least. A key that may not has a code.
  statuses: { 403: { code: 'rate-limited', retryAfterMs: 600_000 } },
  unchangedCodes: ['110043', '110026', '110025'],
  isRefusalCode: (code) => code === '10001' || /^(11|17|18)\d{4}$/.test(code),
}

/** Of the execution types that nothing is bought or sold by (docs/v5/enum#exectype). */
export const NO_FILLS: ReadonlySet<string> = new Set([
  'Funding',
  'Settle',
  'CorporateAction',
  'ForwardSplitSettle',
  'ReverseSplitSettle',
  'Dividend',
])
export const CAUSES: ReadonlyMap<string, VenueCause> = new Map([
  ['BustTrade', 'liquidation'],
  ['AdlTrade', 'deleveraging'],
  ['Delivery', 'settlement'],
])
const orderHistory = z.object({ result: z.object({ list: z.array(z.unknown()) }) })

/** What it tells at once are the last 500 that ended, of all symbols, and after a restart of its servers none of them. */
async function listHistory(
  client: CcxtClient,
  { id, venueId }: { readonly id?: string; readonly venueId?: string },
  { id: marketId, symbol }: VenueMarket,
  { kind }: { readonly kind: MarketKind },
): Promise<unknown> {
  const named = id === undefined ? { orderLinkId: venueId } : { orderId: id }
  const answer = await client.request('v5/order/history', 'private', 'GET', {
    category: kind,
    symbol: marketId,
    ...named,
  })
  return z.parse(orderHistory, answer).result.list.map((row) => client.parseOrder(row, client.markets?.[symbol]))
}

type Info = Readonly<Record<string, unknown>>

function causeOf({ createType, cancelType, orderStatus, stopOrderType, triggerPrice }: Info): VenueCause | undefined {
  const isOver = orderStatus === 'Cancelled' || orderStatus === 'PartiallyFilledCanceled'
  const cause = wordIn(CREATED, createType) ?? (isOver ? wordIn(CANCELED, cancelType) : undefined)
  if (cause !== undefined) return cause
  const isStop = ![undefined, '', 'UNKNOWN'].includes(stopOrderType as string) || isPositive(decimalText(triggerPrice))
  // It fired, and its order was not taken.
  return orderStatus === 'Rejected' && isStop ? 'trigger-failed' : undefined
}

/** Orders that belong to a position; without an amount they close all of it. */
export const OF_POSITION: ReadonlySet<unknown> = new Set(['TakeProfit', 'StopLoss', 'TrailingStop', 'MmRateClose'])

/** Of a conditional order before its trigger: it waits, or was canceled while it did (docs/v5/enum#orderstatus). */
const UNTRIGGERED: ReadonlySet<unknown> = new Set(['Untriggered', 'Deactivated'])

function hintsOf({ triggerDirection, triggerPrice, side, stopOrderType, qty, orderStatus }: Info): OrderHints {
  const isAbove = String(triggerDirection) === '1'
  const isBelow = String(triggerDirection) === '2'
  const closesPosition = OF_POSITION.has(stopOrderType) && !isPositive(decimalText(qty))
  return {
    isTakeProfit: (isAbove && side === 'Sell') || (isBelow && side === 'Buy'),
    // Its own trigger has a field of its own.
    ...(isPositive(decimalText(triggerPrice)) ? {} : { isAttached: true }),
    ...(closesPosition ? { closesPosition } : {}),
    ...(UNTRIGGERED.has(orderStatus) && { isTriggerAlone: true }),
  }
}

const categorized = z.object({ info: z.looseObject({ category: z.string() }) })

/** Spot and linear markets have the same names, and one stream. */
function isOfOther(kind: MarketKind): (row: unknown) => boolean {
  return (row) => {
    const category = categorized.safeParse(row).data?.info.category
    return category !== undefined && category !== kind
  }
}

const cursorRow = z.object({ info: z.looseObject({ nextPageCursor: z.optional(z.string()) }) })

/** ccxt writes it into one of the rows. */
function nextCursor(rows: readonly unknown[]): Params | undefined {
  const cursors = rows.map((row) => z.safeParse(cursorRow, row).data?.info.nextPageCursor)
  const cursor = cursors.find((each) => each !== undefined && each !== '')
  return cursor === undefined ? undefined : { cursor }
}

function scopes(kind: MarketKind, settles: readonly string[]): readonly { readonly settleCoin?: string }[] {
  return kind === 'spot' || settles.length === 0 ? [{}] : settles.map((settleCoin) => ({ settleCoin }))
}

const coin = z.object({
  coin: z.string(),
  walletBalance: figure,
  equity: figure,
  locked: z.optional(figure),
  totalOrderIM: z.optional(figure),
  totalPositionIM: z.optional(figure),
})
const walletAnswer = z.object({ result: z.object({ list: z.array(z.object({ coin: z.array(coin) })) }) })

function unifiedBalances(info: unknown): readonly Balance[] | undefined {
  const read = z.safeParse(walletAnswer, info)
  if (!read.success) return undefined
  const coins = read.data.result.list.flatMap((account) => account.coin)
  return held(
    coins.map(({ coin: currency, walletBalance = '0', equity, locked, totalOrderIM, totalPositionIM }) => {
      const used = new Decimal(locked ?? 0).plus(totalOrderIM ?? 0).plus(totalPositionIM ?? 0)
      const total = equity ?? walletBalance
      const free = Decimal.max(new Decimal(total).minus(used), 0)
      return { currency, wallet: walletBalance, total, used: used.toFixed(), free: free.toFixed() }
    }),
  )
}

const positionList = z.object({ result: z.object({ list: z.array(z.object({ positionIdx: z.number() })) }) })

/** Each symbol has its own: two rows, numbered 1 and 2, where it is hedged. */
async function positionMode(
  client: CcxtClient,
  kind: MarketKind,
  market?: VenueMarket,
): Promise<PositionMode | undefined> {
  const symbol = market?.id ?? (kind === 'linear' ? 'BTCUSDT' : 'BTCUSD')
  const answer = await client.request('v5/position/list', 'private', 'GET', { category: kind, symbol })
  const { list } = z.parse(positionList, answer).result
  return list.some(({ positionIdx }) => positionIdx !== 0) ? 'hedge' : 'one-way'
}

const keyAnswer = z.object({
  result: z.object({
    readOnly: z.number(),
    permissions: z.record(z.string(), z.array(z.string())),
    ips: z.optional(z.array(z.string())),
    expiredAt: z.optional(z.string()),
    uta: z.optional(z.number()),
  }),
})

async function access(client: CcxtClient): Promise<AccessReport> {
  const answer = await client.request('v5/user/query-api', 'private', 'GET')
  const { readOnly, permissions, ips = [], expiredAt, uta } = z.parse(keyAnswer, answer).result
  if (uta === 0) {
    throw new ExchangeError('wrong-account-mode', 'the account is not a unified trading account', {
      hint: 'upgrade it at the venue',
    })
  }
  return {
    mayTrade: readOnly === 0,
    mayWithdraw: Object.values(permissions).some((names) => names.includes('Withdraw')),
    remarks: [
      ...(ips.length === 0 || ips.includes('*')
        ? ['the key works from any address; give it a list of IP addresses']
        : []),
      ...(endsOn(expiredAt) === undefined ? [] : [`the key ends on ${endsOn(expiredAt)}`]),
    ],
  }
}

/** A key that never ends is reported as one that ended in 1970. */
function endsOn(expiredAt = ''): string | undefined {
  return expiredAt === '' || expiredAt.startsWith('1970-') ? undefined : expiredAt.slice(0, 10)
}

const listedPositions = z.object({
  result: z.object({ list: z.array(z.object({ symbol: z.string(), leverage: figure })) }),
})

/** It lists a symbol that is asked for also without a position. Whether margin is isolated is the account's own, and not told here. */
async function margin(client: CcxtClient, { id }: VenueMarket, kind: MarketKind): Promise<MarginSetting> {
  const query = { category: kind, symbol: id }
  const { result } = z.parse(listedPositions, await client.request('v5/position/list', 'private', 'GET', query))
  const found = result.list.find(({ symbol }) => symbol === id)?.leverage
  return isPositive(found) ? { leverage: found } : {}
}

const settlements = z.object({
  result: z.object({
    list: z.array(
      z.object({
        id: word,
        symbol: z.string(),
        currency: z.string(),
        transactionTime: moment,
        change: figure,
        cashFlow: figure,
        fee: figure,
      }),
    ),
    nextPageCursor: z.optional(word),
  }),
})

/** What a settlement did to the wallet, less what was realised and paid for trading: that is the funding, with its sign. */
async function fundingPage(
  client: CcxtClient,
  { id, market }: VenueMarket,
  kind: MarketKind,
  { from, until, cursor }: FundingQuery,
): Promise<FundingPage> {
  const query = {
    accountType: 'UNIFIED',
    category: kind,
    currency: market.settle ?? market.quote,
    type: 'SETTLEMENT',
    startTime: from,
    endTime: until,
    limit: 50,
    ...defined({ cursor }),
  }
  const { result } = z.parse(settlements, await client.request('v5/account/transaction-log', 'private', 'GET', query))
  const payments = result.list
    .filter(({ symbol }) => symbol === id)
    .map(({ id: row, change, cashFlow = '0', fee = '0', currency, transactionTime }) => {
      if (row === undefined || change === undefined || transactionTime === undefined) {
        throw new ExchangeError('network', 'the venue listed funding that cannot be read')
      }
      const amount = new Decimal(change).minus(cashFlow).plus(fee).toFixed()
      return { id: row, amount, currency, timestamp: transactionTime }
    })
  const next = result.nextPageCursor
  return { payments, ...(next === undefined || result.list.length === 0 ? {} : { cursor: next }) }
}
