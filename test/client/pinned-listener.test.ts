import { describe, expect, it } from 'vitest'
import { createMemoryPin, createStoredPin, type TextStorage } from '../../src/client/pinned-listener.ts'
import { FORBIDDEN_STORAGE, memoryStorage } from './text-storage.ts'

describe('a pin', () => {
  it('in memory holds what it was made with, then what is written', () => {
    const pin = createMemoryPin('first')
    expect(pin.read()).toBe('first')
    pin.write('second')
    expect(pin.read()).toBe('second')
    expect(createMemoryPin().read()).toBeUndefined()
  })

  it('in storage is seen by every tab at once, and by the next visit', () => {
    const storage = memoryStorage()
    const [tab, other] = [createStoredPin(storage), createStoredPin(storage)]
    expect(other.read()).toBeUndefined()
    tab.write('a-listener')
    expect(other.read()).toBe('a-listener')
    expect(createStoredPin(storage).read()).toBe('a-listener')
    expect(createStoredPin(storage, 'another.app').read()).toBeUndefined()
  })

  it('lasts as long as the page where storage is forbidden', () => {
    const pin = createStoredPin(FORBIDDEN_STORAGE)
    expect(pin.read()).toBeUndefined()
    pin.write('a-listener')
    expect(pin.read()).toBe('a-listener')
  })

  it('lasts as long as the page where storage is full', () => {
    const full: TextStorage = {
      ...memoryStorage(),
      setItem() {
        throw new Error('QuotaExceededError')
      },
    }
    const pin = createStoredPin(full)
    pin.write('a-listener')
    expect(pin.read()).toBe('a-listener')
  })
})
