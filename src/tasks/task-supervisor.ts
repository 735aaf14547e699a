// Tasks as one process has them (behaviour 41): it drives them where it holds the lease, takes over when the one that held it is dead, and
// otherwise asks the one that does, through the journal.
import { randomUUID } from 'node:crypto'
import { defined } from '../base/defined.ts'
import { StoreError } from '../stores/store-error.ts'
import { faultsOf, type Task, type TaskStore, type TasksDriverStore } from '../stores/tasks.ts'
import type { TriggerSight } from './hook-triggers.ts'
import { TaskDriver, type TaskDriverPorts } from './task-driver.ts'
import {
  type AskedBy,
  TaskError,
  type TaskErrorCode,
  type TaskLine,
  type TaskPort,
  type TaskReport,
  type TaskRequest,
  type TaskSeed,
  type TasksUnderWay,
} from './task-port.ts'
import { foldTasks, type TaskRecord } from './task-record.ts'
import { ANSWER_WITHIN_MS, TaskAnswers, unanswered } from './task-requests.ts'
import { rowOfRecord } from './task-row.ts'
import { requireBeginnable } from './task-rules.ts'

export interface TaskSupervisorPorts extends Omit<TaskDriverPorts, 'isOurs' | 'rows'> {
  readonly rows: Pick<TaskStore, 'list' | 'put' | 'losses' | 'problem' | 'problems'>
  readonly lease: TasksDriverStore
  /** Whether this process may drive; a command of the shell does not live long enough. */
  readonly mayDrive: boolean
}

/** How often this process looks whether it is to drive, and what others ask. */
export const LOOK_EVERY_MS = 1_000
const POLL_MS = 100

export class TaskSupervisor implements TaskPort {
  readonly #ports: TaskSupervisorPorts
  readonly #answers: TaskAnswers
  #driver: TaskDriver | undefined
  #shown: TaskDriver | undefined
  #looking: Promise<void> | undefined
  #stopWatching = (): void => {}
  /** Tasks whose canceling, pausing or resuming is answered by a command of this process. */
  readonly #answered = new Set<string>()
  #isClosing = false
  #isStopped = false

  constructor(ports: TaskSupervisorPorts) {
    this.#ports = ports
    this.#answers = new TaskAnswers(ports.journal, ports.clock)
  }

  get isDriving(): boolean {
    return this.#driver !== undefined
  }

  /** Takes the lease where it is free, does what others ask, and sees to what depends on the clock. Never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  /** The process ends soon: nothing that adds is placed any more, and what of it rests is taken back. */
  async beginStopping(): Promise<void> {
    this.#isClosing = true
    await this.#driver?.beginLeaving().catch(this.#ports.problem)
  }

  /** What adds exposure is taken back, what protects stays, and another process may drive. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopWatching()
    await this.#looking
    const { lease, journal, problem, triggers } = this.#ports
    if (this.#driver !== undefined) {
      await this.#driver.leave().catch(problem)
      this.#driver = undefined
      await lease.letGo().catch(problem)
    }
    await journal.close()
    await triggers?.journal.close()
  }

  /** For tests of a crash: as if the process were gone. */
  async abandonAsKilled(): Promise<void> {
    const driver = this.#driver
    this.#isStopped = true
    this.#stopWatching()
    this.#driver = undefined
    driver?.abandon()
    await driver?.idle()
    await this.#looking
  }

  async begin(seed: TaskSeed): Promise<Task> {
    const driver = await this.#ownDriver()
    if (driver !== undefined) return driver.begin(seed)
    const { journal, rows } = this.#ports
    // Whether it has begun is seen by its row.
    const fault = journal.look().fault ?? (rows.list() && rows.problem() && 'tasks.json cannot be read')
    const running = fault === undefined ? [...foldTasks(await journal.read()).values()] : []
    requireBeginnable(seed, { ...this.#ports, running, fileFault: () => fault })
    this.#requireDriver()
    const id = randomUUID()
    await this.#ports.journal.append({ t: 'begun', id, at: this.#ports.clock.now(), seed })
    const task = await this.#until(() => this.#ports.rows.list().find((row) => row.id === id))
    if (task.status === 'failed') throw new TaskError('bad-params', task.reason ?? 'it could not begin')
    return task
  }

  list(): readonly Task[] {
    const rows = this.#ports.rows.list()
    const live = new Map((this.#shown?.live() ?? []).map((task) => [task.id, task]))
    const known = new Set(rows.map(({ id }) => id))
    const all = [
      ...rows.map((row) => live.get(row.id) ?? row),
      ...[...live.values()].filter(({ id }) => !known.has(id)),
    ]
    return live.size === 0 ? rows : all.toSorted((a, b) => b.startedAt - a.startedAt)
  }

  listFault(): string | undefined {
    return faultsOf(this.#ports.rows)[0]
  }

  triggers(): readonly TriggerSight[] {
    return this.#driver?.triggers() ?? []
  }

  driver(): number | undefined {
    return this.#ports.lease.holder()?.pid
  }

  async history(id: string): Promise<readonly TaskLine[]> {
    if (this.#driver !== undefined) return this.#driver.history(id)
    return foldTasks(await this.#ports.journal.read()).get(id)?.history ?? []
  }

  async ask(id: string, what: TaskRequest, by: AskedBy, isAnswered = false): Promise<Task> {
    const driver = await this.#ownDriver()
    if (driver !== undefined) {
      if (isAnswered) this.#answered.add(id)
      return this.#within(driver.ask(id, what, by)).finally(() => this.#answered.delete(id))
    }
    if (!(await this.#isKnown(id))) throw unknownTask(id)
    this.#requireDriver()
    const at = this.#ports.clock.now()
    const { error, task } = await this.#answers.to({ t: 'asked', id, at, ask: randomUUID(), what, by })
    if (error !== undefined) {
      const { code, message, hint } = error
      throw new TaskError(code as TaskErrorCode, message, defined({ hint }))
    }
    const row = task ?? this.#ports.rows.list().find((each) => each.id === id)
    if (row === undefined) throw unknownTask(id)
    return row
  }

  async underWay(): Promise<TasksUnderWay> {
    const { rows, journal, kinds, lease } = this.#ports
    if (this.#driver !== undefined && lease.isOurs()) return { tasks: this.list().filter(isUnderWay) }
    const listed = rows.list()
    const doubts = [...faultsOf(rows)]
    let records: ReadonlyMap<string, TaskRecord> = new Map()
    try {
      records = foldTasks(await journal.read())
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      doubts.push(error.message)
    }
    const known = new Set(listed.map(({ id }) => id))
    const unlisted = [...records.values()].filter(({ id }) => !known.has(id))
    const tasks = [
      // A row is written after the line that it shows.
      ...listed.filter((row) => isUnderWay(records.get(row.id) ?? row)),
      ...unlisted.filter(isUnderWay).map((record) => rowOfRecord(record, kinds.get(record.seed.kind))),
    ]
    return doubts.length === 0 ? { tasks } : { tasks, doubt: doubts.join('; ') }
  }

  async #look(): Promise<void> {
    if (this.#isStopped || !this.#ports.mayDrive) return
    try {
      await this.#seeToLease()
      // What cannot be read keeps no stop from being looked at.
      await this.#driver?.readOn().catch(this.#ports.problem)
      await this.#driver?.look()
    } catch (error) {
      this.#ports.problem(error)
    }
  }

  async #seeToLease(): Promise<void> {
    const { lease, journal } = this.#ports
    if (this.#driver !== undefined) {
      if (lease.isOurs()) return
      // Another process holds it, or no one can tell: nothing more is sent from here.
      this.#driver.abandon()
      this.#driver = undefined
      this.#shown = undefined
      this.#stopWatching()
    }
    if (this.#isClosing || (lease.holder() !== undefined && !lease.isOurs())) return
    if (!(await lease.take())) return
    const driver = new TaskDriver({
      ...this.#ports,
      report: (event) => this.#report(event),
      isOurs: () => lease.isOurs(),
    })
    // What it finds is shown at once; it does what is asked when it has found all.
    this.#shown = driver
    await driver.takeOver()
    this.#driver = driver
    this.#stopWatching = journal.watch(() => {
      driver.readOn().catch((error: unknown) => this.#ports.problem(error))
    })
  }

  #report(event: TaskReport): void {
    const isAnswered = event.type === 'status' && this.#answered.has(event.task.id)
    this.#ports.report(isAnswered ? { ...event, isAnswered } : event)
  }

  /** The one of this process, where it may have one: it takes the lease at once. */
  async #ownDriver(): Promise<TaskDriver | undefined> {
    if (this.#driver === undefined && this.#ports.mayDrive) await this.look()
    if (this.#driver !== undefined && !this.#ports.lease.isOurs()) return undefined
    return this.#driver
  }

  /** @throws {TaskError} `no-driver` */
  #requireDriver(): void {
    if (this.#ports.lease.holder() !== undefined) return
    throw new TaskError('no-driver', 'no running hookline can drive tasks', {
      hint: 'start `hookline` or `hookline listen`, and leave it running',
    })
  }

  async #isKnown(id: string): Promise<boolean> {
    if (this.#ports.rows.list().some((task) => task.id === id)) return true
    return foldTasks(await this.#ports.journal.read()).has(id)
  }

  /** @throws {TaskError} `unanswered` */
  async #until<R>(look: () => R | undefined | Promise<R | undefined>): Promise<R> {
    const { clock } = this.#ports
    const never = new AbortController().signal
    const until = clock.now() + ANSWER_WITHIN_MS
    for (;;) {
      const found = await look()
      if (found !== undefined) return found
      if (clock.now() >= until) throw unanswered()
      await clock.delay(POLL_MS, never)
    }
  }

  /** What takes longer goes on all the same. */
  async #within(asked: Promise<Task>): Promise<Task> {
    const limit = new AbortController()
    const late = this.#ports.clock.delay(ANSWER_WITHIN_MS, limit.signal).then(() => undefined)
    const task = await Promise.race([asked, late]).finally(() => limit.abort())
    if (task !== undefined) return task
    asked.catch(this.#ports.problem)
    throw unanswered()
  }
}

function unknownTask(id: string): TaskError {
  return new TaskError('unknown-task', `no task ${id} found`, { hint: '`tasks --all` lists them' })
}

function isUnderWay({ status }: Pick<Task, 'status'>): boolean {
  return status === 'running' || status === 'interrupted'
}
