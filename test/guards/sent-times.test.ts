// How many orders an account sent in the last minute, whatever it sent before.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SentTimes } from '../../src/guards/day-fold.ts'

const MINUTE_MS = 60_000

/** ms that the same looks take beside so many orders of the last hour. */
function lookedIn(orders: number): number {
  const times = new SentTimes()
  for (let index = 0; index < orders; index += 1) times.add(String(index), (index * 60 * MINUTE_MS) / orders)
  const began = process.cpuUsage()
  for (let look = 0; look < 3_000; look += 1) times.lastMinute(60 * MINUTE_MS, 'none')
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1_000
}

describe('the orders of the last minute', () => {
  it('are counted as one by one, in whatever order they came and went', async () => {
    const moment = fc.integer({ min: 0, max: 200_000 })
    const sent = fc.record({ key: fc.integer({ min: 0, max: 30 }).map(String), at: moment, isRemoved: fc.boolean() })
    await fc.assert(
      fc.property(fc.array(sent), moment, fc.integer({ min: 0, max: 30 }).map(String), (all, now, besides) => {
        const times = new SentTimes()
        const known = new Map<string, number>()
        const removed = new Set<string>()
        for (const { key, at, isRemoved } of all) {
          times.add(key, at)
          if (!known.has(key)) known.set(key, at)
          if (!isRemoved) continue
          times.remove(key)
          removed.add(key)
        }
        const counted = [...known].filter(
          ([key, at]) => !removed.has(key) && key !== besides && at > now - MINUTE_MS && at <= now + MINUTE_MS,
        )
        expect(times.lastMinute(now, besides)).toBe(counted.length)
      }),
    )
  })

  it('cost as little beside 100,000 orders of the hour as beside a hundred', () => {
    lookedIn(100)
    expect(lookedIn(100_000)).toBeLessThan(20 * lookedIn(100) + 50)
  })
})
