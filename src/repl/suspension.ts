// Ctrl-Z: hookline and all that was started with it (npm, a shell script) stop, and the shell gets the terminal back. A terminal in raw
// mode leaves this to us; the system would signal the whole process group as well.

interface SuspensionPorts {
  /** Gives the terminal to the shell. */
  leave(): void
  /** Takes the terminal again, also when something else stopped and continued us. */
  restore(): void
  /** There was no shell to stop for. */
  onNotStopped(): void
}

interface Suspension {
  suspend(): void
  close(): void
}

/** The system stops us within this time, or never: without job control the signal is ignored. */
const NOTICE_MS = 200

export function createSuspension(ports: SuspensionPorts): Suspension {
  let isLeft = false
  let timer: NodeJS.Timeout | undefined
  const comeBack = () => {
    isLeft = false
    clearTimeout(timer)
    ports.restore()
  }
  const lookWhetherStopped = () => {
    if (!isLeft) return
    comeBack()
    ports.onNotStopped()
  }
  process.on('SIGCONT', comeBack)
  return {
    suspend() {
      if (isLeft || process.platform === 'win32') return
      isLeft = true
      ports.leave()
      process.kill(0, 'SIGTSTP')
      // After a stop, this is due as soon as we go on. The signal that let us go on has been handled when the immediate comes.
      timer = setTimeout(() => setImmediate(lookWhetherStopped), NOTICE_MS)
    },
    close() {
      clearTimeout(timer)
      process.off('SIGCONT', comeBack)
    },
  }
}
