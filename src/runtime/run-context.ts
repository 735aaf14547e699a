// What a command sees of its run: CommandContext made from a run and the services.

import { defined } from '../base/defined.ts'
import type { CommandContext, Foretold, Output, Question } from '../commands/kit/command.ts'
import type { CommandData } from '../commands/kit/data.ts'
import { grantOfRun } from '../commands/kit/effects.ts'
import { CommandError, describeRefusal } from '../commands/kit/errors.ts'
import type { CommandPorts, PortName } from '../commands/kit/ports.ts'
import { withSize } from '../commands/kit/read-arguments.ts'
import { type CommandLookup, DRY, FAR, NEAR, type ResolvedForm } from '../commands/kit/resolve.ts'
import type { OrderBudget, OrderCap, OrderContext } from '../exchange/exchange.ts'
import type { KnownMarkets } from '../exchange/market.ts'
import type { Chain, CommandCall } from '../language/chain.ts'
import { printCall } from '../language/print.ts'
import type { Size } from '../language/size.ts'
import { isOfOperator, type OutputKind, type RunData, type RunRequest, type Source } from '../runs/run.ts'
import type { HeldGrant } from '../stores/client-grants.ts'
import { StoreError } from '../stores/store-error.ts'
import type { Clock } from '../trading/clock.ts'
import type { Connect, TradingAccount } from '../trading/order-desk.ts'
import type { OrderEvent } from '../trading/order-event.ts'
import type { OrderedBy } from '../trading/order-plan.ts'
import type { StepAttempt } from './step-questions.ts'

/** What every run is given besides its own line; made once by the composition root. */
export interface RunEnvironment {
  readonly lookup: CommandLookup
  readonly ports: CommandPorts
  readonly clock: Clock
  readonly connect: Connect
  /** Nothing is sent through it, and nothing is reported as it goes. */
  readonly isPreview?: true
}

/** Why a step failed, as people read it. */
export interface StepFailure {
  /** One line. */
  readonly summary: string
  /** With the place in the line, where it has one. */
  readonly text: string
  readonly error: unknown
  /** A person answered its question with no. */
  readonly isDeclined?: true
}

/** A step that has run, of a line with several. Times are ms since the epoch. */
export interface EndedStep {
  readonly call: CommandCall
  readonly startedAt: number
  readonly endedAt: number
  readonly succeeded: boolean
}

/** One run while it lives, as the executor sees it. */
export interface LiveRun {
  readonly request: RunRequest
  readonly runId: string
  readonly source: Source
  readonly accountName: string
  readonly symbol: string
  readonly signal: AbortSignal
  /** As `signal.aborted`, without making the signal. */
  readonly isAborted: boolean
  /** What its orders may be worth together; undefined: anything. */
  readonly budget?: OrderBudget | undefined
  /** Asked before each command of the run. @throws {CommandError} the run may not take another step */
  beginStep(): void
  emit(kind: OutputKind, text: string, data?: RunData): void
  /** A step failed: tells it. The first failure that nothing recovers from becomes the run's `error`. */
  failStep(failure: StepFailure): void
  /** What `||` led to has succeeded: the failure no longer counts. */
  recover(failure: StepFailure): void
  /** One of several steps has ended. */
  noteStep(step: EndedStep): void
  /** Whether the step that runs, or one behind it, places a stop on this market. Absent: none has begun of a line with several. */
  placesStopAhead?: ((symbol: string) => boolean) | undefined
  /** An error of no known class. */
  reportBug(error: unknown): void
  /** Counts the orders of the run, from 0. @throws {CommandError} the run may not send another */
  nextOrderStep(): number
  /** Asked right before the bytes of an order leave. @returns why the run may send nothing more */
  whyEnded(): string | undefined
  /** What it was let in by, as a text. */
  admitted(): string
  /** What became of one of its orders. */
  noteOrder(event: OrderEvent): void
}

/** What was typed beside the arguments of one command. */
type TypedOptions = Partial<
  Pick<ResolvedForm, 'form' | 'args' | 'isDry' | 'isJson' | 'isNear' | 'isFar' | 'isWide' | 'tags'>
>

/** Of letters of one width on a phone held upright. */
const PHONE_COLUMNS = 44

export class RunContext implements CommandContext<PortName> {
  readonly ports: CommandPorts
  readonly clock: Clock
  readonly out: Output
  readonly #connect: Connect
  readonly #run: LiveRun
  readonly #runChain: (chain: Chain) => Promise<boolean>
  readonly near: CommandContext['near']
  readonly far: { readonly isMeant: boolean }
  readonly isDry: boolean
  readonly isProtectedLater: CommandContext['isProtectedLater']
  readonly #typed: TypedOptions
  readonly #isWide: boolean
  readonly #tags: readonly string[]
  readonly #asking: StepAttempt | undefined
  #isDeclined = false

  constructor(
    run: LiveRun,
    { ports, clock, connect }: RunEnvironment,
    runChain: (chain: Chain) => Promise<boolean>,
    typed: TypedOptions,
    isProtectedLater: CommandContext['isProtectedLater'] = () => false,
    asking?: StepAttempt,
  ) {
    const { isDry = false, isJson = false, isNear = false, isFar = false, isWide = false, tags = [] } = typed
    this.#typed = typed
    this.isProtectedLater = isProtectedLater
    this.#isWide = isWide
    this.#tags = tags
    this.isDry = isDry
    this.near = { isMeant: isNear }
    this.far = { isMeant: isFar }
    this.#run = run
    this.ports = ports
    this.clock = clock
    this.#connect = connect
    this.#runChain = runChain
    this.#asking = asking
    this.out = isJson ? new JsonOutput(asking ?? run) : new RunOutput(asking ?? run)
  }

  get marketsOf(): (account: string) => KnownMarkets {
    return this.ports.marketsOf
  }

  /** A tab of the console has an account of its own. */
  readonly elsewhere = (account: string): string | undefined =>
    this.source === 'web' || account === this.ports.focus.account() ? undefined : account

  get tableWidth(): number | undefined {
    if (this.source === 'phone') return PHONE_COLUMNS
    return isOfOperator(this.source) && !this.#isWide ? this.ports.terminal?.columns?.() : undefined
  }
  get source(): Source {
    return this.#run.source
  }
  get by(): RunRequest {
    return this.#run.request
  }
  get runId(): string {
    return this.#run.runId
  }
  get signal(): AbortSignal {
    return this.#run.signal
  }
  get isAborted(): boolean {
    return this.#run.isAborted
  }
  get accountName(): string {
    return this.#run.accountName
  }
  get symbol(): string {
    return this.#run.symbol
  }

  account(): Promise<TradingAccount> {
    return this.#connect(this.#run.accountName)
  }

  runChain(chain: Chain): Promise<boolean> {
    return this.#runChain(chain)
  }

  async audit(what: string, details: Readonly<Record<string, unknown>>): Promise<void> {
    const { source, runId, origin, hookId, clientId } = this.#run.request
    const by = { source, runId, ...defined({ label: origin, hookId, clientId }) }
    try {
      await this.ports.audit.record(what, details, by)
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      this.out.warn(`this is not in the audit log: ${describeRefusal(error)}`)
    }
  }

  get confirm(): CommandContext['confirm'] {
    const { terminal } = this.ports
    if (this.source !== 'repl' || terminal?.confirm === undefined) return undefined
    return async (question, about?: Question) => {
      if (this.isDry) {
        this.out.info(`without --dry, this asks: ${question.replace(/ y or n >$/, '')}`)
        return true
      }
      if (this.#asking !== undefined) return this.#asking.ask(question, about)
      const isYes = (await terminal.confirm?.(question)) ?? false
      this.#isDeclined = !isYes
      return isYes
    }
  }

  /** The last question of the command was answered with no. */
  get isDeclined(): boolean {
    return this.#asking?.isDeclined ?? this.#isDeclined
  }

  foretell(foretold: Foretold): void {
    this.#asking?.foretell(foretold)
  }

  noteOrder(event: OrderEvent): void {
    this.#run.noteOrder(event)
  }

  retyped(size: Size, symbol: string): string | undefined {
    const { form, args = [], isNear, isFar } = this.#typed
    if (form === undefined) return undefined
    const sized = withSize(args, { size, symbol, form })
    if (sized === undefined) return undefined
    const flags = [
      ...this.#tags.map((tag) => `#${tag}`),
      ...(isNear === true ? [NEAR] : []),
      ...(isFar === true ? [FAR] : []),
      ...(this.isDry ? [DRY] : []),
    ]
    return [printCall({ name: form.name, args: sized, column: 1 }), ...flags].join(' ')
  }

  orderedBy(): OrderedBy {
    const { source, runId, origin, hookId, clientId } = this.#run.request
    return {
      source,
      runId,
      step: this.#run.nextOrderStep(),
      whyEnded: () => this.#run.whyEnded(),
      admission: () => this.#run.admitted(),
      ...defined({ origin, hookId, clientId, asking: this.#asking?.sending() }),
      ...(this.isDry || this.#isDryHook(hookId) ? { isDry: true } : {}),
      ...defined({ budget: this.#run.budget, cap: this.#cap() }),
      ...(this.#tags.length === 0 ? {} : { tags: this.#tags }),
      signal: this.#run.signal,
    }
  }

  #cap(): OrderContext['cap'] {
    const { request } = this.#run
    const { source, clientId } = request
    if (clientId === undefined || source !== 'web') return undefined
    return () => {
      const grant = grantOfRun(request, this.ports.trustedClients)
      return grant && capOf(clientId, grant)
    }
  }

  /** As the hook is now: it may have been made dry while its run went on. */
  #isDryHook(hookId: string | undefined): boolean {
    return hookId !== undefined && this.ports.hooks.findOncePerTurn(hookId)?.dry === true
  }
}

function capOf(client: string, { may, hasEnded, perOrder, perDay, accounts, symbols }: HeldGrant): OrderCap {
  const refusal = hasEnded ? 'the grant of the client has ended' : `the grant of the client is \`${may}\``
  return { client, ...defined({ perOrder, perDay, accounts, symbols, refusal: may === 'trade' ? undefined : refusal }) }
}

class RunOutput implements Output {
  readonly #run: Pick<LiveRun, 'emit'>
  constructor(run: Pick<LiveRun, 'emit'>) {
    this.#run = run
  }
  print(text: string, data?: CommandData): void {
    this.#run.emit('print', text, data)
  }
  success(text: string, data?: CommandData): void {
    this.#run.emit('success', text, data)
  }
  warn(text: string, data?: CommandData): void {
    this.#run.emit('warn', text, data)
  }
  error(text: string, data?: CommandData): void {
    this.#run.emit('error', text, data)
  }
  info(text: string, data?: CommandData): void {
    this.#run.emit('info', text, data)
  }
}

/** What a command answers as data, as one document each; what it says to people besides is left out, but for what is wrong. */
class JsonOutput extends RunOutput {
  override print(_text: string, data?: CommandData): void {
    if (data !== undefined) super.print(JSON.stringify(data, undefined, 1), data)
  }
  override success(text: string, data?: CommandData): void {
    this.print(text, data)
  }
  override info(text: string, data?: CommandData): void {
    this.print(text, data)
  }
}

/** A run cut short by shutdown or by the operator. */
export function interrupted(): CommandError {
  return new CommandError('interrupted', 'interrupted', {
    hint: 'check `orders`: what was already placed stays placed',
  })
}
