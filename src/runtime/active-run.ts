// One run from its start to its end: where its output goes, whether a step failed, how many it may take, and how it is cut short or stopped.

import type { Admission } from '../authority/authority.ts'
import { CommandError } from '../commands/kit/command-error.ts'
import { errorData } from '../commands/kit/error-data.ts'
import { sayOrderEvent } from '../commands/kit/order-lines.ts'
import { MAX_STEPS, tooManySteps } from '../commands/kit/step-budget.ts'
import type { OrderBudget } from '../exchange/exchange.ts'
import type { OutputKind, RunData, RunRequest, RunResult, Source } from '../runs/run.ts'
import type { OrderEvent } from '../trading/order-event.ts'
import { TradingError } from '../trading/trading-error.ts'
import type { Placed } from './roster.ts'
import { type EndedStep, interrupted, type LiveRun, type StepFailure } from './run-context.ts'

export interface RunEffects {
  emit(run: RunRequest, kind: OutputKind, text: string, data?: RunData): void
  stepEnded(run: RunRequest, step: EndedStep): void
  reportBug(error: unknown): void
  /** @returns why the run may not take another step, as its `error` */
  refusal(admission: Admission): string | undefined
  /** As `refusal`, as of now: for an order that is about to leave. */
  refusalOfOrder(admission: Admission): string | undefined
  sealed(admission: Admission): string
}

/** What a run is about, settled when it is accepted. */
export interface RunTerms {
  readonly request: RunRequest
  readonly accountName: string
  readonly symbol: string
  readonly admission: Admission
  /** What its orders may be worth together; undefined: anything. */
  readonly budget: OrderBudget | undefined
}

const SUCCESS: RunResult = { success: true }

/** Of what a stopped run had sent, so many are listed. */
const LISTED_ORDERS = 5

export class ActiveRun implements LiveRun, Placed {
  place = 0
  /** It turned a switch off itself: that does not cut it short. */
  isSpared = false
  readonly #terms: RunTerms
  readonly #effects: RunEffects
  /** Oldest first. */
  #failures: Set<StepFailure> | undefined
  #steps = 0
  #abort: AbortController | undefined
  #aborted = false
  /** Why it was stopped. */
  #stopReason: string | undefined
  /** It has been kept from something by that. */
  #isCut = false
  #orders = 0
  #sent: OrderEvent[] | undefined
  #sentCount = 0

  constructor(terms: RunTerms, effects: RunEffects) {
    this.#terms = terms
    this.#effects = effects
  }

  get request(): RunRequest {
    return this.#terms.request
  }

  get accountName(): string {
    return this.#terms.accountName
  }

  get symbol(): string {
    return this.#terms.symbol
  }

  get budget(): OrderBudget | undefined {
    return this.#terms.budget
  }

  get admission(): Admission {
    return this.#terms.admission
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
    this.#requireMayGoOn()
    this.#steps += 1
    if (this.#steps > MAX_STEPS) throw tooManySteps()
  }

  emit(kind: OutputKind, text: string, data?: RunData): void {
    this.#effects.emit(this.request, kind, text, data)
  }

  failStep(failure: StepFailure): void {
    const { error, text, summary } = failure
    if (this.#stopReason !== undefined && isInterruption(error)) {
      this.#isCut = true
      return
    }
    this.emit('error', text, errorData(summary, error))
    this.#failures ??= new Set()
    this.#failures.add(failure)
  }

  recover(failure: StepFailure): void {
    this.#failures?.delete(failure)
  }

  noteStep(step: EndedStep): void {
    this.#effects.stepEnded(this.request, step)
  }

  reportBug(error: unknown): void {
    this.#effects.reportBug(error)
  }

  /** Asked right before each order: what stops a run stops it between two orders of one step too. */
  nextOrderStep(): number {
    this.#requireMayGoOn()
    return this.#orders++
  }

  admitted(): string {
    return this.#effects.sealed(this.admission)
  }

  whyEnded(): string | undefined {
    return this.#stopReason ?? this.#effects.refusalOfOrder(this.admission)
  }

  noteOrder(event: OrderEvent): void {
    if (!isSent(event)) return
    this.#sentCount++
    this.#sent ??= []
    if (this.#sent.length < LISTED_ORDERS) this.#sent.push(event)
  }

  abort(): void {
    this.#aborted = true
    this.#abort?.abort()
  }

  /** As `abort`, for a reason that its end tells. @param reason becomes its `error` if it is kept from anything */
  stop(reason: string): void {
    if (this.#aborted) return
    this.#stopReason = reason
    this.abort()
  }

  /** Tells why it was stopped, and what it had sent by then. */
  end(): RunResult {
    const reason = this.#stopReason
    if (reason !== undefined && this.#isCut) {
      this.emit('error', `${reason}; ${this.#describeSent()}`)
      return { success: false, error: reason, cut: true }
    }
    const [first] = this.#failures ?? []
    if (first === undefined) return SUCCESS
    return { success: false, error: first.summary, ...(this.#aborted ? { cut: true } : {}) }
  }

  #requireMayGoOn(): void {
    if (!this.#aborted) {
      const refusal = this.#effects.refusal(this.admission)
      if (refusal !== undefined) this.stop(refusal)
    }
    if (!this.#aborted) return
    this.#isCut = this.#stopReason !== undefined
    throw interrupted()
  }

  #describeSent(): string {
    if (this.#sent === undefined) return 'it had sent no order'
    const lines: string[] = []
    const say = (text: string) => void lines.push(text)
    for (const event of this.#sent) sayOrderEvent(event, { print: say, success: say, warn: say, error: say, info: say })
    const more = this.#sentCount - this.#sent.length
    const rest = more > 0 ? `; and ${more} more` : ''
    return `already sent: ${lines.join('; ')}${rest} (check \`orders\` and \`positions\`)`
  }
}

function isInterruption(error: unknown): boolean {
  return (error instanceof CommandError || error instanceof TradingError) && error.code === 'interrupted'
}

function isSent(event: OrderEvent): boolean {
  switch (event.type) {
    case 'filled':
    case 'sent':
    case 'rests':
    case 'unknown':
      return true
    case 'protected':
      return !event.isChange
    default:
      return false
  }
}
