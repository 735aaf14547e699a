// Hyperliquid: orders are signed actions, prices have five significant digits, and a market order is a limit order far through the price.
import * as z from 'zod/mini'
import type { AccessReport } from '../../../exchange/exchange.ts'
import type { Balance, VenueCause } from '../../../exchange/order.ts'
import { contractBalances } from '../balances.ts'
import type { CcxtClient } from '../ccxt-client.ts'
import { HEX } from '../client-order-ids.ts'
import { Decimal, figure } from '../decimals.ts'
import { DEFAULT_PROFILE, optionsOf, placeUnified, referUnified, withRisingClock } from '../default-profile.ts'
import { type CcxtMarket, present } from '../markets.ts'
import type { VenueProfile } from '../profile.ts'

const SIGNIFICANT_DIGITS = 5
/** Of a price, less the decimals of the amount. */
const MOST_DECIMALS = { spot: 8, linear: 6, inverse: 6 } as const

export const HYPERLIQUID: VenueProfile = {
  ...DEFAULT_PROFILE,
  id: 'hyperliquid',
  name: 'Hyperliquid',
  classes: { linear: 'hyperliquid' },
  options: (kind) => ({
    ...optionsOf(kind),
    fetchMarkets: { types: [kind === 'spot' ? 'spot' : 'swap'] },
    ...{ builderFee: false, approvedBuilderFee: false, refSet: true, defaultSlippage: '0.05' },
  }),
  // ccxt would approve a fee for itself and take a referrer before the first order.
  adjust(client) {
    withRisingClock(client)
    Object.assign(client, { initializeClient: async () => true })
  },
  async prepare(client) {
    const user = (client as { readonly walletAddress?: string }).walletAddress
    const answer = await client.request('info', 'public', 'POST', { type: 'userAbstraction', user })
    client.options.enableUnifiedMargin = String(answer).replaceAll('"', '') === 'unifiedAccount'
  },
  needsNoClock: true,
  clientOrderIds: HEX,
  timeInForce: () => ['gtc', 'ioc'],
  orderTypes: (kind) =>
    kind === 'spot' ? ['market', 'limit'] : ['market', 'limit', 'stop', 'stop-limit', 'take-profit'],
  async place(request, context) {
    const order = placeUnified(request, context)
    if (order.price !== undefined) return order
    return { ...order, price: request.triggerPrice ?? (await context.last()) }
  },
  leverageParams: (marginMode) => (marginMode === undefined ? {} : { marginMode }),
  refer: referUnified,
  tradesPerPage: 2000,
  tradesOfAllSymbols: true,
  fillHintsOf: (info, client) => present({ fee: info.fee, cause: causeOf(info, client) }),
  balances: (info) => accountBalances(info),
  priceGridOf: (market, kind) => ({
    kind: 'significant',
    digits: SIGNIFICANT_DIGITS,
    decimals: MOST_DECIMALS[kind] - decimalsOf(market),
  }),
  access,
  isAnswer: (json) => json !== undefined && json !== null,
  codeOf: codeOfHyperliquid,
  codes: {
    margin: 'insufficient-funds',
    'post-only': 'order-immediately-fillable',
    'reduce-only': 'reduce-only-rejected',
    wallet: 'authentication',
    gone: 'order-not-found',
    rate: 'rate-limited',
    nonce: 'clock',
  },
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
function causeOf(info: Readonly<Record<string, unknown>>, client: CcxtClient): VenueCause | undefined {
  const { walletAddress } = client as { readonly walletAddress?: string }
  const user = z.safeParse(liquidation, info).data?.liquidation.liquidatedUser
  if (user !== undefined && user.toLowerCase() === walletAddress?.toLowerCase()) return 'liquidation'
  if (info.dir === 'Auto-Deleveraging') return 'deleveraging'
  return info.dir === 'Settlement' ? 'settlement' : undefined
}

function decimalsOf({ precision }: CcxtMarket): number {
  return new Decimal(precision.amount ?? 1).decimalPlaces()
}

/** It has no codes: its fixed texts stand for them. */
const TEXTS: readonly (readonly [text: string, code: string])[] = [
  ['Insufficient margin', 'margin'],
  ['Insufficient spot balance', 'margin'],
  ['Post only order would have immediately matched', 'post-only'],
  ['Reduce only order would increase position', 'reduce-only'],
  ['User or API Wallet', 'wallet'],
  ['Must deposit before performing actions', 'wallet'],
  ['Order was never placed, already canceled, or filled', 'gone'],
  ['Too many cumulative requests', 'rate'],
  ['Invalid nonce', 'nonce'],
]

const answer = z.object({ status: z.string(), response: z.optional(z.unknown()) })
const statuses = z.object({ data: z.object({ statuses: z.array(z.unknown()) }) })

/** `err` is its definite no, of the whole action or of the order in it. */
function codeOfHyperliquid(json: unknown): string | undefined {
  const read = z.safeParse(answer, json)
  if (!read.success) return undefined
  const { status, response } = read.data
  if (status === 'unknownOid') return 'gone'
  const said = status === 'err' ? response : errorIn(response)
  if (said === undefined) return status === 'err' ? 'err' : undefined
  return TEXTS.find(([text]) => String(said).startsWith(text))?.[1] ?? 'err'
}

function errorIn(response: unknown): unknown {
  const read = z.safeParse(statuses, response)
  const errors = (read.data?.data.statuses ?? []).flatMap((each) =>
    typeof each === 'object' && each !== null && 'error' in each ? [each.error] : [],
  )
  return errors[0]
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
