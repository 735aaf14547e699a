// Many kernels and file systems stamp files with a coarse clock, so that two changes within one tick look alike. This
// machine's may not: here every stat is rounded down to a tick of 10 ms.
import fs, { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { expect, onTestFinished, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openCounter } from './counter-file.ts'

const TICK_NS = 10_000_000n

type Stat = typeof fs.lstatSync

/** Node's own exports change, since a worker's files share their modules: a mock would not reach a reader that is there already. */
function makeClockCoarse(): { readonly rounded: () => number } {
  const { statSync, lstatSync } = fs
  let rounded = 0
  const coarse = (stat: Stat) =>
    ((...args: Parameters<Stat>) => {
      const found = stat(...args)
      if (found === undefined || !('mtimeNs' in found)) return found
      rounded += 1
      found.mtimeNs -= found.mtimeNs % TICK_NS
      found.ctimeNs -= found.ctimeNs % TICK_NS
      return found
    }) as Stat
  const use = (stats: { readonly statSync: Stat; readonly lstatSync: Stat }) => {
    Object.assign(fs, stats)
    syncBuiltinESMExports()
  }
  use({ statSync: coarse(statSync), lstatSync: coarse(lstatSync) })
  onTestFinished(() => use({ statSync, lstatSync }))
  return { rounded: () => rounded }
}

test('sees each of 2 000 same-size saves within the ticks of a coarse clock', () => {
  const file = openCounter(tempDirectory())
  writeFileSync(file.path, '{"count":1000}')
  const handle = openSync(file.path, 'r+')
  const { rounded } = makeClockCoarse()
  let stale = 0
  for (let count = 1_001; count <= 3_000; count += 1) {
    writeSync(handle, `{"count":${count}}`, 0)
    if (file.read().count !== count) stale += 1
  }
  closeSync(handle)
  expect(stale).toBe(0)
  expect(rounded()).toBeGreaterThanOrEqual(2_000)
})
