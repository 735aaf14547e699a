// What went wrong with a provider, in our words. Its own texts are not shown: they may be anything.
import {
  JWT_CLAIM_COMPARISON,
  JWT_TIMESTAMP_CHECK,
  KEY_SELECTION,
  MISSING_SERVER_METADATA,
  OperationProcessingError,
  RESPONSE_IS_NOT_CONFORM,
  ResponseBodyError,
  UnsupportedOperationError,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi'
import { defined } from '../base/defined.ts'
import { expired } from './await-approval.ts'
import { SignInError } from './sign-in-error.ts'

/** What was being done. */
export type Stage = 'discovery' | 'device' | 'token' | 'renewal' | 'keys' | 'revocation'

const WHAT: Readonly<Record<Stage, string>> = {
  discovery: 'the description of an OpenID provider',
  device: 'a code for a device',
  token: 'tokens',
  renewal: 'tokens',
  keys: 'usable keys',
  revocation: 'that it forgot the sign-in',
}

/** Codes of RFC 6749 and RFC 8628: anything else that a provider says is not repeated. */
const CLIENT_CODES = ['invalid_client', 'unauthorized_client', 'unsupported_grant_type', 'invalid_scope']
const BUSY_CODES = ['temporarily_unavailable', 'server_error']

/** @param host of the issuer */
export function faultOf(error: unknown, stage: Stage, host: string): SignInError {
  if (error instanceof SignInError) return error
  if (error instanceof ResponseBodyError) return refusal(error.error, stage, host, error)
  if (error instanceof WWWAuthenticateChallengeError) return refusal('invalid_client', stage, host, error)
  if (error instanceof UnsupportedOperationError) return badToken('is of a kind that is not accepted', error)
  if (error instanceof OperationProcessingError) return ofProcessing(error, stage, host)
  // What the library did not expect of an answer.
  return malformed(stage, host, error)
}

function refusal(code: string, stage: Stage, host: string, cause: unknown): SignInError {
  if (code === 'access_denied') {
    return new SignInError('access-denied', `access was denied at ${host}`, { hint: '`login` asks again', cause })
  }
  if (code === 'expired_token' || (code === 'invalid_grant' && stage === 'token')) return expired()
  if (code === 'invalid_grant') {
    return new SignInError('sign-in-ended', `${host} no longer renews the sign-in`, {
      hint: '`login` signs in again',
      cause,
    })
  }
  if (CLIENT_CODES.includes(code)) {
    return new SignInError('client-refused', `${host} refuses the client: ${code}`, {
      hint: 'register it there as a public client with the device flow, and give its id with --client-id',
      cause,
    })
  }
  return BUSY_CODES.includes(code) ? unavailable(code, host, cause) : malformed(stage, host, cause)
}

function ofProcessing(error: OperationProcessingError, stage: Stage, host: string): SignInError {
  const { code, cause } = error
  switch (code) {
    case MISSING_SERVER_METADATA:
      if (stage !== 'device') return malformed(stage, host, error)
      return new SignInError('no-device-flow', `${host} has no sign-in for devices`, {
        hint: 'turn the device authorization grant on there, or use another provider',
        cause: error,
      })
    case RESPONSE_IS_NOT_CONFORM: {
      const status = cause instanceof Response ? cause.status : 0
      return status >= 500 || status === 429
        ? unavailable(`status ${status}`, host, error)
        : malformed(stage, host, error)
    }
    case JWT_TIMESTAMP_CHECK:
      return badToken('has expired, or is not valid yet', error)
    case JWT_CLAIM_COMPARISON:
      return badToken(isAbout('aud', cause) ? 'is for another client' : 'is of another issuer', error)
    case KEY_SELECTION:
      return badToken('is not signed with a key of the issuer', error)
    default:
      return stage === 'keys' ? badToken('is not signed by the issuer', error) : malformed(stage, host, error)
  }
}

/** Of the claims that are compared with what was expected, `aud` alone is about the client. */
function isAbout(claim: string, cause: unknown): boolean {
  return typeof cause === 'object' && cause !== null && 'claim' in cause && cause.claim === claim
}

export function badToken(what: string, cause?: unknown): SignInError {
  return new SignInError('bad-token', `the token ${what}; it is not used`, {
    hint: '`login` signs in again; if this persists, ask the operator of the provider',
    ...defined({ cause }),
  })
}

export function malformed(stage: Stage, host: string, cause?: unknown): SignInError {
  return new SignInError('provider-malformed', `${host} did not answer with ${WHAT[stage]}`, {
    hint: 'check the address of the issuer',
    ...defined({ cause }),
  })
}

function unavailable(problem: string, host: string, cause: unknown): SignInError {
  return new SignInError('provider-unreachable', `${host} is not available: ${problem}`, {
    hint: 'try again later',
    cause,
  })
}
