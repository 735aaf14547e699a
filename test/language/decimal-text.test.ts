// Decimals as texts: how they are compared, without ever being floats.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../harness/tiers/runs.ts'
import { compareDecimals, readDecimal } from '../../src/language/decimal-text.ts'

/** In the smallest unit that a decimal may have. */
function units(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(18, '0'))
}

const digits = (unit: string) => fc.string({ unit: fc.constantFrom(...unit), minLength: 1, maxLength: 4 })
const decimal = fc
  .tuple(digits('0129'), fc.option(digits('0019')))
  .map(([whole, fraction]) => readDecimal(fraction === null ? whole : `${whole}.${fraction}`) ?? '')

describe('two decimals', () => {
  it('are compared by what they are worth', () => {
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const [unitsA, unitsB] = [units(a), units(b)]
        expect(Math.sign(compareDecimals(a, b))).toBe(unitsA < unitsB ? -1 : Number(unitsA > unitsB))
      }),
      { numRuns: runsOf(2_000) },
    )
  })

  it.each([
    ['500', '500.00', 0],
    ['500.0', '500', 0],
    ['499.999999999999999999', '500', -1],
    ['500.000000000000000001', '500', 1],
    ['9', '10', -1],
    ['0.5', '0.50', 0],
  ])('%s and %s', (a, b, sign) => {
    expect(Math.sign(compareDecimals(a, b))).toBe(sign)
  })
})
