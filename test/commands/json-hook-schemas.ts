import * as z from 'zod'

const count = z.int().nonnegative()

/** What a hook has beside its name and its command. */
export const hookCareSchemas = {
  parallel: count.optional(),
  maxAgeMs: count.optional(),
  dry: z.literal(true).optional(),
  limits: z
    .strictObject({
      cooldownMs: count.optional(),
      rate: z.strictObject({ fires: count, ms: count }).optional(),
      max: z.string().optional(),
      perDay: count.optional(),
      window: z
        .strictObject({
          from: z.string(),
          to: z.string(),
          zone: z.string().optional(),
          days: z.array(z.string()).optional(),
        })
        .optional(),
      once: z.literal(true).optional(),
      onlyIf: z.enum(['flat', 'long', 'short']).optional(),
    })
    .optional(),
  when: z
    .strictObject({
      text: z.string(),
      symbol: z.string().optional(),
      since: count,
      next: count.optional(),
      judgedAt: count.optional(),
      indicators: z
        .array(z.strictObject({ name: z.string(), params: z.array(z.number()), source: z.string(), frame: z.string() }))
        .optional(),
      firedAt: count.optional(),
      fires: z
        .array(
          z.strictObject({
            at: count,
            price: z.string().optional(),
            outcome: z.enum(['accepted', 'lost', 'unknown']),
            run: z.string().optional(),
          }),
        )
        .optional(),
      values: z.record(z.string(), z.number().nullable()).optional(),
      comparisons: z.array(z.strictObject({ text: z.string(), left: z.number(), right: z.number() })).optional(),
      holds: z.boolean().optional(),
      trouble: z.string().optional(),
    })
    .optional(),
  left: z
    .strictObject({
      once: count.optional(),
      rate: count.optional(),
      perDay: count.optional(),
      cooldownMs: count.optional(),
    })
    .optional(),
  paused: z
    .strictObject({ since: count, by: z.string(), why: z.string().optional(), until: count.optional() })
    .optional(),
}
