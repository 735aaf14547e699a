// Records that nothing drives, kept for those who ask what became of them: over, or of a kind that is not known here.
import type { TaskRecord } from './task-record.ts'

const MAX_KEPT = 500

export class KeptRecords {
  readonly #records = new Map<string, TaskRecord>()

  /** Without its orders, which nobody asks for. The newest so many. */
  keep(record: TaskRecord): void {
    this.#records.set(record.id, { ...record, orders: [] })
    const [oldest] = this.#records.keys()
    if (this.#records.size > MAX_KEPT && oldest !== undefined) this.#records.delete(oldest)
  }

  find(id: string): TaskRecord | undefined {
    return this.#records.get(id)
  }
}
