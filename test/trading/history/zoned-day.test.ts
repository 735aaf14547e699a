import { describe, expect, it } from 'vitest'
import { utcDay, zonedDay } from '../../../src/trading/history/pnl-groups.ts'

const at = (text: string) => Date.parse(text)

describe('the day of a fill', () => {
  it.each([
    ['UTC', '2025-12-31T23:59:59.999Z', '2025-12-31'],
    ['Europe/Berlin', '2025-12-31T22:59:59Z', '2025-12-31'],
    ['Europe/Berlin', '2025-12-31T23:00:00Z', '2026-01-01'],
    // Clocks go forward at 01:00 UTC: the day is 23 h long, and ends at 22:00 UTC.
    ['Europe/Berlin', '2026-03-28T22:59:59Z', '2026-03-28'],
    ['Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29'],
    ['Europe/Berlin', '2026-03-29T21:59:59Z', '2026-03-29'],
    ['Europe/Berlin', '2026-03-29T22:00:00Z', '2026-03-30'],
    // And back: 25 h.
    ['America/New_York', '2026-11-01T04:00:00Z', '2026-11-01'],
    ['America/New_York', '2026-11-02T04:59:59Z', '2026-11-01'],
    ['America/New_York', '2026-11-02T05:00:00Z', '2026-11-02'],
    ['Pacific/Kiritimati', '2026-02-28T10:00:00Z', '2026-03-01'],
    ['Asia/Kolkata', '2024-02-28T18:30:00Z', '2024-02-29'],
  ])('is in %s at %s the %s', (zone, time, day) => {
    expect(zonedDay(zone)?.(at(time))).toBe(day)
  })

  it('is the same in UTC by either way', () => {
    for (const time of ['2026-01-01T00:00:00Z', '2026-06-30T23:59:59.999Z'])
      expect(zonedDay('UTC')?.(at(time))).toBe(utcDay(at(time)))
  })

  it.each(['', 'Mars/Olympus', '../etc', 'Europe/Berlin;'])('is not known in %j, which is no zone', (zone) => {
    expect(zonedDay(zone)).toBeUndefined()
  })
})
