// One run from its start to its end: where its output goes, whether a step failed, how many it may take, and how it is cut short.
import { errorData } from '../commands/kit/error-data.ts'
import { MAX_STEPS, tooManySteps } from '../commands/kit/step-budget.ts'
import type { OutputKind, RunData, RunRequest, RunResult, Source } from '../runs/run.ts'
import type { Placed } from './roster.ts'
import { interrupted, type LiveRun, type StepFailure } from './run-context.ts'

export interface RunEffects {
  emit(run: RunRequest, kind: OutputKind, text: string, data?: RunData): void
  reportBug(error: unknown): void
}

const SUCCESS: RunResult = { success: true }

export class ActiveRun implements LiveRun, Placed {
  place = 0
  readonly request: RunRequest
  readonly accountName: string
  readonly symbol: string
  readonly #effects: RunEffects
  /** Oldest first. */
  #failures: Set<StepFailure> | undefined
  #steps = 0
  #abort: AbortController | undefined
  #aborted = false
  #orders = 0

  constructor(request: RunRequest, accountName: string, symbol: string, effects: RunEffects) {
    this.request = request
    this.accountName = accountName
    this.symbol = symbol
    this.#effects = effects
  }

  get runId(): string {
    return this.request.runId
  }

  get source(): Source {
    return this.request.source
  }

  get isAborted(): boolean {
    return this.#aborted
  }

  /** Made when first asked for: an AbortController costs more than an `echo`. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    if (this.#aborted) this.#abort.abort()
    return this.#abort.signal
  }

  beginStep(): void {
    if (this.#aborted) throw interrupted()
    this.#steps += 1
    if (this.#steps > MAX_STEPS) throw tooManySteps()
  }

  emit(kind: OutputKind, text: string, data?: RunData): void {
    this.#effects.emit(this.request, kind, text, data)
  }

  failStep(failure: StepFailure): void {
    this.emit('error', failure.text, errorData(failure.summary, failure.error))
    this.#failures ??= new Set()
    this.#failures.add(failure)
  }

  recover(failure: StepFailure): void {
    this.#failures?.delete(failure)
  }

  reportBug(error: unknown): void {
    this.#effects.reportBug(error)
  }

  nextOrderStep(): number {
    return this.#orders++
  }

  abort(): void {
    this.#aborted = true
    this.#abort?.abort()
  }

  result(): RunResult {
    const [first] = this.#failures ?? []
    return first === undefined ? SUCCESS : { success: false, error: first.summary }
  }
}
