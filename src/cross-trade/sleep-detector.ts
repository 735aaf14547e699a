// Beats once a second. A beat that comes much too late says that the machine slept, or that its clock was set: nothing known before is current.
import type { Clock } from '../trading/clock.ts'

const BEAT_MS = 1_000
/** Behaviour 42. */
const SLEEP_MS = 15_000

interface SleepDetectorOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onBeat: () => void
  readonly onSlept: (ms: number) => void
  readonly onProblem: (error: unknown) => void
}

export class SleepDetector {
  readonly #options: SleepDetectorOptions
  #beatAt: number

  constructor(options: SleepDetectorOptions) {
    this.#options = options
    this.#beatAt = options.clock.now()
  }

  begin(): void {
    this.#beatAt = this.#options.clock.now()
    this.#beat().catch(this.#options.onProblem)
  }

  /** Asked before each order: a process may wake up in the middle of one. */
  whyAsleep(): string | undefined {
    return this.#sleptMs() > SLEEP_MS ? 'the machine slept' : undefined
  }

  #sleptMs(): number {
    return Math.abs(this.#options.clock.now() - this.#beatAt)
  }

  async #beat(): Promise<void> {
    const { clock, signal, onBeat, onSlept, onProblem } = this.#options
    while (!signal.aborted) {
      await clock.delay(BEAT_MS, signal)
      if (signal.aborted) return
      const slept = this.#sleptMs()
      this.#beatAt = clock.now()
      try {
        if (slept > SLEEP_MS) onSlept(slept)
        onBeat()
      } catch (error) {
        onProblem(error)
      }
    }
  }
}
