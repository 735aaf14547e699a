// The shapes of docs/json.md that tell what happened, and what they share with the others.
import { z } from 'zod'
import { VENUE_CAUSES } from '../../src/exchange/order.ts'

export const decimal = z.string().regex(/^-?\d+(\.\d+)?$/)
export const time = z.number().int().positive()
export const side = z.enum(['buy', 'sell'])

export const trade = z.strictObject({
  id: z.string(),
  orderId: z.string(),
  clientOrderId: z.string().optional(),
  symbol: z.string(),
  side,
  amount: decimal,
  price: decimal,
  fee: decimal.optional(),
  feeCurrency: z.string().optional(),
  takerOrMaker: z.enum(['taker', 'maker']).optional(),
  realizedPnl: decimal.optional(),
  cause: z.enum(VENUE_CAUSES).optional(),
  timestamp: time,
})

const sums = z.array(
  z.strictObject({ currency: z.string(), realized: decimal, funding: decimal, fees: decimal, net: decimal }),
)
const gaps = z.array(
  z.strictObject({
    kind: z.enum([
      'venue-silent',
      'symbols-left-out',
      'list-cut',
      'fills-not-kept',
      'fills-not-asked',
      'fills-unread',
      'cost-unknown',
      'position-differs',
      'market-unknown',
      'ends-unknown',
      'account-silent',
      'funding-unknown',
      'equity-unknown',
      'funding-cut',
      'fees-unknown',
      'orders-unknown',
    ]),
    account: z.string().optional(),
    symbol: z.string().optional(),
    symbols: z.array(z.string()).optional(),
    message: z.string().optional(),
    since: time.optional(),
    amount: decimal.optional(),
    counted: decimal.optional(),
    held: decimal.optional(),
    fills: z.number().int().optional(),
    ids: z.array(z.string()).optional(),
    orders: z.number().int().optional(),
    knownSince: time.optional(),
  }),
)
const noted = { tags: z.array(z.string()).optional(), note: z.string().optional() }
export const tradeStats = {
  trades: z.number().int(),
  won: z.number().int(),
  lost: z.number().int(),
  even: z.number().int(),
  unknown: z.number().int(),
  winRate: decimal.optional(),
  r: z.strictObject({ trades: z.number().int(), average: decimal, best: decimal, worst: decimal }).optional(),
  sums: z.array(
    z.strictObject({
      currency: z.string(),
      realized: decimal,
      funding: decimal.optional(),
      fees: decimal,
      net: decimal,
      profitFactor: decimal.optional(),
    }),
  ),
}
const tradeGroups = z.array(z.strictObject({ key: z.string(), ...tradeStats }))
const pnlGroup = { fills: z.number().int(), sums }

export const HISTORY_SHAPES = {
  fills: z.strictObject({
    type: z.literal('fills'),
    account: z.string(),
    fills: z.array(
      z.strictObject({
        ...trade.shape,
        pnl: decimal.optional(),
        pnlCurrency: z.string().optional(),
        ...noted,
        by: z.string().optional(),
        runId: z.string().optional(),
      }),
    ),
    gaps,
  }),
  trades: z.strictObject({
    type: z.literal('trades'),
    account: z.string(),
    trades: z.array(
      z.strictObject({
        symbol: z.string(),
        side: z.enum(['long', 'short']),
        openedAt: time,
        closedAt: time.optional(),
        entered: decimal,
        entryPrice: decimal,
        exited: decimal,
        exitPrice: decimal.optional(),
        fills: z.number().int(),
        orderIds: z.array(z.string()),
        sums,
        ...noted,
        currency: z.string().optional(),
        risk: decimal.optional(),
        r: decimal.optional(),
        by: z.string().optional(),
        cause: z.enum(VENUE_CAUSES).optional(),
      }),
    ),
    gaps,
  }),
  'order-history': z.strictObject({
    type: z.literal('order-history'),
    account: z.string(),
    orders: z.array(
      z.strictObject({
        clientOrderId: z.string().optional(),
        orderId: z.string().optional(),
        account: z.string(),
        at: time,
        symbol: z.string(),
        side,
        type: z.string(),
        amount: decimal,
        price: decimal.optional(),
        triggerPrice: decimal.optional(),
        takeProfitPrice: decimal.optional(),
        state: z.string(),
        filled: decimal,
        average: decimal.optional(),
        reason: z.string().optional(),
        reduceOnly: z.boolean(),
        role: z.enum(['stop', 'take']).optional(),
        ...noted,
        by: z.string().optional(),
        runId: z.string().optional(),
      }),
    ),
    gaps,
  }),
  tax: z.strictObject({
    type: z.literal('tax'),
    account: z.string(),
    year: z.number().int(),
    zone: z.string().optional(),
    rows: z.array(
      z.strictObject({
        at: time,
        day: z.string().regex(/^\d{4}-\d\d-\d\d$/),
        account: z.string(),
        exchange: z.string(),
        practice: z.boolean(),
        kind: z.enum(['fill', 'funding']),
        symbol: z.string(),
        market: z.enum(['spot', 'linear', 'inverse']).optional(),
        side: side.optional(),
        amount: decimal.optional(),
        unit: z.string().optional(),
        price: decimal.optional(),
        value: decimal.optional(),
        quote: z.string().optional(),
        fee: decimal.optional(),
        feeCurrency: z.string().optional(),
        realized: decimal.optional(),
        funding: decimal.optional(),
        currency: z.string().optional(),
        orderId: z.string().optional(),
        id: z.string(),
        by: z.string().optional(),
        cause: z.enum(VENUE_CAUSES).optional(),
        ...noted,
      }),
    ),
    gaps,
  }),
  session: z.strictObject({
    type: z.literal('session'),
    account: z.string(),
    since: time,
    until: time.optional(),
    open: z.number().int(),
    total: z.strictObject(tradeStats),
    byHook: tradeGroups,
    bySymbol: tradeGroups,
    byTag: tradeGroups,
    maxDrawdown: z
      .strictObject({ currency: z.string(), amount: decimal, percent: decimal, from: time, to: time })
      .optional(),
    gaps,
  }),
  pnl: z.strictObject({
    type: z.literal('pnl'),
    by: z.enum(['day', 'symbol', 'hook', 'account']),
    accounts: z.array(z.string()),
    since: time.optional(),
    until: time.optional(),
    groups: z.array(z.strictObject({ key: z.string(), ...pnlGroup })),
    total: z.strictObject(pnlGroup),
    gaps,
  }),
} as const
