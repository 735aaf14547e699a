// The shapes of what `cross-trade` answers.
import { z } from 'zod'
import { side, time } from './json-history-schemas.ts'

/** Signed. */
const amount = z.string().regex(/^-?\d+(\.\d+)?$/)

const row = z.strictObject({
  id: z.string(),
  enabled: z.boolean(),
  masterAccount: z.string(),
  masterSymbol: z.string().optional(),
  masterWeight: z.number(),
  sync: z.boolean(),
  copiers: z.array(
    z.strictObject({
      account: z.string(),
      symbol: z.string().optional(),
      weight: z.number(),
      mode: z.string(),
      slippage: z.string().optional(),
    }),
  ),
  updatedAt: time,
  problem: z.string().optional(),
})

const copiers = z.array(
  z.strictObject({
    configId: z.string(),
    account: z.string(),
    symbol: z.string(),
    state: z.string(),
    desired: amount,
    owned: amount,
    why: z.string().optional(),
  }),
)

export const CROSS_TRADE_SHAPES = {
  'cross-trade': z.strictObject({
    type: z.literal('cross-trade'),
    engine: z.strictObject({ running: z.boolean(), pid: z.number().optional(), startedAt: time.optional() }),
    pages: z.array(z.string()),
    rows: z.array(row),
    copiers,
  }),
  'cross-trade-row': z.strictObject({
    type: z.literal('cross-trade-row'),
    done: z.enum(['added', 'changed', 'enabled', 'disabled', 'removed']),
    row,
  }),
  'cross-trade-plan': z.strictObject({
    type: z.literal('cross-trade-plan'),
    id: z.string(),
    orders: z.array(z.strictObject({ account: z.string(), symbol: z.string(), side, amount, reduceOnly: z.boolean() })),
    sent: z.boolean(),
    copiers,
  }),
} as const
