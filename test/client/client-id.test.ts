import { describe, expect, it } from 'vitest'
import { storedClientId } from '../../src/client/client-id.ts'
import { FORBIDDEN_STORAGE, memoryStorage } from './text-storage.ts'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** One after the other, as the browser grants them. */
function queue() {
  let last: Promise<unknown> = Promise.resolve()
  const names: string[] = []
  return {
    names,
    request(name: string, callback: () => string): Promise<string> {
      names.push(name)
      const granted = last.then(callback)
      last = granted
      return granted
    },
  }
}

describe('the id of a browser', () => {
  it('is a UUID, the same for every tab and every load', async () => {
    const device = memoryStorage()
    const id = await storedClientId({ device })
    expect(id).toMatch(UUID)
    expect([await storedClientId({ device }), await storedClientId({ device })]).toEqual([id, id])
  })

  it('is one for tabs that first open in the same moment', async () => {
    const [device, locks] = [memoryStorage(), queue()]
    const ids = await Promise.all(Array.from({ length: 8 }, () => storedClientId({ device, locks })))
    expect(new Set(ids).size).toBe(1)
    expect(new Set(locks.names)).toEqual(new Set(['hookline.client']))
  })

  it('is another one in another browser, and in another namespace', async () => {
    const device = memoryStorage()
    const ids = [
      await storedClientId({ device }),
      await storedClientId({ device: memoryStorage() }),
      await storedClientId({ device, namespace: 'another.app' }),
    ]
    expect(new Set(ids).size).toBe(3)
  })

  it('is the one used last where each tab had its own', async () => {
    const [last, before] = [crypto.randomUUID(), crypto.randomUUID()]
    const device = memoryStorage(new Map([['hookline.client', JSON.stringify([last, before])]]))
    expect(await storedClientId({ device })).toBe(last)
  })

  it('is made where storage or locks are forbidden', async () => {
    expect(await storedClientId({ device: FORBIDDEN_STORAGE })).toMatch(UUID)
    const locks = { request: () => Promise.reject(new Error('SecurityError')) }
    const device = memoryStorage()
    const id = await storedClientId({ device, locks })
    expect(await storedClientId({ device, locks })).toBe(id)
  })

  it.each(['not json', '{}', '[]', '[1]', '["short"]', 'null'])(
    'is made in place of what others wrote: %s',
    async (text) => {
      const device = memoryStorage(new Map([['hookline.client', text]]))
      const id = await storedClientId({ device })
      expect(id).toMatch(UUID)
      expect(await storedClientId({ device })).toBe(id)
    },
  )
})
