// The listener: performs what listener-state.ts decides, with the server, the timer, the flag's watcher and the notices.

import type { Server } from 'node:http'
import { defined } from '../base/defined.ts'
import type { ListenerStatus } from '../commands/kit/data.ts'
import type { FireOutcome } from '../commands/kit/ports.ts'
import { LISTENER_HOST, LISTENER_PORT } from '../protocol/address.ts'
import { whyUnbegun } from '../runtime/hook-circuit-breaker.ts'
import type { Runner } from '../runtime/runner.ts'
import type { Hook } from '../stores/hooks.ts'
import { askHolderPid } from './holder-pid.ts'
import { type FireAnswer, type FireCall, fireHook } from './http/hook-fire.ts'
import { createRoutes, type RoutePorts } from './http/http-routes.ts'
import { createListenerServer, listen } from './http/server.ts'
import { SocketBudget } from './http/socket-budget.ts'
import { createUpgrade, type UpgradePorts } from './http/upgrade-guard.ts'
import { LISTENER_LIMITS } from './listener-limits.ts'
import {
  describeState,
  INITIAL_STATE,
  isServing,
  type ListenerEffect,
  type ListenerEvent,
  type ListenerState,
  type StateEvent,
  step,
} from './listener-state.ts'

export interface ListenerOptions
  extends Omit<RoutePorts, 'isServing'>,
    Pick<UpgradePorts, 'web' | 'isConsoleServed' | 'onRefusedUpgrade' | 'onUnknownUser'> {
  readonly runner: RoutePorts['runner'] & Pick<Runner, 'addSink'>
  /** For people: what became of the listener. */
  readonly notify: (event: ListenerEvent) => void
}

export class Listener {
  readonly #options: ListenerOptions
  readonly #budget = new SocketBudget(LISTENER_LIMITS.sockets)
  #state: ListenerState = INITIAL_STATE
  /** Of the attempt to bind that was made last. */
  #server: Server | undefined
  #attempt: Promise<void> = Promise.resolve()
  #retry: NodeJS.Timeout | undefined
  #stopWatching: (() => void) | undefined
  readonly #stopped: Promise<void>
  #resolveStopped: () => void = () => {}

  constructor(options: ListenerOptions) {
    this.#options = options
    this.#stopped = new Promise((resolve) => {
      this.#resolveStopped = resolve
    })
  }

  /** Binds if enabled, and keeps following the flag. Resolves when the first attempt is decided. */
  async start(): Promise<void> {
    this.#dispatch({ type: 'start', isEnabled: this.#isEnabled() })
    await this.#attempt
  }

  status(): ListenerStatus {
    // The watcher may not have reported the flag yet.
    this.#followFlag()
    return {
      ...describeState(this.#state),
      address: `${LISTENER_HOST}:${LISTENER_PORT}`,
      pid: process.pid,
      sockets: this.#budget.count,
    }
  }

  /** A fire by hand, of who may see the token. undefined: this process does not listen. */
  async fireHook({ id, secret }: Hook, body: string): Promise<FireOutcome | undefined> {
    if (this.status().state !== 'listening') return undefined
    const ports = { ...this.#options, isServing: () => isServing(this.#state) }
    const readBody: FireCall['readBody'] = (then) => then({ bytes: Buffer.from(body) })
    const begun = new BegunFires(this.#options.runner)
    try {
      const answer = await new Promise<FireAnswer>((resolve) =>
        fireHook({ id, token: secret, key: undefined, isByHand: true, readBody }, ports, resolve),
      )
      const {
        runId,
        repeat,
        error = 'it was refused',
      } = JSON.parse(answer.body) as {
        runId?: string
        repeat?: true
        error?: string
      }
      if (runId === undefined) return { why: error }
      return repeat ? { runId, isRepeat: true } : { runId, ...defined({ unbegun: await begun.whyNot(runId) }) }
    } finally {
      begun.end()
    }
  }

  /** No new fires from now on: open connections get the 503, new ones are refused. */
  stopAccepting(): void {
    this.#dispatch({ type: 'stop-asked' })
  }

  /** Ends every connection. Resolves when the port is free and nothing is written any more. */
  async stop(): Promise<void> {
    this.stopAccepting()
    const sessionsEnded = this.#options.web.loaded?.stop()
    this.#dispatch({ type: 'cut-asked' })
    await this.#stopped
    await sessionsEnded
  }

  #isEnabled(): boolean {
    return this.#options.config.read().listener.enabled
  }

  #followFlag(): void {
    this.#dispatch({ type: this.#isEnabled() ? 'flag-on' : 'flag-off' })
  }

  #dispatch(event: StateEvent): void {
    const { state, effects } = step(this.#state, event)
    this.#state = state
    for (const effect of effects) this.#perform(effect)
    if (state.name === 'stopped') this.#resolveStopped()
  }

  #perform(effect: ListenerEffect): void {
    switch (effect.type) {
      case 'watch-flag':
        this.#stopWatching = this.#options.config.watch(() => this.#followFlag())
        return
      case 'stop-watching':
        return this.#stopWatching?.()
      case 'bind':
        this.#attempt = this.#bind()
        return
      case 'retry-later':
        return this.#retryLater()
      case 'cancel-retry':
        return clearTimeout(this.#retry)
      case 'ask-holder':
        return void askHolderPid().then((pid) => this.#dispatch({ type: 'holder-answered', pid }))
      case 'hang-up-pages':
        return this.#options.web.loaded?.hangUpAll('disabled')
      case 'close-server':
        return void this.#server?.close()
      case 'cut-connections':
        return this.#server?.closeAllConnections()
      case 'report':
        return this.#options.notify(effect.event)
    }
  }

  async #bind(): Promise<void> {
    const serving = { ...this.#options, budget: this.#budget, isServing: () => isServing(this.#state) }
    const server = createListenerServer({
      budget: this.#budget,
      answer: createRoutes(serving),
      upgrade: createUpgrade(serving),
    })
    const error = await listen(server)
    if (error) return this.#dispatch({ type: 'bind-failed', error })
    this.#server = server
    server.on('error', (failure) => this.#dispatch({ type: 'server-failed', error: failure }))
    server.once('close', () => this.#dispatch({ type: 'closed' }))
    this.#dispatch({ type: 'bind-succeeded' })
  }

  #retryLater(): void {
    this.#retry = setTimeout(() => {
      this.#followFlag()
      this.#dispatch({ type: 'retry-due' })
    }, LISTENER_LIMITS.takeOverMs)
    this.#retry.unref()
  }
}

/** A venue is asked for the position within 5 s; a fire that is still in its queue by then has been accepted all the same. */
const BEGINS_WITHIN_MS = 6_000

type Unbegun = NonNullable<Extract<FireOutcome, { runId: string }>['unbegun']>

/** Which fires have begun, and why others never will. */
class BegunFires {
  readonly #known = new Map<string, Unbegun | undefined>()
  readonly #waiting = new Map<string, () => void>()
  readonly end: () => void

  constructor(runner: Pick<Runner, 'addSink'>) {
    this.end = runner.addSink({
      started: ({ runId }) => this.#note(runId, undefined),
      unbegun: ({ runId }, result) =>
        this.#note(runId, { why: whyUnbegun(result), ...(result.unbegun === 'skipped' ? { isSkipped: true } : {}) }),
    })
  }

  /** @returns undefined: it has begun, or waits in its queue */
  async whyNot(runId: string): Promise<Unbegun | undefined> {
    if (!this.#known.has(runId)) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, BEGINS_WITHIN_MS).unref()
        this.#waiting.set(runId, () => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
    return this.#known.get(runId)
  }

  #note(runId: string, unbegun: Unbegun | undefined): void {
    this.#known.set(runId, unbegun)
    this.#waiting.get(runId)?.()
  }
}
