// Many kernels and file systems stamp files with a coarse clock, so that two changes within one tick look alike. This
// machine's may not: here every stat is rounded down to a tick of 10 ms.
import { type BigIntStats, closeSync, openSync, type PathLike, type Stats, writeFileSync, writeSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openCounter } from './counter-file.ts'

const rounded = vi.hoisted(() => ({ stats: 0 }))

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>()
  const tickNs = 10_000_000n
  const coarse =
    (look: (path: PathLike, options?: { bigint: true }) => BigIntStats | Stats | undefined) =>
    (path: PathLike, options?: { bigint: true }) => {
      const stat = look(path, options)
      if (stat === undefined || !('mtimeNs' in stat)) return stat
      rounded.stats += 1
      stat.mtimeNs -= stat.mtimeNs % tickNs
      stat.ctimeNs -= stat.ctimeNs % tickNs
      return stat
    }
  return { ...fs, statSync: coarse(fs.statSync), lstatSync: coarse(fs.lstatSync) }
})

test('sees each of 2 000 same-size saves within the ticks of a coarse clock', () => {
  const file = openCounter(tempDirectory())
  writeFileSync(file.path, '{"count":1000}')
  const handle = openSync(file.path, 'r+')
  const before = rounded.stats
  let stale = 0
  for (let count = 1_001; count <= 3_000; count += 1) {
    writeSync(handle, `{"count":${count}}`, 0)
    if (file.read().count !== count) stale += 1
  }
  closeSync(handle)
  expect(stale).toBe(0)
  expect(rounded.stats - before).toBeGreaterThanOrEqual(2_000)
})
