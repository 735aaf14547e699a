// An OpenID provider as a sign-in sees it: discovery, a code for a device, tokens, their renewal and their end. The only file, with
// `provider-faults.ts` and `id-token.ts`, that knows `oauth4webapi`; loaded when someone signs in or out, or a token is renewed.
import {
  type AuthorizationServer,
  allowInsecureRequests,
  type Client,
  clockSkew as clockSkewOf,
  clockTolerance,
  customFetch,
  deviceAuthorizationRequest,
  deviceCodeGrantRequest,
  discoveryRequest,
  JWT_TIMESTAMP_CHECK,
  None,
  OperationProcessingError,
  processDeviceAuthorizationResponse,
  processDeviceCodeResponse,
  processDiscoveryResponse,
  processRefreshTokenResponse,
  processRevocationResponse,
  ResponseBodyError,
  refreshTokenGrantRequest,
  revocationRequest,
  type TokenEndpointResponse,
} from 'oauth4webapi'
import { defined } from '../base/defined.ts'
import { isLoopback } from '../protocol/address.ts'
import { type BoundedFetch, createBoundedFetch } from './bounded-fetch.ts'
import { type DeviceAnswer, type DeviceCode, readDeviceCode } from './device-code.ts'
import { clockSkew, isSkewed, skewOf, TOLERANCE_S, verifyToken } from './id-token.ts'
import { faultOf, malformed, type Stage } from './provider-faults.ts'
import type { Expected, NewTokens, RenewedTokens, VerifiedToken } from './tokens.ts'

export interface ProviderOptions {
  /** As `readIssuer` gives it. */
  readonly issuer: URL
  readonly clientId: string
  /** ms since the epoch. */
  readonly now: () => number
  /** Ends what is under way. */
  readonly signal: AbortSignal
  /** Of one request. Default 10 s. */
  readonly timeoutMs?: number
  /** Default: Node's. */
  readonly fetch?: typeof fetch
}

/** Of which request the tokens must be. */
export type Asked = Omit<Expected, 'receivedAt'>

export interface Provider {
  /** As it names itself. */
  readonly issuer: string
  /** @param nonce that the token is to have @throws {SignInError} */
  askForCode(nonce: string): Promise<DeviceCode>
  /** @throws {SignInError} */
  poll(deviceCode: string, asked: Asked): Promise<NewTokens | 'pending' | 'slow-down'>
  /** The refresh token is used up by it. @throws {SignInError} `sign-in-ended`, and others: then it may be used up, or not */
  renew(refreshToken: string, asked: Asked): Promise<RenewedTokens>
  /** @returns false: it has no way to be told @throws {SignInError} */
  revoke(refreshToken: string): Promise<boolean>
}

const TIMEOUT_MS = 10_000
const MAX_BYTES = 256 * 1_024
const SCOPES = ['openid', 'email']
/** Asks for a refresh token; a provider that lists its scopes without it gives one anyway, or refuses the word. */
const OFFLINE = 'offline_access'
/** Some put an email into the token only where it is asked for by name. */
const EMAIL_CLAIMS = JSON.stringify({ id_token: { email: null, email_verified: null } })

/** Asks the issuer for its description. @throws {SignInError} */
export async function openProvider(options: ProviderOptions): Promise<Provider> {
  const { issuer, timeoutMs = TIMEOUT_MS, signal, fetch } = options
  const bounded = createBoundedFetch({ issuer, timeoutMs, maxBytes: MAX_BYTES, signal, ...(fetch && { fetch }) })
  const requests = { [customFetch]: bounded, [allowInsecureRequests]: isLoopback(issuer) }
  try {
    const answer = await discoveryRequest(issuer, { ...requests, algorithm: 'oidc' })
    const server = await processDiscoveryResponse(issuer, answer)
    return new OpenedProvider(server, requests, options)
  } catch (error) {
    throw faultOf(error, 'discovery', issuer.host)
  }
}

interface Requests {
  readonly [customFetch]: BoundedFetch
  readonly [allowInsecureRequests]: boolean
}

type Process = (server: AuthorizationServer, client: Client, response: Response) => Promise<TokenEndpointResponse>

interface Answer {
  readonly response: Response
  readonly tokens: TokenEndpointResponse
  readonly expected: Expected
}

class OpenedProvider implements Provider {
  readonly issuer: string
  readonly #server: AuthorizationServer
  readonly #requests: Requests
  readonly #options: ProviderOptions
  readonly #host: string

  constructor(server: AuthorizationServer, requests: Requests, options: ProviderOptions) {
    this.#server = server
    this.#requests = requests
    this.#options = options
    this.#host = options.issuer.host
    this.issuer = server.issuer
  }

  async askForCode(nonce: string): Promise<DeviceCode> {
    const { scopes_supported: scopes, claims_parameter_supported: takesClaims } = this.#server
    const isRenewable = !Array.isArray(scopes) || scopes.includes(OFFLINE)
    const askedAt = this.#options.now()
    const answer = await this.#at('device', async () => {
      const parameters = {
        scope: [...SCOPES, ...(isRenewable ? [OFFLINE] : [])].join(' '),
        nonce,
        ...(takesClaims === true && { claims: EMAIL_CLAIMS }),
      }
      const response = await deviceAuthorizationRequest(
        this.#server,
        this.#client(),
        None(),
        parameters,
        this.#requests,
      )
      return processDeviceAuthorizationResponse(this.#server, this.#client(), response)
    })
    return readDeviceCode(answer as DeviceAnswer, askedAt, this.#host)
  }

  async poll(deviceCode: string, asked: Asked): Promise<NewTokens | 'pending' | 'slow-down'> {
    let answer: Answer
    try {
      const response = await deviceCodeGrantRequest(this.#server, this.#client(), None(), deviceCode, this.#requests)
      answer = await this.#read(response, asked, processDeviceCodeResponse)
    } catch (error) {
      if (error instanceof ResponseBodyError && error.error === 'authorization_pending') return 'pending'
      if (error instanceof ResponseBodyError && error.error === 'slow_down') return 'slow-down'
      throw faultOf(error, 'token', this.#host)
    }
    const token = await this.#verify(answer)
    if (token === undefined) throw malformed('token', this.#host)
    const { refresh_token: refreshToken } = answer.tokens
    return { ...token, ...defined({ refreshToken }) }
  }

  async renew(refreshToken: string, asked: Asked): Promise<RenewedTokens> {
    let rotated: string | undefined
    try {
      const response = await refreshTokenGrantRequest(
        this.#server,
        this.#client(),
        None(),
        refreshToken,
        this.#requests,
      )
      rotated = await refreshTokenIn(response)
      const answer = await this.#read(response, asked, processRefreshTokenResponse)
      const token = await this.#verify(answer)
      return defined({ refreshToken: rotated, token })
    } catch (error) {
      const problem = faultOf(error, 'renewal', this.#host)
      // The one that was sent is used up by now.
      if (rotated !== undefined) return { refreshToken: rotated, problem }
      throw problem
    }
  }

  async revoke(refreshToken: string): Promise<boolean> {
    if (this.#server.revocation_endpoint === undefined) return false
    await this.#at('revocation', async () => {
      const hinted = { ...this.#requests, additionalParameters: { token_type_hint: 'refresh_token' } }
      const response = await revocationRequest(this.#server, this.#client(), None(), refreshToken, hinted)
      return processRevocationResponse(response)
    })
    return true
  }

  async #read(response: Response, asked: Asked, process: Process): Promise<Answer> {
    const expected = { ...asked, receivedAt: this.#options.now() }
    try {
      return { response, expected, tokens: await process(this.#server, this.#client(), response) }
    } catch (error) {
      const skewMs = skewOf(response, expected.receivedAt)
      const isByTime = error instanceof OperationProcessingError && error.code === JWT_TIMESTAMP_CHECK
      throw isByTime && isSkewed(skewMs) ? clockSkew(skewMs, this.#host) : error
    }
  }

  #verify({ response, tokens, expected }: Answer): Promise<VerifiedToken | undefined> {
    const answered = { server: this.#server, client: this.#client(), response, tokens, host: this.#host }
    return verifyToken({ ...answered, options: this.#requests }, expected)
  }

  /** Its clock is the one that we are given. */
  #client(): Client {
    const { clientId, now } = this.#options
    return {
      client_id: clientId,
      [clockSkewOf]: Math.floor(now() / 1_000) - Math.floor(Date.now() / 1_000),
      [clockTolerance]: TOLERANCE_S,
    }
  }

  async #at<R>(stage: Stage, ask: () => Promise<R>): Promise<R> {
    try {
      return await ask()
    } catch (error) {
      throw faultOf(error, stage, this.#host)
    }
  }
}

/** Whatever else is wrong with the answer. */
async function refreshTokenIn(response: Response): Promise<string | undefined> {
  if (response.status !== 200) return undefined
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  const token = typeof body === 'object' && body !== null && 'refresh_token' in body ? body.refresh_token : undefined
  return typeof token === 'string' && token !== '' ? token : undefined
}
