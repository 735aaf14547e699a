import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { isSoundTask, openTasks, scrubTask, type Task } from '../../src/stores/tasks.ts'

const row = (id: string, fields: Record<string, unknown> = {}): Task => ({
  id,
  kind: 'chase',
  account: 'paper',
  symbol: 'BTCUSDT',
  command: 'buy $250 chase',
  runId: 'run',
  status: 'running',
  progress: 0.5,
  startedAt: 1,
  updatedAt: 2,
  ...fields,
})

function tasks(content?: unknown) {
  const directory = tempDirectory()
  const save = (value: unknown) => writeFileSync(join(directory, 'tasks.json'), JSON.stringify(value))
  if (content !== undefined) save(content)
  return { save, store: openTasks(directory) }
}

test('are none without a file', () => {
  const { store } = tasks()
  expect(store.list()).toEqual([])
  expect(store.problem()).toBeUndefined()
})

test('come newest start first, those of one moment as in the file', () => {
  const rows = [row('a', { startedAt: 1 }), row('c', { startedAt: 3 }), row('b', { startedAt: 3 })]
  const { store } = tasks({ version: 1, tasks: rows })
  expect(store.list().map((task) => task.id)).toEqual(['c', 'b', 'a'])
  expect(store.list()).toBe(store.list())
})

test('tell of a change, and show it', async () => {
  const { save, store } = tasks({ version: 1, tasks: [row('a')] })
  const seen: unknown[] = []
  onTestFinished(store.watch(() => seen.push(store.list()[0]?.status)))
  save({ version: 1, tasks: [row('a', { status: 'done' })] })
  await vi.waitUntil(() => seen.length > 0, { timeout: 30_000, interval: 5 })
  expect(seen).toEqual(['done'])
})

test.each([
  ['tasks is missing', { version: 1 }],
  ['tasks must be an array', { version: 1, tasks: {} }],
  ['version must be positive', { version: 0, tasks: [] }],
])('a bad file is told of, and the last good one serves: %s', (message, content) => {
  const { save, store } = tasks({ version: 1, tasks: [row('good')] })
  expect(store.list()).toHaveLength(1)
  save(content)
  expect(store.list()).toEqual([row('good')])
  expect(store.problem()?.message).toBe(message)
})

test.each([
  ['tasks[1].id must not be empty', row('')],
  ['tasks[1].status is not a status of a task', row('a', { status: 'lost' })],
  ['tasks[1].progress must be a number', row('b', { progress: 'half' })],
  ['tasks[1].startedAt must be an int', row('a', { startedAt: 1.5 })],
  ['tasks[1].updatedAt must not be negative', row('a', { updatedAt: -1 })],
])('a bad row is told of, and the others serve: %s', (message, bad) => {
  const { store } = tasks({ version: 1, tasks: [row('good'), bad] })
  expect(store.list()).toEqual([row('good')])
  expect(store.problem()).toBeUndefined()
  expect(store.problems()).toMatchObject([{ kind: 'row', line: 1, message }])
})

test('are read from a file without a version', () => {
  expect(tasks({ tasks: [row('a')] }).store.list()).toEqual([row('a')])
})

test('are read from a newer file as far as they are valid, and the operator is told', () => {
  const { store } = tasks({ version: 2, tasks: [row('a'), row('b', { status: 'paused' })] })
  expect(store.list()).toEqual([row('a')])
  expect(store.problem()).toMatchObject({ kind: 'newer', message: expect.stringContaining('version 2') })
  expect(store.problems()).toHaveLength(2)
})

test('leave without what is unknown in the file', () => {
  const { store } = tasks({ version: 1, note: 'mine', tasks: [row('a', { apiKey: 'k' })] })
  expect(store.list().map(scrubTask)).toStrictEqual([row('a')])
})

test('are put in place of their rows, beside those of others, whose fields stay', async () => {
  const { store } = tasks({ version: 1, tasks: [row('a', { note: 'mine' }), row('b')] })
  await store.put([row('a', { status: 'done' }), row('c')])
  expect(store.list().map(({ id, status }) => `${id} ${status}`)).toEqual(['a done', 'b running', 'c running'])
  expect(store.list()[0]).toMatchObject({ note: 'mine' })
})

test('lose a field that the next row does not have', async () => {
  const { store } = tasks({ version: 1, tasks: [row('a', { paused: true, reason: 'why' })] })
  await store.put([row('a')])
  expect(store.list()).toEqual([row('a')])
})

test('that are over are kept up to a bound, the latest of them, and all that run', async () => {
  const over = Array.from({ length: 400 }, (_, index) => row(`o${index}`, { status: 'done', updatedAt: index }))
  const { store } = tasks({ version: 1, tasks: [row('r'), ...over] })
  await store.put([row('i', { status: 'interrupted' })])
  const ids = new Set(store.list().map(({ id }) => id))
  expect(ids.size).toBe(302)
  expect(['r', 'i', 'o399', 'o100'].filter((id) => !ids.has(id))).toEqual([])
  expect(ids.has('o99')).toBe(false)
})

test('that are taken for sound without the schema are what the schema takes as it is', () => {
  const odd = fc.oneof(fc.constant(undefined), fc.constant(null), fc.string(), fc.integer(), fc.double(), fc.boolean())
  const fields = Object.keys({
    ...row('a'),
    doing: 1,
    reason: 1,
    paused: 1,
    protective: 1,
    orderIds: 1,
    endsAt: 1,
    price: 1,
  })
  const rows = fc.tuple(fc.constantFrom(...fields), fc.oneof(odd, fc.array(odd)))
  fc.assert(
    fc.property(rows, ([field, value]) => {
      const written = JSON.parse(JSON.stringify(row('a', { [field]: value }))) as unknown
      if (!isSoundTask(written)) return
      const { store } = tasks({ version: 1, tasks: [written] })
      expect(store.problems()).toEqual([])
      expect(store.list()).toEqual([written])
      // The schema says the same of a row that it is asked about.
      const unsure = { ...(written as object), note: null, paused: null }
      const asked = tasks({ version: 1, tasks: [unsure] }).store
      expect(asked.list()).toHaveLength(1)
    }),
    { numRuns: 60 },
  )
})
