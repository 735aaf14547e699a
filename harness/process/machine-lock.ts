// What only one test of this machine may use at a time, of whatever process. The system unlocks what an ended process has locked.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

const RETRY_MS = 50

/** Outside Linux nothing is locked: there no two test files need it at once. @returns unlocks it */
export async function lockMachine(name: 'fixed ports' | 'dist/types'): Promise<() => void> {
  if (process.platform !== 'linux') return () => {}
  const lock = createServer()
  for (;;) {
    lock.listen(`\0hookline ${name}`)
    try {
      await once(lock, 'listening')
      return () => void lock.close()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
    await pause(RETRY_MS)
  }
}
