// One WebSocket connection. The only file that touches its socket: text in becomes events of session-state.ts, effects become frames,
// questions and hang-ups.
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { decodeClientFrame, encodeFrame } from '../../protocol/decode.ts'
import { CLOSE_CODES, type CloseReason, type ServerFrame, WIRE_LIMITS } from '../../protocol/frames.ts'
import type { TrustedClientStore } from '../../stores/trusted-clients.ts'
import type { Applicant, Approvals } from '../approvals/approvals.ts'
import { LISTENER_LIMITS } from '../listener-limits.ts'
import type { FanOut, FrameSink } from '../topics/fan-out.ts'
import { refuseCommand } from './refuse-command.ts'
import {
  type Hello,
  INITIAL_STATE,
  type SessionEffect,
  type SessionEvent,
  type SessionState,
  step,
  type WorkFrame,
} from './session-state.ts'
import { UnderWay } from './under-way.ts'

export interface SessionPorts {
  readonly fanOut: FanOut
  readonly approvals: Approvals
  readonly trustedClients: Pick<TrustedClientStore, 'isTrusted'>
  /** Whether one more client may be welcomed. */
  hasRoom(): boolean
  /** The acceptance for a new session. */
  welcome(): ServerFrame
  /** A frame of a welcomed client. */
  work(session: Session, frame: WorkFrame): void
  onChange(session: Session, change: SessionChange): void
}

/** The client has been welcomed, has changed its flags, or is gone. */
export type SessionChange = 'welcomed' | 'flags' | 'gone'

/** What the upgrade has made. */
export interface Connection {
  readonly id: string
  readonly origin: string
  readonly ws: WebSocket
  readonly socket: Duplex
  /** Called once the client has said who it is. */
  readonly onHello: () => void
  /** Called when the client is welcomed. */
  readonly onWelcome: (socket: Duplex) => void
}

export class Session implements Applicant, FrameSink {
  readonly id: string
  readonly origin: string
  readonly underWay = new UnderWay()
  readonly #ws: WebSocket
  readonly #socket: Duplex
  readonly #ports: SessionPorts
  readonly #onWelcome: Connection['onWelcome']
  #state: SessionState = INITIAL_STATE
  #hello: Hello | undefined
  #wasWelcomed = false
  /** Dropped afterwards: the callback keeps the whole request alive, which would double what an idle session costs (quality/bench/session-memory). */
  #untilHello:
    | { readonly timer: NodeJS.Timeout; readonly onHello: () => void; readonly stopCounting: () => void }
    | undefined
  #missedPongs = 0

  constructor({ id, origin, ws, socket, onHello, onWelcome }: Connection, ports: SessionPorts) {
    this.id = id
    this.origin = origin
    this.#ws = ws
    this.#socket = socket
    this.#ports = ports
    this.#onWelcome = onWelcome
    const timer = setTimeout(() => this.#dispatch({ type: 'hello-timeout' }), WIRE_LIMITS.helloMs)
    this.#untilHello = { timer, onHello, stopCounting: this.#limitFirstFrame() }
    ws.on('message', (data: Buffer, isBinary: boolean) => this.#receive(data, isBinary))
    ws.on('pong', () => {
      this.#missedPongs = 0
    })
    // ws closes the connection itself for what it cannot read (1002, 1007, 1009); `close` follows.
    ws.on('error', ignore)
    ws.on('close', () => this.#dispatch({ type: 'gone' }))
  }

  get isWelcomed(): boolean {
    return this.#state.name === 'welcomed'
  }

  get wasWelcomed(): boolean {
    return this.#wasWelcomed
  }

  /** What the client said of itself. @throws before its hello */
  get hello(): Hello {
    if (!this.#hello) throw new Error('the session has had no hello')
    return this.#hello
  }

  get label(): string {
    return this.hello.label || this.hello.clientId.slice(0, 8)
  }

  send(frame: ServerFrame): void {
    this.sendText(encodeFrame(frame))
  }

  /** A frame that is encoded already. */
  sendText(text: string): void {
    this.#ports.fanOut.send(this, text)
  }

  hangUp(reason: CloseReason): void {
    this.#dispatch({ type: 'hang-up', reason })
  }

  decide(decision: 'approved' | 'denied'): void {
    this.#dispatch({ type: decision })
  }

  turnAway(): void {
    this.hangUp('busy')
  }

  /** Straight to the socket: the frames are complete and ws holds nothing back without compression. */
  write(frames: Buffer): void {
    if (this.#ws.readyState !== this.#ws.OPEN) return
    // A large snapshot may exceed the limit by itself: a client is slow when it has not taken what came before.
    if (this.#socket.writableLength > LISTENER_LIMITS.unsentBytes) return this.hangUp('tooSlow')
    this.#socket.write(frames)
  }

  /** Called at every ping interval. `slept`: the interval was much too long, so silence proves nothing. */
  ping(slept: boolean): void {
    if (this.#ws.readyState !== this.#ws.OPEN) return
    if (slept) this.#missedPongs = 0
    if (this.#missedPongs >= LISTENER_LIMITS.missedPongs) return this.#ws.terminate()
    this.#missedPongs++
    this.#ws.ping()
  }

  /** Before its hello a client may make us hold no more than one first frame (behaviour 141); a whole one is measured as it comes. */
  #limitFirstFrame(): () => void {
    let received = 0
    const count = (chunk: Buffer) => {
      received += chunk.length
      // Called once more for the chunk with the hello, which may hold frames after it.
      const isUnknown = this.#state.name === 'awaiting-hello'
      if (isUnknown && received > WIRE_LIMITS.firstFrameBytes + MAX_FRAME_HEADER_BYTES) this.hangUp('tooBig')
    }
    this.#socket.on('data', count)
    return () => void this.#socket.off('data', count)
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#state.name === 'awaiting-hello' && data.length > WIRE_LIMITS.firstFrameBytes) return this.hangUp('tooBig')
    if (isBinary) return this.#dispatch({ type: 'bad-frame', error: 'frames are text, not binary' })
    const decoded = decodeClientFrame(data.toString())
    if (!decoded.ok) return this.#dispatch({ ...decoded, type: 'bad-frame' })
    const { frame } = decoded
    if (frame.t !== 'hello') return this.#dispatch({ type: 'frame', frame })
    const isTrusted = this.#ports.trustedClients.isTrusted(frame.clientId, this.origin)
    if (isTrusted && !this.#ports.hasRoom()) return this.hangUp('busy')
    this.#dispatch({ type: 'hello', frame, isTrusted })
  }

  #dispatch(event: SessionEvent): void {
    const before = this.#state.name
    const { state, effects } = step(this.#state, event)
    this.#state = state
    if ('hello' in state) this.#hello = state.hello
    if (before === 'awaiting-hello' && state.name !== before) {
      clearTimeout(this.#untilHello?.timer)
      this.#untilHello?.stopCounting()
      if (this.#hello) this.#untilHello?.onHello()
      this.#untilHello = undefined
    }
    for (const effect of effects) this.#perform(effect)
  }

  #perform(effect: SessionEffect): void {
    switch (effect.type) {
      case 'welcome':
        this.#wasWelcomed = true
        this.#onWelcome(this.#socket)
        this.send(this.#ports.welcome())
        return this.#ports.onChange(this, 'welcomed')
      case 'reject':
        return this.send({ t: 'rejected' })
      case 'ask-operator':
        return this.#ports.approvals.apply(this)
      case 'withdraw-question':
        return this.#ports.approvals.withdraw(this)
      case 'work':
        return this.#ports.work(this, effect.frame)
      case 'note-flags':
        return this.#ports.onChange(this, 'flags')
      case 'send-error':
        return this.#refuse(effect)
      case 'close':
        return this.#close(effect.reason)
      case 'forget':
        this.#ports.fanOut.remove(this)
        return this.#ports.onChange(this, 'gone')
    }
  }

  /** A command or mutation that cannot be read has failed like any other: the caller that waits under its id gets its answer. */
  #refuse({ error, t, id }: Extract<SessionEffect, { type: 'send-error' }>): void {
    if (id === undefined) return this.send({ t: 'error', error })
    if (t?.startsWith('mutate:')) return this.send({ t: 'mutate:err', id, error })
    if (t === 'cmd:exec') return refuseCommand(this, id, error)
    this.send({ t: 'error', id, error })
  }

  /** What was said before goes out first; a client that does not take the close frame in time is cut (ws: closeTimeout). */
  #close(reason: CloseReason): void {
    this.#ports.fanOut.flush()
    this.#ports.fanOut.remove(this)
    const { code, meaning } = CLOSE_CODES[reason]
    this.#ws.close(code, meaning)
  }
}

function ignore(): void {}

/** RFC 6455, 5.2: two bytes, eight of extended length, four of mask. */
const MAX_FRAME_HEADER_BYTES = 14
