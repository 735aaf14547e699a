import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { type AccountRow, openAccountStore, scrubAccount } from '../../src/stores/accounts.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const START = 100 * DAY_MS

const row = (name: string, fields: Record<string, unknown> = {}): AccountRow => ({
  name,
  exchange: 'okx',
  createdAt: 1,
  updatedAt: START,
  ...fields,
})

function accounts(content?: unknown) {
  const directory = tempDirectory()
  const path = join(directory, 'accounts.json')
  if (content !== undefined) writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  const clock = { now: START }
  return {
    path,
    clock,
    store: openAccountStore(directory, () => clock.now),
    stored: () => JSON.parse(readFileSync(path, 'utf8')),
  }
}

describe('the first start', () => {
  test('creates paper', async () => {
    const { store, stored } = accounts()
    await store.ensurePaper()
    await store.ensurePaper()
    expect(stored()).toEqual({
      accounts: [{ name: 'paper', exchange: 'paper', createdAt: START, updatedAt: START }],
    })
  })

  test.each(['{"accounts":[]}', '{'])('leaves a file that exists: %s', async (text) => {
    const { path, store } = accounts(text)
    await store.ensurePaper()
    expect(readFileSync(path, 'utf8')).toBe(text)
  })
})

describe('adding', () => {
  test('keeps the credentials given, without empty ones', async () => {
    const { store, stored } = accounts()
    await store.add({ name: 'main', exchange: 'okx', apiKey: 'k', secret: 's', password: '' })
    const main = { name: 'main', exchange: 'okx', apiKey: 'k', secret: 's', createdAt: START, updatedAt: START }
    expect(stored()).toEqual({ accounts: [main] })
    expect(store.find('main')).toEqual(main)
  })

  test.each(['main', 'MAIN'])('refuses "%s" where there is "main"', async (name) => {
    const { store } = accounts({ accounts: [row('main')] })
    await expect(store.add({ name, exchange: 'okx' })).rejects.toMatchObject({ code: 'already-exists' })
  })

  test.each([
    { name: '' },
    { name: 'a b' },
    { name: '../x' },
    { name: 'x'.repeat(33) },
    { exchange: '' },
    { exchange: 'o k x' },
  ])('refuses %j', async (fault) => {
    const { path, store } = accounts()
    await expect(store.add({ name: 'main', exchange: 'okx', ...fault })).rejects.toMatchObject({
      code: 'invalid-value',
    })
    expect(existsSync(path)).toBe(false)
  })
})

describe('removing', () => {
  test('leaves a tombstone with no credentials and no unknown fields', async () => {
    const { store, stored, clock } = accounts({ accounts: [row('main', { apiKey: 'k', privateKey: 'p' })] })
    clock.now += 5
    await store.remove('main')
    const tombstone = row('main', { updatedAt: START + 5, deletedAt: START + 5 })
    expect(stored()).toEqual({ accounts: [tombstone] })
    expect(store.list()).toEqual([])
    expect(store.find('main')).toBeUndefined()
  })

  test.each([[[]], [[row('main', { deletedAt: 1 })]]])('refuses what is not there: %j', async (rows) => {
    const { store } = accounts({ accounts: rows })
    await expect(store.remove('main')).rejects.toMatchObject({ code: 'not-found' })
  })

  test('wins over rows from a clock that runs ahead', async () => {
    const ahead = row('main', { updatedAt: START + DAY_MS })
    const { store } = accounts({ accounts: [ahead] })
    const tombstone = await store.remove('main')
    expect(tombstone.updatedAt).toBe(START + DAY_MS + 1)
    await expect(store.merge(ahead)).resolves.toBeUndefined()
    const added = await store.add({ name: 'main', exchange: 'okx' })
    expect(added.updatedAt).toBe(START + DAY_MS + 2)
  })

  test('is forgotten after 30 days, at the next write', async () => {
    const old = row('old', { deletedAt: START - 30 * DAY_MS })
    const { store, stored, clock } = accounts({ accounts: [old, row('main')] })
    const names = () => stored().accounts.map((account: AccountRow) => account.name)
    await store.merge(row('main', { updatedAt: START + 1 }))
    expect(names()).toEqual(['old', 'main'])
    clock.now += 1
    await store.merge(row('main', { updatedAt: START + 2 }))
    expect(names()).toEqual(['main'])
  })
})

describe('merging', () => {
  test.each([
    [-1, false],
    [0, false],
    [1, true],
  ])('a row that is %i ms newer is taken: %s', async (newerMs, taken) => {
    const { store, stored } = accounts({ accounts: [row('main')] })
    const incoming = row('main', { exchange: 'bybit', updatedAt: START + newerMs })
    expect(await store.merge(incoming)).toEqual(taken ? incoming : undefined)
    expect(stored()).toEqual({ accounts: [taken ? incoming : row('main')] })
  })

  test('an older edit does not bring back what was deleted, a newer one does', async () => {
    const { store } = accounts({ accounts: [row('main', { deletedAt: START })] })
    await expect(store.merge(row('main', { updatedAt: START - 1 }))).resolves.toBeUndefined()
    await expect(store.merge(row('main', { updatedAt: START + 1, apiKey: 'k' }))).resolves.toMatchObject({
      name: 'main',
    })
    expect(store.find('main')).toEqual(row('main', { updatedAt: START + 1, apiKey: 'k' }))
  })

  test('a delete of a name never heard of is kept against older edits', async () => {
    const { store } = accounts()
    await store.merge(row('main', { deletedAt: START, apiKey: 'k' }))
    await expect(store.merge(row('main', { updatedAt: START - 1 }))).resolves.toBeUndefined()
    expect(store.list()).toEqual([])
  })

  const stored = row('main', { apiKey: 'k', secret: 's', password: 'p', color: 'red' })
  test.each([
    ['keeps credentials and unknown fields', {}, { apiKey: 'k', secret: 's', password: 'p', color: 'red' }],
    ['takes empty credentials for none', { apiKey: '' }, { apiKey: 'k', secret: 's', password: 'p', color: 'red' }],
    ['never mixes old and new credentials', { apiKey: 'K', secret: 'S' }, { apiKey: 'K', secret: 'S', color: 'red' }],
    ['keeps the credentials where the exchange differs in case', { exchange: 'OKX' }, { ...stored, exchange: 'OKX' }],
    ['drops the credentials of another exchange', { exchange: 'bybit' }, { exchange: 'bybit' }],
    ['takes new unknown fields', { color: 'blue' }, { ...stored, color: 'blue' }],
  ])('%s', async (_what, incoming, expected) => {
    const { store } = accounts({ accounts: [stored] })
    await store.merge(row('main', { updatedAt: START + 1, ...incoming }))
    expect(store.find('main')).toEqual(row('main', { ...expected, updatedAt: START + 1 }))
  })

  test.each([
    ['invalid-value', row('a b')],
    ['invalid-value', row('new', { exchange: '' })],
    ['invalid-value', row('new', { createdAt: 1.5 })],
    ['invalid-value', row('new', { secret: 5 })],
    ['already-exists', row('MAIN')],
  ])('refuses as %s: %j', async (code, incoming) => {
    const content = { accounts: [row('main')] }
    const { store, stored: storedNow } = accounts(content)
    await expect(store.merge(incoming)).rejects.toMatchObject({ code })
    expect(storedNow()).toEqual(content)
  })
})

test('lists live rows by name', () => {
  const { store } = accounts({ accounts: [row('b'), row('c', { deletedAt: 1 }), row('a')] })
  expect(store.list().map((account) => account.name)).toEqual(['a', 'b'])
})

test('scrubs credentials and all it does not know', () => {
  const scrubbed = { name: 'main', exchange: 'okx', hasCredentials: true, createdAt: 1, updatedAt: START }
  expect(scrubAccount(row('main', { secret: 's', privateKey: 'p' }))).toStrictEqual(scrubbed)
  expect(scrubAccount(row('main', { apiKey: '' })).hasCredentials).toBe(false)
})
