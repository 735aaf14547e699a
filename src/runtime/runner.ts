// Starts runs, caps them, and tells the sinks. Fires wait in the line of their hook (behaviour 30); people at a terminal and approved web
// clients never wait behind them.
import type { Authority } from '../authority/authority.ts'
import type { StoppedRuns } from '../commands/kit/ports.ts'
import { hideTokens } from '../language/printable.ts'
import type { RunRequest, RunResult, RunSink, RunSummary, Unbegun } from '../runs/run.ts'
import {
  type Accepted,
  type AcceptedFire,
  ActiveRun,
  accept,
  type RunHost,
  RunSinks,
  type RunTerms,
} from './active-run.ts'
import { UnorderedSet } from './collections.ts'
import { createLineReader, executeLine } from './execute-chain.ts'
import { type FiredHook, FireQueue, type Moment, RUN_LIMITS, type RunLimits } from './fire-queue.ts'
import { ExpiryTimer, FireStarts, notBegun } from './fire-starts.ts'
import { FireCare, type PausedHook, skipped } from './hook-circuit-breaker.ts'
import type { RunEnvironment } from './run-context.ts'
import { RunHistory } from './run-history.ts'
import type { RunJournal } from './run-journal.ts'

interface RunnerOptions {
  readonly environment: RunEnvironment
  readonly journal: RunJournal
  readonly authority: Authority
  readonly limits?: RunLimits
  /** A time that never goes back, ms. Default: that of the process. */
  readonly steadyMs?: () => number
  readonly reportBug: (error: unknown) => void
  /** Told, a burst at a time, of fires that ended without running. */
  readonly onUnbegun?: (fires: UnbegunFires) => void
  /** Notified of a hook whose runs have paused it. */
  readonly onPaused?: (paused: PausedHook) => void
}

export class Runner {
  readonly #environment: RunEnvironment
  readonly #journal: RunJournal
  readonly #authority: Authority
  readonly #host: RunHost
  readonly #readerOf = createLineReader()
  readonly #sinks = new RunSinks()
  readonly #active = new UnorderedSet<ActiveRun>()
  /** With the journal. */
  readonly #accepting = new UnorderedSet<Accepted>()
  readonly #queue: FireQueue<AcceptedFire>
  readonly #history: RunHistory
  readonly #expiry: ExpiryTimer<AcceptedFire>
  readonly #unbegun: UnbegunTally
  readonly #care: FireCare
  readonly #starts: FireStarts
  readonly #steadyMs: () => number
  #draining = false
  #onIdle: (() => void) | undefined

  constructor({ environment, journal, authority, limits = RUN_LIMITS, reportBug, ...listeners }: RunnerOptions) {
    this.#environment = environment
    this.#steadyMs = listeners.steadyMs ?? (() => performance.now())
    this.#journal = journal
    this.#authority = authority
    this.#queue = new FireQueue(limits)
    this.#expiry = new ExpiryTimer(
      this.#queue,
      () => this.#now(),
      (fire) => this.#endUnbegun(fire, this.#starts.expired(fire)),
    )
    this.#history = new RunHistory(limits.remembered)
    this.#unbegun = new UnbegunTally((fires) => listeners.onUnbegun?.(fires))
    this.#care = new FireCare({
      hooks: environment.ports.hooks,
      journal,
      held: environment,
      readerOf: this.#readerOf,
      reportBug,
      now: () => this.#now(),
      onPaused: (paused) => listeners.onPaused?.(paused),
    })
    this.#starts = new FireStarts({
      queue: this.#queue,
      authority,
      care: this.#care,
      accepting: this.#accepting,
      now: () => this.#now(),
      begin: (fire) => this.#begin(fire),
      endUnbegun: (fire, result) => this.#endUnbegun(fire, result),
      onLooked: () => this.#expiry.arm(),
    })
    const { marketsOf } = environment.ports
    this.#host = { sinks: this.#sinks, authority, reportBug, marketsOf }
  }

  /** Whether another fire of this hook would be accepted now. */
  hasRoom(hookId: string): boolean {
    return !this.#draining && this.#queue.hasRoom(hookId)
  }

  /** Accepts a run and resolves when it is done; never rejects. */
  run(request: RunRequest): Promise<RunResult> {
    return new Promise((settle) => {
      const accepted = this.#terms(request, undefined, settle)
      this.#accept(accepted, () => this.#begin(accepted))
    })
  }

  /**
   * Accepts a fire: journals it, calls `answer` once the journal has it, then starts it in its turn. Its result goes to the
   * sinks. Ask `hasRoom()` first.
   */
  fire(request: RunRequest, hook: FiredHook, answer: (isAccepted: boolean) => void): void {
    const fire = this.#terms(request, hook, undefined) as AcceptedFire
    this.#queue.announce(hook)
    this.#accept(fire, (isWritten) => {
      if (!isWritten && request.key !== undefined) {
        this.#queue.withdraw(hook)
        answer(false)
        return this.#endUnbegun(fire, notBegun('refused', 'its key could not be recorded'))
      }
      answer(true)
      this.#queue.add(fire)
      this.#starts.soon()
    })
  }

  /** A fire that cannot run: the journal has it, and why, before `answer` is called. */
  refuseFire(request: RunRequest, hook: FiredHook, why: string, answer: () => void): void {
    const fire = this.#terms(request, hook, undefined) as AcceptedFire
    this.#accept(fire, () => {
      answer()
      this.#endUnbegun(fire, notBegun('refused', this.#hideTokens(why)))
    })
  }

  /** A fire of a condition that nothing takes up: the journal has it, and why, before `answer` is called. Who judges the condition reports it. */
  skipFire(request: RunRequest, hook: FiredHook, why: string, answer: () => void): void {
    const fire = this.#terms(request, hook, undefined) as AcceptedFire
    this.#accept(fire, () => {
      answer()
      this.#endUnbegun(fire, skipped(why), true)
    })
  }

  /** Whether a run under way has a step ahead that places a stop on this market. */
  placesStopAhead(runId: string, symbol: string): boolean {
    const run = this.#active.list().find((each) => each.runId === runId)
    return run?.placesStopAhead?.(symbol) ?? false
  }

  /** @returns stops the sink */
  addSink(sink: RunSink): () => void {
    return this.#sinks.add(sink)
  }

  /** What the limits of a hook are judged by. */
  hookFacts(hook: Parameters<FireCare['factsOf']>[0]): ReturnType<FireCare['factsOf']> {
    return this.#care.factsOf(hook)
  }

  onlyReduces(line: Parameters<FireCare['onlyReduces']>[0]): boolean {
    return this.#care.onlyReduces(line)
  }

  /** Running, waiting and recent runs, newest first. */
  runs(limit?: number): readonly RunSummary[] {
    return this.#history.list(limit)
  }

  counts(): { readonly running: number; readonly waiting: number } {
    return { running: this.#active.size, waiting: this.#queue.queued + this.#accepting.size }
  }

  /** Cuts runs short: what waits stops waiting, what was placed stays placed. Fires that wait for their turn are left. @returns how many there were */
  interrupt(matches: (run: RunRequest) => boolean): number {
    const beginning = this.#accepting.list().filter(({ request }) => matches(request))
    for (const next of beginning) next.cut ??= { reason: undefined }
    const runs = this.#active.list().filter((run) => matches(run.request))
    for (const run of runs) run.abort()
    return beginning.length + runs.length
  }

  /** Ends runs and waiting fires. What was placed stays placed, and is told. @param reason their `error`: `stopped: by the operator` */
  stop(matches: (run: RunRequest) => boolean, reason: string): StoppedRuns {
    const beginning = this.#accepting.list().filter(({ request }) => matches(request))
    for (const next of beginning) next.cut = { reason }
    const waiting = this.#queue.removeWhere(({ request }) => matches(request))
    for (const fire of waiting) this.#endUnbegun(fire, notBegun('stopped', reason))
    const runs = this.#active.list().filter((run) => !run.isAborted && matches(run.request))
    for (const run of runs) run.stop(reason)
    return { running: runs.length, waiting: beginning.length + waiting.length }
  }

  /** Stops what the switches, the hooks or a panic no longer let go on. Asked when one of them has changed. */
  stopRefused(): StoppedRuns {
    // Asked once of each: a switch may be turned on again while this looks.
    const why = new Map<RunTerms, string>()
    const isRefused = (run: RunTerms): boolean => {
      const reason = this.#authority.whyEnded(run.admission)
      if (reason !== undefined) why.set(run, reason)
      return reason !== undefined
    }
    const waiting = this.#queue.removeWhere(isRefused)
    for (const fire of waiting) this.#endUnbegun(fire, notBegun('stopped', why.get(fire) ?? 'stopped'))
    const runs = this.#active.list().filter((run) => !run.isAborted && !run.isSpared && isRefused(run))
    for (const run of runs) run.stop(why.get(run) ?? 'stopped')
    return { running: runs.length, waiting: waiting.length }
  }

  /** The run turns a switch off: its step goes on, and none begins after it. */
  spare(runId: string): void {
    for (const run of this.#active.list()) if (run.runId === runId) run.isSpared = true
  }

  /** For the panic that is on: ends all but the run that said so, and what was typed since. */
  panic(requestedIn: string): StoppedRuns {
    for (const { runId, admission } of this.#active.list()) if (runId === requestedIn) this.#authority.spare(admission)
    return this.stopRefused()
  }

  /** Refuses new fires, gives accepted runs up to `graceMs`, then aborts what is left. Fires never started stay in the journal. */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true
    if (!this.#isIdle()) await this.#idle(graceMs)
    this.#expiry.stop()
    this.#unbegun.flush()
  }

  async #idle(graceMs: number): Promise<void> {
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve
    })
    const abort = setTimeout(() => {
      this.#queue.removeWhere(() => true)
      for (const run of this.#active.list()) run.abort()
      if (this.#isIdle()) this.#onIdle?.()
    }, graceMs)
    const giveUp = setTimeout(() => this.#onIdle?.(), graceMs + 500)
    await idle
    clearTimeout(abort)
    clearTimeout(giveUp)
  }

  #accept(accepted: Accepted, written: (isWritten: boolean) => void): void {
    this.#accepting.add(accepted)
    accepted.journalled = this.#journal.start(
      accepted.kept,
      accepted.accountName,
      (isWritten) => {
        this.#accepting.remove(accepted)
        written(isWritten)
      },
      accepted.acceptedAt.wallMs,
    )
  }

  /** Settled now, whenever it begins. */
  #terms(request: RunRequest, hook: FiredHook | undefined, settle: Accepted['settle']): Accepted {
    const { focus } = this.#environment.ports
    const accountName = request.account ?? focus.account()
    const now = this.#now()
    const { source } = request
    const command = this.#hideTokens(request.command)
    const kept = command === request.command ? request : { ...request, command }
    const symbol = request.symbol ?? focus.symbol()
    const { runId, clientId, pageOrigin, proposal } = request
    const admission = this.#authority.admit({
      source,
      runId,
      account: accountName,
      clientId,
      pageOrigin,
      proposal,
      hook,
    })
    const remembered = this.#history.accepted(kept, accountName, now.wallMs)
    return accept({ request, accountName, symbol, admission }, { kept, hook, acceptedAt: now, settle, remembered })
  }

  #begin(accepted: Accepted): void {
    const { request, remembered, cut } = accepted
    const run = new ActiveRun(accepted, this.#host)
    if (cut?.reason !== undefined) run.stop(cut.reason)
    else if (cut !== undefined) run.abort()
    this.#active.add(run)
    this.#history.started(remembered)
    for (const sink of this.#sinks.all) sink.started?.(request, accepted.acceptedAt.wallMs)
    const ended = executeLine(request.command, this.#readerOf(request), { run, environment: this.#environment })
    if (typeof ended === 'boolean') this.#finish(run, accepted)
    else void ended.then(() => this.#finish(run, accepted))
  }

  #finish(run: ActiveRun, accepted: Accepted): void {
    const { request, settle, remembered, journalled, hook, acceptedAt } = accepted
    const result = run.end()
    this.#active.remove(run)
    if (hook) this.#queue.ended(hook.id)
    const kept = this.#keptOf(result)
    const full = run.outcomeOf(result)
    const outcome = full === undefined ? undefined : this.#hideTokens(full)
    const end = { acceptedAt: acceptedAt.wallMs, endedAt: this.#environment.clock.now(), outcome }
    if (journalled) this.#journal.done(journalled, kept, end)
    if (hook) this.#care.ended(accepted as AcceptedFire, result)
    this.#history.done(remembered, kept, end)
    for (const sink of this.#sinks.all) sink.done?.(request, result, end)
    settle?.(result)
    this.#starts.all()
    if (this.#isIdle()) this.#onIdle?.()
  }

  #keptOf(result: RunResult): RunResult {
    if (result.declined === true) return { success: true, declined: true }
    return result.error === undefined ? result : { ...result, error: this.#hideTokens(result.error) }
  }

  #hideTokens(text: string): string {
    return hideTokens(text, (candidate) => this.#environment.ports.hooks.isSecret(candidate))
  }

  #endUnbegun(
    { request, remembered, journalled, hook, acceptedAt }: AcceptedFire,
    result: RunResult,
    isReported = request.isByHand === true,
  ): void {
    const end = { acceptedAt: acceptedAt.wallMs, endedAt: this.#environment.clock.now() }
    if (journalled) this.#journal.done(journalled, result, end)
    this.#history.done(remembered, result, end)
    for (const sink of this.#sinks.all) sink.unbegun?.(request, result, end)
    if (!isReported) this.#unbegun.count(hook.name, result)
    if (this.#isIdle()) this.#onIdle?.()
  }

  #now(): Moment {
    return { monotonicMs: this.#steadyMs(), wallMs: this.#environment.clock.now() }
  }

  #isIdle(): boolean {
    return this.#active.size === 0 && this.#queue.queued + this.#accepting.size === 0
  }
}

// Fires that ended without running, for the operator: a burst of them is told at once, not one by one.

export interface UnbegunFires {
  /** As their runs' `error`. */
  readonly error: string
  /** What kept them; absent: hookline is at its end. */
  readonly unbegun?: Unbegun
  /** How many of each hook, by its name. */
  readonly counts: ReadonlyMap<string, number>
}

/** From the first of a burst to when it is told. */
const BURST_MS = 250

class UnbegunTally {
  readonly #report: (fires: UnbegunFires) => void
  readonly #byError = new Map<string, { readonly unbegun: Unbegun | undefined; readonly counts: Map<string, number> }>()
  #timer: NodeJS.Timeout | undefined

  constructor(listeners: (fires: UnbegunFires) => void) {
    this.#report = listeners
  }

  count(hookName: string, { error = '', unbegun }: RunResult): void {
    const burst = this.#byError.get(error) ?? { unbegun, counts: new Map<string, number>() }
    burst.counts.set(hookName, (burst.counts.get(hookName) ?? 0) + 1)
    this.#byError.set(error, burst)
    this.#timer ??= setTimeout(() => this.flush(), BURST_MS).unref()
  }

  /** Tells now what has not been told. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const bursts = [...this.#byError]
    this.#byError.clear()
    for (const [error, { unbegun, counts }] of bursts) this.#report({ error, counts, ...(unbegun && { unbegun }) })
  }
}
