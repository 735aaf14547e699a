// A disk of a scenario's own that can be filled to its last byte or made read-only: a file system in memory. Mounting needs rights
// that root has.
import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, closeSync, existsSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import type { Finding } from './scenario.ts'

export interface SmallDisk {
  readonly directory: string
  /** Leaves no byte to write, neither in a new page nor in the last page of these files. */
  fill(files: readonly string[]): void
  /** Makes room again. */
  free(): void
  /** Only while nobody has a file open for writing. */
  makeReadOnly(readOnly: boolean): void
}

export const NO_DISK: Finding = { got: 'nothing: no disk', holds: false, short: 'mounting is not permitted here' }

/** 512 KiB. @returns undefined where mounting is not permitted */
export function mountSmallDisk(): SmallDisk | undefined {
  const directory = tempDirectory()
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=512k,mode=700', 'tmpfs', directory])
  if (mounted.status !== 0) return undefined
  onTestFinished(() => void execFileSync('umount', ['-l', directory]))
  const ballast = join(directory, 'ballast')
  return {
    directory,
    fill(files) {
      const handle = openSync(ballast, 'w')
      for (const bytes of [4_096, 1]) untilFull(() => writeSync(handle, Buffer.alloc(bytes)))
      closeSync(handle)
      for (const file of files) {
        const path = join(directory, file)
        if (existsSync(path)) untilFull(() => appendFileSync(path, '\n'))
      }
    },
    free: () => unlinkSync(ballast),
    makeReadOnly: (readOnly) => void execFileSync('mount', ['-o', `remount,${readOnly ? 'ro' : 'rw'}`, directory]),
  }
}

function untilFull(write: () => void): void {
  try {
    for (;;) write()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
