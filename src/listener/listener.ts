// The listener's life: bound when enabled, waiting when another process has the port, bound without a restart when
// `listener.enabled` turns true, answering 503 when it turns false (behaviour 26).
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ListenerStatus } from '../commands/kit/ports.ts'
import { LISTENER_HOST, LISTENER_PORT } from '../protocol/address.ts'
import { AnswerOrder } from './http/answer-order.ts'
import { createRoutes, type RoutePorts } from './http/http-routes.ts'
import { endAfterAnswer } from './http/ignored-body.ts'
import { SocketBudget } from './http/socket-budget.ts'
import { judgeUpgrade } from './http/upgrade-guard.ts'
import { LISTENER_LIMITS } from './listener-limits.ts'
import { askPortHolder } from './port-holder.ts'
import type { Sessions, Upgrade } from './sessions/sessions.ts'

export type ListenerEvent =
  | { readonly type: 'listening' }
  | { readonly type: 'port-taken'; readonly holderPid: number | undefined }
  | { readonly type: 'failed'; readonly error: Error }
  | { readonly type: 'disabled' }
  | { readonly type: 'enabled' }

/** The WebSocket side, loaded when the first page comes. */
export interface WebSessions {
  /** Whether there is an identity that a page could pin. */
  readonly isReady: boolean
  readonly loaded: Sessions | undefined
  load(): Promise<Sessions>
}

export interface ListenerOptions extends Omit<RoutePorts, 'isServing'> {
  readonly web: WebSessions
  /** For the log: why an upgrade was refused, with the values that did not fit. */
  readonly onRefusedUpgrade: (reason: string) => void
  /** For people: what became of the listener. */
  readonly notify: (event: ListenerEvent) => void
}

export class Listener {
  readonly #options: ListenerOptions
  readonly #budget = new SocketBudget(LISTENER_LIMITS.sockets)
  readonly #order = new AnswerOrder()
  #server: Server | undefined
  #bound = false
  #closed = false
  #stopping = false
  #takenBy: { readonly pid: number | undefined } | undefined
  #retry: NodeJS.Timeout | undefined
  /** Code of the failure last told: it is tried again every second. */
  #toldFailure: string | undefined
  #stopWatching: (() => void) | undefined
  #wasEnabled = true

  constructor(options: ListenerOptions) {
    this.#options = options
  }

  /** Binds if enabled, and keeps following the flag. Resolves when the first attempt is decided. */
  async start(): Promise<void> {
    this.#wasEnabled = this.#isEnabled()
    this.#stopWatching = this.#options.config.watch(() => this.#followFlag())
    if (this.#wasEnabled) await this.#bind()
    else this.#options.notify({ type: 'disabled' })
  }

  status(): ListenerStatus {
    const state = !this.#isEnabled()
      ? 'disabled'
      : this.#bound
        ? 'listening'
        : this.#takenBy
          ? 'port-taken'
          : 'not-started'
    const holder = this.#takenBy?.pid
    return {
      state,
      address: `${LISTENER_HOST}:${LISTENER_PORT}`,
      pid: process.pid,
      ...(holder === undefined ? {} : { holderPid: holder }),
      sockets: this.#budget.count,
    }
  }

  /** No new fires from now on: open connections get the 503, new ones are refused. */
  stopAccepting(): void {
    this.#stopping = true
    this.#stopWatching?.()
    clearTimeout(this.#retry)
    this.#server?.close()
  }

  /** Ends every connection. */
  async stop(): Promise<void> {
    this.stopAccepting()
    const server = this.#server
    this.#options.web.loaded?.stop()
    if (!server || this.#closed) return
    const closed = new Promise<void>((resolve) => server.once('close', resolve))
    server.closeAllConnections()
    await closed
  }

  #isEnabled(): boolean {
    return this.#options.config.read().listener.enabled
  }

  #followFlag(): void {
    const enabled = this.#isEnabled()
    if (enabled === this.#wasEnabled || this.#stopping) return
    this.#wasEnabled = enabled
    if (!enabled) this.#options.web.loaded?.hangUpAll('disabled')
    this.#options.notify({ type: enabled ? 'enabled' : 'disabled' })
    if (enabled && !this.#bound) void this.#bind()
  }

  async #bind(): Promise<void> {
    clearTimeout(this.#retry)
    const server = this.#createServer()
    const error = await listen(server)
    if (this.#stopping) {
      server.close()
      return
    }
    if (!error) {
      this.#server = server
      this.#bound = true
      this.#takenBy = undefined
      this.#toldFailure = undefined
      server.once('close', () => {
        this.#closed = true
      })
      server.on('error', (failure) => this.#options.notify({ type: 'failed', error: failure }))
      this.#options.notify({ type: 'listening' })
    } else if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
      this.#retryLater()
      if (!this.#takenBy) void this.#tellHolder()
    } else {
      const { code } = error as NodeJS.ErrnoException
      if (code !== this.#toldFailure) this.#options.notify({ type: 'failed', error })
      this.#toldFailure = code
      this.#retryLater()
    }
  }

  /** Says once who has the port. Nothing waits for the answer, which a silent holder may keep us waiting for. */
  async #tellHolder(): Promise<void> {
    const holder: { pid: number | undefined } = { pid: undefined }
    this.#takenBy = holder
    holder.pid = await askPortHolder()
    if (this.#takenBy === holder) this.#options.notify({ type: 'port-taken', holderPid: holder.pid })
  }

  #retryLater(): void {
    if (this.#stopping) return
    this.#retry = setTimeout(() => {
      if (this.#isEnabled()) void this.#bind()
      else this.#retryLater()
    }, LISTENER_LIMITS.takeOverMs)
    this.#retry.unref()
  }

  /** The one gate to a WebSocket. Until the client has said who it is, its socket may be asked to make room. */
  #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    if (this.#stopping || !this.#options.web.isReady) return refuseUpgrade(socket, 503)
    const verdict = judgeUpgrade(request, this.#options.config.read())
    if (!verdict.ok) {
      this.#options.onRefusedUpgrade(verdict.reason)
      return refuseUpgrade(socket, verdict.status)
    }
    void this.#openSession({ request, socket, head, origin: verdict.origin })
  }

  async #openSession(upgrade: Upgrade & { readonly socket: Socket }): Promise<void> {
    const sessions = await this.#options.web.load()
    // Stopped while the first one was being loaded: nobody would hang up on it any more.
    if (this.#stopping) return refuseUpgrade(upgrade.socket, 503)
    await sessions.accept(upgrade, () => this.#budget.release(upgrade.socket))
  }

  #createServer(): Server {
    const routes = createRoutes({ ...this.#options, isServing: () => !this.#stopping })
    const server = createServer(
      {
        headersTimeout: LISTENER_LIMITS.headersMs,
        requestTimeout: LISTENER_LIMITS.requestMs,
        connectionsCheckingInterval: LISTENER_LIMITS.connectionCheckMs,
        keepAliveTimeout: LISTENER_LIMITS.keepAliveMs,
        maxHeaderSize: LISTENER_LIMITS.headerBytes,
        requireHostHeader: false,
        noDelay: true,
      },
      (request, response) => {
        const { socket } = request
        if (this.#order.isEnding(socket)) return
        this.#budget.markBusy(socket)
        this.#order.owe(socket, response)
        response.once('close', () => {
          this.#order.settle(socket, response)
          this.#budget.markIdle(socket)
        })
        routes(request, response)
        this.#order.noteEnd(socket, response)
      },
    )
    // Node would drop what comes after the thousandth, and with it a header that must refuse the request; their size is limited anyway.
    server.maxHeadersCount = 0
    // A body announced with `Expect: 100-continue` is never wanted: the final answer goes out instead of a 100.
    server.on('checkContinue', (request, response) => {
      response.shouldKeepAlive = false
      server.emit('request', request, response)
    })
    // Any other expectation is not ours to refuse, as node:http would (RFC 9110, 10.1.1).
    server.on('checkExpectation', (request, response) => server.emit('request', request, response))
    server.on('connection', (socket) => this.#budget.admit(socket))
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      // From here on node:http no longer listens for the errors of this socket.
      socket.on('error', destroyIt)
      if (this.#order.isEnding(socket)) return
      const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket'
      this.#order.whenSettled(socket, () => {
        if (isWebSocket) this.#upgrade(request, socket, head)
        else answerWithoutUpgrade(server, request, socket)
      })
    })
    return server
  }
}

/**
 * An offer of another protocol may be ignored (RFC 9110, 7.8): some HTTP clients offer `h2c` with every POST. node:http has let go of
 * the socket by now, so the answer is its last.
 */
function answerWithoutUpgrade(server: Server, request: IncomingMessage, socket: Socket): void {
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket)
  response.once('finish', () => endAfterAnswer(socket))
  server.emit('request', request, response)
}

function destroyIt(this: Socket): void {
  this.destroy()
}

const STATUS_TEXT = { 400: 'Bad Request', 403: 'Forbidden', 404: 'Not Found', 503: 'Service Unavailable' } as const

/** The stranger gets the bare status; the connection ends. */
function refuseUpgrade(socket: Socket, status: keyof typeof STATUS_TEXT): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_TEXT[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  socket.once('finish', () => socket.destroy())
}

/** @returns the error that kept it from listening */
function listen(server: Server): Promise<Error | undefined> {
  return new Promise((resolve) => {
    server.once('error', resolve)
    server.listen(LISTENER_PORT, LISTENER_HOST, () => {
      server.off('error', resolve)
      resolve(undefined)
    })
  })
}
