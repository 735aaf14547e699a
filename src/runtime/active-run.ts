// One run from its acceptance to its end: its terms, who hears its output, whether a step failed, how many steps it may take, and how it is cut
// short or stopped.

import type { Admission, Authority } from '../authority/authority.ts'
import { isStopCode } from '../authority/stop-table.ts'
import { CommandError, errorData, isRefusal } from '../commands/kit/errors.ts'
import { printOrderEvent } from '../commands/kit/lines.ts'
import type { CommandPorts } from '../commands/kit/ports.ts'
import { MAX_STEPS, tooManySteps } from '../commands/kit/running.ts'
import type { OrderBudget } from '../exchange/exchange.ts'
import { printCall } from '../language/print.ts'
import type { OutputKind, RunData, RunRequest, RunResult, RunSink, Source } from '../runs/run.ts'
import { RunOutcome } from '../runs/run-outcome.ts'
import type { OrderEvent } from '../trading/order-event.ts'
import { TradingError } from '../trading/trading-error.ts'
import type { Placed } from './collections.ts'
import type { FiredHook, Moment, QueuedFire } from './fire-queue.ts'
import { type EndedStep, interrupted, type LiveRun, type StepFailure } from './run-context.ts'
import type { HistoryEntry } from './run-history.ts'
import type { JournalledRun } from './run-journal.ts'

/** What a run takes from the process that it runs in. */
export interface RunHost {
  readonly sinks: RunSinks
  readonly authority: Pick<Authority, 'whyEnded' | 'whyEndedInTurn' | 'sealed'>
  readonly reportBug: (error: unknown) => void
  readonly marketsOf: CommandPorts['marketsOf']
}

/** Everyone who shows or keeps what runs do, in the order in which they were added. */
export class RunSinks {
  /** Replaced when one comes or goes, which may happen while they are called. */
  #all: readonly RunSink[] = []

  get all(): readonly RunSink[] {
    return this.#all
  }

  /** @returns stops the sink */
  add(sink: RunSink): () => void {
    this.#all = [...this.#all, sink]
    return () => {
      this.#all = this.#all.filter((each) => each !== sink)
    }
  }
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

/** A run from its acceptance to its end, as the runner knows it. */
export interface Accepted extends Placed, RunTerms {
  /** The request as it is kept: without tokens. */
  readonly kept: RunRequest
  /** Of a fire. */
  readonly hook: FiredHook | undefined
  readonly acceptedAt: Moment
  /** Given when it begins. */
  budget: OrderBudget | undefined
  readonly settle: ((result: RunResult) => void) | undefined
  readonly remembered: HistoryEntry
  /** Given while the journal writes it. */
  journalled: JournalledRun | undefined
  /** Cut short before it began; with a reason where it was stopped. */
  cut: { readonly reason: string | undefined } | undefined
}

export type AcceptedFire = Accepted & QueuedFire

/** Field by field: of spread objects V8 makes one that is slow wherever it is used, and a fire took a fifth longer (quality/bench/fires). */
export function accept(
  { request, accountName, symbol, admission }: Omit<RunTerms, 'budget'>,
  {
    kept,
    hook,
    acceptedAt,
    settle,
    remembered,
  }: Pick<Accepted, 'kept' | 'hook' | 'acceptedAt' | 'settle' | 'remembered'>,
): Accepted {
  return {
    request,
    accountName,
    symbol,
    admission,
    kept,
    hook,
    acceptedAt,
    settle,
    remembered,
    journalled: undefined,
    cut: undefined,
    budget: undefined,
    place: 0,
  }
}

const SUCCESS: RunResult = { success: true }
const WARNED: RunResult = { success: true, warned: true }

/** Of what a stopped run had sent, so many are listed. */
const LISTED_ORDERS = 5

export class ActiveRun implements LiveRun, Placed {
  place = 0
  /** It turned a switch off itself: that does not cut it short. */
  isSpared = false
  placesStopAhead: LiveRun['placesStopAhead']
  readonly #terms: RunTerms
  readonly #host: RunHost
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
  #outcome: RunOutcome | undefined

  constructor(terms: RunTerms, host: RunHost) {
    this.#terms = terms
    this.#host = host
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
    if (kind === 'success' || kind === 'warn') {
      this.#outcome ??= new RunOutcome()
      this.#outcome.note(kind, text)
    }
    for (const sink of this.#host.sinks.all) sink.output?.(this.request, kind, text, data)
  }

  failStep(failure: StepFailure): void {
    const { error, summary } = failure
    if (this.#stopReason !== undefined && isInterruption(error)) {
      this.#isCut = true
      return
    }
    const [kind, text] =
      failure.isDeclined === true
        ? (['info', `${this.#whatWasDeclined(error)}${hintOf(error)}`] as const)
        : (['error', failure.text] as const)
    this.emit(kind, text, errorData(summary, error))
    this.#failures ??= new Set()
    this.#failures.add(failure)
  }

  recover(failure: StepFailure): void {
    this.#failures?.delete(failure)
  }

  noteStep({ call, ...ended }: EndedStep): void {
    let text: string | undefined
    for (const sink of this.#host.sinks.all) {
      if (sink.step === undefined) continue
      text ??= printCall(call)
      sink.step(this.request, { text, ...ended })
    }
  }

  reportBug(error: unknown): void {
    this.#host.reportBug(error)
  }

  /** Asked right before each order: what stops a run stops it between two orders of one step too. */
  nextOrderStep(): number {
    this.#requireMayGoOn()
    return this.#orders++
  }

  admitted(): string {
    return this.#host.authority.sealed(this.admission)
  }

  whyEnded(): string | undefined {
    return this.#stopReason ?? this.#host.authority.whyEnded(this.admission)
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
    if (first === undefined) return this.#outcome?.hasWarning === true ? WARNED : SUCCESS
    const failures = [...(this.#failures ?? [])]
    const isDeclined = failures.every((failure) => failure.isDeclined === true)
    const isSkipped = this.#outcome === undefined && failures.every(({ error }) => codeOf(error) === 'fire-skipped')
    const isKeptBack = failures.every(({ error }) => isStopCode(codeOf(error)))
    return {
      success: false,
      error: first.summary,
      ...(this.#aborted || isKeptBack ? { cut: true } : {}),
      ...(isDeclined ? { declined: true } : {}),
      // A limit of the hook is not a failure of the line.
      ...(isSkipped && this.#sent === undefined ? { unbegun: 'skipped' } : {}),
    }
  }

  /** @returns undefined: it only printed, or failed before it changed anything */
  outcomeOf({ error, declined }: RunResult): string | undefined {
    const [first] = this.#failures ?? []
    if (declined === true && first !== undefined) return this.#whatWasDeclined(first.error)
    return this.#outcome?.sentence(error)
  }

  #requireMayGoOn(): void {
    if (!this.#aborted) {
      const refusal = this.#host.authority.whyEndedInTurn(this.admission)
      if (refusal !== undefined) this.stop(refusal)
    }
    if (!this.#aborted) return
    this.#isCut = this.#stopReason !== undefined
    throw interrupted()
  }

  #whatWasDeclined(error: unknown): string {
    if (error instanceof CommandError && error.code === 'cancelled') return error.message
    return this.#sent === undefined ? 'canceled: nothing was sent' : 'canceled: the rest was not sent'
  }

  #describeSent(): string {
    if (this.#sent === undefined) return 'no order was sent'
    const lines: string[] = []
    const addLine = (text: string) => void lines.push(text)
    const out = { print: addLine, success: addLine, warn: addLine, error: addLine, info: addLine }
    const name = this.accountName
    const known = this.#host.marketsOf(name)
    for (const event of this.#sent) printOrderEvent(event, { name, known }, out)
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

/** ` (add --near)`: what a no leaves to do. */
function hintOf(error: unknown): string {
  const { hint } = isRefusal(error) ? error : { hint: undefined }
  return hint === undefined ? '' : ` (${hint})`
}

function codeOf(error: unknown): string | undefined {
  return isRefusal(error) ? error.code : undefined
}
