// How much of its position a protective task still protects. A list of positions may come a moment later than a fill, and an order's own end a
// moment later than the position: that something is gone, or less, counts when it has lasted for a while.
import { Decimal } from 'decimal.js'
import * as z from 'zod/mini'
import type { TaskFacts } from './task-kind.ts'

export type HeldSide = 'long' | 'short'

/** How long less must have lasted before it counts, in ms. */
export const SETTLE_MS = 1_500

/** What is remembered of it, as JSON. */
export const heldMemory = z.object({
  /** As it last counted; absent: never seen. */
  amount: z.exactOptional(z.string()),
  /** Since when there has been less, ms since the epoch. */
  lessSince: z.exactOptional(z.number()),
})
type HeldMemory = z.output<typeof heldMemory>

export type Held =
  /** It has not been asked since the last doubt: what covers it stays as it is. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'held'; readonly amount: string }
  /** @param turned there is one on the other side now */
  | { readonly kind: 'gone'; readonly turned: boolean }

interface HeldLook {
  readonly held: Held
  readonly memory: HeldMemory
  /** When to look again, ms since the epoch. */
  readonly wakeAt?: number
}

/** The order side that ends a position of this side. */
export function exitSide(side: HeldSide): 'buy' | 'sell' {
  return side === 'long' ? 'sell' : 'buy'
}

export function lookAtHeld(side: HeldSide, memory: HeldMemory, facts: TaskFacts): HeldLook {
  const { position, isPositionKnown, now } = facts
  if (!isPositionKnown) return { held: { kind: 'unknown' }, memory }
  const amount = position?.side === side ? position.amount : '0'
  const before = memory.amount
  const isLess = new Decimal(amount).lt(before ?? 0) || (before === undefined && new Decimal(amount).isZero())
  if (!isLess) return { held: { kind: 'held', amount }, memory: { amount } }
  const lessSince = memory.lessSince ?? now
  if (now - lessSince < SETTLE_MS) {
    const held: Held = before === undefined ? { kind: 'unknown' } : { kind: 'held', amount: before }
    return { held, memory: { ...memory, lessSince }, wakeAt: lessSince + SETTLE_MS }
  }
  if (new Decimal(amount).gt(0)) return { held: { kind: 'held', amount }, memory: { amount } }
  return { held: { kind: 'gone', turned: position !== undefined }, memory: { ...memory, lessSince } }
}

/** What a protective task that is cancelled leaves. */
export function leavesBare({ side }: { readonly side: HeldSide }, facts: TaskFacts): string | undefined {
  const { position, market } = facts
  return position?.side === side ? `the position on ${market.symbol} has no stop of this task now` : undefined
}
