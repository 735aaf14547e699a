import { expect, it, vi } from 'vitest'
import { delay } from '../../src/app/delay.ts'
import { currentTurn } from '../../src/stores/event-loop-turn.ts'

it('looks at files anew after a wait, also where the event loop has not turned', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const before = currentTurn()
    const waited = delay(1, new AbortController().signal)
    vi.advanceTimersByTime(1)
    await waited
    expect(currentTurn()).not.toBe(before)
  } finally {
    vi.useRealTimers()
  }
})

it('waits for as many things at once as there are, and warns of no leak', async () => {
  const warned: Error[] = []
  const hear = (warning: Error) => void warned.push(warning)
  process.on('warning', hear)
  const closing = new AbortController()
  const waits = Array.from({ length: 50 }, () => delay(60_000, closing.signal))
  closing.abort()
  await Promise.all(waits)
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', hear)
  expect(warned).toEqual([])
})
