import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closeReasonOf, isFatal, RETRY_LIMITS, retryDelayMs } from '../../src/client/connection-state.ts'
import { CLOSE_CODES, type CloseReason } from '../../src/protocol/frames.ts'

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe('the delay before an attempt', () => {
  it('doubles from half a second, the random half aside, and stops at a minute', () => {
    const shortest = [1, 2, 3, 4, 5, 6, 7, 8, 9, 50].map((failures) => retryDelayMs(failures, 0))
    expect(shortest).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
  })

  it('is never above 60 s and never below half of its ceiling', () => {
    fc.assert(
      fc.property(fc.nat(10_000), chance, (failures, random) => {
        const ceiling = Math.min(60_000, 500 * 2 ** Math.max(0, failures - 1))
        const delay = retryDelayMs(failures, random)
        expect(delay).toBeGreaterThanOrEqual(ceiling / 2)
        expect(delay).toBeLessThanOrEqual(ceiling)
      }),
    )
  })

  it('is never above 60 s after 4429 either, nor below 30 s, and still spread', () => {
    const { busyMs, capMs } = RETRY_LIMITS
    fc.assert(
      fc.property(fc.nat(10_000), chance, (failures, random) => {
        const delay = retryDelayMs(failures, random, busyMs)
        expect(delay).toBeGreaterThanOrEqual(busyMs)
        expect(delay).toBeLessThanOrEqual(capMs)
      }),
    )
    expect([0, 0.5].map((random) => retryDelayMs(50, random, busyMs))).toEqual([45_000, 52_500])
  })

  it('spreads evenly: a thousand tabs that lost hookline together do not come back together', () => {
    const tenths = new Array<number>(10).fill(0)
    for (let tab = 0; tab < 1_000; tab++) {
      const share = (retryDelayMs(5, tab / 1_000) - 4_000) / 4_000
      const tenth = Math.floor(share * 10)
      tenths[tenth] = (tenths[tenth] ?? 0) + 1
    }
    expect(tenths).toEqual(new Array(10).fill(100))
  })
})

describe('close codes', () => {
  it.each(Object.keys(CLOSE_CODES) as CloseReason[])('%s is as final as the table of the wire says', (reason) => {
    expect(closeReasonOf(CLOSE_CODES[reason].code)).toBe(reason)
    expect(isFatal(reason)).toBe(CLOSE_CODES[reason].retry === 'never')
  })

  it.each([1000, 1003, 1005, 1006, 1011, 1015, 4000, 4999])('%i is none of hookline’s', (code) => {
    expect(closeReasonOf(code)).toBeUndefined()
  })

  it('is never longer than a page in front allows, unless hookline asked for more', () => {
    const delays = [1, 2, 3, 10, 50].map((failures) => retryDelayMs(failures, 0.999, 0, 2_000))
    expect(Math.max(...delays)).toBeLessThan(2_000)
    expect(retryDelayMs(50, 0, RETRY_LIMITS.busyMs, 2_000)).toBeGreaterThanOrEqual(RETRY_LIMITS.busyMs)
  })
})
