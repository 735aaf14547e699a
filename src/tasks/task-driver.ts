// All tasks of the directory, in the one process that holds the lease (behaviour 41).
import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import type { GuardStore } from '../stores/guards.ts'
import type { PanicStore } from '../stores/panic.ts'
import type { Task } from '../stores/tasks.ts'
import type { Clock } from '../trading/clock.ts'
import type { TradingAccount } from '../trading/order-desk.ts'
import { AccountFeeds } from './account-feeds.ts'
import type { AnyTaskKind, TaskKinds } from './kinds.ts'
import { TaskError } from './task-error.ts'
import { type Applied, foldLine, foldTasks } from './task-fold.ts'
import type { TaskJournal } from './task-journal.ts'
import { decodeTaskLine, type JournalledTask } from './task-lines.ts'
import type { AskedBy, TaskLine, TaskRequest, TaskSeed } from './task-port.ts'
import { isOver, type TaskRecord } from './task-record.ts'
import { TaskRows, type TaskRowsPorts } from './task-rows.ts'
import { heldBy, nameOfAsker, requireBeginnable } from './task-rules.ts'
import { TaskRun, type TaskRunPorts } from './task-run.ts'

export interface TaskDriverPorts extends Pick<TaskRowsPorts, 'tell' | 'rows'> {
  readonly clock: Clock
  readonly kinds: TaskKinds
  readonly journal: TaskJournal
  readonly guards: Pick<GuardStore, 'readOncePerTurn'>
  readonly panic: Pick<PanicStore, 'readOncePerTurn'>
  /** @throws as `Connections.connect` */
  connect(account: string): Promise<TradingAccount>
  /** Looked at afresh: this process still drives. */
  isOurs(): boolean
  /** What keeps a task from being driven, in words for the log; nobody waits for it. */
  readonly problem: (error: unknown) => void
}

/** Begun by another process, and not taken up for so long: what it was begun for may be gone. */
const FRESH_MS = 30_000
/** At an exit. */
const LEAVE_WITHIN_MS = 5_000

export class TaskDriver {
  readonly #ports: TaskDriverPorts
  readonly #feeds: AccountFeeds
  readonly #rows: TaskRows
  readonly #runs = new Map<string, TaskRun>()
  /** Records that are over, or of a kind that is not known here. */
  #others = new Map<string, TaskRecord>()
  /** Those whose account could not be asked yet. */
  readonly #waiting = new Set<TaskRun>()
  readonly #held = new Map<TaskRun, string | undefined>()
  #isOver = false

  constructor(ports: TaskDriverPorts) {
    this.#ports = ports
    this.#feeds = new AccountFeeds(ports.connect, ports.clock)
    this.#rows = new TaskRows({ ...ports, now: ports.clock.now })
  }

  /** Takes up what is in the journal. Resolves when each task goes on, or is told to be interrupted. @throws {StoreError} */
  async takeOver(): Promise<void> {
    const records = foldTasks(await this.#ports.journal.read())
    await this.#ports.journal.readOn()
    for (const record of records.values()) {
      const run = isOver(record) ? undefined : this.#runOf(record)
      if (run === undefined) this.#others.set(record.id, record)
    }
    await Promise.all([...this.#runs.values()].map((run) => this.#takeUp(run)))
    await Promise.all([...records.values()].flatMap((record) => record.asks.map((ask) => this.#answer(record.id, ask))))
    await this.#rows.flush()
  }

  /** @throws {TaskError} @throws {StoreError} @throws what keeps the account from being asked */
  async begin(seed: TaskSeed, id: string = randomUUID()): Promise<Task> {
    const { clock, journal } = this.#ports
    this.requireBeginnable(seed)
    await journal.append({ t: 'begun', id, at: clock.now(), seed })
    return this.#begin({ t: 'begun', id, at: clock.now(), seed })
  }

  /** @throws {TaskError} */
  requireBeginnable(seed: TaskSeed): AnyTaskKind {
    const running = [...this.#runs.values()].map(({ record }) => record)
    return requireBeginnable(seed, { ...this.#ports, running })
  }

  /** @throws {TaskError} */
  async ask(id: string, what: TaskRequest, by: AskedBy): Promise<Task> {
    const run = this.#runs.get(id)
    if (run === undefined) {
      const row = this.#rows.find(id)
      if (row === undefined) throw new TaskError('unknown-task', `there is no task ${id}`)
      if (what === 'resume') throw new TaskError('not-resumable', `it is ${row.status}`, { hint: 'begin another one' })
      return row
    }
    const who = nameOfAsker(by)
    if (what === 'cancel') await run.cancel(`cancelled by ${who}`)
    if (what === 'pause') await run.pause(`paused by ${who}`)
    if (what === 'resume') {
      await run.resume()
      this.#waiting.delete(run)
    }
    await run.settled()
    await this.#rows.flush()
    return run.row()
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

  history(id: string): readonly TaskLine[] {
    return (this.#runs.get(id)?.record ?? this.#others.get(id))?.history ?? []
  }

  /** What other processes have begun, or asked for. */
  async readOn(): Promise<void> {
    const lines = await this.#ports.journal.readOn()
    const asked: Extract<JournalledTask, { t: 'asked' }>[] = []
    const answered = new Set<string>()
    for (const line of lines.map(decodeTaskLine)) {
      if (line?.t === 'begun' && !this.#isKnown(line.id)) void this.#beginForeign(line)
      if (line?.t === 'asked') asked.push(line)
      if (line?.t === 'answered') answered.add(line.ask)
    }
    await Promise.all(asked.filter(({ ask }) => !answered.has(ask)).map((line) => this.#answer(line.id, line)))
  }

  /** Once a second. */
  async look(): Promise<void> {
    for (const run of [...this.#waiting]) void this.#takeUp(run)
    for (const run of [...this.#runs.values()]) {
      this.#lookAtGuards(run)
      run.look().catch((error: unknown) => this.#unreachable(run, error))
    }
    await this.#rows.look()
  }

  /** At an exit: what adds exposure is taken back, what protects stays. */
  async leave(): Promise<void> {
    const adding = [...this.#runs.values()].filter((run) => !run.isProtective && run.record.status === 'running')
    const left = Promise.all(adding.map((run) => run.interrupt('hookline was closed', true))).catch(this.#ports.problem)
    const limit = new AbortController()
    await Promise.race([left, this.#ports.clock.delay(LEAVE_WITHIN_MS, limit.signal)])
    limit.abort()
    await this.#rows.flush()
    this.abandon()
  }

  /** This process no longer drives. What rests stays. */
  abandon(): void {
    if (this.#isOver) return
    this.#isOver = true
    for (const run of this.#runs.values()) run.abandon()
    this.#runs.clear()
    this.#feeds.close()
  }

  #isKnown(id: string): boolean {
    return this.#runs.has(id) || this.#others.has(id)
  }

  #runOf(record: TaskRecord): TaskRun | undefined {
    const kind = this.#ports.kinds.get(record.seed.kind)
    if (kind === undefined || !z.safeParse(kind.params, record.seed.params).success) return undefined
    if (record.state !== undefined && !z.safeParse(kind.state, record.state).success) return undefined
    const run = new TaskRun(record, kind, this.#runPorts())
    this.#runs.set(record.id, run)
    return run
  }

  async #begin(line: Extract<JournalledTask, { t: 'begun' }>): Promise<Task> {
    const records = new Map<string, TaskRecord>()
    foldLine(records, line)
    const record = records.get(line.id)
    const run = record && this.#runOf(record)
    if (run === undefined) throw new TaskError('bad-params', `no task ${line.seed.kind} can be begun so`)
    try {
      await run.start()
    } catch (error) {
      await run.fail(error instanceof Error ? error.message : String(error))
      throw error
    }
    await run.settled()
    await this.#rows.flush()
    return run.row()
  }

  async #beginForeign(line: Extract<JournalledTask, { t: 'begun' }>): Promise<void> {
    try {
      this.requireBeginnable(line.seed)
      await this.#begin(line)
    } catch (error) {
      this.#ports.problem(error)
      const why = error instanceof Error ? error.message : String(error)
      if (!this.#isKnown(line.id)) await this.#refuse(line, why)
    }
  }

  async #refuse({ id, seed }: Extract<JournalledTask, { t: 'begun' }>, reason: string): Promise<void> {
    const at = this.#ports.clock.now()
    this.#ports.journal.note({ t: 'ended', id, n: 1, at, status: 'failed', reason })
    const { kind, account, symbol, command, by } = seed
    const times = { startedAt: at, updatedAt: at }
    await this.#ports.rows.put([
      { id, kind, account, symbol, command, runId: by.runId, status: 'failed', progress: 0, reason, ...times },
    ])
  }

  async #answer(id: string, { ask, what, by }: { ask: string; what: TaskRequest; by: AskedBy }): Promise<void> {
    const { journal, clock } = this.#ports
    const answer = { t: 'answered', id, ask } as const
    try {
      await this.ask(id, what, by)
      journal.note({ ...answer, at: clock.now() })
    } catch (error) {
      if (!(error instanceof TaskError)) this.#ports.problem(error)
      const { message, code, hint } =
        error instanceof TaskError ? error : { message: String(error), code: 'unanswered', hint: undefined }
      journal.note({ ...answer, at: clock.now(), error: { code, message, ...(hint === undefined ? {} : { hint }) } })
    }
  }

  /** After a process that drove it has died. */
  async #takeUp(run: TaskRun): Promise<void> {
    const { record, isProtective } = run
    this.#rows.changed(run)
    const isNew = record.state === undefined && record.orders.length === 0
    const isFresh = isNew && this.#ports.clock.now() - record.startedAt < FRESH_MS
    const goesOn = isProtective || isFresh || record.ending !== undefined || record.isPaused
    try {
      if (record.status === 'interrupted' || goesOn) await run.start()
      else await run.leftBehind('the hookline that drove it ended in the middle')
      this.#waiting.delete(run)
    } catch (error) {
      this.#unreachable(run, error)
      this.#waiting.add(run)
    }
  }

  #lookAtGuards(run: TaskRun): void {
    const held = heldBy(this.#ports, run.record.seed.account, run.isProtective)
    const before = this.#held.get(run)
    this.#held.set(run, held)
    if (held === before || !run.isRunning) return
    if (run.isProtective) return run.heldChanged()
    if (held === undefined) return
    const done = this.#ports.panic.readOncePerTurn() === undefined ? run.pause(held) : run.cancel(`cancelled: ${held}`)
    done.catch(this.#ports.problem)
  }

  #unreachable(run: TaskRun, error: unknown): void {
    if (!this.#waiting.has(run)) this.#ports.problem(error)
  }

  #runPorts(): TaskRunPorts {
    const { clock, journal, isOurs, problem } = this.#ports
    return {
      ...{ clock, isOurs: () => !this.#isOver && isOurs(), bug: problem },
      append: (line: Applied) => journal.append(line),
      note: (line: Applied) => journal.note(line),
      heldBy: (account, isProtective) => heldBy(this.#ports, account, isProtective),
      feedOf: (account) => this.#feeds.of(account),
      unreachable: (run, error) => this.#unreachable(run, error),
      changed: (run) => {
        this.#rows.changed(run)
        if (!isOver(run.record)) return
        this.#runs.delete(run.record.id)
        this.#held.delete(run)
        this.#others.set(run.record.id, run.record)
      },
      tell: (told) => this.#rows.tell(told),
    }
  }
}
