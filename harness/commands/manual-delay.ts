// Delays of a clock that a test moves.

export interface Delay {
  readonly at: number
  readonly end: () => void
}

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
