// One lasting connection: the only file that performs what connection-state.ts decides, over one socket and one timer.
import { type Decoded, decodeServerFrame, encodeFrame } from '../protocol/decode.ts'
import type { ClientFrame, Frame, ServerFrame } from '../protocol/frames.ts'
import { type ProofRole, signedBytes } from '../protocol/proof.ts'
import { type ClientKeys, isSignedBy, newNonce, toBase64Url } from './client-keys.ts'
import { type ConnectionEffect, type ConnectionEvent, type ConnectionState, IDLE, step } from './connection-state.ts'
import type { Delivery } from './pending-calls.ts'
import type { PinStore } from './pinned-listener.ts'
import type { Random, Timers } from './pulse.ts'

/** A trusted client is welcomed within a few ms; hookline has no frame for "the operator is being asked". */
const SILENCE_MS = 300

interface ConnectionOptions {
  readonly url: string
  readonly WebSocket: WebSocketConstructor
  readonly pin: PinStore
  readonly timers: Timers
  /** Asked at each end of a connection; default 60 s. */
  readonly longestRetryMs?: (() => number | undefined) | undefined
  readonly random: Random
  /** By which this client proves itself, and the origin that its upgrades name. */
  readonly proof: { readonly keys: ClientKeys; readonly origin: string } | undefined
  hello(): Frame<'hello'>
  /** Of a page of hookline's console: said by a client with a key only to a hookline that has proved itself. */
  ticket(): string | undefined
  /** After everything else about the change is done. */
  onState(state: ConnectionState): void
  /** A frame of a hookline that has welcomed us. */
  onFrame(frame: ServerFrame, setAside: readonly string[]): void
  onBadFrame(error: string): void
  /** What a hookline that has welcomed us was to say, and that cannot be read. */
  onUnreadable(error: string, t: string, id: string | undefined): void
  restoreSubscriptions(): void
  settleCalls(): void
}

export class Connection {
  readonly #options: ConnectionOptions
  #state: ConnectionState = IDLE
  #socket: Socket | undefined
  /** On this socket. */
  #sentHello: Frame<'hello'> | undefined
  #challenge: Frame<'challenge'> | undefined
  /** Said while there was no one yet who may hear it. */
  #lateFlags: Frame<'client:state'> | undefined
  #cancelTimer = (): void => {}
  readonly #events: ConnectionEvent[] = []
  #isDispatching = false

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  get state(): ConnectionState {
    return this.#state
  }

  /** To a hookline that has welcomed us; anything else is `not-sent`. */
  send(frame: ClientFrame): Delivery {
    return this.#state.name === 'welcomed' ? this.#sendNow(frame) : 'not-sent'
  }

  /**
   * The one frame that may follow `hello` before `welcome`; where `hello` is still to come, it will say it. To a listener that has not
   * proved itself a client with a key says nothing.
   */
  sendFlags(frame: Frame<'client:state'>): void {
    if (!this.#sentHello) return
    if (this.#options.proof && !this.#isProven) this.#lateFlags = frame
    else this.#sendNow(frame)
  }

  get #isProven(): boolean {
    return this.#state.name === 'welcomed' || ('key' in this.#state && this.#state.key !== undefined)
  }

  /** Events that effects and handlers cause are taken in turn, each on the state that the one before left. */
  dispatch(event: ConnectionEvent): void {
    this.#events.push(event)
    if (this.#isDispatching) return
    this.#isDispatching = true
    try {
      for (let next = this.#events.shift(); next; next = this.#events.shift()) this.#take(next)
    } finally {
      this.#isDispatching = false
    }
  }

  #take(event: ConnectionEvent): void {
    const before = this.#state
    const { state, effects } = step(before, event)
    this.#state = state
    // A timer belongs to the state that set it.
    if (state !== before) this.#cancelTimer()
    for (const effect of effects) this.#perform(effect)
    if (state !== before) this.#options.onState(state)
  }

  #perform(effect: ConnectionEffect): void {
    switch (effect.type) {
      case 'open':
        return this.#open()
      case 'send-hello':
        this.#sendHello()
        return this.#after(SILENCE_MS, { type: 'silence' })
      case 'prove':
        this.#prove()
        return this.#after(SILENCE_MS, { type: 'silence' })
      case 'pin':
        return this.#options.pin.write(effect.pin)
      case 'restore-subscriptions':
        this.#sendLateFlags()
        return this.#options.restoreSubscriptions()
      case 'await-retry':
        return this.#after(effect.at - this.#options.timers.now(), { type: 'retry-due' })
      case 'drop-socket':
        this.#socket?.drop()
        this.#socket = undefined
        return
      case 'settle-calls':
        return this.#options.settleCalls()
    }
  }

  /** No time limit: while the browser asks its user for permission, the attempt must live; afterwards hookline keeps its own. */
  #open(): void {
    const { WebSocket, url } = this.#options
    this.#sentHello = undefined
    this.#challenge = undefined
    this.#lateFlags = undefined
    try {
      this.#socket = openSocket(WebSocket, url, this.#socketHandlers())
    } catch {
      // What the browser forbids at once is to us what it forbids a moment later: no way to hookline, cause untold.
      this.#closed(1006)
    }
  }

  #socketHandlers(): SocketHandlers {
    return {
      opened: () => this.dispatch({ type: 'opened' }),
      frame: (frame, setAside = []) => this.#receive(frame, setAside),
      badFrame: (error, { t, id }) => {
        if (t !== undefined && this.#state.name === 'welcomed') this.#options.onUnreadable(error, t, id)
        this.#options.onBadFrame(error)
      },
      closed: (code) => this.#closed(code),
    }
  }

  #receive(frame: ServerFrame, setAside: readonly string[]): void {
    const { pin, timers, onFrame, onBadFrame } = this.#options
    if (frame.t === 'rejected') return this.dispatch({ type: 'rejected' })
    if (frame.t === 'challenge') return this.#challenged(frame)
    if (frame.t !== 'welcome') {
      if (this.#state.name === 'welcomed') return onFrame(frame, setAside)
      return onBadFrame(`${frame.t} came before welcome`)
    }
    const { listenerId, user } = frame
    if (listenerId === '') return onBadFrame('the welcome has no listenerId')
    this.dispatch({ type: 'welcome', listenerId, email: user.email, pinned: pin.read(), at: timers.now() })
    if (this.#state.name === 'welcomed') onFrame(frame, setAside)
  }

  #sendHello(): void {
    const { hello, proof, ticket } = this.#options
    if (proof) this.#sentHello = { ...hello(), key: proof.keys.publicKey, nonce: newNonce() }
    else this.#sentHello = withTicket(hello(), ticket())
    this.#sendNow(this.#sentHello)
  }

  /** hookline proves itself: only then does it hear more of us than `hello`. */
  #challenged(challenge: Frame<'challenge'>): void {
    const { pin, onBadFrame } = this.#options
    const bytes = this.#challenge ? undefined : this.#bytesFor('listener', challenge)
    if (!bytes) return onBadFrame('an unexpected challenge was received')
    this.#challenge = challenge
    const { key, signature } = challenge
    const socket = this.#socket
    void isSignedBy(key, signature, bytes).then((isValid) => {
      if (socket === this.#socket) this.dispatch({ type: 'challenged', key, isValid, pinned: pin.read() })
    })
  }

  #prove(): void {
    const { proof, onBadFrame, ticket } = this.#options
    const bytes = this.#challenge && this.#bytesFor('client', this.#challenge)
    if (!proof || !bytes) return
    const socket = this.#socket
    const signing = proof.keys.sign(bytes).then((signature) => {
      if (socket !== this.#socket) return
      this.#sendNow(withTicket({ t: 'proof', signature: toBase64Url(signature) }, ticket()))
      this.#sendLateFlags()
    })
    // hookline then ends the connection for want of a proof.
    signing.catch(() => onBadFrame("the client's own key cannot sign"))
  }

  /** What that side signs; undefined where there has been no hello with a key. */
  #bytesFor(role: ProofRole, { nonce, key }: Frame<'challenge'>): Uint8Array<ArrayBuffer> | undefined {
    const sentHello = this.#sentHello
    const { proof } = this.#options
    if (!proof || sentHello?.key === undefined || sentHello.nonce === undefined) return undefined
    return signedBytes(role, {
      listenerNonce: nonce,
      clientNonce: sentHello.nonce,
      listenerKey: key,
      clientKey: sentHello.key,
      clientId: sentHello.clientId,
      origin: proof.origin,
    })
  }

  #sendLateFlags(): void {
    if (this.#lateFlags) this.#sendNow(this.#lateFlags)
    this.#lateFlags = undefined
  }

  #closed(code: number): void {
    this.#socket = undefined
    const { timers, random, longestRetryMs } = this.#options
    this.dispatch({ type: 'closed', code, at: timers.now(), random: random(), capMs: longestRetryMs?.() })
  }

  #sendNow(frame: ClientFrame): Delivery {
    return this.#socket?.send(frame) ?? 'not-sent'
  }

  #after(ms: number, event: ConnectionEvent): void {
    this.#cancelTimer = this.#options.timers.after(ms, () => this.dispatch(event))
  }
}

function withTicket<F extends Frame<'hello'> | Frame<'proof'>>(frame: F, ticket: string | undefined): F {
  return ticket === undefined ? frame : { ...frame, ticket }
}

// One WebSocket: frames out, decoded frames in. Once dropped it is silent, whatever its WebSocket still has to say.

/** What is needed of a WebSocket; the browser's, Node's and ws's all have it. */
export interface WebSocketLike {
  /** 0 connecting, 1 open, 2 closing, 3 closed. */
  readonly readyState: number
  send(text: string): void
  close(): void
  addEventListener(type: 'open' | 'error', handler: () => void): void
  addEventListener(type: 'message', handler: (event: { readonly data: unknown }) => void): void
  addEventListener(type: 'close', handler: (event: { readonly code: number }) => void): void
}

/**
 * Browsers send their page's `Origin`; elsewhere a program must send one that hookline allows:
 *
 * @example
 * class OriginWebSocket extends WebSocket {
 *   constructor(url: string) {
 *     super(url, { headers: { Origin: 'http://127.0.0.1:53220' } })
 *   }
 * }
 */
export type WebSocketConstructor = new (url: string) => WebSocketLike

interface SocketHandlers {
  opened(): void
  /** @param setAside rows that could not be read and are not in it */
  frame(frame: ServerFrame, setAside?: readonly string[]): void
  /** Something came that is not a frame of this wire; one line says what is wrong with it, and `t` and `id` what it was to be. */
  badFrame(error: string, of: { readonly t?: string; readonly id?: string }): void
  closed(code: number): void
}

interface Socket {
  /** Never throws. */
  send(frame: ClientFrame): Delivery
  drop(): void
}

const OPEN = 1

/** @throws where the browser forbids the address at once, as some do for ws:// from an https page */
function openSocket(WebSocket: WebSocketConstructor, url: string, handlers: SocketHandlers): Socket {
  const ws = new WebSocket(url)
  let isDropped = false
  const whileKept =
    <A extends unknown[]>(handle: (...args: A) => void) =>
    (...args: A) => {
      if (!isDropped) handle(...args)
    }
  ws.addEventListener(
    'open',
    whileKept(() => handlers.opened()),
  )
  ws.addEventListener(
    'message',
    whileKept(({ data }) => {
      const decoded: Decoded<ServerFrame> =
        typeof data === 'string' ? decodeServerFrame(data) : { ok: false, error: 'the frame is not text' }
      if (decoded.ok) handlers.frame(decoded.frame, decoded.setAside)
      else handlers.badFrame(decoded.error, decoded)
    }),
  )
  ws.addEventListener(
    'close',
    whileKept(({ code }) => handlers.closed(code)),
  )
  // `close` follows and says as much: browsers tell pages nothing about the cause.
  ws.addEventListener('error', () => {})
  return {
    send(frame) {
      // A closing WebSocket takes what it is given and forgets it.
      if (isDropped || ws.readyState !== OPEN) return 'not-sent'
      ws.send(encodeFrame(frame))
      return 'sent'
    },
    drop() {
      isDropped = true
      ws.close()
    },
  }
}
