// What each model claims of its venue: a fact has its source, and what nobody has looked up is counted and named.
import { describe, expect, it } from 'vitest'
import { MODELS } from '../../../harness/venues/models/all-models.ts'

const MODELLED = [
  'bitget',
  'bybit',
  'coinbase',
  'deribit',
  'gate',
  'hyperliquid',
  'kraken',
  'krakenfutures',
  'kucoin',
  'mexc',
]

/** No more than these: one that is looked up makes the number smaller. */
const MOST_ASSUMED = {
  bitget: 7,
  bybit: 5,
  coinbase: 4,
  deribit: 6,
  gate: 6,
  hyperliquid: 8,
  kraken: 5,
  krakenfutures: 6,
  kucoin: 9,
  mexc: 4,
}

describe('models', () => {
  it('are of the ten venues that have no stand-in', () => {
    expect([...new Set(MODELS.map(({ venue }) => venue))].sort()).toEqual(MODELLED)
  })

  for (const venue of MODELLED) {
    const { claims = [] } = MODELS.find((model) => model.venue === venue) ?? {}
    const assumed = claims.filter(({ source }) => source === undefined)
    const most = MOST_ASSUMED[venue as keyof typeof MOST_ASSUMED]

    it(`${venue}: ${claims.length - assumed.length} facts have a source; ${assumed.length} are assumed`, () => {
      for (const { says, source } of claims) expect([says, source?.trim()]).not.toEqual([says, ''])
      expect(new Set(claims.map(({ says }) => says)).size).toBe(claims.length)
      expect(claims.length - assumed.length).toBeGreaterThanOrEqual(4)
      expect(assumed.map(({ says }) => says)).toHaveLength(most)
    })

    for (const { says } of assumed) it.skip(`${venue} is assumed: ${says}`)
  }
})
