// What a provider gives out for a person to approve (RFC 8628, 3.2), made safe to show and to open. Pure.
import { defined } from '../base/defined.ts'
import { printable } from '../language/printable.ts'
import { readSafeAddress } from './safe-address.ts'
import { SignInError } from './sign-in-error.ts'

export interface DeviceCode {
  /** Secret: it is exchanged for the tokens. */
  readonly deviceCode: string
  /** For the person, printable. */
  readonly userCode: string
  /** Where the person types it. */
  readonly address: string
  /** The same with the code in it. */
  readonly addressWithCode?: string
  /** ms since the epoch. */
  readonly expiresAt: number
  /** Between two questions. */
  readonly intervalMs: number
}

/** As the provider answers. */
export interface DeviceAnswer {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri: string
  readonly verification_uri_complete?: string
  readonly expires_in: number
  readonly interval?: number
}

const MAX_CODE = 64
const LONGEST_MS = 30 * 60_000
const SHORTEST_INTERVAL_S = 1
const DEFAULT_INTERVAL_S = 5
export const LONGEST_INTERVAL_MS = 60_000

/** @param now ms since the epoch, before the question was sent @throws {SignInError} `provider-malformed`, `unsafe-address` */
export function readDeviceCode(answer: DeviceAnswer, now: number, host: string): DeviceCode {
  const userCode = printable(answer.user_code).trim()
  if (userCode === '' || userCode.length > MAX_CODE) {
    throw new SignInError('provider-malformed', `${host} issued a code that cannot be typed`, {
      hint: 'ask the people who run the provider',
    })
  }
  const address = readSafeAddress(answer.verification_uri)
  if (address === undefined) {
    throw new SignInError('unsafe-address', `${host} sends to an address that is neither https nor of this machine`, {
      hint: 'ask the people who run the provider',
    })
  }
  const complete = readSafeAddress(answer.verification_uri_complete ?? '')
  const { interval = DEFAULT_INTERVAL_S } = answer
  return {
    deviceCode: answer.device_code,
    userCode,
    address: address.href,
    ...defined({ addressWithCode: complete?.href }),
    expiresAt: now + Math.min(Math.max(0, answer.expires_in) * 1_000, LONGEST_MS),
    intervalMs: Math.min(Math.max(interval, SHORTEST_INTERVAL_S) * 1_000, LONGEST_INTERVAL_MS),
  }
}
