// A real OpenID provider (`oidc-provider`) on a free port of this machine, with the client `hookline`, any web apps, and whoever signs in.
import type { webcrypto } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import type { ClientMetadata, Configuration, KoaContextWithOIDC } from 'oidc-provider'
import { onTestFinished } from 'vitest'
import { ScriptedBrowser } from './scripted-browser.ts'

export interface RealProvider {
  readonly issuer: string
  /** `POST /token device_code`, in the order in which they came. */
  readonly requests: string[]
  /** A token as the provider signs them, with these claims; by a key of its own, or a stranger's of the same name. */
  token(claims: JWTPayload, by?: 'provider' | 'stranger'): Promise<string>
  /** From now on another key signs, and the old one is not shown any more. */
  changeKeys(): Promise<void>
  /** Answers this path so, until the returned function is called. */
  answer(path: string, status: number, body: unknown): { readonly asked: () => number; readonly back: () => void }
  /** Answers nobody until the returned function is called. */
  interrupt(): () => void
  /** Types the code, signs in and agrees, as a person in a browser does. @returns the last page */
  approve(addressWithCode: string, person?: string): Promise<string>
  /** Types the code and says no. */
  deny(addressWithCode: string): Promise<string>
}

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code'

/** Whose email is not verified. */
export const UNVERIFIED = 'unverified'

/** A web app that signs people in. */
export interface WebClient {
  readonly id: string
  readonly redirectUri: string
}

export async function startRealProvider(webClients: readonly WebClient[] = []): Promise<RealProvider> {
  const requests: string[] = []
  const instead = new Map<string, (response: ServerResponse) => void>()
  const server = createServer((request, response) => {
    if (handler === undefined) return void response.destroy()
    const said = instead.get(request.url?.split('?', 1)[0] ?? '')
    if (said !== undefined) return said(response)
    handler(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let [key, stranger] = await Promise.all([newKey(), newKey()])
  const serve = () => callbackOf(issuer, configuration(webClients, key), requests)
  let handler: Awaited<ReturnType<typeof serve>> | undefined = await serve()
  const browse = async (address: string, person: string, says: 'yes' | 'no') =>
    (await new ScriptedBrowser().visit(address, { person, says })).page
  return {
    issuer,
    requests,
    token(claims, by = 'provider') {
      const { privateKey } = by === 'provider' ? key : stranger
      return new SignJWT({ iss: issuer, ...claims }).setProtectedHeader({ alg: 'ES256', kid: key.kid }).sign(privateKey)
    },
    async changeKeys() {
      stranger = key
      key = await newKey()
      handler = await serve()
    },
    answer(path, status, body) {
      let asked = 0
      instead.set(path, (response) => {
        asked++
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      })
      return { asked: () => asked, back: () => void instead.delete(path) }
    },
    interrupt() {
      const before = handler
      handler = undefined
      server.closeAllConnections()
      return () => {
        handler = before
      }
    },
    approve: (address, person = 'ana') => browse(address, person, 'yes'),
    deny: (address) => browse(address, 'ana', 'no'),
  }
}

interface Key {
  readonly kid: string
  readonly privateKey: webcrypto.CryptoKey
  readonly jwk: Record<string, unknown>
}

let keys = 0

async function newKey(): Promise<Key> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const kid = `key-${++keys}`
  return { kid, privateKey, jwk: { ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' } }
}

async function callbackOf(issuer: string, settings: Configuration, requests: string[]) {
  const provider = await quietly(async () => {
    const { default: Provider } = await import('oidc-provider')
    return new Provider(issuer, settings)
  })
  provider.use(async (ctx, next) => {
    await next()
    const params = (ctx as KoaContextWithOIDC).oidc?.params
    const grant = params?.grant_type === DEVICE ? ' device_code' : params?.grant_type ? ` ${params.grant_type}` : ''
    requests.push(`${ctx.method} ${ctx.path}${grant}`)
    // The shortest that there is.
    const body = ctx.body as { device_code?: string } | undefined
    if (ctx.path === '/device/auth' && body?.device_code !== undefined) ctx.body = { ...body, interval: 1 }
  })
  return provider.callback()
}

/** It warns of settings that are for tests. */
async function quietly<R>(make: () => Promise<R>): Promise<R> {
  const { warn, info } = console
  Object.assign(console, { warn: () => {}, info: () => {} })
  try {
    return await make()
  } finally {
    Object.assign(console, { warn, info })
  }
}

function clientsOf(webClients: readonly WebClient[]): ClientMetadata[] {
  const all = { token_endpoint_auth_method: 'none', id_token_signed_response_alg: 'ES256' } as const
  const web = { grant_types: ['authorization_code'], response_types: ['code' as const] }
  const native = { application_type: 'native', grant_types: [DEVICE, 'refresh_token'] } as const
  return [
    ...webClients.map(({ id, redirectUri }) => ({ client_id: id, ...all, ...web, redirect_uris: [redirectUri] })),
    {
      client_id: 'hookline',
      ...all,
      ...native,
      grant_types: [...native.grant_types],
      redirect_uris: [],
      response_types: [],
    },
  ]
}

function configuration(webClients: readonly WebClient[], { jwk }: Key): Configuration {
  return {
    jwks: { keys: [jwk] },
    clients: clientsOf(webClients),
    features: {
      // Its own pages say on the console that they are to be replaced.
      deviceFlow: {
        enabled: true,
        userCodeInputSource: (ctx, form, _out, error) => {
          ctx.body = error === undefined ? form : `the code was not taken: ${error.name}`
        },
        userCodeConfirmSource: (ctx, form) => {
          ctx.body = form
        },
        successSource: (ctx) => {
          ctx.body = 'the sign-in was successful'
        },
      },
      revocation: { enabled: true, allowedPolicy: () => true },
      claimsParameter: { enabled: true },
      devInteractions: { enabled: true },
    },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: id !== UNVERIFIED }),
    }),
    cookies: { keys: ['of the tests'] },
    ttl: {
      DeviceCode: 600,
      IdToken: 3_600,
      AccessToken: 3_600,
      AuthorizationCode: 60,
      RefreshToken: 86_400,
      Grant: 86_400,
      Interaction: 600,
      Session: 600,
    },
  }
}
