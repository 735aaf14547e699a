import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openConfigStore } from '../../src/stores/config.ts'
import { GRACE_MS } from '../../src/stores/fresh-reader.ts'

function config(content?: unknown) {
  const directory = tempDirectory()
  const path = join(directory, 'config.json')
  const write = (next: unknown) => writeFileSync(path, JSON.stringify(next))
  if (content !== undefined) write(content)
  return { path, write, store: openConfigStore(directory), stored: () => JSON.parse(readFileSync(path, 'utf8')) }
}

const open = { enabled: true, accountSync: true, remoteExec: true, allowedOrigins: undefined }

test('has the defaults of behaviour 108 where nothing is written', () => {
  const defaults = {
    defaultAccount: 'paper',
    defaultSymbol: 'BTCUSDT',
    webUrl: 'http://127.0.0.1:53220',
    auth: {},
    notices: { channels: [] },
    metrics: {},
    web: { enabled: true },
    listener: open,
  }
  expect(config().store.read()).toEqual(defaults)
  expect(config({}).store.read()).toEqual(defaults)
})

test('reads what is written, each flag by itself', () => {
  const { store } = config({
    defaultAccount: 'main',
    webUrl: 'https://example.com',
    auth: { issuer: 'https://id.example.com', clientId: 'desk', token: 'x' },
    listener: { remoteExec: false, allowedOrigins: ['https://example.com'] },
  })
  expect(store.read()).toEqual({
    defaultAccount: 'main',
    defaultSymbol: 'BTCUSDT',
    webUrl: 'https://example.com',
    auth: { issuer: 'https://id.example.com', clientId: 'desk' },
    notices: { channels: [] },
    metrics: {},
    web: { enabled: true },
    listener: { ...open, remoteExec: false, allowedOrigins: ['https://example.com'] },
  })
})

test('sees a flag turned off in the next turn of the event loop', async () => {
  const { store, write } = config({ listener: { enabled: true } })
  expect(store.readOncePerTurn().listener.enabled).toBe(true)
  write({ listener: { enabled: false } })
  await nextTurn()
  expect(store.readOncePerTurn().listener.enabled).toBe(false)
})

const closed = { enabled: false, accountSync: false, remoteExec: false, allowedOrigins: [] }

describe('a switch in any doubt is off, and the file says why', () => {
  const off = (...names: string[]) => ({ ...open, ...Object.fromEntries(names.map((name) => [name, false])) })
  const all = off('enabled', 'accountSync', 'remoteExec')

  test.each<[string, unknown, object]>([
    ['listener.enabled must be true or false, and counts as off', { listener: { enabled: 'no' } }, off('enabled')],
    ['listener.accountSync must be true or false', { listener: { accountSync: null } }, off('accountSync')],
    ['listener.remoteexec is probably meant to be remoteExec', { listener: { remoteexec: false } }, off('remoteExec')],
    ['listener.remote_exec is probably', { listener: { remote_exec: true, remoteExec: true } }, off('remoteExec')],
    ['listener.remotExec is probably', { listener: { remotExec: false } }, off('remoteExec')],
    ['listener.remoteExce is probably', { listener: { remoteExce: false } }, off('remoteExec')],
    ['listener.remoteExecution is probably', { listener: { remoteExecution: false } }, off('remoteExec')],
    ['listener.account-sync is probably', { listener: { 'account-sync': false } }, off('accountSync')],
    ['listener.Enabled is probably', { listener: { Enabled: false } }, off('enabled')],
    ['listener.disabled is probably meant to be enabled', { listener: { disabled: true } }, off('enabled')],
    [
      'remoteExec is probably meant to be remoteExec in listener, which counts as off',
      { remoteExec: false },
      off('remoteExec'),
    ],
    ['remoteexec is probably meant to be remoteExec in listener', { remoteexec: false }, off('remoteExec')],
    ['listener.remoteExec is probably', { 'listener.remoteExec': false }, off('remoteExec')],
    [
      'Listener is probably meant to be listener, so every switch counts as off',
      { Listener: { remoteExec: false } },
      all,
    ],
    ['listner is probably meant to be listener', { listener: {}, listner: { remoteExec: false } }, all],
    ['listener must be an object', { listener: true }, { ...closed }],
    ['listener must be an object', { listener: [] }, { ...closed }],
    ['listener must be an object', { listener: null }, { ...closed }],
  ])('%s: %j', (message, content, flags) => {
    const { store } = config(content)
    expect(store.read().listener).toEqual(flags)
    expect(store.readOncePerTurn().listener).toEqual(flags)
    expect(store.problem()).toBeUndefined()
    expect(store.problems()).toMatchObject([{ kind: 'switch', line: 1, message: expect.stringContaining(message) }])
  })

  test('also when the file was good before, and until it is fixed', () => {
    const { store, write } = config({ listener: { remoteExec: true } })
    expect(store.read().listener).toEqual(open)
    write({ listener: { remotexec: false } })
    expect(store.read().listener).toEqual(off('remoteExec'))
    write({ listener: { remoteExec: true } })
    expect(store.read().listener).toEqual(open)
    expect(store.problems()).toEqual([])
  })

  test('a name that resembles none turns nothing off, and is told of in listener', () => {
    const names = { theme: 'dark', remote: true, listenerNotes: 'mine', enabledIn: 2026, disabled: true }
    const { store } = config({ ...names, listener: { port: 1 } })
    expect(store.read().listener).toEqual(open)
    expect(store.problems()).toMatchObject([{ kind: 'setting', message: 'listener.port is not a setting' }])
  })
})

describe('a name that is there twice', () => {
  test.each([
    ['listener', '{"listener":{"remoteExec":false},"listener":{}}'],
    ['listener.remoteExec', '{"listener":{"remoteExec":false,"remoteExec":true}}'],
    ['listener.enabled', '{"listener":{"enabled":false,"x":[{"enabled":1}],"enabled":true}}'],
    ['listener.allowedOrigins', '{"listener":{"allowedOrigins":[],"allowedOrigins":["https://a.example"]}}'],
  ])('turns everything off: %s', (name, text) => {
    const { store, path } = config()
    writeFileSync(path, text)
    expect(store.read().listener).toEqual(closed)
    expect(store.problem()).toMatchObject({ kind: 'file', message: `${name} appears twice` })
  })

  test('refuses to be written over, for one of the two would be lost', async () => {
    const { store, path } = config()
    const text = '{"listener":{"remoteExec":false},"listener":{}}'
    writeFileSync(path, text)
    await expect(store.focus({ symbol: 'ETHUSDT' })).rejects.toMatchObject({ code: 'store-corrupt' })
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  test('elsewhere in the file does no harm', () => {
    const { store, path } = config()
    writeFileSync(
      path,
      '{"theme":1,"theme":2,"a":{"listener":1,"listener":2},"listener":{"x":{"enabled":1,"enabled":2}}}',
    )
    expect(store.read().listener).toEqual(open)
  })
})

test.each<[string, object, object]>([
  ['defaultAccount must be a string', { defaultAccount: 1 }, { defaultAccount: 'paper' }],
  ['defaultSymbol must be a string', { defaultSymbol: null }, { defaultSymbol: 'BTCUSDT' }],
  ['auth must be an object', { auth: 'me' }, { auth: {} }],
  ['auth.issuer must be a string', { auth: { issuer: null, clientId: 'desk' } }, { auth: { clientId: 'desk' } }],
  [
    'auth.email is not read any more: `hookline login` knows the address, verified',
    { auth: { email: 'a@example.com' } },
    { auth: {} },
  ],
  [
    'webUrl must be a URL that begins with http:// or https://',
    { webUrl: 'localhost:53220' },
    { webUrl: 'http://127.0.0.1:53220' },
  ],
  [
    'listener.allowedOrigins must be an array; every web page is refused',
    { listener: { allowedOrigins: 'https://example.com' } },
    { listener: { ...open, allowedOrigins: [] } },
  ],
  [
    'listener.allowedOrigins[1] must be a string; every web page is refused',
    { listener: { allowedOrigins: ['https://a.example', 1] } },
    { listener: { ...open, allowedOrigins: [] } },
  ],
])('a setting that cannot be used falls back, and is named: %s', (message, content, read) => {
  const { store } = config({ ...content })
  expect(store.read()).toMatchObject({ listener: { enabled: true, remoteExec: true }, ...read })
  expect(store.problem()).toBeUndefined()
  expect(store.problems()).toMatchObject([{ kind: 'setting', line: 1, message }])
})

describe('a file that was good', () => {
  const grace = () => sleep(GRACE_MS + 20)
  const replacedBy = (make: (path: string) => void) => (path: string) => {
    rmSync(path)
    make(path)
  }

  test.each<[string, (path: string) => void]>([
    ['becomes bad', (path) => writeFileSync(path, '{"listener":{"remoteExec":false,}}')],
    ['is emptied', (path) => writeFileSync(path, '')],
    ['is gone', (path) => rmSync(path)],
    ['becomes a link to nothing', replacedBy((path) => symlinkSync('nothing.json', path))],
    ['becomes a directory', replacedBy((path) => mkdirSync(path))],
    ['may be written by others', (path) => chmodSync(path, 0o666)],
  ])('and %s serves on for a moment, and then everything is off until it is good again', async (_what, damage) => {
    const { store, write, path } = config({ defaultSymbol: 'ETHUSDT', listener: { accountSync: false } })
    const before = store.read()
    damage(path)
    expect(store.read()).toEqual(before)
    await grace()
    expect(store.read()).toEqual({ ...before, listener: closed })
    expect(store.readOncePerTurn().listener).toEqual(closed)
    expect(store.problems()[0]?.kind).toMatch(/switch|file/)
    rmSync(path, { recursive: true, force: true })
    expect(store.read().listener).toEqual(closed)
    write({})
    expect(store.read().listener).toEqual(open)
    expect(store.problems()).toEqual([])
  })

  test('and goes from one bad state to another has no new moment of grace', async () => {
    const { store, write, path } = config({})
    store.read()
    writeFileSync(path, '{')
    store.read()
    await grace()
    rmSync(path)
    expect(store.read().listener).toEqual(closed)
    writeFileSync(path, '[')
    expect(store.read().listener).toEqual(closed)
    write({})
    expect(store.read().listener).toEqual(open)
  })

  test('and is gone is written again by a change of focus, with everything as it was', async () => {
    const { store, stored, path } = config({ theme: 'dark', listener: { remoteExec: false } })
    store.read()
    rmSync(path)
    store.read()
    await grace()
    expect(store.read().listener).toEqual(closed)
    await store.focus({ symbol: 'ETHUSDT' })
    expect(stored()).toEqual({ theme: 'dark', listener: { remoteExec: false }, defaultSymbol: 'ETHUSDT' })
    expect(store.read().listener).toEqual({ ...open, remoteExec: false })
  })

  test('tells of being off without another change of the file', async () => {
    const { store, path } = config({})
    const told: boolean[] = []
    onTestFinished(store.watch(() => told.push(store.read().listener.enabled)))
    const from = performance.now()
    rmSync(path)
    await vi.waitUntil(() => told.includes(false), { interval: 5, timeout: 3_000 })
    expect(performance.now() - from).toBeLessThan(1_500)
  })
})

test.each<[string, (directory: string, path: string) => void]>([
  ['a link to nothing', (_directory, path) => symlinkSync('nothing.json', path)],
  ['a link to itself', (_directory, path) => symlinkSync(path, path)],
  ['a FIFO', (_directory, path) => execFileSync('mkfifo', [path])],
  ['a device', (_directory, path) => symlinkSync('/dev/zero', path)],
])('%s from the start forbids everything', (_what, make) => {
  const { store, path } = config()
  make(join(path, '..'), path)
  expect(store.read().listener).toEqual(closed)
  expect(store.problem()?.kind).toBe('file')
})

test('of a newer file a switch that is not said is off, since it may have another name there', () => {
  const { store } = config({ version: 2, listener: { enabled: true, remoteExec: true, remoteControl: false } })
  expect(store.read().listener).toEqual({ ...open, accountSync: false })
  expect(store.problems().map(({ kind }) => kind)).toEqual(['newer', 'setting', 'switch'])
})

test('keeps the focus, and writes neither defaults nor what is not changed', async () => {
  const { store, stored } = config({ theme: 'dark', listener: { enabled: false, port: 1 } })
  await store.focus({ symbol: 'ETHUSDT' })
  expect(stored()).toEqual({ theme: 'dark', listener: { enabled: false, port: 1 }, defaultSymbol: 'ETHUSDT' })
  await store.focus({ account: 'paper', symbol: 'ETHUSDT' })
  expect(stored()).not.toHaveProperty('defaultAccount')
  await store.focus({ account: 'main' })
  expect(store.read()).toMatchObject({ defaultAccount: 'main', defaultSymbol: 'ETHUSDT' })
})

test('notices are changed as they are in the file, and everything else in it stays', async () => {
  const { store, stored } = config({ listener: { remoteExec: false }, notices: { later: 1, desktop: true } })
  expect(store.read().notices).toEqual({ channels: [{ name: 'desktop', type: 'desktop' }] })
  await store.changeNotices((notices) => ({ ...(notices as object), quiet: '22:00-07:00' }))
  expect(stored()).toEqual({
    listener: { remoteExec: false },
    notices: { later: 1, desktop: true, quiet: '22:00-07:00' },
  })
  expect(store.read().notices.quiet).toBe('22:00-07:00')
})

describe('metrics.listen', () => {
  test.each([
    ['127.0.0.1:9464', { kind: 'loopback', host: '127.0.0.1', port: 9464 }],
    ['[::1]:9464', { kind: 'loopback', host: '::1', port: 9464 }],
    ['/run/user/1000/hookline.sock', { kind: 'socket', path: '/run/user/1000/hookline.sock' }],
  ])('reads %s', (listen, wanted) => {
    const { store } = config({ metrics: { listen } })
    expect(store.read().metrics).toEqual({ listen: wanted })
    expect(store.problems()).toEqual([])
  })

  const shape = 'must be the absolute path of a socket, `127.0.0.1:<port>` or `[::1]:<port>`'
  test.each([
    ['every address of the machine', { listen: '0.0.0.0:9464' }, `metrics.listen ${shape}`],
    ['every address, in short', { listen: ':9464' }, `metrics.listen ${shape}`],
    ['an address of the network', { listen: '192.168.1.2:9464' }, `metrics.listen ${shape}`],
    ['a name', { listen: 'localhost:9464' }, `metrics.listen ${shape}`],
    ['another loopback address', { listen: '127.0.0.2:9464' }, `metrics.listen ${shape}`],
    ['a path that is not absolute', { listen: 'metrics.sock' }, `metrics.listen ${shape}`],
    ['the port of the listener', { listen: '127.0.0.1:53219' }, `metrics.listen ${shape}`],
    ['the port of the console', { listen: '[::1]:53220' }, `metrics.listen ${shape}`],
    ['port 0', { listen: '127.0.0.1:0' }, `metrics.listen ${shape}`],
    ['port 65536', { listen: '127.0.0.1:65536' }, `metrics.listen ${shape}`],
    ['a number', { listen: 9464 }, `metrics.listen ${shape}`],
    ['a list', ['127.0.0.1:9464'], 'metrics must be an object'],
    ['a misspelt name', { lisen: '127.0.0.1:9464' }, 'metrics.lisen is probably meant to be listen'],
    ['another name', { port: 9464 }, 'metrics.port is not a setting'],
  ])('serves nothing for %s, and names it', (_, metrics, message) => {
    const { store } = config({ metrics })
    expect(store.read().metrics).toEqual({})
    expect(store.problems().map((problem) => [problem.kind, problem.message])).toEqual([
      ['setting', expect.stringContaining(message)],
    ])
  })
})
