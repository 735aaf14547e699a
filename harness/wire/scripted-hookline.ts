// A WebSocket server that says exactly what a test tells it to: hooklines of other minds, and programs that are none.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { decodeClientFrame } from '../../src/protocol/decode.ts'
import type { ClientFrame, Frame } from '../../src/protocol/frames.ts'

export class ScriptedSession {
  readonly #ws: WebSocket
  /** Every frame the client sent. */
  readonly received: ClientFrame[] = []
  readonly #waiters = new Set<() => void>()
  readonly closed: Promise<unknown>

  constructor(ws: WebSocket) {
    this.#ws = ws
    this.closed = once(ws, 'close')
    ws.on('message', (data) => {
      const decoded = decodeClientFrame(data.toString())
      if (!decoded.ok) throw new Error(`the client sent what is no frame: ${decoded.error}: ${data.toString()}`)
      this.received.push(decoded.frame)
      for (const wake of [...this.#waiters]) wake()
    })
  }

  /** An object goes as JSON, a text or bytes as they are. */
  send(...frames: (object | string | Buffer)[]): this {
    for (const frame of frames) {
      this.#ws.send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame))
    }
    return this
  }

  welcome(listenerId = 'ours'): this {
    return this.send({ t: 'welcome', listenerId, user: { email: '' } })
  }

  close(code: number): void {
    this.#ws.close(code)
  }

  /** Ends the connection without a word. */
  cut(): void {
    this.#ws.terminate()
  }

  /** The client's first frame of that kind, now or later. */
  async frame<T extends ClientFrame['t']>(t: T): Promise<Frame<T>> {
    for (;;) {
      const found = this.received.find((frame) => frame.t === t)
      if (found) return found as Frame<T>
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiters.delete(wake)
          resolve()
        }
        this.#waiters.add(wake)
      })
    }
  }

  /** Resolves once the client has read everything sent so far, and what it sent in answer is here. */
  async settled(): Promise<void> {
    const pong = once(this.#ws, 'pong')
    this.#ws.ping()
    await pong
  }
}

export class ScriptedHookline {
  readonly #server: WebSocketServer
  readonly #sessions: ScriptedSession[] = []
  readonly #waiters: ((session: ScriptedSession) => void)[] = []
  /** Connections so far. */
  count = 0

  static async start(): Promise<ScriptedHookline> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
    await once(server, 'listening')
    return new ScriptedHookline(server)
  }

  private constructor(server: WebSocketServer) {
    this.#server = server
    server.on('connection', (ws) => {
      this.count++
      const session = new ScriptedSession(ws)
      const waiter = this.#waiters.shift()
      if (waiter) waiter(session)
      else this.#sessions.push(session)
    })
    onTestFinished(() => {
      for (const ws of server.clients) ws.terminate()
      server.close()
    })
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}/ws`
  }

  /** The next connection. */
  session(): Promise<ScriptedSession> {
    const session = this.#sessions.shift()
    if (session) return Promise.resolve(session)
    return new Promise((resolve) => this.#waiters.push(resolve))
  }
}
