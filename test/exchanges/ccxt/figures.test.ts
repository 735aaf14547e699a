// Figures of venues, and answers that come by the dozen.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Decimal, decimalText, isPositive } from '../../../src/exchanges/ccxt/decimals.ts'
import { createFetch, recorded } from '../../../src/exchanges/ccxt/wire-log.ts'

describe('a figure of a venue', () => {
  it('is written as its decimal is, and positive as that is', () => {
    const digits = fc.stringMatching(/^[+-]?\d{0,30}\.?\d{0,30}(e[+-]?\d{1,2})?$/)
    fc.assert(
      fc.property(fc.oneof(digits, fc.double(), fc.integer(), fc.float()), (value) => {
        const text = decimalText(value)
        const isFigure = /\d/.test(String(value)) && !/^[+-]?\.?(e|$)/.test(String(value))
        if (text === undefined) {
          expect(isFigure && Math.abs(new Decimal(value).e) <= 60).toBe(false)
          return
        }
        expect(text).toBe(new Decimal(value).toFixed())
        expect(isPositive(text)).toBe(new Decimal(text).gt(0))
      }),
      { numRuns: 1_000 },
    )
    expect([-0, '-0', '0', '-0.0', '1.10', '01', '1.', 1e21, 1e-7].map(decimalText)).toEqual([
      '0',
      '0',
      '0',
      '0',
      '1.1',
      '1',
      '1',
      '1000000000000000000000',
      '0.0000001',
    ])
  })
})

describe('answers with bars that come at once', () => {
  it('are read some in each turn of the event loop, a long one alone, in their order, and no other answer waits for them', async () => {
    let turn = 0
    const count = (): void => {
      turn += 1
      counting = setImmediate(count)
    }
    let counting = setImmediate(count)
    const fetch = createFetch(
      async ({ url }) => ({ status: 200, headers: {}, text: `"${'x'.repeat(url.endsWith('long') ? 20_000 : 700)}"` }),
      () => true,
      () => {},
    )
    const read = new Map<string, number>()
    const ask = (name: string, isInTurn: boolean) =>
      recorded({ isUrgent: false, isInTurn }, async () => {
        await fetch(`https://venue/${name}`, { method: 'GET' })
        read.set(name, turn)
      })
    const short = Array.from({ length: 20 }, (_, index) => `bars ${index}`)
    const long = ['1 long', '2 long', '3 long']
    await Promise.all([...[...short, ...long].map((name) => ask(name, true)), ask('other', false)])
    clearImmediate(counting)
    expect([...read.keys()]).toEqual(['other', ...short, ...long])
    expect(new Set(short.map((name) => read.get(name))).size).toBe(1)
    expect(new Set(long.map((name) => read.get(name))).size).toBe(3)
  })
})
