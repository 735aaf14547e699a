// What a task decides: events come one at a time to its kind, what that decides is written down, and then done.
import { defined } from '../base/defined.ts'
import type { Order } from '../exchange/order.ts'
import { StoreError } from '../stores/store-error.ts'
import type { Clock } from '../trading/clock.ts'
import type { AnyTaskKind } from './kinds.ts'
import type { TaskEffect, TaskEvent, TaskFacts, TaskSight, TaskStep } from './task-kind.ts'
import type { TaskOrders } from './task-orders.ts'
import { type Applied, type PlannedStep, type TaskEnding, type TaskRecord, withLine } from './task-record.ts'
import type { TaskSender } from './task-sender.ts'
import type { TaskWakes } from './task-wakes.ts'

/** At most `perSecond` a second: what comes faster waits. @param onSlowed called the first time that someone has to wait */
export function createPace(
  clock: Clock,
  perSecond: number,
  onSlowed: () => void,
): (signal: AbortSignal) => Promise<void> {
  const taken: number[] = []
  let isReported = false
  return async (signal) => {
    for (;;) {
      const now = clock.now()
      while (taken[0] !== undefined && (now - taken[0] >= 1_000 || taken[0] > now)) taken.shift()
      if (taken.length < perSecond || signal.aborted) break
      if (!isReported) onSlowed()
      isReported = true
      await clock.delay((taken[0] ?? now) + 1_000 - now, signal)
    }
    taken.push(clock.now())
  }
}

// What is known of one task, line by line as it is written down.

export interface TaskLedgerPorts {
  readonly clock: Clock
  /** Resolves when it is on the disk. @throws {StoreError} */
  append(line: Applied): Promise<void>
  /** No one waits for it. */
  note(line: Applied): void
}

/** What a driver writes of its own task. */
type OwnLine = Exclude<Applied, { t: 'asked' | 'answered' }>
type Unnumbered<Line> = Line extends OwnLine ? Omit<Line, 'id' | 'n' | 'at'> : never
type LedgerLine = Unnumbered<OwnLine>

export class TaskLedger {
  readonly #ports: TaskLedgerPorts
  #record: TaskRecord

  constructor(record: TaskRecord, ports: TaskLedgerPorts) {
    this.#record = record
    this.#ports = ports
  }

  get record(): TaskRecord {
    return this.#record
  }

  /** It runs, and no one has paused or ended it. */
  get isRunning(): boolean {
    const { status, isPaused, ending } = this.#record
    return status === 'running' && !isPaused && ending === undefined
  }

  /** @throws {StoreError} */
  append(line: LedgerLine): Promise<void> {
    return this.#ports.append(this.#numbered(line))
  }

  note(line: LedgerLine): void {
    this.#ports.note(this.#numbered(line))
  }

  #numbered(line: LedgerLine): OwnLine {
    const { id, lastLine } = this.#record
    const numbered = { id, n: lastLine + 1, at: this.#ports.clock.now(), ...line } as OwnLine
    this.#record = withLine(this.#record, numbered)
    return numbered
  }
}

/** What the kind decides about, once its account is there. */
export interface TaskBody {
  readonly orders: TaskOrders
  readonly sender: TaskSender
  facts(): TaskFacts
}

interface TaskLoopPorts {
  readonly clock: Clock
  readonly wakes: TaskWakes
  readonly kind: AnyTaskKind
  readonly ledger: TaskLedger
  /** Ends all waiting. */
  readonly signal: AbortSignal
  body(): TaskBody | undefined
  /** Runs it when what was begun before is done. */
  turn(work: () => Promise<void>): Promise<void>
  reportLine(level: 'info' | 'warn', text: string): void
  reportNews(text: string): void
  /** Never rejects. */
  runLine(line: string): Promise<Extract<TaskEvent, { type: 'ran' }>>
  changed(): void
  pause(reason: string): Promise<void>
  finish(ending: TaskEnding): Promise<void>
  bug(error: unknown): void
}

/** A state that nothing else was decided with is written so often at most. */
const STATE_EVERY_MS = 250
const MAX_ACTIONS_A_SECOND = 10

export class TaskLoop {
  readonly #ports: TaskLoopPorts
  readonly #events = new Map<string, TaskEvent>()
  readonly #pace: (signal: AbortSignal) => Promise<void>
  #state: unknown
  #stateText = ''
  #isStateUnwritten = false
  #stateWrittenAt = 0
  #nextChange: number
  #isDraining = false
  #isGoing = false
  #isPauseBroken = false

  constructor(ports: TaskLoopPorts) {
    const { kind, ledger, clock } = ports
    const { state, seed, nextChange } = ledger.record
    this.#ports = ports
    this.#state = state ?? kind.initial(seed.params)
    this.#nextChange = nextChange
    this.#pace = createPace(clock, MAX_ACTIONS_A_SECOND, () => this.#reportSlowed())
  }

  /** When it decided last. */
  get decidedAt(): number {
    return this.#stateWrittenAt
  }

  see(facts: TaskFacts): TaskSight {
    const { kind, ledger } = this.#ports
    return kind.see(ledger.record.seed.params, this.#state, facts)
  }

  /** What the kind has to say to a cancel. */
  leaves(facts: TaskFacts, others: readonly Order[] | undefined): string | undefined {
    const { kind, ledger } = this.#ports
    return kind.leaves?.(ledger.record.seed.params, this.#state, facts, others)
  }

  /** From the beginning, or from where it stopped. */
  goOn(): void {
    this.#isGoing = true
    this.push({ type: this.#hasBegun ? 'resumed' : 'begun' })
  }

  push(event: TaskEvent): void {
    const { ledger, signal, turn, bug } = this.#ports
    // What is found out about a task that a dead process left decides nothing: it may be one that is to be interrupted.
    if (!this.#isGoing || !ledger.isRunning || signal.aborted) return
    // Nothing has been decided yet, and `begun` comes first.
    if (!this.#hasBegun && event.type !== 'begun' && !this.#events.has('begun')) return
    this.#events.set(event.type === 'order' ? `order ${event.step}` : event.type, event)
    if (this.#isDraining) return
    this.#isDraining = true
    turn(() => this.#drain()).catch(bug)
  }

  /** Once a second: a paused task is over when what it was there for is gone. */
  lookWhilePaused(): void {
    const { kind, signal, turn, bug } = this.#ports
    if (kind.whilePaused === undefined || this.#isPauseBroken || this.#isDraining) return
    if (!this.#isPaused || signal.aborted) return
    this.#isDraining = true
    turn(() => this.#decidePaused().finally(() => this.#drain())).catch(bug)
  }

  /** Nothing that has happened so far is decided about any more. */
  forgetEvents(): void {
    this.#events.clear()
  }

  /** Writes down a state that has not been. */
  keep(): void {
    if (!this.#isStateUnwritten) return
    this.#stateIsWritten()
    this.#ports.ledger.note({ t: 'step', state: this.#state })
  }

  /** When it is to be looked at again. */
  setWake(at: number | undefined): void {
    this.#ports.wakes.set(this, at, () => this.push({ type: 'time' }))
  }

  get #hasBegun(): boolean {
    return this.#ports.ledger.record.state !== undefined
  }

  get #isPaused(): boolean {
    const { status, isPaused, ending } = this.#ports.ledger.record
    return status === 'running' && isPaused && ending === undefined
  }

  async #decidePaused(): Promise<void> {
    const { kind, ledger, signal } = this.#ports
    const body = this.#ports.body()
    // A person may have asked for something while this waited its turn.
    if (body === undefined || !this.#isPaused || signal.aborted) return
    try {
      const decided = kind.whilePaused?.(ledger.record.seed.params, this.#state, body.facts())
      if (decided === undefined) return
      this.#takeState(decided.state)
      if (decided.end !== undefined) await this.#doEffects([decided.end], body)
    } catch (error) {
      // Reported once: it is paused, and stays so.
      this.#isPauseBroken = true
      throw error
    }
  }

  async #drain(): Promise<void> {
    const { ledger, signal } = this.#ports
    try {
      for (;;) {
        const [next] = this.#events
        if (next === undefined || !ledger.isRunning || signal.aborted) return
        this.#events.delete(next[0])
        await this.#reduce(next[1])
      }
    } finally {
      this.#isDraining = false
      this.#events.clear()
    }
  }

  async #reduce(event: TaskEvent): Promise<void> {
    const { kind, ledger, bug, pause } = this.#ports
    const body = this.#ports.body()
    if (body === undefined) return
    let decided: TaskStep<unknown>
    try {
      decided = kind.reduce(ledger.record.seed.params, this.#state, event, body.facts())
    } catch (error) {
      bug(error)
      return pause(`it cannot continue: ${error instanceof Error ? error.message : String(error)}`)
    }
    this.#takeState(decided.state)
    await this.#doEffects(decided.effects, body)
  }

  #takeState(state: unknown): void {
    const isSame = this.#stateText !== '' && hasSameFields(state, this.#state)
    this.#state = state
    if (isSame) return
    const text = JSON.stringify(state)
    if (text === this.#stateText) return
    this.#stateText = text
    this.#isStateUnwritten = true
  }

  #stateIsWritten(): void {
    this.#isStateUnwritten = false
    this.#stateWrittenAt = this.#ports.clock.now()
  }

  async #doEffects(effects: readonly TaskEffect[], body: TaskBody): Promise<void> {
    const { ledger, clock, changed } = this.#ports
    const { nextStep } = ledger.record
    const places = effects.filter((effect) => effect.type === 'place')
    const planned = places.map(({ tag, plan }, index): PlannedStep => ({ step: nextStep + index, tag, plan }))
    if (effects.some(({ type }) => type !== 'wake')) {
      if (!(await this.#isWritten(effects, planned, body))) return
    } else if (clock.now() - this.#stateWrittenAt >= STATE_EVERY_MS) this.keep()
    changed()
    const left = [...planned]
    for (const effect of effects) await this.#do(effect, left, body)
  }

  /** Nothing may be sent that is not written down: what cannot be is refused. */
  async #isWritten(
    effects: readonly TaskEffect[],
    planned: readonly PlannedStep[],
    { orders, sender }: TaskBody,
  ): Promise<boolean> {
    const { clock, reportLine } = this.#ports
    try {
      await this.#writeStep(effects, planned)
      return true
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      for (const each of planned) sender.refuse(orders.add(each, clock.now()), error.code, error.message)
      reportLine('warn', `the journal cannot be written, so nothing is sent: ${error.message}`)
      return false
    }
  }

  async #writeStep(effects: readonly TaskEffect[], places: readonly PlannedStep[]): Promise<void> {
    const { ledger, clock } = this.#ports
    const at = clock.now()
    const lines = effects.flatMap((effect) =>
      effect.type === 'line' ? [{ at, level: effect.level, text: effect.text }] : [],
    )
    const end = effects.find((effect) => effect.type === 'end')
    const changes = effects.filter(({ type }) => type === 'amend').length
    const line = {
      t: 'step' as const,
      state: this.#state,
      ...(places.length === 0 ? {} : { places }),
      ...(changes === 0 ? {} : { nextChange: this.#nextChange + changes }),
      ...(lines.length === 0 ? {} : { said: lines }),
      ...(end === undefined ? {} : { ending: endingOf(end) }),
    }
    this.#stateIsWritten()
    // Only what an order, a run or the end depends on must be on the disk.
    const runs = effects.some(({ type }) => type === 'run')
    if (places.length > 0 || runs || end !== undefined) await ledger.append(line)
    else ledger.note(line)
  }

  async #do(effect: TaskEffect, planned: PlannedStep[], { orders, sender }: TaskBody): Promise<void> {
    const { signal, clock, reportLine, reportNews, runLine, finish } = this.#ports
    if (effect.type === 'wake') return this.setWake(effect.at)
    if (effect.type === 'line') {
      if (effect.isKeptOnly !== true) reportLine(effect.level, effect.text)
      if (effect.isNews === true) reportNews(effect.text)
      return
    }
    if (effect.type === 'end') return finish(endingOf(effect))
    if (effect.type === 'run') {
      void runLine(effect.line).then((ran) => this.push(ran))
      return
    }
    await this.#pace(signal)
    if (signal.aborted) return
    if (effect.type === 'place') {
      const next = planned.shift()
      if (next !== undefined) void sender.place(orders.add(next, clock.now()))
      return
    }
    const own = orders.find(effect.step)
    if (own === undefined) return
    if (effect.type === 'cancel') void sender.cancel(own, false)
    else {
      void sender.amend(own, effect.change, this.#nextChange)
      this.#nextChange += 1
    }
  }

  #reportSlowed(): void {
    const { ledger, clock, reportLine } = this.#ports
    const text = `it is slowed down: more than ${MAX_ACTIONS_A_SECOND} orders and changes a second`
    ledger.note({ t: 'said', line: { at: clock.now(), level: 'warn', text } })
    reportLine('warn', text)
  }
}

type Fields = Readonly<Record<string, unknown>>

/** What was decided again and again is the same for the most part: then nothing is written, nor made into text. */
function hasSameFields(state: unknown, before: unknown): boolean {
  if (state === before) return true
  if (typeof state !== 'object' || typeof before !== 'object' || state === null || before === null) return false
  const [fields, others] = [state as Fields, before as Fields]
  const names = Object.keys(fields)
  return (
    names.length === Object.keys(others).length &&
    names.every((name) => fields[name] === others[name] && Object.hasOwn(others, name))
  )
}

function endingOf({ status, reason, keeps = [], by }: Extract<TaskEffect, { type: 'end' }>): TaskEnding {
  return { status, reason, keeps, ...defined({ by }) }
}
