// The run of a preview: it is in no roster and no journal, reaches no sink, and keeps what it hears.
import { randomUUID } from 'node:crypto'
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import { isRefusal } from '../../commands/kit/errors.ts'
import type { PreviewRequest } from '../../commands/kit/ports.ts'
import type { OrderBudget } from '../../exchange/exchange.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printable } from '../../language/printable.ts'
import type { PreviewError, PreviewTask } from '../../protocol/preview.ts'
import type { OutputKind, RunData, RunRequest, Source } from '../../runs/run.ts'
import { FireBudget } from '../../trading/fire-budget.ts'
import { interrupted, type LiveRun, type StepFailure } from '../run-context.ts'

/** Of one line. */
const MAX_STEPS = 1_000
const MAX_TEXTS = 50
const MAX_TEXT = 300

type PlannedTask = Omit<PreviewTask, 'text' | 'slices' | 'slice'> & {
  readonly slices?: readonly { readonly amount: string }[]
}

export class PreviewRun implements LiveRun {
  readonly request: RunRequest
  readonly runId = randomUUID()
  readonly accountName: string
  readonly symbol: string
  readonly budget: OrderBudget | undefined
  readonly notes = new Set<string>()
  readonly tasks: PreviewTask[] = []
  readonly #reported: PreviewError[] = []
  readonly #failures = new Set<StepFailure>()
  readonly #abort = new AbortController()
  readonly #reportBug: (error: unknown) => void
  #steps = 0
  #orders = 0

  constructor(
    request: PreviewRequest,
    focus: { account(): string; symbol(): string },
    reportBug: (error: unknown) => void,
  ) {
    this.request = { ...request, runId: this.runId }
    this.accountName = request.account ?? focus.account()
    this.symbol = request.symbol ?? focus.symbol()
    this.budget = request.max === undefined ? undefined : new FireBudget(request.max)
    this.#reportBug = reportBug
  }

  get source(): Source {
    return this.request.source
  }
  get signal(): AbortSignal {
    return this.#abort.signal
  }
  get isAborted(): boolean {
    return this.#abort.signal.aborted
  }

  abort(): void {
    this.#abort.abort()
  }

  beginStep(): void {
    if (this.isAborted) throw interrupted()
    this.#steps += 1
    if (this.#steps <= MAX_STEPS) return
    this.note(`only the first ${MAX_STEPS} steps are computed`)
    this.abort()
    throw interrupted()
  }

  /** Nothing of it is sent, and nothing goes on after it. */
  admitted(): string {
    return ''
  }

  whyEnded(): undefined {}

  nextOrderStep(): number {
    if (this.isAborted) throw interrupted()
    return this.#orders++
  }

  emit(kind: OutputKind, text: string, data?: RunData): void {
    if (data?.type === 'would') return
    if (data?.type === 'task-plan') return this.#addTask(text, data as unknown as PlannedTask)
    if (kind === 'error') this.#report({ code: 'failed', text: printable(text, MAX_TEXT) })
    // Tables are for terminals.
    // That nothing is sent goes without saying here.
    else if ((kind === 'warn' || kind === 'info') && !text.includes('\n')) this.note(text.replace('simulated: ', ''))
  }

  note(text: string): void {
    if (this.notes.size < MAX_TEXTS) this.notes.add(printable(text, MAX_TEXT))
  }

  failStep(failure: StepFailure): void {
    if (this.isAborted) return
    this.#failures.add(failure)
  }

  recover(failure: StepFailure): void {
    this.#failures.delete(failure)
  }

  reportBug(error: unknown): void {
    this.#reportBug(error)
  }

  noteStep(): void {}
  noteOrder(): void {}

  /** What would fail, and what commands said of it. */
  errors(): readonly PreviewError[] {
    return [...this.#reported, ...[...this.#failures].slice(0, MAX_TEXTS).map(({ error }) => errorOf(error))]
  }

  #report(error: PreviewError): void {
    if (this.#reported.length < MAX_TEXTS) this.#reported.push(error)
  }

  #addTask(text: string, data: PlannedTask): void {
    const { account, symbol, kind, side, amount, reduceOnly, price, lastsMs, slices } = data
    const { parts, average, worst, stepProfit, roundedBy } = data
    const [first] = slices ?? []
    const slice = first && Decimal.max(first.amount, ...(slices ?? []).map((each) => each.amount)).toFixed()
    if (this.tasks.length >= MAX_TEXTS) return
    this.tasks.push({
      account,
      symbol,
      kind,
      side,
      amount,
      reduceOnly,
      text: printable(text, MAX_TEXT),
      ...defined({ price, lastsMs, slices: slices?.length, slice, parts, average, worst, stepProfit, roundedBy }),
    })
  }
}

/** For programs and people: the log has the rest of what is not a refusal. */
export function errorOf(error: unknown): PreviewError {
  if (!isRefusal(error)) return { code: 'internal-error', text: 'internal error; see hookline.log' }
  const { code, message, hint } = error
  return {
    code,
    text: printable(message, MAX_TEXT),
    ...(hint === undefined ? {} : { hint: printable(hint, MAX_TEXT) }),
    ...(error instanceof LanguageError ? { column: error.column } : {}),
  }
}
