// Timers of the streams, over one injected clock: none of them keeps the process alive, and all end with the streams.

export interface StreamTimers {
  /** Calls `act` once after `ms`. @returns calls it off */
  after(ms: number, act: () => void): () => void
  every(ms: number, act: () => void): () => void
  /** Resolves after `ms`, or when the timers end. */
  delay(ms: number): Promise<void>
  /** How many are under way. */
  readonly size: number
  end(): void
}

/** @param every calls `tick` every `ms` until what it returns is called */
export function createStreamTimers(every: (ms: number, tick: () => void) => () => void): StreamTimers {
  /** Each ends one, and says so where somebody waits. */
  const ends = new Set<() => void>()

  function start(ms: number, act: () => void, isOnce: boolean, onEnd = () => {}): () => void {
    const stop = every(Math.max(ms, 1), () => {
      if (isOnce) end()
      act()
    })
    const end = (): void => {
      if (!ends.delete(end)) return
      stop()
      onEnd()
    }
    ends.add(end)
    return end
  }

  return {
    after: (ms, act) => start(ms, act, true),
    every: (ms, act) => start(ms, act, false),
    delay: (ms) => new Promise((resolve) => void start(ms, () => {}, true, resolve)),
    get size() {
      return ends.size
    },
    end() {
      for (const end of [...ends]) end()
    },
  }
}
