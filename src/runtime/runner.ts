// Starts runs, caps them, and tells the sinks. Hook fires wait in one queue in the order accepted (behaviour 30); people at
// a terminal and approved web clients never wait behind them.
import type { OutputKind, RunData, RunRequest, RunResult, RunSink, RunSummary } from '../runs/run.ts'
import { ActiveRun, type RunEffects } from './active-run.ts'
import { executeLine } from './execute-chain.ts'
import { Fifo } from './fifo.ts'
import { createLineCache } from './line-cache.ts'
import { type Placed, Roster } from './roster.ts'
import type { RunEnvironment } from './run-context.ts'
import { type HistoryEntry, RunHistory } from './run-history.ts'
import type { JournalledRun, RunJournal } from './run-journal.ts'
import { MAX_HOLD_MS } from './yield-to-event-loop.ts'

export interface RunLimits {
  /** Fires running at once. */
  readonly running: number
  /** Fires accepted and not yet started. */
  readonly waiting: number
  /** Ended runs that `runs` still shows. */
  readonly remembered: number
}

/** Behaviour 30. */
export const RUN_LIMITS: RunLimits = { running: 100, waiting: 10_000, remembered: 200 }

export interface RunnerOptions {
  readonly environment: RunEnvironment
  readonly journal: RunJournal
  readonly limits?: RunLimits
  readonly reportBug: (error: unknown) => void
}

interface Accepted extends Placed {
  readonly request: RunRequest
  readonly accountName: string
  readonly symbol: string
  readonly settle: ((result: RunResult) => void) | undefined
  readonly remembered: HistoryEntry
  /** Given while the journal writes it. */
  journalled: JournalledRun | undefined
  /** Interrupted before it began. */
  isCut: boolean
}

export class Runner {
  readonly #environment: RunEnvironment
  readonly #journal: RunJournal
  readonly #limits: RunLimits
  readonly #effects: RunEffects
  readonly #parse = createLineCache()
  readonly #sinks = new Set<RunSink>()
  readonly #active = new Roster<ActiveRun>()
  /** With the journal. */
  readonly #accepting = new Roster<Accepted>()
  readonly #queue = new Fifo<Accepted>()
  readonly #history: RunHistory
  #runningFires = 0
  #draining = false
  #startScheduled = false
  #starting = false
  #onIdle: (() => void) | undefined

  constructor({ environment, journal, limits = RUN_LIMITS, reportBug }: RunnerOptions) {
    this.#environment = environment
    this.#journal = journal
    this.#limits = limits
    this.#history = new RunHistory(limits.remembered)
    this.#effects = { reportBug, emit: (run, kind, text, data) => this.#emit(run, kind, text, data) }
  }

  /** Whether another fire would be accepted now. */
  hasRoom(): boolean {
    return !this.#draining && this.#queue.length + this.#accepting.size < this.#limits.waiting
  }

  /** Accepts a run and resolves when it is done; never rejects. */
  run(request: RunRequest): Promise<RunResult> {
    return new Promise((settle) => this.#accept(request, undefined, settle))
  }

  /**
   * Accepts a fire: journals it, calls `accepted` once the journal has it, then starts it in its turn. Its result goes to the
   * sinks. Ask `hasRoom()` first.
   */
  fire(request: RunRequest, accepted: () => void): void {
    this.#accept(request, accepted, undefined)
  }

  /** @returns stops the sink */
  addSink(sink: RunSink): () => void {
    this.#sinks.add(sink)
    return () => this.#sinks.delete(sink)
  }

  /** Running, waiting and recent runs, newest first. */
  runs(limit?: number): readonly RunSummary[] {
    return this.#history.list(limit)
  }

  counts(): { readonly running: number; readonly waiting: number } {
    return { running: this.#active.size, waiting: this.#queue.length + this.#accepting.size }
  }

  /** Cuts runs short: what waits stops waiting, what was placed stays placed. Fires that wait for their turn are left. @returns how many there were */
  interrupt(matches: (run: RunRequest) => boolean): number {
    const beginning = this.#accepting.list().filter(({ request }) => matches(request))
    for (const next of beginning) next.isCut = true
    const runs = this.#active.list().filter((run) => matches(run.request))
    for (const run of runs) run.abort()
    return beginning.length + runs.length
  }

  /** Refuses new fires, gives accepted runs up to `graceMs`, then aborts what is left. Fires never started stay in the journal. */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true
    if (this.#isIdle()) return
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve
    })
    const abort = setTimeout(() => {
      this.#queue.clear()
      for (const run of this.#active.list()) run.abort()
    }, graceMs)
    const giveUp = setTimeout(() => this.#onIdle?.(), graceMs + 500)
    await idle
    clearTimeout(abort)
    clearTimeout(giveUp)
  }

  #accept(request: RunRequest, accepted: (() => void) | undefined, settle: Accepted['settle']): void {
    const { defaultAccount, defaultSymbol } = this.#environment.ports.config.readOncePerTurn()
    const accountName = request.account ?? defaultAccount
    const symbol = request.symbol ?? defaultSymbol
    const remembered = this.#history.accepted(request, accountName, this.#environment.clock.now())
    const next: Accepted = {
      request,
      accountName,
      symbol,
      settle,
      remembered,
      journalled: undefined,
      isCut: false,
      place: 0,
    }
    this.#accepting.add(next)
    next.journalled = this.#journal.start(request, accountName, () => {
      this.#accepting.remove(next)
      accepted?.()
      if (request.source !== 'hook') return this.#begin(next)
      this.#queue.add(next)
      this.#startSoon()
    })
  }

  /** When all that the journal wrote at once has been answered: no caller's answer waits for another's run. */
  #startSoon(): void {
    if (this.#startScheduled) return
    this.#startScheduled = true
    queueMicrotask(() => {
      this.#startScheduled = false
      this.#startWaiting()
    })
  }

  /** Runs that end at once come back here; the outer loop goes on for them, so the stack stays flat. */
  #startWaiting(): void {
    if (this.#starting) return
    this.#starting = true
    try {
      const until = performance.now() + MAX_HOLD_MS
      while (this.#runningFires < this.#limits.running) {
        const next = this.#queue.take()
        if (!next) break
        this.#begin(next)
        if (performance.now() < until) continue
        setImmediate(() => this.#startWaiting())
        break
      }
    } finally {
      this.#starting = false
    }
  }

  #begin(accepted: Accepted): void {
    const { request, accountName, symbol, remembered } = accepted
    const run = new ActiveRun(request, accountName, symbol, this.#effects)
    if (accepted.isCut) run.abort()
    this.#active.add(run)
    if (request.source === 'hook') this.#runningFires++
    this.#history.started(remembered, this.#environment.clock.now())
    for (const sink of this.#sinks) sink.started?.(request)
    const ended = executeLine(request.command, this.#parse, { run, environment: this.#environment })
    if (typeof ended === 'boolean') this.#finish(run, accepted)
    else void ended.then(() => this.#finish(run, accepted))
  }

  #finish(run: ActiveRun, { request, settle, remembered, journalled }: Accepted): void {
    const result = run.result()
    this.#active.remove(run)
    if (request.source === 'hook') this.#runningFires--
    if (journalled) this.#journal.done(journalled, result)
    this.#history.done(remembered, result, this.#environment.clock.now())
    for (const sink of this.#sinks) sink.done?.(request, result)
    settle?.(result)
    this.#startWaiting()
    if (this.#isIdle()) this.#onIdle?.()
  }

  #isIdle(): boolean {
    return this.#active.size === 0 && this.#queue.length + this.#accepting.size === 0
  }

  #emit(run: RunRequest, kind: OutputKind, text: string, data: RunData | undefined): void {
    for (const sink of this.#sinks) sink.output?.(run, kind, text, data)
  }
}
