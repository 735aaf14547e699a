// What Binance says when it answers no question.
import { Faults, type FaultWords, retryAfter, type Fault as VenueFault } from '../faults.ts'

export { RETRY_AFTER_S } from '../faults.ts'

export type BinanceFault =
  /** 429 with Retry-After. */
  | 'rate-limited'
  /** 418 with Retry-After. */
  | 'banned'
  /** 503 whose text says that nobody knows what became of it. */
  | 'unknown'
  /** -1007: the same in a code. */
  | 'timed-out'
  /** 503 whose code says that nothing was done. */
  | 'busy'

export type Fault = VenueFault<BinanceFault>
export type FaultKind = Fault['kind']

const WORDS: Readonly<Record<BinanceFault, () => FaultWords>> = {
  'rate-limited': () => [429, said(-1003, 'Too many requests; current limit is 2400 per minute.'), retryAfter()],
  banned: () => [418, said(-1003, 'Way too many requests; IP banned.'), retryAfter()],
  unknown: () => [503, said(-1000, 'Unknown error, please check your request or try again later.'), {}],
  'timed-out': () => [
    408,
    said(-1007, 'Timeout waiting for response from backend server. Send status unknown; execution status unknown.'),
    {},
  ],
  busy: () => [
    503,
    said(-1008, 'Server is currently overloaded with other requests. Please try again in a few minutes.'),
    {},
  ],
}

export function binanceFaults(): Faults<BinanceFault> {
  return new Faults({ changesOrders: /^(POST|PUT|DELETE) .*[oO]rders?$/, words: WORDS })
}

function said(code: number, msg: string): string {
  return JSON.stringify({ code, msg })
}
