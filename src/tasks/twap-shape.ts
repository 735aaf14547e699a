// What a twap was asked to do, and what it remembers: both as they are in a file.
import * as z from 'zod/mini'

const decimal = z.string().check(z.regex(/^\d{1,30}(\.\d{1,30})?$/, 'must be a decimal'))
const whole = z.int().check(z.nonnegative())

export const twapParams = z.object({
  side: z.enum(['buy', 'sell']),
  amount: decimal,
  reduce: z.boolean(),
  slices: z.int().check(z.gte(2), z.lte(1000)),
  durationMs: z.int().check(z.positive()),
  /** By how much sizes and times vary, in percent. */
  random: z.exactOptional(decimal),
  /** While the market is beyond it, slices are left out; on the grid. */
  limit: z.exactOptional(decimal),
  /** Where chance comes from. */
  seed: z.string(),
})

export const twapState = z.object({
  /** ms since the epoch; 0: it has not begun. */
  startsAt: whole,
  /** The slice that comes next, from 0. */
  next: whole,
  /** Orders with a lower step are over, and that was told. */
  seen: whole,
  /** The wake that it asked for; 0: none. */
  wakeAt: whole,
  ending: z.exactOptional(z.object({ status: z.enum(['done', 'failed', 'cancelled']), reason: z.string() })),
})

export type TwapParams = z.output<typeof twapParams>
export type TwapState = z.output<typeof twapState>
