// What is written of rows is what is read back, and only rows that are new are checked anew: an edit among ten thousand costs little more than
// the writing.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createJsonFile } from '../../src/stores/json-file.ts'
import { rowsUnder } from '../../src/stores/rows.ts'

interface Row {
  readonly name: string
  readonly note?: string | undefined
}
interface Content {
  readonly rows: readonly Row[]
  readonly other?: unknown
}

function open(rows: readonly unknown[]) {
  const path = join(tempDirectory(), 'rows.json')
  writeFileSync(path, JSON.stringify({ rows }), { mode: 0o600 })
  let checked = 0
  const counted = z.string().check(
    z.refine((name) => {
      checked += 1
      return name !== 'bad'
    }, 'is bad'),
  )
  const schema = () => z.looseObject({ name: counted, note: z.exactOptional(z.string()) })
  const file = createJsonFile<Content>({
    path,
    ...rowsUnder<'rows', Row, Content>('rows', schema),
    defaults: { rows: [] },
  })
  const fresh = () =>
    createJsonFile<Content>({ path, ...rowsUnder<'rows', Row, Content>('rows', schema), defaults: { rows: [] } }).read()
  return {
    path,
    file,
    fresh,
    checkedBy: async (work: () => Promise<unknown>) => {
      const before = checked
      await work()
      return checked - before
    },
  }
}

const THOUSAND = Array.from({ length: 1_000 }, (_, index) => ({ name: `row ${index}` }))

it('checks the row that is new, and none that stays', async () => {
  const { file, checkedBy, fresh } = open(THOUSAND)
  expect(await checkedBy(async () => file.read())).toBe(1_000)
  const add = () => file.update(({ rows }) => ({ rows: [...rows, { name: 'new' }] }))
  expect(await checkedBy(add)).toBe(1)
  expect(file.read()).toEqual(fresh())
  expect(file.read().rows).toHaveLength(1_001)
  expect(await checkedBy(() => file.update(({ rows }) => ({ rows: rows.slice(1) })))).toBe(0)
  expect(file.read()).toEqual(fresh())
})

it('refuses a new row that could not be read back, and leaves the file', async () => {
  const { file, path } = open(THOUSAND)
  const before = readFileSync(path, 'utf8')
  const add = file.update(({ rows }) => ({ rows: [...rows, { name: 'bad' }] }))
  await expect(add).rejects.toMatchObject({ code: 'invalid-value' })
  expect(readFileSync(path, 'utf8')).toBe(before)
})

it('holds what the file has: no field without a value, nothing that JSON makes another', async () => {
  const { file, fresh } = open(THOUSAND)
  await file.update(({ rows }) => ({ rows: [...rows, { name: 'new', note: undefined }] }))
  expect(Object.keys(file.read().rows.at(-1) ?? {})).toEqual(['name'])
  expect(file.read()).toEqual(fresh())
})

it('checks the whole where rows are set aside, or where something beside the rows is another', async () => {
  const { file, checkedBy, fresh } = open([...THOUSAND, { name: 'bad' }])
  file.read()
  const add = () => file.update(({ rows }) => ({ rows: [...rows, { name: 'new' }] }))
  expect(await checkedBy(add)).toBeGreaterThan(1_000)
  expect(file.read()).toEqual(fresh())
  const plain = open(THOUSAND)
  plain.file.read()
  const note = () => plain.file.update((content) => ({ ...content, other: 1 }))
  expect(await plain.checkedBy(note)).toBe(1_000)
  expect(plain.file.read()).toEqual(plain.fresh())
})
