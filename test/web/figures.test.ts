import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compareFigures,
  openOf,
  showAverage,
  showClock,
  showFigure,
  showMoney,
  showPrice,
  showSignedMoney,
  showTime,
  toneOf,
} from '../../src/web/figures.ts'

const decimals = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.integer({ min: 0, max: 12 }))
  .map(([isNegative, digits, scale]) => new Decimal(`${isNegative ? '-' : ''}${digits}e-${scale}`).toFixed())

const plain = (shown: string) => shown.replaceAll(',', '').replace('−', '-').replace('+', '')

describe('figures', () => {
  it('have what the equity counts of open positions', () => {
    expect(openOf({ total: '10002.53', wallet: '9996.7' })).toBe('5.83')
    expect(openOf({ total: '9990', wallet: '9996.7' })).toBe('-6.7')
  })

  it.each([
    ['55759.78333333', '65012.5', '55,759.78'],
    ['55759.78999999', '65012.5', '55,759.79'],
    ['0.99999', '0.5', '1'],
    ['0.0123456', '0.013', '0.0123'],
    ['55759.8', '65012.5', '55,759.8'],
    ['100.123', '100', '100.1'],
    ['67457.8666667', undefined, '67,457.87'],
    ['111234.5678', undefined, '111,234.57'],
    ['0.000012345678', undefined, '0.00001234568'],
    ['1.23456789', undefined, '1.234568'],
    ['67415.4', undefined, '67,415.4'],
  ])('shows the average %s beside %s as %s', (text, price, shown) => expect(showAverage(text, price)).toBe(shown))

  it.each([
    ['65012.50', '65,012.5'],
    ['1000', '1,000'],
    ['999', '999'],
    ['-0.25', '−0.25'],
    ['0.000', '0'],
    ['-0.0', '0'],
    ['1e5', '1e5'],
    ['', ''],
  ])('shows %s as %s', (text, shown) => expect(showFigure(text)).toBe(shown))

  it.each([
    ['-1234.565', '−1,234.57'],
    ['9999.995', '10,000.00'],
    ['0.004', '0.00'],
    ['-0.004', '0.00'],
    ['7', '7.00'],
    ['n/a', 'n/a'],
  ])('shows %s as money: %s', (text, shown) => expect(showMoney(text)).toBe(shown))

  it.each([
    ['12', '+12.00', 'gain'],
    ['-12', '−12.00', 'loss'],
    ['0.00', '0.00', 'flat'],
    ['0.001', '0.00', 'flat'],
    ['-0.004', '0.00', 'flat'],
  ])('signs %s as %s, a %s', (text, shown, tone) => {
    expect(showSignedMoney(text)).toBe(shown)
    expect(toneOf(text)).toBe(tone)
  })

  it('loses no digit, however long the figure', () => {
    fc.assert(fc.property(decimals, (text) => new Decimal(plain(showFigure(text))).equals(text)))
  })

  it('rounds money as decimals do', () => {
    fc.assert(
      fc.property(decimals, (text) => {
        const rounded = new Decimal(text).toDecimalPlaces(2, Decimal.ROUND_HALF_UP)
        return new Decimal(plain(showMoney(text))).equals(rounded)
      }),
    )
  })
})

describe('a price beside others of its market', () => {
  it('has as many digits as the longest of them', () => {
    expect([showPrice('55839', '55784.7'), showPrice('55784.70'), showPrice('0.01', '0.5')]).toEqual([
      '55,839.0',
      '55,784.7',
      '0.01',
    ])
    expect([showPrice('-0.0'), showPrice('–')]).toEqual(['0', '–'])
  })

  it('is compared exactly, and what is no figure comes first', () => {
    expect(compareFigures('0.1', '0.10')).toBe(0)
    expect(compareFigures('-2', '1')).toBe(-1)
    expect(compareFigures('10000000000000000.1', '10000000000000000.01')).toBe(1)
    expect([compareFigures(undefined, '1'), compareFigures('1', '')]).toEqual([-1, 1])
  })
})

describe('times', () => {
  const at = Date.UTC(2026, 10, 21, 23, 59, 58)

  it('are in the chosen zone, with the day unless it is that of now there', () => {
    expect(showTime(at, at + 1_000, 'utc')).toBe('23:59:58')
    expect(showTime(at, at + 2_000, 'utc')).toBe('21 Nov 23:59:58')
    expect(showClock(at, 'utc')).toBe('23:59:58')
    expect(showClock(at, 'local')).toBe(new Date(at).toLocaleTimeString('en-GB'))
  })
})
