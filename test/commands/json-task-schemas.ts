// The row of a task in docs/json.md, field by field.
import { z } from 'zod'
import { decimal, time } from './json-history-schemas.ts'

export const TASK_FIELDS = {
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
