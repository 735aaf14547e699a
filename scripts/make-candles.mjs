// Three short synthetic days for `paper replay`: a crash, a trend, and a market that goes nowhere. The same files every time and on every
// machine: whole numbers, and only + - * / sqrt. Nobody's prices: made here from a seed.
//
//   node scripts/make-candles.mjs [directory]        default: examples/candles
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const MINUTES = 360
const START_S = Date.UTC(2026, 0, 5, 12) / 1000
const START_PRICE = 65_000
/** So many steps make a candle. */
const STEPS = 12

/**
 * Each gives, for a minute and how far the price is from where it began, the drift of that minute and its volatility, as shares of the price.
 * @type {Readonly<Record<string, (minute: number, away: number) => { drift: number, volatility: number }>>}
 */
const SETS = {
  // Calm, then a fall of a fifth within an hour, a rebound, and a nervous rest.
  crash(minute) {
    if (minute < 90) return { drift: 0, volatility: 0.0005 }
    if (minute < 150) return { drift: minute % 15 === 14 ? 0.006 : -0.0042, volatility: 0.0025 }
    if (minute < 190) return { drift: 0.0017, volatility: 0.002 }
    return { drift: 0, volatility: 0.0012 }
  },
  // Up by a tenth, with a pause and a step back each hour.
  trend(minute) {
    const within = minute % 60
    if (within >= 50) return { drift: -0.0008, volatility: 0.0006 }
    return { drift: within < 40 ? 0.0006 : 0, volatility: 0.0006 }
  },
  // Between two walls, and through none of them for long.
  chop(_minute, away) {
    return { drift: -away * 0.06, volatility: 0.0011 }
  },
}

/**
 * @param {number} seed
 * @returns {() => number} the next number from -1 to 1, of a mean of 0 and a deviation of about 0.58
 */
function createNoise(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 31 - 1
  }
}

/** @param {string} name */
function seedOf(name) {
  let seed = 2_166_136_261
  for (const character of name) seed = Math.imul(seed ^ character.charCodeAt(0), 16_777_619)
  return seed
}

/** To the tick of BTCUSDT. @param {number} price */
const onTick = (price) => (Math.round(price * 10) / 10).toFixed(1)

/**
 * @param {string} name of a set
 * @returns {string} the file
 * @throws {RangeError} there is no such set
 */
export function makeCandles(name) {
  const set = SETS[name]
  if (set === undefined) throw new RangeError(`no set is called ${name}`)
  const noise = createNoise(seedOf(name))
  const lines = ['time,open,high,low,close,volume']
  let price = START_PRICE
  for (let minute = 0; minute < MINUTES; minute += 1) {
    const { drift, volatility } = set(minute, price / START_PRICE - 1)
    const opening = price
    const path = [opening]
    for (let step = 0; step < STEPS; step += 1) {
      // Uniform noise has a deviation of its range / sqrt(3).
      price *= 1 + drift / STEPS + volatility * Math.sqrt(3 / STEPS) * noise()
      path.push(price)
    }
    const [high, low] = [Math.max(...path), Math.min(...path)]
    const volume = (20 + (4_000_000 * (high - low)) / price / 100 + 10 * noise()).toFixed(3)
    const time = new Date((START_S + 60 * minute) * 1000).toISOString().replace('.000Z', 'Z')
    lines.push([time, ...[opening, high, low, price].map(onTick), volume].join(','))
  }
  return `${lines.join('\n')}\n`
}

export const NAMES = Object.keys(SETS)

/** @param {string} directory */
function main(directory) {
  mkdirSync(directory, { recursive: true })
  for (const name of NAMES) writeFileSync(join(directory, `${name}.csv`), makeCandles(name))
  process.stdout.write(`${NAMES.map((name) => `${name}.csv`).join(', ')} in ${directory}\n`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  main(resolve(process.argv[2] ?? join(import.meta.dirname, '../examples/candles')))
}
