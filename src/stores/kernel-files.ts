// Which process wrote a line, in a way that a pid which has come round again does not look alive.
import { type BigIntStats, fstatSync, readFileSync, readlinkSync } from 'node:fs'
import { open } from 'node:fs/promises'

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

let place: string | undefined

/**
 * Where a pid of ours means something: one boot of one machine, and one space of pids in it (a container has its own). Empty where the system does
 * not tell.
 */
export function ownPlace(): string {
  place ??= findPlace()
  return place
}

function findPlace(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return ''
  }
}

/**
 * Whether that very process still runs. Where the system does not tell when a process started, the pid alone decides. One that has ended and
 * whose parent has not asked how (a zombie) is dead, though it still has its pid: in a container that may be so for good.
 */
export function isAlive({ pid, born }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const now = statusOf(pid)
  if (now.state === 'Z' || now.state === 'X') return false
  return born === undefined || now.born === undefined || born === now.born
}

function identityOf(pid: number): ProcessIdentity {
  const { born } = statusOf(pid)
  return born === undefined ? { pid } : { pid, born }
}

/** Fields 3 and 22 of `/proc/<pid>/stat` (proc(5)); the second field is a name in parentheses that may hold anything. */
function statusOf(pid: number): { readonly state?: string | undefined; readonly born?: string | undefined } {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0], born: fields[19] }
  } catch {
    return {}
  }
}

// A file whose size is not known before it is read, as those of the kernel are.

const CHUNK_BYTES = 65_536

/** @returns its bytes as Latin-1; undefined: it has more than `maxBytes` @throws the system's error */
export async function readBounded(path: string, maxBytes: number): Promise<string | undefined> {
  const file = await open(path)
  try {
    const chunks: string[] = []
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    for (let length = 0; ; ) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES)
      if (bytesRead === 0) return chunks.join('')
      length += bytesRead
      if (length > maxBytes) return undefined
      chunks.push(buffer.toString('latin1', 0, bytesRead))
    }
  } finally {
    await file.close()
  }
}

// Whether what this process prints goes to the journal of systemd, which keeps a time with each line.

const STDOUT = 1

/** A child of a service has the variable too, and its output may be another: the file has to be the very one that it names. */
export function isJournal(env: NodeJS.ProcessEnv, stat: (fd: number) => BigIntStats | undefined = statOf): boolean {
  const named = env.JOURNAL_STREAM
  if (named === undefined || named === '') return false
  const found = stat(STDOUT)
  return found !== undefined && named === `${found.dev}:${found.ino}`
}

function statOf(fd: number): BigIntStats | undefined {
  try {
    return fstatSync(fd, { bigint: true })
  } catch {
    // Closed, so not the journal.
    return undefined
  }
}
