// Files of older and newer versions, as two hooklines of different versions leave them to each other.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { checkedBy, type FileFormat, type Migration } from '../../src/stores/json-decode.ts'
import { createJsonFile } from '../../src/stores/json-file.ts'
import { rowsUnder } from '../../src/stores/rows.ts'

/** Version 3 counts in an object, version 2 as `total`, version 1 as `count`. */
interface Tally {
  readonly tally: { readonly value: number }
}

const countToTotal: Migration = ({ count, ...rest }) => ({ ...rest, total: count })
const totalToTally: Migration = ({ total, ...rest }) => ({ ...rest, tally: { value: total } })
const format: FileFormat<Tally> = {
  parse: checkedBy(z.looseObject({ tally: z.looseObject({ value: z.number() }) })),
  version: 3,
  migrate: [countToTotal, totalToTally],
}
const none: Tally = { tally: { value: 0 } }
const increment = (content: Tally): Tally => ({ ...content, tally: { value: content.tally.value + 1 } })

function tally(content?: unknown) {
  const directory = tempDirectory()
  const path = join(directory, 'tally.json')
  const save = (value: unknown) => writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value))
  if (content !== undefined) save(content)
  const file = createJsonFile<Tally>({ path, ...format, defaults: none })
  return { directory, path, save, file, stored: () => JSON.parse(readFileSync(path, 'utf8')) }
}

describe('an older file', () => {
  test.each([
    ['version 1, which has no version', { count: 7, theme: 'dark' }],
    ['version 1 that says so', { version: 1, count: 7, theme: 'dark' }],
    ['version 2', { theme: 'dark', total: 7, version: 2 }],
    ['version 3', { tally: { value: 7 }, theme: 'dark', version: 3 }],
  ])('is read: %s', (_what, content) => {
    const { path, file } = tally(content)
    expect(file.read()).toMatchObject({ tally: { value: 7 }, theme: 'dark' })
    expect(file.problems()).toEqual([])
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(content)
  })

  test('is written as today’s version at the next update, and kept once as it was', async () => {
    const text = '{ "count": 7,   "theme": "dark" }'
    const { directory, path, file, stored } = tally(text)
    await file.update((current) => current)
    expect(readdirSync(directory)).toEqual(['tally.json'])
    await file.update(increment)
    expect(stored()).toEqual({ version: 3, theme: 'dark', tally: { value: 8 } })
    expect(readFileSync(`${path}.v1`, 'utf8')).toBe(text)
    expect(statSync(`${path}.v1`).mode & 0o777).toBe(0o600)
    await file.update(increment)
    expect(stored().tally).toEqual({ value: 9 })
    expect(readFileSync(`${path}.v1`, 'utf8')).toBe(text)
    expect(readdirSync(directory).sort()).toEqual(['tally.json', 'tally.json.v1'])
  })

  test('keeps its version where it is in the file', async () => {
    const { path, file } = tally('{"theme":"dark","version":2,"total":7}')
    await file.update(increment)
    expect(Object.keys(JSON.parse(readFileSync(path, 'utf8')))).toEqual(['theme', 'version', 'tally'])
    expect(existsSync(`${path}.v2`)).toBe(true)
  })

  test.each([
    ['of the wrong shape', { count: 'many' }, 'tally.value must be a number'],
    ['no object', '[]', 'the whole must be an object'],
  ])('that is %s is bad, and left as it is', async (_what, content, message) => {
    const { path, file } = tally(content)
    const before = readFileSync(path, 'utf8')
    expect(file.read()).toBe(none)
    expect(file.problem()).toEqual({ kind: 'file', path, message })
    await expect(file.update(increment)).rejects.toMatchObject({ code: 'store-corrupt' })
    expect(readFileSync(path, 'utf8')).toBe(before)
    expect(existsSync(`${path}.v1`)).toBe(false)
  })

  test('that a migration cannot take is bad', () => {
    const { path } = tally({ count: 1 })
    const refuse: Migration = () => {
      throw new Error('counts must be given')
    }
    const file = createJsonFile<Tally>({ path, ...format, migrate: [refuse, totalToTally], defaults: none })
    expect(file.read()).toBe(none)
    expect(file.problem()?.message).toBe('version 1 cannot be read as version 3: counts must be given')
    expect(file.doubt()).toBe('bad')
  })

  test('is not replaced where its backup cannot be written', async () => {
    const { path, file, stored } = tally({ count: 7 })
    mkdirSync(`${path}.v1`)
    await expect(file.update(increment)).rejects.toMatchObject({ code: 'store-write-failed' })
    expect(stored()).toEqual({ count: 7 })
  })

  test('has its bad rows kept', async () => {
    const directory = tempDirectory()
    const path = join(directory, 'rows.json')
    writeFileSync(path, JSON.stringify({ items: [{ n: 'x' }, { n: 1 }] }))
    const file = createJsonFile<{ rows: readonly { n: number }[] }>({
      path,
      ...rowsUnder('rows', () => z.looseObject({ n: z.number() })),
      version: 2,
      migrate: [({ items, ...rest }) => ({ ...rest, rows: items })],
      defaults: { rows: [] },
    })
    await file.update((content) => ({ ...content, rows: [...content.rows, { n: 2 }] }))
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ version: 2, rows: [{ n: 'x' }, { n: 1 }, { n: 2 }] })
  })
})

test('a file that is made now says its version, except the first', async () => {
  const { file, stored } = tally()
  await file.update(increment)
  expect(stored()).toEqual({ version: 3, tally: { value: 1 } })
  const first = tally()
  const plain = createJsonFile<Tally>({ path: first.path, parse: format.parse, defaults: none })
  await plain.update(increment)
  expect(first.stored()).toEqual({ tally: { value: 1 } })
})

describe('a newer file', () => {
  const NEWER = 'is of version 4, written by a newer hookline; this one writes version 3'

  test('is read where it is valid, and not written to', async () => {
    const { path, file } = tally({ version: 4, tally: { value: 7 }, extra: true })
    const before = readFileSync(path, 'utf8')
    expect(file.read().tally.value).toBe(7)
    expect(file.doubt()).toBeUndefined()
    expect(file.problem()).toEqual({ kind: 'newer', path, message: NEWER })
    await expect(file.update(increment)).rejects.toMatchObject({
      code: 'store-newer',
      message: `tally.json ${NEWER}`,
      hint: expect.stringContaining('update hookline'),
    })
    expect(readFileSync(path, 'utf8')).toBe(before)
    expect(existsSync(`${path}.v4`)).toBe(false)
  })

  test('that cannot be read leaves the defaults, or what was read before', async () => {
    const { save, path, file } = tally({ version: 4, tallies: [] })
    const message = `${NEWER}, and cannot read it: tally is missing`
    expect(file.read()).toBe(none)
    expect(file.doubt()).toBe('bad')
    expect(file.problem()).toEqual({ kind: 'newer', path, message })
    await expect(file.update(increment)).rejects.toMatchObject({ code: 'store-newer' })
    save({ version: 3, tally: { value: 7 } })
    expect(file.read().tally.value).toBe(7)
    save({ version: 4, tallies: [] })
    expect(file.read().tally.value).toBe(7)
    expect(file.problem()?.kind).toBe('newer')
  })

  test('is written again once it is of today’s version', async () => {
    const { save, file } = tally({ version: 4, tally: { value: 7 } })
    file.read()
    save({ version: 3, tally: { value: 7 } })
    await expect(file.update(increment)).resolves.toMatchObject({ tally: { value: 8 } })
    expect(file.problems()).toEqual([])
  })
})

test.each([[0], [-1], [1.5], [1e300]])('version %d makes the file bad', (version) => {
  const { file } = tally({ version, tally: { value: 7 } })
  expect(file.read()).toBe(none)
  expect(file.problem()).toMatchObject({ kind: 'file', line: 1, message: expect.stringMatching(/^version must be /) })
})

test('a text under `version` is a value like any other', () => {
  const { file } = tally({ version: '4', count: 7 })
  expect(file.read()).toMatchObject({ tally: { value: 7 } })
})
