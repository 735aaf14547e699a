// What the page does: connects when it may, runs commands, keeps the state that panels read. The only file that holds the client.
import { shouldProbe } from '../client/auto-connect.ts'
import type { Change, HooklineClient } from '../client/client.ts'
import { ClientError } from '../client/client-error.ts'
import { type LoopbackAccess, probeLoopback } from '../client/loopback-permission.ts'
import type { PinStore } from '../client/pinned-listener.ts'
import type { ServerFrame } from '../protocol/frames.ts'
import type { WebSettings } from '../protocol/web-api.ts'
import { type ConsoleEvent, type ConsoleState, INITIAL, type OutputLine, reduce } from './console-state.ts'
import { checkinTimes, trustListener } from './settings.ts'

/** Where output goes: the terminal. */
export interface Transcript {
  echo(command: string): void
  print(line: OutputLine): void
  /** `hookId` is unknown where hookline is too old to tell. */
  printOfHook(line: OutputLine, hookId: string | undefined): void
}

export interface ConsoleOptions {
  readonly client: HooklineClient
  readonly pin: PinStore
  readonly clientId: string
  readonly label: string
  readonly deviceKey: string
}

export type HookChange = Change<'mutate:hook'>

const TOPICS = ['accounts', 'hooks', 'hook-output', 'tasks', 'cross-trade'] as const
/** Each in a frame of its own: a hookline that lacks one would refuse the others with it. */
const LATER_TOPICS = ['focus', 'flags', 'portfolio'] as const
const SNAPSHOTS = [
  'state:accounts',
  'state:hooks',
  'state:tasks',
  'state:cross-trade',
  'state:portfolio',
  'state:focus',
  'state:flags',
] as const
/** Longer than any answer from this machine takes. */
const SLOW_MS = 1_200

export class Console {
  readonly clientId: string
  readonly label: string
  readonly #client: HooklineClient
  readonly #pin: PinStore
  readonly #deviceKey: string
  readonly #listeners = new Set<() => void>()
  #state = INITIAL
  #transcript: Transcript | undefined
  #unprinted: ((transcript: Transcript) => void)[] = []
  #leaveTopics: (() => void)[] = []
  #cancelSlow = () => {}

  constructor(options: ConsoleOptions) {
    this.clientId = options.clientId
    this.label = options.label
    this.#client = options.client
    this.#pin = options.pin
    this.#deviceKey = options.deviceKey
    this.#client.subscribe(...TOPICS)
    this.#client.onState(() => this.#connectionChanged())
    for (const t of SNAPSHOTS) this.#client.on(t, (frame) => this.#takeFrame(frame))
    this.#client.on('error', (frame) => {
      this.#takeFrame(frame)
      if (frame.id === undefined) this.#write((transcript) => transcript.print({ kind: 'error', text: frame.error }))
    })
    this.#client.on('cmd:output', (frame) => {
      if (this.#client.isOwnRun(frame.id)) return
      this.#takeFrame(frame)
      this.#write((transcript) => transcript.printOfHook(frame, frame.hookId))
    })
    this.#client.on('cmd:done', (frame) => {
      if (!this.#client.isOwnRun(frame.id)) this.#takeFrame(frame)
    })
  }

  // As useSyncExternalStore wants them: bound.
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
  readonly getState = (): ConsoleState => this.#state

  /** What was said before is shown at once. @returns stops it */
  attach(transcript: Transcript): () => void {
    this.#transcript = transcript
    for (const write of this.#unprinted) write(transcript)
    this.#unprinted = []
    return () => {
      this.#transcript = undefined
    }
  }

  /** At the page's start, without a click: only where hookline is known to be (behaviour 119). */
  async connectIfExpected(settings: WebSettings): Promise<void> {
    const { userAgent, maxTouchPoints, platform } = navigator
    const trustedListenerId = this.#pin.read() ?? settings.trustedListenerIds[this.#deviceKey]
    const checkins = checkinTimes(settings)
    const facts = { userAgent, maxTouchPoints, platform, trustedListenerId, checkins, now: Date.now() }
    if (shouldProbe(facts)) await this.connect()
  }

  /** From a click, always allowed. The look at /health comes first: it, not the WebSocket, makes browsers ask. */
  async connect(): Promise<void> {
    const access = await this.#probe()
    if (access !== 'unsupported') this.#client.connect()
  }

  disconnect(): void {
    this.#client.disconnect()
  }

  acceptListener(listenerId: string): void {
    this.#client.acceptListener(listenerId)
  }

  /** Somebody has come back to this window: no need to wait for the next attempt. */
  retryNow(): void {
    if (this.#state.connection.name === 'waiting-to-reconnect') this.#client.connect()
  }

  /**
   * Runs a line and prints what it says. It runs on the account and symbol that the prompt shows, also when the focus has moved on a moment ago.
   * @returns whether every step succeeded
   */
  async run(command: string, scope: Scope = scopeOf(this.#state)): Promise<boolean> {
    const print = (line: OutputLine) => this.#write((transcript) => transcript.print(line))
    this.#dispatch({ type: 'run-started' })
    try {
      const run = this.#client.exec(command, { ...scope, onLateOutput: print })
      for await (const line of run) print(line)
      return (await run.result).success
    } catch (error) {
      print({ kind: 'error', text: describeFailure(error) })
      return false
    } finally {
      this.#dispatch({ type: 'run-ended' })
    }
  }

  /** As {@link run}, for a button: the command is shown, so that it can be learnt. `shown`: what the button's panel shows. */
  runFromPanel(command: string, shown?: Extract<Scope, { readonly account: string }>): Promise<boolean> {
    this.#write((transcript) => transcript.echo(command))
    return this.run(command, shown && { account: shown.account, symbol: shown.symbol })
  }

  /** @returns what went wrong, in a line for people; undefined: nothing */
  async changeHook(change: HookChange): Promise<string | undefined> {
    try {
      await this.#client.mutate.hook(change)
      return undefined
    } catch (error) {
      return describeFailure(error)
    }
  }

  #connectionChanged(): void {
    const connection = this.#client.state
    this.#dispatch({ type: 'connection', connection })
    for (const leave of this.#leaveTopics) leave()
    this.#leaveTopics = []
    if (connection.name === 'welcomed') {
      this.#leaveTopics = LATER_TOPICS.map((topic) => this.#client.subscribe(topic))
      void trustListener(this.#deviceKey, connection.listenerId)
    }
    if (connection.name === 'waiting-to-reconnect' && connection.why === 'unreachable') void this.#probe()
    if (connection.name === 'connecting') this.#noticeSlowness()
  }

  async #probe(): Promise<LoopbackAccess | undefined> {
    if (this.#state.isProbing) return undefined
    this.#dispatch({ type: 'probing' })
    this.#noticeSlowness()
    const access = await probeLoopback()
    this.#dispatch({ type: 'probed', access })
    return access
  }

  #noticeSlowness(): void {
    this.#cancelSlow()
    const timer = setTimeout(() => {
      const { isProbing, connection } = this.#state
      if (isProbing || connection.name === 'connecting') this.#dispatch({ type: 'slow' })
    }, SLOW_MS)
    this.#cancelSlow = () => clearTimeout(timer)
  }

  #takeFrame(frame: ServerFrame): void {
    this.#dispatch({ type: 'frame', frame, at: Date.now() })
  }

  #write(write: (transcript: Transcript) => void): void {
    if (this.#transcript) write(this.#transcript)
    else this.#unprinted.push(write)
  }

  #dispatch(event: ConsoleEvent): void {
    this.#state = reduce(this.#state, event)
    for (const listener of this.#listeners) listener()
  }
}

/** What a run of this page runs on; empty where hookline is too old to tell: then on its focus. */
type Scope =
  | { readonly account: string; readonly symbol: string }
  | { readonly account?: never; readonly symbol?: never }

function scopeOf({ focus }: ConsoleState): Scope {
  // A config.json may name what no frame can carry; hookline then says what is wrong with it.
  return focus?.account && focus.symbol ? { account: focus.account, symbol: focus.symbol } : {}
}

function describeFailure(error: unknown): string {
  if (!(error instanceof ClientError)) throw error
  // The client's own hint is for programmers.
  if (error.code === 'not-connected')
    return 'nothing was sent: this page is not connected (the badge above says what to do)'
  return error.hint === undefined ? error.message : `${error.message}; ${error.hint}`
}
