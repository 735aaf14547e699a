import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { withFileLock } from '../../src/stores/file-lock.ts'
import { bundleChild, startChild } from './child-program.ts'
import { increment, openCounter } from './counter-file.ts'

function leaveDeadLock(path: string, agoSeconds = 6): void {
  mkdirSync(path)
  setAge(path, agoSeconds)
}

function setAge(path: string, agoSeconds: number): void {
  const longAgo = Date.now() / 1_000 - agoSeconds
  utimesSync(path, longAgo, longAgo)
}

/** Counts up once per message, and answers with what came of it. */
const counting = `
  import { join } from 'node:path'
  import { createJsonFile } from './json-file.ts'
  const path = join(process.argv[2], 'counter.json')
  const file = createJsonFile({ path, parse: (value) => value, defaults: { count: 0 } })
  const next = ({ count }) => ({ count: count + 1 })
  process.on('message', () => {
    file.update(next).then(() => process.send('counted'), (error) => process.send(error.message))
  })
  process.send('ready')
`

test('takes over at once the lock of a process that was killed', async () => {
  const file = openCounter(tempDirectory())
  leaveDeadLock(`${file.path}.lock`)
  const started = performance.now()
  await file.update(increment)
  // It would be stale after five seconds.
  expect(performance.now() - started).toBeLessThan(4_500)
  expect(existsSync(`${file.path}.lock`)).toBe(false)
})

test('takes over at once a dead lock that seems to be from the future, since the clock was set back', async () => {
  const file = openCounter(tempDirectory())
  leaveDeadLock(`${file.path}.lock`, -3_600)
  const started = performance.now()
  await file.update(increment)
  expect(performance.now() - started).toBeLessThan(4_500)
})

test('names a file that another program has put into a dead lock, and what to remove', async () => {
  const file = openCounter(tempDirectory())
  const lock = `${file.path}.lock`
  leaveDeadLock(lock)
  writeFileSync(join(lock, '.sync'), '')
  setAge(lock, 6)
  const started = performance.now()
  await expect(file.update(increment)).rejects.toMatchObject({
    code: 'store-locked',
    message: expect.stringContaining('.sync'),
    hint: `remove the directory ${lock}`,
  })
  expect(performance.now() - started).toBeLessThan(4_500)
  expect(readdirSync(lock)).toEqual(['.sync'])
})

test('lets every process write when several find the lock of a dead one at once', { timeout: 60_000 }, async () => {
  const directory = tempDirectory()
  const file = openCounter(directory)
  const program = await bundleChild(tempDirectory(), counting)
  const writers = Array.from({ length: 4 }, () =>
    startChild(program, [directory], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
  )
  onTestFinished(() => {
    for (const writer of writers) writer.kill()
  })
  await Promise.all(writers.map((writer) => once(writer, 'message')))
  const rounds = 25
  for (let round = 0; round < rounds; round++) {
    leaveDeadLock(`${file.path}.lock`)
    const answers = Promise.all(writers.map((writer) => once(writer, 'message')))
    for (const writer of writers) writer.send('count')
    expect((await answers).flat().filter((answer) => typeof answer === 'string')).toEqual(Array(4).fill('counted'))
  }
  expect(file.read()).toEqual({ count: 4 * rounds })
  expect(readdirSync(directory)).toEqual(['counter.json'])
})

test('removes the mark of a process that was killed while it removed such a lock', async () => {
  const directory = tempDirectory()
  const file = openCounter(directory)
  leaveDeadLock(`${file.path}.lock`)
  leaveDeadLock(`${file.path}.lock.removing`)
  await file.update(increment)
  expect(readdirSync(directory)).toEqual(['counter.json'])
})

test('gives up after ten seconds and says which file is held', async () => {
  const directory = tempDirectory()
  const file = openCounter(directory)
  await withFileLock(file.path, async () => {
    await expect(openCounter(directory).update(increment)).rejects.toMatchObject({
      code: 'store-locked',
      message: 'counter.json is being written by another process',
      hint: expect.stringContaining(`${file.path}.lock`),
    })
  })
  await expect(file.update(increment)).resolves.toEqual({ count: 1 })
})

test('tells its holder, and nobody else, when it was lost', async () => {
  const { path } = openCounter(tempDirectory())
  await withFileLock(path, async (lock) => {
    expect(() => lock.assertHeld()).not.toThrow()
    rmdirSync(`${path}.lock`)
    const lost = (): boolean => {
      try {
        lock.assertHeld()
        return false
      } catch (error) {
        expect(error).toMatchObject({ code: 'store-locked' })
        return true
      }
    }
    await vi.waitUntil(lost, { timeout: 30_000 })
  })
})
