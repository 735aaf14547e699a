// Keeps `tasks.json` as tasks are: at once where one is another one, and at most once a second for progress. Fills that come together are told
// together.
import type { Trade } from '../exchange/order.ts'
import type { Task, TaskStore } from '../stores/tasks.ts'
import type { ReportTask, TaskReport } from './task-report.ts'
import type { TaskRun } from './task-run.ts'

export interface TaskRowsPorts {
  readonly rows: Pick<TaskStore, 'list' | 'put'>
  readonly now: () => number
  readonly tell: ReportTask
  readonly problem: (error: unknown) => void
}

const EVERY_MS = 1_000

export class TaskRows {
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

  tell(told: TaskReport): void {
    if (told.type === 'filled') {
      const fills = this.#fills.get(told.task.id) ?? []
      this.#fills.set(told.task.id, fills)
      fills.push(...told.trades)
      return
    }
    this.#tellFills(told.task)
    this.#ports.tell(told)
  }

  async look(): Promise<void> {
    for (const run of this.#changed) this.#tellFills(run.row())
    if (this.#changed.size > 0 && this.#ports.now() - this.#writtenAt >= EVERY_MS) await this.save()
  }

  /** As `flush`; what was done stays done, whatever becomes of the row that shows it. Told once, until it works again. */
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

  #tellFills(task: Task): void {
    const trades = this.#fills.get(task.id)
    if (trades === undefined) return
    this.#fills.delete(task.id)
    this.#ports.tell({ type: 'filled', task, trades })
  }
}
