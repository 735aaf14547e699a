// Bitget: plan orders are kept apart, one product type a question; unified accounts are asked about before the first order.
import * as z from 'zod/mini'
import type { AccessReport } from '../../../exchange/exchange.ts'
import { ExchangeError } from '../../../exchange/exchange-error.ts'
import type { MarketKind } from '../../../exchange/market.ts'
import type { CcxtClient, Params } from '../ccxt-client.ts'
import {
  codeIn,
  DEFAULT_PROFILE,
  hasField,
  isJson,
  optionsOf,
  placeUnified,
  referUnified,
  unifiedMode,
} from '../default-profile.ts'
import type { VenueProfile } from '../profile.ts'

const NOT_UNIFIED: ReadonlySet<string> = new Set(['40084', '40085', '25206', '40409'])

export const BITGET: VenueProfile = {
  ...DEFAULT_PROFILE,
  id: 'bitget',
  name: 'Bitget',
  classes: { spot: 'bitget', linear: 'bitget', inverse: 'bitget' },
  options: (kind) => ({ ...optionsOf(kind), fetchMarkets: { types: [kind === 'spot' ? 'spot' : 'swap'] } }),
  prepare,
  place(request, context) {
    const isTrigger = request.triggerPrice !== undefined
    // There a plan order without a plan would be placed at once.
    if (isTrigger && context.client.options.uta === true) {
      throw new ExchangeError('not-supported', 'stops on unified Bitget accounts are not supported yet')
    }
    const order = placeUnified({ ...request, type: request.type === 'take-profit' ? 'stop' : request.type }, context)
    const mode = context.kind === 'spot' || context.marginMode === undefined ? {} : { marginMode: context.marginMode }
    return { ...order, params: { ...order.params, ...mode, ...(isTrigger && { triggerType: 'fill_price' }) } }
  },
  refer: referUnified,
  triggersListedOnly: true,
  triggers: () => ({ apart: { trigger: true, planType: 'normal_plan' } }),
  openOrdersScopes: scopes,
  positionsScopes: scopes,
  balanceScopes: scopes,
  buysByCost: (kind) => kind === 'spot',
  tradesNewestFirst: true,
  positionMode: async (client, kind, market) =>
    kind === 'spot' || market === undefined ? undefined : modeOf(client, market.symbol),
  access,
  isAnswer: hasField('code', 'err_code'),
  codeOf: codeIn('code', 'err_code'),
  codes: {
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
  },
  unknownCodes: ['40010', '40015', '40725', '40200', '45001', '00001'],
  isRefusalCode: (code) => /^[2-4]\d{4}$/.test(code) || /^[23]\d{4}$/.test(code),
}

/** A failed question would be read as `not unified` by ccxt, and orders would go to the other kind of account. */
async function prepare(client: CcxtClient): Promise<void> {
  if (client.options.uta !== undefined) return
  try {
    await client.request('v3/account/settings', ['private', 'uta'], 'GET')
    client.options.uta = true
  } catch (error) {
    const isNo = error instanceof Error && /"code":"(\d+)"/.exec(error.message)?.[1]
    if (typeof isNo !== 'string' || !NOT_UNIFIED.has(isNo)) throw error
    client.options.uta = false
  }
}

function scopes(kind: MarketKind, settles: readonly string[]): readonly Params[] {
  if (kind === 'spot') return [{}]
  if (kind === 'inverse') return [{ productType: 'COIN-FUTURES' }]
  const used = settles.filter((settle) => settle === 'USDT' || settle === 'USDC')
  return (used.length === 0 ? ['USDT'] : used).map((settle) => ({ productType: `${settle}-FUTURES` }))
}

async function modeOf(client: CcxtClient, symbol: string): Promise<'one-way' | 'hedge'> {
  const mode = await client.fetchPositionMode(symbol)
  const isHedged = isJson(mode) ? (mode as { readonly hedged?: unknown }).hedged : undefined
  return typeof isHedged === 'boolean' ? (isHedged ? 'hedge' : 'one-way') : unifiedMode(client)
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
