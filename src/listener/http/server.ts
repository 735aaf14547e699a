// The `node:http` server: what it bounds, and how connections, requests and upgrades reach the parts that decide about them.
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { LISTENER_HOST, LISTENER_PORT } from '../../protocol/address.ts'
import { beginInput } from '../../stores/event-loop-turn.ts'
import { LISTENER_LIMITS } from '../listener-limits.ts'
import { ReadTurns } from './read-turns.ts'
import { endAfterAnswer } from './request-body.ts'
import type { SocketBudget } from './socket-budget.ts'

export interface ServerPorts {
  readonly budget: SocketBudget
  /** Answers a request, at once or later. `vouch`: its token was right. */
  answer(request: IncomingMessage, response: ServerResponse, vouch: Vouch): void
  /** Takes a request for a WebSocket; all answers owed before it are out, and nothing is read until `turns.resume`. */
  upgrade(request: IncomingMessage, socket: Socket, head: Buffer, turns: ReadTurns): void
}

/** The connection belongs to a caller who may be here. */
export type Vouch = ReadTurns['vouch']

/** A server that does not listen yet. */
export function createListenerServer({ budget, answer, upgrade }: ServerPorts): Server {
  const order = new AnswerOrder()
  const turns = new ReadTurns((socket) => order.isSettled(socket))
  const vouch: Vouch = (socket) => {
    socket._writev = writeAnswer
    turns.vouch(socket)
    budget.markKnown(socket)
  }
  /** One for all requests. */
  function noteAnswered(this: ServerResponse): void {
    const { socket } = this.req
    order.settle(socket, this)
    budget.markIdle(socket)
    turns.advance(socket)
  }
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
      if (order.isEnding(socket)) return
      beginInput()
      budget.markBusy(socket)
      if (order.isSettled(socket)) turns.noteRequest(socket)
      else turns.notePipelined(socket)
      order.owe(socket, response)
      response.on('close', noteAnswered)
      answer(request, response, vouch)
      order.noteEnd(socket, response)
      // Whether the caller takes its answer is its own affair: those who read nothing must not keep every place.
      if (response.writableEnded) budget.markIdle(socket)
    },
  )
  // Node would drop what comes after the thousandth, and with it a header that must refuse the request; their size is limited anyway.
  server.maxHeadersCount = 0
  answerExpectations(server)
  takeConnections(server, { budget, order, turns })
  takeUpgrades(server, { upgrade, order, turns })
  return server
}

interface Reading {
  readonly order: AnswerOrder
  readonly turns: ReadTurns
}

/** What node:http cannot read is answered when nothing else is owed; what follows it is not heard. */
function takeConnections(server: Server, { budget, order, turns }: Reading & Pick<ServerPorts, 'budget'>): void {
  function refuseProtocol(socket: Socket): void {
    order.end(socket)
    turns.discard(socket)
    answerFault(socket)
  }
  server.on('connection', (socket) => {
    budget.admit(socket)
    turns.admit(socket)
    watchFirstLine(socket, refuseProtocol)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket
    turns.discard(socket)
    order.whenSettled(socket, () => answerFault(socket, error))
  })
}

function takeUpgrades(server: Server, { upgrade, order, turns }: Reading & Pick<ServerPorts, 'upgrade'>): void {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // From here on node:http no longer listens for the errors of this socket.
    socket.on('error', destroyIt)
    beginInput()
    turns.hold(socket)
    if (order.isEnding(socket)) return
    const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket'
    order.whenSettled(socket, () => {
      if (isWebSocket) return upgrade(request, socket, head, turns)
      turns.discard(socket)
      answerWithoutUpgrade(server, request, socket)
    })
  })
}

/** Binds the port. @returns the error that kept it from listening */
export function listen(server: Server): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    server.once('error', resolve)
    server.listen(LISTENER_PORT, LISTENER_HOST, () => {
      server.off('error', resolve)
      resolve(undefined)
    })
  })
}

function answerExpectations(server: Server): void {
  // A body announced with `Expect: 100-continue` is never wanted: the final answer goes out instead of a 100.
  server.on('checkContinue', (request, response) => {
    response.shouldKeepAlive = false
    server.emit('request', request, response)
  })
  // Any other expectation is not ours to refuse, as node:http would (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
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

/** An answer of node:http is its text, then nothing with the callback: two chunks in a list. One string costs a write less (quality/bench/fires). */
const writeAnswer: NonNullable<Socket['_writev']> = function (this: Socket, chunks, done) {
  const [answer, end] = chunks
  if (answer !== undefined && end?.chunk === '' && chunks.length === 2) this._write(answer.chunk, answer.encoding, done)
  else Socket.prototype._writev?.call(this, chunks, done)
}

/** Until ws has taken the socket. */
export function destroyIt(this: Socket): void {
  this.destroy()
}

/** Requests sent one upon the other on one connection (RFC 9112, 9.3.2): answers keep their order, and an announced end is the end. */
class AnswerOrder {
  /** The last answer that a connection is still owed. */
  readonly #owed = new WeakMap<Socket, ServerResponse>()
  /** Their end was announced: what was sent after that is ignored (RFC 9112, 9.6). */
  readonly #ending = new WeakSet<Socket>()

  isEnding(socket: Socket): boolean {
    return this.#ending.has(socket)
  }

  /** Whether every request so far has its answer. */
  isSettled(socket: Socket): boolean {
    return !this.#owed.has(socket)
  }

  /** Called for every request before it is answered. */
  owe(socket: Socket, response: ServerResponse): void {
    this.#owed.set(socket, response)
  }

  /** What comes from now on is ignored. */
  end(socket: Socket): void {
    this.#ending.add(socket)
  }

  /** Called when the request has been looked at, and it is known whether its answer is the last one. */
  noteEnd(socket: Socket, response: ServerResponse): void {
    if (!response.shouldKeepAlive) this.#ending.add(socket)
  }

  /** The answer is out. */
  settle(socket: Socket, response: ServerResponse): void {
    if (this.#owed.get(socket) === response) this.#owed.delete(socket)
  }

  /** Goes on once all that came before is answered: node:http gives a socket to one answer at a time, and throws otherwise. */
  whenSettled(socket: Socket, goOn: () => void): void {
    const owed = this.#owed.get(socket)
    if (owed === undefined) goOn()
    else owed.once('close', goOn)
  }
}

// What node:http cannot read: the answers that are owed go out first, then the fault is answered and the connection ends (behaviour 3).

/** By the `code` of Node's errors; anything else is 400. */
const STATUS_LINES: ReadonlyMap<string | undefined, string> = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', '413 Payload Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
])

/** The connection's last answer. Nothing is said where an answer has announced the end, or the caller has gone. */
function answerFault(socket: Socket, { code }: Pick<NodeJS.ErrnoException, 'code'> = {}): void {
  if (!socket.writable) return void socket.destroy()
  socket.write(`HTTP/1.1 ${STATUS_LINES.get(code) ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`, 'latin1')
  endAfterAnswer(socket)
}

// The protocols that node:http takes for HTTP: its parser reads RTSP and ICE too, and does not say which it was (behaviour 8).

/** Calls `refuse` before the reader of the socket gets the end of a first line that names another protocol. */
function watchFirstLine(socket: Socket, refuse: (socket: Socket) => void): void {
  let text = ''
  function look(chunk: Buffer): void {
    text = (text + chunk.toString('latin1', 0, LISTENER_LIMITS.headerBytes)).replace(/^[\r\n]+/, '')
    const end = text.indexOf('\n')
    if (end === -1 && text.length < LISTENER_LIMITS.headerBytes) return
    socket.off('data', look)
    if (/ (?:RTSP|ICE)\/\d\.\d\r?$/.test(text.slice(0, end))) refuse(socket)
  }
  socket.prependListener('data', look)
}
