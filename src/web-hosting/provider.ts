// The sign-in service: OpenID Connect by its discovery document. Code flow with PKCE for browsers; for command lines, tokens that it has signed.
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import { isLoopback } from '../protocol/address.ts'
import { HostingError } from './hosting-error.ts'
import { HOSTING_LIMITS } from './hosting-limits.ts'
import type { HostingOptions } from './hosting-options.ts'
import { newSecret } from './secrets.ts'
import type { Identity } from './users.ts'

export interface Departure {
  /** Where the browser is sent. */
  readonly url: URL
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

/** What came back was not what this console had asked for, or the person said no. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused'
  /** `denied`: the person or the service said no. `invalid`: the answer cannot be trusted. */
  readonly why: 'denied' | 'invalid'
  constructor(why: 'denied' | 'invalid', cause: unknown) {
    super(`the sign-in was refused (${why})`, { cause })
    this.why = why
  }
}

type Keys = ReturnType<typeof createRemoteJWKSet>

interface Discovered {
  readonly server: oauth.AuthorizationServer
  readonly keys: Keys
  readonly at: number
}

/** By a key that only the service has; none of a shared secret, and never `none`. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

const { providerMs, discoveryMs, clockToleranceSeconds, tokenBytes } = HOSTING_LIMITS

export class Provider {
  readonly #options: HostingOptions
  readonly #client: oauth.Client
  readonly #authentication: oauth.ClientAuth
  #discovering: Promise<Discovered> | undefined
  #discovered: Discovered | undefined

  constructor(options: HostingOptions) {
    this.#options = options
    this.#client = { client_id: options.clientId, [oauth.clockTolerance]: clockToleranceSeconds }
    this.#authentication =
      options.clientSecret === undefined ? oauth.None() : oauth.ClientSecretBasic(options.clientSecret)
  }

  /** Where the browser comes back to: registered at the service. */
  get redirectUri(): string {
    return new URL('/auth/callback', this.#options.publicUrl).href
  }

  /** @throws {HostingError} `provider-gone` */
  async depart(): Promise<Departure> {
    const { server } = await this.#discover()
    const endpoint = server.authorization_endpoint
    if (endpoint === undefined) throw providerGone(new Error('it names no authorization endpoint'))
    const [state, nonce, codeVerifier] = [newSecret(), newSecret(), oauth.generateRandomCodeVerifier()]
    const url = new URL(endpoint)
    const challenge = await oauth.calculatePKCECodeChallenge(codeVerifier)
    for (const [name, value] of [
      ['client_id', this.#options.clientId],
      ['redirect_uri', this.redirectUri],
      ['response_type', 'code'],
      ['scope', 'openid email'],
      ['code_challenge', challenge],
      ['code_challenge_method', 'S256'],
      ['state', state],
      ['nonce', nonce],
    ] as const)
      url.searchParams.set(name, value)
    return { url, state, nonce, codeVerifier }
  }

  /** @param back the address that the browser came back to @throws {SignInRefused} @throws {HostingError} `provider-gone` */
  async arrive(back: URL, { state, nonce, codeVerifier }: Omit<Departure, 'url'>): Promise<Identity> {
    const { server } = await this.#discover()
    const request = this.#requestOptions()
    try {
      const answer = oauth.validateAuthResponse(server, this.#client, back, state)
      const response = await oauth.authorizationCodeGrantRequest(
        ...([server, this.#client, this.#authentication, answer, this.redirectUri, codeVerifier, request] as const),
      )
      const tokens = await oauth.processAuthorizationCodeResponse(server, this.#client, response, {
        ...{ expectedNonce: nonce, requireIdToken: true },
      })
      await oauth.validateApplicationLevelSignature(server, response, request)
      const claims = oauth.getValidatedIdTokenClaims(tokens)
      if (claims === undefined) throw new Error('there is no ID token')
      return this.#identityOf(claims.email === undefined ? await this.#withUserInfo(server, claims, tokens) : claims)
    } catch (error) {
      throw arrivalFailure(error)
    }
  }

  /** Some services tell the address there alone. Without an answer there is none; it is only shown. */
  async #withUserInfo(
    server: oauth.AuthorizationServer,
    claims: oauth.IDToken,
    { access_token: token }: oauth.TokenEndpointResponse,
  ): Promise<JWTPayload> {
    if (server.userinfo_endpoint === undefined) return claims
    try {
      const response = await oauth.userInfoRequest(server, this.#client, token, this.#requestOptions())
      const { email, email_verified } = await oauth.processUserInfoResponse(server, this.#client, claims.sub, response)
      return { ...claims, email, email_verified }
    } catch {
      return claims
    }
  }

  /** A command line's token. @returns undefined: forged, over, of another issuer, or for somebody else @throws {HostingError} `provider-gone` */
  async verify(token: string): Promise<Identity | undefined> {
    if (token.length > tokenBytes) return undefined
    const { keys } = await this.#discover()
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer: this.#issuer,
        audience: [...this.#options.audiences],
        algorithms: ALGORITHMS,
        clockTolerance: clockToleranceSeconds,
        requiredClaims: ['sub', 'exp', 'iat'],
      })
      return this.#identityOf(payload)
    } catch (error) {
      if (error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError) || isFetchFailure(error))
        throw providerGone(error)
      return undefined
    }
  }

  get #issuer(): string {
    return this.#discovered?.server.issuer ?? this.#options.issuer.href
  }

  #identityOf(claims: JWTPayload | oauth.IDToken): Identity {
    const { sub = '', email, email_verified } = claims as { sub?: string; email?: unknown; email_verified?: unknown }
    const isShown = email_verified === true && typeof email === 'string' && email.length <= 254
    return { issuer: this.#issuer, subject: sub, email: isShown ? email : '' }
  }

  #requestOptions() {
    return {
      signal: () => AbortSignal.timeout(providerMs),
      // By its name, since the library knows the option by a symbol.
      [oauth.allowInsecureRequests]: isLoopback(this.#options.issuer),
    }
  }

  /** Several requests at once ask once. What was believed until now serves while the service does not answer. */
  async #discover(): Promise<Discovered> {
    const known = this.#discovered
    if (known !== undefined && performance.now() - known.at < discoveryMs) return known
    this.#discovering ??= this.#ask().finally(() => {
      this.#discovering = undefined
    })
    try {
      this.#discovered = await this.#discovering
      return this.#discovered
    } catch (error) {
      if (known !== undefined) return known
      throw error
    }
  }

  async #ask(): Promise<Discovered> {
    try {
      const { issuer } = this.#options
      const response = await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...this.#requestOptions() })
      const server = await oauth.processDiscoveryResponse(issuer, response)
      if (server.jwks_uri === undefined) throw new Error('it names no keys')
      const keysUrl = new URL(server.jwks_uri)
      if (keysUrl.protocol !== 'https:' && !isLoopback(issuer)) throw new Error('its keys are not at an https address')
      const keys = createRemoteJWKSet(keysUrl, { timeoutDuration: providerMs })
      return { server, keys, at: performance.now() }
    } catch (error) {
      throw providerGone(error)
    }
  }
}

/** jose tells an answer other than 200 only by its base class. */
function isFetchFailure(error: errors.JOSEError): boolean {
  return error.code === 'ERR_JOSE_GENERIC'
}

function arrivalFailure(error: unknown): Error {
  if (error instanceof HostingError) return error
  if (error instanceof oauth.AuthorizationResponseError) return new SignInRefused('denied', error)
  const isAnswer =
    error instanceof oauth.OperationProcessingError ||
    error instanceof oauth.ResponseBodyError ||
    error instanceof oauth.UnsupportedOperationError ||
    error instanceof oauth.WWWAuthenticateChallengeError
  return isAnswer ? new SignInRefused('invalid', error) : providerGone(error)
}

function providerGone(cause: unknown): HostingError {
  return new HostingError('provider-gone', 'the sign-in service does not answer as it should', {
    hint: 'check that it runs and that --issuer is right',
    cause,
  })
}
