import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openIdentity } from '../../src/stores/identity.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

describe('listener identity', () => {
  test('is made on the first run and stays', async () => {
    const directory = tempDirectory()
    const made = await openIdentity(directory, () => 5).load()
    expect(made).toEqual({ listenerId: expect.stringMatching(UUID), createdAt: 5 })
    expect(readJson(join(directory, 'listener.json'))).toEqual(made)
    await expect(openIdentity(directory).load()).resolves.toEqual(made)
  })

  test('is one for all who ask at once', async () => {
    const directory = tempDirectory()
    const stores = [openIdentity(directory), openIdentity(directory)]
    const loaded = await Promise.all([...stores, ...stores].map((store) => store.load()))
    expect(new Set(loaded.map((identity) => identity.listenerId)).size).toBe(1)
  })

  test.each(['{', '{"listenerId":"me","createdAt":1}'])('is never made anew over a bad file: %s', async (text) => {
    const directory = tempDirectory()
    const path = join(directory, 'listener.json')
    writeFileSync(path, text)
    const store = openIdentity(directory)
    await expect(store.load()).rejects.toMatchObject({ code: 'store-corrupt' })
    expect(store.problem()).toMatchObject({ path, line: 1 })
    expect(readFileSync(path, 'utf8')).toBe(text)
  })
})
