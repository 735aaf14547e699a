// The sign-in service: OpenID Connect by its discovery document. Code flow with PKCE for browsers; for command lines, tokens that it has signed.
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import { isLoopback } from '../protocol/address.ts'
import { HostingError } from './hosting-error.ts'
import { HOSTING_LIMITS } from './hosting-limits.ts'
import type { HostingOptions } from './hosting-options.ts'
import { createRequestRate } from './request-rate.ts'
import { newSecret } from './secrets.ts'
import type { Identity } from './users.ts'

interface Departure {
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
  readonly keysUrl: string
  readonly keys: Keys
  readonly at: number
}

/** What a token says besides; each door adds what it has asked for. */
const MAX_SUBJECT = 255
/** No controls, no spaces, nothing that steers a terminal or a page. */
const EMAIL = /^[^\s\p{C}@<>"]{1,64}@[^\s\p{C}@<>"]{1,189}$/u

/** By a key that only the service has; none of a shared secret, and never `none`. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

const { providerMs, discoveryMs, keysMs, keysPauseMs, clockToleranceSeconds, tokenBytes } = HOSTING_LIMITS
const { providerBurst, providerPerSecond } = HOSTING_LIMITS

export class Provider {
  readonly #options: HostingOptions
  readonly #client: oauth.Client
  readonly #authentication: oauth.ClientAuth
  #discovering: Promise<Discovered> | undefined
  #discovered: Discovered | undefined
  /** Its description and its keys, while they cannot be had: strangers must not make this server ask without end. */
  readonly #rate = createRequestRate({
    burst: providerBurst,
    perSecond: providerPerSecond,
    addresses: 2,
    now: () => performance.now(),
  })
  /** Since the last description, something that it names did not answer as it should. */
  #isDoubtful = false

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
        expectedNonce: nonce,
        requireIdToken: true,
      })
      const claims = await this.#check(tokens.id_token ?? '', [this.#options.clientId])
      return this.#identityOf(claims.email === undefined ? await this.#withUserInfo(server, claims, tokens) : claims)
    } catch (error) {
      const failure = arrivalFailure(error)
      if (failure instanceof HostingError) this.#isDoubtful = true
      throw failure
    }
  }

  /** Some services tell the address there alone. Without an answer there is none; it is only shown. */
  async #withUserInfo(
    server: oauth.AuthorizationServer,
    claims: Claims,
    { access_token: token }: oauth.TokenEndpointResponse,
  ): Promise<Claims> {
    if (server.userinfo_endpoint === undefined) return claims
    try {
      const response = await oauth.userInfoRequest(server, this.#client, token, this.#requestOptions())
      const { email, email_verified } = await oauth.processUserInfoResponse(server, this.#client, claims.sub, response)
      return { ...claims, email, email_verified }
    } catch {
      return claims
    }
  }

  /** A command line's token. @returns undefined: forged, over, of another issuer, or for someone else @throws {HostingError} `provider-gone` */
  async verify(token: string): Promise<Identity | undefined> {
    try {
      return this.#identityOf(await this.#check(token, this.#options.audiences))
    } catch (error) {
      if (error instanceof SignInRefused) return undefined
      throw error
    }
  }

  /**
   * The one check of tokens, at sign-in and check-in: signed by a key that the issuer shows now, for one of these clients, in time, about someone.
   * @throws {SignInRefused} @throws {HostingError} `provider-gone`
   */
  async #check(token: string, audiences: readonly string[]): Promise<Claims> {
    if (token.length > tokenBytes) throw new SignInRefused('invalid', new Error('the token is too large'))
    const { keys } = await this.#discover()
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer: this.#issuer,
        audience: [...audiences],
        algorithms: ALGORITHMS,
        clockTolerance: clockToleranceSeconds,
        requiredClaims: ['sub', 'exp', 'iat'],
      })
      return requireClaims(payload, audiences)
    } catch (error) {
      if (error instanceof SignInRefused) throw error
      if (error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError) || isFetchFailure(error)) {
        this.#isDoubtful = true
        throw providerGone(error)
      }
      throw new SignInRefused('invalid', error)
    }
  }

  get #issuer(): string {
    return this.#discovered?.server.issuer ?? this.#options.issuer.href
  }

  #identityOf({ sub, email, email_verified }: Claims): Identity {
    const isShown = email_verified === true && typeof email === 'string' && EMAIL.test(email)
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
    const isFresh = known !== undefined && performance.now() - known.at < (this.#isDoubtful ? keysPauseMs : discoveryMs)
    if (isFresh) return known
    this.#discovering ??= this.#ask().finally(() => {
      this.#discovering = undefined
    })
    try {
      this.#discovered = await this.#discovering
      this.#isDoubtful = false
      return this.#discovered
    } catch (error) {
      if (known !== undefined) return known
      throw error
    }
  }

  async #ask(): Promise<Discovered> {
    try {
      this.#takeTurn('description')
      const { issuer } = this.#options
      const response = await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...this.#requestOptions() })
      const server = await oauth.processDiscoveryResponse(issuer, response)
      if (server.jwks_uri === undefined) throw new Error('it names no keys')
      for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const)
        requireSafe(name, server[name], issuer)
      const keysUrl = server.jwks_uri
      const known = this.#discovered
      const keys = known?.keysUrl === keysUrl ? known.keys : this.#keysAt(new URL(keysUrl))
      return { server, keysUrl, keys, at: performance.now() }
    } catch (error) {
      throw providerGone(error)
    }
  }

  #keysAt(url: URL): Keys {
    return createRemoteJWKSet(url, {
      timeoutDuration: providerMs,
      cacheMaxAge: keysMs,
      cooldownDuration: keysPauseMs,
      [customFetch]: (address, init) => {
        this.#takeTurn('keys')
        return fetch(address, init)
      },
    })
  }

  #takeTurn(what: 'description' | 'keys'): void {
    if (this.#rate(what) !== undefined) throw new Error(`its ${what} cannot be had, and is asked for again in a moment`)
  }
}

type Claims = JWTPayload & { readonly sub: string }

/** What neither library looks at. @throws {SignInRefused} */
function requireClaims(claims: JWTPayload, audiences: readonly string[]): Claims {
  const { sub, iat = Number.POSITIVE_INFINITY, azp, aud } = claims
  const refuse = (why: string): never => {
    throw new SignInRefused('invalid', new Error(`the token ${why}`))
  }
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT) return refuse('does not name its user')
  // Neither can be kept: a NUL, half of a surrogate pair.
  if (sub.includes('\0') || Buffer.from(sub).toString() !== sub) return refuse('does not name its user')
  if (iat > Date.now() / 1_000 + clockToleranceSeconds) return refuse('was issued in the future')
  // Whom it was issued to (OpenID Connect Core, 3.1.3.7).
  if (azp === undefined ? Array.isArray(aud) && aud.length > 1 : !audiences.some((each) => each === azp))
    return refuse('was issued to another client')
  return { ...claims, sub }
}

/** A browser, a secret or a code goes there. */
function requireSafe(name: string, address: string | undefined, issuer: URL): asserts address is string {
  const url = address !== undefined && URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(issuer))))
    throw new Error(`its ${name} is not an https address`)
}

/** jose tells an answer other than 200 only by its base class. */
function isFetchFailure(error: errors.JOSEError): boolean {
  return error.code === 'ERR_JOSE_GENERIC'
}

/** Codes of RFC 6749: of the service, not of the person or the code that was brought. */
const CLIENT_CODES = ['invalid_client', 'unauthorized_client', 'unsupported_grant_type']
const BUSY_CODES = ['server_error', 'temporarily_unavailable']

function arrivalFailure(error: unknown): Error {
  if (error instanceof HostingError || error instanceof SignInRefused) return error
  if (error instanceof oauth.AuthorizationResponseError)
    return BUSY_CODES.includes(error.error)
      ? providerGone(error)
      : new SignInRefused('denied', new Error(`the service reports ${error.error}`))
  if (error instanceof oauth.WWWAuthenticateChallengeError) return clientRefused(error)
  if (error instanceof oauth.ResponseBodyError) {
    if (CLIENT_CODES.includes(error.error)) return clientRefused(error)
    const isBusy = error.status >= 500 || error.status === 429 || BUSY_CODES.includes(error.error)
    return isBusy ? providerGone(error) : new SignInRefused('invalid', error)
  }
  if (error instanceof oauth.OperationProcessingError && error.code === oauth.RESPONSE_IS_NOT_CONFORM)
    return providerGone(error.cause instanceof Response ? new Error(`status ${error.cause.status}`) : error)
  const isAnswer = error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError
  return isAnswer ? new SignInRefused('invalid', error) : providerGone(error)
}

function clientRefused(cause: unknown): HostingError {
  return new HostingError('client-refused', 'the sign-in service does not accept this console as its client', {
    hint: 'check --client-id and the file that HOOKLINE_WEB_CLIENT_SECRET_FILE names',
    cause,
  })
}

function providerGone(cause: unknown): HostingError {
  return new HostingError('provider-gone', 'the sign-in service does not answer as it should', {
    hint: 'check that it runs and that --issuer is right',
    cause,
  })
}
