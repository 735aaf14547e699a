// The shapes of what commands about tasks answer.
import { z } from 'zod'
import { decimal, side } from './json-history-schemas.ts'

export const TASK_PLAN_SHAPES = {
  'task-plan': z.strictObject({
    type: z.literal('task-plan'),
    id: z.string().optional(),
    account: z.string(),
    kind: z.string(),
    symbol: z.string(),
    side,
    amount: decimal,
    reduceOnly: z.boolean(),
    lastsMs: z.int().optional(),
    price: decimal.optional(),
    limit: decimal.optional(),
    rest: z.enum(['market', 'cancel']).optional(),
    distance: z.strictObject({ kind: z.enum(['percent', 'amount']), value: decimal }).optional(),
    after: decimal.optional(),
    takeProfitPrice: decimal.optional(),
    slices: z.array(z.strictObject({ afterMs: z.int(), amount: decimal })).optional(),
  }),
}
