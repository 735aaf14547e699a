// One start of the cross-trade engine in this process: its lease, its heartbeat, and what others ask of it. Loaded at the first start of it. After a
// sleep of the machine a new engine reads everything again.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { defined } from '../base/defined.ts'
import { CommandError, describeRefusal, isRefusal } from '../commands/kit/errors.ts'
import { chaseThrough } from '../cross-trade/copy-order.ts'
import { type CrossTradeEngine, createCrossTradeEngine } from '../cross-trade/engine.ts'
import type { EngineAnswer, EngineRequest } from '../cross-trade/engine-lease.ts'
import { EngineLease, LeaseRenewal, type OtherEngine } from '../cross-trade/engine-lease.ts'
import type { CopierEvent, EngineReport } from '../cross-trade/engine-port.ts'
import { openCopierFile } from '../cross-trade/state-journal.ts'
import { DualEngineNotices } from '../listener/sessions/dual-engine.ts'
import type { DurableJournal } from '../stores/durable-journal.ts'
import type { TaskPort } from '../tasks/task-port.ts'
import type { Clock } from '../trading/clock.ts'
import type { Connect } from '../trading/order-desk.ts'
import type { Stores } from './open-stores.ts'

/** Why the engine ended by itself: on request, because another engine took over, or after a failure. */
export type EndReason = 'asked' | 'lost' | 'failed'

export type EngineEvent =
  | { readonly type: 'copier'; readonly event: CopierEvent }
  /** Pages that lead while this engine runs; none: it is over. */
  | { readonly type: 'pages'; readonly labels: readonly string[] }
  /** Nothing is copied while the machine slept; now it is again. */
  | { readonly type: 'resumed' }
  /** It has ended by itself. */
  | { readonly type: 'ended'; readonly why: EndReason; readonly text: string }
  | { readonly type: 'problem'; readonly text: string }

export interface EngineHostOptions {
  readonly directory: string
  readonly stores: Pick<Stores, 'crossTrade' | 'crossTradeEngine' | 'leadingPages'>
  readonly connect: Connect
  readonly clock: Clock
  /** For copiers that chase. */
  readonly tasks: TaskPort
  readonly report: (event: EngineEvent) => void
  readonly bug: (error: unknown) => void
  /** Default: the copier. */
  readonly createEngine?: typeof createCrossTradeEngine
}

/** One start of it. */
export class RunningEngine {
  readonly #options: EngineHostOptions
  readonly #onEnd: (why: EndReason | undefined) => void
  readonly #lease: EngineLease
  readonly #heartbeat: LeaseRenewal
  readonly #file: DurableJournal
  readonly #pages: DualEngineNotices
  readonly #runId = randomUUID()
  readonly #stops: (() => void)[] = []
  #engine: CrossTradeEngine
  #ending: Promise<void> | undefined
  #isLost = false
  #why: EndReason | undefined

  constructor(options: EngineHostOptions, onEnd: (why: EndReason | undefined) => void) {
    const { stores, clock, directory, report } = options
    this.#options = options
    this.#onEnd = onEnd
    this.#lease = new EngineLease(stores.crossTradeEngine, clock.now)
    this.#file = openCopierFile(join(directory, 'cross-trade-state.jsonl'))
    this.#pages = new DualEngineNotices(
      (isDual) => report({ type: 'pages', labels: isDual ? stores.leadingPages.read() : [] }),
      () => performance.now(),
    )
    this.#engine = this.#createEngine()
    this.#heartbeat = new LeaseRenewal({
      lease: this.#lease,
      now: clock.now,
      report: () => this.#engine.report(),
      isStale: () => this.#engine.isStale(),
      onSlept: () => void this.#beginAgain(),
      onLost: (other) => this.#lose(other),
      onStopAsked: (by) => this.#end('asked', `${by} asked the engine to stop`),
      onRequest: (request) => void this.#answer(request),
      onProblem: (error) => this.#problem(error),
    })
  }

  report(): EngineReport {
    return this.#engine.report()
  }

  async start(): Promise<void> {
    try {
      const other = await this.#heartbeat.beat()
      if (other !== undefined) {
        this.#isLost = true
        throw engineRuns(other)
      }
      this.#heartbeat.start()
      this.#followPages()
      await this.#engine.start()
    } catch (error) {
      await this.stop()
      throw error
    }
  }

  /** What is under way ends first: it may still be ordered while the lease is held. */
  stop(): Promise<void> {
    this.#ending ??= this.#close()
    return this.#ending
  }

  async #close(): Promise<void> {
    for (const stop of this.#stops) stop()
    this.#pages.stop()
    try {
      await this.#engine.stop({ isHandedOver: this.#isLost })
    } catch (error) {
      this.#problem(error)
    }
    await this.#heartbeat.stop()
    if (!this.#isLost) await this.#lease.release().catch((error: unknown) => this.#problem(error))
    await this.#file.close()
    this.#onEnd(this.#why)
  }

  #createEngine(): CrossTradeEngine {
    const { stores, connect, clock, tasks, report } = this.#options
    return (this.#options.createEngine ?? createCrossTradeEngine)({
      configs: () => stores.crossTrade.approved(),
      watchConfigs: stores.crossTrade.watch,
      connect,
      clock,
      file: this.#file,
      isLeader: () => this.#heartbeat.isLeader(),
      by: { source: 'exec', runId: this.#runId },
      chase: chaseThrough(tasks, 'exec'),
      report: (event) => report({ type: 'copier', event }),
      onProblem: (error) => this.#problem(error),
    })
  }

  async #beginAgain(): Promise<void> {
    try {
      await this.#engine.stop({ isHandedOver: true })
      if (this.#ending !== undefined) return
      const other = await this.#heartbeat.resume()
      if (other !== undefined) return this.#lose(other)
      this.#engine = this.#createEngine()
      await this.#engine.start()
      this.#options.report({ type: 'resumed' })
    } catch (error) {
      this.#problem(error)
      this.#end('failed', 'the engine could not begin again after a sleep')
    }
  }

  #lose(other: OtherEngine): void {
    this.#isLost = true
    this.#end('lost', `another engine took over${other.pid === undefined ? '' : `: pid ${other.pid}`}`)
  }

  #end(why: EndReason, text: string): void {
    if (this.#ending !== undefined) return
    this.#why = why
    void this.stop().then(() => this.#options.report({ type: 'ended', why, text }))
  }

  #followPages(): void {
    const { leadingPages } = this.#options.stores
    const look = () => this.#pages.note(leadingPages.read().length > 0)
    // The clock alone ends what a hookline that died has left.
    const timer = setInterval(look, 1_000)
    timer.unref()
    this.#stops.push(leadingPages.watch(look), () => clearInterval(timer))
    look()
  }

  async #answer({ id, op, configId, flatten, source, runId }: EngineRequest): Promise<void> {
    let answer: EngineAnswer
    try {
      if (op === 'plan') answer = { id, orders: await this.#engine.plan(configId, { flatten }), copiers: [] }
      else answer = { id, ...(await this.#engine.resync(configId, { flatten }, { source, runId })) }
    } catch (error) {
      answer = { id, orders: [], copiers: [], error: this.#describe(error) }
    }
    await this.#lease.answer(answer).catch((error: unknown) => this.#problem(error))
  }

  #describe(error: unknown): NonNullable<EngineAnswer['error']> {
    if (isRefusal(error)) {
      const { code, message, hint } = error
      return { code, message, ...defined({ hint }) }
    }
    this.#options.bug(error)
    return { code: 'internal', message: 'internal error in the engine; see hookline.log' }
  }

  #problem(error: unknown): void {
    if (isRefusal(error)) {
      this.#options.report({ type: 'problem', text: describeRefusal(error) })
    } else this.#options.bug(error)
  }
}

function engineRuns({ pid }: OtherEngine): CommandError {
  const who = pid === undefined ? 'another program' : `the process with pid ${pid}`
  return new CommandError('engine-runs', `${who} already runs the engine; two would send every order twice`, {
    hint: '`cross-trade stop` ends it',
  })
}
