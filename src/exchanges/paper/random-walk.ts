// A price for every second of all time, computed and never stored: processes and restarts that share a seed agree on it. Each coin for itself,
// as in accounts from before coins moved together (`joint-walk.ts`), which keep their prices.
// Brownian motion by midpoint displacement: knots 24 days apart, then halved and displaced down to one second, each
// displacement a hash of the second. Only integer hashing, + - * / and sqrt are used: every engine gives the same bits.
import { ExchangeError } from '../../exchange/exchange-error.ts'
import { Decimal, decimalText } from './decimal.ts'
import type { PriceSource } from './market.ts'
import { findMarket } from './markets.ts'
import { hashText, noise } from './noise.ts'

/** 2^21 s, about 24 days. */
const KNOT_SPACING_S = 2 ** 21
export const HOURLY_VOLATILITY = 0.0065
const VOLATILITY_PER_ROOT_SECOND = HOURLY_VOLATILITY / 60
/** Knots are independent, and as far apart as a free walk would have gone in the time between them. */
const KNOT_RANGE = VOLATILITY_PER_ROOT_SECOND * Math.sqrt(1.5 * KNOT_SPACING_S)
/** No price leaves the start price by more than this share of it. */
const BAND = 0.4

/**
 * @param options.seed any text; the same seed gives the same prices for ever
 * @param options.startPrices the price each symbol varies around, by at most 40 %
 * @returns prices whose `lastPrice` throws {ExchangeError} `bad-symbol` for a symbol without a start price
 */
export function createRandomWalk(options: {
  readonly seed: string
  readonly startPrices: Readonly<Record<string, string>>
}): PriceSource {
  const walks = new Map(
    Object.entries(options.startPrices).map(([symbol, startPrice]) => {
      const tick = new Decimal(findMarket(symbol).priceGrid.tick)
      const startTicks = new Decimal(startPrice).div(tick).toNumber()
      const last = { second: Number.NaN, price: '' }
      return [symbol, { tick, startTicks, key: hashText(`${options.seed}/${symbol}`), last }]
    }),
  )
  return {
    lastPrice(symbol, atMs) {
      const walk = walks.get(symbol)
      if (walk === undefined) throw new ExchangeError('bad-symbol', `no start price for ${symbol}`)
      const second = Math.floor(atMs / 1000)
      if (second === walk.last.second) return walk.last.price
      const drift = displacementAt(walk.key, second)
      const kept = drift / Math.sqrt(1 + (drift / BAND) ** 2)
      const ticks = Math.max(1, Math.round(walk.startTicks * (1 + kept)))
      walk.last = { second, price: decimalText(walk.tick.times(ticks)) }
      return walk.last.price
    },
  }
}

/** The free walk's relative distance from the start price, by bisection from the two knots around `second`. */
export function displacementAt(key: number, second: number): number {
  let from = Math.floor(second / KNOT_SPACING_S) * KNOT_SPACING_S
  let left = KNOT_RANGE * noise(key, from)
  let right = KNOT_RANGE * noise(key, from + KNOT_SPACING_S)
  for (let half = KNOT_SPACING_S / 2; second !== from; half /= 2) {
    const middle = from + half
    // A bridge of length 2h has the standard deviation sqrt(h / 2) in its middle; uniform noise has that of its range / sqrt(3).
    const range = VOLATILITY_PER_ROOT_SECOND * Math.sqrt((3 * half) / 2)
    const value = (left + right) / 2 + range * noise(key, middle)
    if (second < middle) {
      right = value
    } else {
      from = middle
      left = value
    }
  }
  return left
}
