// The shapes of what commands about tasks answer.
import { z } from 'zod'
import { decimal, side, time } from './json-history-schemas.ts'

/** The row of a task. */
const TASK_FIELDS = {
  id: z.string(),
  kind: z.string(),
  account: z.string(),
  symbol: z.string(),
  command: z.string(),
  runId: z.string(),
  status: z.enum(['running', 'done', 'failed', 'cancelled', 'interrupted']),
  progress: z.number(),
  startedAt: time,
  updatedAt: time,
  doing: z.string().optional(),
  reason: z.string().optional(),
  paused: z.boolean().optional(),
  protective: z.boolean().optional(),
  amount: decimal.optional(),
  filled: decimal.optional(),
  average: decimal.optional(),
  price: decimal.optional(),
  orderIds: z.array(z.string()).optional(),
  endsAt: time.optional(),
}

export const runOrders = z.array(
  z.strictObject({
    clientOrderId: z.string(),
    orderId: z.string().optional(),
    account: z.string(),
    at: time,
    symbol: z.string(),
    side,
    type: z.string(),
    amount: decimal,
    price: decimal.optional(),
    triggerPrice: decimal.optional(),
    state: z.string(),
    filled: decimal,
    average: decimal.optional(),
    reason: z.string().optional(),
  }),
)

export const TASK_SHAPES = {
  tasks: z.strictObject({ type: z.literal('tasks'), tasks: z.array(z.strictObject(TASK_FIELDS)) }),
  task: z.strictObject({
    type: z.literal('task'),
    task: z.strictObject(TASK_FIELDS),
    orders: runOrders,
    history: z.array(z.strictObject({ at: time, level: z.enum(['info', 'warn']), text: z.string() })),
  }),
  alert: z.strictObject({
    type: z.literal('alert'),
    id: z.string(),
    account: z.string(),
    symbol: z.string(),
    comparator: z.enum(['>', '>=', '<', '<=']),
    price: decimal,
    words: z.string().optional(),
  }),
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
