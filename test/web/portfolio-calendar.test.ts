import { describe, expect, it } from 'vitest'
import {
  addMonths,
  dayAfterKey,
  daysOf,
  longDay,
  monthIn,
  monthTitle,
  rangeOf,
  sumOfMonth,
  weeksOf,
} from '../../src/web/pages/portfolio/calendar.ts'
import { addDays, startOfDay, timeTicks, wallOf, zoneName } from '../../src/web/zoned-days.ts'

const iso = (ms: number) => new Date(ms).toISOString()
const at = (text: string) => Date.parse(text)

describe('the beginning of a day', () => {
  it.each([
    ['2026-01-01', 'UTC', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01', 'Europe/Berlin', '2025-12-31T23:00:00.000Z'],
    // 23 hours long, and 25.
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
    ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
    ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00.000Z'],
    ['2026-10-26', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
    ['2026-11-01', 'America/New_York', '2026-11-01T04:00:00.000Z'],
    ['2026-11-02', 'America/New_York', '2026-11-02T05:00:00.000Z'],
    ['2026-06-15', 'Asia/Kolkata', '2026-06-14T18:30:00.000Z'],
    ['2026-06-15', 'Pacific/Kiritimati', '2026-06-14T10:00:00.000Z'],
    ['2026-06-15', 'Etc/GMT+12', '2026-06-15T12:00:00.000Z'],
    ['2024-02-29', 'Australia/Lord_Howe', '2024-02-28T13:00:00.000Z'],
    // Clocks skip midnight there: the day begins at 01:00.
    ['2026-09-06', 'America/Santiago', '2026-09-06T04:00:00.000Z'],
    // That day was not, on that side of the date line.
    ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
  ])('%s in %s is %s', (day, zone, start) => {
    expect(iso(startOfDay(day, zone))).toBe(start)
  })

  it('and all the days of a year follow one another without a gap', () => {
    for (const zone of ['UTC', 'Europe/Berlin', 'America/Santiago', 'Australia/Lord_Howe']) {
      for (let day = '2025-12-25'; day < '2027-01-05'; day = addDays(day, 1)) {
        const start = startOfDay(day, zone)
        expect(wallOf(start, zone).day).toBe(day)
        expect(wallOf(start - 60_000, zone).day).toBe(addDays(day, -1))
      }
    }
  })

  it('is in the zone that was chosen', () => {
    expect(zoneName('utc')).toBe('UTC')
    expect(zoneName('Asia/Tokyo')).toBe('Asia/Tokyo')
    expect(zoneName('local')).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone)
  })
})

describe('a month', () => {
  it('is asked for from its first midnight up to the next month’s', () => {
    const { from, to } = rangeOf('2026-03', 'Europe/Berlin')
    expect([iso(from), iso(to)]).toEqual(['2026-02-28T23:00:00.000Z', '2026-03-31T22:00:00.000Z'])
    const year = rangeOf('2026-12', 'America/New_York')
    expect([iso(year.from), iso(year.to)]).toEqual(['2026-12-01T05:00:00.000Z', '2027-01-01T05:00:00.000Z'])
  })

  it.each([
    ['2026-11', 6, 30],
    ['2026-02', 5, 28],
    ['2024-02', 5, 29],
    ['2021-02', 4, 28],
    ['2026-12', 5, 31],
  ])('%s has %i weeks from Monday on, and %i days, each once', (month, weeks, count) => {
    const all = weeksOf(month)
    expect(all).toHaveLength(weeks)
    expect(all.every((week) => week.length === 7)).toBe(true)
    const days = all.flat().filter((day) => day !== undefined)
    expect(days).toHaveLength(count)
    expect([days[0], days.at(-1)]).toEqual([`${month}-01`, `${month}-${count}`])
    all.forEach((week) => {
      week.forEach((day, index) => {
        if (day !== undefined) expect((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7).toBe(index)
      })
    })
  })

  it('comes from the address, where it is one, and years end and begin', () => {
    expect(['2026-11', '2026-13', '2026-1', '0000-01', '<b>', null].map(monthIn)).toEqual([
      '2026-11',
      ...Array(5).fill(undefined),
    ])
    expect([addMonths('2026-12', 1), addMonths('2026-01', -1), addMonths('2026-11', -14)]).toEqual([
      '2027-01',
      '2025-12',
      '2025-09',
    ])
  })

  it('is walked through by the keys of a calendar', () => {
    const walk = (day: string, ...keys: readonly string[]) => keys.map((key) => dayAfterKey(day, key))
    expect(walk('2026-12-31', 'ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown')).toEqual([
      '2027-01-01',
      '2026-12-30',
      '2026-12-24',
      '2027-01-07',
    ])
    expect(walk('2026-11-04', 'Home', 'End', 'PageUp', 'PageDown')).toEqual([
      '2026-11-02',
      '2026-11-08',
      '2026-10-04',
      '2026-12-04',
    ])
    expect(walk('2026-03-31', 'PageUp', 'PageDown', 'a', 'Enter')).toEqual([
      '2026-02-28',
      '2026-04-30',
      undefined,
      undefined,
    ])
    expect(dayAfterKey('2024-01-31', 'PageDown')).toBe('2024-02-29')
  })

  it('is named in full', () => {
    expect(longDay('2026-11-03')).toBe('Tuesday 3 November 2026')
    expect(monthTitle('2027-01')).toBe('January 2027')
  })
})

describe('what its days made', () => {
  const sum = (net: string, currency = 'USDT') => ({ currency, net, realized: net, fees: '0.1', funding: '0' })
  const groups = [
    { key: '2026-11-01', fills: 2, sums: [sum('0.1')] },
    { key: '2026-11-02', fills: 1, sums: [sum('0.2'), sum('1', 'BTC')] },
    { key: '2026-11-03', fills: 3, sums: [sum('-0.6')] },
    { key: '2026-11-04', fills: 1, sums: [sum('0')] },
    { key: '2026-11-05', fills: 1, sums: [sum('1', 'BTC')] },
  ]

  it('is of one currency, and the deeper the more it is among them', () => {
    const days = daysOf({ groups }, 'USDT')
    expect([...days.values()].map(({ net, level }) => [net, level])).toEqual([
      ['0.1', 1],
      ['0.2', 1],
      ['-0.6', 3],
      ['0', 0],
      [undefined, 0],
    ])
  })

  it('adds up exactly, with the best day and the worst', () => {
    expect(sumOfMonth(daysOf({ groups }, 'USDT').values())).toMatchObject({
      net: '-0.3',
      won: 2,
      lost: 1,
      best: { day: '2026-11-02' },
      worst: { day: '2026-11-03' },
    })
    expect(sumOfMonth([])).toEqual({ net: '0', won: 0, lost: 0, best: undefined, worst: undefined })
  })
})

describe('the times under a curve', () => {
  const texts = (from: string, to: string, wanted: number, zone: string) =>
    timeTicks(at(from), at(to), wanted, zone).map(({ text }) => text)

  it('are round in the zone of the page', () => {
    expect(texts('2026-11-22T08:13:00Z', '2026-11-22T12:40:00Z', 6, 'UTC')).toEqual([
      '09:00',
      '10:00',
      '11:00',
      '12:00',
    ])
    expect(texts('2026-11-22T08:13:00Z', '2026-11-22T12:40:00Z', 6, 'Asia/Kolkata')).toEqual([
      '14:00',
      '15:00',
      '16:00',
      '17:00',
      '18:00',
    ])
    expect(texts('2026-11-21T14:10:00Z', '2026-11-22T14:00:00Z', 6, 'UTC')).toEqual([
      '18:00',
      '22 Nov',
      '06:00',
      '12:00',
    ])
  })

  it('say their day where there are several, and their year where that changes', () => {
    expect(texts('2026-11-20T12:30:00Z', '2026-11-22T12:30:00Z', 4, 'UTC')).toEqual([
      '21 Nov',
      '21 Nov 12:00',
      '22 Nov',
      '22 Nov 12:00',
    ])
    expect(texts('2025-12-29T12:00:00Z', '2026-01-03T12:00:00Z', 5, 'UTC')).toEqual([
      '30 Dec',
      '31 Dec',
      '1 Jan 2026',
      '2 Jan',
      '3 Jan',
    ])
    expect(texts('2024-06-01T00:00:00Z', '2026-06-01T00:00:00Z', 4, 'UTC')).toEqual(['2 Jun 2024', '2 Jun 2025'])
  })

  it.each([
    ['the hour that comes twice', '2026-10-24T23:30:00Z', '2026-10-25T04:30:00Z', 'Europe/Berlin'],
    ['the hour that is skipped', '2026-03-28T23:30:00Z', '2026-03-29T04:30:00Z', 'Europe/Berlin'],
    ['a day and its clock again', '2026-11-21T12:00:00Z', '2026-11-22T12:00:00Z', 'UTC'],
    ['ten years', '2016-01-01T00:00:00Z', '2026-01-01T00:00:00Z', 'America/Santiago'],
    ['a minute', '2026-11-21T12:00:00Z', '2026-11-21T12:01:00Z', 'UTC'],
  ])('never read the same twice: %s', (_, from, to, zone) => {
    for (const wanted of [1, 2, 5, 8]) {
      const ticks = timeTicks(at(from), at(to), wanted, zone)
      expect(new Set(ticks.map(({ text }) => text)).size).toBe(ticks.length)
      expect(ticks.every((tick) => tick.at >= at(from) && tick.at <= at(to))).toBe(true)
      expect(ticks.length).toBeLessThanOrEqual(wanted + 1)
    }
  })

  it('are none where there is no time', () => {
    expect(timeTicks(5, 5, 4, 'UTC')).toEqual([])
  })
})
