// A row that is not valid never takes the good ones with it (behaviour 22), in every file of rows.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openAccountStore } from '../../src/stores/accounts.ts'
import { openCrossTrade, openCrossTradeEngine } from '../../src/stores/cross-trade.ts'
import { openHookStore } from '../../src/stores/hooks.ts'
import { openIdentity } from '../../src/stores/identity.ts'
import type { FileState } from '../../src/stores/json-file.ts'
import { openTasks } from '../../src/stores/tasks.ts'
import { openTrustedClients } from '../../src/stores/trusted-clients.ts'

const A = '0a6f1c2e-3b4d-4e5f-8a9b-0c1d2e3f4a5b'
const B = '1b7f2d3e-4c5d-4e6f-9a0b-1c2d3e4f5a6b'
const HEX = 'abcdef0123456789'
const TIME = 1_773_239_400_000
const ISO = new Date(TIME).toISOString()

const hook = (name: string, fields: object = {}) => ({
  id: name.padEnd(32, '0'),
  name,
  secret: HEX.repeat(2),
  command: 'echo ok',
  createdAt: 1,
  ...fields,
})
const account = (name: string, fields: object = {}) => ({
  name,
  exchange: 'okx',
  createdAt: 1,
  updatedAt: TIME,
  ...fields,
})
const client = (clientId: string, fields: object = {}) => ({
  clientId,
  label: 'Console',
  origin: 'https://good.com',
  approvedAt: 1,
  ...fields,
})
const config = (id: string, fields: object = {}) => ({
  id,
  enabled: true,
  masterAccount: 'main',
  masterWeight: 1,
  copiers: [],
  updatedAt: TIME,
  ...fields,
})
const task = (id: string, fields: object = {}) => ({
  id,
  kind: 'chase',
  account: 'paper',
  symbol: 'X',
  command: 'c',
  runId: 'r',
  status: 'done',
  progress: 1,
  startedAt: 1,
  updatedAt: 2,
  ...fields,
})

interface RowFile {
  readonly name: string
  readonly key: string
  readonly good: readonly unknown[]
  readonly bad: unknown
  readonly open: (directory: string) => FileState & { list(): readonly unknown[] }
  /** Changes the first good row; absent: hookline never writes the file. */
  readonly change?: (directory: string) => Promise<unknown>
}

const FILES: readonly RowFile[] = [
  {
    name: 'hooks.json',
    key: 'hooks',
    good: [hook('aaaaaaaa'), hook('bbbbbbbb')],
    bad: hook('cccccccc', { secret: 'short', note: 'mine' }),
    open: openHookStore,
    change: (directory) => openHookStore(directory).rotate('aaaaaaaa'),
  },
  {
    name: 'accounts.json',
    key: 'accounts',
    good: [account('main'), account('swing')],
    bad: account('a b', { apiKey: 'k' }),
    open: openAccountStore,
    change: (directory) => openAccountStore(directory).merge(account('main', { apiKey: 'K', updatedAt: TIME + 1 })),
  },
  {
    name: 'trusted-clients.json',
    key: 'clients',
    good: [client('tab-1'), client('tab-2')],
    bad: { clientId: 'tab-3' },
    open: openTrustedClients,
    change: (directory) =>
      openTrustedClients(directory).add({ clientId: 'tab-1', label: 'new', origin: 'https://good.com' }),
  },
  {
    name: 'cross-trade.json',
    key: 'configs',
    good: [config(A), config(B)],
    bad: 'not even an object',
    open: openCrossTrade,
    change: (directory) =>
      openCrossTrade(directory).merge({ ...config(A), masterWeight: 2, updatedAt: TIME + 1 } as never),
  },
  {
    name: 'tasks.json',
    key: 'tasks',
    good: [task('t1'), task('t2')],
    bad: task('t3', { status: 'lost' }),
    open: openTasks,
  },
]

function save(directory: string, name: string, content: unknown): string {
  const path = join(directory, name)
  writeFileSync(path, JSON.stringify(content, null, 2))
  return path
}

const stored = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

describe.each(FILES)('a bad row in $name', ({ name, key, good, bad, open }) => {
  const [first, second] = good

  test('is not used, is named with its line, and leaves the others in use', () => {
    const directory = tempDirectory()
    const path = save(directory, name, { [key]: [first, bad, second] })
    const store = open(directory)
    expect(store.list()).toHaveLength(2)
    expect(store.list()).toEqual(expect.arrayContaining([first, second]))
    expect(store.problem()).toBeUndefined()
    const [problem, ...others] = store.problems()
    expect(others).toEqual([])
    expect(problem).toMatchObject({ kind: 'row', path, message: expect.stringContaining(`${key}[1]`) })
    const lines = readFileSync(path, 'utf8').split('\n')
    const firstLineOfBad = lines.indexOf('    },') + 2
    expect(problem?.line).toBeGreaterThanOrEqual(firstLineOfBad)
    expect(problem?.line).toBeLessThan(lines.length - 2)
  })

  test('is used once it is fixed, and watchers are told of both', async () => {
    const directory = tempDirectory()
    save(directory, name, { [key]: [first, second] })
    const store = open(directory)
    const seen: number[] = []
    onTestFinished(store.watch(() => seen.push(store.problems().length)))
    save(directory, name, { [key]: [first, bad] })
    await vi.waitUntil(() => seen.at(-1) === 1, { timeout: 5_000, interval: 5 })
    save(directory, name, { [key]: [first, second] })
    await vi.waitUntil(() => seen.at(-1) === 0, { timeout: 5_000, interval: 5 })
    expect(store.list()).toHaveLength(2)
  })
})

test.each(FILES.filter(({ change }) => change))(
  'a bad row in $name stays as it is when another row changes',
  async ({ name, key, good: [first, second], bad, open, change }) => {
    const directory = tempDirectory()
    const path = save(directory, name, { note: 'mine', [key]: [first, bad, second] })
    await change?.(directory)
    const content = stored(path)
    expect(content.note).toBe('mine')
    expect(content[key]).toHaveLength(3)
    const place = content[key].findIndex((row: unknown) => JSON.stringify(row) === JSON.stringify(bad))
    expect(content[key][place + 1]).toEqual(second)
    expect(content[key]).not.toContainEqual(first)
    const after = open(directory)
    after.look()
    expect(after.problems()).toHaveLength(1)
  },
)

test('bad rows keep their places between the others, whatever becomes of those', async () => {
  const directory = tempDirectory()
  const names = (rows: readonly { readonly name: string }[]) => rows.map(({ name }) => name.slice(0, 2)).join(' ')
  const bad = (name: string) => hook(name, { secret: '' })
  const rows = [
    bad('b0'),
    hook('aaaaaaaa'),
    bad('b1'),
    bad('b2'),
    hook('cccccccc'),
    bad('b3'),
    hook('eeeeeeee'),
    bad('b4'),
  ]
  const path = save(directory, 'hooks.json', { hooks: rows })
  const store = openHookStore(directory)
  const order = () => names(stored(path).hooks)
  await store.rotate('cccccccc')
  expect(order()).toBe('b0 aa b1 b2 cc b3 ee b4')
  await store.revoke('cccccccc')
  expect(order()).toBe('b0 aa b1 b2 b3 ee b4')
  await store.create({ name: 'new', command: 'echo ok' })
  expect(order()).toBe('b0 aa b1 b2 b3 ee b4 ne')
  await store.revokeAll()
  expect(order()).toBe('b0 b1 b2 b3 b4')
})

describe('a row that is to be written', () => {
  test('is refused when it is not valid, beside rows that were set aside before', async () => {
    const directory = tempDirectory()
    const path = save(directory, 'accounts.json', { accounts: [account('a b'), account('main')] })
    const before = readFileSync(path, 'utf8')
    const written = openAccountStore(directory).merge({ name: 'new', exchange: '', createdAt: 1 })
    await expect(written).rejects.toMatchObject({
      code: 'invalid-value',
      message: 'accounts.json: accounts[1].exchange must not be empty',
    })
    expect(readFileSync(path, 'utf8')).toBe(before)
  })
})

test('of very many bad rows the first twenty are named, and the rest are counted', () => {
  const directory = tempDirectory()
  save(directory, 'hooks.json', { hooks: [...Array(5_000).fill({ id: 1 }), hook('aaaaaaaa')] })
  const store = openHookStore(directory)
  expect(store.list()).toHaveLength(1)
  const problems = store.problems()
  expect(problems).toHaveLength(21)
  expect(problems.at(-1)?.message).toBe('and 4980 more rows are not valid')
})

test('no problem repeats a secret', () => {
  const directory = tempDirectory()
  const secret = 'S3CR3T'.repeat(6)
  save(directory, 'accounts.json', { accounts: [{ ...account('main'), apiKey: [secret], [secret]: 1 }] })
  const store = openAccountStore(directory)
  store.look()
  expect(JSON.stringify(store.problems())).not.toContain('S3CR3T')
  expect(store.problems()).toHaveLength(1)
})

describe('other spellings', () => {
  const spelled = hook('dip', { id: HEX.toUpperCase().repeat(2), secret: HEX.toUpperCase().repeat(2), createdAt: ISO })

  test('hex of any case and a time as ISO text are read', () => {
    const directory = tempDirectory()
    save(directory, 'hooks.json', { hooks: [spelled] })
    const store = openHookStore(directory)
    const read = { ...spelled, id: HEX.repeat(2), secret: HEX.repeat(2), createdAt: TIME }
    expect(store.list()).toEqual([read])
    expect(store.findOncePerTurn(HEX.repeat(2))).toEqual(read)
    expect(store.problems()).toEqual([])
  })

  test.each([
    ['2026-03-11T14:30:00Z', TIME],
    ['2026-03-11T15:30:00+01:00', TIME],
    ['2026-03-11T14:30:00.250Z', TIME + 250],
  ])('%s is a time', (createdAt, ms) => {
    const directory = tempDirectory()
    save(directory, 'accounts.json', { accounts: [account('main', { createdAt, updatedAt: createdAt })] })
    expect(openAccountStore(directory).find('main')).toMatchObject({ createdAt: ms, updatedAt: ms })
  })

  test.each(['2026-03-11', '2026-03-11T14:30:00', 'yesterday', '1773239400000', ''])('"%s" is not', (createdAt) => {
    const directory = tempDirectory()
    save(directory, 'accounts.json', { accounts: [account('main', { createdAt })] })
    expect(openAccountStore(directory).list()).toEqual([])
  })

  test('null is the same as absent where a field may be absent, and nowhere else', async () => {
    const directory = tempDirectory()
    const pinned = hook('aaaaaaaa', { account: null, parallel: null, note: null })
    const path = save(directory, 'hooks.json', {
      hooks: [pinned, hook('bbbbbbbb', { command: null }), hook('cccccccc')],
    })
    const hooks = openHookStore(directory)
    expect(hooks.list()).toEqual([hook('aaaaaaaa', { note: null }), hook('cccccccc')])
    expect(hooks.problems()).toHaveLength(1)
    await hooks.revoke('cccccccc')
    expect(stored(path)).toEqual({ hooks: [pinned, hook('bbbbbbbb', { command: null })] })

    save(directory, 'accounts.json', { accounts: [account('main', { apiKey: null, deletedAt: null })] })
    expect(openAccountStore(directory).list()).toEqual([account('main')])
  })

  test('a tombstone may say when in ISO text', () => {
    const directory = tempDirectory()
    save(directory, 'accounts.json', { accounts: [account('main', { deletedAt: ISO })] })
    const store = openAccountStore(directory)
    expect([store.list(), store.problems()]).toEqual([[], []])
  })

  test('stay as they are in rows that an update leaves alone', async () => {
    const directory = tempDirectory()
    const path = save(directory, 'hooks.json', { hooks: [spelled, hook('aaaaaaaa')] })
    const store = openHookStore(directory)
    await store.revoke('aaaaaaaa')
    expect(stored(path)).toEqual({ hooks: [spelled] })
    const { secret } = await store.rotate(HEX)
    expect(stored(path)).toEqual({ hooks: [hook('dip', { id: HEX.repeat(2), secret, createdAt: TIME })] })
  })

  test('are read in the identity and in the heartbeat', async () => {
    const directory = tempDirectory()
    save(directory, 'listener.json', { listenerId: A, createdAt: ISO })
    await expect(openIdentity(directory).load()).resolves.toEqual({ listenerId: A, createdAt: TIME })
    save(directory, 'cross-trade-running.json', { pid: 1, startedAt: ISO, heartbeatAt: ISO })
    const engine = openCrossTradeEngine(directory, () => TIME + 1_000)
    expect(engine.read()).toEqual({ running: true, pid: 1, startedAt: TIME })
  })
})
