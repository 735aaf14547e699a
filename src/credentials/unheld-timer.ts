// A timer that keeps no process alive.

/** @returns stops it */
export function unheldTimer(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms)
  timer.unref()
  return () => clearTimeout(timer)
}
