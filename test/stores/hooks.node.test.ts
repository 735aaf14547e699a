import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { GRACE_MS } from '../../src/stores/fresh-reader.ts'
import { type Hook, openHookStore, scrubHook } from '../../src/stores/hooks.ts'

const row = (start: string, fields: Record<string, unknown> = {}) => ({
  id: start.padEnd(32, '0'),
  name: start,
  secret: 'f'.repeat(32),
  command: 'echo ok',
  createdAt: 1,
  ...fields,
})

function hooks(content?: unknown) {
  const directory = tempDirectory()
  const path = join(directory, 'hooks.json')
  if (content !== undefined) writeFileSync(path, JSON.stringify(content))
  return {
    directory,
    path,
    store: openHookStore(directory, () => 1_000),
    stored: () => JSON.parse(readFileSync(path, 'utf8')),
  }
}

test('creates the row of behaviour 105, and no two alike', async () => {
  const { store, stored } = hooks()
  const dip = await store.create({ name: 'dip', command: 'buy $250 BTCUSDT' })
  const pinned = await store.create({ name: 'pinned', command: 'echo ok', account: 'main' })
  const hex = expect.stringMatching(/^[0-9a-f]{32}$/)
  expect(stored()).toEqual({
    hooks: [
      { id: hex, name: 'dip', secret: hex, command: 'buy $250 BTCUSDT', createdAt: 1_000 },
      { id: hex, name: 'pinned', secret: hex, command: 'echo ok', account: 'main', createdAt: 1_000 },
    ],
  })
  expect(stored().hooks).toEqual([dip, pinned])
  expect(new Set([dip.id, dip.secret, pinned.id, pinned.secret]).size).toBe(4)
})

test('finds a hook that another instance has made', async () => {
  const { directory, store } = hooks()
  const made = await openHookStore(directory).create({ name: 'dip', command: 'echo ok' })
  expect(store.findOncePerTurn(made.id)).toEqual(made)
  expect(store.findOncePerTurn(made.id.slice(0, 31))).toBeUndefined()
  expect(store.findOncePerTurn('__proto__')).toBeUndefined()
})

test.each([
  ['an empty name', { name: '' }],
  ['a name of blanks', { name: '  ' }],
  ['blanks around a name', { name: ' dip' }],
  ['a name of 65 characters', { name: 'x'.repeat(65) }],
  ['a line break in a name', { name: 'a\nb' }],
  ['an escape in a name', { name: 'a\u001b[31m' }],
  ['a direction override in a name', { name: 'a\u202eb' }],
  ['a zero-width space in a name', { name: 'pin\u200bned' }],
  ['a zero-width joiner in a name', { name: 'pin\u200dned' }],
  ['a soft hyphen in a name', { name: 'pin\u00adned' }],
  ['a byte order mark in a name', { name: 'pin\ufeffned' }],
  ['a variation selector in a name', { name: 'dip\ufe0f' }],
  ['a filler in a name', { name: 'dip\u3164' }],
  ['a no-break space in a name', { name: 'my\u00a0hook' }],
  ['half of a surrogate pair in a name', { name: 'a\ud83d' }],
  ['three combining marks in a row', { name: 'e\u0301\u0301\u0301' }],
  ['60 combining marks', { name: `e${'\u0301'.repeat(60)}` }],
  ['a combining mark at the start', { name: '\u0301e' }],
  ['a name that is an option', { name: '--all' }],
  ['an empty command', { command: '' }],
  ['a command of 4097 characters', { command: 'x'.repeat(4_097) }],
  ['an account that cannot exist', { account: '../main' }],
])('refuses %s', async (_what, fault) => {
  const { store } = hooks()
  const created = store.create({ name: 'dip', command: 'echo ok', ...fault })
  await expect(created).rejects.toMatchObject({ code: 'invalid-value', hint: expect.any(String) })
  expect(store.list()).toEqual([])
})

test('takes the longest name and command', async () => {
  const { store } = hooks()
  await store.create({ name: 'Ünï 🎣'.padEnd(64, 'x').slice(0, 64), command: 'x'.repeat(4_096) })
  expect(store.list()).toHaveLength(1)
})

test.each(['Việt', 'Vie\u0302\u0323t', 'नमस्ते', 'Ünï 🎣', '東京', 'my hook'])('takes the name %s', async (name) => {
  const { store } = hooks()
  await store.create({ name, command: 'echo ok' })
  expect(store.resolve(name).name).toBe(name)
})

test('refuses a second hook whose name is composed of other characters', async () => {
  const { store } = hooks()
  await store.create({ name: 'caf\u00e9', command: 'echo ok' })
  await expect(store.create({ name: 'cafe\u0301', command: 'echo ok' })).rejects.toMatchObject({
    code: 'already-exists',
  })
})

test('uses rows whose names could not be made any more', async () => {
  const name = 'pin\u200bned\u0301\u0301\u0301'
  const { store, stored } = hooks({ hooks: [row('aaaaaaaa', { name })] })
  expect(store.problems()).toEqual([])
  expect(store.resolve('aaaaaaaa').name).toBe(name)
  await store.revoke('aaaaaaaa')
  expect(stored()).toEqual({ hooks: [] })
})

test('refuses a second hook of the same name in whatever case', async () => {
  const { store } = hooks()
  await store.create({ name: 'Dip', command: 'echo ok' })
  await expect(store.create({ name: 'dIP', command: 'echo ok' })).rejects.toMatchObject({ code: 'already-exists' })
  expect(store.list()).toHaveLength(1)
})

describe('by id or prefix', () => {
  const content = { hooks: [row('aaaaaaaa1'), row('aaaaaaaa2'), row('bbbbbbbb', { name: 'other' })] }

  test.each([
    ['aaaaaaa', 'prefix-too-short'],
    ['', 'prefix-too-short'],
    ['aaaaaaaa', 'ambiguous'],
    ['cccccccc', 'not-found'],
    ['BBBBBBBB', 'not-found'],
    [`${'bbbbbbbb'.padEnd(32, '0')}0`, 'not-found'],
  ])('"%s" is refused as %s, everywhere alike', async (prefix, code) => {
    const { store, stored } = hooks(content)
    expect(() => store.resolve(prefix)).toThrow(expect.objectContaining({ code }))
    await expect(store.rotate(prefix)).rejects.toMatchObject({ code })
    await expect(store.revoke(prefix)).rejects.toMatchObject({ code })
    expect(stored()).toEqual(content)
  })

  test.each(['aaaaaaaa1', 'aaaaaaaa1'.padEnd(32, '0')])('"%s" finds its hook', (prefix) => {
    expect(hooks(content).store.resolve(prefix).name).toBe('aaaaaaaa1')
  })
})

describe('by name', () => {
  const content = {
    hooks: [
      row('aaaaaaaa1', { name: 'Ping' }),
      row('bbbbbbbb', { name: 'my hook' }),
      row('cccccccc', { name: 'bbbbbbbb' }),
    ],
  }

  test.each([
    ['ping', 'Ping'],
    ['PING', 'Ping'],
    ['my hook', 'my hook'],
    // A whole id finds its own row, whatever another row is called.
    ['cccccccc', 'bbbbbbbb'],
    ['bbbbbbbb0', 'my hook'],
  ])('"%s" finds %s', (typed, name) => {
    expect(hooks(content).store.resolve(typed).name).toBe(name)
  })

  test.each([
    ['pin', 'not-found'],
    ['fade', 'prefix-too-short'],
    ['ping ping', 'not-found'],
    // The name of one, and the beginning of the id of another.
    ['bbbbbbbb', 'ambiguous'],
  ])('"%s" is refused as %s, everywhere alike', async (typed, code) => {
    const { store, stored } = hooks(content)
    expect(() => store.resolve(typed)).toThrow(expect.objectContaining({ code }))
    await expect(store.rotate(typed)).rejects.toMatchObject({ code })
    await expect(store.revoke(typed)).rejects.toMatchObject({ code })
    expect(stored()).toEqual(content)
  })

  test('a name that is the whole id of another keeps that id from nothing', () => {
    const id = 'a'.repeat(32)
    const { store } = hooks({ hooks: [row('b', { name: id }), row('a', { id, name: 'dip' })] })
    expect(store.resolve(id).name).toBe('dip')
  })

  test('rows of one name, made by hand, are ambiguous', () => {
    const twins = { hooks: [row('aaaaaaaa', { name: 'dip' }), row('bbbbbbbb', { name: 'DIP' })] }
    expect(() => hooks(twins).store.resolve('dip')).toThrow(expect.objectContaining({ code: 'ambiguous' }))
  })
})

test('rotating changes the secret only, and at once', async () => {
  const { store, stored } = hooks({ note: 'mine', hooks: [row('aaaaaaaa', { tag: 1 }), row('bbbbbbbb')] })
  const rotated = await store.rotate('aaaaaaaa')
  expect(rotated.secret).toMatch(/^[0-9a-f]{32}$/)
  expect(rotated.secret).not.toBe('f'.repeat(32))
  expect(store.findOncePerTurn(rotated.id)?.secret).toBe(rotated.secret)
  const hooksNow = [row('aaaaaaaa', { tag: 1, secret: rotated.secret }), row('bbbbbbbb')]
  expect(stored()).toEqual({ note: 'mine', hooks: hooksNow })
})

test('revoking removes one, or all and says how many', async () => {
  const { store, stored } = hooks({ note: 'mine', hooks: [row('aaaaaaaa'), row('bbbbbbbb'), row('cccccccc')] })
  await expect(store.revoke('bbbbbbbb')).resolves.toEqual(row('bbbbbbbb'))
  expect(store.list().map((hook) => hook.name)).toEqual(['aaaaaaaa', 'cccccccc'])
  await expect(store.revokeAll()).resolves.toBe(2)
  await expect(store.revokeAll()).resolves.toBe(0)
  expect(stored()).toEqual({ note: 'mine', hooks: [] })
})

test('has no hooks once the file is deleted for good', async () => {
  const { path, store } = hooks({ hooks: [row('aaaaaaaa')] })
  expect(store.list()).toHaveLength(1)
  rmSync(path)
  expect(store.list()).toHaveLength(1)
  await sleep(GRACE_MS + 20)
  expect(store.list()).toEqual([])
})

test.each([
  ['hooks[1].id must be 32 hex characters', { id: 'g'.repeat(32) }],
  ['hooks[1].secret must be 32 hex characters', { secret: 'short' }],
  ['hooks[1].name must not be empty', { name: '' }],
  ['hooks[1].account must be a string', { account: 5 }],
  ['hooks[1].createdAt must be a number', { createdAt: '2026-01-01' }],
])('a bad row is set aside and named, and the others work: %s', (message, fault) => {
  const { store } = hooks({ hooks: [row('aaaaaaaa'), row('bbbbbbbb', fault), row('cccccccc')] })
  expect(store.list().map((hook) => hook.name)).toEqual(['aaaaaaaa', 'cccccccc'])
  expect(store.findOncePerTurn(row('cccccccc').id)?.name).toBe('cccccccc')
  expect(store.problem()).toBeUndefined()
  expect(store.problems()).toMatchObject([{ kind: 'row', line: 1, message }])
})

test('scrubs the secret and all it does not know', () => {
  const hook = row('aaaaaaaa', { account: 'main', oldSecret: 'x' }) as Hook
  const scrubbed = { id: hook.id, name: 'aaaaaaaa', command: 'echo ok', account: 'main', createdAt: 1 }
  expect(scrubHook(hook)).toStrictEqual(scrubbed)
  expect(scrubHook(row('aaaaaaaa'))).not.toHaveProperty('account')
})
