import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import {
  type CrossTradeConfig,
  type CrossTradeEdit,
  openCrossTrade,
  scrubCrossTradeConfig,
} from '../../src/stores/cross-trade.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const START = 100 * DAY_MS

const A = '0a6f1c2e-3b4d-4e5f-8a9b-0c1d2e3f4a5b'
const B = '1b7f2d3e-4c5d-4e6f-9a0b-1c2d3e4f5a6b'

const row = (fields: Record<string, unknown> = {}): CrossTradeConfig => ({
  id: A,
  enabled: true,
  masterAccount: 'main',
  masterWeight: 1,
  copiers: [{ account: 'copy', weight: -0.5, mode: 'Chase' }],
  updatedAt: START,
  ...fields,
})

const tombstone = (fields: Record<string, unknown> = {}) =>
  row({ enabled: false, masterAccount: '', masterWeight: 0, copiers: [], deletedAt: START, ...fields })

function crossTrade(content?: unknown) {
  const directory = tempDirectory()
  const path = join(directory, 'cross-trade.json')
  if (content !== undefined) writeFileSync(path, JSON.stringify(content))
  const clock = { now: START }
  return {
    path,
    clock,
    store: openCrossTrade(directory, () => clock.now),
    stored: () => JSON.parse(readFileSync(path, 'utf8')),
  }
}

describe('merging', () => {
  test('keeps the row of behaviour 24', async () => {
    const { store, stored } = crossTrade()
    const full = row({ masterSymbol: 'BTCUSDT', copiers: [{ account: 'c', symbol: 'X', weight: 2, mode: 'Market' }] })
    await expect(store.merge(full, { approved: true })).resolves.toEqual({ applied: true, row: full })
    expect(stored()).toEqual({ configs: [full] })
    expect(store.list()).toEqual([full])
  })

  test.each([
    [-1, false],
    [0, false],
    [1, true],
  ])('a row that is %i ms newer is taken: %s', async (newerMs, applied) => {
    const { store, stored } = crossTrade({ configs: [row()] })
    const incoming = row({ masterWeight: 2, updatedAt: START + newerMs })
    const standing = applied ? incoming : row()
    await expect(store.merge(incoming, { approved: true })).resolves.toEqual({ applied, row: standing })
    expect(stored()).toEqual({ configs: [standing] })
  })

  test('an edit without a time is made now, and wins over a clock that runs ahead', async () => {
    const { updatedAt: _, ...edit } = row({ masterWeight: 2 })
    const { store } = crossTrade({ configs: [row({ updatedAt: START + DAY_MS })] })
    const taken = row({ masterWeight: 2, updatedAt: START + DAY_MS + 1 })
    await expect(store.merge(edit)).resolves.toEqual({ applied: true, row: taken })
    await expect(store.merge({ ...edit, id: B })).resolves.toMatchObject({ row: { updatedAt: START } })
  })

  test('keeps what is unknown, and drops known fields that the edit leaves out', async () => {
    const { store, stored } = crossTrade({ note: 'mine', configs: [row({ masterSymbol: 'BTCUSDT', color: 'red' })] })
    await store.merge(row({ updatedAt: START + 1 }), { approved: true })
    expect(stored()).toEqual({ note: 'mine', configs: [row({ color: 'red', updatedAt: START + 1 })] })
  })

  test.each<[string, Record<string, unknown>]>([
    ['an id that is no UUID', { id: 'x' }],
    ['an unknown mode', { copiers: [{ account: 'a', weight: 1, mode: 'Yolo' }] }],
    ['a copier without an account', { copiers: [{ account: '', weight: 1, mode: 'Market' }] }],
    ['a weight that is no number', { masterWeight: Number.NaN }],
    ['a negative time', { updatedAt: -1 }],
    ['a broken time', { updatedAt: START + 0.5 }],
  ])('refuses %s', async (_what, fault) => {
    const { path, store } = crossTrade()
    await expect(store.merge(row(fault))).rejects.toMatchObject({ code: 'invalid-value' })
    expect(existsSync(path)).toBe(false)
  })
})

describe('removing', () => {
  test('leaves an inert tombstone with its unknown fields', async () => {
    const { store, stored, clock } = crossTrade({ configs: [row({ masterSymbol: 'BTCUSDT', color: 'red' })] })
    clock.now += 5
    await expect(store.remove(A)).resolves.toEqual({ applied: true })
    const left = tombstone({ color: 'red', updatedAt: START + 5, deletedAt: START + 5 })
    expect(stored()).toEqual({ configs: [left] })
    expect(store.list()).toEqual([])
    expect(store.all()).toEqual([left])
  })

  test.each([
    [-1, false],
    [0, false],
    [1, true],
  ])('a delete that is %i ms newer is taken: %s', async (newerMs, applied) => {
    const { store } = crossTrade({ configs: [row()] })
    await expect(store.remove(A, START + newerMs)).resolves.toEqual({ applied })
    expect(store.list()).toHaveLength(applied ? 0 : 1)
  })

  test('an older edit does not bring back what was deleted, a newer one does', async () => {
    const { store } = crossTrade({ configs: [tombstone()] })
    const refused = await store.merge(row({ updatedAt: START - 1 }))
    expect(refused).toEqual({ applied: false, row: tombstone() })
    await expect(store.merge(row())).resolves.toMatchObject({ applied: false })
    await expect(store.merge(row({ updatedAt: START + 1 }))).resolves.toMatchObject({ applied: true })
    expect(store.list()).toEqual([row({ updatedAt: START + 1 })])
  })

  test('an id never heard of is kept against an older edit that comes later', async () => {
    const { store, stored } = crossTrade()
    await expect(store.remove(A, START - 10)).resolves.toEqual({ applied: true })
    expect(stored()).toEqual({ configs: [tombstone({ updatedAt: START - 10 })] })
    await expect(store.merge(row({ updatedAt: START - 11 }))).resolves.toMatchObject({ applied: false })
    expect(store.list()).toEqual([])
  })

  test('wins over rows from a clock that runs ahead when it has no time of its own', async () => {
    const { store } = crossTrade({ configs: [row({ updatedAt: START + DAY_MS })] })
    await expect(store.remove(A)).resolves.toEqual({ applied: true })
    expect(store.all()[0]?.updatedAt).toBe(START + DAY_MS + 1)
  })

  test('is forgotten after 30 days, at the next write', async () => {
    const { store, stored, clock } = crossTrade({
      configs: [tombstone({ deletedAt: START - 30 * DAY_MS }), row({ id: B })],
    })
    const ids = () => stored().configs.map((config: CrossTradeConfig) => config.id)
    await store.merge(row({ id: B, updatedAt: START + 1 }))
    expect(ids()).toEqual([A, B])
    clock.now += 1
    await store.merge(row({ id: B, updatedAt: START + 2 }))
    expect(ids()).toEqual([B])
  })

  test('refuses an id that is no UUID', async () => {
    const { store } = crossTrade()
    await expect(store.remove('x')).rejects.toMatchObject({ code: 'invalid-value' })
  })
})

test('lists live rows by id, as one value until the file changes', () => {
  const { store } = crossTrade({ configs: [row({ id: B }), row()] })
  expect(store.list().map((config) => config.id)).toEqual([A, B])
  expect(store.list()).toBe(store.list())
})

test('tells of an edit', async () => {
  const { store } = crossTrade({ configs: [row()] })
  let calls = 0
  onTestFinished(store.watch(() => (calls += 1)))
  await store.merge(row({ updatedAt: START + 1 }))
  await vi.waitUntil(() => calls === 1, { timeout: 30_000, interval: 5 })
})

test('tells of a bad file and writes nothing to it', async () => {
  const { path, store } = crossTrade({ configs: { [A]: row() } })
  expect(store.list()).toEqual([])
  expect(store.problem()?.message).toBe('configs must be an array')
  const before = readFileSync(path, 'utf8')
  await expect(store.remove(A)).rejects.toMatchObject({ code: 'store-corrupt' })
  expect(readFileSync(path, 'utf8')).toBe(before)
})

test('leaves without what is unknown in the file', () => {
  const copiers = [{ account: 'copy', symbol: 'X', weight: 1, mode: 'Market', token: 't' }]
  const known: CrossTradeEdit = row({
    masterSymbol: 'X',
    copiers: [{ account: 'copy', symbol: 'X', weight: 1, mode: 'Market' }],
  })
  expect(scrubCrossTradeConfig(row({ masterSymbol: 'X', copiers, apiKey: 'k' }))).toStrictEqual(known)
  expect(scrubCrossTradeConfig(row({ color: 'red' }))).toStrictEqual(row())
})
