// What a venue's no to a protective order means: most pass, some never will.
import type { ExchangeErrorCode } from '../exchange/exchange-error.ts'
import type { ExitMemory } from './exit-order.ts'

interface Refusal {
  readonly code: string
  readonly why: string
}

/** What asking again changes nothing about. */
const FINAL: ReadonlySet<string> = new Set<ExchangeErrorCode>([
  'not-supported',
  'bad-symbol',
  'permission',
  'authentication',
  'wrong-account-mode',
  'insufficient-funds',
])
/** A price that the venue has passed before us may come back. */
const MOST_INVALID = 5

/** Whether there is no sense in asking again. */
export function isHopeless({ code }: Refusal, { refusals = 0 }: ExitMemory): boolean {
  return FINAL.has(code) || (code === 'invalid-order' && refusals >= MOST_INVALID)
}

export function refusalLine(what: string, { why }: Refusal): string {
  return `${what} was refused: ${why}`
}
