// An issuer in memory that says what a test wants: true tokens, forged ones, nonsense. It is asked by a `fetch` of its own, so that nothing leaves the process.
import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { defined } from '../../src/base/defined.ts'

export const ISSUER = 'https://id.example.com'
export const CLIENT = 'hookline'
/** ms since the epoch. */
export const NOW = 1_790_000_000_000

export interface SigningKey {
  readonly kid: string
  readonly privateKey: KeyObject
  /** As it is published. */
  readonly jwk: Readonly<Record<string, unknown>>
}

export function makeKey(kid: string): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' } }
}

export type Claims = Readonly<Record<string, unknown>>

/** True for the client, now. */
export function claimsAt(now: number, changes: Claims = {}): Claims {
  const s = Math.floor(now / 1_000)
  return {
    iss: ISSUER,
    aud: CLIENT,
    sub: 'person-1',
    email: 'ana@example.com',
    email_verified: true,
    iat: s,
    exp: s + 3_600,
    ...changes,
  }
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

export function signToken(key: SigningKey, claims: Claims, header: Claims = {}): string {
  const head = `${encode({ alg: 'ES256', kid: key.kid, ...header })}.${encode(claims)}`
  const signature = createSign('sha256').update(head).sign({ key: key.privateKey, dsaEncoding: 'ieee-p1363' })
  return `${head}.${signature.toString('base64url')}`
}

export interface AskedOfIssuer {
  readonly path: string
  readonly form: URLSearchParams
  readonly redirect: string | undefined
}

export interface ScriptedIssuer {
  readonly fetch: typeof fetch
  readonly asked: AskedOfIssuer[]
  /** By path: what is answered instead. */
  readonly answers: Map<string, (form: URLSearchParams) => Response | Promise<Response>>
  /** Changes of its description. */
  readonly metadata: Record<string, unknown>
  /** Those that it publishes now. */
  keys: readonly SigningKey[]
  /** What the next token is; gets the nonce that was sent. */
  token: (nonce: string) => string
}

export const json = (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })

/** @param now of its clock */
export function scriptIssuer(key: SigningKey, now: () => number = () => NOW): ScriptedIssuer {
  let nonce = ''
  const asked: AskedOfIssuer[] = []
  const answers: ScriptedIssuer['answers'] = new Map()
  const date = () => ({ date: new Date(now()).toUTCString() })
  const issuer: ScriptedIssuer = {
    asked,
    answers,
    metadata: {},
    keys: [key],
    token: (sent) => signToken(key, claimsAt(now(), { nonce: sent })),
    fetch: async (input, init = {}) => {
      const { pathname } = new URL(String(input))
      const form = new URLSearchParams(init.body instanceof URLSearchParams ? init.body : undefined)
      asked.push({ path: pathname, form, redirect: init.redirect })
      init.signal?.throwIfAborted()
      const answer = answers.get(pathname)
      if (answer !== undefined) return answer(form)
      return usual(pathname, form)
    },
  }
  function usual(path: string, form: URLSearchParams): Response {
    switch (path) {
      case '/.well-known/openid-configuration':
        return json({ ...describe(), ...issuer.metadata }, 200, date())
      case '/device':
        nonce = form.get('nonce') ?? ''
        return json({
          device_code: 'device-1',
          user_code: 'WDJB-MJHT',
          verification_uri: `${ISSUER}/activate`,
          verification_uri_complete: `${ISSUER}/activate?code=WDJB-MJHT`,
          expires_in: 600,
          interval: 5,
        })
      case '/token':
        return json(tokenAnswer(issuer.token(nonce)), 200, date())
      case '/keys':
        return json({ keys: issuer.keys.map(({ jwk }) => jwk) })
      case '/revoke':
        return new Response(null, { status: 200 })
      default:
        return json({ error: 'not_found' }, 404)
    }
  }
  return issuer
}

export function tokenAnswer(idToken: string | undefined, changes: Claims = {}): Claims {
  return {
    access_token: 'access-1',
    token_type: 'Bearer',
    expires_in: 3_600,
    refresh_token: 'refresh-1',
    ...defined({ id_token: idToken }),
    ...changes,
  }
}

function describe(): Claims {
  return {
    issuer: ISSUER,
    device_authorization_endpoint: `${ISSUER}/device`,
    token_endpoint: `${ISSUER}/token`,
    jwks_uri: `${ISSUER}/keys`,
    revocation_endpoint: `${ISSUER}/revoke`,
    id_token_signing_alg_values_supported: ['ES256'],
    scopes_supported: ['openid', 'email', 'offline_access'],
  }
}
