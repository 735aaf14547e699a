// OKX v5: contracts count in units of their own, trigger orders are kept apart, and each order names its margin mode.
import * as z from 'zod/mini'
import { defined } from '../../../base/defined.ts'
import type { AccessReport, MarginSetting } from '../../../exchange/exchange.ts'
import { ExchangeError } from '../../../exchange/exchange-error.ts'
import type { MarketKind } from '../../../exchange/market.ts'
import type { Balance, VenueCause } from '../../../exchange/order.ts'
import type { CcxtClient, Params } from '../ccxt-client.ts'
import { Decimal, figure, isPositive, moment, word } from '../decimals.ts'
import {
  DEFAULT_PROFILE,
  hasField,
  KEY_HINTS,
  placeUnified,
  referUnified,
  type StatusWords,
  statusIn,
  unifiedMode,
  wordIn,
} from '../default-profile.ts'
import { held } from '../holdings.ts'
import type { VenueMarket } from '../markets.ts'
import type { FundingPage, FundingQuery, VenueProfile } from '../profile.ts'
import type { OwnStream, OwnStreams } from '../streams/own-streams.ts'
import { amendTrigger, attachedTo, firedAs, hintsOf, ownIdOfFired, triggersOf } from './okx-algos.ts'

const PAGE = 100
const TRIGGER: Params = { trigger: true }

/** Of orders and of algo orders. */
export const WORDS: StatusWords = {
  live: 'open',
  partially_filled: 'open',
  filled: 'closed',
  canceled: 'canceled',
  mmp_canceled: 'canceled',
  pause: 'open',
  partially_effective: 'open',
  effective: 'triggered',
  order_failed: 'rejected',
  partially_failed: 'rejected',
}

export const CATEGORIES: Readonly<Record<string, VenueCause>> = {
  full_liquidation: 'liquidation',
  partial_liquidation: 'liquidation',
  adl: 'deleveraging',
  delivery: 'settlement',
}

export const CANCEL_SOURCES: Readonly<Record<string, VenueCause>> = {
  '2': 'reduce-only',
  '3': 'liquidation',
  '6': 'deleveraging',
  '7': 'settlement',
  '17': 'position-closed',
  '21': 'position-closed',
}
const ALGOS: OwnStream = { params: TRIGGER, isHint: true, isOfTriggers: true }
const STREAMS: OwnStreams = { orders: [{}, ALGOS], fills: [], triggers: 'streamed' }
/** On spot a market order counts in quote, and on inverse contracts nothing has shown the rows. */
const HINTS: readonly OwnStream[] = [{ isHint: true }, ALGOS]

export const OKX: VenueProfile = {
  ...DEFAULT_PROFILE,
  id: 'okx',
  name: 'OKX',
  classes: { spot: 'okx', linear: 'okx', inverse: 'okx' },
  options: (kind) => ({
    defaultType: kind === 'spot' ? 'spot' : 'swap',
    fetchMarkets: { types: kind === 'spot' ? ['spot'] : ['swap', 'future'] },
    createOrder: 'privatePostTradeOrder',
    brokerId: undefined,
  }),
  leverageParams: (marginMode = 'cross') => ({ marginMode }),
  leverageIsText: true,
  margin,
  funding: { windowMs: 30 * 86_400_000, page: fundingPage },
  ordersNameMarginMode: true,
  // Of an amount between two lots.
  gridCodes: ['51121'],
  editOrder: true,
  // Of inverse contracts nothing has shown it.
  oco: (kind) => kind === 'linear',
  // "The attached TP/SL will be placed when the main order is partially filled with the remaining portion cancelled, or when the main order is fully
  // filled. The TP/SL order quantity will be the actual filled amount" (announcement of 1 July 2026). Of spot and inverse nothing has shown it.
  attached: (kind) => (kind === 'linear' ? 'when-over' : undefined),
  place(request, context) {
    const order = placeUnified({ ...request, type: request.type === 'take-profit' ? 'stop' : request.type }, context)
    const mode = context.kind === 'spot' || context.marginMode === undefined ? {} : { marginMode: context.marginMode }
    if (request.triggerPrice === undefined) {
      return { ...order, params: { ...order.params, ...mode, ...defined({ attachAlgoOrds: attachedTo(request) }) } }
    }
    const { clientOrderId, triggerPrice, ...rest } = order.params
    // Of a market order with two triggers the class makes one with none.
    const type = request.takeProfitPrice === undefined ? order.type : 'oco'
    const triggers = triggersOf(request, context.kind)
    return { ...order, type, params: { ...rest, ...mode, algoClOrdId: clientOrderId, ...triggers } }
  },
  edit: (wanted, context) =>
    wanted.order.triggerPrice === undefined ? undefined : () => amendTrigger(wanted, context),
  refer: referUnified,
  triggers: () => ({
    apart: TRIGGER,
    lists: [
      { ...TRIGGER, ordType: 'trigger' },
      { ...TRIGGER, ordType: 'conditional,oco' },
    ],
  }),
  successorOf: firedAs,
  // Orders that were canceled without a fill are kept for two hours.
  findableMs: () => 7_200_000,
  ownIdOf: ownIdOfFired,
  asksOrdersOfFills: true,
  streamedTrade: withPaidFee,
  // Trigger orders have a channel of their own, and what became of one is asked for.
  streams: (kind) => (kind === 'linear' ? { ...STREAMS, fills: [{}], isProven: true } : { ...STREAMS, orders: HINTS }),
  openOrdersPage: {
    size: PAGE,
    next(rows) {
      const last = z.safeParse(lastRow, rows.at(-1))
      return last.success ? { after: last.data.info.algoId || last.data.info.ordId } : undefined
    },
  },
  statusOf: statusIn(WORDS, 'state'),
  causeOf: ({ category, cancelSource, state }) =>
    wordIn(CATEGORIES, category) ??
    (state === 'canceled' ? wordIn(CANCEL_SOURCES, cancelSource) : undefined) ??
    (state === 'order_failed' || state === 'partially_failed' ? 'trigger-failed' : undefined),
  hintsOf,
  tradesNewestFirst: true,
  // Get transaction details: the last 3 months.
  tradesKeptMs: () => 90 * 86_400_000,
  fillHintsOf: ({ subType, category }) => defined({ cause: fillCauseOf(subType, category) }),
  balances: (info) => tradingBalances(info),
  positionMode: async (client, kind) => (kind === 'spot' ? undefined : unifiedMode(client)),
  access,
  isAnswer: hasField('code'),
  codeOf: codeOfOkx,
  codes: {
    '50001': 'unavailable',
    '50011': 'rate-limited',
    '50046': 'unavailable',
    '50061': 'rate-limited',
    '50062': 'unavailable',
    '50100': 'permission',
    '50101': 'authentication',
    '50102': 'clock',
    '50103': 'authentication',
    '50104': 'authentication',
    '50105': 'authentication',
    '50107': 'authentication',
    '50110': 'permission',
    '50111': 'authentication',
    '50112': 'clock',
    '50113': 'authentication',
    '50114': 'permission',
    '50119': 'authentication',
    '50120': 'permission',
    '51001': 'bad-symbol',
    '51008': 'insufficient-funds',
    '51010': 'wrong-account-mode',
    '51016': 'duplicate-id',
    '51020': 'invalid-order',
    '51046': 'would-trigger',
    '51047': 'would-trigger',
    '51051': 'would-trigger',
    '51065': 'duplicate-id',
    '51119': 'insufficient-funds',
    '51121': 'invalid-order',
    '51127': 'insufficient-funds',
    '51131': 'insufficient-funds',
    '51169': 'reduce-only-rejected',
    '51277': 'would-trigger',
    '51278': 'would-trigger',
    '51279': 'would-trigger',
    '51280': 'would-trigger',
    '51112': 'reduce-only-rejected',
    '51170': 'reduce-only-rejected',
    '51400': 'order-not-found',
    '51401': 'order-not-found',
    '51402': 'order-not-found',
    '51410': 'order-not-found',
    '51503': 'order-not-found',
    '51509': 'order-not-found',
    '51510': 'order-not-found',
    '51603': 'order-not-found',
  },
  hints: { '50105': KEY_HINTS.passphrase, '50110': KEY_HINTS.address, '50120': KEY_HINTS.rights },
  unknownCodes: ['50004', '50005', '50013', '50026', '51149', '50001'],
  unchangedCodes: [],
  isRefusalCode: (code) => /^(50[0-9]{3}|5[1-9]\d{3})$/.test(code),
}

export const LIQUIDATIONS: ReadonlySet<string> = new Set([
  '100',
  '101',
  '102',
  '103',
  '104',
  '105',
  '106',
  '107',
  '110',
  '111',
])
export const DELEVERAGINGS: ReadonlySet<string> = new Set(['125', '126', '127', '128'])

/** A list names what a fill did to the balance (`subType`), a stream where its order comes from (`category`). */
function fillCauseOf(subType: unknown, category: unknown): VenueCause | undefined {
  if (LIQUIDATIONS.has(String(subType)) || category === 'full_liquidation' || category === 'partial_liquidation')
    return 'liquidation'
  if (DELEVERAGINGS.has(String(subType)) || category === 'adl') return 'deleveraging'
  return subType === '112' || subType === '113' || category === 'delivery' ? 'settlement' : undefined
}

/** The row's own code where there is one: the envelope's `1` only says that there is. */
function codeOfOkx(json: unknown): string | undefined {
  const read = z.safeParse(
    z.object({ code: z.string(), data: z.optional(z.array(z.looseObject({ sCode: z.optional(z.string()) }))) }),
    json,
  )
  if (!read.success) return undefined
  const own = read.data.data?.map(({ sCode }) => sCode).find((sCode) => sCode !== undefined && sCode !== '0')
  return own ?? (read.data.code === '0' ? undefined : read.data.code)
}

const lastRow = z.object({ info: z.looseObject({ ordId: z.optional(z.string()), algoId: z.optional(z.string()) }) })

const streamed = z.looseObject({ fee: z.looseObject({ cost: figure }) })

/** The stream's fees are what the balance changes by; the class turns their sign in lists only. */
function withPaidFee(row: unknown): unknown {
  const read = z.safeParse(streamed, row)
  if (!read.success) return row
  const { fee } = read.data
  if (fee.cost === undefined) return row
  return { ...read.data, fee: { ...fee, cost: new Decimal(fee.cost).neg().toFixed() } }
}

const detail = z.object({
  ccy: z.string(),
  cashBal: figure,
  eq: figure,
  frozenBal: z.optional(figure),
  availEq: z.optional(figure),
  availBal: z.optional(figure),
})

function tradingBalances(info: unknown): readonly Balance[] | undefined {
  const read = z.safeParse(z.object({ data: z.array(z.object({ details: z.array(detail) })) }), info)
  if (!read.success) return undefined
  return held(
    read.data.data.flatMap(({ details }) =>
      details.map(({ ccy, cashBal = '0', eq, frozenBal = '0', availEq, availBal }) => ({
        currency: ccy,
        wallet: cashBal,
        total: eq ?? cashBal,
        used: frozenBal,
        free: Decimal.max(availEq ?? availBal ?? 0, 0).toFixed(),
      })),
    ),
  )
}

const config = z.object({
  data: z.array(
    z.looseObject({
      perm: z.optional(z.string()),
      ip: z.optional(z.string()),
      acctLv: z.optional(z.string()),
      posMode: z.optional(z.string()),
    }),
  ),
})

async function access(client: CcxtClient): Promise<AccessReport> {
  const [account] = z.parse(config, await client.request('account/config', 'private', 'GET')).data
  const permissions = account?.perm?.split(',')
  const isContracts = client.options.defaultType !== 'spot'
  const positionMode = account?.posMode === 'long_short_mode' ? 'hedge' : 'one-way'
  const isSimple = account?.acctLv === '1' && isContracts
  return {
    ...(permissions === undefined
      ? {}
      : { mayTrade: permissions.includes('trade'), mayWithdraw: permissions.includes('withdraw') }),
    ...(isContracts && account?.posMode !== undefined && { positionMode }),
    remarks: [
      ...(account?.ip === '' ? ['the key works from any address; give it a list of IP addresses'] : []),
      ...(isSimple ? ['the account is in spot mode; switch it to futures mode to trade contracts'] : []),
    ],
  }
}

const leverageRows = z.object({ data: z.array(z.object({ lever: figure })) })

/** Each mode has a leverage of its own; without a position, orders are crossed. */
async function margin(
  client: CcxtClient,
  { id }: VenueMarket,
  _kind: MarketKind,
  marginMode: 'cross' | 'isolated' = 'cross',
): Promise<MarginSetting> {
  const query = { instId: id, mgnMode: marginMode }
  const { data } = z.parse(leverageRows, await client.request('account/leverage-info', 'private', 'GET', query))
  const leverages = data.map(({ lever }) => lever).filter(isPositive)
  const least = leverages.length === 0 ? undefined : Decimal.min(...leverages).toFixed()
  return { marginMode, ...defined({ leverage: least }) }
}

const bills = z.object({
  data: z.array(
    z.object({
      billId: word,
      instId: z.optional(z.string()),
      ccy: z.string(),
      ts: moment,
      balChg: figure,
      posBalChg: figure,
    }),
  ),
})

/** Of all contracts of a currency, newest first. That of an isolated position is taken from the position. */
async function fundingPage(
  client: CcxtClient,
  { id, market }: VenueMarket,
  _kind: MarketKind,
  { from, until, cursor }: FundingQuery,
): Promise<FundingPage> {
  const query = {
    instType: 'SWAP',
    type: '8',
    ccy: market.settle ?? market.quote,
    limit: String(PAGE),
    begin: String(from),
    end: String(until),
    ...defined({ after: cursor }),
  }
  const { data } = z.parse(bills, await client.request('account/bills-archive', 'private', 'GET', query))
  const payments = data
    .filter(({ instId }) => instId === id)
    .map(({ billId, ccy, ts, balChg = '0', posBalChg = '0' }) => {
      if (billId === undefined || ts === undefined) {
        throw new ExchangeError('network', 'the venue listed funding that cannot be read')
      }
      const amount = new Decimal(balChg).isZero() ? posBalChg : balChg
      return { id: billId, amount, currency: ccy, timestamp: ts }
    })
  const last = data.at(-1)?.billId
  return { payments, ...(data.length < PAGE || last === undefined ? {} : { cursor: last }) }
}
