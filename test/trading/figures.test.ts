import { describe, expect, it } from 'vitest'
import {
  showAmount,
  showAverage,
  showDuration,
  showMoney,
  showPrice,
  showTime,
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
    expect(showPrice(price)).toBe(shown)
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
