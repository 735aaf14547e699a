// The shapes of runs, and of how the fires of a hook went.
import { z } from 'zod'
import { time } from './json-history-schemas.ts'
import { runOrders } from './json-task-schemas.ts'

const run = {
  runId: z.string(),
  source: z.enum(['repl', 'exec', 'hook', 'web']),
  origin: z.string().optional(),
  hookId: z.string().optional(),
  command: z.string(),
  values: z.record(z.string(), z.string()).optional(),
  account: z.string().optional(),
  startedAt: time,
  finishedAt: time.optional(),
  state: z.string(),
  trigger: z.string().optional(),
  unbegun: z.enum(['skipped', 'expired', 'refused', 'stopped']).optional(),
  error: z.string().optional(),
}

/** How the fires of a hook went in the last 24 h. */
export const lastDay = z.strictObject({
  fires: z.number(),
  ok: z.number(),
  failed: z.number(),
  skipped: z.number(),
  expired: z.number(),
  medianMs: z.number().optional(),
  p95Ms: z.number().optional(),
  last: z.strictObject({ runId: z.string(), at: time, outcome: z.string(), error: z.string().optional() }).optional(),
})

export const RUN_SHAPES = {
  runs: z.strictObject({ type: z.literal('runs'), runs: z.array(z.strictObject(run)) }),
  run: z.strictObject({
    type: z.literal('run'),
    ...run,
    steps: z.array(z.strictObject({ afterMs: z.number(), tookMs: z.number(), success: z.boolean(), text: z.string() })),
    output: z.array(z.strictObject({ afterMs: z.number(), kind: z.string(), text: z.string() })),
    leftOut: z.number(),
    orders: runOrders,
  }),
  'hook-log': z.strictObject({
    type: z.literal('hook-log'),
    run: z.strictObject(run),
    output: z.array(z.strictObject({ afterMs: z.number(), kind: z.string(), text: z.string() })),
    leftOut: z.number(),
  }),
} as const
