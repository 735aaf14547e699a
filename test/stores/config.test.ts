import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openConfigStore } from '../../src/stores/config.ts'

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
    email: '',
    listener: open,
  }
  expect(config().store.read()).toEqual(defaults)
  expect(config({}).store.read()).toEqual(defaults)
})

test('reads what is written, each flag by itself', () => {
  const { store } = config({
    defaultAccount: 'main',
    webUrl: 'https://example.com',
    auth: { email: 'a@example.com', token: 'x' },
    listener: { remoteExec: false, allowedOrigins: ['https://example.com'] },
  })
  expect(store.read()).toEqual({
    defaultAccount: 'main',
    defaultSymbol: 'BTCUSDT',
    webUrl: 'https://example.com',
    email: 'a@example.com',
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

test.each([
  ['listener.enabled must be a boolean', { listener: { enabled: 'no' } }],
  ['listener.allowedOrigins must be an array', { listener: { allowedOrigins: 'https://example.com' } }],
  ['listener.allowedOrigins[1] must be a string', { listener: { allowedOrigins: ['https://a.example', 1] } }],
  ['listener must be an object', { listener: true }],
  ['defaultAccount must be a string', { defaultAccount: 1 }],
  ['auth.email must be a string', { auth: { email: null } }],
  ['webUrl must be a URL that begins with http:// or https://', { webUrl: 'localhost:53220' }],
])('a file bad from the start forbids everything: %s', (message, content) => {
  const { store } = config(content)
  const closed = { enabled: false, accountSync: false, remoteExec: false, allowedOrigins: [] }
  expect(store.read().listener).toEqual(closed)
  expect(store.readOncePerTurn().listener).toEqual(closed)
  expect(store.problem()).toMatchObject({ line: 1, message })
})

test('a file that becomes bad leaves the flags as they were', () => {
  const { store, write } = config({ listener: { remoteExec: false } })
  store.read()
  write({ listener: { remoteExec: 'yes' } })
  expect(store.read().listener).toEqual({ ...open, remoteExec: false })
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
