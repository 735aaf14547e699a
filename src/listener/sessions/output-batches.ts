// Output for clients that understand batches: of one run a frame at most every 50 ms, the first line at once. A run that prints more than a
// page can show does not fill memory: its oldest lines are left out, and counted.
import { WIRE_LIMITS } from '../../protocol/frames.ts'
import type { OutputKind, RunRequest } from '../../runs/run.ts'

export interface BatchedLine {
  readonly kind: OutputKind
  readonly text: string
}

/** @param dropped so many before these */
export type DeliverBatch = (run: RunRequest, lines: readonly BatchedLine[], dropped: number) => void

/** Of the texts that wait, in UTF-16 units. */
const MAX_LENGTH = 65_536

interface Waiting {
  lines: BatchedLine[]
  length: number
  dropped: number
  readonly timer: NodeJS.Timeout
}

export class OutputBatches {
  readonly #deliver: DeliverBatch
  /** Runs that have printed within the last 50 ms. */
  readonly #waiting = new Map<RunRequest, Waiting>()

  constructor(deliver: DeliverBatch) {
    this.#deliver = deliver
  }

  add(run: RunRequest, kind: OutputKind, text: string): void {
    const waiting = this.#waiting.get(run)
    if (waiting === undefined) {
      this.#deliver(run, [{ kind, text }], 0)
      return this.#pause(run)
    }
    waiting.lines.push({ kind, text })
    waiting.length += text.length
    while (waiting.lines.length > WIRE_LIMITS.batchLines || (waiting.length > MAX_LENGTH && waiting.lines.length > 1)) {
      dropOne(waiting)
    }
  }

  /** What waits of the run goes out now: its end follows. */
  end(run: RunRequest): void {
    const waiting = this.#waiting.get(run)
    if (waiting === undefined) return
    clearTimeout(waiting.timer)
    this.#waiting.delete(run)
    this.#flush(run, waiting)
  }

  stop(): void {
    for (const { timer } of this.#waiting.values()) clearTimeout(timer)
    this.#waiting.clear()
  }

  #pause(run: RunRequest): void {
    const timer = setTimeout(() => this.#due(run), WIRE_LIMITS.batchMs).unref()
    this.#waiting.set(run, { lines: [], length: 0, dropped: 0, timer })
  }

  #due(run: RunRequest): void {
    const waiting = this.#waiting.get(run)
    this.#waiting.delete(run)
    if (waiting === undefined || waiting.lines.length === 0) return
    this.#flush(run, waiting)
    this.#pause(run)
  }

  #flush(run: RunRequest, { lines, dropped }: Waiting): void {
    if (lines.length > 0) this.#deliver(run, lines, dropped)
  }
}

/** What only tells goes before what says that something was done, or was not. */
function dropOne(waiting: Waiting): void {
  const plain = waiting.lines.findIndex(({ kind }) => kind === 'print' || kind === 'info')
  const [dropped] = waiting.lines.splice(Math.max(0, plain), 1)
  waiting.length -= dropped?.text.length ?? 0
  waiting.dropped += 1
}
