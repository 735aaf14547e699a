// A real OpenID provider (`oidc-provider`) on a free port of this machine, with the client `hookline` and whoever signs in, and a browser that does what
// a person would.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Configuration, KoaContextWithOIDC, default as Provider } from 'oidc-provider'
import { onTestFinished } from 'vitest'

export interface RealProvider {
  readonly issuer: string
  readonly provider: Provider
  /** `POST /token device_code`, in the order in which they came. */
  readonly requests: string[]
  /** Between requests: what the provider answers may be changed in it. */
  readonly hooks: { after?: (ctx: KoaContextWithOIDC) => void }
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

function configuration(webClients: readonly WebClient[]): Configuration {
  return {
    clients: [
      ...webClients.map(({ id, redirectUri }) => ({
        ...{ client_id: id, redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' as const },
        ...{ grant_types: ['authorization_code'], response_types: ['code' as const] },
      })),
      {
        ...{ client_id: 'hookline', token_endpoint_auth_method: 'none', application_type: 'native' },
        ...{ grant_types: [DEVICE, 'refresh_token'], redirect_uris: [], response_types: [] },
      },
    ],
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
      RefreshToken: 86_400,
      Grant: 86_400,
      Interaction: 600,
      Session: 600,
    },
  }
}

export async function startRealProvider(webClients: readonly WebClient[] = []): Promise<RealProvider> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const requests: string[] = []
  const hooks: RealProvider['hooks'] = {}
  const provider = await quietly(async () => {
    const { default: Provider } = await import('oidc-provider')
    return new Provider(issuer, configuration(webClients))
  })
  provider.use(async (ctx, next) => {
    await next()
    const params = (ctx as KoaContextWithOIDC).oidc?.params
    const grant = params?.grant_type === DEVICE ? ' device_code' : params?.grant_type ? ` ${params.grant_type}` : ''
    requests.push(`${ctx.method} ${ctx.path}${grant}`)
    // The shortest that there is.
    const body = ctx.body as { device_code?: string } | undefined
    if (ctx.path === '/device/auth' && body?.device_code !== undefined) ctx.body = { ...body, interval: 1 }
    hooks.after?.(ctx as KoaContextWithOIDC)
  })
  server.on('request', provider.callback())
  return {
    ...{ issuer, provider, requests, hooks },
    approve: (address, person = 'ana') => browse(address, { person, says: 'yes' }),
    deny: (address) => browse(address, { person: 'ana', says: 'no' }),
  }
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

interface Person {
  readonly person: string
  readonly says: 'yes' | 'no'
}

const MAX_PAGES = 20

/** Follows redirects, keeps cookies and submits the form of each page. */
async function browse(address: string, { person, says }: Person): Promise<string> {
  const cookies = new Map<string, string>()
  let request: { url: string; form?: URLSearchParams } = { url: address }
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(request.url, {
      ...{ redirect: 'manual', headers: { cookie } },
      ...(request.form && { method: 'POST', body: request.form }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const page = await answer.text()
    const location = answer.headers.get('location')
    const next = location === null ? formOf(page) : { action: location, fields: new URLSearchParams() }
    if (next === undefined) return page
    const url = new URL(next.action, request.url).href
    request = location === null ? { url, form: filled(next.fields, person, says) } : { url }
  }
  throw new Error('the browser went round in circles')
}

function filled(fields: URLSearchParams, person: string, says: Person['says']): URLSearchParams {
  const form = new URLSearchParams(fields)
  if (form.has('login')) form.set('login', person)
  if (form.has('password')) form.set('password', 'any')
  if (form.get('confirm') === 'yes' && says === 'no') form.set('abort', 'yes')
  return form
}

/** @returns undefined: nothing is asked on this page */
function formOf(page: string): { readonly action: string; readonly fields: URLSearchParams } | undefined {
  const [, attributes = '', content = ''] = /<form([^>]*)>([\s\S]*?)<\/form>/.exec(page) ?? []
  const action = /action="([^"]*)"/.exec(attributes)?.[1]
  if (action === undefined) return undefined
  const fields = new URLSearchParams()
  for (const [input] of content.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1]
    if (name !== undefined) fields.set(name, /value="([^"]*)"/.exec(input)?.[1] ?? '')
  }
  return fields.size === 0 ? undefined : { action, fields }
}
