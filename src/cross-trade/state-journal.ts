// `cross-trade-state.jsonl`: what the copier must know after a crash. An intent is on the disk before its order leaves.
import { defined } from '../base/defined.ts'
import { type DurableJournal, openDurableJournal } from '../stores/durable-journal.ts'
import { applyLine, type EngineState, emptyState, foldLines, type StateLine, shortened } from './state-lines.ts'

/** The file of the engine's state; a new one begins with what the old one adds up to. */
export function openCopierFile(path: string, maxBytes?: number): DurableJournal {
  return openDurableJournal({ path, carryOver: shortened, ...defined({ maxBytes }) })
}

export class StateJournal {
  readonly #file: DurableJournal
  readonly #now: () => number
  readonly #onProblem: (error: unknown) => void
  #state = emptyState()

  constructor(file: DurableJournal, now: () => number, onProblem: (error: unknown) => void) {
    this.#file = file
    this.#now = now
    this.#onProblem = onProblem
  }

  /** What the lines add up to, those that are on their way included. */
  get state(): EngineState {
    return this.#state
  }

  /** @throws {StoreError} */
  async read(): Promise<void> {
    this.#state = foldLines(await this.#file.read())
  }

  /** Holds once it is on the disk. @throws {StoreError} then it does not hold, here; it may be on the disk all the same */
  async append(line: StateLine): Promise<void> {
    await this.#file.append([this.#text(line)])
    applyLine(this.#state, line)
  }

  /** Holds at once; it is in the file before what is appended later. */
  note(line: StateLine): void {
    applyLine(this.#state, line)
    this.#file.note([this.#text(line)]).catch(this.#onProblem)
  }

  #text(line: StateLine): string {
    return JSON.stringify({ ...line, at: this.#now() })
  }
}
