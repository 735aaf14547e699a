// One lasting connection: the only file that performs what connection-state.ts decides, over one socket and one timer.
import type { ClientFrame, Frame, ServerFrame } from '../protocol/frames.ts'
import type { Delivery } from './client-error.ts'
import { type ConnectionEffect, type ConnectionEvent, type ConnectionState, IDLE, step } from './connection-state.ts'
import type { PinStore } from './pinned-listener.ts'
import { openSocket, type Socket, type SocketHandlers, type WebSocketConstructor } from './socket.ts'
import type { Random, Timers } from './timers.ts'

/** A trusted client is welcomed within a few ms; hookline has no frame for "the operator is being asked". */
export const SILENCE_MS = 300

export interface ConnectionOptions {
  readonly url: string
  readonly WebSocket: WebSocketConstructor
  readonly pin: PinStore
  readonly timers: Timers
  readonly random: Random
  hello(): Frame<'hello'>
  /** After everything else about the change is done. */
  onState(state: ConnectionState): void
  /** A frame of a hookline that has welcomed us. */
  onFrame(frame: ServerFrame): void
  onBadFrame(error: string): void
  restoreSubscriptions(): void
  settleCalls(): void
}

export class Connection {
  readonly #options: ConnectionOptions
  #state: ConnectionState = IDLE
  #socket: Socket | undefined
  #hasSaidHello = false
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

  /** The one frame that may follow `hello` before `welcome`; where `hello` is still to come, it will say it. */
  sendFlags(frame: Frame<'client:state'>): void {
    if (this.#hasSaidHello) this.#sendNow(frame)
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
      case 'say-hello':
        this.#sendNow(this.#options.hello())
        this.#hasSaidHello = true
        return this.#after(SILENCE_MS, { type: 'silence' })
      case 'pin':
        return this.#options.pin.write(effect.listenerId)
      case 'restore-subscriptions':
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
    this.#hasSaidHello = false
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
      frame: (frame) => this.#receive(frame),
      badFrame: (error) => this.#options.onBadFrame(error),
      closed: (code) => this.#closed(code),
    }
  }

  #receive(frame: ServerFrame): void {
    const { pin, timers, onFrame, onBadFrame } = this.#options
    if (frame.t === 'rejected') return this.dispatch({ type: 'rejected' })
    if (frame.t !== 'welcome') {
      if (this.#state.name === 'welcomed') return onFrame(frame)
      return onBadFrame(`${frame.t} came before welcome`)
    }
    const { listenerId, user } = frame
    if (listenerId === '') return onBadFrame('the welcome has no listenerId')
    this.dispatch({ type: 'welcome', listenerId, email: user.email, pinned: pin.read(), at: timers.now() })
    if (this.#state.name === 'welcomed') onFrame(frame)
  }

  #closed(code: number): void {
    this.#socket = undefined
    this.dispatch({ type: 'closed', code, at: this.#options.timers.now(), random: this.#options.random() })
  }

  #sendNow(frame: ClientFrame): Delivery {
    return this.#socket?.send(frame) ?? 'not-sent'
  }

  #after(ms: number, event: ConnectionEvent): void {
    this.#cancelTimer = this.#options.timers.after(ms, () => this.dispatch(event))
  }
}
