// One WebSocket connection. The only file that touches its socket: text in becomes events of session-state.ts, effects become frames,
// questions and hang-ups.
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { decodeClientFrame, encodeFrame } from '../../protocol/decode.ts'
import {
  CLOSE_CODES,
  type ClientFeature,
  type CloseReason,
  type ServerFrame,
  WIRE_LIMITS,
} from '../../protocol/frames.ts'
import { beginInput } from '../../stores/event-loop-turn.ts'
import type { Caller } from '../../stores/trusted-clients.ts'
import type { Applicant, Approvals } from '../approvals/approvals.ts'
import { LISTENER_LIMITS } from '../listener-limits.ts'
import type { FanOut, FrameSink } from '../topics/fan-out.ts'
import {
  type ClientProof,
  type Hello,
  type IdentityProofs,
  INITIAL_STATE,
  type SessionEffect,
  type SessionEvent,
  type SessionState,
  type Standing,
  step,
  type WorkFrame,
} from './session-state.ts'

export interface SessionPorts {
  readonly fanOut: FanOut
  readonly approvals: Approvals
  readonly proofs: IdentityProofs
  standingOf(caller: Caller): Standing
  readonly tickets: PageTickets
  /** A client that was not let in for want of a proof: for the log. */
  onUnproven(client: Caller & { readonly label: string }): void
  /** An error of no known class. */
  onBug(error: unknown): void
  /** Whether one more client may be welcomed. */
  hasRoom(): boolean
  /** The acceptance for a new session. */
  welcome(session: Session): ServerFrame
  /** A frame of a welcomed client. */
  work(session: Session, frame: WorkFrame): void
  onChange(session: Session, change: SessionChange): void
}

/** What pages of the console bring. */
export interface PageTickets {
  /** @returns whether it shows that our server gave out the page; a ticket serves once */
  accept(brought: string, caller: Caller): boolean
  /** Whether the client is let in only with one. */
  isOwedBy(session: Pick<Session, 'isPage' | 'caller'>): boolean
  /** For the next connection from the same document. */
  next(caller: Caller): string | undefined
}

/** The client has been welcomed, has changed its flags, or is gone. */
export type SessionChange = 'welcomed' | 'flags' | 'gone'

/** What the upgrade has made. */
interface Connection {
  readonly id: string
  readonly origin: string
  /** A browser's page, and not a program. */
  readonly isPage: boolean
  readonly ws: WebSocket
  readonly socket: Duplex
  /** Called once the client has said who it is, and proved it where it has a key. */
  readonly onKnown: () => void
  /** Called when the client is welcomed. */
  readonly onWelcome: (socket: Duplex) => void
}

export class Session implements Applicant, FrameSink {
  readonly id: string
  readonly origin: string
  readonly isPage: boolean
  #underWay: UnderWay | undefined
  readonly #ws: WebSocket
  readonly #socket: Duplex
  readonly #ports: SessionPorts
  readonly #onWelcome: Connection['onWelcome']
  #state: SessionState = INITIAL_STATE
  #hello: Hello | undefined
  #wasWelcomed = false
  /** Dropped afterwards: the callback keeps the whole request alive, which would double what an idle session costs (quality/bench/session-memory). */
  #untilKnown: { readonly timer: NodeJS.Timeout; readonly onKnown: () => void } | undefined
  #untilWelcome: StrangerLimits | undefined
  #proof: ClientProof | undefined
  /** It has shown that our server gave it out. */
  #isServed = false
  /** Brought and not looked at yet. */
  #ticket: string | undefined
  #missedPongs = 0

  constructor({ id, origin, isPage, ws, socket, onKnown, onWelcome }: Connection, ports: SessionPorts) {
    this.id = id
    this.origin = origin
    this.isPage = isPage
    this.#ws = ws
    this.#socket = socket
    this.#ports = ports
    this.#onWelcome = onWelcome
    const timer = setTimeout(() => this.#dispatch({ type: 'hello-timeout' }), WIRE_LIMITS.helloMs)
    this.#untilKnown = { timer, onKnown }
    this.#untilWelcome = new StrangerLimits(socket, () => this.hangUp('tooBig'))
    Session.#listen(ws, this)
  }

  static readonly #all = new WeakMap<WebSocket, Session>()

  /** The listeners are the same for all sessions: an idle one keeps none of its own (quality/bench/session-memory). */
  static #listen(ws: WebSocket, session: Session): void {
    Session.#all.set(ws, session)
    ws.on('message', Session.#onMessage).on('ping', Session.#onControl).on('pong', Session.#onPong)
    // ws closes the connection itself for what it cannot read (1002, 1007, 1009); `close` follows.
    ws.on('error', ignore).on('close', Session.#onClose)
  }

  static readonly #onMessage = function (this: WebSocket, data: Buffer, isBinary: boolean): void {
    Session.#of(this).#receive(data, isBinary)
  }

  static readonly #onControl = function (this: WebSocket, data: Buffer): void {
    Session.#of(this).#control(data)
  }

  static readonly #onPong = function (this: WebSocket, data: Buffer): void {
    const session = Session.#of(this)
    session.#missedPongs = 0
    session.#control(data)
  }

  static readonly #onClose = function (this: WebSocket): void {
    Session.#of(this).#dispatch({ type: 'gone' })
  }

  static #of(ws: WebSocket): Session {
    const session = Session.#all.get(ws)
    if (session === undefined) throw new Error('the socket has no session')
    return session
  }

  get underWay(): UnderWay {
    this.#underWay ??= new UnderWay()
    return this.#underWay
  }

  get isWelcomed(): boolean {
    return this.#state.name === 'welcomed'
  }

  /** Whether it has not read yet what it was sent before. */
  get isBehind(): boolean {
    return this.#socket.writableLength > 0
  }

  /** Whether it is a page of the console that our server gave out. */
  get isServed(): boolean {
    return this.#isServed
  }

  get wasWelcomed(): boolean {
    return this.#wasWelcomed
  }

  /** What the client said of itself. @throws before its hello */
  get hello(): Hello {
    if (!this.#hello) throw new Error('the session has had no hello')
    return this.#hello
  }

  /** Who the client says it is; with its key once it is past `awaiting-proof`. @throws before its hello */
  get caller(): Caller {
    const { clientId, key } = this.hello
    return key === undefined ? { clientId, origin: this.origin } : { clientId, origin: this.origin, key }
  }

  /** Whether its client has said so in its hello. */
  understands(feature: ClientFeature): boolean {
    return this.#hello?.features?.includes(feature) ?? false
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

  #receive(data: Buffer, isBinary: boolean): void {
    // Until the other side has closed, too, ws would go on reading; one that talks on instead is heard no more, and cut in time.
    if (this.#state.name === 'closed') return this.#ws.pause()
    beginInput()
    this.#untilWelcome?.messageRead()
    if (this.#untilWelcome && !this.#mayGoOn(data.length)) return
    const bytes = data.length
    if (isBinary) return this.#dispatch({ type: 'bad-frame', error: 'frames are text, not binary', bytes })
    const decoded = decodeClientFrame(data.toString())
    if (!decoded.ok) return this.#dispatch({ ...decoded, type: 'bad-frame', bytes })
    const { frame } = decoded
    if (frame.t === 'proof') {
      this.#ticket = frame.ticket
      return this.#dispatch({ type: 'proof', signature: frame.signature })
    }
    if (frame.t !== 'hello') return this.#dispatch({ type: 'frame', frame, bytes })
    if (this.#state.name === 'awaiting-hello') this.#hello = frame
    if (this.#state.name === 'awaiting-hello') this.#ticket = frame.ticket
    // With a key that is to be proved it does not count yet, and its ticket comes with the proof.
    const standing = frame.key === undefined ? this.#standing() : this.#ports.standingOf(this.caller)
    if (standing === 'trusted' && !this.#ports.hasRoom()) return this.hangUp('busy')
    this.#dispatch({ type: 'hello', frame, standing })
  }

  /** @param bytes of a stranger's message */
  #mayGoOn(bytes: number): boolean {
    if (bytes > WIRE_LIMITS.firstFrameBytes) this.hangUp('tooBig')
    else if (!this.#untilWelcome?.take(performance.now())) this.hangUp('badHandshake')
    return this.#state.name !== 'closed'
  }

  #control(data: Buffer): void {
    this.#untilWelcome?.controlRead(data.length)
    if (this.#untilWelcome?.take(performance.now()) === false) this.hangUp('badHandshake')
  }

  #dispatch(event: SessionEvent): void {
    const { state, effects } = step(this.#state, event)
    this.#state = state
    if ('hello' in state) this.#hello = state.hello
    const { name } = state
    if (name === 'awaiting-decision' || name === 'welcomed') this.#untilKnown?.onKnown()
    if (name === 'awaiting-decision' || name === 'welcomed' || name === 'closed') {
      clearTimeout(this.#untilKnown?.timer)
      this.#untilKnown = undefined
      this.#proof = undefined
    }
    if (name === 'welcomed' || name === 'closed') {
      this.#untilWelcome?.stop()
      this.#untilWelcome = undefined
    }
    for (const effect of effects) this.#perform(effect)
  }

  #perform(effect: SessionEffect): void {
    switch (effect.type) {
      case 'welcome':
        this.#wasWelcomed = true
        this.#onWelcome(this.#socket)
        this.send(this.#ports.welcome(this))
        return this.#ports.onChange(this, 'welcomed')
      case 'take-up':
        // One by one: the welcome, or one of them, may have ended the session.
        for (const event of effect.events) this.#dispatch(event)
        return
      case 'challenge':
        return this.#challenge(effect.hello)
      case 'check-proof':
        return this.#checkProof(effect.signature)
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
    if (t === 'preview') return this.send({ t: 'preview:err', id, error })
    if (t === 'cmd:exec') return refuseCommand(this, id, error)
    this.send({ t: 'error', id, error })
  }

  #challenge(hello: Hello): void {
    this.#proof = this.#ports.proofs.begin(hello, this.origin)
    if (!this.#proof) return this.hangUp('badHandshake')
    const sent = this.#proof.challenge().then((challenge) => {
      if (this.#state.name === 'awaiting-proof') this.send(challenge)
    })
    sent.catch((error: unknown) => this.#cannotProve(error))
  }

  #checkProof(signature: string): void {
    const checked = this.#proof?.check(signature).then((isValid) => {
      if (this.#state.name !== 'checking-proof') return
      const standing = isValid ? this.#standing() : 'unknown'
      if (isValid && standing === 'trusted' && !this.#ports.hasRoom()) return this.hangUp('busy')
      this.#dispatch({ type: 'proof-checked', isValid, standing })
    })
    checked?.catch((error: unknown) => this.#cannotProve(error))
  }

  /** Who it is has been shown; a ticket is spent by it. */
  #standing(): Standing {
    const brought = this.#ticket
    this.#ticket = undefined
    this.#isServed ||= brought !== undefined && this.#ports.tickets.accept(brought, this.caller)
    const isOwed = !this.#isServed && this.#ports.tickets.isOwedBy(this)
    return isOwed ? 'ticketless' : this.#ports.standingOf(this.caller)
  }

  #cannotProve(error: unknown): void {
    this.#ports.onBug(error)
    this.hangUp('proofFailed')
  }

  /** What was said before goes out first; a client that does not take the close frame in time is cut (ws: closeTimeout). */
  #close(reason: CloseReason): void {
    this.#ports.fanOut.flush()
    this.#ports.fanOut.remove(this)
    if (reason === 'proofFailed') this.#ports.onUnproven({ ...this.caller, label: this.label })
    const { code, meaning } = CLOSE_CODES[reason]
    this.#ws.close(code, meaning)
  }
}

function ignore(): void {}

// What a client may cost before it is welcomed (behaviour 141): a frame's worth of bytes that are not yet a frame, and ten messages a second.

const WINDOW_MS = 1_000
/** RFC 6455, 5.2: two bytes, eight of extended length, four of mask. */
const MAX_FRAME_HEADER_BYTES = 14

class StrangerLimits {
  readonly #socket: Duplex
  readonly #onTooBig: () => void
  /** Received since the last message ended. */
  #unread = 0
  /** Of these, what pings and pongs have taken. */
  #control = 0
  #hasRead = false
  #windowFrom = Number.NEGATIVE_INFINITY
  #messages = 0

  /** @param onTooBig what is not yet a message is larger than one may be */
  constructor(socket: Duplex, onTooBig: () => void) {
    this.#socket = socket
    this.#onTooBig = onTooBig
    // After ws, which has read the chunk by then: what it told of counts no more.
    socket.on('data', this.#count)
  }

  /** A message, ping or pong is here. @returns whether it is still within the limit */
  take(now: number): boolean {
    if (now - this.#windowFrom >= WINDOW_MS) {
      this.#windowFrom = now
      this.#messages = 0
    }
    return ++this.#messages <= WIRE_LIMITS.earlyFramesPerSecond
  }

  messageRead(): void {
    this.#hasRead = true
  }

  controlRead(bytes: number): void {
    this.#control += bytes + MAX_FRAME_HEADER_BYTES
  }

  stop(): void {
    this.#socket.off('data', this.#count)
  }

  readonly #count = (chunk: Buffer): void => {
    if (this.#hasRead) {
      // The rest of the chunk may begin the next message: at most one chunk goes uncounted.
      this.#hasRead = false
      this.#unread = 0
      this.#control = 0
      return
    }
    this.#unread += chunk.length
    if (this.#unread - this.#control > WIRE_LIMITS.firstFrameBytes + MAX_FRAME_HEADER_BYTES) this.#onTooBig()
  }
}

/** What one session has under way, and how much it may have (behaviour 30). */
class UnderWay {
  readonly #runs = new Set<string>()
  #edits = 0
  #requests = 0

  get hasRuns(): boolean {
    return this.#runs.size > 0
  }

  /** @param id of a `cmd:exec` */
  isRunning(id: string): boolean {
    return this.#runs.has(id)
  }

  /** @returns why the run may not begin */
  beginRun(id: string): string | undefined {
    if (this.#runs.has(id)) return 'a command with this id is still running'
    if (this.#runs.size >= WIRE_LIMITS.runsPerSession) {
      return `more than ${WIRE_LIMITS.runsPerSession} commands of this session are under way`
    }
    this.#runs.add(id)
    return undefined
  }

  endRun(id: string): void {
    this.#runs.delete(id)
  }

  /** A `mutate:*`. @returns why it may not begin */
  beginEdit(): string | undefined {
    if (this.#edits >= WIRE_LIMITS.editsPerSession) {
      return `more than ${WIRE_LIMITS.editsPerSession} edits of this session are under way`
    }
    this.#edits++
    return undefined
  }

  endEdit(): void {
    this.#edits--
  }

  /** A question. @returns why it may not begin */
  beginRequest(): string | undefined {
    if (this.#requests >= WIRE_LIMITS.requestsPerSession) {
      return `more than ${WIRE_LIMITS.requestsPerSession} questions of this session are under way`
    }
    this.#requests++
    return undefined
  }

  endRequest(): void {
    this.#requests--
  }
}

/** Whose `cmd:exec` is refused. */
interface CommandSender {
  readonly underWay: Pick<UnderWay, 'isRunning'>
  send(frame: ServerFrame): void
}

/** A refused `cmd:exec` is answered as one that ran and failed (behaviour 14), unless a run of that id is under way and still owes its `cmd:done`. */
export function refuseCommand(sender: CommandSender, id: string, error: string): void {
  if (sender.underWay.isRunning(id)) return sender.send({ t: 'error', id, error })
  sender.send({ t: 'cmd:output', id, kind: 'error', text: error })
  sender.send({ t: 'cmd:done', id, success: false, error })
}
