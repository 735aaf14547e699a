// Bitget: plan orders are kept apart, one product type a question; unified accounts are asked about before the first order.
import * as z from 'zod/mini'
import { defined } from '../../../base/defined.ts'
import type { AccessReport } from '../../../exchange/exchange.ts'
import { ExchangeError, type ExchangeErrorCode } from '../../../exchange/exchange-error.ts'
import type { MarketKind } from '../../../exchange/market.ts'
import type { Balance, OrderRequest, VenueCause } from '../../../exchange/order.ts'
import type { CcxtClient, Params } from '../ccxt-client.ts'
import { soonOr } from '../connection.ts'
import { decimalText, figure, idWord, isPositive, word } from '../decimals.ts'
import {
  codeIn,
  DEFAULT_PROFILE,
  hasField,
  KEY_HINTS,
  optionsOf,
  placeUnified,
  referUnified,
  type StatusWords,
  statusIn,
} from '../default-profile.ts'
import { contractBalances } from '../holdings.ts'
import type { VenueMarket } from '../markets.ts'
import type { OrderContext, OrderHints, PositionMode, VenueProfile } from '../profile.ts'
import { currentCall, jsonOf } from '../wire-log.ts'

/** They say nothing about the account. */
export const NO_ANSWER: ReadonlySet<string> = new Set(['clock', 'authentication', 'rate-limited', 'unavailable'])
const UNKNOWN_CODES: readonly string[] = ['40010', '40015', '40725', '40200', '45001', '00001']
const venueCode = codeIn('code', 'err_code')
const failures = z.object({
  data: z.object({ failureList: z.tuple([z.looseObject({ errorCode: word })], z.unknown()) }),
})

/** A cancel of plan orders succeeds as a whole and says in `failureList` which it could not (Cancel Trigger Order). */
function codeOf(json: unknown): string | undefined {
  return z.safeParse(failures, json).data?.data.failureList[0].errorCode ?? venueCode(json)
}

const CODES: Readonly<Record<string, ExchangeErrorCode>> = {
  '40005': 'clock',
  '40008': 'clock',
  '40006': 'authentication',
  '40009': 'authentication',
  '40011': 'authentication',
  '40012': 'authentication',
  '40014': 'permission',
  '40018': 'permission',
  '40037': 'authentication',
  '40707': 'order-not-found',
  '40768': 'order-not-found',
  '40754': 'insufficient-funds',
  '40762': 'insufficient-funds',
  '40774': 'wrong-account-mode',
  '40786': 'duplicate-id',
  '40757': 'duplicate-id',
  '22001': 'order-not-found',
  '25204': 'order-not-found',
  '31007': 'order-not-found',
  '40819': 'order-not-found',
  '22002': 'reduce-only-rejected',
  '43001': 'order-not-found',
  '43012': 'insufficient-funds',
  '43020': 'order-not-found',
  '43025': 'order-not-found',
  '43033': 'order-not-found',
  '45057': 'order-not-found',
  '80011': 'order-not-found',
  '40917': 'would-trigger',
  '45122': 'would-trigger',
  '43118': 'duplicate-id',
  '45034': 'duplicate-id',
  '429': 'rate-limited',
  '30007': 'rate-limited',
}

/** Of orders and of plan orders. */
export const WORDS: StatusWords = {
  init: 'open',
  new: 'open',
  live: 'open',
  not_trigger: 'open',
  executing: 'open',
  partial_fill: 'open',
  partially_fill: 'open',
  partially_filled: 'open',
  full_fill: 'closed',
  filled: 'closed',
  triggered: 'triggered',
  executed: 'triggered',
  fail_trigger: 'rejected',
  fail_execute: 'rejected',
  cancel: 'canceled',
  canceled: 'canceled',
  cancelled: 'canceled',
}

/** How an order began that no one placed: with these words, of both sides and both position modes. */
export const OWN_SIDES: readonly (readonly [start: string, cause: VenueCause])[] = [
  ['burst_', 'liquidation'],
  ['reduce_', 'liquidation'],
  ['dte_sys_adl_', 'deleveraging'],
  ['delivery_', 'settlement'],
]

/** A plan of a position has a price to wait for, and its word says which way; the price may have no amount. */
export const POSITION_PLANS: ReadonlySet<unknown> = new Set(['pos_profit', 'pos_loss'])
export const PROFIT_PLANS: ReadonlySet<unknown> = new Set(['pos_profit', 'profit_plan'])

export const BITGET: VenueProfile = {
  ...DEFAULT_PROFILE,
  id: 'bitget',
  name: 'Bitget',
  classes: { spot: 'bitget', linear: 'bitget' },
  options: (kind) => ({
    ...optionsOf(kind),
    // With keys set ccxt would ask here what `prepare` asks, and take no answer for a no.
    fetchMarkets: { types: [kind === 'spot' ? 'spot' : 'swap'], uta: false },
  }),
  prepare,
  adjust: refuseFailedCancels,
  // Rows count market orders in quote and leave out what has filled: hints. Of contracts the class never hands on its rows of trigger orders.
  streams: (kind) =>
    kind === 'spot'
      ? {
          orders: [{ isHint: true }, { params: { trigger: true }, isHint: true, isOfTriggers: true }],
          fills: [],
          triggers: 'streamed',
          isForeign: isOfContracts,
        }
      : {
          orders: [
            { params: { productType: 'USDT-FUTURES' }, isHint: true },
            { params: { productType: 'USDC-FUTURES' }, isHint: true },
          ],
          fills: [],
          triggers: 'asked',
          isForeign: isOfSpot,
        },
  ordersNameMarginMode: true,
  async place(request, context) {
    const isTrigger = request.triggerPrice !== undefined
    // There a plan order without a plan would be placed at once.
    if (isTrigger && context.client.options.uta === true) {
      throw new ExchangeError('not-supported', 'stops on unified Bitget accounts are not supported yet')
    }
    const order = placeUnified({ ...request, type: request.type === 'take-profit' ? 'stop' : request.type }, context)
    const mode =
      context.kind === 'spot' ? {} : { marginMode: context.marginMode ?? (await marginModeOf(context, request)) }
    return { ...order, params: { ...order.params, ...mode, ...(isTrigger && { triggerType: 'fill_price' }) } }
  },
  refer: referUnified,
  // Place Trigger Order has a price and no direction, and its help calls both ways "reaches the trigger price".
  triggersEitherWay: () => true,
  triggersListedOnly: () => true,
  triggers: () => ({ apart: { trigger: true, planType: 'normal_plan' } }),
  // Get Pending Trigger Order and Cancel Trigger Order (bitget.com/api-doc): `profit_loss` lists what was typed on a position, each kind canceled by its name.
  typedTriggers: (kind) =>
    kind === 'spot'
      ? undefined
      : {
          apart: { trigger: true, planType: 'profit_loss' },
          cancel({ type, closesPosition }) {
            const word = type === 'take-profit' ? 'profit' : 'loss'
            return { planType: closesPosition === true ? `pos_${word}` : `${word}_plan` }
          },
        },
  listEnded: (client, { symbol }, scope) => client.fetchCanceledAndClosedOrders(symbol, undefined, undefined, scope),
  successorOf: firedAs,
  askSuccessor,
  firedOrders,
  // An assumption: its documents say of lists alone how long they go back, which is 90 days.
  findableMs: () => 86_400_000,
  statusOf: statusIn(WORDS, 'status', 'state', 'orderStatus', 'planStatus'),
  causeOf,
  hintsOf,
  openOrdersScopes: scopes,
  positionsScopes: scopes,
  balanceScopes: scopes,
  balances: (info, kind) => (kind === 'spot' ? undefined : accountBalances(info)),
  buysByCost: (kind) => kind === 'spot',
  tradesNewestFirst: true,
  // Get Order Fill Details: three months at most.
  tradesKeptMs: () => 90 * 86_400_000,
  fillHintsOf: ({ tradeSide }) => defined({ cause: causeOf({ tradeSide }) }),
  positionMode,
  isModeOfSymbol: true,
  access,
  isAnswer: hasField('code', 'err_code'),
  codeOf,
  codes: CODES,
  hints: { '40012': KEY_HINTS.passphrase, '40014': KEY_HINTS.rights, '40018': KEY_HINTS.address },
  unknownCodes: UNKNOWN_CODES,
  isRefusalCode: (code) => /^[2-4]\d{4}$/.test(code),
}

type Info = Readonly<Record<string, unknown>>

function causeOf({ tradeSide, planStatus }: Info): VenueCause | undefined {
  // No order came of it, whatever side the plan names.
  if (planStatus === 'fail_execute' || planStatus === 'fail_trigger') return 'trigger-failed'
  return OWN_SIDES.find(([start]) => typeof tradeSide === 'string' && tradeSide.startsWith(start))?.[1]
}

function hintsOf({ planType, planStatus, size, triggerPrice }: Info): OrderHints {
  const isPlan = planType !== undefined || planStatus !== undefined
  return {
    ...(isPlan || isPositive(decimalText(triggerPrice)) ? {} : { isAttached: true }),
    ...(PROFIT_PLANS.has(planType) ? { isTakeProfit: true } : {}),
    ...(POSITION_PLANS.has(planType) && !isPositive(decimalText(size)) ? { closesPosition: true } : {}),
  }
}
const categorized = z.object({ info: z.looseObject({ category: z.string() }) })

/** A unified account has one stream for all. */
const isOfSpot = (row: unknown): boolean =>
  /^(?:spot|margin)$/i.test(categorized.safeParse(row).data?.info.category ?? '')
const isOfContracts = (row: unknown): boolean => /futures$/i.test(categorized.safeParse(row).data?.info.category ?? '')

/** A question that failed would be read as a no by ccxt, and orders would go to the other kind of account. */
async function prepare(client: CcxtClient): Promise<void> {
  if (client.options.uta !== undefined) return
  try {
    await client.request('v3/account/settings', ['private', 'uta'], 'GET')
    client.options.uta = true
  } catch (error) {
    if (!isNo()) throw error
    client.options.uta = false
  }
}

/** The class takes a cancel that failed for one that was carried out. */
function refuseFailedCancels(client: CcxtClient): void {
  const cancel = client.cancelOrder.bind(client)
  client.cancelOrder = async (...asked) => {
    const row = await cancel(...asked)
    const response = currentCall()?.exchanges.at(-1)?.response
    const { data } = z.safeParse(failures, response === undefined ? undefined : jsonOf(response.text))
    if (data !== undefined) throw new Error(`${data.data.failureList[0].errorCode}`)
    return row
  }
}

/** Whether the venue has answered that this account, or this key, has nothing to do with unified accounts. */
function isNo(): boolean {
  const response = currentCall()?.exchanges.at(-1)?.response
  const code = response === undefined ? undefined : codeOf(jsonOf(response.text))
  if (response === undefined || response.status >= 500 || code === undefined) return false
  return !NO_ANSWER.has(CODES[code] ?? '') && !UNKNOWN_CODES.includes(code)
}

function scopes(kind: MarketKind, settles: readonly string[]): readonly Params[] {
  if (kind === 'spot') return [{}]
  if (kind === 'inverse') return [{ productType: 'COIN-FUTURES' }]
  const used = settles.filter((settle) => settle === 'USDT' || settle === 'USDC')
  return (used.length === 0 ? ['USDT'] : used).map((settle) => ({ productType: `${settle}-FUTURES` }))
}

const plan = z.object({
  info: z.looseObject({
    orderId: z.string(),
    triggerPrice: z.string(),
    planStatus: z.optional(z.string()),
    status: z.optional(z.string()),
    executeOrderId: z.optional(z.string()),
    planType: z.optional(z.string()),
  }),
})

/** `planStatus` of contracts, `status` on spot. */
function planStatusOf(row: unknown): string | undefined {
  const { planStatus, status } = plan.safeParse(row).data?.info ?? {}
  return planStatus ?? status
}

function firedAs(row: unknown): string | undefined {
  if (planStatusOf(row) !== 'executed') return undefined
  const { executeOrderId, planType } = plan.safeParse(row).data?.info ?? {}
  // What became of one that was typed on a position is asked for by its name alone. Plans of spot have types of their own.
  if (/^(?:pos_)?(?:profit|loss)/.test(planType ?? '')) return executeOrderId === '' ? undefined : executeOrderId
  return executeOrderId ?? ''
}

const firedPlans = z.object({
  data: z.object({
    entrustedList: z.nullable(
      z.array(z.looseObject({ orderId: idWord, clientOid: z.optional(word), executeOrderId: z.optional(idWord) })),
    ),
  }),
})

/** Fills name the order that a plan order made. On spot nothing names both. */
async function firedOrders(client: CcxtClient, { id: symbol, market }: VenueMarket, kind: MarketKind) {
  if (kind === 'spot') return new Map()
  const [productType] = scopes(kind, market.settle === undefined ? [] : [market.settle])
  const query = { ...productType, symbol, planType: 'normal_plan', planStatus: 'executed', limit: 100 }
  const answer = await client.request('v2/mix/order/orders-plan-history', ['private', 'mix'], 'GET', query)
  return new Map(
    (z.parse(firedPlans, answer).data.entrustedList ?? []).flatMap(({ orderId, clientOid, executeOrderId }) => {
      if (orderId === undefined || executeOrderId === undefined) return []
      return [[executeOrderId, { id: orderId, ...defined({ clientOrderId: clientOid }) }] as const]
    }),
  )
}

const subOrders = z.object({ data: z.array(z.looseObject({ orderId: z.optional(idWord), status: z.string() })) })

/** A plan order's row on spot names no order that it made, nor does each of contracts. */
async function askSuccessor(
  client: CcxtClient,
  row: unknown,
  market: VenueMarket,
  kind: MarketKind,
): Promise<string | undefined> {
  const planOrderId = z.parse(plan, row).info.orderId
  const [productType] = scopes(kind, market.market.settle === undefined ? [] : [market.market.settle])
  const answer =
    kind === 'spot'
      ? await client.request('v2/spot/trade/plan-sub-order', ['private', 'spot'], 'GET', { planOrderId })
      : await client.request('v2/mix/order/plan-sub-order', ['private', 'mix'], 'GET', {
          ...productType,
          planType: 'normal_plan',
          planOrderId,
        })
  const [made] = z.parse(subOrders, answer).data
  return made?.status === 'fail' ? 'failed' : made?.orderId
}

const account = z.object({
  marginCoin: word,
  accountEquity: figure,
  unrealizedPL: z.optional(figure),
  maxTransferOut: z.optional(figure),
})

function accountBalances(info: unknown): readonly Balance[] | undefined {
  const rows = z.safeParse(z.array(account), info).data
  return (
    rows &&
    contractBalances(
      rows.map(({ marginCoin: currency, accountEquity: total, unrealizedPL: unrealized, maxTransferOut: free }) => {
        return { currency, total, unrealized, free }
      }),
    )
  )
}

const unified = z.object({ data: z.looseObject({ holdMode: z.string() }) })
const classic = z.object({ data: z.looseObject({ posMode: z.string(), marginMode: z.optional(z.string()) }) })

function classicAccount(client: CcxtClient, kind: MarketKind, market?: VenueMarket): Promise<unknown> {
  const { settle = kind === 'inverse' ? 'BTC' : 'USDT' } = market?.market ?? {}
  return client.request('v2/mix/account/account', ['private', 'mix'], 'GET', {
    symbol: market?.id ?? (kind === 'inverse' ? 'BTCUSD' : 'BTCUSDT'),
    productType: kind === 'inverse' ? 'COIN-FUTURES' : `${settle}-FUTURES`,
    marginCoin: settle,
  })
}

/** What the symbol is set to; a unified account has cross margin. An exit is not held for the answer. */
async function marginModeOf(
  { client, kind, market, setting }: OrderContext,
  { reduceOnly }: OrderRequest,
): Promise<'cross' | 'isolated'> {
  if (client.options.uta === true) return 'cross'
  const asked = setting('margin mode', async () => {
    const { marginMode } = z.parse(classic, await classicAccount(client, kind, market)).data
    return marginMode === 'isolated' ? ('isolated' as const) : ('cross' as const)
  })
  return reduceOnly === true ? soonOr(asked, () => 'cross') : asked
}

/** Of a classic account each type of product has its own. */
async function positionMode(client: CcxtClient, kind: MarketKind, market?: VenueMarket): Promise<PositionMode> {
  if (client.options.uta === true) {
    const { data } = z.parse(unified, await client.request('v3/account/settings', ['private', 'uta'], 'GET'))
    return data.holdMode === 'one_way_mode' ? 'one-way' : 'hedge'
  }
  const answer = await classicAccount(client, kind, market)
  return z.parse(classic, answer).data.posMode === 'one_way_mode' ? 'one-way' : 'hedge'
}

const accountInfo = z.object({
  data: z.looseObject({ authorities: z.optional(z.array(z.string())), ips: z.optional(z.string()) }),
})

async function access(client: CcxtClient): Promise<AccessReport> {
  const { data } = z.parse(accountInfo, await client.request('v2/spot/account/info', ['private', 'spot'], 'GET'))
  const { authorities, ips } = data
  return {
    ...defined({ mayWithdraw: authorities?.some((each) => /^(wow|withdraw)$/i.test(each)) }),
    remarks: ips === '' ? ['the key works from any address; give it a list of IP addresses'] : [],
  }
}
