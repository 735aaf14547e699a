// The table of what differs between venues: every named venue has a row of its own, and every other is careful.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MarketKind } from '../../../src/exchange/market.ts'
import { HEX, PLAIN, SHORT, UUID } from '../../../src/exchanges/ccxt/profile.ts'
import { profileOf } from '../../../src/exchanges/ccxt/profiles.ts'
import { allVenues, findVenue } from '../../../src/exchanges/venues.ts'

const NAMED: Readonly<Record<string, readonly string[]>> = {
  binance: ['spot', 'linear', 'inverse'],
  bybit: ['spot', 'linear', 'inverse'],
  okx: ['spot', 'linear', 'inverse'],
  hyperliquid: ['linear'],
  bitget: ['spot', 'linear'],
  kucoin: ['spot', 'linear'],
  gate: ['spot', 'linear'],
  kraken: ['spot'],
  krakenfutures: ['linear', 'inverse'],
  coinbase: ['spot'],
  mexc: ['spot'],
  deribit: ['linear', 'inverse'],
}
const live = allVenues().filter(({ id }) => id !== 'paper')

describe('a named venue', () => {
  it.each(Object.entries(NAMED))('%s has a row of its own, for each kind that is listed', (id, kinds) => {
    const profile = profileOf(id)
    expect(profile).toMatchObject({ id, isUnproven: false })
    expect(findVenue(id)?.kinds).toEqual(kinds)
    expect(Object.keys(profile?.classes ?? {}).sort()).toEqual([...kinds].sort())
    expect(findVenue(id)?.proof).not.toBe('unproven')
  })

  it.each(Object.entries(NAMED))('%s takes the stop of an entry with it where it is listed so', (id, kinds) => {
    const carried = kinds.filter((kind) => profileOf(id)?.attached(kind as MarketKind) !== undefined)
    expect(findVenue(id)?.attached ?? []).toEqual(carried)
  })

  it('is what is told as proven, and nothing else is', () => {
    const proven = live.filter(({ proof }) => proof !== 'unproven').map(({ id }) => id)
    expect(proven.sort()).toEqual(Object.keys(NAMED).sort())
  })

  it.each(Object.keys(NAMED))('%s says what refuses an order and what leaves it open, and no code is both', (id) => {
    const { codes = {}, unknownCodes = [], isRefusalCode = () => false } = profileOf(id) ?? {}
    expect(Object.keys(codes).length).toBeGreaterThan(3)
    // Such a code is asked for first, and leaves the order open whatever else is said of it.
    for (const code of unknownCodes) expect([code, codes[code] ?? 'unavailable']).toEqual([code, 'unavailable'])
    expect(isRefusalCode('')).toBe(false)
  })
})

describe('any other venue', () => {
  const others = live.filter(({ proof }) => proof === 'unproven')

  it('takes market and limit orders only, and takes any request of an order for one that may have been sent', () => {
    expect(others.length).toBeGreaterThan(50)
    for (const { id, kinds } of others) {
      const profile = profileOf(id)
      expect([id, profile?.isUnproven]).toEqual([id, true])
      for (const kind of kinds) {
        expect(profile?.orderTypes(kind)).toEqual(['market', 'limit'])
        expect(profile?.timeInForce(kind)).toEqual(['gtc'])
      }
      expect(profile?.isQuestion({ request: { url: 'https://example.test/buy', method: 'GET', headers: {} } })).toBe(
        false,
      )
    }
  })

  it('is none of ccxt', () => {
    expect(profileOf('paper2')).toBeUndefined()
  })
})

describe('our id of an order', () => {
  const ours = fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: 32, maxLength: 32 })
    .map((all) => all.join(''))

  it.each([
    ['as it is', PLAIN, /^[0-9a-f]{32}$/],
    ['as a number', HEX, /^0x[0-9a-f]{32}$/],
    ['with dashes', UUID, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
    ['in 24 characters', SHORT, /^t-[\w-]{22}$/],
  ] as const)('comes back whole from the form that a venue wants: %s', (_name, form, shape) => {
    fc.assert(
      fc.property(ours, (id) => {
        expect(form.toVenue(id)).toMatch(shape)
        expect(form.fromVenue(form.toVenue(id))).toBe(id)
      }),
    )
    expect(form.fromVenue('x-of-somebody-else')).toBeUndefined()
  })
})
