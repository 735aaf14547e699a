// The console: connects when it may, runs commands, keeps the state that panels read. The only file that holds the client.
import { createStore, type StoreApi } from 'zustand/vanilla'
import { shouldProbe } from '../client/auto-connect.ts'
import type { Change, HooklineClient } from '../client/client.ts'
import type { ConnectionState } from '../client/connection-state.ts'
import { type LoopbackAccess, probeLoopback } from '../client/loopback-permission.ts'
import { ClientError } from '../client/pending-calls.ts'
import type { PinStore } from '../client/pinned-listener.ts'
import { linesOf } from '../client/remote-run.ts'
import { readJson, readText, TAB_STORAGE, writeJson, writeText } from '../client/text-storage.ts'
import { type ServerFrame, WIRE_LIMITS } from '../protocol/frames.ts'
import type { WebSettings } from '../protocol/web-api.ts'
import { showTime } from './figures.ts'
import { FrameBatches } from './frame-batches.ts'
import { type Looks, ScopeWatches, type SharedMarkets, sharing } from './market-watches.ts'
import { notifyButtonRun, notifyFrame } from './notifications/news.ts'
import { checkinTimes, trustListener } from './settings.ts'
import {
  type Chosen,
  type ConsoleEvent,
  type ConsoleState,
  hookName,
  INITIAL,
  keptOutcome,
  type Outcome,
  type OutputLine,
  outcomeOfRun,
  promptText,
  reduce,
  scopeOf,
} from './state/console-state.ts'
import { OutputLog } from './terminal/output-log.ts'

interface ConsoleOptions {
  readonly client: HooklineClient
  readonly pin: PinStore
  readonly clientId: string
  readonly label: string
  /** The public key by which this page proves itself; undefined where it cannot. */
  readonly key: string | undefined
  readonly deviceKey: string
  /** The id of who is signed in; of a console for many. */
  readonly account?: string | undefined
  /** As {@link chosenAtStart} reads it. Default: this tab follows the operator's focus. */
  readonly chosen?: Chosen | undefined
}

/** In the session of the tab. */
export const CHOSEN_KEY = 'hookline.chosen'
const OUTCOME_KEY = 'hookline.outcome'

interface Arrived {
  readonly frame: ServerFrame
  readonly at: number
}

export type HookChange = Change<'mutate:hook'>

const TOPICS = ['accounts', 'hooks', 'hook-output', 'tasks', 'cross-trade'] as const
/** Each in a frame of its own: a hookline that lacks one would refuse the others with it. */
const LATER_TOPICS = ['focus', 'flags', 'portfolio', 'notices', 'proposals'] as const
const SNAPSHOTS = [
  'state:accounts',
  'state:hooks',
  'state:tasks',
  'state:cross-trade',
  'state:portfolio',
  'state:focus',
  'state:flags',
  'state:notices',
  'state:proposals',
] as const
const NOT_BEGUN =
  'still no answer: a line that hookline had not read when it fell silent is not run any more; look at orders and positions once it is back'
/** Longer than any answer from this machine takes. */
const SLOW_MS = 1_200

export class Console {
  readonly clientId: string
  readonly label: string
  readonly key: string | undefined
  readonly log = new OutputLog()
  /** ms since the epoch. */
  readonly openedAt = Date.now()
  /** This browser has been let in by a hookline before. */
  readonly isKnownHere: boolean
  readonly looks: Looks
  readonly #client: HooklineClient
  readonly #markets: SharedMarkets
  readonly #pin: PinStore
  readonly #deviceKey: string
  readonly #account: string | undefined
  readonly #store: StoreApi<ConsoleState> = createStore(() => INITIAL)
  readonly #frames = new FrameBatches<Arrived>((batch) => this.#takeBatch(batch))
  #leaveTopics: (() => void)[] = []
  #cancelSlow = () => {}
  /** One for each run that has not ended. */
  readonly #unanswered = new Set<(since: number) => void>()
  /** After another hookline: whether the right one is back. */
  readonly #rechecks = new QuietRechecks(() => this.#client.connect())

  constructor(options: ConsoleOptions) {
    this.clientId = options.clientId
    this.label = options.label
    this.key = options.key
    this.#client = options.client
    this.#pin = options.pin
    const { listenerId, key } = options.pin.read()
    this.isKnownHere = listenerId !== undefined || key !== undefined
    this.#deviceKey = options.deviceKey
    this.#account = options.account
    this.#store.setState({ chosen: options.chosen ?? {}, lastOutcome: keptOutcome(readJson(OUTCOME_KEY, TAB_STORAGE)) })
    this.#store.subscribe(({ lastOutcome }, before) => {
      if (lastOutcome !== before.lastOutcome) writeJson(OUTCOME_KEY, lastOutcome, TAB_STORAGE)
    })
    const { markets, looks } = sharing(options.client)
    this.#markets = markets
    this.looks = looks
    const watches = new ScopeWatches(looks.watch, (news) => this.#dispatch({ type: 'scope-news', news }))
    this.#store.subscribe((state) => watches.follow(state))
    this.#client.subscribe(...TOPICS)
    this.#client.onState(() => this.#connectionChanged())
    this.#client.onSilence((since) => this.#silenceChanged(since))
    this.#client.onUnread((unread) => this.#dispatch({ type: 'unread', unread, at: Date.now() }))
    for (const t of SNAPSHOTS) this.#client.on(t, (frame) => this.#takeFrame(frame))
    this.#client.on('error', (frame) => {
      this.#takeFrame(frame)
      if (frame.id === undefined) this.#print({ kind: 'error', text: frame.error })
    })
    this.#client.on('cmd:output', (frame) => {
      if (this.#client.isOwnRun(frame.id)) return
      this.#takeFrame(frame)
      const source = `[${sourceOf(this.getState(), frame.hookId)}] `
      for (const line of linesOf(frame)) this.#print(line, source)
    })
    this.#client.on('cmd:done', (frame) => {
      if (!this.#client.isOwnRun(frame.id)) this.#takeFrame(frame)
    })
  }

  /** For `useDesk`. */
  get store(): Pick<StoreApi<ConsoleState>, 'getState' | 'getInitialState' | 'subscribe'> {
    return this.#store
  }

  /** Queries: each has one answer or rejects. */
  get ask(): HooklineClient['ask'] {
    return this.#client.ask
  }

  /** Rows of cross-trading; each rejects with a `ClientError`. */
  get mutate(): Pick<HooklineClient['mutate'], 'crossTradeConfig'> {
    return this.#client.mutate
  }

  /** Frames of topics that only one page reads. */
  get feed(): Pick<HooklineClient, 'on' | 'subscribe'> {
    return this.#client
  }

  getState(): ConsoleState {
    return this.#store.getState()
  }

  /** Sets the scope of commands of this tab; undefined follows the operator's focus. */
  choose(chosen: Chosen): void {
    this.#dispatch({ type: 'choose', chosen })
    writeJson(CHOSEN_KEY, this.getState().chosen, TAB_STORAGE)
  }

  /** What is filled in for this account and symbol stays theirs: the operator's focus may move on. */
  pinScope(): void {
    const { chosen } = this.getState()
    const scope = scopeOf(this.getState())
    if (scope !== undefined && (chosen.account === undefined || chosen.symbol === undefined)) this.choose(scope)
  }

  /** At the page's start, without a click: only where hookline is known to be (behaviour 119). */
  async connectIfExpected(settings: WebSettings): Promise<void> {
    if (readText(REVOKED) !== undefined) return
    const { userAgent, maxTouchPoints, platform } = navigator
    const { listenerId, key } = this.#pin.read()
    const knowsListener = listenerId !== undefined || key !== undefined || settings.trustedOn.includes(this.#deviceKey)
    const now = Date.now()
    const checkins = checkinTimes(settings, now)
    const facts = { userAgent, maxTouchPoints, platform, knowsListener, checkins, now }
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
    this.#rechecks.afterLook(() => this.#client.acceptListener(listenerId))
  }

  /** The window is in front again: the next attempt is made at once. */
  retryNow(): void {
    if (this.getState().connection.name === 'waiting-to-reconnect') this.#client.connect()
  }

  /**
   * Runs a line and prints its output. It runs on the account and symbol that the prompt shows, also when the focus has moved on a moment ago.
   * @returns its outcome: of this run alone
   */
  async run(
    command: string,
    scope: Scope = scopeOf(this.getState()) ?? {},
    read?: (line: OutputLine) => void,
  ): Promise<Outcome> {
    const print = (line: OutputLine) => {
      this.#print(line)
      read?.(line)
    }
    this.#dispatch({ type: 'run-started' })
    const overdue = this.#noteNoAnswer(print)
    try {
      const run = this.#client.exec(command, { ...scope, onLateOutput: print })
      const printed: OutputLine[] = []
      for await (const line of run) {
        print(line)
        const isFirstWarning = line.kind === 'warn' && printed.every(({ kind }) => kind !== 'warn')
        if (printed.length < 2 || isFirstWarning) printed.push(line)
      }
      return this.#ended(outcomeOfRun(await run.result, command, printed), command, scope.account)
    } catch (error) {
      const text = describeFailure(error)
      print({ kind: 'error', text })
      return this.#ended({ isDone: false, text }, command, scope.account)
    } finally {
      overdue()
      this.#dispatch({ type: 'run-ended' })
    }
  }

  /** As {@link run}, and the line is printed above its output, with the prompt that says what it runs on. */
  runTyped(command: string, scope?: Scope, read?: (line: OutputLine) => void): Promise<Outcome> {
    this.log.typed(promptText(this.getState(), scope), command, Date.now())
    return this.run(command, scope, read)
  }

  /** As {@link run}, for a button: the command is shown, so that it can be learnt. `shown`: what the button's panel shows. */
  async runFromPanel(
    command: string | undefined,
    shown?: Extract<Scope, { readonly account: string }>,
  ): Promise<boolean> {
    const outcome =
      command === undefined
        ? { isDone: false, text: 'Nothing was sent: a name in it cannot be typed.' }
        : await this.runTyped(command, shown && { account: shown.account, symbol: shown.symbol })
    notifyButtonRun(outcome)
    return outcome.isDone
  }

  #ended(outcome: Outcome, command: string, account: string | undefined): Outcome {
    this.#dispatch({ type: 'outcome', outcome, at: Date.now(), command, account })
    return outcome
  }

  /** Turns a switch of hookline off, `listener` or one of `state:flags`. Only its terminal turns it on. */
  turnOff(flag: string): Promise<Outcome> {
    return this.runTyped(`switch off ${flag === 'listener' ? 'enabled' : flag}`)
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

  #silenceChanged(since: number | undefined): void {
    this.#dispatch({ type: 'silence', since })
    if (since === undefined) return
    for (const note of this.#unanswered) note(since)
  }

  /** Says at a line that hookline says nothing: as it is sent, or as the silence begins. @returns it has an answer */
  #noteNoAnswer(print: (line: OutputLine) => void): () => void {
    let overdue: ReturnType<typeof setTimeout> | undefined
    const note = (since: number) => {
      print({ kind: 'warn', text: `no answer yet: hookline has sent nothing since ${showTime(since, Date.now())}` })
      overdue ??= setTimeout(() => {
        if (this.getState().silentSince !== undefined) print({ kind: 'warn', text: NOT_BEGUN })
      }, WIRE_LIMITS.lineMs)
    }
    this.#unanswered.add(note)
    const { silentSince } = this.getState()
    if (silentSince !== undefined) note(silentSince)
    return () => {
      clearTimeout(overdue)
      this.#unanswered.delete(note)
    }
  }

  #connectionChanged(): void {
    const connection = this.#client.state
    if (this.#rechecks.hides(connection)) return
    this.#dispatch({ type: 'connection', connection, at: Date.now() })
    for (const leave of this.#leaveTopics) leave()
    this.#leaveTopics = []
    if (connection.name !== 'welcomed') this.#markets.forget()
    else {
      this.#leaveTopics = LATER_TOPICS.map((topic) => this.#client.subscribe(topic))
      void trustListener(this.#deviceKey, connection.listenerId, this.#account)
    }
    if (connection.name === 'waiting-to-reconnect' && connection.why === 'unreachable') void this.#probe()
    if (connection.name === 'connecting') this.#noticeSlowness()
    if (connection.name === 'welcomed') writeText(REVOKED, undefined)
    if (connection.name === 'stopped' && connection.reason === 'revoked') writeText(REVOKED, 'yes')
  }

  async #probe(): Promise<LoopbackAccess | undefined> {
    if (this.getState().isProbing) return undefined
    this.#dispatch({ type: 'probing' })
    this.#noticeSlowness()
    const access = await probeLoopback()
    this.#dispatch({ type: 'probed', access })
    return access
  }

  #noticeSlowness(): void {
    this.#cancelSlow()
    const timer = setTimeout(() => {
      const { isProbing, connection } = this.getState()
      if (isProbing || connection.name === 'connecting') this.#dispatch({ type: 'slow' })
    }, SLOW_MS)
    this.#cancelSlow = () => clearTimeout(timer)
  }

  #takeFrame(frame: ServerFrame): void {
    this.#frames.add({ frame, at: Date.now() })
  }

  #takeBatch(batch: readonly Arrived[]): void {
    for (const { frame } of batch) notifyFrame(this.getState(), frame)
    this.#store.setState(
      batch.reduce((state, { frame, at }) => reduce(state, { type: 'frame', frame, at }), this.getState()),
    )
  }

  #print(line: OutputLine, source?: string): void {
    this.log.print(line, Date.now(), source)
  }

  #dispatch(event: ConsoleEvent): void {
    // Frames that arrived earlier are reduced first.
    this.#frames.flush()
    this.#store.setState(reduce(this.getState(), event), true)
  }
}

/** The scope of a run of this page; empty where hookline is too old to take one: then its focus. */
type Scope =
  | { readonly account: string; readonly symbol: string }
  | { readonly account?: never; readonly symbol?: never }

function sourceOf({ hooks }: ConsoleState, hookId: string | undefined): string {
  const name = hookName(hooks, hookId)
  return name === undefined ? 'hook' : `hook:${name}`
}

/** A page that was shut out asks again at a click, and not because it was reloaded. */
const REVOKED = 'hookline.revoked'

/** @throws anything but a failed call */
export function describeFailure(error: unknown): string {
  if (!(error instanceof ClientError)) throw error
  // The client's own hint is for programmers.
  if (error.code === 'not-connected')
    return 'nothing was sent: this page is not connected (the badge above shows what to do)'
  return error.hint === undefined ? error.message : `${error.message}; ${error.hint}`
}

// --- While another hookline answers, the page looks every two seconds whether the right one is back: without a word, until there is another
// answer. Nothing but a greeting goes to the other one.

const EVERY_MS = 2_000

interface RecheckPorts {
  after(ms: number, callback: () => void): () => void
  /** The page may be visible. */
  isInFront(): boolean
}

const PAGE: RecheckPorts = {
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
  isInFront: () => document.visibilityState === 'visible',
}

export class QuietRechecks {
  readonly #connect: () => void
  readonly #ports: RecheckPorts
  #isLooking = false
  #cancel = () => {}
  #afterwards: (() => void)[] = []

  constructor(connect: () => void, ports: RecheckPorts = PAGE) {
    this.#connect = connect
    this.#ports = ports
  }

  /** @returns whether this change is only that the page looks again */
  hides({ name }: ConnectionState): boolean {
    if (this.#isLooking && name === 'connecting') return true
    this.#isLooking = false
    this.#cancel()
    if (name !== 'other-listener' && name !== 'unproven-listener') {
      this.#afterwards = []
      return false
    }
    const waiting = this.#afterwards
    this.#afterwards = []
    if (waiting.length > 0) for (const act of waiting) act()
    else this.#wait()
    return false
  }

  /** Does it once there is no look under way that it would be lost in. */
  afterLook(act: () => void): void {
    if (this.#isLooking) this.#afterwards.push(act)
    else act()
  }

  #wait(): void {
    this.#cancel = this.#ports.after(EVERY_MS, () => {
      if (!this.#ports.isInFront()) return this.#wait()
      this.#isLooking = true
      this.#connect()
    })
  }
}
