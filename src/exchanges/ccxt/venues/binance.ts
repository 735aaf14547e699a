// Binance: spot, USDⓈ-M (linear) and COIN-M (inverse), each with a class and hosts of its own.
import * as z from 'zod/mini'
import { defined } from '../../../base/defined.ts'
import type { AccessReport, MarginSetting } from '../../../exchange/exchange.ts'
import { ExchangeError } from '../../../exchange/exchange-error.ts'
import type { MarketKind } from '../../../exchange/market.ts'
import type { Balance } from '../../../exchange/order.ts'
import type { CcxtClient } from '../ccxt-client.ts'
import { Decimal, figure, idWord, isPositive, moment, word } from '../decimals.ts'
import {
  DEFAULT_PROFILE,
  optionsOf,
  placeUnified,
  referUnified,
  type StatusWords,
  statusIn,
  unifiedMode,
} from '../default-profile.ts'
import { held } from '../holdings.ts'
import type { VenueMarket } from '../markets.ts'
import type { Environment, FundingPage, FundingQuery, VenueProfile } from '../profile.ts'
import { causeOf, fillHintsOf, HINT_STREAMS, joinLast, LINEAR_STREAMS, orderHintsOf } from './binance-streams.ts'

/** Of orders and of algo orders. The venue's liquidations have `NEW_INSURANCE` and `NEW_ADL`, also once they have filled. */
export const WORDS: StatusWords = {
  NEW: 'open',
  PENDING_NEW: 'open',
  ACCEPTED: 'open',
  PARTIALLY_FILLED: 'open',
  PENDING_CANCEL: 'open',
  NEW_INSURANCE: 'open',
  NEW_ADL: 'open',
  FILLED: 'closed',
  CANCELED: 'canceled',
  REJECTED: 'rejected',
  EXPIRED: 'expired',
  EXPIRED_IN_MATCH: 'expired',
  TRIGGERING: 'open',
  TRIGGERED: 'triggered',
  FINISHED: 'triggered',
}

export const BINANCE: VenueProfile = {
  ...DEFAULT_PROFILE,
  id: 'binance',
  name: 'Binance',
  classes: { spot: 'binance', linear: 'binanceusdm', inverse: 'binancecoinm' },
  options: (kind) => ({
    ...optionsOf(kind),
    fetchMargins: false,
    fetchMarkets: { types: [kind] },
    warnOnFetchOpenOrdersWithoutSymbol: false,
    // With the first stream it would ask for positions that no one here waits for.
    watchPositions: { fetchPositionsSnapshot: false, awaitPositionsSnapshot: false },
  }),
  demo: 'demo',
  streams: (kind) => (kind === 'linear' ? LINEAR_STREAMS : HINT_STREAMS),
  setMarginMode: true,
  place: (request, context) => {
    const order = placeUnified(request, context)
    if (request.triggerPrice !== undefined && /-\d+$/.test(context.market.symbol)) {
      // The class cancels them under the wrong id.
      throw new ExchangeError('not-supported', 'stops on Binance contracts that expire are not supported')
    }
    if (context.kind !== 'inverse' || request.triggerPrice === undefined) return order
    // The class names the id of a conditional order right for linear contracts only.
    return { ...order, params: { ...order.params, clientAlgoId: context.clientOrderId } }
  },
  refer: referUnified,
  // The class asks for one of them at the other orders there.
  triggersListedOnly: (kind) => kind === 'inverse',
  // Modify Order takes limit orders only: -5025 (developers.binance.com, USDⓈ-M). On COIN-M it is not proven; on spot an edit is another order.
  // -5021: "the FOK order has been rejected. The order will not be recorded in the order history" (Error Codes, USDⓈ-M).
  refusesUnfilled: (kind) => (kind === 'linear' ? ['fok'] : []),
  editOrder: true,
  editTypes: (kind) => (kind === 'linear' ? ['limit'] : []),
  triggers: (kind) => (kind === 'spot' ? 'with-others' : { apart: { trigger: true } }),
  successorOf: firedAs,
  findEnded: listAlgos,
  // Orders of contracts that ended without a fill are found for three days after they were made, others for 90.
  findableMs: (kind) => (kind === 'spot' ? undefined : 259_200_000),
  firedOrders,
  venueOrders,
  balances: (info, kind) => (kind === 'spot' ? undefined : futuresBalances(info)),
  tradesPerPage: 1000,
  // Account Trade List: from startTime to endTime 7 days at most, and the past 6 months only (developers.binance.com, USDⓈ-M and COIN-M).
  tradesWindow: (kind) => (kind === 'spot' ? undefined : { ms: 7 * 86_400_000 - 60_000 }),
  tradesKeptMs: (kind) => (kind === 'linear' ? 180 * 86_400_000 : undefined),
  // It counts by the minute and allows twice what ccxt's pace takes: a start reads everything at once without waiting.
  burstMs: 60_000,
  positionMode: unifiedMode,
  access,
  statusOf: statusIn(WORDS, 'algoStatus', 'status', 'X'),
  causeOf,
  adjust: joinLast,
  hintsOf: orderHintsOf,
  fillHintsOf,
  leverages,
  margin,
  funding: { page: fundingPage },
  codes: {
    '-1003': 'rate-limited',
    '-1008': 'unavailable',
    '-1013': 'invalid-order',
    '-1015': 'rate-limited',
    '-1021': 'clock',
    '-1022': 'authentication',
    '-1111': 'invalid-order',
    '-1121': 'bad-symbol',
    '-2008': 'authentication',
    '-2011': 'order-not-found',
    '-2013': 'order-not-found',
    '-2014': 'authentication',
    '-2015': 'permission',
    '-2018': 'insufficient-funds',
    '-2019': 'insufficient-funds',
    '-2021': 'would-trigger',
    '-2022': 'reduce-only-rejected',
    '-4061': 'wrong-account-mode',
    '-4116': 'duplicate-id',
    '-4118': 'reduce-only-rejected',
    '-4142': 'would-trigger',
    '-4164': 'invalid-order',
    '-5021': 'invalid-order',
    '-5022': 'order-immediately-fillable',
    '-5024': 'invalid-order',
    '-5025': 'not-supported',
    '-5026': 'invalid-order',
    '-5027': 'invalid-order',
    '-5028': 'clock',
  },
  hints: { '-2015': 'check the key, its rights and its list of IP addresses at the venue' },
  unknownCodes: ['-1000', '-1001', '-1006', '-1007'],
  // Filters, precision, and prices and amounts between two steps.
  gridCodes: ['-1013', '-1111', '-4014', '-4023'],
  unchangedCodes: ['-4046', '-4059'],
  // Every other code below -1099 is about the request or the account.
  isRefusalCode: (code) => Number(code) <= -1100,
}

const algo = z.object({
  info: z.looseObject({
    algoId: z.optional(idWord),
    algoStatus: z.optional(z.string()),
    actualOrderId: z.optional(idWord),
    // As streams have it.
    aid: z.optional(idWord),
    X: z.optional(z.string()),
    ai: z.optional(idWord),
  }),
})

/** Of the row of a conditional order: how it is, and what it became. */
function algoOf(row: unknown): { readonly status?: string; readonly successor?: string } | undefined {
  const { info } = algo.safeParse(row).data ?? {}
  if (info === undefined || (info.algoId ?? info.aid) === undefined) return undefined
  const successor = info.actualOrderId ?? info.ai
  return defined({ status: info.algoStatus ?? info.X, successor: successor === '0' ? undefined : successor })
}

function firedAs(row: unknown): string | undefined {
  const { status, successor } = algoOf(row) ?? {}
  if (successor !== undefined) return successor
  return status === 'TRIGGERED' || status === 'FINISHED' ? '' : undefined
}

const listedAlgos = z.array(z.unknown())

/** New conditional orders have been answered with -2013 for minutes while they were listed. */
async function listAlgos(
  client: CcxtClient,
  _names: unknown,
  { id: symbol, symbol: unified }: VenueMarket,
  { kind, isTrigger }: { readonly kind: MarketKind; readonly isTrigger: boolean },
): Promise<unknown> {
  if (kind !== 'linear' || !isTrigger) return []
  const open = await client.request('openAlgoOrders', 'fapiPrivate', 'GET', { symbol })
  const all = await client.request('allAlgoOrders', 'fapiPrivate', 'GET', { symbol, limit: 1000 })
  return [open, all].flatMap((rows) =>
    z.parse(listedAlgos, rows).map((row) => client.parseOrder(row, client.markets?.[unified])),
  )
}

const asset = z.object({
  asset: z.string(),
  walletBalance: figure,
  marginBalance: figure,
  availableBalance: figure,
  initialMargin: figure,
})

/** ccxt leaves out assets that were never updated, and the unrealised profit of the others. */
function futuresBalances(info: unknown): readonly Balance[] | undefined {
  const read = z.safeParse(z.object({ assets: z.array(asset) }), info)
  if (!read.success) return undefined
  return held(
    read.data.assets.map(
      ({ asset: currency, walletBalance = '0', marginBalance, availableBalance, initialMargin }) => ({
        currency,
        wallet: walletBalance,
        total: marginBalance ?? walletBalance,
        used: initialMargin ?? '0',
        free: Decimal.max(availableBalance ?? walletBalance, 0).toFixed(),
      }),
    ),
  )
}

const restrictions = z.object({
  enableWithdrawals: z.boolean(),
  ipRestrict: z.optional(z.boolean()),
  enableFutures: z.optional(z.boolean()),
  enableSpotAndMarginTrading: z.optional(z.boolean()),
  tradingAuthorityExpirationTime: z.optional(z.number()),
})

async function access(client: CcxtClient, environment: Environment): Promise<AccessReport> {
  // The demo place has no such question.
  if (environment === 'demo') {
    await client.fetchBalance()
    return { remarks: [] }
  }
  const answer = z.parse(restrictions, await client.request('account/apiRestrictions', 'sapi', 'GET'))
  const isSpot = client.options.defaultType === 'spot'
  const { tradingAuthorityExpirationTime: expiresAt } = answer
  const mayTrade = isSpot ? answer.enableSpotAndMarginTrading : answer.enableFutures
  return {
    ...defined({ mayTrade }),
    mayWithdraw: answer.enableWithdrawals,
    remarks: [
      ...(answer.ipRestrict === false ? ['the key works from any address; give it a list of IP addresses'] : []),
      ...(expiresAt === undefined ? [] : [`the key may trade until ${new Date(expiresAt).toISOString().slice(0, 10)}`]),
    ],
  }
}

const algoOrders = z.array(
  z.object({ algoId: idWord, clientAlgoId: z.optional(word), actualOrderId: z.optional(idWord) }),
)

/** Fills say neither our id nor that of the order that fired. */
async function firedOrders(client: CcxtClient, { id: symbol }: VenueMarket, kind: MarketKind) {
  if (kind !== 'linear') return new Map()
  const rows = await client.request('allAlgoOrders', 'fapiPrivate', 'GET', { symbol, limit: 1000 })
  return new Map(
    z.parse(algoOrders, rows).flatMap(({ algoId, clientAlgoId, actualOrderId }) => {
      if (algoId === undefined || actualOrderId === undefined || actualOrderId === '0') return []
      return [[actualOrderId, { id: algoId, ...defined({ clientOrderId: clientAlgoId }) }] as const]
    }),
  )
}

const forced = z.array(z.object({ orderId: idWord, clientOrderId: word }))

/** User's Force Orders: the newest 100 of the last 7 days. A list of fills does not name their orders. */
async function venueOrders(client: CcxtClient, { id: symbol }: VenueMarket, kind: MarketKind) {
  if (kind === 'spot') return new Map()
  const api = kind === 'linear' ? 'fapiPrivate' : 'dapiPrivate'
  const rows = await client.request('forceOrders', api, 'GET', { symbol, limit: 100 })
  return new Map(
    z.parse(forced, rows).flatMap(({ orderId, clientOrderId }) => {
      const cause = causeOf({ clientOrderId })
      return orderId === undefined || cause === undefined ? [] : [[orderId, cause] as const]
    }),
  )
}

const symbolSettings = z.array(z.object({ symbol: z.string(), leverage: figure }))

/** Of a contract without a position, too. */
async function leverages(client: CcxtClient, kind: MarketKind): Promise<ReadonlyMap<string, string>> {
  if (kind !== 'linear') return new Map()
  const rows = z.parse(symbolSettings, await client.request('symbolConfig', 'fapiPrivate', 'GET'))
  return new Map(rows.flatMap(({ symbol, leverage }) => (leverage === undefined ? [] : [[symbol, leverage] as const])))
}

const linearSettings = z.array(z.object({ leverage: figure, marginType: z.optional(z.string()) }))
const inversePositions = z.object({
  positions: z.array(z.object({ symbol: z.string(), leverage: figure, isolated: z.optional(z.boolean()) })),
})

async function margin(client: CcxtClient, { id }: VenueMarket, kind: MarketKind): Promise<MarginSetting> {
  if (kind === 'linear') {
    const rows = z.parse(linearSettings, await client.request('symbolConfig', 'fapiPrivate', 'GET', { symbol: id }))
    const [row] = rows
    if (row === undefined) throw new ExchangeError('network', 'the venue does not report the leverage')
    return settingOf(row.leverage, row.marginType === undefined ? undefined : row.marginType === 'ISOLATED')
  }
  const { positions } = z.parse(inversePositions, await client.request('account', 'dapiPrivate', 'GET'))
  const row = positions.find(({ symbol }) => symbol === id)
  if (row === undefined) throw new ExchangeError('network', 'the venue does not report the leverage')
  return settingOf(row.leverage, row.isolated)
}

function settingOf(leverage: string | undefined, isIsolated: boolean | undefined): MarginSetting {
  return {
    ...(isPositive(leverage) ? { leverage } : {}),
    ...(isIsolated === undefined ? {} : { marginMode: isIsolated ? 'isolated' : 'cross' }),
  }
}

const INCOME_PAGE = 1000
const incomes = z.array(z.object({ tranId: word, income: figure, asset: z.string(), time: moment }))

/** Oldest first, from a moment on. */
async function fundingPage(
  client: CcxtClient,
  { id }: VenueMarket,
  kind: MarketKind,
  { from, cursor }: FundingQuery,
): Promise<FundingPage> {
  const api = kind === 'linear' ? 'fapiPrivate' : 'dapiPrivate'
  const startTime = cursor === undefined ? from : Number(cursor)
  const query = { symbol: id, incomeType: 'FUNDING_FEE', startTime, limit: INCOME_PAGE }
  const rows = z.parse(incomes, await client.request('income', api, 'GET', query))
  const payments = rows.map(({ tranId, income, asset, time }) => {
    if (tranId === undefined || income === undefined || time === undefined) throw unreadableFunding()
    return { id: tranId, amount: income, currency: asset, timestamp: time }
  })
  const last = payments.at(-1)
  return { payments, ...(rows.length < INCOME_PAGE || last === undefined ? {} : { cursor: String(last.timestamp) }) }
}

function unreadableFunding(): ExchangeError {
  return new ExchangeError('network', 'the venue listed funding that cannot be read')
}
