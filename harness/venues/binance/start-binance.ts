// A stand-in of Binance USDⓈ-M: REST and streams on one port, and what a test may do to it. It answers nothing but what the venue's public
// documentation describes and ccxt asks for; whatever else is asked is remembered as unexpected.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { Account, type AccountOptions } from './account.ts'
import { Engine } from './engine.ts'
import { type Fault, Faults } from './faults.ts'
import { Refusal } from './refusal.ts'
import { type Asked, ROUTES } from './routes.ts'
import { accountBehind, checkSignature } from './signing.ts'
import { Streams } from './streams.ts'
import type { Params } from './wishes.ts'

export interface BinanceOptions {
  readonly accounts: readonly AccountOptions[]
  /** Default: any free one. */
  readonly port?: number
  /** Default 127.0.0.1. */
  readonly host?: string
  /** With them it speaks https and wss. */
  readonly tls?: { readonly key: string; readonly cert: string }
  /** Default `open`, as Binance's documentation has it. */
  readonly uniqueIds?: 'open' | 'ever'
}

/** One request as it came: no signature, no key. */
export interface Heard {
  readonly route: string
  readonly params: Params
  /** `performance.now()` when its last byte was here. */
  readonly at: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export class Binance {
  readonly engine: Engine
  readonly streams: Streams
  readonly faults = new Faults()
  readonly heard: Heard[] = []
  /** Of the requests that were signed: for whoever looks for them where they must not be. */
  readonly signatures: string[] = []
  /** What was asked that the stand-in does not know: each is a test's failure. */
  readonly unexpected: string[] = []
  /** How far the venue's clock is ahead of the machine's. */
  clockOffsetMs = 0
  /** Called with each request as soon as it is here. */
  onHeard: (heard: Heard) => void = () => {}
  readonly #options: BinanceOptions
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  #port = 0

  private constructor(options: BinanceOptions) {
    this.#options = options
    const onPrice = (symbol: string) => this.streams.tellPrice(symbol)
    this.engine = new Engine({ now: this.now, uniqueIds: options.uniqueIds ?? 'open', onPrice })
    this.streams = new Streams(this.engine, this.now)
    for (const account of options.accounts) this.open(account)
  }

  static async start(options: BinanceOptions): Promise<Binance> {
    const venue = new Binance(options)
    await venue.listen()
    return venue
  }

  get port(): number {
    return this.#port
  }

  now = (): number => Date.now() + this.clockOffsetMs

  open(options: AccountOptions): Account {
    const account = new Account(options)
    account.tell = (event) => this.streams.tellAccount(account, event)
    this.engine.accounts.set(options.key, account)
    return account
  }

  /** The only account, or the one with this key. */
  account(key?: string): Account {
    const [first] = this.engine.accounts.values()
    const found = key === undefined ? first : this.engine.accounts.get(key)
    if (found === undefined) throw new Error('the stand-in has no such account')
    return found
  }

  fail(fault: Fault): void {
    this.faults.add(fault)
  }

  /** What was asked of one route, in order. */
  asked(route: string): readonly Heard[] {
    return this.heard.filter((each) => each.route === route)
  }

  /** Takes calls (again), on the port of before. */
  async listen(): Promise<void> {
    const { tls, host = '127.0.0.1', port = 0 } = this.#options
    const server = tls === undefined ? createServer() : createTlsServer({ ...tls })
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error))
    })
    server.on('upgrade', (request, socket, head) => this.streams.upgrade(request, socket, head))
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => this.#sockets.delete(socket))
    })
    server.on('tlsClientError', () => {})
    server.listen(this.#port || port, host)
    await once(server, 'listening')
    this.#server = server
    this.#port = (server.address() as AddressInfo).port
  }

  /** The wire is cut: nobody gets in, and who was in is out. `listen` mends it. */
  async cut(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  async close(): Promise<void> {
    this.streams.close()
    this.engine.close()
    this.faults.close()
    await this.cut()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const { pathname, search } = new URL(request.url ?? '/', 'https://venue')
    const route = `${request.method} ${pathname}`
    const raw = search.slice(1) + body
    const { signature, ...params } = Object.fromEntries(new URLSearchParams(raw))
    const heard = { route, params, at: performance.now(), headers: { ...request.headers, 'x-mbx-apikey': undefined } }
    if (signature !== undefined) this.signatures.push(signature)
    this.heard.push(heard)
    this.onHeard(heard)
    const fault = this.faults.take(route)
    if (fault !== undefined && fault.isDone !== true) return this.faults.answer(fault, response, '{"orderId":40000000,')
    const said = this.#answer(route, raw, { ...params, ...(signature === undefined ? {} : { signature }) }, request)
    if (fault !== undefined) return this.faults.answer(fault, response, said.body)
    response.writeHead(said.status, { 'Content-Type': 'application/json', 'X-MBX-USED-WEIGHT-1M': '1' })
    response.end(said.body)
  }

  #answer(route: string, raw: string, params: Params, request: IncomingMessage): { status: number; body: string } {
    try {
      return { status: 200, body: JSON.stringify(this.#run(route, raw, params, request)) }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { status: error.status, body: JSON.stringify({ code: error.code, msg: error.message }) }
    }
  }

  #run(name: string, raw: string, params: Params, request: IncomingMessage): unknown {
    const route = ROUTES.get(name)
    if (route === undefined) {
      this.unexpected.push(name)
      throw new Refusal(-1000, 'Not found.', 404)
    }
    const asked: Asked = { params, engine: this.engine, streams: this.streams, now: this.now() }
    if (route.security === 'none') return route.run(asked)
    const account = accountBehind(request.headers['x-mbx-apikey'] as string | undefined, this.engine.accounts)
    if (route.security === 'signed') checkSignature(account, raw, params, this.now())
    return route.run({ ...asked, account })
  }
}
