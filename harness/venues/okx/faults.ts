// What OKX says when it answers no question.
import { Faults, type FaultWords, type Fault as VenueFault } from '../faults.ts'

export type OkxFault =
  /** 50011 under 429: too many requests. OKX names no time to wait. */
  | 'rate-limited'
  /** 50061 under 200: too many orders of this account. */
  | 'orders-limited'
  /** 50026: an error of the system, which says nothing of the order. */
  | 'system-error'
  /** 50004: it took too long, and may have been done. */
  | 'timed-out'
  /** 50013: the systems are busy. */
  | 'busy'
  /** 50001 under 503. */
  | 'maintenance'
  /** 50062: this is closed for now, and nothing was done. */
  | 'paused'

export type Fault = VenueFault<OkxFault>

const WORDS: Readonly<Record<OkxFault, () => FaultWords>> = {
  'rate-limited': () => [429, said('50011', 'Too Many Requests'), {}],
  'orders-limited': () => [200, said('50061', "You've reached the maximum order rate limit for this account."), {}],
  'system-error': () => [500, said('50026', 'System error. Try again later'), {}],
  'timed-out': () => [400, said('50004', 'API endpoint request timeout.'), {}],
  busy: () => [429, said('50013', 'Systems are busy. Please try again later.'), {}],
  maintenance: () => [503, said('50001', 'Service temporarily unavailable. Please try again later.'), {}],
  paused: () => [200, said('50062', 'This feature is currently unavailable.'), {}],
}

export function okxFaults(): Faults<OkxFault> {
  return new Faults({ changesOrders: /^POST \/api\/v5\/trade\//, words: WORDS })
}

function said(code: string, msg: string): string {
  return JSON.stringify({ code, msg, data: [] })
}
