// All tasks of the directory, in the one process that holds the lease (behaviour 41).
import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import type { Trade } from '../exchange/order.ts'
import { isOfOperator } from '../runs/run.ts'
import type { GuardStore } from '../stores/guards.ts'
import type { PanicStore } from '../stores/panic.ts'
import type { Task, TaskStore } from '../stores/tasks.ts'
import type { Clock } from '../trading/clock.ts'
import type { TradingAccount } from '../trading/order-desk.ts'
import { AccountFeeds } from './account-feed.ts'
import { type HookTriggerSurroundings, HookTriggers, type TriggerSight } from './hook-triggers.ts'
import type { AnyTaskKind, TaskKinds } from './kinds.ts'
import { TaskFiles, type TaskJournal } from './task-journal.ts'
import type { RiskEffect } from './task-kind.ts'
import {
  type AskedBy,
  type ReportTask,
  TaskError,
  type TaskLine,
  type TaskReport,
  type TaskRequest,
  type TaskSeed,
} from './task-port.ts'
import { type Applied, foldLine, foldTasks, isOver, type TaskRecord } from './task-record.ts'
import { type BegunLine, ForeignRequests, FRESH_MS } from './task-requests.ts'
import { rowOfRecord } from './task-row.ts'
import { fromAsker, type Hold, heldBy, notResumable, requireBeginnable } from './task-rules.ts'
import { type HeldTask, TaskRun, type TaskRunPorts } from './task-run.ts'
import { TaskWakes } from './task-wakes.ts'

const MAX_KEPT = 500

/** Records of tasks that are over, or of an unknown kind. */
class KeptRecords {
  readonly #records = new Map<string, TaskRecord>()

  /** Without its orders, which no one asks for. The newest so many. */
  keep(record: TaskRecord): void {
    this.#records.set(record.id, { ...record, orders: [] })
    const [oldest] = this.#records.keys()
    if (this.#records.size > MAX_KEPT && oldest !== undefined) this.#records.delete(oldest)
  }

  find(id: string): TaskRecord | undefined {
    return this.#records.get(id)
  }
}

// Keeps `tasks.json` as tasks are: at once where one is another one, and at most once a second for progress. Fills that come together are told
// together.

interface TaskRowsPorts {
  readonly rows: Pick<TaskStore, 'list' | 'put'>
  readonly now: () => number
  readonly report: ReportTask
  readonly problem: (error: unknown) => void
}

const EVERY_MS = 1_000

class TaskRows {
  readonly #ports: TaskRowsPorts
  readonly #changed = new Set<TaskRun>()
  readonly #fills = new Map<string, Trade[]>()
  readonly #known = new Map<string, string>()
  #writing: Promise<void> | undefined
  #writtenAt = 0
  #isFailing = false
  #underWay: readonly TaskRun[] = []

  constructor(ports: TaskRowsPorts) {
    this.#ports = ports
  }

  find(id: string): Task | undefined {
    return this.#ports.rows.list().find((task) => task.id === id)
  }

  /** As it is now: the file shows one that has just ended as running until its row is written. */
  newest(id: string): Task | undefined {
    return this.unwritten().find((task) => task.id === id) ?? this.find(id)
  }

  /** Those that the file does not have as they are. */
  unwritten(): readonly Task[] {
    return [...this.#changed, ...this.#underWay].map((run) => run.row())
  }

  changed(run: TaskRun): void {
    this.#changed.add(run)
    const { id, status, isPaused } = run.record
    const standing = `${status} ${isPaused}`
    if (this.#known.get(id) === standing) return
    this.#known.set(id, standing)
    void this.save()
  }

  report(event: TaskReport): void {
    if (event.type === 'filled') {
      const fills = this.#fills.get(event.task.id) ?? []
      this.#fills.set(event.task.id, fills)
      fills.push(...event.trades)
      return
    }
    this.#reportFills(event.task)
    this.#ports.report(event)
  }

  async look(): Promise<void> {
    for (const run of this.#changed) this.#reportFills(run.row())
    if (this.#changed.size > 0 && this.#ports.now() - this.#writtenAt >= EVERY_MS) await this.save()
  }

  /** As `flush`; what was done stays done, whatever becomes of the row that shows it. Reported once, until it works again. */
  async save(): Promise<void> {
    try {
      await this.flush()
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#ports.problem(error)
      this.#isFailing = true
    }
  }

  /** Resolves when the file has all that was known when it was called. @throws {StoreError} */
  async flush(): Promise<void> {
    await this.#writing?.catch(() => {})
    if (this.#changed.size === 0) return
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  async #write(): Promise<void> {
    // What changes in this turn is written with it.
    await Promise.resolve()
    const runs = [...this.#changed]
    this.#underWay = runs
    this.#changed.clear()
    this.#writtenAt = this.#ports.now()
    try {
      await this.#ports.rows.put(runs.map((run) => run.row()))
    } catch (error) {
      for (const run of runs) this.#changed.add(run)
      throw error
    } finally {
      this.#underWay = []
    }
  }

  async idle(): Promise<void> {
    await this.#writing?.catch(() => {})
  }

  #reportFills(task: Task): void {
    const trades = this.#fills.get(task.id)
    if (trades === undefined) return
    this.#fills.delete(task.id)
    this.#ports.report({ type: 'filled', task, trades })
  }
}

export interface TaskDriverPorts extends Pick<TaskRowsPorts, 'report'> {
  readonly rows: Pick<TaskStore, 'list' | 'put' | 'losses' | 'problem'>
  readonly clock: Clock
  readonly kinds: TaskKinds
  readonly journal: TaskJournal
  readonly guards: Pick<GuardStore, 'readOncePerTurn'>
  readonly panic: Pick<PanicStore, 'readOncePerTurn'>
  /** @throws as `Connections.connect` */
  connect(account: string): Promise<TradingAccount>
  /** Looked at afresh: this process still drives. */
  isOurs(): boolean
  /** Why what was begun so may add no more: its source has ended. Absent: none ever does. */
  readonly whyEnded?: (by: AskedBy) => string | undefined
  /** Runs a line that a task wants run; never rejects. Default: none is run, and the task is told so. */
  readonly runLine?: TaskRunPorts['runLine']
  /** Of hooks that hookline fires. Default: none is fired. */
  readonly triggers?: HookTriggerSurroundings
  /** What keeps a task from being driven, in words for the log; no one waits for it. */
  readonly problem: (error: unknown) => void
}

/** What takes longer goes on. */
const TAKE_OVER_WITHIN_MS = 5_000
const GOES_ON = 'it continues in another hookline, or at the next start'
/** At an exit. */
const LEAVE_WITHIN_MS = 5_000

export class TaskDriver {
  readonly #ports: TaskDriverPorts
  readonly #feeds: AccountFeeds
  readonly #rows: TaskRows
  readonly #files: TaskFiles
  readonly #requests: ForeignRequests
  readonly #wakes: TaskWakes
  readonly #triggers: HookTriggers | undefined
  readonly #runs = new Map<string, TaskRun>()
  /** Requests of the operator under way, by task. */
  readonly #askedByOperator = new Set<string>()
  readonly #others = new KeptRecords()
  /** Those whose account could not be asked yet. */
  readonly #waiting = new Set<TaskRun>()
  readonly #unreached = new Set<TaskRun>()
  /** Begun here, and not in `#runs` yet. */
  readonly #beginning = new Set<string>()
  readonly #held = new Map<TaskRun, string>()
  #isClosing = false
  #isOver = false

  constructor(ports: TaskDriverPorts) {
    this.#ports = ports
    this.#wakes = new TaskWakes(ports.clock)
    this.#feeds = new AccountFeeds(ports.connect, { ...ports, wakes: this.#wakes })
    this.#triggers =
      ports.triggers &&
      new HookTriggers({
        ...ports,
        ...ports.triggers,
        wakes: this.#wakes,
        isOurs: () => !this.#isOver && ports.isOurs(),
        feedOf: (account) => this.#feeds.of(account),
      })
    this.#rows = new TaskRows({ ...ports, now: ports.clock.now })
    this.#files = new TaskFiles({
      journal: ports.journal,
      rows: ports.rows,
      now: ports.clock.now,
      records: () => [...this.#runs.values()].map(({ record }) => record),
      writeRows: () => {
        for (const run of this.#runs.values()) this.#rows.changed(run)
        void this.#rows.save()
      },
    })
    this.#requests = new ForeignRequests({
      journal: ports.journal,
      rows: ports.rows,
      clock: ports.clock,
      problem: ports.problem,
      isKnown: (id) => this.#isKnown(id),
      begin: (line) => this.#beginAs(line),
      ask: (id, what, by) => this.ask(id, what, by),
    })
  }

  /** Takes up what is in the journal. Resolves when each task goes on, or is told to be interrupted. @throws {StoreError} */
  async takeOver(): Promise<void> {
    // From here on nothing is missed: what comes in between is in both.
    await this.#ports.journal.readOn()
    const records = foldTasks(await this.#ports.journal.read())
    for (const record of records.values()) {
      const run = isOver(record) ? undefined : this.#runOf(record)
      if (run === undefined) this.#others.keep(record)
      if (isOver(record)) this.#correctRow(record)
    }
    // A venue that does not answer must not keep the tasks of another from being driven.
    await this.#atMost(TAKE_OVER_WITHIN_MS, Promise.all([...this.#runs.values()].map((run) => this.#takeUp(run))))
    for (const { id, asks } of records.values()) for (const ask of asks) void this.#requests.answer(id, ask)
    await this.#triggers?.takeOver()
    await this.#rows.save()
  }

  /** @throws {TaskError} @throws {StoreError} @throws what keeps the account from being asked */
  async begin(seed: TaskSeed, id: string = randomUUID()): Promise<Task> {
    return this.#beginAs({ t: 'begun', id, at: this.#ports.clock.now(), seed }, true)
  }

  /** @throws {TaskError} */
  requireBeginnable(seed: TaskSeed): AnyTaskKind {
    if (this.#isClosing) throw closing()
    const running = [...this.#runs.values()].map(({ record }) => record)
    const fileFault = (effect: RiskEffect) => this.#files.hold(effect, undefined)?.why
    return requireBeginnable(seed, { ...this.#ports, running, fileFault })
  }

  /** @throws {TaskError} */
  async ask(id: string, what: TaskRequest, by: AskedBy): Promise<Task> {
    const run = this.#runs.get(id)
    if (run === undefined) {
      const kept = this.#others.find(id)
      const row = this.#rows.newest(id) ?? (kept && rowOfRecord(kept, this.#ports.kinds.get(kept.seed.kind)))
      if (row === undefined) throw new TaskError('unknown-task', `no task ${id} found`)
      if (what === 'resume') throw notResumable(row)
      if (!isOver(row)) throw undriven(row)
      return row
    }
    if (isOfOperator(by.source)) this.#askedByOperator.add(id)
    try {
      await this.#does(run, what, by)
    } finally {
      this.#askedByOperator.delete(id)
    }
    await this.#rows.save()
    return run.row()
  }

  async #does(run: TaskRun, what: TaskRequest, by: AskedBy): Promise<void> {
    const who = fromAsker(by)
    if (what === 'cancel') await run.cancel(`canceled ${who}`, by.runId)
    if (what === 'pause') await run.pause(`paused ${who}`, 'request')
    if (what === 'resume') {
      await run.resume(by)
      this.#waiting.delete(run)
    }
    await run.settled()
  }

  #report(event: TaskReport): void {
    const isOwn = event.type === 'status' && this.#askedByOperator.has(event.task.id)
    this.#rows.report(isOwn ? { ...event, isOwn } : event)
  }

  row(id: string): Task | undefined {
    return this.#runs.get(id)?.row()
  }

  running(): number {
    return [...this.#runs.values()].filter(({ record }) => record.status === 'running').length
  }

  /** As they are now, where that is more than the file has. */
  live(): readonly Task[] {
    const unwritten = this.#rows.unwritten().map((task) => [task.id, task] as const)
    const running = [...this.#runs.values()].map((run) => [run.record.id, run.row()] as const)
    return [...new Map([...unwritten, ...running]).values()]
  }

  triggers(): readonly TriggerSight[] {
    return this.#triggers?.sights() ?? []
  }

  history(id: string): readonly TaskLine[] {
    return (this.#runs.get(id)?.record ?? this.#others.find(id))?.history ?? []
  }

  /** What other processes have begun, or asked for. */
  readOn(): Promise<void> {
    return this.#requests.readOn()
  }

  /** Once a second. */
  async look(): Promise<void> {
    await this.#files.look().catch(this.#ports.problem)
    this.#triggers?.look()
    for (const run of [...this.#waiting]) {
      this.#waiting.delete(run)
      void this.#takeUp(run)
    }
    for (const run of [...this.#runs.values()]) {
      this.#lookAtHold(run)
      run.look().then(
        (isReached) => isReached && this.#unreached.delete(run),
        (error: unknown) => this.#unreachable(run, error),
      )
    }
    await this.#rows.look()
  }

  /** Nothing that adds begins or is placed from here on, and what of it rests is taken back; what protects goes on until `leave`. */
  async beginLeaving(): Promise<void> {
    this.#isClosing = true
    await this.#triggers?.leave()
    const adding = [...this.#runs.values()].filter((run) => !run.isProtective && run.record.status === 'running')
    const left = Promise.all(adding.map((run) => run.interrupt('hookline was closed', true))).catch(this.#ports.problem)
    await this.#atMost(LEAVE_WITHIN_MS, left)
  }

  /** At an exit: what adds exposure is taken back, what protects stays. */
  async leave(): Promise<void> {
    await this.beginLeaving()
    for (const run of [...this.#runs.values()].filter(({ isProtective, isRunning }) => isProtective && isRunning)) {
      const text = run.sendsNothing ? GOES_ON : `its orders stay open; ${GOES_ON}`
      this.#rows.report({ type: 'line', task: run.row(), level: 'info', text })
    }
    await this.#rows.save()
    this.abandon()
  }

  /** Resolves when nothing is being written. */
  idle(): Promise<void> {
    return this.#rows.idle()
  }

  /** This process no longer drives. What rests stays. */
  abandon(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#triggers?.abandon()
    for (const run of this.#runs.values()) run.abandon()
    this.#runs.clear()
    this.#feeds.close()
  }

  async #atMost(ms: number, work: Promise<unknown>): Promise<void> {
    const limit = new AbortController()
    await Promise.race([work, this.#ports.clock.delay(ms, limit.signal)]).finally(() => limit.abort())
  }

  #isKnown(id: string): boolean {
    return this.#runs.has(id) || this.#others.find(id) !== undefined || this.#beginning.has(id)
  }

  #runOf(record: TaskRecord): TaskRun | undefined {
    const run = this.#readRun(record)
    if (run !== undefined) this.#runs.set(record.id, run)
    return run
  }

  #readRun(record: TaskRecord): TaskRun | undefined {
    const kind = this.#ports.kinds.get(record.seed.kind)
    if (kind === undefined || !z.safeParse(kind.params, record.seed.params).success) return undefined
    if (record.state !== undefined && !z.safeParse(kind.state, record.state).success) return undefined
    return new TaskRun(record, kind, this.#runPorts())
  }

  /** The process that ended it died before its row said so. */
  #correctRow(record: TaskRecord): void {
    const row = this.#rows.find(record.id)
    const run = row === undefined || isOver(row) ? undefined : this.#readRun(record)
    if (run !== undefined) this.#rows.changed(run)
  }

  /** @param isNew it is not in the journal yet */
  async #beginAs(line: BegunLine, isNew = false): Promise<Task> {
    this.#beginning.add(line.id)
    try {
      this.requireBeginnable(line.seed)
      if (isNew) await this.#ports.journal.append(line)
      return await this.#begin(line)
    } finally {
      this.#beginning.delete(line.id)
    }
  }

  async #begin(line: BegunLine): Promise<Task> {
    const records = new Map<string, TaskRecord>()
    foldLine(records, line)
    const record = records.get(line.id)
    const run = record && this.#runOf(record)
    if (run === undefined) throw new TaskError('bad-params', `invalid ${line.seed.kind} task`)
    try {
      await run.start()
    } catch (error) {
      await run.fail(error instanceof Error ? error.message : String(error))
      throw error
    }
    await run.settled()
    await this.#rows.save()
    return run.row()
  }

  /** After a process that drove it has died. */
  async #takeUp(run: TaskRun): Promise<void> {
    const { record, isProtective } = run
    // A start has named what its row calls interrupted; a crash may have kept the row behind the journal.
    const isUnnamed = record.status === 'interrupted' && this.#rows.find(record.id)?.status !== 'interrupted'
    this.#rows.changed(run)
    const isNew = record.state === undefined && record.orders.length === 0
    const isFresh = isNew && this.#ports.clock.now() - record.startedAt < FRESH_MS
    const goesOn = isProtective || isFresh || record.ending !== undefined || record.isPaused
    try {
      if (record.status === 'interrupted' || goesOn) await this.#goOn(run, isNew)
      else await run.leftBehind('hookline ended while it was running')
      if (isUnnamed) this.#rows.report({ type: 'status', task: run.row() })
    } catch (error) {
      this.#unreachable(run, error)
      this.#waiting.add(run)
    }
  }

  async #goOn(run: TaskRun, isNew: boolean): Promise<void> {
    await run.start()
    if (run.isRunning && !isNew) this.#rows.report({ type: 'status', task: run.row() })
  }

  #lookAtHold(run: TaskRun): void {
    const { hold } = run
    const { status, isPaused, pausedFor } = run.record
    const now = `${hold?.cause} ${hold?.why} ${status} ${isPaused}`
    const before = this.#held.get(run)
    if (before === now) return
    this.#held.set(run, now)
    if (status !== 'running') return
    if (hold !== undefined) return this.#keepFromPlacing(run, hold)
    if (isPaused && pausedFor === 'simulation') this.#goOnAfterSimulation(run)
    else if (before?.startsWith('files ') === true) run.wake()
  }

  #keepFromPlacing(run: TaskRun, { cause, why, ends, waits }: Hold): void {
    const { isPaused, pausedFor } = run.record
    // One that a person has paused goes on by no one else, and is left as it is.
    const goesOnAlone = !isPaused || pausedFor === 'simulation'
    if (cause === 'closing' || waits === true || (ends === true && !goesOnAlone)) return
    const done = ends === true || cause === 'panic' ? run.cancel(`canceled: ${why}`, cause) : run.pauseWhileHeld()
    done.catch(this.#ports.problem)
  }

  #goOnAfterSimulation(run: TaskRun): void {
    // An order that was worked out before may pause it once more.
    const done = run.goOnAfter('simulation').finally(() => this.#held.delete(run))
    done.catch((error: unknown) => this.#unreachable(run, error))
  }

  #holdOf({ account, effect, cause, since }: HeldTask): Hold | undefined {
    const held = heldBy(this.#ports, account, effect, since)
    if (held?.ends === true) return held
    const byFiles = this.#files.hold(effect, since)
    if (effect !== 'adds') return held ?? byFiles
    const why = this.#ports.whyEnded?.(cause)
    if (why !== undefined) return { cause: 'source', why }
    return byFiles ?? held ?? (this.#isClosing ? { cause: 'closing', why: 'hookline is closing' } : undefined)
  }

  /** Reported once, until it can be reached again. */
  #unreachable(run: TaskRun, error: unknown): void {
    if (this.#unreached.has(run)) return
    this.#unreached.add(run)
    this.#ports.problem(error)
  }

  #runPorts(): TaskRunPorts {
    const { clock, journal, isOurs, problem } = this.#ports
    return {
      clock,
      wakes: this.#wakes,
      isOurs: () => !this.#isOver && isOurs(),
      bug: problem,
      append: (line: Applied) => journal.append(line),
      note: (line: Applied) => journal.note(line),
      heldBy: (task) => this.#holdOf(task),
      whyEnded: (by) => this.#ports.whyEnded?.(by),
      isSimulated: (account) => this.#ports.guards.readOncePerTurn(account).simulated,
      feedOf: (account) => this.#feeds.of(account),
      runLine: async (task, line) =>
        (await this.#ports.runLine?.(task, line)) ?? { type: 'ran', lost: 'this process runs no lines' },
      unreachable: (run, error) => this.#unreachable(run, error),
      changed: (run) => {
        this.#rows.changed(run)
        if (!isOver(run.record)) return
        this.#files.ended(run.record)
        this.#runs.delete(run.record.id)
        this.#held.delete(run)
        this.#others.keep(run.record)
      },
      report: (event) => this.#report(event),
    }
  }
}

function closing(): TaskError {
  return new TaskError('no-driver', 'this hookline is closing and cannot begin tasks', {
    hint: 'begin it in another one',
  })
}

function undriven({ id, status }: Task): TaskError {
  return new TaskError('unknown-task', `it is ${status} in tasks.json, but tasks.jsonl cannot continue it: ${id}`, {
    hint: '`orders` lists its resting orders',
  })
}
