// Requests between the process that drives tasks and the others, as lines of `tasks.jsonl` (behaviour 41): the driver takes them, each once; the
// others wait for its answers.
import { defined } from '../base/defined.ts'
import { StoreError } from '../stores/store-error.ts'
import type { Task, TaskStore } from '../stores/tasks.ts'
import type { Clock } from '../trading/clock.ts'
import type { TaskJournal } from './task-journal.ts'
import { type AskedBy, TaskError, type TaskRequest } from './task-port.ts'
import { decodeTaskLine, type JournalledTask } from './task-record.ts'

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

/** A request to place orders that no one has done by then is not done any more. */
export const FRESH_MS = 30_000

const REQUEST = /"t":"(?:begun|asked|answered)"/

interface FreshRequest {
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
  async answer(id: string, { ask, what, by, at }: FreshRequest): Promise<void> {
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
    const texts = await this.#ports.journal.readOn()
    // Most lines are of what the tasks of this process decided.
    const lines = texts.filter((text) => REQUEST.test(text)).map(decodeTaskLine)
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
  return new TaskError('unanswered', 'it was requested while no hookline was running', { hint: 'ask again' })
}

// What this process asks of the one that drives the tasks, and its answers, both by `tasks.jsonl` (behaviour 41). All who ask read on together, and
// each is given their own answer.

type Asked = Extract<JournalledTask, { t: 'asked' }>
type Answered = Extract<JournalledTask, { t: 'answered' }>

interface Waiting {
  readonly take: (answer: Answered) => void
  readonly fail: (error: unknown) => void
}

export const ANSWER_WITHIN_MS = 10_000
const LOOK_EVERY_MS = 50

export class TaskAnswers {
  readonly #journal: TaskJournal
  readonly #clock: Clock
  readonly #waiting = new Map<string, Waiting>()
  #readOn: (() => Promise<readonly string[]>) | undefined
  #reading: Promise<void> | undefined

  constructor(journal: TaskJournal, clock: Clock) {
    this.#journal = journal
    this.#clock = clock
  }

  /** @throws {TaskError} `unanswered`: it is asked all the same @throws {StoreError} it cannot be asked, or what is answered cannot be read */
  async to(asked: Asked): Promise<Answered> {
    const limit = new AbortController()
    const answer = new Promise<Answered>((take, fail) => this.#waiting.set(asked.ask, { take, fail }))
    // What fails before it is waited for is thrown below.
    answer.catch(() => {})
    try {
      await this.#journal.append(asked)
      this.#reading ??= this.#read().finally(() => {
        this.#reading = undefined
      })
      const late = this.#clock.delay(ANSWER_WITHIN_MS, limit.signal).then(() => undefined)
      const found = await Promise.race([answer, late])
      if (found === undefined) throw unanswered()
      return found
    } finally {
      limit.abort()
      this.#waiting.delete(asked.ask)
    }
  }

  /** While anybody waits. */
  async #read(): Promise<void> {
    const never = new AbortController().signal
    this.#readOn ??= this.#journal.follow()
    while (this.#waiting.size > 0) {
      try {
        for (const line of await this.#readOn()) this.#give(line)
      } catch (error) {
        for (const { fail } of this.#waiting.values()) fail(error)
        return
      }
      if (this.#waiting.size > 0) await this.#clock.delay(LOOK_EVERY_MS, never)
    }
  }

  #give(text: string): void {
    // Of a file that has grown large, only few lines are worth being parsed.
    if (!text.includes('"answered"')) return
    const line = decodeTaskLine(text)
    if (line?.t === 'answered') this.#waiting.get(line.ask)?.take(line)
  }
}

export function unanswered(): TaskError {
  return new TaskError('unanswered', 'it is not done yet; the request is kept', {
    hint: '`tasks show <id>` shows what holds it up',
  })
}
