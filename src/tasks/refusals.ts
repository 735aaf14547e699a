// What a refusal means for a task, whether the same could be taken a moment later, and how it words an order that was taken from it.
import type { TaskOrder } from './task-kind.ts'

/** It would have taken liquidity. */
const POST_ONLY = new Set(['order-immediately-fillable', 'post-only'])

/** Nothing was done, and nothing says that it would be refused again. */
const PASSING = new Set([
  'rate-limited',
  'unavailable',
  'network',
  'clock',
  'unsettled-order',
  'held',
  'simulated',
  'never-arrived',
  'order-not-found',
  'order-ended',
  'order-unchanged',
])

/** Whatever is sent will be refused, until a person does something. */
const LASTING = new Set([
  'authentication',
  'permission',
  'wrong-account-mode',
  'bad-symbol',
  'not-supported',
  'ambiguous-symbol',
  'unknown-symbol',
])

/** `passing`: it may be tried again after a pause; `lasting`: the task cannot go on; `this-order`: it is about this order. */
type Refusal = 'post-only' | 'passing' | 'lasting' | 'this-order'

export function refusalOf(code: string | undefined, { postOnly }: TaskOrder['plan']): Refusal {
  if (code === undefined) return 'passing'
  // Some venues take a post-only order and reject it then.
  if (POST_ONLY.has(code) || (code === 'order-rejected' && postOnly === true)) return 'post-only'
  if (PASSING.has(code)) return 'passing'
  return LASTING.has(code) ? 'lasting' : 'this-order'
}

/** Why it was refused, for people. */
export function whyRefused({ why, code }: TaskOrder): string {
  return why ?? code ?? 'it never arrived'
}

/** How long to wait after so many failures in a row: 1 s, 2 s, 4 s, up to 30 s. */
export function pauseAfter(failures: number): number {
  return Math.min(1000 * 2 ** Math.max(0, failures - 1), 30_000)
}

const CANCELED_BY = { command: 'canceled by a command', elsewhere: 'canceled outside this hookline' } as const

/** How an order ended that the task would have kept: `replaced`, `canceled (insufficient margin)`. */
export function takenBackBy({ isReplaced, why, canceledBy }: TaskOrder): string {
  if (isReplaced === true) return 'replaced'
  if (why !== undefined) return `canceled (${why})`
  return canceledBy === undefined ? 'canceled' : CANCELED_BY[canceledBy]
}
