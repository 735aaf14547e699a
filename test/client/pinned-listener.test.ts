import { describe, expect, it } from 'vitest'
import { createMemoryPin, createStoredPin } from '../../src/client/pinned-listener.ts'
import type { TextStorage } from '../../src/client/text-storage.ts'
import { FORBIDDEN_STORAGE, memoryStorage } from './text-storage.ts'

const OURS = { listenerId: 'a-listener', key: 'a-key' }

describe('a pin', () => {
  it('that was kept before there were keys is a listenerId alone', () => {
    const storage = memoryStorage()
    storage.setItem('hookline.listener', 'a-listener')
    expect(createStoredPin(storage).read()).toEqual({ listenerId: 'a-listener' })
  })

  it.each(['{', '{"listenerId":1,"key":null}'])('is none where the storage has somebody else’s text: %s', (text) => {
    const storage = memoryStorage()
    storage.setItem('hookline.listener', text)
    expect(createStoredPin(storage).read()).toEqual({})
  })

  it('in memory holds what it was made with, then what is written', () => {
    const pin = createMemoryPin('first')
    expect(pin.read()).toEqual({ listenerId: 'first' })
    pin.write(OURS)
    expect(pin.read()).toEqual(OURS)
    expect(createMemoryPin().read()).toEqual({})
  })

  it('in storage is seen by every tab at once, and by the next visit', () => {
    const storage = memoryStorage()
    const [tab, other] = [createStoredPin(storage), createStoredPin(storage)]
    expect(other.read()).toEqual({})
    tab.write(OURS)
    expect(other.read()).toEqual(OURS)
    expect(createStoredPin(storage).read()).toEqual(OURS)
    expect(createStoredPin(storage, 'another.app').read()).toEqual({})
  })

  it('lasts as long as the page where storage is forbidden', () => {
    const pin = createStoredPin(FORBIDDEN_STORAGE)
    expect(pin.read()).toEqual({})
    pin.write(OURS)
    expect(pin.read()).toEqual(OURS)
  })

  it('lasts as long as the page where storage is full', () => {
    const full: TextStorage = {
      ...memoryStorage(),
      setItem() {
        throw new Error('QuotaExceededError')
      },
    }
    const pin = createStoredPin(full)
    pin.write(OURS)
    expect(pin.read()).toEqual(OURS)
  })
})
