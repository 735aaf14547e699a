import { describe, expect, it } from 'vitest'
import { LanguageError } from '../../src/language/language-error.ts'
import { describeSchedule, nextTime, parseAt, parseEvery, type Schedule } from '../../src/triggers/schedule.ts'

const words = (text: string) =>
  Array.from(text.matchAll(/\S+/g), (match) => ({ kind: 'word', text: match[0], column: match.index + 1 }) as const)

const read = (text: string): Schedule => {
  const [verb, ...rest] = words(text)
  return (verb?.text === 'at' ? parseAt : parseEvery)(rest, text.length + 1)
}

function refusal(text: string): string {
  try {
    read(text)
  } catch (error) {
    if (error instanceof LanguageError) return `${error.column}: ${error.message}`
    throw error
  }
  return 'accepted'
}

/** The next times after a moment, in UTC. */
function times(text: string, after: string, count = 3): string[] {
  const schedule = read(text)
  const found: string[] = []
  let at: number | undefined = Date.parse(after)
  while (at !== undefined && found.length < count) {
    at = nextTime(schedule, at)
    if (at !== undefined) found.push(new Date(at).toISOString().slice(0, 16))
  }
  return found
}

describe('a schedule', () => {
  it.each([
    ['every day 09:00', '2026-01-01T08:00Z', ['2026-01-01T09:00', '2026-01-02T09:00', '2026-01-03T09:00']],
    ['every day 09:00', '2026-01-01T09:00Z', ['2026-01-02T09:00', '2026-01-03T09:00', '2026-01-04T09:00']],
    ['every mon,fri 14:30', '2026-01-01T00:00Z', ['2026-01-02T14:30', '2026-01-05T14:30', '2026-01-09T14:30']],
    [
      'every weekday 9:00 Asia/Tokyo',
      '2026-01-02T01:00Z',
      ['2026-01-05T00:00', '2026-01-06T00:00', '2026-01-07T00:00'],
    ],
    [
      'every monday 00:30 Pacific/Auckland',
      '2026-06-01T00:00Z',
      ['2026-06-07T12:30', '2026-06-14T12:30', '2026-06-21T12:30'],
    ],
    ['every 4h', '2026-01-01T03:59Z', ['2026-01-01T04:00', '2026-01-01T08:00', '2026-01-01T12:00']],
    ['every 15m', '2026-01-01T03:59Z', ['2026-01-01T04:00', '2026-01-01T04:15', '2026-01-01T04:30']],
    ['at 2026-12-01 14:30 Europe/Berlin', '2026-01-01T00:00Z', ['2026-12-01T13:30']],
    ['at 2025-12-01 14:30', '2026-01-01T00:00Z', []],
  ])('%s, after %s', (text, after, expected) => {
    expect(times(text, after)).toEqual(expected)
  })

  // The first of a time that comes twice; the jump of one that is left out.
  it.each([
    [
      'every day 02:30 Europe/Berlin',
      '2026-03-27T12:00Z',
      ['2026-03-28T01:30', '2026-03-29T01:00', '2026-03-30T00:30'],
    ],
    [
      'every day 02:30 Europe/Berlin',
      '2026-10-23T12:00Z',
      ['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30'],
    ],
    [
      'every day 02:30 America/New_York',
      '2026-03-07T00:00Z',
      ['2026-03-07T07:30', '2026-03-08T07:00', '2026-03-09T06:30'],
    ],
    [
      'every day 01:30 America/New_York',
      '2026-10-31T00:00Z',
      ['2026-10-31T05:30', '2026-11-01T05:30', '2026-11-02T06:30'],
    ],
    [
      'every day 02:15 Australia/Lord_Howe',
      '2026-10-02T12:00Z',
      ['2026-10-02T15:45', '2026-10-03T15:30', '2026-10-04T15:15'],
    ],
    [
      'every day 02:30 Australia/Sydney',
      '2026-10-02T18:00Z',
      ['2026-10-03T16:00', '2026-10-04T15:30', '2026-10-05T15:30'],
    ],
    [
      'every day 02:30 Australia/Sydney',
      '2026-04-03T18:00Z',
      ['2026-04-04T15:30', '2026-04-05T16:30', '2026-04-06T16:30'],
    ],
  ])('%s around the days on which the clock changes, after %s', (text, after, expected) => {
    expect(times(text, after)).toEqual(expected)
  })

  it('comes once a day for ten years in each zone, never twice, never left out', () => {
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca']) {
      const schedule = read(`every day 02:30 ${zone}`)
      let at = Date.UTC(2026, 0, 1)
      let count = 0
      while (at < Date.UTC(2028, 0, 1)) {
        const next = nextTime(schedule, at)
        if (next === undefined) throw new Error('no next time')
        expect(next - at).toBeGreaterThan(count === 0 ? 0 : 22 * 3_600_000)
        expect(next - at).toBeLessThan(26 * 3_600_000)
        at = next
        count += 1
      }
      expect(count).toBeGreaterThanOrEqual(730)
      expect(count).toBeLessThanOrEqual(731)
    }
  })

  it.each([
    ['every', '6: the days are missing'],
    ['every day', '10: the time of day is missing'],
    ['every noday 09:00', '7: `noday` is not a day'],
    ['every mon,xx 09:00', '11: `xx` is not a day'],
    ['every day 25:00', '11: `25:00` is not a time of day'],
    ['every day 09:00 Europe/Nowhere', '17: this machine knows no time zone `Europe/Nowhere`'],
    ['every day 09:00 CET', '17: `CET` is not a time zone'],
    ['every day 09:00 UTC now', '21: unexpected `now`'],
    ['every 10s', '7: the shortest interval is one minute'],
    ['every 5', '7: `5` has no unit'],
    ['every 7h', '7: `7h` does not divide a day'],
    ['every 0m', '7: `0m` does not divide a day'],
    ['every 4h UTC', '10: unexpected `UTC`'],
    ['at', '3: the time is missing'],
    ['at 2026-02-30 09:00', '4: `2026-02-30` is not a date'],
    ['at 2026-02-03', '14: the time of day is missing'],
    ['at noon', '4: `noon` is not a time of day'],
  ])('%s is refused', (text, said) => {
    expect(refusal(text)).toBe(said)
  })

  it.each([
    ['every mon,fri 9:00', 'every mon,fri 09:00 UTC'],
    ['every weekday 09:00 europe/berlin', 'every weekday 09:00 Europe/Berlin'],
    ['every 60m', 'every 1h'],
    ['at 2026-12-01 14:30', 'at 2026-12-01 14:30 UTC'],
  ])('%s is shown as %s', (text, shown) => {
    expect(describeSchedule(read(text))).toBe(shown)
  })
})
