import { describe, expect, it } from 'vitest'
import { storedClientId } from '../../src/client/client-id.ts'
import { FORBIDDEN_STORAGE, memoryStorage } from './text-storage.ts'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

describe('the id of a browser', () => {
  it('is a UUID, the same for every tab and every load', () => {
    const device = memoryStorage()
    const id = storedClientId({ device })
    expect(id).toMatch(UUID)
    expect([storedClientId({ device }), storedClientId({ device })]).toEqual([id, id])
  })

  it('is another one in another browser, and in another namespace', () => {
    const device = memoryStorage()
    const ids = [
      storedClientId({ device }),
      storedClientId({ device: memoryStorage() }),
      storedClientId({ device, namespace: 'another.app' }),
    ]
    expect(new Set(ids).size).toBe(3)
  })

  it('is the one used last where each tab had its own', () => {
    const [last, before] = [crypto.randomUUID(), crypto.randomUUID()]
    const device = memoryStorage(new Map([['hookline.client', JSON.stringify([last, before])]]))
    expect(storedClientId({ device })).toBe(last)
  })

  it('is made where storage is forbidden', () => {
    expect(storedClientId({ device: FORBIDDEN_STORAGE })).toMatch(UUID)
  })

  it.each(['not json', '{}', '[]', '[1]', '["short"]', 'null'])('is made in place of what others wrote: %s', (text) => {
    const device = memoryStorage(new Map([['hookline.client', text]]))
    const id = storedClientId({ device })
    expect(id).toMatch(UUID)
    expect(storedClientId({ device })).toBe(id)
  })
})
