import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { key } from '../../harness/wire/frame-samples.ts'
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
    expect(store.find('aaaaaaaa-1')).toEqual([again])
    expect(store.find('aaaaaaaa')).toEqual([])
    expect(store.find('__proto__')).toEqual([])
  })

  test('are revoked by prefix, by whole id of any length, or all', async () => {
    const store = openTrustedClients(tempDirectory())
    for (const id of ['aaaaaaaa-1', 'aaaaaaaa-2', 'tab', 'bbbbbbbb']) await store.add(client(id))
    await expect(store.revoke('aaaaaaaa')).rejects.toMatchObject({ code: 'ambiguous' })
    await expect(store.revoke('bbbb')).rejects.toMatchObject({ code: 'prefix-too-short' })
    await expect(store.revoke('cccccccc')).rejects.toMatchObject({ code: 'not-found' })
    await expect(store.revoke('aaaaaaaa-1')).resolves.toMatchObject([{ clientId: 'aaaaaaaa-1' }])
    await expect(store.revoke('tab')).resolves.toMatchObject([{ clientId: 'tab' }])
    expect(store.list().map((row) => row.clientId)).toEqual(['aaaaaaaa-2', 'bbbbbbbb'])
    await expect(store.revokeAll()).resolves.toBe(2)
    expect(store.list()).toEqual([])
  })

  test('are trusted on the origin they were approved on, at once and no longer than that', async () => {
    const store = openTrustedClients(tempDirectory())
    const { origin } = client('aaaaaaaa-1')
    expect(store.standingOf({ clientId: 'aaaaaaaa-1', origin })).toBe('unknown')
    await store.add(client('aaaaaaaa-1'))
    expect(store.standingOf({ clientId: 'aaaaaaaa-1', origin })).toBe('trusted')
    expect(store.standingOf({ clientId: 'aaaaaaaa', origin })).toBe('unknown')
    for (const other of [
      'http://localhost:53220',
      'http://127.0.0.1:5322',
      'https://127.0.0.1:53220',
      `${origin}/`,
      '',
    ]) {
      expect(store.standingOf({ clientId: 'aaaaaaaa-1', origin: other })).toBe('unknown')
    }
    await store.add({ ...client('aaaaaaaa-1'), origin: 'http://localhost:53220' })
    expect(store.standingOf({ clientId: 'aaaaaaaa-1', origin })).toBe('trusted')
    expect(store.standingOf({ clientId: 'aaaaaaaa-1', origin: 'http://localhost:53220' })).toBe('trusted')
    await store.revokeAll()
    expect(store.standingOf({ clientId: 'aaaaaaaa-1', origin: 'http://localhost:53220' })).toBe('unknown')
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
    expect(rows.map((row) => store.standingOf(row))).toEqual(['trusted', 'trusted'])
  })

  test('added by another process are trusted in the next turn of the event loop', async () => {
    const directory = tempDirectory()
    const store = openTrustedClients(directory)
    const { clientId, origin } = client('aaaaaaaa-1')
    expect(store.standingOf({ clientId, origin })).toBe('unknown')
    const row = { ...client(clientId), approvedAt: 1 }
    writeFileSync(join(directory, 'trusted-clients.json'), JSON.stringify({ clients: [row] }))
    await nextTurn()
    expect(store.standingOf({ clientId, origin })).toBe('trusted')
  })

  test('on an origin that somebody wrote with a slash at its end are trusted, and approved anew in one row', async () => {
    const directory = tempDirectory()
    const { clientId, origin } = client('aaaaaaaa-1')
    const row = { ...client(clientId), origin: `${origin}/`, approvedAt: 1 }
    writeFileSync(join(directory, 'trusted-clients.json'), JSON.stringify({ clients: [row] }))
    const store = openTrustedClients(directory)
    expect(store.standingOf({ clientId, origin })).toBe('trusted')
    await store.add(client(clientId))
    expect(store.list()).toHaveLength(1)
  })

  describe('with a key', () => {
    const other = `BA${'o'.repeat(84)}A`
    const twin = 'http://localhost:53220'
    const opened = async (...rows: { origin?: string; key?: string }[]) => {
      const store = openTrustedClients(tempDirectory())
      for (const row of rows) await store.add({ ...client('aaaaaaaa-1'), ...row })
      return (caller: { origin?: string; key?: string }) => {
        const whole = { ...client('aaaaaaaa-1'), ...caller }
        return [store.standingOf(whole), store.formerTrustOf(whole)]
      }
    }

    test('are trusted with that key alone', async () => {
      const ask = await opened({ key })
      expect(ask({ key })).toEqual(['trusted', undefined])
      expect(ask({ key: other })).toEqual(['unknown', 'with-other-key'])
      expect(ask({})).toEqual(['keyed', 'with-other-key'])
    })

    test('are nobody on another origin without it, and are asked about with it', async () => {
      const ask = await opened({ key })
      expect(ask({ origin: twin })).toEqual(['keyed', 'with-other-key'])
      expect(ask({ origin: twin, key })).toEqual(['unknown', undefined])
      expect(ask({ origin: twin, key: other })).toEqual(['unknown', 'with-other-key'])
    })

    test('are asked about again where they were approved without one, and go on without it meanwhile', async () => {
      const ask = await opened({})
      expect(ask({ key })).toEqual(['unknown', 'without-key'])
      expect(ask({})).toEqual(['trusted', undefined])
    })

    test('may have one on each origin, and none on a third that was approved so', async () => {
      const ask = await opened({}, { origin: twin, key }, { origin: 'https://app.test', key: other })
      expect(ask({})[0]).toBe('trusted')
      expect(ask({ origin: twin, key })[0]).toBe('trusted')
      expect(ask({ origin: twin })[0]).toBe('keyed')
      expect(ask({ origin: 'https://app.test', key })[0]).toBe('unknown')
    })

    test('are not trusted without it because of a second row that somebody wrote for the same origin', async () => {
      const directory = tempDirectory()
      const row = { ...client('aaaaaaaa-1'), approvedAt: 1 }
      writeFileSync(join(directory, 'trusted-clients.json'), JSON.stringify({ clients: [row, { ...row, key }] }))
      const store = openTrustedClients(directory)
      expect(store.standingOf(client('aaaaaaaa-1'))).toBe('keyed')
    })

    test('keep it when they are approved anew without one, until they are revoked', async () => {
      const store = openTrustedClients(tempDirectory())
      await store.add({ ...client('aaaaaaaa-1'), key })
      expect(await store.add(client('aaaaaaaa-1'))).toMatchObject({ key })
      expect(store.standingOf(client('aaaaaaaa-1'))).toBe('keyed')
      await store.revoke('aaaaaaaa-1')
      await store.add(client('aaaaaaaa-1'))
      expect(store.standingOf(client('aaaaaaaa-1'))).toBe('trusted')
    })

    test('that is none are not used, and not taken', async () => {
      const directory = tempDirectory()
      const row = { ...client('aaaaaaaa-1'), approvedAt: 1, key: 'mine' }
      writeFileSync(join(directory, 'trusted-clients.json'), JSON.stringify({ clients: [row] }))
      const store = openTrustedClients(directory)
      expect(store.standingOf(client('aaaaaaaa-1'))).toBe('unknown')
      await expect(store.add({ ...client('bbbbbbbb'), key: 'mine' })).rejects.toMatchObject({ code: 'invalid-value' })
    })
  })

  test.each(['', 'x'.repeat(65)])('with the id "%s" are refused', async (clientId) => {
    const store = openTrustedClients(tempDirectory())
    await expect(store.add(client(clientId))).rejects.toMatchObject({ code: 'invalid-value' })
  })

  test('are none while the file is bad from the start', () => {
    const directory = tempDirectory()
    writeFileSync(join(directory, 'trusted-clients.json'), '{"clients":[{"clientId":"aaaaaaaa-1"}]}')
    const store = openTrustedClients(directory)
    expect(store.find('aaaaaaaa-1')).toEqual([])
    expect(store.problems()).toMatchObject([{ kind: 'row', message: 'clients[0].label is missing' }])
  })
})
