// A hosted console of the test's own: a real PostgreSQL on a socket, a real sign-in service, and any number of servers behind one address.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener, request } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { openDatabase } from '../../src/web-hosting/database.ts'
import { type HostedServer, startHostedServer } from '../../src/web-hosting/hosted-server.ts'
import { readHostingOptions } from '../../src/web-hosting/hosting-options.ts'
import type { AssetSource } from '../../src/web-server/assets.ts'
import { createCluster, findPostgres } from '../process/debian-postgres.mjs'
import { type RealProvider, startRealProvider } from './real-provider.ts'
import { ScriptedBrowser } from './scripted-browser.ts'

const found = await findPostgres()

/** Why there is no PostgreSQL here; tests that need one are skipped with it. */
export const noPostgres = 'missing' in found ? found.missing : undefined

let cluster: Awaited<ReturnType<typeof createCluster>> | undefined

/** PostgreSQL for all tests of a file, gone when they are. To be called beside them. */
export function startPostgresOfFile(): void {
  if ('missing' in found) return
  beforeAll(async () => {
    cluster = await createCluster(found)
  })
  afterAll(() => cluster?.remove())
}

export interface Hosted {
  /** The address that browsers see. */
  readonly url: string
  readonly provider: RealProvider
  readonly servers: readonly HostedServer[]
  readonly databaseUrl: string
  readonly failures: Error[]
  readonly refused: string[]
  /** A browser of this person, signed in. */
  signedIn(name: string): Promise<Visitor>
  /** A command line's check-in, as `login` would authorise it. */
  checkIn(name: string, change?: Readonly<Record<string, unknown>>): Promise<number>
  stopDatabase(): Promise<void>
  startDatabase(): Promise<void>
}

/** A browser on the console. */
export interface Visitor {
  readonly browser: ScriptedBrowser
  /** As a page of the console asks. */
  ask(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{
    readonly status: number // biome-ignore lint/suspicious/noExplicitAny: whatever the server says, for the test to compare
    readonly body: any
  }>
}

export interface HostOptions {
  /** Servers, which take requests in turn. Default 1. */
  readonly count?: number
  /** To PostgreSQL, of each server. Default 10. */
  readonly databaseConnections?: number
  /** Default: no files. */
  readonly assets?: AssetSource
  /** With TLS, at `https://localhost`; default: without, at 127.0.0.1. */
  readonly tls?: { readonly cert: string; readonly key: string }
}

const NO_FILES: AssetSource = { find: async () => undefined }

export async function host({
  count = 1,
  assets = NO_FILES,
  tls,
  databaseConnections = 10,
}: HostOptions = {}): Promise<Hosted> {
  const postgres = cluster
  if (postgres === undefined) throw new Error(noPostgres ?? 'the file has not called startPostgresOfFile')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const admin = openDatabase(postgres.url('postgres'), { onIdleFailure: () => {} })
  await admin.query(`CREATE DATABASE ${name}`)
  await admin.close()
  const databaseUrl = postgres.url(name)
  const failures: Error[] = []
  const refused: string[] = []
  const ports: number[] = []
  const url = await balance(ports, tls)
  const provider = await startRealProvider([{ id: 'hookline-web', redirectUri: `${url}/auth/callback` }])
  const options = readHostingOptions({
    issuer: provider.issuer,
    publicUrl: url,
    databaseUrl,
    listen: '127.0.0.1:0',
    clientId: undefined,
    cliClientId: undefined,
    clientSecret: undefined,
    databaseConnections: String(databaseConnections),
  })
  const start = () =>
    startHostedServer({
      ...options,
      version: '1.2.3',
      assets,
      onRefused: (reason) => void refused.push(reason),
      onFailure: (error) => void failures.push(error),
    })
  const servers = await Promise.all(Array.from({ length: count }, start))
  ports.push(...servers.map(({ port }) => port))
  onTestFinished(async () => {
    await Promise.all(servers.map((server) => server.close()))
  })
  return {
    url,
    provider,
    servers,
    databaseUrl,
    failures,
    refused,
    async signedIn(person) {
      const browser = new ScriptedBrowser()
      await browser.visit(`${url}/auth/sign-in`, { person, until: url })
      return { browser, ask: (method, path, body) => askAs(browser, url, { method, path, body }) }
    },
    async checkIn(person, change = {}) {
      const token = await provider.token(claimsOf(person))
      const body = JSON.stringify({ platform: 'linux', listenerId: randomUUID(), version: '1.0.0', ...change })
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      return (await fetch(`${url}/api/cli/checkin`, { method: 'POST', headers, body })).status
    },
    stopDatabase: () => postgres.stop(),
    startDatabase: () => postgres.start(),
  }
}

/** Of a token that a command line brings. */
export function claimsOf(sub: string): {
  sub: string
  aud: string
  iat: number
  exp: number
  email: string
  email_verified: boolean
} {
  const iat = Math.floor(Date.now() / 1_000)
  return { sub, aud: 'hookline', iat, exp: iat + 300, email: `${sub}@example.com`, email_verified: true }
}

async function askAs(
  browser: ScriptedBrowser,
  url: string,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body: unknown },
) {
  const headers = {
    'sec-fetch-site': 'same-origin',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
  const response = await browser.ask(`${url}${path}`, init)
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

/** One address; each request goes to the next server. */
async function balance(ports: readonly number[], tls: HostOptions['tls']): Promise<string> {
  let turn = 0
  const pass: RequestListener = (incoming, outgoing) => {
    const port = ports[turn++ % ports.length]
    const { method, url: path, headers } = incoming
    const onward = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  }
  const front = tls === undefined ? createServer(pass) : createSecureServer(tls, pass)
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  onTestFinished(() => {
    front.close()
    front.closeAllConnections()
  })
  const { port } = front.address() as AddressInfo
  return tls === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`
}
