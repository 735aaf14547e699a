// What every stand-in of a venue has: calls taken on the loopback and remembered, faults, a clock that can be off, and a wire that can be cut.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Fault, Faults } from './faults.ts'

export interface ServedOptions {
  /** Default: any free one. */
  readonly port?: number
  /** Where it takes calls, too. */
  readonly morePorts?: readonly number[]
  /** Default 127.0.0.1. */
  readonly host?: string
  /** With them it speaks https and wss. */
  readonly tls?: { readonly key: string; readonly cert: string }
}

/** One request as it came: no signature, no key. */
export interface Heard {
  readonly route: string
  readonly params: Readonly<Record<string, string>>
  /** `performance.now()` when its last byte was here. */
  readonly at: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** One request, whole. */
export interface Arrived {
  /** Method and path: `GET /fapi/v1/time`. */
  readonly route: string
  readonly request: IncomingMessage
  /** With its question mark; empty where there is none. */
  readonly search: string
  readonly body: string
}

export interface Said {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

export abstract class ServedVenue<Kind extends string> {
  abstract readonly faults: Faults<Kind>
  readonly heard: Heard[] = []
  /** What was asked that the stand-in does not know: each is a test's failure. */
  readonly unexpected: string[] = []
  /** How far the venue's clock is ahead of the machine's. */
  clockOffsetMs = 0
  /** Called with each request as soon as it is here. */
  onHeard: (heard: Heard) => void = () => {}
  readonly #options: ServedOptions
  readonly #sockets = new Set<Socket>()
  readonly #ports: number[]
  #servers: Server[] = []

  protected constructor(options: ServedOptions) {
    this.#options = options
    this.#ports = [options.port ?? 0, ...(options.morePorts ?? [])]
  }

  /** What a test may read of a request. */
  protected abstract hear(arrived: Arrived): Pick<Heard, 'params' | 'headers'>
  protected abstract answer(arrived: Arrived): Said
  /** Half of it is the answer that is cut off. */
  protected abstract readonly typicalAnswer: string
  protected abstract upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void

  get port(): number {
    return this.#ports[0] ?? 0
  }

  now = (): number => Date.now() + this.clockOffsetMs

  fail(fault: Fault<Kind>): void {
    this.faults.add(fault)
  }

  /** What was asked of one route, in order. */
  asked(route: string): readonly Heard[] {
    return this.heard.filter((each) => each.route === route)
  }

  /** Takes calls (again), on the ports of before. */
  async listen(): Promise<void> {
    for (const [index, port] of this.#ports.entries()) {
      const server = await this.#listenOn(port)
      this.#servers.push(server)
      this.#ports[index] = (server.address() as AddressInfo).port
    }
  }

  /** The wire is cut: nobody gets in, and who was in is out. `listen` mends it. */
  async cut(): Promise<void> {
    const closed = this.#servers.map((server) => once(server, 'close'))
    for (const server of this.#servers) server.close()
    this.#servers = []
    for (const socket of this.#sockets) socket.destroy()
    await Promise.all(closed)
  }

  async #listenOn(port: number): Promise<Server> {
    const { tls, host = '127.0.0.1' } = this.#options
    const server = tls === undefined ? createServer() : createTlsServer({ ...tls })
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error))
    })
    server.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head))
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => this.#sockets.delete(socket))
    })
    server.on('tlsClientError', () => {})
    // As the gates of venues do: Node alone closes a connection after five seconds.
    server.keepAliveTimeout = 65_000
    server.listen(port, host)
    await once(server, 'listening')
    return server
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const { pathname, search } = new URL(request.url ?? '/', 'https://venue')
    const arrived = { route: `${request.method} ${pathname}`, request, search, body }
    const heard = { route: arrived.route, at: performance.now(), ...this.hear(arrived) }
    this.heard.push(heard)
    this.onHeard(heard)
    const fault = this.faults.take(arrived.route)
    if (fault !== undefined && fault.isDone !== true) return this.faults.answer(fault, response, this.typicalAnswer)
    const said = this.answer(arrived)
    if (fault !== undefined) return this.faults.answer(fault, response, said.body)
    response.writeHead(said.status, { 'Content-Type': 'application/json', ...said.headers })
    response.end(said.body)
  }
}
