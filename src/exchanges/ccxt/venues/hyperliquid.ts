// Hyperliquid: orders are signed actions, prices have five significant digits, and a market order is a limit order far through the price.
import * as z from 'zod/mini'
import { defined } from '../../../base/defined.ts'
import type { AccessReport } from '../../../exchange/exchange.ts'
import type { Balance, OrderRequest, VenueCause } from '../../../exchange/order.ts'
import type { CcxtClient, Params } from '../ccxt-client.ts'
import { Decimal, decimalText, figure, isPositive } from '../decimals.ts'
import {
  DEFAULT_PROFILE,
  isJson,
  meaningOf,
  ORDER_COMES_MS,
  optionsOf,
  placeUnified,
  referUnified,
  type StatusWords,
  withRisingClock,
  wordIn,
} from '../default-profile.ts'
import { contractBalances } from '../holdings.ts'
import type { CcxtMarket } from '../markets.ts'
import { HEX, type OrderHints, type OutgoingOrder, type StatusMeaning, type VenueProfile } from '../profile.ts'
import { joinPrices, lastTraded, topOfBook } from '../streams/joined-prices.ts'

const SIGNIFICANT_DIGITS = 5
/** In place of a code: the order was taken, and what it carries was not. */
const CHILD = 'child'
/** How far through its trigger price a stop at market may fill: as far as those that the venue's own page places. */
const STOP_SLIPPAGE = '0.1'
/** Of a price, less the decimals of the amount. */
const MOST_DECIMALS = { spot: 8, linear: 6, inverse: 6 } as const

/** The others say why before they say `Canceled` or `Rejected`. */
export const WORDS: StatusWords = {
  open: 'open',
  accepted: 'open',
  // It goes on under its id.
  triggered: 'open',
  filled: 'closed',
  canceled: 'canceled',
  scheduledCancel: 'canceled',
  rejected: 'rejected',
}

export const CAUSES: Readonly<Record<string, VenueCause>> = {
  liquidatedCanceled: 'liquidation',
  delistedCanceled: 'settlement',
  selfTradeCanceled: 'self-trade',
  reduceOnlyCanceled: 'reduce-only',
}

export const HYPERLIQUID: VenueProfile = {
  ...DEFAULT_PROFILE,
  id: 'hyperliquid',
  name: 'Hyperliquid',
  classes: { linear: 'hyperliquid' },
  options: (kind) => ({
    ...optionsOf(kind),
    fetchMarkets: { types: [kind === 'spot' ? 'spot' : 'swap'] },
    builderFee: false,
    approvedBuilderFee: false,
    refSet: true,
    defaultSlippage: '0.05',
  }),
  // ccxt would approve a fee for itself and take a referrer before the first order.
  adjust(client) {
    withRisingClock(client)
    Object.assign(client, { initializeClient: async () => true })
    endOrders(client as CcxtClient & Signer)
    nameCarried(client as CcxtClient & Maker)
    // Its tickers have the prices that a large order would pay for bid and ask, and the middle for the last price.
    joinPrices(client, (streams) => ({
      last: (symbol) => lastTraded(streams, symbol),
      top: (symbol) => topOfBook(streams, symbol),
      end: (symbol) => Promise.all([streams.unWatchTrades?.(symbol), streams.unWatchOrderBook?.(symbol)]),
    }))
  },
  // `orderUpdates` says neither trigger nor reduce-only, `userFills` begins with old ones: hints. A liquidation is on the second alone.
  streams: () => ({ orders: [{ isHint: true }], fills: [{ isHint: true }], triggers: 'streamed' }),
  async prepare(client) {
    const user = (client as { readonly walletAddress?: string }).walletAddress
    const answer = await client.request('info', 'public', 'POST', { type: 'userAbstraction', user })
    client.options.enableUnifiedMargin = String(answer).replaceAll('"', '') === 'unifiedAccount'
  },
  needsNoClock: true,
  clientOrderIds: HEX,
  marketIsLimit: true,
  timeInForce: () => ['gtc', 'ioc'],
  // "Order could not immediately match against any resting orders" (Error responses, iocCancel).
  refusesUnfilled: () => ['ioc'],
  orderTypes: (kind) =>
    kind === 'spot' ? ['market', 'limit'] : ['market', 'limit', 'stop', 'stop-limit', 'take-profit'],
  async place(request, context) {
    const order = withCarried(placeUnified(request, context), request)
    if (order.price !== undefined) return order
    const { triggerPrice } = request
    if (triggerPrice === undefined) return { ...order, price: await context.last() }
    return { ...order, price: triggerPrice, params: { ...order.params, slippage: STOP_SLIPPAGE } }
  },
  // `normalTpsl`, each child under a cloid of its own: "TP/SL will be placed if and only if a parent order is fully filled or when a partially filled
  // order is canceled due to insufficient margin" (Trading, Take profit and stop loss orders).
  attached: (kind) => (kind === 'linear' ? 'when-filled' : undefined),
  statusOf,
  causeOf,
  hintsOf,
  openOrdersOfAllSymbols: true,
  leverageParams: (marginMode) => defined({ marginMode }),
  refer: referUnified,
  // An assumption: its documents do not say; its list holds the newest 2,000.
  findableMs: () => 86_400_000,
  averageInFills: true,
  tradesPerPage: 2000,
  tradesOfAllSymbols: true,
  fillHintsOf: (info, client) => defined({ fee: info.fee, cause: fillCauseOf(info, client) }),
  balances: (info) => accountBalances(info),
  priceGridOf: (market, kind) => ({
    kind: 'significant',
    digits: SIGNIFICANT_DIGITS,
    decimals: MOST_DECIMALS[kind] - decimalsOf(market),
    integers: true,
  }),
  access,
  isAnswer: (json) => json !== undefined && json !== null && !isHalfState(json),
  codeOf: codeOfHyperliquid,
  codes: {
    margin: 'insufficient-funds',
    'post-only': 'order-immediately-fillable',
    'reduce-only': 'reduce-only-rejected',
    wallet: 'authentication',
    gone: 'order-not-found',
    rate: 'rate-limited',
    nonce: 'clock',
    trigger: 'would-trigger',
  },
  unknownCodes: [CHILD],
  isRefusalCode: (code) => code === 'err',
  isQuestion: ({ request }) => request.url.endsWith('/info'),
}

const marginState = z.object({
  marginSummary: z.object({ accountValue: figure, totalMarginUsed: z.optional(figure) }),
  assetPositions: z.array(z.object({ position: z.object({ unrealizedPnl: figure }) })),
})

/** ccxt reads an answer without the account's value as an account without money. */
function accountBalances(info: unknown): readonly Balance[] | undefined {
  if (typeof info === 'object' && info !== null && 'balances' in info) return undefined
  const { marginSummary, assetPositions } = z.safeParse(marginState, info).data ?? {}
  const unrealized = Decimal.sum(
    0,
    ...(assetPositions ?? []).map(({ position }) => position.unrealizedPnl ?? 0),
  ).toFixed()
  const { accountValue: total, totalMarginUsed: used } = marginSummary ?? {}
  return contractBalances([{ currency: 'USDC', total, unrealized, used }])
}

const liquidation = z.object({ liquidation: z.object({ liquidatedUser: z.string() }) })

/** A fill names whose position was liquidated: who took it over has the same in theirs. `fee` has the builder's in it. */
function fillCauseOf(info: Readonly<Record<string, unknown>>, client: CcxtClient): VenueCause | undefined {
  const { walletAddress } = client as { readonly walletAddress?: string }
  const user = z.safeParse(liquidation, info).data?.liquidation.liquidatedUser
  if (user !== undefined && user.toLowerCase() === walletAddress?.toLowerCase()) return 'liquidation'
  if (info.dir === 'Auto-Deleveraging') return 'deleveraging'
  return info.dir === 'Settlement' ? 'settlement' : undefined
}
/** Of an account's state without its sums ccxt makes an account without money. */
function isHalfState(json: unknown): boolean {
  return isJson(json) && 'assetPositions' in (json as object) && !('marginSummary' in (json as object))
}

interface Signer {
  createOrdersRequest(orders: unknown, params?: unknown): { readonly action: unknown; readonly nonce: number }
  signL1Action(action: unknown, nonce: number, vault?: unknown, expiresAfter?: number): unknown
}

/** A nonce is good for two days: without an end of its own an order that was held up would be placed whenever it comes. */
function endOrders(client: Signer): void {
  const request = client.createOrdersRequest.bind(client)
  const sign = client.signL1Action.bind(client)
  const endOf = (nonce: number) => nonce + ORDER_COMES_MS
  client.createOrdersRequest = (orders, params) => {
    const made = request(orders, params)
    return { ...made, expiresAfter: endOf(made.nonce) }
  }
  client.signL1Action = (action, nonce, vault, expiresAfter) => {
    const isOrder = isJson(action) && (action as { readonly type?: unknown }).type === 'order'
    return sign(action, nonce, vault, isOrder ? endOf(nonce) : expiresAfter)
  }
}

/** The class makes children of `stopLoss` and `takeProfit`, and gives them the id of their parent. */
function withCarried(order: OutgoingOrder, { attached }: OrderRequest): OutgoingOrder {
  if (attached === undefined) return order
  const terms = attached.map(({ type, triggerPrice }) => {
    return [type === 'stop' ? 'stopLoss' : 'takeProfit', { triggerPrice, type: 'market' }] as const
  })
  const carried = Object.fromEntries(attached.map(({ type, clientOrderId }) => [type, HEX.toVenue(clientOrderId)]))
  return { ...order, params: { ...order.params, ...Object.fromEntries(terms), carried } }
}

type Make = (symbol: unknown, type: unknown, side: unknown, amount: unknown, price: unknown, params?: Params) => unknown

interface Maker {
  createOrderRequest: Make
}

/** One of several wires that an order leaves as: a child has an id and a slippage of its own. */
function nameCarried(client: Maker): void {
  const make = client.createOrderRequest.bind(client)
  client.createOrderRequest = (symbol, type, side, amount, price, params = {}) => {
    const { carried, ...rest } = params
    const ids = z.safeParse(z.record(z.string(), z.string()), carried).data
    const { stopLossPrice, takeProfitPrice } = rest
    if (ids === undefined || (stopLossPrice === undefined && takeProfitPrice === undefined)) {
      return make(symbol, type, side, amount, price, rest)
    }
    const clientOrderId = ids[takeProfitPrice === undefined ? 'stop' : 'take-profit']
    return make(symbol, type, side, amount, price, { ...rest, clientOrderId, slippage: STOP_SLIPPAGE })
  }
}

type Info = Readonly<Record<string, unknown>>

function statusOf({ status }: Info): StatusMeaning | 'unlisted' | undefined {
  if (typeof status !== 'string') return undefined
  if (/[a-z]Canceled$/.test(status)) return 'canceled'
  return /[a-z]Rejected$/.test(status) ? 'rejected' : meaningOf(WORDS, status)
}

function causeOf(info: Info): VenueCause | undefined {
  const { status } = info
  const terms = termsIn(info)
  const isUnfilled = terms?.sz !== undefined && terms.sz === terms.origSz
  // What waits for its trigger needs no margin: a trigger order that lacks it has been triggered.
  const isRefused = /rejected$/i.test(String(status)) || (status === 'marginCanceled' && isUnfilled)
  return wordIn(CAUSES, status) ?? (isRefused && terms?.isTrigger === true ? 'trigger-failed' : undefined)
}

function hintsOf(info: Info): OrderHints {
  const terms = termsIn(info)
  const isWhole = terms?.isPositionTpsl === true && !isPositive(decimalText(terms.origSz))
  return isWhole ? { closesPosition: true } : {}
}

const terms = z.looseObject({
  isTrigger: z.optional(z.boolean()),
  isPositionTpsl: z.optional(z.boolean()),
  sz: z.optional(z.string()),
})

/** A list has the order itself, an answer to a question has it in a field. */
function termsIn({ order, ...info }: Info): z.output<typeof terms> | undefined {
  return terms.safeParse(order ?? info).data
}

function decimalsOf({ precision }: CcxtMarket): number {
  return new Decimal(precision.amount ?? 1).decimalPlaces()
}

/** It has no codes: its fixed texts stand for them. */
export const TEXTS: readonly (readonly [text: string, code: string])[] = [
  ['Insufficient margin', 'margin'],
  ['Insufficient spot balance', 'margin'],
  ['Post only order would have immediately matched', 'post-only'],
  ['Reduce only order would increase position', 'reduce-only'],
  ['User or API Wallet', 'wallet'],
  ['Must deposit before performing actions', 'wallet'],
  ['Order was never placed, already canceled, or filled', 'gone'],
  ['Too many cumulative requests', 'rate'],
  ['Invalid nonce', 'nonce'],
  ['Invalid TP/SL price', 'trigger'],
]

const answer = z.object({ status: z.string(), response: z.optional(z.unknown()) })
const statuses = z.object({ data: z.object({ statuses: z.array(z.unknown()) }) })

/** `err` is its definite no, of the whole action or of the order in it. */
function codeOfHyperliquid(json: unknown): string | undefined {
  const read = z.safeParse(answer, json)
  if (!read.success) return undefined
  const { status, response } = read.data
  if (status === 'unknownOid') return 'gone'
  const [own, child] = status === 'err' ? [response] : errorsIn(response)
  const venueStatus = own ?? (status === 'err' ? 'err' : undefined)
  if (venueStatus === undefined) return child === undefined ? undefined : CHILD
  return TEXTS.find(([text]) => String(venueStatus).startsWith(text))?.[1] ?? 'err'
}

/** Of the order itself, and of the first of its children that was not taken: that says nothing of the order. */
function errorsIn(response: unknown): readonly unknown[] {
  const all = z.safeParse(statuses, response).data?.data.statuses ?? []
  const [own, ...children] = all.map((each) =>
    typeof each === 'object' && each !== null && 'error' in each ? each.error : undefined,
  )
  return [own, children.find((error) => error !== undefined)]
}

/** An API wallet's key may trade and nothing else; the account's own key may do everything. */
async function access(client: CcxtClient): Promise<AccessReport> {
  const { walletAddress, privateKey, ethGetAddressFromPrivateKey } = client as CcxtClient & {
    readonly walletAddress?: string
    readonly privateKey?: string
    ethGetAddressFromPrivateKey?: (key: string) => string
  }
  await client.fetchBalance()
  if (privateKey === undefined || ethGetAddressFromPrivateKey === undefined) return { remarks: [] }
  const signer = ethGetAddressFromPrivateKey.call(client, privateKey)
  return { mayWithdraw: signer.toLowerCase() === walletAddress?.toLowerCase(), remarks: [] }
}
