import { describe, expect, it } from 'vitest'
import { dayOf, withChange, withFunding, withPrice } from '../../../src/listener/requests/watched-market.ts'

const HOUR = 3_600_000
const NOW = 100 * HOUR
const candle = (hoursAgo: number, open: string, high: string, low: string) => ({
  at: NOW - hoursAgo * HOUR,
  open,
  high,
  low,
  close: open,
})

describe('the last 24 hours of a market', () => {
  it('begin with the oldest candle in them, and have the highest and the lowest of all', () => {
    const candles = [
      candle(25, '1', '999', '0.1'),
      candle(24, '100', '101', '99'),
      candle(3, '104', '110.50', '90'),
      candle(0, '95', '96', '94'),
    ]
    expect(dayOf(candles, NOW)).toEqual({ since: NOW - 24 * HOUR, open: '100', high: '110.5', low: '90' })
  })

  it('are not known where no candle is of them', () => {
    expect(dayOf([candle(30, '1', '2', '1')], NOW)).toBeUndefined()
    expect(withPrice(undefined, '1')).toBeUndefined()
  })

  it('begin at the price that makes the change of the exchange', () => {
    const day = { since: 1, open: '100', high: '110', low: '90' }
    expect(withChange(day, '104.5', '4.5')).toEqual({ ...day, open: '100' })
    expect(withChange(day, '60479.7', '6.32')?.open).toBe('56884.5936795')
    expect(withChange(day, '95', undefined)).toBe(day)
    expect(withChange(day, '95', '-100')).toBe(day)
    expect(withChange(undefined, '95', '1')).toBeUndefined()
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
