// Randomness that every process computes alike: hashes of a text and a number. Only integer operations: every engine gives the same bits.

import { ExchangeError } from '../../exchange/exchange-error.ts'
import { Decimal, decimal, decimalText } from './decimal.ts'
import { findMarket, START_PRICES } from './markets.ts'
import type { PriceRange, PriceSource } from './quotes.ts'

/** FNV-1a, then mixed. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return mix(hash)
}

/** Uniform in [-1, 1). */
export function noise(key: number, at: number): number {
  return mix(key ^ mix(at | 0)) / 2 ** 31 - 1
}

/** Spreads every input bit over all 32 (MurmurHash3's finaliser). */
function mix(value: number): number {
  let hash = value ^ 0x9e3779b9
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

// A price for every second of all time, computed and never stored: processes and restarts that share a seed agree on it. Each coin for itself,
// as in accounts from before coins moved together (`joint-walk.ts`), which keep their prices.
// Brownian motion by midpoint displacement: knots 24 days apart, then halved and displaced down to one second, each
// displacement a hash of the second. Only integer hashing, + - * / and sqrt are used: every engine gives the same bits.

/** 2^21 s, about 24 days. */
const KNOT_SPACING_S = 2 ** 21
const HOURLY_VOLATILITY = 0.0065
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
      const key = hashText(`${options.seed}/${symbol}`)
      const ticksOf = (drift: number) => ticksAround(startTicks, drift)
      return [symbol, { tick, key, parts: [{ key, weight: 1 }], ticksOf, last }]
    }),
  )
  function find(symbol: string) {
    const walk = walks.get(symbol)
    if (walk === undefined) throw new ExchangeError('bad-symbol', `no start price for ${symbol}`)
    return walk
  }
  return {
    lastPrice(symbol, atMs) {
      const walk = find(symbol)
      const second = Math.floor(atMs / 1000)
      if (second === walk.last.second) return walk.last.price
      const ticks = walk.ticksOf(displacementAt(walk.key, second))
      walk.last = { second, price: decimalText(walk.tick.times(ticks)) }
      return walk.last.price
    },
    range: (symbol, fromMs, toMs) => rangeOf(find(symbol), fromMs, toMs),
  }
}

/** In ticks, this far from the start price. It never falls where the drift rises. */
function ticksAround(startTicks: number, drift: number): number {
  const kept = drift / Math.sqrt(1 + (drift / BAND) ** 2)
  return Math.max(1, Math.round(startTicks * (1 + kept)))
}

/** The free walk's relative distance from the start price, by bisection from the two knots around `second`. */
function displacementAt(key: number, second: number): number {
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

// The least and the most of a price between two seconds, exactly, and without a look at each of them: halves of the bisection that cannot
// go beyond what was found are passed over.

/** A free walk, and how much of it a price takes. */
interface Part {
  readonly key: number
  readonly weight: number
}

interface Ranged {
  readonly tick: Decimal
  /** One or two. */
  readonly parts: readonly Part[]
  /** Never falls where the drift rises. */
  readonly ticksOf: (drift: number) => number
}

function rangeOf({ tick, parts, ticksOf }: Ranged, fromMs: number, toMs: number): PriceRange {
  const [from, to] = [Math.floor(fromMs / 1000), Math.floor(toMs / 1000)]
  const priceOf = (ticks: number) => decimalText(tick.times(ticks))
  const high = mostOf(parts, ticksOf, from, to)
  const low = mostOf(
    parts.map(({ key, weight }) => ({ key, weight: -weight })),
    (drift) => -ticksOf(-drift),
    from,
    to,
  )
  return { low: priceOf(-low), high: priceOf(high) }
}

/** How far a walk of weight 1 can go beyond the ends of a piece, by the binary logarithm of the piece's seconds. */
const REACH = Array.from({ length: Math.log2(KNOT_SPACING_S) + 1 }, () => 0)
for (let level = 1; level < REACH.length; level += 1) {
  REACH[level] = VOLATILITY_PER_ROOT_SECOND * Math.sqrt(3 * 2 ** (level - 2)) + (REACH[level - 1] ?? 0)
}
/** Of sums in another order. */
const ROUNDING = 1e-12

/** The most of `ticksOf` from one second to another, both included. */
function mostOf(
  [one = { key: 0, weight: 0 }, other = { key: 0, weight: 0 }]: readonly Part[],
  ticksOf: (drift: number) => number,
  from: number,
  to: number,
): number {
  const weight = Math.abs(one.weight) + Math.abs(other.weight)
  let most = Number.NEGATIVE_INFINITY

  function meet(second: number, drift: number): void {
    if (second >= from && second <= to) most = Math.max(most, ticksOf(drift))
  }

  /** What is between the ends of a piece, each with both walks. */
  function search(at: number, level: number, left: readonly [number, number], right: readonly [number, number]): void {
    const seconds = 2 ** level
    if (level === 0 || at + 1 > to || at + seconds - 1 < from) return
    const [begin, end] = [driftOf(left), driftOf(right)]
    if (ticksOf(Math.max(begin, end) + (REACH[level] ?? 0) * weight + ROUNDING) <= most) return
    const half = seconds / 2
    const range = VOLATILITY_PER_ROOT_SECOND * Math.sqrt((3 * half) / 2)
    const middle = at + half
    const between = [
      (left[0] + right[0]) / 2 + range * noise(one.key, middle),
      other.weight === 0 ? 0 : (left[1] + right[1]) / 2 + range * noise(other.key, middle),
    ] as const
    meet(middle, driftOf(between))
    const searchLeft = () => search(at, level - 1, left, between)
    if (begin >= end) searchLeft()
    search(middle, level - 1, between, right)
    if (begin < end) searchLeft()
  }

  function driftOf([first, second]: readonly [number, number]): number {
    return other.weight === 0 ? one.weight * first : one.weight * first + other.weight * second
  }

  const knotAt = (at: number) => [KNOT_RANGE * noise(one.key, at), KNOT_RANGE * noise(other.key, at)] as const
  for (let at = Math.floor(from / KNOT_SPACING_S) * KNOT_SPACING_S; at <= to; at += KNOT_SPACING_S) {
    meet(at, driftOf(knotAt(at)))
    search(at, REACH.length - 1, knotAt(at), knotAt(at + KNOT_SPACING_S))
  }
  return most
}

// Prices of coins that move together: one factor that is the market's, and noise of each coin's own. As `random-walk.ts`, a function of seed,
// symbol and second: computed, never stored, the same bits in every engine.

interface Coin {
  /** Standard deviation of an hour's return. */
  readonly volatility: number
  /** Correlation with the market's factor. Between two coins it is the product of theirs. */
  readonly together: number
  /** From last to bid and ask, on average, in basis points. */
  readonly halfSpread: number
}

/** Small coins move more, follow the market less closely, and cost more to trade. */
const COINS: Readonly<Record<string, Coin>> = {
  BTCUSDT: { volatility: 0.005, together: 0.93, halfSpread: 0.1 },
  ETHUSDT: { volatility: 0.0065, together: 0.9, halfSpread: 0.15 },
  SOLUSDT: { volatility: 0.0085, together: 0.84, halfSpread: 0.7 },
  XRPUSDT: { volatility: 0.008, together: 0.76, halfSpread: 1.8 },
  DOGEUSDT: { volatility: 0.0095, together: 0.78, halfSpread: 1.2 },
  BNBUSDT: { volatility: 0.006, together: 0.82, halfSpread: 1.7 },
  ADAUSDT: { volatility: 0.0085, together: 0.82, halfSpread: 2.4 },
  AVAXUSDT: { volatility: 0.009, together: 0.82, halfSpread: 1.5 },
  LINKUSDT: { volatility: 0.0085, together: 0.82, halfSpread: 1.5 },
  LTCUSDT: { volatility: 0.0075, together: 0.78, halfSpread: 1.8 },
  DOTUSDT: { volatility: 0.008, together: 0.82, halfSpread: 2.5 },
  ARBUSDT: { volatility: 0.01, together: 0.8, halfSpread: 3 },
}

/**
 * @param seed any text; the same seed gives the same prices for ever
 * @returns prices that throw {ExchangeError} `bad-symbol` for a symbol that the offline market has not
 */
export function createJointWalk(seed: string): PriceSource {
  const marketKey = hashText(`${seed}/market`)
  const factor = remember((second) => displacementAt(marketKey, second))
  const walks = new Map(
    Object.entries(COINS).map(([symbol, coin]) => [symbol, walkOf(seed, symbol, coin, { key: marketKey, at: factor })]),
  )
  function find(symbol: string): Walk {
    const walk = walks.get(symbol)
    if (walk === undefined) throw new ExchangeError('bad-symbol', `no start price for ${symbol}`)
    return walk
  }
  return {
    lastPrice: (symbol, atMs) => find(symbol).price(Math.floor(atMs / 1000)),
    range: (symbol, fromMs, toMs) => rangeOf(find(symbol), fromMs, toMs),
    halfSpread: (symbol, atMs) => find(symbol).halfSpread(Math.floor(atMs / 1000)),
  }
}

interface Walk extends Ranged {
  price(second: number): string
  /** In ticks. */
  halfSpread(second: number): number
}

interface Factor {
  readonly key: number
  at(second: number): number
}

function walkOf(seed: string, symbol: string, coin: Coin, factor: Factor): Walk {
  const tick = decimal(findMarket(symbol).priceGrid.tick)
  const startTicks = Number(START_PRICES[symbol]) / Number(tick)
  const [ownKey, spreadKey] = [hashText(`${seed}/${symbol}`), hashText(`${seed}/${symbol}/spread`)]
  const alone = Math.sqrt(1 - coin.together ** 2)
  const ticksOf = (drift: number) => ticksAround(startTicks, drift * (coin.volatility / HOURLY_VOLATILITY))
  const ticksAt = remember((second) =>
    ticksOf(coin.together * factor.at(second) + alone * displacementAt(ownKey, second)),
  )
  return {
    tick,
    parts: [
      { key: factor.key, weight: coin.together },
      { key: ownKey, weight: alone },
    ],
    ticksOf,
    price: (second) => decimalText(tick.times(ticksAt(second))),
    halfSpread(second) {
      const average = (ticksAt(second) * coin.halfSpread) / 10_000
      return Math.max(1, Math.round(average * (1 + noise(spreadKey, second) / 2)))
    },
  }
}

/** The last answer, which is asked for again many times within its second. */
function remember(compute: (second: number) => number): (second: number) => number {
  let known: { readonly second: number; readonly value: number } | undefined
  return (second) => {
    if (known?.second !== second) known = { second, value: compute(second) }
    return known.value
  }
}
