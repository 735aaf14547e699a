// What a chase was asked to do, and what it remembers: both as they are in a file.
import * as z from 'zod/mini'

const decimal = z.string().check(z.regex(/^\d{1,30}(\.\d{1,30})?$/, 'must be a decimal'))
const whole = z.int().check(z.nonnegative())

export const chaseParams = z.object({
  side: z.enum(['buy', 'sell']),
  amount: decimal,
  reduce: z.boolean(),
  /** It follows the market up to here, on the grid, and rests there. */
  limit: z.exactOptional(decimal),
  lastsMs: z.int().check(z.positive()),
  /** What becomes of the rest when its time is over. */
  rest: z.enum(['market', 'cancel']),
})

export const chaseState = z.object({
  /** ms since the epoch; 0: it has not begun. */
  endsAt: whole,
  /** Orders with a lower step are over, and that was taken into account. */
  seen: whole,
  /** When it last placed or moved an order; ms since the epoch, 0: never. */
  movedAt: whole,
  /** Since when its order is larger than the position that it reduces; 0: it is not. */
  largerSince: whole,
  /** Nothing is sent before. */
  notBefore: whole,
  /** Post-only refusals in a row. */
  refusals: whole,
  /** Failures in a row that may pass. */
  failures: whole,
  /** What is left goes to the market. */
  toMarket: z.boolean(),
  /** What was asked for its order last, and when; without a price it was to be taken back. Absent once it is done. */
  askedAt: whole,
  asked: z.exactOptional(z.object({ step: whole, price: z.exactOptional(decimal), amount: z.exactOptional(decimal) })),
  /** What it rests at or waits for, as told last. */
  told: z.string(),
  /** The wake that it asked for; 0: none. */
  wakeAt: whole,
  ending: z.exactOptional(
    z.object({
      status: z.enum(['done', 'failed', 'cancelled']),
      reason: z.string(),
      by: z.exactOptional(z.string()),
    }),
  ),
})

export type ChaseParams = z.output<typeof chaseParams>
export type ChaseState = z.output<typeof chaseState>
