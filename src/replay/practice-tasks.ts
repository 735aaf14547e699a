// Tasks of a replay: the driver of every other task, on a journal and rows in memory and the clock of the replay. What would run further lines or
// report to a person is not part of it.
import { createHash } from 'node:crypto'
import type { PanicStore } from '../stores/panic.ts'
import type { Task } from '../stores/tasks.ts'
import { TASK_KINDS } from '../tasks/kinds.ts'
import { TaskDriver, type TaskDriverPorts } from '../tasks/task-driver.ts'
import type { TaskJournal } from '../tasks/task-journal.ts'
import type { TaskPort } from '../tasks/task-port.ts'
import { isOver } from '../tasks/task-record.ts'
import type { OwnTime } from './own-time.ts'

interface PracticeTaskPorts extends Pick<TaskDriverPorts, 'connect' | 'guards'> {
  readonly time: OwnTime
  readonly onBug: (error: unknown) => void
  /** @throws it is not part of a replay */
  readonly refuse: (kind: string) => never
}

/** How often stops and limits are looked at, as the supervisor of tasks does. */
const LOOK_EVERY_MS = 1_000

export class PracticeTasks {
  readonly port: TaskPort
  readonly #ports: PracticeTaskPorts
  readonly #rows = new RowsInMemory()
  /** Absent for one that decides at each price. */
  readonly #pricesOf = new Map<string, readonly number[]>()
  #driver: TaskDriver | undefined
  #decides: Deciding | undefined
  #begun = 0
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(ports: PracticeTaskPorts) {
    this.#ports = ports
    this.port = this.#createPort()
  }

  get areRunning(): boolean {
    return this.#driver !== undefined && this.#driver.running() > 0
  }

  /** Whether one of them may decide something at any price. */
  get decideEverywhere(): boolean {
    return this.#deciding().isEverywhere
  }

  /** At which they decide, besides those of their orders. */
  get prices(): readonly number[] {
    return this.#deciding().prices
  }

  /** All that were begun, oldest first, as they are now. */
  all(): readonly Task[] {
    const live = new Map((this.#driver?.live() ?? []).map((task) => [task.id, task]))
    return this.#rows.list().map((task) => live.get(task.id) ?? task)
  }

  /** What a supervisor does once a second. */
  async look(): Promise<void> {
    const now = this.#ports.time.now()
    if (this.#driver === undefined || now - this.#lookedAt < LOOK_EVERY_MS) return
    this.#lookedAt = now
    await this.#driver.look()
  }

  /** What rests stays as it is. */
  close(): void {
    this.#driver?.abandon()
  }

  #deciding(): Deciding {
    const { changes } = this.#rows
    if (this.#decides?.changes === changes) return this.#decides
    const running = this.#rows.list().filter((task) => !isOver(task))
    const prices = running.map(({ id }) => this.#pricesOf.get(id))
    this.#decides = { changes, isEverywhere: prices.includes(undefined), prices: prices.flatMap((each) => each ?? []) }
    return this.#decides
  }

  #createPort(): TaskPort {
    return {
      begin: async (seed) => {
        // What sends orders itself is decided by the prices of one account; the others run lines or report.
        if (TASK_KINDS.get(seed.kind)?.sendsNothing === true) this.#ports.refuse(seed.kind)
        const driver = await this.#open()
        this.#begun += 1
        const id = uuidOf(`replayed task ${this.#begun}`)
        const prices = TASK_KINDS.get(seed.kind)?.decidesAt?.(seed.params)
        if (prices !== undefined) this.#pricesOf.set(id, prices.map(Number))
        return driver.begin(seed, id)
      },
      list: () => this.all(),
      listFault: () => undefined,
      underWay: async () => ({ tasks: this.all().filter((task) => !isOver(task)) }),
      driver: () => undefined,
      triggers: () => [],
      history: async (id) => this.#driver?.history(id) ?? [],
      ask: async (id, what, by) => (await this.#open()).ask(id, what, by),
    }
  }

  async #open(): Promise<TaskDriver> {
    if (this.#driver !== undefined) return this.#driver
    const { time, connect, guards, onBug } = this.#ports
    this.#driver = new TaskDriver({
      rows: this.#rows,
      clock: time,
      kinds: TASK_KINDS,
      journal: journalInMemory(time),
      guards,
      panic: NO_PANIC,
      connect,
      isOurs: () => true,
      report: () => {},
      problem: onBug,
    })
    await this.look()
    return this.#driver
  }
}

/** The same in every replay. Ids of orders are made of its first digits. */
export function uuidOf(text: string): string {
  const digits = createHash('sha256').update(text).digest('hex')
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20, 32),
  ].join('-')
}

/** Panic of the machine is none of a replay: it has no stop but the limits of its account. */
const NO_PANIC: Pick<PanicStore, 'readOncePerTurn'> = { readOncePerTurn: () => undefined }

interface Deciding {
  /** Of the rows that it was made of. */
  readonly changes: number
  readonly isEverywhere: boolean
  readonly prices: readonly number[]
}

class RowsInMemory {
  changes = 0
  readonly #rows = new Map<string, Task>()

  readonly list = (): readonly Task[] => [...this.#rows.values()]
  readonly put = async (tasks: readonly Task[]): Promise<void> => {
    this.changes += 1
    for (const task of tasks) this.#rows.set(task.id, task)
  }
  readonly losses = (): number => 0
  readonly problem = (): undefined => undefined
}

/** No one reads it back: a replay is not taken over by another process. */
function journalInMemory(time: OwnTime): TaskJournal {
  return {
    look: () => ({ identity: 'replay' }),
    append: async () => {
      time.activity += 1
    },
    note: () => {},
    read: async () => [],
    readOn: async () => [],
    follow: () => async () => [],
    watch: () => () => {},
    close: async () => {},
  }
}
