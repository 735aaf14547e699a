// One task while this process drives it. What is asked of it waits its turn between two of its decisions.
import type { Order, Trade } from '../exchange/order.ts'
import type { Task } from '../stores/tasks.ts'
import type { TradingAccount } from '../trading/order-desk.ts'
import type { AccountFeed, SymbolSight } from './account-feed.ts'
import { factsOf } from './account-feed.ts'
import type { AnyTaskKind } from './kinds.ts'
import { TaskError } from './task-error.ts'
import type { TaskEvent, TaskFacts } from './task-kind.ts'
import { TaskLedger, type TaskLedgerPorts } from './task-ledger.ts'
import { type TaskBody, TaskMind } from './task-mind.ts'
import { namesOf, type OwnOrder, TaskOrders } from './task-orders.ts'
import { type Filled, isOver, type TaskEnding, type TaskRecord } from './task-record.ts'
import { rowOf } from './task-row.ts'
import { notResumable } from './task-rules.ts'
import { TaskSender } from './task-sender.ts'
import type { TellTask } from './task-told.ts'
import { orderedBy } from './who-ordered.ts'

export interface TaskRunPorts extends TaskLedgerPorts {
  /** Looked at afresh: this process still drives. */
  isOurs(): boolean
  /** Why nothing new is placed on the account now; undefined: it may be. */
  heldBy(account: string, isProtective: boolean): string | undefined
  /** As the account is connected now. @throws as `Connections.connect` */
  feedOf(account: string): Promise<AccountFeed>
  /** Its row is another one. */
  changed(run: TaskRun): void
  readonly tell: TellTask
  /** Its account cannot be asked now. */
  unreachable(run: TaskRun, error: unknown): void
  bug(error: unknown): void
}

/** Its account, connected, and what it has there. */
interface Attached extends TaskBody {
  readonly sight: SymbolSight
  readonly feed: AccountFeed
}

export class TaskRun {
  readonly #kind: AnyTaskKind
  readonly #ports: TaskRunPorts
  readonly #ledger: TaskLedger
  readonly #mind: TaskMind
  readonly #closing = new AbortController()
  #attached: Attached | undefined
  #turns: Promise<unknown> = Promise.resolve()

  constructor(record: TaskRecord, kind: AnyTaskKind, ports: TaskRunPorts) {
    this.#kind = kind
    this.#ports = ports
    this.#ledger = new TaskLedger(record, ports)
    this.#mind = new TaskMind({
      ...{ clock: ports.clock, bug: ports.bug, kind, ledger: this.#ledger, signal: this.#closing.signal },
      body: () => this.#attached,
      turn: (work) => this.#turn(work),
      tellSaid: (level, text) => ports.tell({ type: 'said', task: this.row(), level, text }),
      changed: () => ports.changed(this),
      pause: (reason) => this.#pause(reason),
      finish: (ending) => this.#finish(ending),
    })
  }

  get record(): TaskRecord {
    return this.#ledger.record
  }

  get isProtective(): boolean {
    return this.#kind.isProtective(this.record.seed.params)
  }

  get isRunning(): boolean {
    return this.#ledger.isRunning
  }

  row(): Task {
    const { seed, startedAt, updatedAt } = this.record
    const attached = this.#attached
    return rowOf(this.record, {
      sight: attached && this.#mind.see(attached.facts()),
      isProtective: this.isProtective,
      amount: this.#kind.amount(seed.params),
      total: this.#total(),
      resting: attached?.orders.resting() ?? [],
      endsAt: this.#kind.endsAt(seed.params, startedAt),
      updatedAt: Math.max(updatedAt, this.#mind.decidedAt),
    })
  }

  /** For the first time, or after a process that drove it has died. @throws what keeps its account from being asked */
  start(): Promise<void> {
    return this.#turn(async () => {
      const { ending, isPaused, status } = this.record
      const { sender } = await this.#attach()
      if (ending !== undefined) return this.#finish(ending)
      if (isPaused) return sender.takeBack(this.#kind.keepsWhilePaused)
      if (status === 'running') this.#mind.goOn()
    })
  }

  /** @throws {TaskError} `not-resumable` @throws what keeps its account from being asked */
  resume(): Promise<void> {
    return this.#turn(async () => {
      if (isOver(this.record)) throw notResumable(this.record)
      if (this.record.ending !== undefined || this.isRunning) return
      const held = this.#heldBy()
      if (held !== undefined && !this.isProtective) {
        throw new TaskError('not-resumable', held, { hint: '`status` says more' })
      }
      const known = this.#attached
      const { sight } = known ?? (await this.#attach())
      await known?.sender.adopt()
      await sight.refresh()
      await this.#become({ status: 'running', isPaused: false })
      this.#mind.goOn()
    })
  }

  pause(reason: string): Promise<void> {
    return this.#turn(() => this.#pause(reason))
  }

  /** Resolves when none of its orders can live. */
  cancel(reason: string): Promise<void> {
    return this.#turn(async () => {
      if (isOver(this.record)) return
      const mayLive = this.record.orders.some(({ settled }) => settled === undefined)
      if (this.#attached === undefined && mayLive) await this.#attach()
      await this.#end({ status: 'cancelled', reason: this.#mind.reasonOf(reason, this.#attached?.facts()), keeps: [] })
    })
  }

  /** It could not begin. */
  fail(reason: string): Promise<void> {
    return this.#turn(() => this.#end({ status: 'failed', reason, keeps: [] }))
  }

  /** It stops where it is, and what rests is told. @param takesBack its orders are taken back first */
  interrupt(reason: string, takesBack: boolean): Promise<void> {
    return this.#turn(async () => {
      if (this.record.status !== 'running') return
      await this.#ledger.append({ t: 'status', status: 'interrupted', isPaused: false, reason })
      this.#mind.forgetEvents()
      if (takesBack) await this.#attached?.sender.takeBack([])
      this.#tellStatus()
    })
  }

  /** A process that drove it has died: what became of its orders is found out where that can be asked. */
  async leftBehind(reason: string): Promise<void> {
    await this.#turn(() => this.#attach()).catch((error: unknown) => this.#ports.unreachable(this, error))
    await this.interrupt(reason, false)
  }

  /** Now and then: the account may be connected anew, and what is known is written down. @returns whether it can be asked @throws what keeps its account from being asked */
  async look(): Promise<boolean> {
    this.#mind.keep()
    if (this.#attached === undefined || this.#closing.signal.aborted) return false
    const feed = await this.#ports.feedOf(this.record.seed.account)
    if (feed !== this.#attached.feed)
      await this.#turn(() => this.#attach().then(() => this.isRunning && this.#mind.goOn()))
    this.#mind.lookWhilePaused()
    return true
  }

  /** New orders may no longer be placed, or may again. */
  heldChanged(): void {
    if (this.#heldBy() === undefined) this.#mind.goOn()
    else this.#mind.push({ type: 'ticker' })
  }

  /** This process no longer drives it. What rests stays. */
  abandon(): void {
    if (this.#ports.isOurs()) this.#mind.keep()
    this.#mind.setWake(undefined)
    this.#closing.abort()
    this.#attached?.sight.end()
  }

  /** Resolves when all that is known by now has been acted on. */
  settled(): Promise<void> {
    return this.#turn(() => {})
  }

  #heldBy(): string | undefined {
    return this.#ports.heldBy(this.record.seed.account, this.isProtective)
  }

  #turn<R>(work: () => Promise<R> | R): Promise<R> {
    const turn = this.#turns.then(work)
    this.#turns = turn.catch(() => {})
    return turn
  }

  #total(): Filled {
    const { orders, before, id } = this.record
    return (this.#attached?.orders ?? new TaskOrders(id, { amountUnit: 'base' }, orders, before)).total()
  }

  /** Connects the account, and finds out what became of its orders. */
  async #attach(): Promise<Attached> {
    const { id, seed, orders: known, before } = this.record
    const feed = await this.#ports.feedOf(seed.account)
    const push = (event: TaskEvent) => this.#mind.push(event)
    const sight = await feed.watch(seed.symbol, {
      ticker: () => push({ type: 'ticker' }),
      position: () => push({ type: 'position' }),
      order: (order, reason) => this.#heardOrder(order, reason),
      trade: (trade) => this.#heardTrade(trade),
    })
    const earlier = this.#attached
    earlier?.sight.end()
    const orders = earlier?.orders ?? new TaskOrders(id, sight.market, known, before)
    const sender = earlier?.sender ?? this.#createSender(orders, feed.account)
    const facts = (): TaskFacts => ({
      ...{ now: this.#ports.clock.now(), ...orders.total(), orders: orders.views() },
      // While nothing may be placed, a kind that sees no price does nothing.
      ...factsOf(sight, feed.account, this.#heldBy() === undefined),
    })
    const attached = { sight, feed, orders, sender, facts }
    this.#attached = attached
    await sender.adopt()
    this.#ports.changed(this)
    return attached
  }

  #createSender(orders: TaskOrders, first: TradingAccount): TaskSender {
    const { clock, isOurs, bug, tell } = this.#ports
    const { id, seed } = this.record
    return new TaskSender({
      ...{ clock, bug, orders, signal: this.#closing.signal },
      account: () => this.#attached?.feed.account ?? first,
      by: (step) => orderedBy(seed.by, id, step),
      refusal: () => {
        if (!isOurs()) return 'lost'
        // What a protective task may still do, the guard says.
        const held = this.isProtective ? undefined : this.#heldBy()
        return held === undefined ? undefined : { code: 'held', why: held }
      },
      changed: (own) => this.#orderChanged(own),
      filled: (trade) => tell({ type: 'filled', task: this.row(), trades: [trade] }),
      simulated: () => void this.pause('simulation is on, and tasks do nothing in it').catch(bug),
      warn: (text) => tell({ type: 'said', task: this.row(), level: 'warn', text }),
    })
  }

  #heardOrder(order: Order, reason: string | undefined): void {
    const own = this.#attached?.orders.findBy(order)
    if (own !== undefined) this.#attached?.sender.heard(own, order, reason)
  }

  #heardTrade(trade: Trade): void {
    const own = this.#attached?.orders.findBy(namesOf(trade))
    if (own !== undefined) this.#attached?.sender.heardTrade(own, trade)
  }

  #orderChanged(own: OwnOrder): void {
    const as = this.#attached?.orders.settle(own)
    if (as !== undefined) this.#ledger.note({ t: 'settled', step: own.step, as })
    this.#ports.changed(this)
    this.#mind.push({ type: 'order', step: own.step })
  }

  async #pause(reason: string): Promise<void> {
    const { status, ending, isPaused } = this.record
    if (status !== 'running' || ending !== undefined || isPaused) return
    await this.#become({ status: 'running', isPaused: true, reason })
    await this.#attached?.sender.takeBack(this.#kind.keepsWhilePaused)
  }

  async #become(status: { status: 'running' | 'interrupted'; isPaused: boolean; reason?: string }): Promise<void> {
    await this.#ledger.append({ t: 'status', ...status })
    this.#mind.forgetEvents()
    this.#tellStatus()
  }

  async #end(ending: TaskEnding): Promise<void> {
    await this.#ledger.append({ t: 'ending', ending })
    await this.#finish(ending)
  }

  /** What rests is taken back first: only what can no longer live is over. */
  async #finish({ status, reason, keeps }: TaskEnding): Promise<void> {
    this.#mind.forgetEvents()
    this.#mind.setWake(undefined)
    this.#ports.changed(this)
    await this.#attached?.sender.takeBack(keeps)
    if (this.#closing.signal.aborted || !this.#ports.isOurs()) return
    await this.#ledger.append({ t: 'ended', status, reason })
    this.#attached?.sight.end()
    this.#tellStatus()
  }

  #tellStatus(): void {
    this.#ports.changed(this)
    this.#ports.tell({ type: 'status', task: this.row() })
  }
}
