import { describe, expect, test } from 'vitest'
import { nearest } from '../../src/language/typo-match.ts'

const NAMES = ['buy', 'sell', 'stop', 'close', 'positions', 'price', 'hook create']

describe('nearest', () => {
  test.each([
    ['buuy', 'buy'],
    ['byu', 'buy'],
    ['bu', undefined],
    ['bxy', 'buy'],
    ['SLEL', 'sell'],
    ['posiitons', 'positions'],
    ['postion', 'positions'],
    ['pozitionz', 'positions'],
    ['pozzitionz', undefined],
    ['stxx', undefined],
    ['', undefined],
    ['b', undefined],
    ['stop', 'stop'],
    ['x'.repeat(10_000), undefined],
  ])('of %s is %s', (name, expected) => {
    expect(nearest(name, NAMES)).toBe(expected)
  })

  test('prefers fewer edits, then the first', () => {
    expect(nearest('pricf', ['prixx', 'prices', 'pride', 'price'])).toBe('price')
    expect(nearest('pricf', ['prica', 'pricb'])).toBe('prica')
  })

  test('is undefined without candidates', () => {
    expect(nearest('buy', [])).toBeUndefined()
  })
})
