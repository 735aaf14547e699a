// No reader ever sees old content, whatever way an editor saves (behaviour 22).
import {
  closeSync,
  ftruncateSync,
  openSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { isYoung } from '../../src/stores/fresh-reader.ts'
import { openCounter } from './counter-file.ts'

const ROUNDS = 2_000

const saves: Readonly<Record<string, (path: string, text: string) => void>> = {
  'in place, same size': (path, text) => {
    const handle = openSync(path, 'r+')
    writeSync(handle, text, 0)
    closeSync(handle)
  },
  'by truncating and writing': (path, text) => {
    const handle = openSync(path, 'r+')
    ftruncateSync(handle)
    writeSync(handle, text, 0)
    closeSync(handle)
  },
  'by renaming': (path, text) => {
    writeFileSync(`${path}.new`, text)
    renameSync(`${path}.new`, path)
  },
  'by unlinking and creating': (path, text) => {
    unlinkSync(path)
    writeFileSync(path, text)
  },
  'with a backup aside': (path, text) => {
    renameSync(path, `${path}~`)
    writeFileSync(path, text)
  },
  'in place with the old modification time put back': (path, text) => {
    const { atime, mtime } = statSync(path)
    writeFileSync(path, text)
    utimesSync(path, atime, mtime)
  },
}

const contentOf = (round: number): string => `{"count":${100_000 + round}}`

test.each(Object.keys(saves))('sees each of 2 000 saves %s at once', (how) => {
  const save = saves[how]
  const file = openCounter(tempDirectory())
  writeFileSync(file.path, contentOf(0))
  file.read()
  let stale = 0
  for (let round = 1; round <= ROUNDS; round += 1) {
    save?.(file.path, contentOf(round))
    if (file.read().count !== 100_000 + round) stale += 1
  }
  expect(stale).toBe(0)
})

test('sees each of 2 000 same-size saves in the next turn of the event loop', async () => {
  const file = openCounter(tempDirectory())
  let stale = 0
  for (let round = 1; round <= ROUNDS; round += 1) {
    writeFileSync(file.path, contentOf(round))
    await nextTurn()
    if (file.readOncePerTurn().count !== 100_000 + round) stale += 1
  }
  expect(stale).toBe(0)
})

test('takes a file for known only when its change time is older than any clock tick', async () => {
  const { path } = openCounter(tempDirectory())
  writeFileSync(path, contentOf(0))
  // As an old file would look to whoever trusts the modification time.
  utimesSync(path, 0, 0)
  const stat = statSync(path, { bigint: true })
  expect(isYoung(stat)).toBe(true)
  await sleep(60)
  expect(isYoung(stat)).toBe(false)
  const fromTheFuture = { ...stat, ctimeNs: BigInt(Date.now() + 60_000) * 1_000_000n }
  expect(isYoung(fromTheFuture)).toBe(true)
})
