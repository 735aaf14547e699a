import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openTrustedClients } from '../../src/stores/trusted-clients.ts'

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

describe('trusted clients', () => {
  const client = (clientId: string) => ({ clientId, label: 'Console', origin: 'http://127.0.0.1:53220' })

  test('are found once added, and approved anew in one row', async () => {
    const directory = tempDirectory()
    let now = 1
    const store = openTrustedClients(directory, () => now)
    await store.add(client('aaaaaaaa-1'))
    now = 2
    const again = await store.add({ ...client('aaaaaaaa-1'), label: 'Other' })
    expect(store.list()).toEqual([again])
    expect(readJson(join(directory, 'trusted-clients.json'))).toEqual({
      clients: [{ ...client('aaaaaaaa-1'), label: 'Other', approvedAt: 2 }],
    })
    expect(store.find('aaaaaaaa-1')).toEqual(again)
    expect(store.find('aaaaaaaa')).toBeUndefined()
    expect(store.find('__proto__')).toBeUndefined()
  })

  test('are revoked by prefix, by whole id of any length, or all', async () => {
    const store = openTrustedClients(tempDirectory())
    for (const id of ['aaaaaaaa-1', 'aaaaaaaa-2', 'tab', 'bbbbbbbb']) await store.add(client(id))
    await expect(store.revoke('aaaaaaaa')).rejects.toMatchObject({ code: 'ambiguous' })
    await expect(store.revoke('bbbb')).rejects.toMatchObject({ code: 'prefix-too-short' })
    await expect(store.revoke('cccccccc')).rejects.toMatchObject({ code: 'not-found' })
    await expect(store.revoke('aaaaaaaa-1')).resolves.toMatchObject({ clientId: 'aaaaaaaa-1' })
    await expect(store.revoke('tab')).resolves.toMatchObject({ clientId: 'tab' })
    expect(store.list().map((row) => row.clientId)).toEqual(['aaaaaaaa-2', 'bbbbbbbb'])
    await expect(store.revokeAll()).resolves.toBe(2)
    expect(store.list()).toEqual([])
  })

  test('are trusted on the origin they were approved on, at once and no longer than that', async () => {
    const store = openTrustedClients(tempDirectory())
    const { origin } = client('aaaaaaaa-1')
    expect(store.isTrusted('aaaaaaaa-1', origin)).toBe(false)
    await store.add(client('aaaaaaaa-1'))
    expect(store.isTrusted('aaaaaaaa-1', origin)).toBe(true)
    expect(store.isTrusted('aaaaaaaa', origin)).toBe(false)
    for (const other of [
      'http://localhost:53220',
      'http://127.0.0.1:5322',
      'https://127.0.0.1:53220',
      `${origin}/`,
      '',
    ]) {
      expect(store.isTrusted('aaaaaaaa-1', other)).toBe(false)
    }
    await store.add({ ...client('aaaaaaaa-1'), origin: 'http://localhost:53220' })
    expect(store.isTrusted('aaaaaaaa-1', origin)).toBe(false)
    expect(store.isTrusted('aaaaaaaa-1', 'http://localhost:53220')).toBe(true)
    await store.revokeAll()
    expect(store.isTrusted('aaaaaaaa-1', 'http://localhost:53220')).toBe(false)
  })

  test('are trusted on each of two origins where the file has two rows', () => {
    const directory = tempDirectory()
    const rows = ['http://a.test', 'http://b.test'].map((origin) => ({
      ...client('aaaaaaaa-1'),
      origin,
      approvedAt: 1,
    }))
    writeFileSync(join(directory, 'trusted-clients.json'), JSON.stringify({ clients: rows }))
    const store = openTrustedClients(directory)
    expect(rows.map(({ clientId, origin }) => store.isTrusted(clientId, origin))).toEqual([true, true])
  })

  test('added by another process are trusted in the next turn of the event loop', async () => {
    const directory = tempDirectory()
    const store = openTrustedClients(directory)
    const { clientId, origin } = client('aaaaaaaa-1')
    expect(store.isTrusted(clientId, origin)).toBe(false)
    const row = { ...client(clientId), approvedAt: 1 }
    writeFileSync(join(directory, 'trusted-clients.json'), JSON.stringify({ clients: [row] }))
    await nextTurn()
    expect(store.isTrusted(clientId, origin)).toBe(true)
  })

  test.each(['', 'x'.repeat(65)])('with the id "%s" are refused', async (clientId) => {
    const store = openTrustedClients(tempDirectory())
    await expect(store.add(client(clientId))).rejects.toMatchObject({ code: 'invalid-value' })
  })

  test('are none while the file is bad from the start', () => {
    const directory = tempDirectory()
    writeFileSync(join(directory, 'trusted-clients.json'), '{"clients":[{"clientId":"aaaaaaaa-1"}]}')
    const store = openTrustedClients(directory)
    expect(store.find('aaaaaaaa-1')).toBeUndefined()
    expect(store.problems()).toMatchObject([{ kind: 'row', message: 'clients[0].label is missing' }])
  })
})
