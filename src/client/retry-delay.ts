// When a lost connection is tried again, and when it is not: what a close code asks for is said once, in CLOSE_CODES.
import { CLOSE_CODES, type CloseReason } from '../protocol/frames.ts'

/** Times in ms. `capMs`: behaviour 140. */
export const RETRY_LIMITS = {
  firstMs: 500,
  capMs: 60_000,
  /** The least after 4429: hookline's operator is busy with others, or has just said no to one of this origin. */
  busyMs: 30_000,
  /** A session shorter than this ended in one more failure: being let in and thrown out at once does not count as success. */
  stableMs: 10_000,
} as const

/** Why hookline will not have this client without a person doing something first. */
export type FatalReason = {
  [R in CloseReason]: (typeof CLOSE_CODES)[R]['retry'] extends 'never' ? R : never
}[CloseReason]

const REASONS = new Map<number, CloseReason>(
  (Object.keys(CLOSE_CODES) as CloseReason[]).map((reason) => [CLOSE_CODES[reason].code, reason]),
)

/**
 * Exponential back-off. The random half keeps tabs that lost their connection together from coming back together; the fixed half
 * keeps a loop from spinning.
 *
 * @param failures how many attempts have failed in a row, this one included: 1, 2, …
 * @param random from 0 to below 1
 * @param leastMs waited in any case, within the cap
 * @param capMs the longest wait, where `leastMs` is not longer
 * @returns ms: `leastMs`, and from half of `min(capMs − leastMs, 500 · 2^(failures − 1))` to below the whole
 */
export function retryDelayMs(
  failures: number,
  random: number,
  leastMs = 0,
  capMs: number = RETRY_LIMITS.capMs,
): number {
  const room = Math.max(RETRY_LIMITS.firstMs, capMs - leastMs)
  const ceiling = Math.min(room, RETRY_LIMITS.firstMs * 2 ** Math.max(0, failures - 1))
  return leastMs + (ceiling * (1 + random)) / 2
}

/** @returns undefined for codes hookline does not send: 1006 above all, which is all a page sees of a refused upgrade */
export function closeReasonOf(code: number): CloseReason | undefined {
  return REASONS.get(code)
}

export function isFatal(reason: CloseReason): reason is FatalReason {
  return CLOSE_CODES[reason].retry === 'never'
}
