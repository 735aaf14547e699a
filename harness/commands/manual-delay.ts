// Delays that end when a test says so.

export interface Delay {
  readonly at: number
  readonly end: () => void
}

/** Ends when it is told to, or its signal aborts. */
export function manualDelay(delays: Set<Delay>, at: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const delay: Delay = {
      at,
      end() {
        delays.delete(delay)
        signal.removeEventListener('abort', delay.end)
        resolve()
      },
    }
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', delay.end)
    delays.add(delay)
  })
}
