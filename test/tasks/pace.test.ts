import { expect, it } from 'vitest'
import { createPace } from '../../src/tasks/task-loop.ts'

it('lets so many a second through, and says once that more must wait', async () => {
  let now = 0
  let slowed = 0
  const waited: number[] = []
  const clock = {
    now: () => now,
    delay: async (ms: number) => {
      waited.push(ms)
      now += ms
    },
  }
  const pace = createPace(clock, 3, () => {
    slowed += 1
  })
  const { signal } = new AbortController()
  for (let count = 0; count < 9; count += 1) await pace(signal)
  expect(now).toBe(2_000)
  expect(waited).toEqual([1_000, 1_000])
  expect(slowed).toBe(1)
})

it('holds up nobody whose task is over', async () => {
  const closing = new AbortController()
  const never = { now: () => 0, delay: () => new Promise<void>(() => {}) }
  const pace = createPace(never, 1, () => closing.abort())
  await pace(closing.signal)
  closing.abort()
  await pace(closing.signal)
})
