// All WebSocket sessions: who is let in, pinged, cut off, and sent the output of runs.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocketServer } from 'ws'
import type { Clients } from '../../commands/kit/ports.ts'
import { describeRefusal, isRefusal } from '../../commands/kit/refusal.ts'
import { WIRE_LIMITS } from '../../protocol/frames.ts'
import type { RunRequest } from '../../runs/run.ts'
import type { Runner } from '../../runtime/runner.ts'
import type { AccountStore } from '../../stores/accounts.ts'
import type { ConfigStore } from '../../stores/config.ts'
import type { CrossTradeStore } from '../../stores/cross-trade.ts'
import type { CrossTradeEngine } from '../../stores/cross-trade-engine.ts'
import type { HookStore } from '../../stores/hooks.ts'
import type { ListenerKey } from '../../stores/listener-key.ts'
import type { TaskStore } from '../../stores/tasks.ts'
import type { TextMapStore } from '../../stores/text-map.ts'
import type { TrustedClientStore } from '../../stores/trusted-clients.ts'
import { isAllowedOrigin, originPolicy } from '../../trust/allowed-origins.ts'
import { Approvals } from '../approvals/approvals.ts'
import { LISTENER_LIMITS } from '../listener-limits.ts'
import { FanOut } from '../topics/fan-out.ts'
import { type TopicStores, topicSources } from '../topics/topic-sources.ts'
import { type SnapshotTopic, Topics } from '../topics/topics.ts'
import { createIdentityProofs } from './identity-proof.ts'
import { type HookOp, type MutateFrame, type MutationPorts, mutate } from './mutations.ts'
import { execute } from './remote-exec.ts'
import { runOutputSink } from './run-output.ts'
import { Session, type SessionChange, type SessionPorts } from './session.ts'
import type { SessionEvents } from './session-events.ts'
import type { WorkFrame } from './session-state.ts'
import { knownTopics } from './wanted-topics.ts'
import { createWebSocketServer } from './web-socket-server.ts'

/** What pages see and change. */
export interface SessionStores {
  readonly config: ConfigStore
  readonly accounts: AccountStore
  readonly hooks: HookStore
  readonly aliases: TextMapStore
  readonly trustedClients: TrustedClientStore
  readonly tasks: TaskStore
  readonly crossTrade: CrossTradeStore
  readonly crossTradeEngine: CrossTradeEngine
}

export interface SessionsOptions extends Pick<MutationPorts, 'disconnect' | 'now'>, Pick<TopicStores, 'connect'> {
  readonly stores: SessionStores
  readonly runner: Runner
  /** undefined while it is not known, or a file of it is invalid: no client is let in then. */
  readonly identity: () => { readonly listenerId: string; readonly key: ListenerKey } | undefined
  readonly events: SessionEvents
}

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
    const { stores, runner, connect, events } = options
    this.#options = options
    this.approvals = new Approvals({
      now: () => performance.now(),
      trust: async (client) => void (await stores.trustedClients.add(client)),
      formerTrustOf: stores.trustedClients.formerTrustOf,
      events,
    })
    const hasSubscribers = (topic: SnapshotTopic) => this.#fanOut.hasSubscribers(topic)
    const sources = topicSources({ ...stores, services: stores, connect, hasSubscribers, onBug: events.bug })
    this.#topics = new Topics(this.#fanOut, sources)
    this.#ports = {
      fanOut: this.#fanOut,
      approvals: this.approvals,
      proofs: createIdentityProofs(() => options.identity()?.key),
      standingOf: stores.trustedClients.standingOf,
      onUnproven: events.unproven,
      onBug: events.bug,
      hasRoom: () => this.count < LISTENER_LIMITS.sessions,
      welcome: () => ({
        t: 'welcome',
        listenerId: options.identity()?.listenerId ?? '',
        user: { email: stores.config.read().email },
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
      stores.trustedClients.watch(() => this.#followTrust()),
      stores.config.watch(() => this.#followOrigins()),
      stores.crossTradeEngine.watch(() => this.#warnOfDualEngine()),
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

  /** Completes an upgrade that the guard has let through. `onKnown`: see {@link Connection}. */
  async accept(upgrade: Upgrade, onKnown: () => void): Promise<void> {
    const { request, socket, head, origin } = upgrade
    this.#webSockets ??= await createWebSocketServer()
    // Stopped while `ws` was being loaded: nothing would close it any more.
    if (this.#stopped) return void socket.destroy()
    this.#webSockets.handleUpgrade(request, socket, head, (ws) => {
      const id = String(++this.#lastId)
      this.#sessions.set(id, new Session({ id, origin, ws, socket, onKnown }, this.#ports))
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
        return execute(session, frame, { config: this.#options.stores.config, runner: this.#options.runner })
      case 'mutate:hook':
      case 'mutate:account':
      case 'mutate:cross-trade-config':
        return void this.#mutate(session, frame)
    }
  }

  async #mutate(session: Session, frame: MutateFrame): Promise<void> {
    const { id } = frame
    const { stores, disconnect, now, events } = this.#options
    const refusal = session.underWay.beginEdit()
    if (refusal !== undefined) return session.send({ t: 'mutate:err', id, error: refusal })
    try {
      const onHook = (op: HookOp, hook: { readonly id: string; readonly name: string }) =>
        events.activity({ type: 'hook', op, label: session.label, hookId: hook.id, name: hook.name })
      session.send({ t: 'mutate:ack', id, data: await mutate(frame, { ...stores, disconnect, now, onHook }) })
    } catch (error) {
      if (!isRefusal(error)) events.bug(error)
      session.send({
        t: 'mutate:err',
        id,
        error: isRefusal(error) ? describeRefusal(error) : 'internal error',
      })
    } finally {
      session.underWay.endEdit()
    }
  }

  #changed(session: Session, change: SessionChange): void {
    if (change === 'welcomed') this.#hasHadClient = true
    if (change === 'gone') this.#forget(session)
    if (change === 'welcomed' && this.count > LISTENER_LIMITS.sessions) return session.hangUp('busy')
    if (change === 'welcomed' || (change === 'gone' && session.wasWelcomed)) {
      const type = change === 'welcomed' ? 'connected' : 'disconnected'
      this.#options.events.activity({ type, label: session.label, origin: session.origin })
    }
    this.#warnOfDualEngine()
  }

  /** The store changed, here or elsewhere: clients no longer in it are cut off, clients now in it need not wait. */
  #followTrust(): void {
    const { trustedClients } = this.#options.stores
    for (const session of [...this.#sessions.values(), ...this.#departed.values()]) {
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

  /** Its runs go on, though not longer than the trust in the client. */
  #forget(session: Session): void {
    this.#sessions.delete(session.id)
    if (session.underWay.hasRuns) this.#departed.set(session.id, session)
  }

  #runEnded({ sessionId, replyId }: RunRequest): void {
    if (sessionId === undefined || replyId === undefined) return
    const session = this.#sessions.get(sessionId) ?? this.#departed.get(sessionId)
    if (!session) return
    session.underWay.endRun(replyId)
    if (!session.underWay.hasRuns) this.#departed.delete(sessionId)
  }

  /** The list of origins changed: pages that are no longer on it go. */
  #followOrigins(): void {
    const policy = originPolicy(this.#options.stores.config.read())
    for (const session of [...this.#sessions.values()]) {
      if (!isAllowedOrigin(policy, session.origin)) session.hangUp('disabled')
    }
  }

  /** Once per change, not per frame (behaviour 143): two engines would place every order twice. */
  #warnOfDualEngine(): void {
    const pages = [...this.#sessions.values()].some(
      (session) => session.isWelcomed && session.hello.webCrossTradeActive,
    )
    const isDual = pages && this.#options.stores.crossTradeEngine.read().running
    if (isDual === this.#isDual) return
    this.#isDual = isDual
    this.#options.events.activity({ type: 'dual-engine', active: isDual })
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
