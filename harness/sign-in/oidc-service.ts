// A real OpenID Connect service on the loopback, and a browser's part of signing in to it.

import type { webcrypto } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'
import { onTestFinished } from 'vitest'

export interface OidcService {
  readonly issuer: string
  /** A token as the service signs them, with these claims; by a key of its own, or a stranger's of the same name. */
  token(claims: JWTPayload, by?: 'service' | 'stranger'): Promise<string>
  /** From now on another key signs, and the old one is not shown any more. */
  changeKeys(): Promise<void>
  /** Answers nobody until the returned function is called. */
  interrupt(): Promise<() => Promise<void>>
}

interface Key {
  readonly kid: string
  readonly privateKey: webcrypto.CryptoKey
  readonly jwk: Record<string, unknown>
}

export interface OidcClient {
  readonly id: string
  readonly redirectUris: readonly string[]
}

/** @param clients as which programs are registered */
export async function startOidcService(clients: readonly OidcClient[]): Promise<OidcService> {
  const server = createServer((request, response) => {
    if (handler === undefined) return void response.destroy()
    handler(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  let [key, stranger] = await Promise.all([newKey(), newKey()])
  const serve = () => new Provider(issuer, configuration(clients, key)).callback()
  let handler: ReturnType<typeof serve> | undefined = serve()
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    issuer,
    token(claims, by = 'service') {
      const { privateKey } = by === 'service' ? key : stranger
      return new SignJWT({ iss: issuer, ...claims }).setProtectedHeader({ alg: 'ES256', kid: key.kid }).sign(privateKey)
    },
    async changeKeys() {
      stranger = key
      key = await newKey()
      handler = serve()
    },
    async interrupt() {
      const before = handler
      handler = undefined
      server.closeAllConnections()
      return async () => {
        handler = before
      }
    },
  }
}

let keys = 0

async function newKey(): Promise<Key> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const kid = `key-${++keys}`
  return { kid, privateKey, jwk: { ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' } }
}

function configuration(clients: readonly OidcClient[], { jwk }: Key): Configuration {
  return {
    jwks: { keys: [jwk] },
    clients: clients.map(({ id, redirectUris }) => ({
      client_id: id,
      redirect_uris: [...redirectUris],
      token_endpoint_auth_method: 'none',
      response_types: ['code'],
      grant_types: ['authorization_code'],
      id_token_signed_response_alg: 'ES256',
    })),
    cookies: { keys: ['of the tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    pkce: { required: () => true },
    // Of `nobody`, the service has not verified the address.
    findAccount: (_context, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, email: `${id}@example.test`, email_verified: id !== 'nobody' }),
    }),
  }
}

/** A browser that keeps cookies, shows no page, and says yes to everything. */
export class ScriptedBrowser {
  readonly #jar = new Map<string, Map<string, string>>()
  readonly #agent: string

  constructor(agent = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/153.0') {
    this.#agent = agent
  }

  /** One request, as a page of `own` would make it, or a visit. Redirects are not followed. */
  async ask(url: string, init: RequestInit = {}): Promise<Response> {
    const { host } = new URL(url)
    const jar = this.#jar.get(host) ?? new Map<string, string>()
    this.#jar.set(host, jar)
    const headers = new Headers(init.headers)
    headers.set('user-agent', this.#agent)
    if (jar.size > 0) headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
      if (value === '' || /expires=Thu, 01 Jan 1970|max-age=0/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }

  /** Follows from `url` through the service's forms as `name`. @returns the first answer of `own` that comes after it left */
  async signIn(url: string, name: string, own: string): Promise<{ readonly url: string; readonly response: Response }> {
    let at = url
    let response = await this.ask(at)
    for (let steps = 0; steps < 20; steps++) {
      const location = response.headers.get('location')
      if (location !== null) {
        at = new URL(location, at).href
        response = await this.ask(at)
        if (at.startsWith(own)) return { url: at, response }
        continue
      }
      const form = readForm(await response.text())
      at = new URL(form.action, at).href
      const body = new URLSearchParams({ ...form.fields, login: name, password: 'any' })
      response = await this.ask(at, { method: 'POST', body })
    }
    throw new Error(`the sign-in does not end; it is at ${at}`)
  }

  cookies(host: string): ReadonlyMap<string, string> {
    return this.#jar.get(host) ?? new Map()
  }
}

/** Of the service's own pages. */
function readForm(html: string): { readonly action: string; readonly fields: Readonly<Record<string, string>> } {
  const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1]
  if (action === undefined) throw new Error(`no form on this page: ${html.slice(0, 500)}`)
  const hidden = [...html.matchAll(/<input[^>]*type="hidden"[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g)]
  return { action, fields: Object.fromEntries(hidden.map(([, name, value]) => [name, value])) }
}
