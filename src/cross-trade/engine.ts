// The copier (behaviour 42): it brings what its orders have built on each copier to what the master's position makes of it.
import { setMaxListeners } from 'node:events'
import { defined } from '../base/defined.ts'
import type { CrossTradeConfig } from '../stores/cross-trade.ts'
import type { DurableJournal } from '../stores/durable-journal.ts'
import type { Clock } from '../trading/clock.ts'
import type { Connect } from '../trading/order-desk.ts'
import type { OrderedBy } from '../trading/order-plan.ts'
import { type AccountLink, AccountLinks } from './account-link.ts'
import type { CopierContext } from './copier-orders.ts'
import type { ChasePort } from './copy-order.ts'
import { CopyingRow } from './copying-row.ts'
import {
  type CopierEvent,
  type CopierState,
  CrossTradeError,
  type EngineReport,
  type PlannedCopy,
} from './engine-port.ts'
import { flattenRow, planFor, planToFlatten, resyncRow, targetsOf } from './resync.ts'
import { type JudgedRow, judgeRows } from './rows-check.ts'
import { StateJournal } from './state-journal.ts'
import type { SymbolCopier } from './symbol-copier.ts'

const BEAT_MS = 1_000
/** Behaviour 42. */
const SLEEP_MS = 15_000

interface SleepDetectorOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onBeat: () => void
  readonly onSlept: (ms: number) => void
  readonly onProblem: (error: unknown) => void
}

/** Beats once a second. A late beat shows that the machine slept, or that its clock was set: no earlier fact is current. */
class SleepDetector {
  readonly #options: SleepDetectorOptions
  #beatAt: number

  constructor(options: SleepDetectorOptions) {
    this.#options = options
    this.#beatAt = options.clock.now()
  }

  begin(): void {
    this.#beatAt = this.#options.clock.now()
    this.#beat().catch(this.#options.onProblem)
  }

  /** Asked before each order: a process may wake up in the middle of one. */
  whyAsleep(): string | undefined {
    return this.#sleptMs() > SLEEP_MS ? 'the machine slept' : undefined
  }

  #sleptMs(): number {
    return Math.abs(this.#options.clock.now() - this.#beatAt)
  }

  async #beat(): Promise<void> {
    const { clock, signal, onBeat, onSlept, onProblem } = this.#options
    while (!signal.aborted) {
      await clock.delay(BEAT_MS, signal)
      if (signal.aborted) return
      const slept = this.#sleptMs()
      this.#beatAt = clock.now()
      try {
        if (slept > SLEEP_MS) onSlept(slept)
        onBeat()
      } catch (error) {
        onProblem(error)
      }
    }
  }
}

export interface CrossTradeEngineOptions {
  /** Live rows, as the store has them now. */
  readonly configs: () => readonly CrossTradeConfig[]
  /** @returns stops the calls */
  readonly watchConfigs: (handler: () => void) => () => void
  /** @throws as `Connections.connect` */
  readonly connect: Connect
  /** `cross-trade-state.jsonl`, opened with `openCopierFile`. Not closed by the engine. */
  readonly file: DurableJournal
  readonly clock: Clock
  /** Asked before each order, at that moment. */
  readonly isLeader: () => boolean
  /** Who its orders are by, beside the copier. */
  readonly by: Pick<OrderedBy, 'source' | 'runId'>
  /** For copiers that chase: `chaseThrough(tasks)`. Absent: they wait. */
  readonly chase?: ChasePort
  readonly report: (event: CopierEvent) => void
  /** Notified of what failed with no one waiting for it. */
  readonly onProblem: (error: unknown) => void
}

interface ResyncResult {
  /** What was due as it began. */
  readonly orders: readonly PlannedCopy[]
  /** How the copiers of the row are now. */
  readonly copiers: readonly CopierState[]
}

export interface CrossTradeEngine {
  /** Resolves when what it knew was read, its accounts are asked for, and it copies. @throws {StoreError} */
  start(): Promise<void>
  /**
   * Sends nothing from now on. Resolves when no order is under way and no task does anything for it, at most 10 s later. Of what is not known by
   * then, orders are settled by the next start, and tasks are named to `onProblem`.
   * @param isHandedOver another engine goes on with what tasks do
   */
  stop(options?: { readonly isHandedOver?: boolean }): Promise<void>
  report(): EngineReport
  /** What a `resync` would send now. @throws {CrossTradeError} */
  plan(configId: string, options?: { readonly flatten?: boolean }): Promise<readonly PlannedCopy[]>
  /**
   * Takes the row as it is now, its weights included, and brings its copiers there; what others have closed on them is built again, what was
   * blocked is tried again; what is paused stays so. `flatten`: closes what the row has built, and begins anew from the master's positions of
   * now; also of a row that is disabled or deleted. Resolves when each copier is in step or says why not.
   * @throws {CrossTradeError} @throws {StoreError}
   */
  resync(
    configId: string,
    options: { readonly flatten?: boolean },
    by: Pick<OrderedBy, 'source' | 'runId'>,
  ): Promise<ResyncResult>
  /** Nothing current is known of any master: nothing is traded, and the heartbeat must end. */
  isStale(): boolean
}

/** So long an order that is under way may hold up a stop. */
const STOP_MS = 5_000
/** Until positions that are not believed are looked at again. */
const AGAIN_MS = 1_000

export function createCrossTradeEngine(options: CrossTradeEngineOptions): CrossTradeEngine {
  return new Engine(options)
}

class Engine implements CrossTradeEngine {
  readonly #options: CrossTradeEngineOptions
  readonly #journal: StateJournal
  readonly #context: CopierContext
  readonly #links: AccountLinks
  readonly #rows = new Map<string, CopyingRow>()
  readonly #sleepDetector: SleepDetector
  readonly #ending = new AbortController()
  #stopWatching: (() => void) | undefined

  constructor(options: CrossTradeEngineOptions) {
    const { file, clock, by, chase, report, onProblem, isLeader, connect } = options
    const { signal } = this.#ending
    // Every copier may wait for something.
    setMaxListeners(0, signal)
    this.#options = options
    this.#journal = new StateJournal(file, clock.now, onProblem)
    this.#sleepDetector = new SleepDetector({
      clock,
      signal,
      onProblem,
      onBeat: () => this.#links.beat(),
      onSlept: (ms) => this.#slept(ms),
    })
    this.#context = {
      journal: this.#journal,
      clock,
      signal,
      by,
      report,
      onProblem,
      ...defined({ chase }),
      whyIdle: () => (isLeader() ? this.#sleepDetector.whyAsleep() : 'another process leads'),
    }
    this.#links = new AccountLinks({
      connect,
      clock,
      signal,
      report,
      onProblem,
      needed: () => this.#needed(),
      onRead: (link, traded) => this.#read(link, traded),
      onLost: (link) => {
        for (const row of this.#rowsOf(link)) row.unread()
      },
    })
  }

  async start(): Promise<void> {
    const { configs, watchConfigs, onProblem } = this.#options
    await this.#journal.read()
    this.#stopWatching = watchConfigs(() => {
      this.#judge(configs())
      this.#links.open().catch(onProblem)
    })
    this.#sleepDetector.begin()
    this.#judge(configs())
    await this.#links.open()
  }

  async stop({ isHandedOver = false }: { readonly isHandedOver?: boolean } = {}): Promise<void> {
    this.#stopWatching?.()
    this.#ending.abort()
    const late = new AbortController()
    const idle = Promise.all(this.#units().map((unit) => unit.idle()))
    await Promise.race([idle, this.#options.clock.delay(STOP_MS, late.signal)])
    late.abort()
    if (!isHandedOver) await this.#endChases()
    this.#links.close()
  }

  async #endChases(): Promise<void> {
    const { clock, onProblem } = this.#options
    const [until, done] = [new AbortController(), new AbortController()]
    void clock.delay(STOP_MS, done.signal).then(() => until.abort())
    const left = (await Promise.all(this.#units().map((unit) => unit.endChases(until.signal)))).flat()
    done.abort()
    for (const line of left) {
      onProblem(new CrossTradeError('not-stopped', line, { hint: '`tasks` lists it, and `tasks cancel <id>` ends it' }))
    }
  }

  report(): EngineReport {
    return { configs: this.#options.configs(), copiers: [...this.#rows.values()].flatMap((row) => row.show()) }
  }

  async plan(configId: string, { flatten = false }: { readonly flatten?: boolean } = {}) {
    const row = this.#require(configId)
    return flatten ? planToFlatten(row.built) : planFor(row, await targetsOf(row))
  }

  async resync(
    configId: string,
    { flatten = false }: { readonly flatten?: boolean },
    by: Pick<OrderedBy, 'source' | 'runId'>,
  ): Promise<ResyncResult> {
    const row = this.#require(configId)
    const why = this.#context.whyIdle()
    if (why !== undefined) throw new CrossTradeError('not-running', `the engine does nothing now: ${why}`)
    if (flatten) {
      const orders = await planToFlatten(row.built)
      await flattenRow(row, by)
      return { orders, copiers: row.show() }
    }
    const targets = await targetsOf(row)
    const orders = await planFor(row, targets)
    await resyncRow(row, targets, by)
    return { orders, copiers: row.show() }
  }

  isStale(): boolean {
    if (this.#sleepDetector.whyAsleep() !== undefined) return true
    const masters = [...this.#rows.values()].filter((row) => row.copies).map((row) => row.master)
    return masters.length > 0 && masters.every((link) => link.isStale())
  }

  #judge(configs: readonly CrossTradeConfig[]): void {
    const judged = judgeRows(configs)
    const live = new Set(judged.map(({ row }) => row.id))
    const gone = [...this.#journal.state.rows].filter(([id]) => !live.has(id))
    for (const each of [...judged, ...gone.map(([id, { terms }]) => goneRow(id, terms.master))]) {
      const { id } = each.row
      const known = this.#rows.get(id)
      if (known === undefined)
        this.#rows.set(id, new CopyingRow(each, this.#context, (account) => this.#links.link(account)))
      else known.become(each)
      if (this.#rows.get(id)?.copies === true) this.#linkAll(each.row)
    }
    const awaited = new Set([...this.#rows.values()].filter((row) => row.awaitsMaster).map((row) => row.master))
    for (const link of awaited) if (link.account !== undefined) this.#links.look(link)
  }

  #linkAll({ masterAccount, copiers }: CrossTradeConfig): void {
    for (const name of [masterAccount, ...copiers.map(({ account }) => account)]) this.#links.link(name)
  }

  #read(link: AccountLink, traded: ReadonlySet<string>): void {
    const { onProblem } = this.#options
    // Asked for once, so that the first order does not wait for them.
    link.loadMarkets()
    Promise.all(this.#rowsOf(link).map((row) => row.masterRead(traded)))
      .then((doubts) => (doubts.includes(true) ? this.#lookAgain(link) : undefined))
      .catch(onProblem)
    for (const unit of this.#units()) {
      if (unit.link !== link) continue
      unit.look()
      unit.wake()
    }
  }

  async #lookAgain(link: AccountLink): Promise<void> {
    await this.#options.clock.delay(AGAIN_MS, this.#ending.signal)
    if (!this.#ending.signal.aborted && (await link.refresh())) this.#read(link, new Set())
  }

  #slept(ms: number): void {
    this.#options.report({ type: 'slept', ms })
    this.#links.loseAll('the machine slept')
  }

  #rowsOf(master: AccountLink): readonly CopyingRow[] {
    return [...this.#rows.values()].filter((row) => row.copies && row.master === master)
  }

  #units(): readonly SymbolCopier[] {
    return [...this.#rows.values()].flatMap((row) => row.units)
  }

  #needed(): ReadonlySet<string> {
    return new Set([...this.#rows.values()].flatMap((row) => row.accounts))
  }

  #require(configId: string): CopyingRow {
    const row = this.#rows.get(configId)
    if (row !== undefined) return row
    throw new CrossTradeError('unknown-row', 'no such row found', { hint: '`cross-trade list` lists them' })
  }
}

/** A row that was deleted: it copies nothing, and what it built may still be closed. */
function goneRow(id: string, masterAccount: string): JudgedRow {
  return { row: { id, enabled: false, masterAccount, masterWeight: 1, copiers: [], updatedAt: 0 }, copiers: [] }
}
