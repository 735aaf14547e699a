// One task while this process drives it. What is asked of it waits its turn between two of its decisions.

import { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import type { Market } from '../exchange/market.ts'
import type { Order, Trade } from '../exchange/order.ts'
import { isOfOperator } from '../runs/run.ts'
import type { Task } from '../stores/tasks.ts'
import type { TradingAccount } from '../trading/order-desk.ts'
import type { OrderedBy } from '../trading/order-plan.ts'
import { type AccountFeed, factsOf, type SymbolSight } from './account-feed.ts'
import type { ReadingsWatch } from './bar-feed.ts'
import type { AnyTaskKind } from './kinds.ts'
import type { RiskEffect, TaskEvent, TaskFacts } from './task-kind.ts'
import { type TaskBody, TaskLedger, type TaskLedgerPorts, TaskLoop } from './task-loop.ts'
import { namesOf, type OwnOrder, TaskOrders } from './task-orders.ts'
import { type AskedBy, type ReportTask, TaskError } from './task-port.ts'
import { causeOf, type Filled, isOver, type PauseCause, type TaskEnding, type TaskRecord } from './task-record.ts'
import { rowOf } from './task-row.ts'
import { type Hold, notResumable } from './task-rules.ts'
import { TaskSender } from './task-sender.ts'
import type { TaskWakes } from './task-wakes.ts'

/** Who ordered, for an order of a task: the one who began it. */
function orderedBy(record: TaskRecord, step: number): OrderedBy {
  const { source, runId, origin, hookId, clientId } = causeOf(record)
  return { source, runId, step, taskId: record.id, ...defined({ origin, hookId, clientId, tags: record.seed.by.tags }) }
}

export interface TaskRunPorts extends TaskLedgerPorts {
  /** Of all tasks that the process drives. */
  readonly wakes: TaskWakes
  /** Looked at afresh: this process still drives. */
  isOurs(): boolean
  /** What keeps it from placing anything now; undefined: it may. */
  heldBy(task: HeldTask): Hold | undefined
  /** Why what began it lets it go on no longer; undefined: it does. */
  whyEnded(by: AskedBy): string | undefined
  isSimulated(account: string): boolean
  /** As the account is connected now. @throws as `Connections.connect` */
  feedOf(account: string): Promise<AccountFeed>
  /** Its row is another one. */
  changed(run: TaskRun): void
  readonly report: ReportTask
  /** Runs a line for it; never rejects. */
  runLine(task: TaskRecord, line: string): Promise<Extract<TaskEvent, { type: 'ran' }>>
  /** Its account cannot be asked now. */
  unreachable(run: TaskRun, error: unknown): void
  bug(error: unknown): void
}

/** What a hold depends on. */
export interface HeldTask {
  readonly account: string
  readonly effect: RiskEffect
  /** Whose orders are its own. */
  readonly cause: AskedBy
  /** It has gone on since: halts from before do not hold it. Undefined: none does that is lifted. */
  readonly since: number | undefined
}

/** How long what else covers the position is waited for. */
const OTHERS_WITHIN_MS = 1_000

const SIMULATED = 'simulation is on; it continues after `sim off`'

/** What of two causes stays: what passes by itself gives way. */
const LASTS: Readonly<Record<PauseCause, number>> = { simulation: 0, halt: 1, request: 1, files: 1, source: 2 }

/** Its account, connected, and what it has there. */
interface Attached extends TaskBody {
  readonly sight: SymbolSight
  readonly feed: AccountFeed
  readonly bars: ReadingsWatch | undefined
}

export class TaskRun {
  readonly #kind: AnyTaskKind
  readonly #ports: TaskRunPorts
  readonly #ledger: TaskLedger
  readonly #loop: TaskLoop
  readonly #closing = new AbortController()
  #attached: Attached | undefined
  #turns: Promise<unknown> = Promise.resolve()
  #isLineRunning = false

  constructor(record: TaskRecord, kind: AnyTaskKind, ports: TaskRunPorts) {
    this.#kind = kind
    this.#ports = ports
    this.#ledger = new TaskLedger(record, ports)
    this.#loop = new TaskLoop({
      clock: ports.clock,
      wakes: ports.wakes,
      bug: ports.bug,
      kind,
      ledger: this.#ledger,
      signal: this.#closing.signal,
      body: () => this.#attached,
      turn: (work) => this.#turn(work),
      reportLine: (level, text) => ports.report({ type: 'line', task: this.row(), level, text }),
      reportNews: (text) => ports.report({ type: 'news', task: this.row(), text }),
      runLine: (line) => this.#runLine(line),
      changed: () => ports.changed(this),
      pause: (reason) => this.#pause(reason, 'request'),
      finish: (ending) => this.#finish(ending),
    })
  }

  get record(): TaskRecord {
    return this.#ledger.record
  }

  get effect(): RiskEffect {
    return this.#kind.effect(this.record.seed.params)
  }

  /** After a restart it goes on by itself, and at an exit its orders stay. */
  get isProtective(): boolean {
    return this.effect !== 'adds'
  }

  /** It has no orders of its own. */
  get sendsNothing(): boolean {
    return this.#kind.sendsNothing === true
  }

  /** What keeps it from placing anything now. */
  get hold(): Hold | undefined {
    return this.#ports.heldBy(this.#held)
  }

  get isRunning(): boolean {
    return this.#ledger.isRunning
  }

  row(): Task {
    const { seed, startedAt, updatedAt } = this.record
    const attached = this.#attached
    return rowOf(this.record, {
      kind: this.#kind.shownAs?.(seed.params) ?? seed.kind,
      sight: attached && this.#loop.see(attached.facts()),
      isProtective: this.isProtective,
      amount: this.#kind.amount(seed.params),
      total: this.#total(),
      resting: attached?.orders.resting() ?? [],
      endsAt: this.#kind.endsAt(seed.params, startedAt),
      updatedAt: Math.max(updatedAt, this.#loop.decidedAt),
    })
  }

  /** For the first time, or after a process that drove it has died. @throws what keeps its account from being asked */
  start(): Promise<void> {
    return this.#turn(async () => {
      const { ending, isPaused, status } = this.record
      const { sender } = await this.#attach()
      if (ending !== undefined) return this.#finish(ending)
      if (isPaused) return sender.takeBack(this.#kind.keepsWhilePaused)
      if (status === 'running') this.#loop.goOn()
    })
  }

  /**
   * @param by what its source no longer lets go on only a person does, and it is theirs then
   * @throws {TaskError} `not-resumable` @throws what keeps its account from being asked
   */
  resume(by: AskedBy): Promise<void> {
    return this.#turn(async () => {
      if (isOver(this.record)) throw notResumable(this.record)
      // A stop that is lifted and that its driver has not looked at yet would pause it a moment later.
      if (this.record.ending !== undefined || (this.isRunning && this.hold === undefined)) return
      const resumedBy = this.#takenOverBy(by)
      const held = this.#ports.heldBy({ ...this.#held, cause: resumedBy ?? causeOf(this.record), since: undefined })
      if (held !== undefined) throw new TaskError('not-resumable', held.why, { hint: '`status` shows the details' })
      await this.#goOn(resumedBy)
    })
  }

  /** What paused it is over. @throws what keeps its account from being asked */
  goOnAfter(cause: PauseCause): Promise<void> {
    return this.#turn(async () => {
      if (this.#pausedFor !== cause || this.hold !== undefined) return
      await this.#goOn(undefined)
    })
  }

  /** One that is paused already takes on a cause that does not pass by itself. */
  pause(reason: string, cause: PauseCause): Promise<void> {
    return this.#turn(() => this.#pause(reason, cause))
  }

  /** As `pause`, for what holds it when its turn comes: a person may have let it go on meanwhile. */
  pauseWhileHeld(): Promise<void> {
    return this.#turn(async () => {
      const { hold } = this
      if (hold === undefined || hold.cause === 'panic' || hold.cause === 'closing') return
      await this.#pause(hold.cause === 'simulation' ? SIMULATED : hold.why, hold.cause)
    })
  }

  /** What held it, and did not pause it, is over. */
  wake(): void {
    if (this.#attached !== undefined) this.#loop.goOn()
  }

  /** Resolves when none of its orders can live. @param by the run that asks, or `panic` @throws {StoreError} it is done, and not written down */
  cancel(reason: string, by: string): Promise<void> {
    return this.#turn(async () => {
      if (isOver(this.record)) return
      const mayLive = this.record.orders.some(({ settled }) => settled === undefined)
      if (this.#attached === undefined && mayLive) await this.#attach()
      await this.#end({ status: 'cancelled', reason, keeps: [], by })
    })
  }

  /** It could not begin. */
  fail(reason: string): Promise<void> {
    return this.#turn(() => this.#end({ status: 'failed', reason, keeps: [] }))
  }

  /** It stops where it is, and what rests is told. @param takesBack its orders are taken back first */
  interrupt(reason: string, takesBack: boolean): Promise<void> {
    return this.#turn(() => this.#interrupt(reason, takesBack))
  }

  /** A process that drove it has died: what became of its orders is found out where that can be asked. */
  leftBehind(reason: string): Promise<void> {
    // In one turn: who resumes it meanwhile means what is interrupted.
    return this.#turn(async () => {
      await this.#endWhereFilled().catch((error: unknown) => this.#ports.unreachable(this, error))
      await this.#interrupt(reason, false)
    })
  }

  /** Now and then: the account may be connected anew, and what is known is written down. @returns whether it can be asked @throws what keeps its account from being asked */
  async look(): Promise<boolean> {
    this.#loop.keep()
    if (this.#attached === undefined || this.#closing.signal.aborted) return false
    const feed = await this.#ports.feedOf(this.record.seed.account)
    if (feed !== this.#attached.feed)
      await this.#turn(() => this.#attach().then(() => this.isRunning && this.#loop.goOn()))
    this.#loop.lookWhilePaused()
    return true
  }

  /** This process no longer drives it. What rests stays. */
  abandon(): void {
    if (this.#ports.isOurs()) this.#loop.keep()
    this.#loop.setWake(undefined)
    this.#closing.abort()
    this.#detach()
  }

  /** Resolves when all that is known by now has been acted on. */
  settled(): Promise<void> {
    return this.#turn(() => {})
  }

  get #held(): HeldTask {
    const { seed, startedAt, wentOnAt = startedAt } = this.record
    return { account: seed.account, effect: this.effect, cause: causeOf(this.record), since: wentOnAt }
  }

  get #pausedFor(): PauseCause | undefined {
    const { status, isPaused, ending, pausedFor = 'request' } = this.record
    return status === 'running' && isPaused && ending === undefined ? pausedFor : undefined
  }

  /** @returns undefined: it stays its source's @throws {TaskError} `not-resumable` */
  #takenOverBy(by: AskedBy): AskedBy | undefined {
    const isEnded = this.effect === 'adds' && this.#ports.whyEnded(causeOf(this.record)) !== undefined
    if (!isEnded && this.#pausedFor !== 'source') return undefined
    if (isOfOperator(by.source)) return by
    const why = this.record.reason ?? 'the line that started it has ended'
    throw new TaskError('not-resumable', `${why}, and only the terminal resumes it`, {
      hint: `type \`tasks resume ${this.record.id.slice(0, 8)}\` in the terminal`,
    })
  }

  async #goOn(resumedBy: AskedBy | undefined): Promise<void> {
    const known = this.#attached
    // Of one that nothing has paused yet, orders are under way.
    if (this.isRunning && known !== undefined) {
      await this.#ledger.append({ t: 'status', status: 'running', isPaused: false, ...resumed(resumedBy) })
      return this.#loop.goOn()
    }
    const { sight } = known ?? (await this.#attach())
    await known?.sender.adopt()
    await sight.refresh()
    await this.#become({ status: 'running', isPaused: false, ...resumed(resumedBy) })
    this.#loop.goOn()
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
    const push = (event: TaskEvent) => this.#loop.push(event)
    const sight = await feed.watch(seed.symbol, {
      ticker: () => push({ type: 'ticker' }),
      position: () => push({ type: 'position' }),
      order: (order, reason) => this.#receivedOrder(order, reason),
      trade: (trade) => this.#receivedTrade(trade),
    })
    const earlier = this.#attached
    earlier?.sight.end()
    earlier?.bars?.end()
    const bars = await this.#readBars(feed, sight.market, () => push({ type: 'readings' }))
    const orders = earlier?.orders ?? new TaskOrders(id, sight.market, known, before)
    const sender = earlier?.sender ?? this.#createSender(orders, feed.account)
    const facts = (): TaskFacts => ({
      now: this.#ports.clock.now(),
      ...orders.total(),
      orders: orders.views(),
      // While nothing may be placed, a kind that sees no price does nothing.
      ...factsOf(sight, feed.account, this.hold === undefined),
      ...defined({ readings: bars?.readings() }),
      isLineRunning: this.#isLineRunning,
    })
    const attached = { sight, feed, bars, orders, sender, facts }
    this.#attached = attached
    await sender.adopt()
    this.#ports.changed(this)
    return attached
  }

  async #readBars(feed: AccountFeed, market: Market, changed: () => void): Promise<ReadingsWatch | undefined> {
    const reads = this.#kind.reads?.(this.record.seed.params)
    return reads && feed.bars.watch(market, reads, changed)
  }

  #detach(): void {
    this.#attached?.sight.end()
    this.#attached?.bars?.end()
  }

  /** What is lost under a panic is told, and never run later. */
  async #runLine(line: string): Promise<Extract<TaskEvent, { type: 'ran' }>> {
    if (!this.#ports.isOurs()) return { type: 'ran', lost: 'another hookline drives tasks now' }
    const held = this.#ports.heldBy({ ...this.#held, effect: 'adds', since: undefined })
    if (held?.cause === 'panic') return { type: 'ran', lost: held.why }
    this.#isLineRunning = true
    return this.#ports.runLine(this.record, line).finally(() => {
      this.#isLineRunning = false
    })
  }

  #createSender(orders: TaskOrders, first: TradingAccount): TaskSender {
    const { clock, isOurs, bug, report } = this.#ports
    const { seed } = this.record
    return new TaskSender({
      clock,
      bug,
      orders,
      signal: this.#closing.signal,
      account: () => this.#attached?.feed.account ?? first,
      by: (step) => {
        // Asked once more right before it leaves: what is said while the intent is written holds too.
        const by = { ...orderedBy(this.record, step), whyEnded: () => this.hold?.why }
        // What rests for real is not protected by what is only worked out.
        return this.effect === 'protects' && this.#ports.isSimulated(seed.account) ? { ...by, isReal: true } : by
      },
      refusal: () => {
        if (!isOurs()) return 'lost'
        const { hold } = this
        return hold === undefined ? undefined : { code: 'held', why: hold.why }
      },
      changed: (own) => this.#orderChanged(own),
      filled: (trade) => report({ type: 'filled', task: this.row(), trades: [trade] }),
      simulated: () => {
        // One that protects asks again, and is let through then.
        if (this.effect !== 'protects') this.pause(SIMULATED, 'simulation').catch(bug)
      },
      warn: (text) => report({ type: 'line', task: this.row(), level: 'warn', text }),
    })
  }

  #receivedOrder(order: Order, reason: string | undefined): void {
    const own = this.#attached?.orders.findBy(order)
    if (own !== undefined) this.#attached?.sender.received(own, order, reason)
  }

  #receivedTrade(trade: Trade): void {
    const own = this.#attached?.orders.findBy(namesOf(trade))
    if (own !== undefined) this.#attached?.sender.receivedTrade(own, trade)
  }

  #orderChanged(own: OwnOrder): void {
    const as = this.#attached?.orders.settle(own)
    if (as !== undefined) this.#ledger.note({ t: 'settled', step: own.step, as })
    this.#ports.changed(this)
    this.#loop.push({ type: 'order', step: own.step })
  }

  async #interrupt(reason: string, takesBack: boolean): Promise<void> {
    if (this.record.status !== 'running') return
    await this.#ledger.append({ t: 'status', status: 'interrupted', isPaused: false, reason })
    this.#loop.forgetEvents()
    if (takesBack) await this.#attached?.sender.takeBack([])
    this.#reportStatus()
  }

  /** Its last fill came before it could say so. */
  async #endWhereFilled(): Promise<void> {
    const { filled } = (await this.#attach()).facts()
    const whole = this.#kind.amount(this.record.seed.params)
    const isFilled = whole !== undefined && new Decimal(filled).gte(whole)
    if (isFilled && this.isRunning) await this.#end({ status: 'done', reason: 'all filled', keeps: [] })
  }

  async #pause(reason: string, pausedFor: PauseCause): Promise<void> {
    const { status, ending, isPaused } = this.record
    if (status !== 'running' || ending !== undefined) return
    if (isPaused && LASTS[pausedFor] <= LASTS[this.#pausedFor ?? 'request']) return
    // Its orders are taken back also where that cannot be written down.
    const written = this.#ledger.append({ t: 'status', status: 'running', isPaused: true, reason, pausedFor })
    await written.catch(() => {})
    this.#loop.forgetEvents()
    this.#reportStatus()
    await this.#attached?.sender.takeBack(this.#kind.keepsWhilePaused)
    await written
  }

  async #become(status: { status: 'running' | 'interrupted'; isPaused: boolean; resumedBy?: AskedBy }): Promise<void> {
    await this.#ledger.append({ t: 'status', ...status })
    this.#loop.forgetEvents()
    this.#reportStatus()
  }

  /** Its orders are taken back also where that cannot be written down. */
  async #end(ending: TaskEnding): Promise<void> {
    const written = this.#ledger.append({ t: 'ending', ending })
    await written.catch(() => {})
    await this.#finish(ending)
    await written
  }

  /** What rests is taken back first: only what can no longer live is over. */
  async #finish({ status, reason: why, keeps, by }: TaskEnding): Promise<void> {
    this.#loop.forgetEvents()
    this.#loop.setWake(undefined)
    this.#ports.changed(this)
    const takenBack = await this.#takeBack(keeps)
    const left = status === 'cancelled' && by !== undefined ? await this.#leaves() : takenBack
    const reason = left === undefined ? why : `${why}; ${left}`
    if (this.#closing.signal.aborted || !this.#ports.isOurs()) return
    const written = this.#ledger.append({ t: 'ended', status, reason })
    await written.catch(() => {})
    this.#detach()
    this.#reportStatus()
    await written
  }

  /** @returns what of its orders was taken back: it ends by itself, and nobody has asked for that */
  async #takeBack(keeps: readonly string[]): Promise<string | undefined> {
    const { sender, orders } = this.#attached ?? {}
    const live = orders?.live().filter(({ status, tag }) => status === 'open' && !keeps.includes(tag)) ?? []
    await sender?.takeBack(keeps)
    const count = live.filter(({ order }) => order?.status === 'canceled').length
    return count === 0 ? undefined : `${count === 1 ? '1 order was' : `${count} orders were`} canceled`
  }

  async #leaves(): Promise<string | undefined> {
    const attached = this.#attached
    if (attached === undefined || this.#kind.leaves === undefined) return undefined
    const others = this.effect === 'protects' ? await this.#othersSoon(attached) : []
    return this.#loop.leaves(attached.facts(), others)
  }

  /** What rests on the symbol besides. A venue that is silent does not hold the end back. */
  async #othersSoon({ feed, orders }: Attached): Promise<readonly Order[] | undefined> {
    const asked = feed.account.venue.fetchOpenOrders(this.record.seed.symbol).catch((error: unknown) => {
      if (error instanceof ExchangeError) return undefined
      throw error
    })
    const known = new AbortController()
    const late = this.#ports.clock.delay(OTHERS_WITHIN_MS, known.signal).then(() => undefined)
    const resting = await Promise.race([asked, late]).finally(() => known.abort())
    return resting?.filter((order) => orders.findBy(order) === undefined)
  }

  #reportStatus(): void {
    this.#ports.changed(this)
    this.#ports.report({ type: 'status', task: this.row() })
  }
}

function resumed(by: AskedBy | undefined): { readonly resumedBy?: AskedBy } {
  return defined({ resumedBy: by })
}
