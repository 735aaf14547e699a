import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { GRACE_MS } from '../../src/stores/fresh-reader.ts'
import { bundleChild, runChild } from './child-program.ts'
import { increment, openCounter } from './counter-file.ts'

/** More than the second between two looks. */
const OUTWAITED_MS = 1_300
/** For ten changes, each made once the one before was seen: half of what looks alone would need. */
const QUICK_MS = 5_000

function watched() {
  const directory = tempDirectory()
  const file = openCounter(directory)
  writeFileSync(file.path, '{"count":1}')
  const seen: number[] = []
  const stop = file.watch(() => seen.push(file.read().count))
  onTestFinished(stop)
  return { directory, file, seen, stop }
}

const until = (condition: () => boolean): Promise<unknown> => vi.waitUntil(condition, { timeout: 30_000, interval: 5 })

test('calls after a change by an editor, a rename and an update, each time with the new content', async () => {
  const { file, seen } = watched()
  writeFileSync(file.path, '{"count":2}')
  await until(() => seen.at(-1) === 2)
  writeFileSync(`${file.path}.new`, '{"count":3}')
  renameSync(`${file.path}.new`, file.path)
  await until(() => seen.at(-1) === 3)
  await file.update(increment)
  await until(() => seen.at(-1) === 4)
  expect(seen).toEqual([2, 3, 4])
})

test('is quick: it does not wait for the next look', async () => {
  const { file, seen } = watched()
  const started = performance.now()
  for (let count = 2; count < 12; count += 1) {
    writeFileSync(file.path, `{"count":${count}}`)
    await until(() => seen.at(-1) === count)
  }
  expect(performance.now() - started).toBeLessThan(QUICK_MS)
})

test('calls although a reader saw the change first', async () => {
  const { file, seen } = watched()
  writeFileSync(file.path, '{"count":2}')
  expect(file.read().count).toBe(2)
  await until(() => seen.length === 1)
})

test('calls when the file becomes invalid and when it is fixed', async () => {
  const { file } = watched()
  const problems: (string | undefined)[] = []
  onTestFinished(file.watch(() => problems.push(file.problem()?.message)))
  writeFileSync(file.path, '{"count":}')
  await until(() => problems.length === 1)
  writeFileSync(file.path, '{"count":1}')
  await until(() => problems.length === 2)
  expect(problems).toEqual(['is not JSON: value expected', undefined])
})

test('calls when the file has been gone for good, not while it may come back', async () => {
  const { file, seen } = watched()
  unlinkSync(file.path)
  await sleep(GRACE_MS / 2)
  expect(seen).toEqual([])
  await until(() => seen.at(-1) === 0)
  expect(seen).toEqual([0])
})

test('stays silent without a change, for other files, and once stopped', async () => {
  const { directory, file, seen, stop } = watched()
  await sleep(60)
  utimesSync(directory, 1, 1)
  writeFileSync(join(directory, 'other.json'), '{}')
  mkdirSync(`${file.path}.lock`)
  await sleep(OUTWAITED_MS)
  stop()
  writeFileSync(file.path, '{"count":2}')
  await sleep(OUTWAITED_MS)
  expect(seen).toEqual([])
})

test('sees a linked file change, of which the directory tells nothing', async () => {
  const directory = tempDirectory()
  const elsewhere = join(directory, 'dotfiles', 'mine.json')
  mkdirSync(join(directory, 'dotfiles'))
  const file = openCounter(directory)
  writeFileSync(elsewhere, '{"count":1}')
  symlinkSync(elsewhere, file.path)
  const seen: number[] = []
  onTestFinished(file.watch(() => seen.push(file.read().count)))
  writeFileSync(elsewhere, '{"count":2}')
  await until(() => seen.at(-1) === 2)
})

test('survives its directory being removed and made anew', async () => {
  const { directory, file, seen } = watched()
  rmSync(directory, { recursive: true })
  await sleep(OUTWAITED_MS)
  mkdirSync(directory)
  writeFileSync(file.path, '{"count":2}')
  await until(() => seen.at(-1) === 2)
  await sleep(OUTWAITED_MS)
  const started = performance.now()
  for (let count = 3; count < 13; count += 1) {
    writeFileSync(file.path, `{"count":${count}}`)
    await until(() => seen.at(-1) === count)
  }
  expect(performance.now() - started).toBeLessThan(QUICK_MS)
})

test('begins before there is a directory', async () => {
  const directory = join(tempDirectory(), 'later')
  const file = openCounter(directory)
  const seen: number[] = []
  onTestFinished(file.watch(() => seen.push(file.read().count)))
  mkdirSync(directory)
  writeFileSync(file.path, '{"count":2}')
  await until(() => seen.at(-1) === 2)
})

test('keeps no process alive', async () => {
  const directory = tempDirectory()
  const program = await bundleChild(
    directory,
    `import { openConfigStore } from './config.ts'
     openConfigStore(process.argv[2]).watch(() => {})
     console.log('watching')`,
  )
  await expect(runChild(program, [directory])).resolves.toBe('watching\n')
})
