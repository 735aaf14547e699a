// Hyperliquid: orders are signed actions, prices have five significant digits, and a market order is a limit order far through the price.
import * as z from 'zod/mini'
import type { AccessReport } from '../../../exchange/exchange.ts'
import type { CcxtClient } from '../ccxt-client.ts'
import { HEX } from '../client-order-ids.ts'
import { Decimal } from '../decimals.ts'
import { DEFAULT_PROFILE, optionsOf, placeUnified, referUnified, withRisingClock } from '../default-profile.ts'
import type { CcxtMarket } from '../markets.ts'
import type { VenueProfile } from '../profile.ts'
import { joinPrices, lastTraded, topOfBook } from '../streams/joined-prices.ts'

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
