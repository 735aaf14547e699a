import { afterEach, describe, expect, it } from 'vitest'
import {
  inTimeZone,
  keepTimeZone,
  showAmount,
  showAverage,
  showAverageOf,
  showDuration,
  showMoment,
  showMoney,
  shownZone,
  showPrice,
  showTime,
  showZonedTime,
  stepOf,
} from '../../src/trading/figures.ts'

describe('figures', () => {
  it.each([
    ['65012.5', '65,012.5'],
    ['65012.50', '65,012.5'],
    ['1234567', '1,234,567'],
    ['999', '999'],
    ['0.00001234', '0.00001234'],
    ['1000.1234567', '1,000.1234567'],
  ])('groups the whole part of a price: %s', (price, shown) => {
    expect(showPrice(price, undefined)).toBe(shown)
  })

  it.each([
    ['55759.78333333', '0.1', '55,759.78'],
    ['55759.785', '0.1', '55,759.79'],
    ['55759.8', '0.1', '55,759.8'],
    ['0.1234567', '0.0001', '0.12346'],
    ['64123.456', '10', '64,123.5'],
  ])('shows the average %s on a grid of %s with one digit more', (average, step, shown) => {
    expect(showAverage(average, step)).toBe(shown)
  })

  it.each([
    ['65000', { kind: 'tick', tick: '0.1' }, '65,000.0'],
    ['64999.5', { kind: 'tick', tick: '0.25' }, '64,999.50'],
    ['65000', { kind: 'tick', tick: '5' }, '65,000'],
    ['65000.05', { kind: 'tick', tick: '0.1' }, '65,000.05'],
    ['65000', { kind: 'significant', digits: 5, decimals: 2 }, '65,000'],
    ['1.5', { kind: 'significant', digits: 5, decimals: 6 }, '1.5000'],
  ] as const)('shows the price %s on the grid %j with the digits of its step', (price, priceGrid, shown) => {
    expect(showPrice(price, { priceGrid })).toBe(shown)
    expect(showAverageOf(price, { priceGrid })).toBe(shown)
  })

  it('tells the step of prices from their digits', () => {
    expect(stepOf(['65012.5', '65012.25', '65012']).toFixed()).toBe('0.01')
    expect(stepOf([]).toFixed()).toBe('1')
  })

  it.each([
    ['195.037', '$195.04'],
    ['-195.037', '-$195.04'],
    ['0', '$0.00'],
    ['-0', '$0.00'],
    ['1234567.891', '$1,234,567.89'],
    ['0.00421', '$0.0042'],
    ['-0.00421', '-$0.0042'],
    ['0.01', '$0.01'],
  ])('shows money to the cent, and less than a cent with two digits: %s', (money, shown) => {
    expect(showMoney(money)).toBe(shown)
  })

  it('shows an amount as it can be typed', () => {
    expect(showAmount('0.00300')).toBe('0.003')
    expect(showAmount('0.0000001')).toBe('0.0000001')
  })

  it('shows times in UTC', () => {
    expect(showTime(Date.UTC(2026, 10, 21, 10, 10, 5, 999))).toBe('2026-11-21 10:10:05')
    expect(showTime(1e21)).toBe('unknown')
  })

  it.each([
    [250, '250ms'],
    [4200, '4.2s'],
    [60_000, '1m'],
    [200_000, '3m 20s'],
    [7_500_000, '2h 5m'],
  ])('shows %i ms as %s', (ms, shown) => {
    expect(showDuration(ms)).toBe(shown)
  })
})

describe('times in the zone of a terminal', () => {
  const zoneBefore = process.env.TZ
  afterEach(() => {
    if (zoneBefore === undefined) delete process.env.TZ
    else process.env.TZ = zoneBefore
  })

  it.each([
    ['Europe/Berlin', Date.UTC(2026, 10, 28, 15, 10, 5), '2026-11-28 16:10:05 +01:00'],
    ['Europe/Berlin', Date.UTC(2026, 6, 1, 23, 0), '2026-07-02 01:00:00 +02:00'],
    ['America/St_Johns', Date.UTC(2026, 0, 1), '2025-12-31 20:30:00 -03:30'],
    ['Asia/Calcutta', Date.UTC(2026, 0, 1), '2026-01-01 05:30:00 +05:30'],
    ['UTC', Date.UTC(2026, 0, 1), '2026-01-01 00:00:00 +00:00'],
  ])('name their distance from UTC: %s', (name, ms, shown) => {
    process.env.TZ = name
    inTimeZone('local', () => {
      expect(showMoment(ms)).toBe(shown)
      expect(showZonedTime(ms)).toBe(shown.slice(0, 19))
      expect(shownZone()).toBe(name)
    })
    expect([showMoment(ms), showZonedTime(ms), shownZone()]).toEqual([`${showTime(ms)} UTC`, showTime(ms), 'UTC'])
  })

  it.each([
    ['Europe/Berlin', Date.UTC(2026, 10, 28, 15, 10, 5), '2026-11-28 16:10:05 +01:00'],
    ['Europe/Berlin', Date.UTC(2026, 9, 25, 0, 30), '2026-10-25 02:30:00 +02:00'],
    ['Europe/Berlin', Date.UTC(2026, 9, 25, 1, 30), '2026-10-25 02:30:00 +01:00'],
    ['America/St_Johns', Date.UTC(2026, 0, 1), '2025-12-31 20:30:00 -03:30'],
    ['Asia/Tokyo', 1_767_225_599_999, '2026-01-01 08:59:59 +09:00'],
  ])('are those of a named zone, whatever the zone of the machine: %s', (name, ms, shown) => {
    process.env.TZ = 'Asia/Calcutta'
    inTimeZone(name, () => expect([showMoment(ms), shownZone()]).toEqual([shown, name]))
  })

  it('stay in the zone of the line that began what others draw', () => {
    process.env.TZ = 'Europe/Berlin'
    const [local, utc] = [inTimeZone('local', () => keepTimeZone(shownZone)), keepTimeZone(shownZone)]
    expect([local(), inTimeZone('utc', local)]).toEqual(['Europe/Berlin', 'Europe/Berlin'])
    expect([utc(), inTimeZone('local', utc)]).toEqual(['UTC', 'UTC'])
  })

  it('tell the two hours apart that a clock shows twice', () => {
    process.env.TZ = 'Europe/Berlin'
    const first = Date.UTC(2026, 9, 25, 0, 30)
    inTimeZone('local', () => {
      expect(showMoment(first)).toBe('2026-10-25 02:30:00 +02:00')
      expect(showMoment(first + 3_600_000)).toBe('2026-10-25 02:30:00 +01:00')
    })
  })

  it('hold for all that is begun there, and for nothing beside it', async () => {
    process.env.TZ = 'Europe/Berlin'
    const zones: string[] = []
    const later = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      zones.push(shownZone())
    }
    await Promise.all([inTimeZone('local', later), later(), inTimeZone('local', () => inTimeZone('utc', later))])
    expect(zones.sort()).toEqual(['Europe/Berlin', 'UTC', 'UTC'])
  })

  it('are unknown where they are none', () => {
    inTimeZone('local', () => expect(showZonedTime(Number.NaN)).toBe('unknown'))
  })
})
