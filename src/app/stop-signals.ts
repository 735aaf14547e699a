/** Calls `handler` once, at the first SIGINT or SIGTERM; a second one ends the process at once. */
export function onStopSignal(handler: () => void): void {
  let asked = false
  const stop = () => {
    if (asked) process.exit(130)
    asked = true
    handler()
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}
