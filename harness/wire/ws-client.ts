// A client of `/ws` for tests: frames in a queue, the close as a promise. Whatever hookline sends must be a frame of the wire; a test
// fails where it is not. `handshake()` is the same door for those who knock with bytes of their own making.
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { defined } from '../../src/base/defined.ts'
import { decodeServerFrame } from '../../src/protocol/decode.ts'
import type { Frame, ServerFrame } from '../../src/protocol/frames.ts'
import type { AskedGrant } from '../../src/protocol/rows.ts'
import { PATIENCE_MS } from '../patience.ts'
import type { RunningApp } from '../process/running-app.ts'
import { RawClient } from './raw-http.ts'

export const WS_URL = 'ws://127.0.0.1:53219/ws'
/** Allowed by default: where the console is served. */
export const ORIGIN = 'http://127.0.0.1:53220'

export interface Closed {
  readonly code: number
  readonly reason: string
}

export class WsClient {
  readonly ws: WebSocket
  /** Every text received, in order. */
  readonly received: string[] = []
  readonly #waiting: ServerFrame[] = []
  readonly #waiters = new Set<() => void>()
  readonly #closed: Promise<Closed>
  #isClosed = false

  /** Connects; closed when the test is over. @throws when the upgrade is refused */
  static async open(origin = ORIGIN, headers: Readonly<Record<string, string>> = {}): Promise<WsClient> {
    const client = new WsClient(origin, headers)
    await once(client.ws, 'open')
    return client
  }

  /** Connects and says hello. */
  static async hello(
    hello: {
      clientId?: string
      label?: string
      webCrossTradeActive?: boolean
      features?: readonly string[]
      grant?: AskedGrant
      ticket?: string
    } = {},
    origin = ORIGIN,
  ): Promise<WsClient> {
    const client = await WsClient.open(origin)
    client.send({ t: 'hello', clientId: randomUUID(), ...hello })
    return client
  }

  /** Connects as a client that is trusted already, and takes its welcome. */
  static async welcomed(
    { app }: Pick<RunningApp, 'app'>,
    {
      clientId = randomUUID() as string,
      label = 'tab',
      origin = ORIGIN,
      webCrossTradeActive = false,
      features = undefined as readonly string[] | undefined,
    } = {},
  ): Promise<WsClient> {
    await app.ports.trustedClients.add({ clientId, label, origin })
    const client = await WsClient.hello({ clientId, label, webCrossTradeActive, ...defined({ features }) }, origin)
    await client.nextFrame('welcome')
    return client
  }

  private constructor(origin: string, headers: Readonly<Record<string, string>>) {
    this.ws = new WebSocket(WS_URL, { origin, headers, perMessageDeflate: false })
    this.ws.on('error', () => {})
    this.ws.on('message', (data) => this.#take(data.toString()))
    this.#closed = new Promise((resolve) => {
      this.ws.on('close', (code, reason) => {
        this.#isClosed = true
        resolve({ code, reason: reason.toString() })
        this.#wake()
      })
    })
    onTestFinished(() => this.ws.terminate())
  }

  /** An object goes as JSON, a text or bytes as they are. */
  send(frame: object | string | Buffer): this {
    this.ws.send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame))
    return this
  }

  /** Takes the next frame; with `t`, the next of that kind, leaving the others. @throws when none comes, or the session ends */
  async nextFrame<T extends ServerFrame['t'] = ServerFrame['t']>(t?: T): Promise<Frame<T>> {
    const deadline = performance.now() + PATIENCE_MS
    for (;;) {
      const index = this.#waiting.findIndex((frame) => t === undefined || frame.t === t)
      if (index !== -1) return this.#waiting.splice(index, 1)[0] as Frame<T>
      if (this.#isClosed)
        throw new Error(`the session ended before ${t ?? 'a frame'}: ${JSON.stringify(await this.#closed)}`)
      const remaining = deadline - performance.now()
      if (remaining <= 0)
        throw new Error(`no ${t ?? 'frame'} in ${PATIENCE_MS} ms; received: ${this.received.join(' ')}`)
      await this.#more(remaining)
    }
  }

  /** Frames received and not yet taken. */
  get untaken(): readonly ServerFrame[] {
    return this.#waiting
  }

  /** Resolves once hookline has read all that was sent before and its answers, as far as it gave them at once, are here. */
  async settled(): Promise<void> {
    // It writes frames at the end of a turn and pongs at once: the second ping is read in a later turn.
    for (let ping = 0; ping < 2; ping++) {
      const pong = once(this.ws, 'pong')
      this.ws.ping()
      await pong
    }
  }

  /** How the session ended. Frames that came before can still be taken. */
  closed(): Promise<Closed> {
    return this.#closed
  }

  /** Leaves as a closed tab does. @returns once the socket is gone here */
  async leave(): Promise<void> {
    this.ws.close()
    await this.#closed
  }

  #take(text: string): void {
    this.received.push(text)
    const decoded = decodeServerFrame(text)
    if (!decoded.ok) throw new Error(`hookline sent what is no frame: ${decoded.error}: ${text}`)
    if (decoded.setAside) throw new Error(`hookline sent what is no row: ${decoded.setAside.join('; ')}: ${text}`)
    this.#waiting.push(decoded.frame)
    this.#wake()
  }

  #more(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        this.#waiters.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, timeoutMs)
      this.#waiters.add(wake)
    })
  }

  #wake(): void {
    for (const wake of [...this.#waiters]) wake()
  }
}

export interface HandshakeOptions {
  /** Default `GET /ws HTTP/1.1`. */
  readonly requestLine?: string
  /** By name, any case: a text replaces the header of a sound handshake, a list sends it several times, undefined leaves it out. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** The head of an upgrade, sound unless told otherwise. */
export function handshake({ requestLine = 'GET /ws HTTP/1.1', headers = {} }: HandshakeOptions = {}): string {
  const sound = {
    Host: '127.0.0.1:53219',
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
    Origin: ORIGIN,
  }
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  const kept = Object.entries(sound).filter(([name]) => !given.has(name.toLowerCase()))
  const added = Object.entries(headers).flatMap(([name, value = []]) => [value].flat().map((each) => [name, each]))
  return `${[requestLine, ...[...kept, ...added].map(([name, value]) => `${name}: ${value}`)].join('\r\n')}\r\n\r\n`
}

/** Knocks with these bytes. `client.socket` is a WebSocket's raw socket once the answer's status is 101. */
export async function knock(options: HandshakeOptions = {}): Promise<RawClient> {
  const client = await new RawClient().connected()
  onTestFinished(() => client.close())
  return client.send(handshake(options))
}

/** One masked frame as a client sends it (RFC 6455, 5.2), for those who speak over a raw socket. */
export function clientFrameBytes(payload: string | Buffer, { opcode = 1, fin = true } = {}): Buffer {
  const body = Buffer.from(payload)
  const first = Buffer.from([(fin ? 0x80 : 0) | opcode])
  let length: Buffer
  if (body.length < 126) length = Buffer.from([0x80 | body.length])
  else if (body.length < 65_536) {
    length = Buffer.from([0x80 | 126, 0, 0])
    length.writeUInt16BE(body.length, 1)
  } else {
    length = Buffer.alloc(9)
    length[0] = 0x80 | 127
    length.writeBigUInt64BE(BigInt(body.length), 1)
  }
  const mask = randomBytes(4)
  const masked = body.map((byte, index) => byte ^ (mask[index % 4] as number))
  return Buffer.concat([first, length, mask, masked])
}
