import { existsSync, mkdirSync, rmdirSync, utimesSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { withFileLock } from '../../src/stores/file-lock.ts'
import { increment, openCounter } from './counter-file.ts'
import { temporaryDirectory } from './temporary-directory.ts'

test('takes over at once the lock of a process that was killed', async () => {
  const file = openCounter(temporaryDirectory())
  mkdirSync(`${file.path}.lock`)
  const longAgo = Date.now() / 1_000 - 6
  utimesSync(`${file.path}.lock`, longAgo, longAgo)
  const started = performance.now()
  await file.update(increment)
  expect(performance.now() - started).toBeLessThan(2_000)
  expect(existsSync(`${file.path}.lock`)).toBe(false)
})

test('gives up after ten seconds and says which file is held', async () => {
  const directory = temporaryDirectory()
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
  const { path } = openCounter(temporaryDirectory())
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
    await vi.waitUntil(lost, { timeout: 10_000 })
  })
})
