// Whether what this process prints goes to the journal of systemd, which keeps a time with each line.
import { type BigIntStats, fstatSync } from 'node:fs'

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
