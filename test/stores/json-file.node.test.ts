import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { GRACE_MS } from '../../src/stores/fresh-reader.ts'
import { increment, noCount, openCounter } from './counter-file.ts'

function counter() {
  const directory = tempDirectory()
  const file = openCounter(directory)
  return { directory, file, write: (text: string) => writeFileSync(file.path, text) }
}

describe('reading', () => {
  test('serves the defaults where there is no file, and writes none', () => {
    const { directory, file } = counter()
    expect(file.read()).toBe(noCount)
    expect(file.problem()).toBeUndefined()
    expect(file.doubt()).toBeUndefined()
    expect(readdirSync(directory)).toEqual([])
  })

  test('gives the same reference until the content changes', async () => {
    const { file, write } = counter()
    write('{"count":1}')
    const first = file.read()
    expect(file.read()).toBe(first)
    await sleep(60)
    expect(file.read()).toBe(first)
    expect(file.read()).toBe(first)
    write('{"count":2}')
    expect(file.read()).toEqual({ count: 2 })
  })

  test('accepts a byte order mark', () => {
    const { file, write } = counter()
    write('\uFEFF{"count":3}')
    expect(file.read().count).toBe(3)
  })

  test('shares one look within a turn and looks again in the next', async () => {
    const { file, write } = counter()
    write('{"count":1}')
    expect(file.readOncePerTurn().count).toBe(1)
    write('{"count":2}')
    expect(file.readOncePerTurn().count).toBe(1)
    await nextTurn()
    expect(file.readOncePerTurn().count).toBe(2)
  })

  test('shows an update of this process within the same turn, through another instance too', async () => {
    const { directory, file } = counter()
    const other = openCounter(directory)
    let inTurn: number[] = []
    const updated = file.update(increment).then(() => {
      inTurn = [file.readOncePerTurn().count, other.readOncePerTurn().count]
    })
    expect(other.readOncePerTurn().count).toBe(0)
    await updated
    expect(inTurn).toEqual([1, 1])
  })
})

describe('a bad file', () => {
  test('serves the last good value, is left as it is, and refuses updates', async () => {
    const { directory, file, write } = counter()
    write('{"count":7}')
    expect(file.read().count).toBe(7)
    const bad = '{\n  "count": 8,\n}\n'
    write(bad)
    expect(file.read().count).toBe(7)
    expect(file.problem()).toEqual({
      kind: 'file',
      path: file.path,
      line: 3,
      message: 'is not JSON: property name expected',
    })
    expect(file.doubt()).toBeUndefined()
    await expect(file.update(increment)).rejects.toMatchObject({
      code: 'store-corrupt',
      message: 'counter.json: line 3: is not JSON: property name expected',
      hint: expect.stringContaining(file.path),
    })
    expect(readFileSync(file.path, 'utf8')).toBe(bad)
    expect(readdirSync(directory)).toEqual(['counter.json'])
  })

  test('is in doubt when it was never good, and no longer once fixed', async () => {
    const { file, write } = counter()
    write('{"count":"many"}')
    expect(file.read()).toBe(noCount)
    expect(file.doubt()).toBe('bad')
    write('{"count":1}')
    expect(file.read().count).toBe(1)
    expect(file.doubt()).toBeUndefined()
    expect(file.problem()).toBeUndefined()
    await expect(file.update(increment)).resolves.toEqual({ count: 2 })
  })

  test.each([
    ['a directory', (path: string) => mkdirSync(path)],
    ['a link to itself', (path: string) => symlinkSync(path, path)],
  ])('may be %s', async (_what, make) => {
    const { file } = counter()
    make(file.path)
    expect(file.read()).toBe(noCount)
    expect(file.problem()?.message).toMatch(/regular file|form a loop/)
    expect(file.doubt()).toBe('bad')
    await expect(file.update(increment)).rejects.toMatchObject({ name: 'StoreError' })
  })
})

describe('a file that goes away', () => {
  test('serves on while it is replaced by unlinking and creating', () => {
    const { file, write } = counter()
    write('{"count":7}')
    file.read()
    unlinkSync(file.path)
    expect(file.read().count).toBe(7)
    expect(file.problem()).toBeUndefined()
    write('{"count":8}')
    expect(file.read().count).toBe(8)
  })

  test('counts as deleted after the grace, and a bad one after that is in doubt at once', async () => {
    const { file, write } = counter()
    write('{"count":7}')
    file.read()
    unlinkSync(file.path)
    expect(file.read().count).toBe(7)
    await sleep(GRACE_MS + 20)
    expect(file.read()).toBe(noCount)
    write('{')
    expect(file.read()).toBe(noCount)
    expect(file.doubt()).toBe('bad')
  })

  test('does not come back by an update', async () => {
    const { file, write } = counter()
    write('{"count":7,"old":true}')
    file.read()
    unlinkSync(file.path)
    await expect(file.update(increment)).resolves.toEqual({ count: 1 })
  })

  test('is waited for by an update', async () => {
    const { directory, file, write } = counter()
    write('{"count":7}')
    file.read()
    const aside = join(directory, 'aside')
    renameSync(file.path, aside)
    const updated = file.update(increment)
    await vi.waitUntil(() => existsSync(`${file.path}.lock`), { interval: 1 })
    renameSync(aside, file.path)
    await expect(updated).resolves.toEqual({ count: 8 })
  })
})

describe('updating', () => {
  test('keeps unknown fields and their order, two spaces and a final newline', async () => {
    const { file, write } = counter()
    write('{"theme":"dark","count":1,"nested":{"z":1,"a":[]}}')
    await file.update(increment)
    expect(readFileSync(file.path, 'utf8')).toBe(
      '{\n  "theme": "dark",\n  "count": 2,\n  "nested": {\n    "z": 1,\n    "a": []\n  }\n}\n',
    )
  })

  test('hands the defaults themselves to the change where there is no file', async () => {
    const { file } = counter()
    await file.update((current) => {
      expect(current).toBe(noCount)
      return current
    })
    expect(existsSync(file.path)).toBe(false)
  })

  test('writes nothing when the same reference comes back', async () => {
    const { directory, file, write } = counter()
    write('{"count":1}')
    await file.update((current) => current)
    expect(readFileSync(file.path, 'utf8')).toBe('{"count":1}')
    expect(readdirSync(directory)).toEqual(['counter.json'])
  })

  test('runs updates of one process in order, and goes on after one that failed', async () => {
    const { file } = counter()
    const order: number[] = []
    const results = await Promise.allSettled(
      [0, 1, 2, 3].map((step) =>
        file.update((current) => {
          order.push(step)
          if (step === 1) throw new RangeError('no')
          return increment(current)
        }),
      ),
    )
    expect(order).toEqual([0, 1, 2, 3])
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect(file.read().count).toBe(3)
  })

  test('loses nothing between two instances in one process', async () => {
    const { directory, file } = counter()
    const other = openCounter(directory)
    await Promise.all([file, other].flatMap((one) => Array.from({ length: 25 }, () => one.update(increment))))
    expect(file.read().count).toBe(50)
    expect(other.read().count).toBe(50)
  })

  test('never writes what could not be read back', async () => {
    const { file, write } = counter()
    write('{"count":1}')
    await expect(file.update(() => ({ count: Number.NaN }))).rejects.toMatchObject({ code: 'invalid-value' })
    expect(readFileSync(file.path, 'utf8')).toBe('{"count":1}')
  })

  test('fails without a change when another process took the lock over', async () => {
    const { directory, file, write } = counter()
    write('{"count":1}')
    const takeOver = (): void => {
      for (const name of readdirSync(directory)) if (name.endsWith('.tmp')) unlinkSync(join(directory, name))
    }
    const updated = file.update((current) => {
      takeOver()
      return increment(current)
    })
    await expect(updated).rejects.toMatchObject({ code: 'store-locked' })
    expect(file.read().count).toBe(1)
    await expect(file.update(increment)).resolves.toEqual({ count: 2 })
  })

  test('says so when the directory is gone', async () => {
    const { directory, file } = counter()
    rmSync(directory, { recursive: true })
    await expect(file.update(increment)).rejects.toMatchObject({
      code: 'store-write-failed',
      message: 'cannot write counter.json: its directory is gone (ENOENT)',
      cause: expect.objectContaining({ code: 'ENOENT' }),
    })
  })
})
