interface Delay {
  readonly at: number
  readonly end: () => void
}

/** The market's clock, which may jump beside, as when a machine sleeps. Delays end when they are told to look at it. */
export function jumpingClock({ now }: { now(): number }) {
  const delays = new Set<Delay>()
  let jumped = 0
  const clock = {
    now: () => now() + jumped,
    delay: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const end = () => {
          delays.delete(delay)
          signal.removeEventListener('abort', end)
          resolve()
        }
        const delay: Delay = { at: clock.now() + ms, end }
        if (signal.aborted) return resolve()
        signal.addEventListener('abort', end)
        delays.add(delay)
      }),
    endDelays() {
      for (const delay of [...delays]) if (delay.at <= clock.now()) delay.end()
    },
    jump(ms: number) {
      jumped += ms
    },
  }
  return clock
}
