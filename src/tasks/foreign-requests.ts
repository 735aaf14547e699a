// What other processes begin and ask for, as `tasks.jsonl` has it. Each is done once.
import { defined } from '../base/defined.ts'
import { StoreError } from '../stores/store-error.ts'
import type { Task, TaskStore } from '../stores/tasks.ts'
import type { Clock } from '../trading/clock.ts'
import { TaskError } from './task-error.ts'
import type { TaskJournal } from './task-journal.ts'
import { decodeTaskLine, type JournalledTask } from './task-lines.ts'
import type { AskedBy, TaskRequest } from './task-port.ts'

export type BegunLine = Extract<JournalledTask, { t: 'begun' }>

interface ForeignRequestsPorts {
  readonly journal: TaskJournal
  readonly rows: Pick<TaskStore, 'put'>
  readonly clock: Clock
  isKnown(id: string): boolean
  begin(line: BegunLine): Promise<Task>
  ask(id: string, what: TaskRequest, by: AskedBy): Promise<Task>
  problem(error: unknown): void
}

/** A request to place orders that nobody has done by then is not done any more. */
export const FRESH_MS = 30_000

interface Asked {
  /** ms since the epoch. */
  readonly at: number
  readonly ask: string
  readonly what: TaskRequest
  readonly by: AskedBy
}

export class ForeignRequests {
  readonly #ports: ForeignRequestsPorts
  /** Done, or under way. */
  readonly #taken = new Set<string>()
  #reading: Promise<void> = Promise.resolve()

  constructor(ports: ForeignRequestsPorts) {
    this.#ports = ports
  }

  readOn(): Promise<void> {
    const turn = this.#reading.then(() => this.#readOn())
    this.#reading = turn.catch(() => {})
    return turn
  }

  /** Does what was asked, and says that it is done, or why not. Never rejects. */
  async answer(id: string, { ask, what, by, at }: Asked): Promise<void> {
    if (this.#taken.has(ask)) return
    this.#taken.add(ask)
    const { journal, clock, problem } = this.#ports
    const answer = { t: 'answered', id, ask } as const
    try {
      if (what === 'resume' && !this.#isFresh(at)) throw tooLate()
      const task = await this.#ports.ask(id, what, by)
      journal.note({ ...answer, at: clock.now(), task })
    } catch (error) {
      if (!(error instanceof TaskError)) problem(error)
      const { message, code, hint } =
        error instanceof TaskError || error instanceof StoreError
          ? error
          : { message: String(error), code: 'unanswered', hint: undefined }
      journal.note({ ...answer, at: clock.now(), error: { code, message, ...defined({ hint }) } })
    }
  }

  async #readOn(): Promise<void> {
    const lines = (await this.#ports.journal.readOn()).map(decodeTaskLine)
    const answered = new Set(lines.flatMap((line) => (line?.t === 'answered' ? [line.ask] : [])))
    for (const line of lines) {
      if (line?.t === 'begun' && this.#isNew(line)) void this.#begin(line)
      if (line?.t === 'asked' && !answered.has(line.ask)) void this.answer(line.id, line)
    }
  }

  /** What was begun long ago was begun for a market that is gone; its line may have been read before. */
  #isNew({ id, at }: BegunLine): boolean {
    return !this.#taken.has(id) && !this.#ports.isKnown(id) && this.#isFresh(at)
  }

  #isFresh(at: number): boolean {
    return this.#ports.clock.now() - at < FRESH_MS
  }

  async #begin(line: BegunLine): Promise<void> {
    this.#taken.add(line.id)
    try {
      await this.#ports.begin(line)
    } catch (error) {
      this.#ports.problem(error)
      // One that got as far as an account has said itself that it failed.
      if (!this.#ports.isKnown(line.id)) await this.#refuse(line, error).catch(this.#ports.problem)
    }
  }

  async #refuse({ id, seed }: BegunLine, error: unknown): Promise<void> {
    const at = this.#ports.clock.now()
    const reason = error instanceof Error ? error.message : String(error)
    this.#ports.journal.note({ t: 'ended', id, n: 1, at, status: 'failed', reason })
    const { kind, account, symbol, command, by } = seed
    const times = { startedAt: at, updatedAt: at }
    await this.#ports.rows.put([
      { id, kind, account, symbol, command, runId: by.runId, status: 'failed', progress: 0, reason, ...times },
    ])
  }
}

function tooLate(): TaskError {
  return new TaskError('unanswered', 'it was asked when no hookline could do it', { hint: 'ask again' })
}
