// All WebSocket sessions: who is let in, pinged, cut off, and sent the output of runs.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocketServer } from 'ws'
import { defined } from '../../base/defined.ts'
import type { Clients } from '../../commands/kit/ports.ts'
import { hideTokens } from '../../language/printable.ts'
import { encodeFrame } from '../../protocol/decode.ts'
import { LISTENER_FEATURES, type ServerFrame, TOPICS, type Topic, WIRE_LIMITS } from '../../protocol/frames.ts'
import type { RunRequest } from '../../runs/run.ts'
import type { Runner } from '../../runtime/runner.ts'
import { answeredGrant } from '../../stores/client-grants.ts'
import { isAllowedOrigin, isConsoleOrigin, originPolicy } from '../../trust/allowed-origins.ts'
import { TicketDesk } from '../../trust/console-tickets.ts'
import type { Approvals } from '../approvals/approvals.ts'
import { createOperatorQuestions, type EditQuestions } from '../approvals/edit-questions.ts'
import { LISTENER_LIMITS } from '../listener-limits.ts'
import { createDeskRequests, type DeskRequests } from '../requests/desk-requests.ts'
import { FanOut } from '../topics/fan-out.ts'
import { topicSources } from '../topics/topic-sources.ts'
import { type SnapshotTopic, Topics } from '../topics/topics.ts'
import { DualEngineNotices, LeadingPageFile } from './dual-engine.ts'
import { runOutputSink } from './run-output.ts'
import { type PageTickets, Session, type SessionChange, type SessionPorts } from './session.ts'
import { SessionEdits } from './session-edits.ts'
import { execute, type RemoteExecPorts, SessionPreviews } from './session-previews.ts'
import { createIdentityProofs, type WorkFrame } from './session-state.ts'
import type { SessionsOptions } from './sessions-options.ts'

/** A request to become a WebSocket, as `node:http` hands it over. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
  /** What the guard found the page to be. */
  readonly origin: string
}

export class Sessions {
  readonly approvals: Approvals
  readonly editQuestions: EditQuestions
  readonly #options: SessionsOptions
  readonly #fanOut = new FanOut()
  readonly #execPorts: RemoteExecPorts
  readonly #topics: Topics
  readonly #desk: DeskRequests
  readonly #edits: SessionEdits
  readonly #previews: SessionPreviews
  readonly #dualEngine: DualEngineNotices
  readonly #leadingFile: LeadingPageFile
  readonly #sessions = new Map<string, Session>()
  readonly #departed: DepartedSessions
  readonly #ports: SessionPorts
  readonly #undo: (() => void)[]
  readonly #pinging: NodeJS.Timeout
  readonly #beating: NodeJS.Timeout
  #pingedAt = performance.now()
  #lastId = 0
  #hasHadClient = false
  #stopped = false
  #webSockets: WebSocketServer | undefined

  constructor(options: SessionsOptions) {
    const { stores, focus, runner, connect, events, preview, hookFacts } = options
    this.#options = options
    this.#execPorts = { config: stores.config, panic: stores.panic, runner }
    this.#departed = new DepartedSessions(runner)
    this.#previews = new SessionPreviews({ ...stores, preview, hookFacts, onBug: events.bug })
    const questions = createOperatorQuestions({
      now: () => performance.now(),
      trust: async ({ asks, ...client }, may) => {
        const grant = answeredGrant(asks, may, options.now())
        await stores.trustedClients.add({ ...client, ...defined({ grant }) })
      },
      formerTrustOf: stores.trustedClients.formerTrustOf,
      events,
    })
    this.approvals = questions.approvals
    this.editQuestions = questions.edits
    this.#dualEngine = new DualEngineNotices(
      (active) => events.activity({ type: 'dual-engine', active, labels: this.#leading() }),
      () => performance.now(),
    )
    this.#leadingFile = new LeadingPageFile(stores.leadingPages, events.bug)
    this.#edits = new SessionEdits({
      ...options,
      questions: this.editQuestions,
      isTrusted: (session) => this.#isTrusted(session),
    })
    const hasSubscribers = (topic: SnapshotTopic) => this.#fanOut.hasSubscribers(topic)
    const sources = topicSources({
      ...stores,
      services: { ...stores, focus },
      files: options.files,
      notices: options.notices,
      connect,
      hasSubscribers,
      onBug: events.bug,
      runner,
      fills: options.desk.fills,
      equity: options.desk.equity,
      proposals: options.proposals,
      triggers: options.desk.triggers,
    })
    this.#topics = new Topics(this.#fanOut, sources)
    this.#desk = createDeskRequests(options, () => this.#connected())
    this.#ports = this.#createPorts()
    const output = runOutputSink({
      fanOut: this.#fanOut,
      sessionOf: ({ sessionId }) => (sessionId === undefined ? undefined : this.#sessions.get(sessionId)),
      hide: (text) => hideTokens(text, stores.hooks.isSecret),
      onDone: (run) => this.#runEnded(run),
    })
    this.#undo = [
      runner.addSink(output),
      () => output.stop(),
      stores.trustedClients.watch(() => this.#followTrust()),
      stores.config.watch(() => this.#followOrigins()),
      stores.crossTradeEngine.watch(() => this.#warnOfDualEngine()),
      () => this.#dualEngine.stop(),
      () => this.#topics.stop(),
      () => this.#desk.stop(),
      () => this.#previews.stop(),
    ]
    this.#pinging = setInterval(() => this.#ping(), WIRE_LIMITS.pingMs)
    this.#pinging.unref()
    this.#beating = setInterval(() => this.#beat(this.#sessions.values()), WIRE_LIMITS.beatMs)
    this.#beating.unref()
  }

  #createPorts(): SessionPorts {
    const { stores, events, identity } = this.#options
    return {
      fanOut: this.#fanOut,
      approvals: this.approvals,
      proofs: createIdentityProofs(() => identity()?.key),
      standingOf: stores.trustedClients.standingOf,
      tickets: this.#createTickets(),
      onUnproven: events.unproven,
      onBug: events.bug,
      hasRoom: () => this.count < LISTENER_LIMITS.sessions,
      welcome: ({ hello: { features }, isServed, caller }) => {
        const ticket = isServed ? this.#ports.tickets.next(caller) : undefined
        return {
          t: 'welcome',
          listenerId: identity()?.listenerId ?? '',
          user: { email: stores.signInFile.email() },
          // Who has said nothing of features gets one frame for each line.
          ...(features === undefined ? {} : { features: [...LISTENER_FEATURES] }),
          ...defined({ ticket }),
        }
      },
      work: (session, frame) => this.#work(session, frame),
      onChange: (session, change) => this.#changed(session, change),
    }
  }

  #createTickets(): PageTickets {
    const desk = new TicketDesk()
    const { stores, identity } = this.#options
    return {
      accept(brought, caller) {
        const key = identity()?.consoleKey
        return key !== undefined && isConsoleOrigin(caller.origin) && desk.accept(key, brought, caller, Date.now())
      },
      isOwedBy: ({ isPage, caller }) =>
        isConsoleOrigin(caller.origin) && (isPage || stores.trustedClients.isServed(caller)),
      next(caller) {
        const key = identity()?.consoleKey
        return key && desk.newPass(key, caller, Date.now())
      },
    }
  }

  /** Sessions whose client has been welcomed. */
  get count(): number {
    return [...this.#sessions.values()].filter((session) => session.isWelcomed).length
  }

  /** Whether anyone has been welcomed since the start. */
  get hasHadClient(): boolean {
    return this.#hasHadClient
  }

  /** For the `clients` commands. */
  asClients(): Clients {
    return {
      connected: () => this.#connected(),
      pending: () => this.approvals.pending(),
      decide: async (clientId, decision, may) =>
        (await this.approvals.decide(clientId, decision, may)).outcome === decision,
    }
  }

  /**
   * Completes an upgrade that the guard has let through. `onKnown`: see {@link Connection}. `onWelcome` is called when the client is
   * welcomed; the session keeps it, and it must not hold the request.
   */
  async accept(upgrade: Upgrade, onKnown: () => void, onWelcome: (socket: Duplex) => void): Promise<void> {
    const { request, socket, head, origin } = upgrade
    this.#webSockets ??= await createWebSocketServer()
    // Stopped while `ws` was being loaded: nothing would close it any more.
    if (this.#stopped) return void socket.destroy()
    this.#webSockets.handleUpgrade(request, socket, head, (ws) => {
      const id = String(++this.#lastId)
      this.#sessions.set(
        id,
        new Session({ id, origin, isPage: isBrowser(request), ws, socket, onKnown, onWelcome }, this.#ports),
      )
    })
  }

  hangUpAll(reason: 'disabled' | 'goingAway'): void {
    for (const session of [...this.#sessions.values()]) session.hangUp(reason)
  }

  /** Resolves when no session of it writes any more. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#pinging)
    clearInterval(this.#beating)
    for (const undo of this.#undo) undo()
    this.#departed.stop()
    this.hangUpAll('goingAway')
    await this.#leadingFile.stop()
  }

  /** Asked at every frame, since the files may have changed a moment ago and the watchers not told yet. */
  #work(session: Session, frame: WorkFrame): void {
    if (!this.#options.stores.config.readOncePerTurn().listener.enabled) return session.hangUp('disabled')
    if (!this.#isTrusted(session)) return this.#cutOff(session)
    switch (frame.t) {
      case 'subscribe':
        for (const topic of knownTopics(session, frame.topics)) this.#topics.subscribe(session, topic)
        return
      case 'unsubscribe':
        for (const topic of knownTopics(session, frame.topics)) this.#topics.unsubscribe(session, topic)
        return
      case 'cmd:exec':
        return execute(session, frame, this.#execPorts)
      case 'preview':
      case 'hooks:test':
        return this.#previews.ask(session, frame)
      case 'mutate:hook':
      case 'mutate:account':
      case 'mutate:cross-trade-config':
        return void this.#edits.edit(session, frame)
      default:
        return this.#desk.take(session, frame)
    }
  }

  #changed(session: Session, change: SessionChange): void {
    if (change === 'welcomed') this.#hasHadClient = true
    if (change === 'welcomed' && session.isServed) this.#noteServed(session)
    if (change === 'gone') this.#forget(session)
    if (change === 'gone') this.editQuestions.withdraw(session)
    if (change === 'welcomed' && this.count > LISTENER_LIMITS.sessions) return session.hangUp('busy')
    if (change === 'welcomed' || (change === 'gone' && session.wasWelcomed)) {
      const type = change === 'welcomed' ? 'connected' : 'disconnected'
      this.#options.events.activity({ type, label: session.label, origin: session.origin })
    }
    if (change === 'welcomed') this.#beat([session])
    this.#warnOfDualEngine()
  }

  /** From now on this client brings a ticket, or is not let in. */
  #noteServed({ caller }: Session): void {
    const { stores, events } = this.#options
    if (!stores.trustedClients.isServed(caller)) stores.trustedClients.noteServed(caller).catch(events.bug)
  }

  /** The store changed, here or elsewhere: clients no longer in it are cut off, clients now in it need not wait. */
  #followTrust(): void {
    const { trustedClients } = this.#options.stores
    for (const session of [...this.#sessions.values(), ...this.#departed.list()]) {
      if (session.wasWelcomed && !this.#isTrusted(session)) this.#cutOff(session)
    }
    for (const question of this.approvals.pending()) {
      if (trustedClients.standingOf(question) === 'trusted') this.approvals.admit(question)
    }
  }

  #isTrusted({ caller }: Session): boolean {
    return this.#options.stores.trustedClients.standingOf(caller) === 'trusted'
  }

  /** What its commands have not done yet is not done any more. */
  #cutOff(session: Session): void {
    this.#options.runner.interrupt((run) => run.sessionId === session.id)
    session.hangUp('revoked')
  }

  #forget(session: Session): void {
    this.#sessions.delete(session.id)
    this.#desk.forget(session)
    this.#previews.forget(session)
    this.#departed.add(session)
  }

  #runEnded({ sessionId, replyId }: RunRequest): void {
    if (sessionId === undefined || replyId === undefined) return
    this.#sessions.get(sessionId)?.underWay.endRun(replyId)
    this.#departed.runEnded(sessionId, replyId)
  }

  /** The list of origins changed: pages that are no longer on it go. */
  #followOrigins(): void {
    const policy = originPolicy(this.#options.stores.config.read())
    for (const session of [...this.#sessions.values()]) {
      if (!isAllowedOrigin(policy, session.origin)) session.hangUp('disabled')
    }
  }

  #warnOfDualEngine(): void {
    const labels = this.#leading()
    this.#leadingFile.note(labels)
    this.#dualEngine.note(labels.length > 0 && this.#options.stores.crossTradeEngine.read().running)
  }

  /** Labels of the pages that say that they lead cross-trading. */
  #leading(): readonly string[] {
    const sessions = [...this.#sessions.values()]
    // One that has not said hello has no flags.
    const leading = sessions.filter((session) => session.isWelcomed && session.hello.webCrossTradeActive)
    return leading.map(({ label }) => label)
  }

  /** A late timer means that the machine slept: no client could have answered meanwhile. */
  #ping(): void {
    const now = performance.now()
    const slept = now - this.#pingedAt > WIRE_LIMITS.pingMs * 1.5
    this.#pingedAt = now
    for (const session of this.#sessions.values()) session.ping(slept)
  }

  #beat(sessions: Iterable<Session>): void {
    const text = encodeFrame({ t: 'beat', at: Date.now() })
    for (const session of sessions) if (session.isWelcomed && session.understands('beats')) session.sendText(text)
  }

  #connected(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const session of this.#sessions.values()) {
      if (!session.isWelcomed) continue
      const { clientId } = session.hello
      counts.set(clientId, (counts.get(clientId) ?? 0) + 1)
    }
    return counts
  }
}

/** No page can write its browser's name otherwise, and few programs call themselves so. */
function isBrowser({ headers }: IncomingMessage): boolean {
  return headers['user-agent']?.startsWith('Mozilla/') ?? false
}

// Sessions that left with runs under way. Their runs go on for a while, or to their end where they are detached (behaviour 30); none longer
// than the trust in the client.

interface Departed {
  readonly session: Session
  readonly end: NodeJS.Timeout
}

class DepartedSessions {
  readonly #runner: Pick<Runner, 'stop'>
  readonly #departed = new Map<string, Departed>()

  constructor(runner: Pick<Runner, 'stop'>) {
    this.#runner = runner
  }

  list(): readonly Session[] {
    return [...this.#departed.values()].map(({ session }) => session)
  }

  add(session: Session): void {
    if (!session.underWay.hasRuns) return
    const end = setTimeout(() => this.#endRuns(session.id), LISTENER_LIMITS.departedRunMs)
    this.#departed.set(session.id, { session, end: end.unref() })
  }

  runEnded(sessionId: string, replyId: string): void {
    const departed = this.#departed.get(sessionId)
    if (departed === undefined) return
    const { underWay } = departed.session
    underWay.endRun(replyId)
    if (underWay.hasRuns) return
    clearTimeout(departed.end)
    this.#departed.delete(sessionId)
  }

  stop(): void {
    for (const { end } of this.#departed.values()) clearTimeout(end)
  }

  #endRuns(sessionId: string): void {
    const isLeft = (run: RunRequest) => run.sessionId === sessionId && run.detach !== true
    this.#runner.stop(isLeft, 'stopped: its page has left')
  }
}

/** The topics of a frame that there are, each once; for those that there are not, an `error` is sent (behaviour 12). */
function knownTopics(session: { send(frame: ServerFrame): void }, topics: readonly string[]): ReadonlySet<Topic> {
  const known = new Set<Topic>()
  for (const [index, topic] of topics.entries()) {
    if (isTopic(topic)) known.add(topic)
    // As other faults are told: the field, never its value.
    else session.send({ t: 'error', error: `\`topics.${index}\` must be one of ${TOPICS.join(', ')}` })
  }
  return known
}

function isTopic(text: string): text is Topic {
  return (TOPICS as readonly string[]).includes(text)
}

/** ws is not needed to start, nor by those who only fire hooks. */
async function createWebSocketServer(): Promise<WebSocketServer> {
  const { WebSocketServer } = await import('ws')
  const options = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: WIRE_LIMITS.frameBytes,
    maxFragments: LISTENER_LIMITS.fragments,
    closeTimeout: LISTENER_LIMITS.lingerMs,
    // There is one protocol and it has no name; ws would agree to any that is asked for.
    handleProtocols: () => false as const,
  }
  return new WebSocketServer(options)
}
