import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openTasks, scrubTask, type Task } from '../../src/stores/tasks.ts'

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
