// What a hook's limits, its pauses and its failures do to its fires (behaviour 47): asked as a fire begins, told as one ends.
import { onlyReduces } from '../commands/kit/effects.ts'
import { CommandError, describeRefusal, isRefusal } from '../commands/kit/errors.ts'
import { whyNotFresh } from '../hooks/alert.ts'
import { type FireFacts, isCounted, type Skip, whyNotOnlyIf, whySkipped } from '../hooks/fire-limits.ts'
import type { RunRequest, RunResult } from '../runs/run.ts'
import { type Hook, type HookCare, type HookPause, type HookStore, MAX_FAILURES } from '../stores/hooks.ts'
import { FireBudget } from '../trading/fire-budget.ts'
import type { AcceptedFire } from './active-run.ts'
import type { createLineReader } from './execute-chain.ts'
import type { Moment } from './fire-queue.ts'
import { type HeldPorts, heldNow } from './held-now.ts'
import type { RunJournal } from './run-journal.ts'

/** A hook that was paused by what its runs did. */
export interface PausedHook {
  readonly hook: Pick<Hook, 'id' | 'name'>
  readonly pause: HookPause
  /** It holds in this process; hooks.json does not have it. */
  readonly unkept?: unknown
}

interface FireCareOptions {
  readonly hooks: Pick<HookStore, 'findOncePerTurn' | 'edit'>
  readonly journal: Pick<RunJournal, 'fires' | 'isFailing' | 'readOthers' | 'runnerBefore'>
  readonly held: HeldPorts
  readonly readerOf: ReturnType<typeof createLineReader>
  readonly now: () => Moment
  readonly onPaused: (paused: PausedHook) => void
  readonly reportBug: (error: unknown) => void
}

/** A venue that does not answer must not hold the hook up. */
const HELD_WITHIN_MS = 5_000

export class FireCare {
  readonly #options: FireCareOptions

  constructor(options: FireCareOptions) {
    this.#options = options
  }

  /** Why it does not run, as far as that is known without asking a venue. */
  look({ hook: { id }, request }: AcceptedFire): RunResult | undefined {
    const { hooks, journal, now } = this.#options
    const { sent } = request
    const old = sent && whyNotFresh(sent, now().wallMs)
    if (old !== undefined) return skipped(old)
    const row = hooks.findOncePerTurn(id)
    if (row === undefined) return undefined
    const { limits, paused } = row
    if (limits === undefined && paused === undefined && (journal.fires.known(id)?.failures ?? 0) < MAX_FAILURES) {
      return undefined
    }
    // The process that judges its condition need not be the one that answers POSTs. Each has written its fire before it looks: of two at the same
    // moment both see the other, and the limit holds.
    if (row.when !== undefined && isCounted(row)) journal.readOthers()
    const skip = this.#notCounted(row) ?? whySkipped(row, this.factsOf(row), () => this.onlyReduces(request))
    return skip && skipped(skip.why)
  }

  /** Asks the venue where the hook runs only from one position. @returns undefined: there is nothing to ask. Never rejects. */
  ask(fire: AcceptedFire): Promise<RunResult | undefined> | undefined {
    const { hooks, journal } = this.#options
    const { limits, when } = hooks.findOncePerTurn(fire.hook.id) ?? {}
    const onlyIf = limits?.onlyIf
    if (onlyIf === undefined) return undefined
    // The process that judges its condition need not be the one that answers POSTs: both would see the position as it was.
    const other = when && journal.runnerBefore(fire.hook.id, fire.request.runId)
    if (other !== undefined) {
      return Promise.resolve(skipped(`another hookline runs it, pid ${other.pid}`))
    }
    return this.#heldBy(fire).then(
      (held) => {
        const skip = whyNotOnlyIf(onlyIf, held)
        return skip && skipped(skip.why)
      },
      (error: unknown) => {
        if (!isRefusal(error)) this.#options.reportBug(error)
        const why = isRefusal(error) ? describeRefusal(error) : 'internal error; see hookline.log'
        return skipped(`the position is unknown: ${why}`)
      },
    )
  }

  /** It runs from now on, and counts. */
  begin(fire: AcceptedFire): void {
    const { hook, request, journalled } = fire
    const { id } = hook
    const { hooks, journal, now } = this.#options
    const at = journal.fires.steady(now())
    if (journalled !== undefined) journalled.begun = at
    const { runId, resumed = 0 } = request
    journal.fires.began(id, { runId, at, resumed, file: journalled?.file ?? 0 })
    const row = hooks.findOncePerTurn(id)
    if (row?.limits === undefined) return
    if (row.limits.max !== undefined) fire.budget = new FireBudget(row.limits.max)
    if (row.limits.once === true) this.#pause(row, { by: 'once', why: 'its one run is used up' })
  }

  ended({ hook: { id }, request }: AcceptedFire, result: RunResult): void {
    const { hooks, journal } = this.#options
    if (journal.fires.ended(id, request.resumed ?? 0, result) < MAX_FAILURES) return
    const row = hooks.findOncePerTurn(id)
    if (row !== undefined) this.#pause(row, { by: 'failures', why: `its last ${MAX_FAILURES} runs failed` })
  }

  /** What its limits are judged by. */
  factsOf(hook: Pick<Hook, 'id'> & HookCare): FireFacts {
    const { journal, now } = this.#options
    const { fires } = journal
    const record = isCounted(hook) ? fires.of(hook.id) : fires.known(hook.id)
    const moment = now()
    const isSame = record !== undefined && record.resumed === (hook.resumed ?? 0)
    return {
      begun: record?.begun ?? [],
      failures: isSame ? record.failures : 0,
      steadyMs: fires.steady(moment),
      wallMs: moment.wallMs,
    }
  }

  /** With the values of its alert. */
  onlyReduces(line: Pick<RunRequest, 'command' | 'values'>): boolean {
    const { held, readerOf } = this.#options
    try {
      return onlyReduces(readerOf(line)(line.command), { lookup: held.lookup, aliases: held.ports.aliases.read() })
    } catch (error) {
      // Its run would tell what is wrong with it.
      if (!isRefusal(error)) throw error
      return false
    }
  }

  /** What cannot be written down is not counted after a crash. */
  #notCounted(hook: HookCare): Skip | undefined {
    if (!isCounted(hook) || !this.#options.journal.isFailing()) return undefined
    return { code: 'not-counted', why: 'runs.jsonl cannot be written, so that its runs cannot be counted' }
  }

  #heldBy({ request, accountName, symbol }: AcceptedFire) {
    const { held, readerOf } = this.#options
    const asked = Promise.resolve().then(() => {
      const chain = readerOf(request)(request.command)
      return heldNow(held, { account: accountName, chain, focus: symbol, hookId: request.hookId })
    })
    return withinTime(asked)
  }

  /** Holds in this process by what was counted; in the file for all others, and for people. */
  #pause(row: Hook, why: Pick<HookPause, 'by' | 'why'>): void {
    const { hooks, now, onPaused } = this.#options
    const pause: HookPause = { since: now().wallMs, ...why }
    let isNew = false
    const edit = hooks.edit(row.id, (current) => {
      isNew = current.paused === undefined && current.resumed === row.resumed
      return isNew ? { paused: pause } : undefined
    })
    edit.then(
      () => isNew && onPaused({ hook: row, pause }),
      (unkept: unknown) => onPaused({ hook: row, pause, unkept }),
    )
  }
}

export function skipped(why: string): RunResult {
  return { success: false, error: `${SKIPPED}${why}`, unbegun: 'skipped' }
}

const SKIPPED = 'skipped: '

/** Of a fire that never began; of a limit, the limit alone. */
export function whyUnbegun({ error = 'stopped', unbegun }: Pick<RunResult, 'error' | 'unbegun'>): string {
  return unbegun === 'skipped' ? error.slice(SKIPPED.length) : error
}

function tooSlow(): CommandError {
  return new CommandError('not-known', `the venue did not answer within ${HELD_WITHIN_MS / 1_000} s`)
}

function withinTime<T>(asked: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooSlow()), HELD_WITHIN_MS)
    timer.unref()
    asked.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
