// Asks until a person has decided (RFC 8628, 3.4 and 3.5): no sooner than the provider wants, no longer than the code lives.
import type { DeviceCode } from './device-code.ts'
import { LONGEST_INTERVAL_MS } from './device-code.ts'
import { SignInError, type SignInErrorCode } from './sign-in-error.ts'
import type { NewTokens } from './tokens.ts'

/** One question. `pending`: no one has decided. `slow-down`: no one has, and it was asked too soon. */
export type Poll = (deviceCode: string) => Promise<NewTokens | 'pending' | 'slow-down'>

export interface AwaitingPorts {
  /** ms since the epoch. */
  readonly now: () => number
  /** Resolves also when `signal` aborts. */
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
  /** After each answer that decides nothing. */
  readonly onWaiting?: (leftMs: number) => void
}

const SLOWER_MS = 5_000
/** A provider that is restarted is back by then; a code should not be lost to one lost packet. */
const MAX_FAILURES = 4
const PASSING: readonly SignInErrorCode[] = ['provider-unreachable', 'provider-timeout']

/** @throws {SignInError} `code-expired`, `interrupted`, and what `poll` throws */
export async function awaitApproval(code: DeviceCode, poll: Poll, ports: AwaitingPorts): Promise<NewTokens> {
  const { now, delay, signal, onWaiting } = ports
  let { intervalMs } = code
  let failures = 0
  for (;;) {
    await delay(Math.max(0, Math.min(intervalMs, code.expiresAt - now())), signal)
    if (signal.aborted) throw new SignInError('interrupted', 'the sign-in was canceled')
    if (now() >= code.expiresAt) throw expired()
    try {
      const answer = await poll(code.deviceCode)
      if (typeof answer !== 'string') return answer
      failures = 0
      if (answer === 'slow-down') intervalMs = Math.min(intervalMs + SLOWER_MS, LONGEST_INTERVAL_MS)
    } catch (error) {
      failures += 1
      if (!(error instanceof SignInError) || !PASSING.includes(error.code) || failures >= MAX_FAILURES) throw error
      intervalMs = Math.min(intervalMs * 2, LONGEST_INTERVAL_MS)
    }
    onWaiting?.(code.expiresAt - now())
  }
}

export function expired(): SignInError {
  return new SignInError('code-expired', 'the code expired before it was approved', { hint: '`login` gives another' })
}
