// One task while this process drives it: events come one at a time to its kind, what the kind decides is written down, and then done. What is
// asked of the task waits its turn between two events.
import type { Order, Trade } from '../exchange/order.ts'
import { StoreError } from '../stores/store-error.ts'
import type { Task } from '../stores/tasks.ts'
import type { Clock } from '../trading/clock.ts'
import type { TradingAccount } from '../trading/order-desk.ts'
import type { AccountFeed, SymbolSight } from './account-feed.ts'
import type { AnyTaskKind } from './kinds.ts'
import { createPace } from './pace.ts'
import { TaskError } from './task-error.ts'
import { type Applied, withLine } from './task-fold.ts'
import type { TaskEffect, TaskEvent, TaskFacts, TaskStep } from './task-kind.ts'
import type { PlannedStep } from './task-lines.ts'
import { type OwnOrder, TaskOrders } from './task-orders.ts'
import { isOver, type TaskEnding, type TaskRecord } from './task-record.ts'
import { rowOf } from './task-row.ts'
import { TaskSender } from './task-sender.ts'
import type { TellTask } from './task-told.ts'
import { orderedBy } from './who-ordered.ts'

export interface TaskRunPorts {
  readonly clock: Clock
  /** Resolves when it is on the disk. @throws {StoreError} */
  append(line: Applied): Promise<void>
  /** Nobody waits for it. */
  note(line: Applied): void
  /** Looked at afresh: this process still drives. */
  isOurs(): boolean
  /** Why nothing new is placed on the account now; undefined: nothing stands against it. */
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

/** What a driver writes of its own task. */
type OwnLine = Exclude<Applied, { t: 'asked' | 'answered' }>
type Unnumbered<Line> = Line extends OwnLine ? Omit<Line, 'id' | 'n' | 'at'> : never

/** A state that nothing else was decided with is written so often at most. */
const STATE_EVERY_MS = 250
const MAX_ACTIONS_A_SECOND = 10

export class TaskRun {
  readonly #kind: AnyTaskKind
  readonly #ports: TaskRunPorts
  readonly #closing = new AbortController()
  readonly #events = new Map<string, TaskEvent>()
  readonly #pace
  #record: TaskRecord
  #feed: AccountFeed | undefined
  #sight: SymbolSight | undefined
  #orders: TaskOrders | undefined
  #sender: TaskSender | undefined
  #state: unknown
  #stateText = ''
  #isStateUnwritten = false
  #stateWrittenAt = 0
  #wake: AbortController | undefined
  #nextChange: number
  #turns: Promise<unknown> = Promise.resolve()
  #isDraining = false

  constructor(record: TaskRecord, kind: AnyTaskKind, ports: TaskRunPorts) {
    this.#record = record
    this.#kind = kind
    this.#ports = ports
    this.#state = record.state ?? kind.initial(record.seed.params)
    this.#nextChange = record.nextChange
    this.#pace = createPace(ports.clock, MAX_ACTIONS_A_SECOND, () =>
      this.#say(
        'warn',
        `it asks for more than ${MAX_ACTIONS_A_SECOND} orders and changes a second, and is slowed down`,
      ),
    )
  }

  get record(): TaskRecord {
    return this.#record
  }

  get isProtective(): boolean {
    return this.#kind.isProtective(this.#record.seed.params)
  }

  get isRunning(): boolean {
    const { status, isPaused, ending } = this.#record
    return status === 'running' && !isPaused && ending === undefined
  }

  row(): Task {
    const { seed, startedAt, updatedAt } = this.#record
    const { params } = seed
    const facts = this.#sight === undefined ? undefined : this.#facts(this.#sight)
    return rowOf(this.#record, {
      sight: facts && this.#kind.see(params, this.#state, facts),
      isProtective: this.isProtective,
      amount: this.#kind.amount(params),
      total: this.#total(),
      resting: this.#orders?.resting() ?? [],
      endsAt: this.#kind.endsAt(params, startedAt),
      updatedAt: Math.max(updatedAt, this.#stateWrittenAt),
    })
  }

  /** For the first time, or after a process that drove it has died. @throws what keeps its account from being asked */
  start(): Promise<void> {
    return this.#turn(async () => {
      await this.#attach()
      if (this.#record.ending !== undefined) return this.#finish(this.#record.ending)
      if (this.#record.isPaused) return this.#sender?.takeBack(this.#kind.keepsWhilePaused)
      if (this.#record.status === 'running') this.#goOn()
    })
  }

  /** @throws {TaskError} `not-resumable` */
  resume(): Promise<void> {
    return this.#turn(async () => {
      if (isOver(this.#record)) throw notResumable(this.#record)
      if (this.#record.ending !== undefined || this.isRunning) return
      const held = this.#heldBy()
      if (held !== undefined && !this.isProtective)
        throw new TaskError('not-resumable', held, { hint: 'type `resume` in the terminal first' })
      if (this.#sight === undefined) await this.#attach()
      else await this.#sender?.adopt()
      await this.#sight?.refresh()
      await this.#become({ status: 'running', isPaused: false })
      this.#goOn()
    })
  }

  pause(reason: string): Promise<void> {
    return this.#turn(() => this.#pause(reason))
  }

  /** Resolves when none of its orders can live. */
  cancel(reason: string): Promise<void> {
    return this.#turn(async () => {
      if (isOver(this.#record)) return
      if (this.#sight === undefined && this.#record.orders.some(({ settled }) => settled === undefined))
        await this.#attach()
      await this.#end({ status: 'cancelled', reason, keeps: [] })
    })
  }

  /** It could not begin. */
  fail(reason: string): Promise<void> {
    return this.#turn(() => this.#end({ status: 'failed', reason, keeps: [] }))
  }

  /** It stops where it is, and what rests is told. @param takesBack its orders are taken back first */
  interrupt(reason: string, takesBack: boolean): Promise<void> {
    return this.#turn(async () => {
      if (this.#record.status !== 'running') return
      await this.#append({ t: 'status', status: 'interrupted', isPaused: false, reason })
      this.#events.clear()
      if (takesBack) await this.#sender?.takeBack([])
      this.#ports.changed(this)
      this.#ports.tell({ type: 'status', task: this.row() })
    })
  }

  /** A process that drove it has died: what became of its orders is found out where that can be asked. */
  async leftBehind(reason: string): Promise<void> {
    await this.#turn(() => this.#attach()).catch((error: unknown) => this.#ports.unreachable(this, error))
    await this.interrupt(reason, false)
  }

  /** Now and then: the account may be connected anew, and what is known is written down. */
  async look(): Promise<void> {
    if (this.#isStateUnwritten) this.#writeState()
    if (this.#feed === undefined || this.#closing.signal.aborted) return
    const feed = await this.#ports.feedOf(this.#record.seed.account)
    if (feed === this.#feed) return
    await this.#turn(async () => {
      await this.#attach()
      if (this.isRunning) this.#goOn()
    })
  }

  /** What stood against new orders has come, or is over. */
  heldChanged(): void {
    this.#push(this.#heldBy() === undefined ? { type: 'resumed' } : { type: 'ticker' })
  }

  /** This process no longer drives it. What rests stays. */
  abandon(): void {
    if (this.#isStateUnwritten && this.#ports.isOurs()) this.#writeState()
    this.#wake?.abort()
    this.#closing.abort()
    this.#sight?.end()
  }

  /** Resolves when all that is known by now has been acted on. */
  settled(): Promise<void> {
    return this.#turn(() => {})
  }

  #heldBy(): string | undefined {
    return this.#ports.heldBy(this.#record.seed.account, this.isProtective)
  }

  #turn<R>(work: () => Promise<R> | R): Promise<R> {
    const turn = this.#turns.then(work)
    this.#turns = turn.catch(() => {})
    return turn
  }

  #total() {
    const { orders, before, id } = this.#record
    return (this.#orders ?? new TaskOrders(id, { amountUnit: 'base' }, orders, before)).total()
  }

  /** Connects the account, and finds out what became of its orders. */
  async #attach(): Promise<void> {
    const { id, seed, orders, before } = this.#record
    const feed = await this.#ports.feedOf(seed.account)
    const sight = await feed.watch(seed.symbol, {
      ticker: () => this.#push({ type: 'ticker' }),
      position: () => this.#push({ type: 'position' }),
      order: (order, reason) => this.#heardOrder(order, reason),
      trade: (trade) => this.#heardTrade(trade),
    })
    this.#sight?.end()
    this.#feed = feed
    this.#sight = sight
    this.#orders ??= new TaskOrders(id, sight.market, orders, before)
    this.#sender ??= this.#createSender(this.#orders, feed.account)
    await this.#sender.adopt()
    this.#ports.changed(this)
  }

  #createSender(orders: TaskOrders, first: TradingAccount): TaskSender {
    const { clock, isOurs, bug } = this.#ports
    const { id, seed } = this.#record
    return new TaskSender({
      ...{ clock, bug, orders, signal: this.#closing.signal },
      account: () => this.#feed?.account ?? first,
      by: (step) => orderedBy(seed.by, id, step),
      refusal: () => {
        if (!isOurs()) return 'lost'
        // What a protective task may still do, the guard says.
        const held = this.isProtective ? undefined : this.#heldBy()
        return held === undefined ? undefined : { code: 'held', why: held }
      },
      changed: (own) => this.#orderChanged(own),
      filled: (trade) => this.#ports.tell({ type: 'filled', task: this.row(), trades: [trade] }),
      simulated: () => void this.pause('simulation is on: tasks do nothing in it').catch(bug),
      warn: (text) => this.#say('warn', text),
    })
  }

  #heardOrder(order: Order, reason: string | undefined): void {
    const own = this.#orders?.findBy(order)
    if (own !== undefined) this.#sender?.heard(own, order, reason)
  }

  #heardTrade(trade: Trade): void {
    const { orderId: id, clientOrderId } = trade
    const own = this.#orders?.findBy({ id, ...(clientOrderId === undefined ? {} : { clientOrderId }) })
    if (own !== undefined) this.#sender?.heardTrade(own, trade)
  }

  #orderChanged(own: OwnOrder): void {
    const as = this.#orders?.settle(own)
    if (as !== undefined) this.#note({ t: 'settled', step: own.step, as })
    this.#ports.changed(this)
    this.#push({ type: 'order', step: own.step })
  }

  #goOn(): void {
    this.#push({ type: this.#record.state === undefined ? 'begun' : 'resumed' })
  }

  #push(event: TaskEvent): void {
    if (!this.isRunning || this.#closing.signal.aborted) return
    // Nothing has been decided yet, and `begun` comes first.
    if (this.#record.state === undefined && event.type !== 'begun' && !this.#events.has('begun')) return
    this.#events.set(event.type === 'order' ? `order ${event.step}` : event.type, event)
    if (this.#isDraining) return
    this.#isDraining = true
    this.#turn(() => this.#drain()).catch((error: unknown) => this.#ports.bug(error))
  }

  async #drain(): Promise<void> {
    try {
      for (;;) {
        const [next] = this.#events
        if (next === undefined || !this.isRunning || this.#closing.signal.aborted) return
        this.#events.delete(next[0])
        await this.#reduce(next[1])
      }
    } finally {
      this.#isDraining = false
      this.#events.clear()
    }
  }

  async #reduce(event: TaskEvent): Promise<void> {
    if (this.#sight === undefined) return
    const { params } = this.#record.seed
    let decided: TaskStep<unknown>
    try {
      decided = this.#kind.reduce(params, this.#state, event, this.#facts(this.#sight))
    } catch (error) {
      this.#ports.bug(error)
      return this.#pause(`it cannot go on: ${error instanceof Error ? error.message : String(error)}`)
    }
    this.#takeState(decided.state)
    await this.#doEffects(decided.effects)
  }

  #takeState(state: unknown): void {
    if (state === this.#state && this.#stateText !== '') return
    this.#state = state
    const text = JSON.stringify(state)
    if (text === this.#stateText) return
    this.#stateText = text
    this.#isStateUnwritten = true
  }

  async #doEffects(effects: readonly TaskEffect[]): Promise<void> {
    const places = effects.filter((effect) => effect.type === 'place')
    const planned = places.map(
      ({ tag, plan }, index): PlannedStep => ({ step: this.#record.nextStep + index, tag, plan }),
    )
    const isDurable = effects.some(({ type }) => type !== 'wake')
    if (isDurable && !(await this.#isWritten(effects, planned))) return
    else if (this.#isStateUnwritten && this.#ports.clock.now() - this.#stateWrittenAt >= STATE_EVERY_MS)
      this.#writeState()
    this.#ports.changed(this)
    const left = [...planned]
    for (const effect of effects) await this.#do(effect, left)
  }

  /** Nothing may be sent that is not written down: what cannot be is refused. */
  async #isWritten(effects: readonly TaskEffect[], planned: readonly PlannedStep[]): Promise<boolean> {
    try {
      await this.#writeStep(effects, planned)
      return true
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      for (const each of planned) {
        const own = this.#orders?.add(each, this.#ports.clock.now())
        if (own !== undefined) this.#sender?.refuse(own, error.code, error.message)
      }
      this.#tellSaid('warn', `it cannot be written down, and nothing is sent: ${error.message}`)
      return false
    }
  }

  /** On the disk before anything of it is done. */
  async #writeStep(effects: readonly TaskEffect[], places: readonly PlannedStep[]): Promise<void> {
    const at = this.#ports.clock.now()
    const said = effects.flatMap((effect) =>
      effect.type === 'say' ? [{ at, level: effect.level, text: effect.text }] : [],
    )
    const end = effects.find((effect) => effect.type === 'end')
    const changes = effects.filter(({ type }) => type === 'amend').length
    const line = {
      ...{ t: 'step' as const, state: this.#state },
      ...(places.length === 0 ? {} : { places }),
      ...(changes === 0 ? {} : { nextChange: this.#nextChange + changes }),
      ...(said.length === 0 ? {} : { said }),
      ...(end === undefined ? {} : { ending: endingOf(end) }),
    }
    this.#isStateUnwritten = false
    this.#stateWrittenAt = at
    // Only what an order or the end depends on must be on the disk.
    if (places.length > 0 || end !== undefined) await this.#append(line)
    else this.#note(line)
  }

  #writeState(): void {
    this.#isStateUnwritten = false
    this.#stateWrittenAt = this.#ports.clock.now()
    this.#note({ t: 'step', state: this.#state })
  }

  async #do(effect: TaskEffect, planned: PlannedStep[]): Promise<void> {
    if (effect.type === 'wake') return this.#setWake(effect.at)
    if (effect.type === 'say') return this.#tellSaid(effect.level, effect.text)
    if (effect.type === 'end') return this.#finish(endingOf(effect))
    await this.#pace(this.#closing.signal)
    if (this.#closing.signal.aborted) return
    if (effect.type === 'place') {
      const next = planned.shift()
      const own = next && this.#orders?.add(next, this.#ports.clock.now())
      if (own !== undefined) void this.#sender?.place(own)
      return
    }
    const own = this.#orders?.find(effect.step)
    if (own === undefined) return
    if (effect.type === 'cancel') void this.#sender?.cancel(own, false)
    else {
      const change = this.#nextChange
      this.#nextChange += 1
      void this.#sender?.amend(own, effect.change, change)
    }
  }

  async #pause(reason: string): Promise<void> {
    const { status, ending, isPaused } = this.#record
    if (status !== 'running' || ending !== undefined || isPaused) return
    await this.#become({ status: 'running', isPaused: true, reason })
    await this.#sender?.takeBack(this.#kind.keepsWhilePaused)
  }

  async #become(status: { status: 'running' | 'interrupted'; isPaused: boolean; reason?: string }): Promise<void> {
    await this.#append({ t: 'status', ...status })
    this.#events.clear()
    this.#ports.changed(this)
    this.#ports.tell({ type: 'status', task: this.row() })
  }

  async #end(ending: TaskEnding): Promise<void> {
    await this.#append({ t: 'ending', ending })
    await this.#finish(ending)
  }

  /** What rests is taken back first: only what can no longer live is over. */
  async #finish({ status, reason, keeps }: TaskEnding): Promise<void> {
    this.#events.clear()
    this.#setWake(undefined)
    this.#ports.changed(this)
    await this.#sender?.takeBack(keeps)
    if (this.#closing.signal.aborted || !this.#ports.isOurs()) return
    await this.#append({ t: 'ended', status, reason })
    this.#sight?.end()
    this.#ports.changed(this)
    this.#ports.tell({ type: 'status', task: this.row() })
  }

  #setWake(at: number | undefined): void {
    this.#wake?.abort()
    this.#wake = undefined
    if (at === undefined) return
    const wake = new AbortController()
    this.#wake = wake
    void this.#sleepUntil(at, wake.signal)
  }

  /** In parts: a machine that slept has another time than its timers. */
  async #sleepUntil(at: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#ports
    while (clock.now() < at && !signal.aborted) await clock.delay(Math.min(at - clock.now(), 30_000), signal)
    if (!signal.aborted) this.#push({ type: 'time' })
  }

  #facts(sight: SymbolSight): TaskFacts {
    const { filled, cost } = this.#total()
    // While nothing may be placed, a kind that sees no price does nothing.
    const ticker = this.#heldBy() === undefined ? sight.ticker() : undefined
    const position = sight.position()
    return {
      ...{ now: this.#ports.clock.now(), market: sight.market, filled, cost },
      capabilities: (this.#feed as AccountFeed).account.venue.capabilities,
      ...(ticker === undefined ? {} : { ticker }),
      ...(position === undefined ? {} : { position }),
      isPositionKnown: sight.isPositionKnown(),
      orders: this.#orders?.views() ?? [],
    }
  }

  #say(level: 'info' | 'warn', text: string): void {
    this.#note({ t: 'said', line: { at: this.#ports.clock.now(), level, text } })
    this.#tellSaid(level, text)
  }

  #tellSaid(level: 'info' | 'warn', text: string): void {
    this.#ports.tell({ type: 'said', task: this.row(), level, text })
  }

  #numbered(line: Unnumbered<OwnLine>): OwnLine {
    const { id, lastLine } = this.#record
    const numbered = { ...line, id, n: lastLine + 1, at: this.#ports.clock.now() } as OwnLine
    this.#record = withLine(this.#record, numbered)
    return numbered
  }

  #append(line: Unnumbered<OwnLine>): Promise<void> {
    return this.#ports.append(this.#numbered(line))
  }

  #note(line: Unnumbered<OwnLine>): void {
    this.#ports.note(this.#numbered(line))
  }
}

function endingOf({ status, reason, keeps = [] }: Extract<TaskEffect, { type: 'end' }>): TaskEnding {
  return { status, reason, keeps }
}

function notResumable({ status, reason }: TaskRecord): TaskError {
  const why = reason === undefined ? '' : `: ${reason}`
  return new TaskError('not-resumable', `it is ${status}${why}`, { hint: 'begin another one' })
}
