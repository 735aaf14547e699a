// Bitget: plan orders are kept apart, one product type a question; unified accounts are asked about before the first order.
import * as z from 'zod/mini'
import type { AccessReport } from '../../../exchange/exchange.ts'
import { ExchangeError, type ExchangeErrorCode } from '../../../exchange/exchange-error.ts'
import type { MarketKind } from '../../../exchange/market.ts'
import type { Balance, VenueCause } from '../../../exchange/order.ts'
import { contractBalances } from '../balances.ts'
import type { CcxtClient, Params } from '../ccxt-client.ts'
import { figure, word } from '../decimals.ts'
import {
  codeIn,
  DEFAULT_PROFILE,
  hasField,
  KEY_HINTS,
  optionsOf,
  placeUnified,
  referUnified,
} from '../default-profile.ts'
import { present, type VenueMarket } from '../markets.ts'
import type { OrderContext, PositionMode, VenueProfile } from '../profile.ts'
import { currentCall, jsonOf } from '../wire-log.ts'

/** They say nothing about the account. */
const NO_ANSWER: ReadonlySet<string> = new Set(['clock', 'authentication', 'rate-limited', 'unavailable'])
const UNKNOWN_CODES: readonly string[] = ['40010', '40015', '40725', '40200', '45001', '00001']
const codeOf = codeIn('code', 'err_code')

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
  '22002': 'reduce-only-rejected',
  '43001': 'order-not-found',
  '43012': 'insufficient-funds',
  '43025': 'order-not-found',
  '43118': 'duplicate-id',
  '45034': 'duplicate-id',
  '429': 'rate-limited',
  '30007': 'rate-limited',
}

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
  ordersNameMarginMode: true,
  async place(request, context) {
    const isTrigger = request.triggerPrice !== undefined
    // There a plan order without a plan would be placed at once.
    if (isTrigger && context.client.options.uta === true) {
      throw new ExchangeError('not-supported', 'stops on unified Bitget accounts are not supported yet')
    }
    const order = placeUnified({ ...request, type: request.type === 'take-profit' ? 'stop' : request.type }, context)
    const mode = context.kind === 'spot' ? {} : { marginMode: context.marginMode ?? (await marginModeOf(context)) }
    return { ...order, params: { ...order.params, ...mode, ...(isTrigger && { triggerType: 'fill_price' }) } }
  },
  refer: referUnified,
  triggersListedOnly: () => true,
  triggers: () => ({ apart: { trigger: true, planType: 'normal_plan' } }),
  openOrdersScopes: scopes,
  positionsScopes: scopes,
  balanceScopes: scopes,
  balances: (info, kind) => (kind === 'spot' ? undefined : accountBalances(info)),
  buysByCost: (kind) => kind === 'spot',
  tradesNewestFirst: true,
  // Get Order Fill Details: three months at most.
  tradesKeptMs: () => 90 * 86_400_000,
  fillHintsOf: ({ tradeSide }) => present({ cause: causeOf(tradeSide) }),
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

/** `burst_`: liquidated, `reduce_`: liquidated in part, `offset_`: against the other side, `delivery_`: at the end of the contract. */
function causeOf(tradeSide: unknown): VenueCause | undefined {
  const [, word] = /^(burst|reduce|delivery)_/.exec(String(tradeSide)) ?? []
  if (word === undefined) return undefined
  return word === 'delivery' ? 'settlement' : 'liquidation'
}

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

const account = z.object({
  ...{ marginCoin: word, accountEquity: figure, unrealizedPL: z.optional(figure), maxTransferOut: z.optional(figure) },
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

/** What the symbol is set to; a unified account has cross margin. */
async function marginModeOf({ client, kind, market }: OrderContext): Promise<'cross' | 'isolated'> {
  if (client.options.uta === true) return 'cross'
  const { marginMode } = z.parse(classic, await classicAccount(client, kind, market)).data
  return marginMode === 'isolated' ? 'isolated' : 'cross'
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
    ...(authorities === undefined ? {} : { mayWithdraw: authorities.some((each) => /^(wow|withdraw)$/i.test(each)) }),
    remarks: ips === '' ? ['the key works from any address; give it a list of IP addresses'] : [],
  }
}
