import { describe, expect, it } from 'vitest'
import { dayOf, withFunding, withPrice } from '../../../src/listener/requests/watched-market.ts'
import type { CandleRow } from '../../../src/protocol/frames.ts'

const HOUR = 3_600_000
const NOW = 100 * HOUR
const MINUTE = 60_000
const row = (ago: number, open: string, high: string, low: string): CandleRow => [
  NOW - ago,
  open,
  high,
  low,
  open,
  null,
]

describe('the last 24 hours of a market', () => {
  const minutes = [
    row(24 * HOUR + MINUTE, '1', '999', '0.1'),
    row(24 * HOUR, '100', '101', '99'),
    row(24 * HOUR - MINUTE, '99', '102', '98'),
    row(24 * HOUR - 20 * MINUTE, '97', '998', '0.2'),
  ]
  const quarters = [
    row(24 * HOUR + 5 * MINUTE, '1', '997', '0.3'),
    row(24 * HOUR - 10 * MINUTE, '98', '103', '97'),
    row(3 * HOUR, '104', '110.50', '90'),
    row(0, '95', '96', '94'),
  ]

  it('begin at the price of this minute a day ago, and have the highest and the lowest since', () => {
    expect(dayOf(minutes, quarters, NOW)).toEqual({ since: NOW - 24 * HOUR, open: '100', high: '110.5', low: '90' })
    const later = dayOf(minutes, quarters, NOW + MINUTE + 30_000)
    expect(later).toEqual({ since: NOW - 24 * HOUR + MINUTE, open: '99', high: '110.5', low: '90' })
  })

  it('begin with the first candle of them where the price of a day ago is not to be had', () => {
    expect(dayOf([], quarters, NOW)).toMatchObject({ since: NOW - 24 * HOUR + 10 * MINUTE, open: '98' })
    const newest = [row(MINUTE, '95', '95', '95'), row(0, '95', '95', '95')]
    expect(dayOf(newest, quarters, NOW)).toMatchObject({ open: '98' })
  })

  it('are not known where no candle is of them', () => {
    expect(dayOf([], [row(30 * HOUR, '1', '2', '1')], NOW)).toBeUndefined()
    expect(withPrice(undefined, '1')).toBeUndefined()
  })

  it('carry the next funding where the exchange reports one', () => {
    const day = { since: 1, open: '100', high: '110', low: '90' }
    expect(withFunding(day, { rate: '0.0001', at: 5 })).toEqual({ ...day, fundingRate: '0.0001', fundingAt: 5 })
    expect(withFunding(day, undefined)).toBe(day)
    expect(withFunding(undefined, { rate: '0.0001', at: 5 })).toBeUndefined()
  })

  it('go on with each price that is outside of them', () => {
    const day = { since: 1, open: '100', high: '110', low: '90' }
    expect([withPrice(day, '110.1').high, withPrice(day, '89.9').low]).toEqual(['110.1', '89.9'])
    expect(withPrice(day, '100')).toBe(day)
  })
})
