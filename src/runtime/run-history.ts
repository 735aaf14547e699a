// The runs of this process, for `runs`: those under way and the last ones that ended.
import type { RunSummary } from '../commands/command.ts'
import type { RunRequest, RunResult } from './run.ts'

type Entry = { -readonly [Key in keyof RunSummary]: RunSummary[Key] }

export class RunHistory {
  readonly #entries = new Map<string, Entry>()
  readonly #remembered: number

  constructor(remembered: number) {
    this.#remembered = remembered
  }

  accepted(request: RunRequest, account: string, at: number): void {
    this.#entries.set(request.runId, {
      runId: request.runId,
      source: request.source,
      ...(request.origin === undefined ? {} : { origin: request.origin }),
      command: request.command,
      account,
      startedAt: at,
      state: 'waiting',
    })
  }

  started(runId: string, at: number): void {
    const entry = this.#entries.get(runId)
    if (!entry) return
    entry.state = 'running'
    entry.startedAt = at
  }

  done(runId: string, result: RunResult, at: number): void {
    const entry = this.#entries.get(runId)
    if (!entry) return
    entry.state = result.success ? 'done' : 'failed'
    entry.finishedAt = at
    if (result.error !== undefined) entry.error = result.error
    this.#forgetOldest()
  }

  /** Newest first. */
  list(limit = this.#remembered): readonly RunSummary[] {
    return [...this.#entries.values()].slice(-limit).reverse()
  }

  /** Runs under way are never forgotten: they stay in front until they end. */
  #forgetOldest(): void {
    for (const [runId, { state }] of this.#entries) {
      if (this.#entries.size <= this.#remembered || state === 'waiting' || state === 'running') return
      this.#entries.delete(runId)
    }
  }
}
