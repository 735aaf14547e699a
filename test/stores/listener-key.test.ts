import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { publicKey as publicKeyForm } from '../../src/protocol/proof.ts'
import { openListenerKey } from '../../src/stores/identity.ts'

const P384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ format: 'der', type: 'pkcs8' })

describe('the key of an installation', () => {
  test('is made on the first run, for its user alone, and stays', async () => {
    const directory = tempDirectory()
    const made = await openListenerKey(directory, () => 5).load()
    const path = join(directory, 'listener-key.json')
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ privateKey: expect.any(String), createdAt: 5 })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(publicKeyForm.safeParse(made.publicKey).success).toBe(true)
    const again = openListenerKey(directory)
    expect(again.publicKey()).toBe(made.publicKey)
    expect((await again.load()).publicKey).toBe(made.publicKey)
  })

  test('signs what its public key verifies', async () => {
    const { privateKey } = await openListenerKey(tempDirectory()).load()
    const bytes = Buffer.from('bytes')
    expect(verify('sha256', bytes, createPublicKey(privateKey), sign('sha256', bytes, privateKey))).toBe(true)
  })

  test('is one for all who ask at once', async () => {
    const directory = tempDirectory()
    const stores = [openListenerKey(directory), openListenerKey(directory)]
    const loaded = await Promise.all([...stores, ...stores].map((store) => store.load()))
    expect(new Set(loaded.map(({ publicKey }) => publicKey)).size).toBe(1)
  })

  test.each([
    '{',
    '{"privateKey":"AAAA","createdAt":1}',
    '{"privateKey":"","createdAt":1}',
    JSON.stringify({ privateKey: P384.toString('base64'), createdAt: 1 }),
  ])('is never made anew over a bad file, which is not quoted: %s', async (text) => {
    const directory = tempDirectory()
    const path = join(directory, 'listener-key.json')
    writeFileSync(path, text)
    const store = openListenerKey(directory)
    await expect(store.load()).rejects.toMatchObject({ code: 'store-corrupt' })
    expect(store.problem()).toMatchObject({ path })
    expect(store.problem()?.message).not.toContain(P384.toString('base64').slice(0, 20))
    expect(store.publicKey()).toBeUndefined()
    expect(readFileSync(path, 'utf8')).toBe(text)
  })
})
