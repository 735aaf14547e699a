// All WebSocket sessions: who is let in, pinged, cut off, and sent the output of runs.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocketServer } from 'ws'
import type { Clients, CommandPorts } from '../../commands/kit/ports.ts'
import { describeRefusal, isRefusal } from '../../commands/kit/refusal.ts'
import { WIRE_LIMITS } from '../../protocol/frames.ts'
import type { RunRequest } from '../../runs/run.ts'
import type { Runner } from '../../runtime/runner.ts'
import { isAllowedOrigin, originPolicy } from '../../trust/allowed-origins.ts'
import { Approvals, type ApprovalsOptions } from '../approvals/approvals.ts'
import { LISTENER_LIMITS } from '../listener-limits.ts'
import { FanOut } from '../topics/fan-out.ts'
import { type TopicStores, topicSources } from '../topics/topic-sources.ts'
import { Topics } from '../topics/topics.ts'
import { type HookOp, type MutateFrame, mutate } from './mutations.ts'
import { execute } from './remote-exec.ts'
import { runOutputSink } from './run-output.ts'
import { Session, type SessionChange, type SessionPorts } from './session.ts'
import type { WorkFrame } from './session-state.ts'

export interface SessionsOptions extends Omit<TopicStores, 'hasSubscribers'> {
  readonly services: Pick<CommandPorts, 'config' | 'accounts' | 'hooks' | 'aliases' | 'trustedClients' | 'disconnect'>
  /** ms since the epoch. */
  readonly now: () => number
  readonly runner: Runner
  /** undefined while it is not known, or its file is invalid: no client is let in then. */
  readonly listenerId: () => string | undefined
  readonly onQuestion: ApprovalsOptions['onQuestion']
  readonly onUnattended?: ApprovalsOptions['onUnattended']
  /** A client did something that the operator should know. */
  readonly onActivity: (activity: ClientActivity) => void
  readonly onBug: (error: unknown) => void
}

export type ClientActivity =
  | { readonly type: 'connected' | 'disconnected'; readonly label: string; readonly origin: string }
  | {
      readonly type: 'hook'
      readonly op: HookOp
      readonly label: string
      readonly hookId: string
      readonly name: string
    }
  /** Both this machine's engine and a web page's trade the same configs: orders would be doubled. */
  | { readonly type: 'dual-engine'; readonly active: boolean }

/** A request to become a WebSocket, as `node:http` hands it over. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
  /** What the guard found the page to be. */
  readonly origin: string
}

/** ws is not needed to start, nor to fire hooks. */
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

export class Sessions {
  readonly approvals: Approvals
  readonly #options: SessionsOptions
  readonly #fanOut = new FanOut()
  readonly #topics: Topics
  readonly #sessions = new Map<string, Session>()
  /** Gone, with runs still under way. */
  readonly #departed = new Map<string, Session>()
  readonly #ports: SessionPorts
  readonly #undo: (() => void)[]
  readonly #pinging: NodeJS.Timeout
  #pingedAt = performance.now()
  #lastId = 0
  #isDual = false
  #hasHadClient = false
  #stopped = false
  #webSockets: WebSocketServer | undefined

  constructor(options: SessionsOptions) {
    const { services, runner } = options
    this.#options = options
    this.approvals = new Approvals({
      now: () => performance.now(),
      trust: async (question) => void (await services.trustedClients.add(question)),
      onQuestion: options.onQuestion,
      ...(options.onUnattended ? { onUnattended: options.onUnattended } : {}),
    })
    this.#topics = new Topics(
      this.#fanOut,
      topicSources({ ...options, hasSubscribers: (topic) => this.#fanOut.hasSubscribers(topic) }),
    )
    this.#ports = {
      fanOut: this.#fanOut,
      approvals: this.approvals,
      trustedClients: services.trustedClients,
      hasRoom: () => this.count < LISTENER_LIMITS.sessions,
      welcome: () => ({
        t: 'welcome',
        listenerId: options.listenerId() ?? '',
        user: { email: services.config.read().email },
      }),
      work: (session, frame) => this.#work(session, frame),
      onChange: (session, change) => this.#changed(session, change),
    }
    this.#undo = [
      runner.addSink(
        runOutputSink({
          fanOut: this.#fanOut,
          sessionOf: ({ sessionId }) => (sessionId === undefined ? undefined : this.#sessions.get(sessionId)),
          onDone: (run) => this.#runEnded(run),
        }),
      ),
      services.trustedClients.watch(() => this.#followTrust()),
      services.config.watch(() => this.#followOrigins()),
      options.crossTradeEngine.watch(() => this.#warnOfDualEngine()),
      () => this.#topics.stop(),
    ]
    this.#pinging = setInterval(() => this.#ping(), WIRE_LIMITS.pingMs)
    this.#pinging.unref()
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
      decide: async (clientId, decision) => (await this.approvals.decide(clientId, decision)).outcome === decision,
    }
  }

  /** Completes an upgrade that the guard has let through. `onHello` is called once the client has said who it is. */
  async accept(upgrade: Upgrade, onHello: () => void): Promise<void> {
    const { request, socket, head, origin } = upgrade
    this.#webSockets ??= await createWebSocketServer()
    // Stopped while `ws` was being loaded: nothing would close it any more.
    if (this.#stopped) return void socket.destroy()
    this.#webSockets.handleUpgrade(request, socket, head, (ws) => {
      const id = String(++this.#lastId)
      this.#sessions.set(id, new Session({ id, origin, ws, socket, onHello }, this.#ports))
    })
  }

  hangUpAll(reason: 'disabled' | 'goingAway'): void {
    for (const session of [...this.#sessions.values()]) session.hangUp(reason)
  }

  stop(): void {
    this.#stopped = true
    clearInterval(this.#pinging)
    for (const undo of this.#undo) undo()
    this.hangUpAll('goingAway')
  }

  /** Asked at every frame, since the files may have changed a moment ago and the watchers not told yet. */
  #work(session: Session, frame: WorkFrame): void {
    if (!this.#options.services.config.readInTurn().listener.enabled) return session.hangUp('disabled')
    if (!this.#isTrusted(session)) return this.#cutOff(session)
    switch (frame.t) {
      case 'subscribe':
        for (const topic of new Set(frame.topics)) this.#topics.subscribe(session, topic)
        return
      case 'unsubscribe':
        for (const topic of frame.topics) this.#topics.unsubscribe(session, topic)
        return
      case 'cmd:exec':
        return execute(session, frame, { config: this.#options.services.config, runner: this.#options.runner })
      case 'mutate:hook':
      case 'mutate:account':
      case 'mutate:cross-trade-config':
        return void this.#mutate(session, frame)
    }
  }

  async #mutate(session: Session, frame: MutateFrame): Promise<void> {
    const { id } = frame
    if (session.editing >= WIRE_LIMITS.editsPerSession) {
      const error = `more than ${WIRE_LIMITS.editsPerSession} edits of this session are under way`
      return session.send({ t: 'mutate:err', id, error })
    }
    session.editing++
    try {
      const onHook = (op: HookOp, hook: { readonly id: string; readonly name: string }) =>
        this.#options.onActivity({ type: 'hook', op, label: session.label, hookId: hook.id, name: hook.name })
      session.send({ t: 'mutate:ack', id, data: await mutate(frame, { ...this.#options, onHook }) })
    } catch (error) {
      if (!isRefusal(error)) this.#options.onBug(error)
      session.send({
        t: 'mutate:err',
        id,
        error: isRefusal(error) ? describeRefusal(error) : 'internal error',
      })
    } finally {
      session.editing--
    }
  }

  #changed(session: Session, change: SessionChange): void {
    if (change === 'welcomed') this.#hasHadClient = true
    if (change === 'gone') this.#forget(session)
    if (change === 'welcomed' && this.count > LISTENER_LIMITS.sessions) return session.hangUp('busy')
    if (change === 'welcomed' || (change === 'gone' && session.wasWelcomed)) {
      const type = change === 'welcomed' ? 'connected' : 'disconnected'
      this.#options.onActivity({ type, label: session.label, origin: session.origin })
    }
    this.#warnOfDualEngine()
  }

  /** The store changed, here or elsewhere: clients no longer in it are cut off, clients now in it need not wait. */
  #followTrust(): void {
    const { trustedClients } = this.#options.services
    for (const session of [...this.#sessions.values(), ...this.#departed.values()]) {
      if (session.wasWelcomed && !this.#isTrusted(session)) this.#cutOff(session)
    }
    for (const question of this.approvals.pending()) {
      if (trustedClients.isTrusted(question.clientId, question.origin)) this.approvals.admit(question)
    }
  }

  #isTrusted({ hello, origin }: Session): boolean {
    return this.#options.services.trustedClients.isTrusted(hello.clientId, origin)
  }

  /** What its commands have not done yet is not done any more. */
  #cutOff(session: Session): void {
    this.#options.runner.interrupt((run) => run.sessionId === session.id)
    session.hangUp('revoked')
  }

  /** Its runs go on, though not longer than the trust in the client. */
  #forget(session: Session): void {
    this.#sessions.delete(session.id)
    if (session.running.size > 0) this.#departed.set(session.id, session)
  }

  #runEnded({ sessionId, replyId }: RunRequest): void {
    if (sessionId === undefined || replyId === undefined) return
    const session = this.#sessions.get(sessionId) ?? this.#departed.get(sessionId)
    session?.running.delete(replyId)
    if (session?.running.size === 0) this.#departed.delete(sessionId)
  }

  /** The list of origins changed: pages that are no longer on it go. */
  #followOrigins(): void {
    const policy = originPolicy(this.#options.services.config.read())
    for (const session of [...this.#sessions.values()]) {
      if (!isAllowedOrigin(policy, session.origin)) session.hangUp('disabled')
    }
  }

  /** Once per change, not per frame (behaviour 143): two engines would place every order twice. */
  #warnOfDualEngine(): void {
    const pages = [...this.#sessions.values()].some(
      (session) => session.isWelcomed && session.hello.webCrossTradeActive,
    )
    const isDual = pages && this.#options.crossTradeEngine.read().running
    if (isDual === this.#isDual) return
    this.#isDual = isDual
    this.#options.onActivity({ type: 'dual-engine', active: isDual })
  }

  /** A late timer means that the machine slept: no client could have answered meanwhile. */
  #ping(): void {
    const now = performance.now()
    const slept = now - this.#pingedAt > WIRE_LIMITS.pingMs * 1.5
    this.#pingedAt = now
    for (const session of this.#sessions.values()) session.ping(slept)
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
