// The shapes of what `guards` and simulation answer.
import { z } from 'zod'
import { decimal, side, time } from './json-history-schemas.ts'

export const GUARD_SHAPES = {
  switches: z.strictObject({
    type: z.literal('switches'),
    enabled: z.boolean(),
    accountSync: z.boolean(),
    remoteExec: z.boolean(),
  }),
  would: z.strictObject({
    type: z.literal('would'),
    kind: z.enum(['place', 'change', 'cancel', 'cancel-all', 'set']),
    order: z
      .strictObject({
        symbol: z.string(),
        side,
        type: z.string(),
        amount: decimal,
        price: decimal.optional(),
        triggerPrice: decimal.optional(),
        takeProfitPrice: decimal.optional(),
        reduceOnly: z.boolean().optional(),
        postOnly: z.boolean().optional(),
        timeInForce: z.string().optional(),
      })
      .optional(),
    ref: z.record(z.string(), z.unknown()).optional(),
    change: z.record(z.string(), z.unknown()).optional(),
    symbol: z.string().optional(),
    what: z.string().optional(),
    value: z.string().optional(),
  }),
  guards: z.strictObject({
    type: z.literal('guards'),
    state: z.string(),
    simulated: z.boolean(),
    accounts: z.array(
      z.strictObject({
        account: z.string(),
        state: z.string(),
        since: time.optional(),
        by: z.string().optional(),
        simulated: z.boolean(),
        limits: z.strictObject({
          order: decimal.optional(),
          position: decimal.optional(),
          day: decimal.optional(),
          loss: decimal.optional(),
          band: decimal.optional(),
          rate: decimal.optional(),
          lossWithOpen: z.boolean(),
        }),
        used: z.strictObject({ day: decimal, loss: decimal, rate: z.number() }),
      }),
    ),
  }),
} as const
