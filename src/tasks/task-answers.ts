// What this process asks of the one that drives the tasks, and its answers, both by `tasks.jsonl` (behaviour 41). All who ask read on together, and
// each is given their own answer.
import type { Clock } from '../trading/clock.ts'
import { TaskError } from './task-error.ts'
import type { TaskJournal } from './task-journal.ts'
import { decodeTaskLine, type JournalledTask } from './task-lines.ts'

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
  return new TaskError('unanswered', 'it is not done yet; it is asked all the same', {
    hint: '`tasks show <id>` says what holds it up',
  })
}
