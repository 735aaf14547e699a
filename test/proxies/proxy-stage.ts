// A real proxy with all its locks, a hookline behind it, and a sender that says exactly the bytes it is told to.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect as connectPlain, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { type ConnectionOptions, connect } from 'node:tls'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { type Identity, makeAuthority, type OwnAuthority } from '../../harness/network/own-authority.ts'
import { type RunningApp, startApp } from '../../harness/process/running-app.ts'
import { type ProxyProgram, RunningProxy } from '../../harness/process/running-proxy.ts'
import { defined } from '../../src/base/defined.ts'
import { proxyFile } from '../../src/proxies/proxy-file.ts'
import type { ProxyKind, ProxySpec } from '../../src/proxies/proxy-spec.ts'

export const DOMAIN = 'alerts.example'
export const TUNNEL_PORT = 53280
/** In a network of its own too, but not on every machine. */
export const HAS_IPV6 = Object.values(networkInterfaces()).some((each) =>
  each?.some(({ address }) => address === '::1'),
)

const hook = (digit: string, name: string, command: string) => ({
  id: digit.repeat(32),
  name,
  secret: `${digit}f`.repeat(16),
  command,
  createdAt: 1,
  path: `${name}-path-with-22-letters`,
})
/** What the proxy leads to. */
export const DIP = hook('1', 'dip', 'buy {size:usd<=500} BTCUSDT')
export const FLAT = hook('2', 'flat', 'echo {size:usd<=500}')
/** What it does not lead to, with a token that got out. */
export const INNER = hook('3', 'inner', 'buy $100 BTCUSDT')

export interface SendOptions {
  readonly from?: string
  readonly servername?: string
  readonly identity?: 'client' | 'foreign' | 'none'
  readonly tls?: ConnectionOptions
}

export class ProxyStage {
  readonly kind: ProxyKind
  readonly #program: ProxyProgram
  readonly #directory: string
  readonly #authority: OwnAuthority
  readonly #running: RunningProxy[] = []

  constructor(kind: ProxyKind, program: ProxyProgram, directory: string) {
    this.kind = kind
    this.#program = program
    this.#directory = directory
    this.#authority = makeAuthority(directory, DOMAIN)
  }

  /** One for the internet with every lock, one behind a tunnel with a low rate. */
  async start(): Promise<void> {
    const { server, ca } = this.#authority
    const isHaproxy = this.kind === 'haproxy'
    const certificate = isHaproxy ? { cert: server.both } : { cert: server.cert, key: server.key }
    const limited = (count: number): Pick<ProxySpec, 'rate'> =>
      this.kind === 'caddy' ? {} : { rate: { count, per: 'm' } }
    await this.#launch('internet', 443, {
      senders: ['127.0.0.1', '127.0.1.0/24', ...(HAS_IPV6 ? ['::1'] : [])],
      ...limited(1_000),
      entry: { at: 'proxy', certificate, clientCa: ca },
    })
    await this.#launch('tunnel', TUNNEL_PORT, {
      senders: 'any',
      ...limited(3),
      entry: { at: 'tunnel', port: TUNNEL_PORT },
    })
  }

  async #launch(name: string, port: number, spec: Omit<ProxySpec, 'domain' | 'routes'>): Promise<void> {
    const route = ({ id, path, secret, name }: typeof DIP) => ({ hookId: id, name, path, token: secret })
    const text = proxyFile(this.kind, { ...spec, domain: DOMAIN, routes: [route(DIP), route(FLAT)] })
    const directory = join(this.#directory, name)
    mkdirSync(directory)
    this.#running.push(await RunningProxy.start(this.kind, this.#program, { text, directory, port }))
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.map((each) => each.stop()))
  }

  /** Everything that both have left behind, by file. */
  traces(): readonly (readonly [file: string, text: string])[] {
    return this.#running.flatMap((each) => Object.entries(each.traces()))
  }

  /** @param pieces what is sent; a pause is left to the other side @returns all that came back, until the proxy hung up */
  send(bytes: string, { from, servername = DOMAIN, identity = 'client', tls }: SendOptions = {}): Promise<string> {
    const shown = identity === 'none' ? {} : readIdentity(this.#authority[identity])
    const socket = connect({
      host: '127.0.0.1',
      port: 443,
      servername,
      ca: readFileSync(this.#authority.ca),
      ...shown,
      checkServerIdentity: () => undefined,
      ...defined({ localAddress: from }),
      ...tls,
    })
    socket.once('secureConnect', () => socket.write(Buffer.from(bytes, 'latin1')))
    return heard(socket)
  }

  /** The head of an alert at once, and of its body one byte in so many ms, until it is all sent or the proxy has hung up. */
  sendSlowly(body: string, everyMs: number, count = body.length): Promise<string> {
    const [head = ''] = alertOf({ body }).split(body)
    const socket = connect({
      host: '127.0.0.1',
      port: 443,
      servername: DOMAIN,
      ca: readFileSync(this.#authority.ca),
      ...readIdentity(this.#authority.client),
    })
    socket.once('secureConnect', () => socket.write(head))
    let sent = 0
    const timer = setInterval(() => {
      if (sent === count) return clearInterval(timer)
      socket.write(body[sent++] ?? '')
    }, everyMs)
    socket.once('close', () => clearInterval(timer))
    return heard(socket)
  }

  sendThroughTunnel(bytes: string): Promise<string> {
    const socket = connectPlain({ host: '127.0.0.1', port: TUNNEL_PORT })
    socket.once('connect', () => socket.write(Buffer.from(bytes, 'latin1')))
    return heard(socket)
  }
}

function readIdentity({ cert, key }: Identity): Pick<ConnectionOptions, 'cert' | 'key'> {
  return { cert: readFileSync(cert), key: readFileSync(key) }
}

function heard(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk
    })
    // Turned away in the handshake, or cut off: what has come is the answer.
    socket.on('error', () => {})
    socket.on('close', () => resolve(text))
  })
}

/** The statuses of the answers in what came back. */
export function statusesIn(text: string): string {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status).join(' ')
}

export interface Alert {
  readonly method?: string
  readonly target?: string
  readonly host?: string
  /** Further lines of the head. */
  readonly head?: string
  readonly body?: string
  /** In place of the length of the body. */
  readonly length?: string
  readonly isLast?: boolean
}

/** As a charting platform sends it, but for what is said. */
export function alertOf({ body = '{"size":"100"}', ...rest }: Alert = {}): string {
  const { method = 'POST', target = `/${DIP.path}`, host = DOMAIN, head = '', isLast = true } = rest
  const { length = `Content-Length: ${Buffer.byteLength(body)}` } = rest
  const lines = [`${method} ${target} HTTP/1.1`, `Host: ${host}`, 'Content-Type: application/json', length]
  const end = isLast ? 'Connection: close\r\n' : ''
  return `${lines.filter(Boolean).join('\r\n')}\r\n${end}${head}\r\n${body}`
}

/** hookline with the three hooks. */
export function startBehind(config?: unknown): Promise<RunningApp> {
  const directory = tempDirectory()
  const hooks = [DIP, FLAT, INNER].map(({ path, ...row }) => row)
  writeFileSync(join(directory, 'hooks.json'), JSON.stringify({ hooks }), { mode: 0o600 })
  return startApp({ directory, ...defined({ config }) })
}

/** What was accepted, once all of it has ended, sorted: the hook's name and the size it was given. */
export async function accepted({ app, runsDone }: RunningApp): Promise<string[]> {
  const runs = await app.ports.runArchive.find({ limit: 50 })
  const fires = runs.filter(({ error }) => error?.startsWith('bad alert') !== true)
  await runsDone(fires.length)
  return fires.map(({ origin, values }) => `${origin} ${values?.size ?? ''}`).toSorted()
}
