// What a web app holds of hookline. Wiring only: the connection's life is in connection.ts, calls in pending-calls.ts.
import { defined } from '../base/defined.ts'
import { LISTENER_HOST, LISTENER_PORT } from '../protocol/address.ts'
import { decodeClientFrame, encodeFrame } from '../protocol/decode.ts'
import type { QuestionFrame, QuestionName } from '../protocol/desk-frames.ts'
import { type ClientFrame, type Frame, type ServerFrame, type Topic, WIRE_LIMITS } from '../protocol/frames.ts'
import type { Preview } from '../protocol/preview.ts'
import type { AskedGrant } from '../protocol/rows.ts'
import { type ClientKeys, hasWebCrypto } from './client-keys.ts'
import { Connection, type WebSocketConstructor } from './connection.ts'
import type { ConnectionState } from './connection-state.ts'
import { Handlers } from './handlers.ts'
import {
  ClientError,
  type MutateFrame,
  notConnected,
  type PendingCall,
  PendingCalls,
  pendingMutation,
  pendingPreview,
} from './pending-calls.ts'
import type { PinStore } from './pinned-listener.ts'
import { Pulse, type Random, REAL_TIMERS, type Timers } from './pulse.ts'
import { type Answer, pendingQuestion, type Question, type Questions, questionsBy } from './questions.ts'
import { type OutputLine, PendingRun, type RemoteRun } from './remote-run.ts'
import { KeptWatches, Subscriptions, type Watches } from './subscriptions.ts'

/** A frame's fields, as a caller fills them in. */
export type Change<T extends MutateFrame['t']> = Omit<Frame<T>, 't' | 'id'>

/**
 * Each resolves with `mutate:ack.data`: the row as written, without secrets, or `{applied: false}` when a newer edit was stored before.
 * Rejects with a {@link ClientError}.
 */
export interface Mutations {
  hook(change: Change<'mutate:hook'>): Promise<unknown>
  account(change: Change<'mutate:account'>): Promise<unknown>
  crossTradeConfig(change: Change<'mutate:cross-trade-config'>): Promise<unknown>
}

/** See {@link HooklineClient.onUnread}. */
export interface Unread {
  readonly t: string
  /** By what names them. */
  readonly setAside: readonly string[]
  /** Absent: the rest of the frame was read. */
  readonly error?: string
}

export interface HooklineClient {
  readonly state: ConnectionState
  /** Called after each change, not at once. @returns stops the calls */
  onState(handler: (state: ConnectionState) => void): () => void
  /**
   * Since when a hookline that is connected has said nothing, not even its beats: it hangs, or its machine sleeps, and what was shown is of then;
   * ms since the epoch. undefined: it is there, is not connected, or is too old to beat.
   */
  readonly silentSince: number | undefined
  /** @returns stops the calls */
  onSilence(handler: (since: number | undefined) => void): () => void
  /** Connects and stays connected until {@link disconnect} or a fatal answer; in `waiting-to-reconnect`, tries now. */
  connect(): void
  disconnect(): void
  /**
   * A person has compared what was expected with what came, and agrees. Means nothing unless `listenerId` is the `got` of the state
   * `other-listener`, or of `unproven-listener`, where it is a key.
   */
  acceptListener(listenerId: string): void
  /** Runs a line as if typed. Never waits for a connection and is never repeated. Never throws: see {@link RemoteRun.result}. */
  exec(command: string, options?: ExecOptions): RemoteRun
  /**
   * What a line would do if it ran now; nothing is sent. A later one takes the place of an earlier one, which rejects with the code `superseded`.
   * Rejects with a {@link ClientError}.
   */
  preview(command: string, options?: Pick<ExecOptions, 'account' | 'symbol'>): Promise<Preview>
  /** As {@link preview}: what a fire of a hook would do now, with what its alert says as `body`. */
  testHook(hookId: string, body?: string): Promise<Preview>
  readonly mutate: Mutations
  /** What ran, what filled, what it brought; what may be typed. */
  readonly ask: Questions
  /** A symbol's market, or an account's portfolio, that need not be in focus; also after each reconnect. */
  readonly watch: Watches
  /** Snapshots come to {@link on}, also after each reconnect. @returns takes the wish back */
  subscribe(...topics: readonly Topic[]): () => void
  /** Every frame of that type from a hookline that has welcomed us, also those that answer a call. @returns stops the calls */
  on<T extends ServerFrame['t']>(t: T, handler: (frame: Frame<T>) => void): () => void
  /** What arrived and was ignored; one line each. @returns stops the calls */
  onBadFrame(handler: (error: string) => void): () => void
  /**
   * What hookline said and this client could not read: rows of a frame, which came without them, or all of it; what is known of that `t` is then
   * of an earlier frame. @returns stops the calls
   */
  onUnread(handler: (unread: Unread) => void): () => void
  /** Whether a `cmd:*` frame's id is of this client's {@link exec}; others are of hooks. */
  isOwnRun(id: string): boolean
  /** This tab leads cross-trading with enabled configs. */
  setWebCrossTradeActive(isActive: boolean): void
}

/** @throws {TypeError} options that can never work, or no WebSocket in this environment and none given */
export function createHooklineClient(options: ClientOptions): HooklineClient {
  const { clientId, url = LISTENER_WS_URL, WebSocket = globalThis.WebSocket } = options
  if (clientId.length < 1 || clientId.length > WIRE_LIMITS.clientIdLength) {
    throw new TypeError(`a clientId has 1 to ${WIRE_LIMITS.clientIdLength} characters`)
  }
  if (!/^wss?:$/.test(new URL(url).protocol)) throw new TypeError('the url of a WebSocket begins with ws:// or wss://')
  if (WebSocket === undefined) throw new TypeError('there is no WebSocket here; pass one in the options')
  return new Client({ ...options, url, WebSocket })
}

/** @throws {TypeError} */
function proofOf({ keys, origin = globalThis.location?.origin }: ClientOptions) {
  if (keys === undefined) return undefined
  if (!hasWebCrypto()) throw new TypeError('keys need WebCrypto, which a page has in a secure context only')
  if (origin === undefined) throw new TypeError('keys need the origin that the WebSocket sends')
  return { keys, origin }
}

class Client implements HooklineClient {
  readonly mutate: Mutations = {
    hook: (change) => this.#mutate({ ...change, t: 'mutate:hook', id: this.#newId() }),
    account: (change) => this.#mutate({ ...change, t: 'mutate:account', id: this.#newId() }),
    crossTradeConfig: (change) => this.#mutate({ ...change, t: 'mutate:cross-trade-config', id: this.#newId() }),
  }
  readonly ask = questionsBy((t, question) => this.#ask(t, question))
  readonly #watches = new KeptWatches(
    () => this.#newId(),
    (frame) => void this.#connection.send(frame),
  )
  readonly watch: Watches = this.#watches
  readonly #connection: Connection
  readonly #calls = new PendingCalls()
  readonly #pulse: Pulse
  readonly #subscriptions: Subscriptions
  readonly #states = new Handlers<ConnectionState>()
  readonly #badFrames = new Handlers<string>()
  readonly #unread = new Handlers<Unread>()
  readonly #frames = new Map<ServerFrame['t'], Handlers<ServerFrame>>()
  readonly #nudges: Nudges
  #stopNudges: (() => void) | undefined
  #hello: Frame<'hello'>
  readonly #ownIds = `${crypto.randomUUID()}.`
  /** Of the document, then of the last welcome. */
  #ticket: string | undefined
  #lastId = 0

  constructor(options: ClientOptions & Required<Pick<ClientOptions, 'url' | 'WebSocket'>>) {
    const { clientId, label, pin, url, WebSocket, ...ports } = options
    this.#ticket = options.ticket
    const proof = proofOf(options)
    this.#hello = {
      t: 'hello',
      clientId,
      label: label.slice(0, WIRE_LIMITS.labelLength),
      webCrossTradeActive: false,
      // Who says anything of features is told in the welcome what hookline has.
      features: options.batches === true ? ['batches', 'beats'] : ['beats'],
      ...defined({ grant: options.grant }),
    }
    this.#nudges = ports.nudges ?? pageNudges()
    const timers = ports.timers ?? REAL_TIMERS
    this.#pulse = new Pulse(timers)
    this.#connection = new Connection({
      url,
      pin,
      proof,
      WebSocket,
      timers,
      random: ports.random ?? Math.random,
      longestRetryMs: ports.longestRetryMs,
      hello: () => this.#hello,
      ticket: () => this.#ticket,
      onState: (state) => {
        if (state.name !== 'welcomed') this.#pulse.stop()
        this.#states.call(state)
      },
      onFrame: (frame, setAside) => {
        this.#receive(frame)
        if (setAside.length > 0) this.#unread.call({ t: frame.t, setAside })
      },
      onUnreadable: (error, t, id) => {
        this.#pulse.received(undefined)
        if (id !== undefined) this.#calls.unreadable(id, t, error)
        if (id !== undefined) this.#watches.unreadable(id, error)
        this.#unread.call({ t, setAside: [], error })
      },
      onBadFrame: (error) => this.#badFrames.call(error),
      restoreSubscriptions: () => {
        this.#subscriptions.restore()
        this.#watches.restore()
      },
      settleCalls: () => this.#calls.settleAll(),
    })
    this.#subscriptions = new Subscriptions((frame) => void this.#connection.send(frame))
  }

  get state(): ConnectionState {
    return this.#connection.state
  }

  onState(handler: (state: ConnectionState) => void): () => void {
    return this.#states.add(handler)
  }

  get silentSince(): number | undefined {
    return this.#pulse.silentSince
  }

  onSilence(handler: (since: number | undefined) => void): () => void {
    return this.#pulse.onSilence(handler)
  }

  connect(): void {
    this.#stopNudges ??= this.#nudges.watch(() => this.#connection.dispatch({ type: 'nudge' }))
    this.#connection.dispatch({ type: 'connect' })
  }

  disconnect(): void {
    this.#stopNudges?.()
    this.#stopNudges = undefined
    this.#connection.dispatch({ type: 'disconnect' })
  }

  acceptListener(listenerId: string): void {
    this.#connection.dispatch({ type: 'accept-listener', listenerId })
  }

  exec(command: string, { onLateOutput, withinMs = WIRE_LIMITS.lineMs, ...scope }: ExecOptions = {}): RemoteRun {
    const run = new PendingRun(this.#newId(), onLateOutput)
    const latest = Number.isFinite(withinMs) ? { latest: Math.max(0, Math.trunc(this.#pulse.time + withinMs)) } : {}
    this.#call({ ...scope, ...latest, t: 'cmd:exec', id: run.id, command }, run)
    return run
  }

  preview(command: string, { account, symbol }: Pick<ExecOptions, 'account' | 'symbol'> = {}): Promise<Preview> {
    const call = pendingPreview()
    const scope = defined({ account, symbol })
    this.#call({ ...scope, t: 'preview', id: this.#newId(), command }, call)
    return call.answered
  }

  testHook(hookId: string, body?: string): Promise<Preview> {
    const call = pendingPreview()
    this.#call({ t: 'hooks:test', id: this.#newId(), hookId, ...defined({ body }) }, call)
    return call.answered
  }

  subscribe(...topics: readonly Topic[]): () => void {
    return this.#subscriptions.add(topics)
  }

  on<T extends ServerFrame['t']>(t: T, handler: (frame: Frame<T>) => void): () => void {
    const handlers = this.#frames.get(t) ?? new Handlers<ServerFrame>()
    this.#frames.set(t, handlers)
    return handlers.add((frame) => handler(frame as Frame<T>))
  }

  onBadFrame(handler: (error: string) => void): () => void {
    return this.#badFrames.add(handler)
  }

  onUnread(handler: (unread: Unread) => void): () => void {
    return this.#unread.add(handler)
  }

  isOwnRun(id: string): boolean {
    return id.startsWith(this.#ownIds)
  }

  setWebCrossTradeActive(isActive: boolean): void {
    if (this.#hello.webCrossTradeActive === isActive) return
    this.#hello = { ...this.#hello, webCrossTradeActive: isActive }
    this.#connection.sendFlags({ t: 'client:state', webCrossTradeActive: isActive })
  }

  #mutate(frame: MutateFrame): Promise<unknown> {
    const call = pendingMutation()
    this.#call(frame, call)
    return call.answered
  }

  #ask<T extends QuestionName>(t: T, question: Question<T>): Promise<Answer<T>> {
    const call = pendingQuestion(t)
    this.#call({ ...question, t, id: this.#newId() } as unknown as QuestionFrame, call)
    return call.answered
  }

  /** Known before it is sent: an answer always finds who waits for it. */
  #call(
    frame: Frame<'cmd:exec'> | Frame<'preview'> | Frame<'hooks:test'> | MutateFrame | QuestionFrame,
    call: PendingCall,
  ): void {
    const fault = faultIn(frame)
    if (fault !== undefined) return call.fail(new ClientError('invalid-call', 'not-sent', fault))
    this.#calls.add(frame.id, call)
    if (this.#connection.send(frame) === 'sent') return
    this.#calls.forget(frame.id)
    call.fail(notConnected())
  }

  #receive(frame: ServerFrame): void {
    this.#pulse.received(frame.t === 'beat' ? frame.at : undefined)
    if (frame.t === 'welcome') this.#ticket = frame.ticket ?? this.#ticket
    this.#calls.take(frame)
    this.#watches.take(frame)
    this.#frames.get(frame.t)?.call(frame)
  }

  #newId(): string {
    return `${this.#ownIds}${++this.#lastId}`
  }
}

/** What hookline would answer to it, known without asking. */
function faultIn(frame: ClientFrame): string | undefined {
  const decoded = decodeClientFrame(encodeFrame(frame))
  return decoded.ok ? undefined : decoded.error
}

// What a page says of itself to its client, and of a line that it runs.

/** A page changes hookline's address in tests only; never take it from a link. */
export const LISTENER_WS_URL = `ws://${LISTENER_HOST}:${LISTENER_PORT}/ws`

export interface ClientOptions {
  /** 1 to 64 characters: a UUID of this browser's own (client-id.ts). */
  readonly clientId: string
  /** What the operator reads in the question; cut at 200 characters. */
  readonly label: string
  readonly pin: PinStore
  /**
   * By which this client proves itself, and wants hookline to: in a page `storedKeys`, elsewhere `keysOf` a pair of your own. Without them
   * the `clientId` is all that the operator's trust rests on, and hookline says so.
   */
  readonly keys?: ClientKeys | undefined
  /** Of a page of hookline's own console: what its document was given, to show that hookline's server gave it out. */
  readonly ticket?: string | undefined
  /** With `keys`: the `Origin` that the WebSocket sends. Default the page's. */
  readonly origin?: string
  /**
   * Output in batches: a run's lines come together, at most every 50 ms, and `lines` of a `cmd:output` must be read too (`linesOf`). For a
   * page that shows the output of many runs. Default false.
   */
  readonly batches?: boolean
  /** What the operator is asked to grant, where this client is not approved yet; the answer may give less. Absent: what pages have. */
  readonly grant?: AskedGrant
  /** Default {@link LISTENER_WS_URL}. */
  readonly url?: string
  /** Default the environment's. */
  readonly WebSocket?: WebSocketConstructor
  /** When to try again at once. Default the page's: the tab became visible, the network returned. */
  readonly nudges?: Nudges
  /** The longest wait between two attempts, ms: a page that someone looks at may ask a program on its own machine often. Default 60 s. */
  readonly longestRetryMs?: () => number | undefined
  readonly timers?: Timers
  readonly random?: Random
}

export interface ExecOptions {
  /** This run only; default the one focused in hookline. */
  readonly account?: string
  readonly symbol?: string
  /** The run goes on though this client leaves; otherwise it ends 30 s after. */
  readonly detach?: boolean
  /** How long after now the line may still begin: a hookline that reads it later refuses it. Default 30 s; `Infinity`: whenever it is read. */
  readonly withinMs?: number
  /** What chained or lasting work prints after the run's end, for as long as the connection lasts. */
  readonly onLateOutput?: (line: OutputLine) => void
}

// When waiting for the next attempt is pointless: someone has come back to the tab, or the network has.

export interface Nudges {
  /** @returns stops the calls */
  watch(nudge: () => void): () => void
}

/** What is needed of `document` and of `window`. */
interface PageEvents {
  addEventListener(type: string, handler: () => void): void
  removeEventListener(type: string, handler: () => void): void
}
interface PageVisibility extends PageEvents {
  readonly visibilityState: string
}

/** Of the page this runs in; there are none outside a browser. */
export function pageNudges(
  document: PageVisibility | undefined = globalThis.document,
  window: PageEvents | undefined = globalThis.window,
): Nudges {
  return {
    watch(nudge) {
      const nudgeIfVisible = () => {
        if (document?.visibilityState === 'visible') nudge()
      }
      document?.addEventListener('visibilitychange', nudgeIfVisible)
      window?.addEventListener('online', nudge)
      return () => {
        document?.removeEventListener('visibilitychange', nudgeIfVisible)
        window?.removeEventListener('online', nudge)
      }
    },
  }
}
