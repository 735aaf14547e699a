// What a test writes need not survive the machine: a sync costs nothing where files are in memory, and on a busy disk it costs 20 ms.
import { readFileSync, statfsSync } from 'node:fs'

const IN_MEMORY = '/dev/shm'
/** A container's default is 64 MiB. */
const ENOUGH_BYTES = 2 ** 30

/** Programs of tests are run from there too. */
function hasRoom(): boolean {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .find(([, place]) => place === IN_MEMORY)
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    return mount !== undefined && !mount[3]?.split(',').includes('noexec') && bavail * bsize >= ENOUGH_BYTES
  } catch {
    // Not on this system: the files are where all temporary ones are.
    return false
  }
}

if (hasRoom()) process.env.TMPDIR = IN_MEMORY
