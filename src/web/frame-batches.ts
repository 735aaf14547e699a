// Frames come faster than a screen is drawn: they are kept, and given on once per drawn frame, all together. A page that is not drawn (behind
// another tab) gets them by the clock.

export interface FramePorts {
  /** @returns takes the wish back */
  beforeDrawing(callback: () => void): () => void
  after(ms: number, callback: () => void): () => void
}

/** A page that is drawn is drawn sooner. */
const LONGEST_MS = 100

const PAGE_FRAMES: FramePorts = {
  beforeDrawing(callback) {
    const id = requestAnimationFrame(callback)
    return () => cancelAnimationFrame(id)
  },
  after(ms, callback) {
    const id = setTimeout(callback, ms)
    return () => clearTimeout(id)
  },
}

export class FrameBatches<T> {
  readonly #ports: FramePorts
  readonly #take: (batch: readonly T[]) => void
  #waiting: T[] = []
  #cancel: (() => void) | undefined

  constructor(take: (batch: readonly T[]) => void, ports: FramePorts = PAGE_FRAMES) {
    this.#take = take
    this.#ports = ports
  }

  add(item: T): void {
    this.#waiting.push(item)
    if (this.#cancel) return
    const flush = () => this.flush()
    const cancels = [this.#ports.beforeDrawing(flush), this.#ports.after(LONGEST_MS, flush)]
    this.#cancel = () => {
      for (const cancel of cancels) cancel()
    }
  }

  /** Delivers the waiting frames now, in the order of their arrival. */
  flush(): void {
    this.#cancel?.()
    this.#cancel = undefined
    if (this.#waiting.length === 0) return
    const batch = this.#waiting
    this.#waiting = []
    this.#take(batch)
  }
}
