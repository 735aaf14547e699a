// The fills of one order come one by one: what they come to is looked at when they have been quiet for a moment, and not much later in any case.
import type { Clock } from '../trading/clock.ts'

/** In ms. */
export const QUIET_MS = 120
export const CEILING_MS = 500

interface BurstOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** The symbols that traded. */
  readonly onEnd: (symbols: ReadonlySet<string>) => void
  readonly onProblem: (error: unknown) => void
}

export class Burst {
  readonly #options: BurstOptions
  #symbols = new Set<string>()
  #lastAt = 0

  constructor(options: BurstOptions) {
    this.#options = options
  }

  traded(symbol: string): void {
    const isFirst = this.#symbols.size === 0
    this.#symbols.add(symbol)
    this.#lastAt = this.#options.clock.now()
    if (isFirst) this.#wait(this.#lastAt).catch(this.#options.onProblem)
  }

  async #wait(firstAt: number): Promise<void> {
    const { clock, signal, onEnd } = this.#options
    for (;;) {
      const left = Math.min(this.#lastAt + QUIET_MS, firstAt + CEILING_MS) - clock.now()
      if (left <= 0 || signal.aborted) break
      await clock.delay(left, signal)
    }
    const symbols = this.#symbols
    this.#symbols = new Set()
    if (!signal.aborted) onEnd(symbols)
  }
}
