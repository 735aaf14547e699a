// Indicators of technical analysis, bar by bar. The memory of one is a list of numbers: it can be written down between any two bars, and the
// values after it are the same bit for bit. A value is NaN until there are enough bars. Sums of a window are added up anew each time, so that
// no rounding piles up over years of minutes.
//
// Averages that smooth (`ema`, `rma`, and all that is made of them) begin with the plain average of their first values.

import type { Candle } from '../exchange/market.ts'

export interface Bar {
  /** When it began, ms since the epoch. */
  readonly at: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  /** NaN where the venue does not report it. */
  readonly volume: number
}

/** Figures for judging: no order has a price of them. */
export function barOf({ at, open, high, low, close, volume }: Candle): Bar {
  return {
    at,
    open: Number(open),
    high: Number(high),
    low: Number(low),
    close: Number(close),
    volume: volume === undefined ? Number.NaN : Number(volume),
  }
}

export interface Indicator {
  /** Defaults of its parameters, in the order in which they are typed; undefined: it must be typed. */
  readonly defaults: readonly (number | undefined)[]
  /** What its parameters are, as `help` names them. */
  readonly names: readonly string[]
  /** It works on a whole bar, and takes no source. */
  readonly wholeBar?: true
  /** The last parameter counts deviations, and need not be a whole number. */
  readonly deviations?: true
  /** Within which its values are, whatever the prices. */
  readonly range: 'any' | 'positive' | 'percent' | 'source'
  /** Bars until the first value. */
  needs(params: readonly number[]): number
  /** It never forgets its first bars quite: with more of them it is exacter. */
  readonly smooths?: true
  initial(params: readonly number[]): number[]
  /** @param memory is advanced in place @param x the source's value */
  next(memory: number[], params: readonly number[], x: number, bar: Bar): number
}

const one = (params: readonly number[]): number => params[0] ?? 1

// A window: how many values came, the place of the next one, and the values.

function emptyWindow(size: number): number[] {
  return [0, 0, ...new Array<number>(size).fill(0)]
}

/** @returns whether it is full */
function slide(window: number[], size: number, x: number): boolean {
  const place = window[1] as number
  window[2 + place] = x
  window[1] = place + 1 === size ? 0 : place + 1
  if ((window[0] as number) < size) window[0] = (window[0] as number) + 1
  return window[0] === size
}

/** Added from the oldest on: the same values have the same sum, wherever the bars began. */
function sumOf(window: readonly number[], size: number, termOf: (value: number) => number): number {
  const oldest = window[1] as number
  let sum = 0
  for (let index = 0; index < size; index += 1) sum += termOf(window[2 + ((oldest + index) % size)] as number)
  return sum
}

function meanOf(window: readonly number[], size: number): number {
  return sumOf(window, size, (value) => value) / size
}

function deviationOf(window: readonly number[], size: number, mean: number): number {
  return Math.sqrt(sumOf(window, size, (value) => (value - mean) ** 2) / size)
}

// A smoothed average: how many values came, and their sum; once there are enough, the average.

function smooth(memory: number[], at: number, size: number, weight: number, x: number): number {
  const count = memory[at] as number
  if (count < size) {
    const sum = (memory[at + 1] as number) + x
    memory[at] = count + 1
    if (count + 1 < size) {
      memory[at + 1] = sum
      return Number.NaN
    }
    memory[at + 1] = sum / size
    return sum / size
  }
  const before = memory[at + 1] as number
  const value = before + weight * (x - before)
  memory[at + 1] = value
  return value
}

function average(weightOf: (size: number) => number): Indicator {
  return {
    defaults: [undefined],
    names: ['bars'],
    range: 'source',
    smooths: true,
    needs: one,
    initial: () => [0, 0],
    next: (memory, params, x) => smooth(memory, 0, one(params), weightOf(one(params)), x),
  }
}

const emaWeight = (size: number): number => 2 / (size + 1)
const rmaWeight = (size: number): number => 1 / size

const sma: Indicator = {
  defaults: [undefined],
  names: ['bars'],
  range: 'source',
  needs: one,
  initial: (params) => emptyWindow(one(params)),
  next: (memory, params, x) => (slide(memory, one(params), x) ? meanOf(memory, one(params)) : Number.NaN),
}

function extreme(pick: (a: number, b: number) => number): Indicator {
  return {
    defaults: [undefined],
    names: ['bars'],
    range: 'source',
    needs: one,
    initial: (params) => emptyWindow(one(params)),
    next(memory, params, x) {
      const size = one(params)
      if (!slide(memory, size, x)) return Number.NaN
      let found = memory[2] as number
      for (let index = 3; index < size + 2; index += 1) found = pick(found, memory[index] as number)
      return found
    },
  }
}

/** Against the bar so many bars before. */
const change: Indicator = {
  defaults: [1],
  names: ['bars'],
  range: 'any',
  needs: (params) => one(params) + 1,
  initial: (params) => emptyWindow(one(params)),
  next(memory, params, x) {
    const size = one(params)
    const isFull = memory[0] === size
    const before = memory[2 + (memory[1] as number)] as number
    slide(memory, size, x)
    return isFull ? x - before : Number.NaN
  },
}

/** Memory: bars that came, the close before, and two smoothed averages: of rises and of falls. */
const rsi: Indicator = {
  defaults: [14],
  names: ['bars'],
  range: 'percent',
  smooths: true,
  needs: (params) => one(params) + 1,
  initial: () => [0, 0, 0, 0, 0, 0],
  next(memory, params, x) {
    const before = memory[1] as number
    const isFirst = memory[0] === 0
    memory[0] = 1
    memory[1] = x
    if (isFirst) return Number.NaN
    const size = one(params)
    const rises = smooth(memory, 2, size, 1 / size, Math.max(0, x - before))
    const falls = smooth(memory, 4, size, 1 / size, Math.max(0, before - x))
    if (Number.isNaN(rises)) return Number.NaN
    // Of a price that has not moved at all.
    if (rises === 0 && falls === 0) return 50
    return (100 * rises) / (rises + falls)
  },
}

/** Memory: as `rsi`, with one average, of true ranges. */
const atr: Indicator = {
  defaults: [14],
  names: ['bars'],
  wholeBar: true,
  range: 'positive',
  smooths: true,
  needs: (params) => one(params) + 1,
  initial: () => [0, 0, 0, 0],
  next(memory, params, _x, { high, low, close }) {
    const before = memory[1] as number
    const isFirst = memory[0] === 0
    memory[0] = 1
    memory[1] = close
    if (isFirst) return Number.NaN
    const range = Math.max(high, before) - Math.min(low, before)
    return smooth(memory, 2, one(params), 1 / one(params), range)
  },
}

/** Memory: three averages, of the fast, the slow, and their difference. */
function macd(output: 'line' | 'signal' | 'histogram'): Indicator {
  const isLine = output === 'line'
  return {
    defaults: [12, 26, 9],
    names: ['fast', 'slow', 'signal'],
    range: 'any',
    smooths: true,
    needs: ([fast = 12, slow = 26, signal = 9]) => Math.max(fast, slow) + (isLine ? 0 : signal - 1),
    initial: () => [0, 0, 0, 0, 0, 0],
    next(memory, [fast = 12, slow = 26, signal = 9], x) {
      const near = smooth(memory, 0, fast, emaWeight(fast), x)
      const far = smooth(memory, 2, slow, emaWeight(slow), x)
      const line = near - far
      if (Number.isNaN(line) || isLine) return line
      const trigger = smooth(memory, 4, signal, emaWeight(signal), line)
      return output === 'signal' ? trigger : line - trigger
    },
  }
}

function bands(side: -1 | 0 | 1): Indicator {
  return {
    defaults: [20, 2],
    names: ['bars', 'deviations'],
    deviations: true,
    range: side === -1 ? 'any' : 'source',
    needs: one,
    initial: (params) => emptyWindow(one(params)),
    next(memory, params, x) {
      const size = one(params)
      if (!slide(memory, size, x)) return Number.NaN
      const mean = meanOf(memory, size)
      return side === 0 ? mean : mean + side * (params[1] ?? 2) * deviationOf(memory, size, mean)
    },
  }
}

const DAY_MS = 86_400_000

/** Since midnight in UTC. Memory: the day, price × volume, volume. */
const vwap: Indicator = {
  defaults: [],
  names: [],
  wholeBar: true,
  range: 'positive',
  needs: () => 1,
  initial: () => [-1, 0, 0],
  next(memory, _params, _x, { at, high, low, close, volume }) {
    const day = Math.floor(at / DAY_MS)
    if (memory[0] !== day) {
      memory[0] = day
      memory[1] = 0
      memory[2] = 0
    }
    memory[1] = (memory[1] as number) + ((high + low + close) / 3) * volume
    memory[2] = (memory[2] as number) + volume
    return (memory[1] as number) / (memory[2] as number)
  },
}

export const INDICATORS: ReadonlyMap<string, Indicator> = new Map([
  ['sma', sma],
  ['ema', average(emaWeight)],
  ['rma', average(rmaWeight)],
  ['rsi', rsi],
  ['macd', macd('line')],
  ['macd.signal', macd('signal')],
  ['macd.histogram', macd('histogram')],
  ['atr', atr],
  ['bb.upper', bands(1)],
  ['bb.middle', bands(0)],
  ['bb.lower', bands(-1)],
  ['vwap', vwap],
  ['highest', extreme(Math.max)],
  ['lowest', extreme(Math.min)],
  ['change', change],
])
