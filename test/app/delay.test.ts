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
