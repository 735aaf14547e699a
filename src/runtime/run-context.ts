// What a command sees of its run: CommandContext made from a run and the services.
import {
  type CommandContext,
  CommandError,
  type Output,
  type OutputKind,
  type Services,
  type Source,
  type TradingAccount,
} from '../commands/command.ts'
import type { Chain } from '../language/chain.ts'
import type { RunRequest } from './run.ts'

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
  emit(kind: OutputKind, text: string): void
  /** Notes a failed step; the first one becomes the run's `error`. */
  fail(summary: string): void
  /** An error of no known class. */
  reportBug(error: unknown): void
  addBackground(work: Promise<void>): void
}

export class RunContext implements CommandContext {
  readonly services: Services
  readonly out: Output
  readonly #run: LiveRun
  readonly #runChain: (chain: Chain) => Promise<boolean>

  constructor(run: LiveRun, services: Services, runChain: (chain: Chain) => Promise<boolean>) {
    this.#run = run
    this.services = services
    this.#runChain = runChain
    this.out = new RunOutput(run)
  }

  get source(): Source {
    return this.#run.source
  }
  get runId(): string {
    return this.#run.runId
  }
  get signal(): AbortSignal {
    return this.#run.signal
  }
  get accountName(): string {
    return this.#run.accountName
  }
  get symbol(): string {
    return this.#run.symbol
  }

  account(): Promise<TradingAccount> {
    return this.services.connect(this.#run.accountName)
  }

  runChain(chain: Chain): Promise<boolean> {
    return this.#runChain(chain)
  }

  background(work: Promise<void>): void {
    this.#run.addBackground(work)
  }
}

class RunOutput implements Output {
  readonly #run: LiveRun
  constructor(run: LiveRun) {
    this.#run = run
  }
  print(text: string): void {
    this.#run.emit('print', text)
  }
  success(text: string): void {
    this.#run.emit('success', text)
  }
  warn(text: string): void {
    this.#run.emit('warn', text)
  }
  error(text: string): void {
    this.#run.emit('error', text)
  }
  info(text: string): void {
    this.#run.emit('info', text)
  }
}

/** A run cut short by shutdown or by the operator. */
export function interrupted(): CommandError {
  return new CommandError('interrupted', 'interrupted', {
    hint: 'what was already placed stays placed: check `orders`',
  })
}
