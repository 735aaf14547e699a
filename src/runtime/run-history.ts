// The runs of this process, for `runs`: those under way and the last ones that ended.
import type { RunEnd, RunRequest, RunResult, RunSummary } from '../runs/run.ts'
import { Fifo, type Placed, UnorderedSet } from './collections.ts'

/** A run as the history knows it; the runner hands it back at every step of the run's life. */
export type HistoryEntry = { -readonly [Key in keyof RunSummary]: RunSummary[Key] } & Placed & { order: number }

export class RunHistory {
  readonly #underWay = new UnorderedSet<HistoryEntry>()
  readonly #ended = new Fifo<HistoryEntry>()
  readonly #remembered: number
  /** Of acceptances: the clock may be set back between two of them. */
  #lastOrder = 0

  /** @param remembered how many ended runs are kept */
  constructor(remembered: number) {
    this.#remembered = remembered
  }

  accepted(
    { runId, source, origin, hookId, command, trigger, values }: RunRequest,
    account: string,
    at: number,
  ): HistoryEntry {
    const entry: HistoryEntry = {
      runId,
      source,
      command,
      account,
      startedAt: at,
      state: 'waiting',
      place: 0,
      order: ++this.#lastOrder,
    }
    if (origin !== undefined) entry.origin = origin
    if (hookId !== undefined) entry.hookId = hookId
    if (trigger !== undefined) entry.trigger = trigger
    if (values !== undefined) entry.values = values
    this.#underWay.add(entry)
    return entry
  }

  started(entry: HistoryEntry): void {
    entry.state = 'running'
  }

  done(entry: HistoryEntry, result: RunResult, { endedAt, outcome }: Omit<RunEnd, 'acceptedAt'>): void {
    entry.state = result.success ? 'done' : 'failed'
    entry.finishedAt = endedAt
    if (result.error !== undefined) entry.error = result.error
    if (outcome !== undefined) entry.outcome = outcome
    if (result.warned !== undefined) entry.warned = result.warned
    if (result.declined !== undefined) entry.declined = result.declined
    if (result.unbegun !== undefined) entry.unbegun = result.unbegun
    this.#underWay.remove(entry)
    this.#ended.add(entry)
    if (this.#ended.length > this.#remembered) this.#ended.take()
  }

  /** Newest first. */
  list(limit = Number.POSITIVE_INFINITY): readonly RunSummary[] {
    const entries = [...this.#ended.list(), ...this.#underWay.list()].reverse()
    return entries.sort((a, b) => b.order - a.order).slice(0, limit)
  }
}
