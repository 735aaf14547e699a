// Which process wrote a line, in a way that a pid which has come round again does not look alive.
import { readFileSync } from 'node:fs'

export interface ProcessIdentity {
  readonly pid: number
  /** When the process started, in the system's own count; known on Linux only. */
  readonly born?: string
}

let own: ProcessIdentity | undefined

export function ownIdentity(): ProcessIdentity {
  own ??= identityOf(process.pid)
  return own
}

/** Whether that very process still runs. Where the system does not tell when a process started, the pid alone decides. */
export function isAlive({ pid, born }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const now = identityOf(pid)
  return born === undefined || now.born === undefined || born === now.born
}

/** Field 22 of `/proc/<pid>/stat` (proc(5)); the second field is a name in parentheses that may hold anything. */
function identityOf(pid: number): ProcessIdentity {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const born = text.slice(text.lastIndexOf(')') + 2).split(' ')[19]
    return born === undefined ? { pid } : { pid, born }
  } catch {
    return { pid }
  }
}
