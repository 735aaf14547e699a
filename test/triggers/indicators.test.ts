import * as other from 'technicalindicators'
import * as signals from 'trading-signals'
import { describe, expect, it } from 'vitest'
import { type Bar, INDICATORS } from '../../src/triggers/indicators.ts'
import { randomBars } from './candles.ts'

/** As far back as what smooths has forgotten how it began: the libraries begin in other ways. */
const SETTLED = 2_000
const BARS = randomBars(3_000, 7)
const CLOSES = BARS.map(({ close }) => close)
const DAYS = randomBars(2 * 1440, 3)
const SECOND_DAY = DAYS.slice(1440)

function valuesOf(name: string, params: readonly number[], bars: readonly Bar[] = BARS): number[] {
  const indicator = INDICATORS.get(name)
  if (indicator === undefined) throw new Error(`no indicator ${name}`)
  const memory = indicator.initial(params)
  return bars.map((bar) => indicator.next(memory, params, bar.close, bar))
}

interface Streaming<Input> {
  update(input: Input, replace: boolean): unknown
  getResult(): unknown
}

/** Of the other library, one a bar; NaN where it has none yet. */
function streamed<Input>(
  indicator: Streaming<Input>,
  inputs: readonly Input[],
  read = (result: unknown) => Number(result),
): number[] {
  return inputs.map((input) => {
    indicator.update(input, false)
    const result = indicator.getResult()
    return result === null || result === undefined ? Number.NaN : read(result)
  })
}

function expectSame(ours: readonly number[], theirs: readonly number[], from = SETTLED): void {
  expect(ours.length).toBeGreaterThan(from)
  for (let back = 1; back <= ours.length - from; back += 1) {
    const [a, b] = [ours.at(-back) ?? Number.NaN, theirs.at(-back) ?? Number.NaN]
    if (!(Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b)))) {
      throw new Error(`bar ${ours.length - back}: ${a} is not ${b}`)
    }
  }
}

const field = (name: string) => (result: unknown) => Number((result as Readonly<Record<string, number>>)[name])
const MACD = {
  values: CLOSES,
  fastPeriod: 12,
  slowPeriod: 26,
  signalPeriod: 9,
  SimpleMAOscillator: false,
  SimpleMASignal: false,
}
const newMacd = () => new signals.MACD(new signals.EMA(12), new signals.EMA(26), new signals.EMA(9))
const BB = { period: 20, stdDev: 2, values: CLOSES }
const wholeBars = {
  high: BARS.map(({ high }) => high),
  low: BARS.map(({ low }) => low),
  close: CLOSES,
}

describe('each indicator is that of two other libraries, within 1e-9', () => {
  it('has a check for each', () => {
    const checked = [...cases.map(([name]) => name), 'rsi', 'change', 'vwap']
    expect(checked.toSorted()).toEqual([...INDICATORS.keys()].sort())
  })

  const cases: readonly [string, readonly number[], readonly number[], readonly number[]][] = [
    ['sma', [20], other.sma({ period: 20, values: CLOSES }), streamed(new signals.SMA(20), CLOSES)],
    ['ema', [50], other.ema({ period: 50, values: CLOSES }), streamed(new signals.EMA(50), CLOSES)],
    ['rma', [14], other.wema({ period: 14, values: CLOSES }), streamed(new signals.WSMA(14), CLOSES)],
    ['atr', [14], other.atr({ period: 14, ...wholeBars }), streamed(new signals.ATR(14), BARS)],
    [
      'macd',
      [12, 26, 9],
      other.macd(MACD).map((row) => row.MACD ?? Number.NaN),
      streamed(newMacd(), CLOSES, field('macd')),
    ],
    [
      'macd.signal',
      [12, 26, 9],
      other.macd(MACD).map((row) => row.signal ?? Number.NaN),
      streamed(newMacd(), CLOSES, field('signal')),
    ],
    [
      'macd.histogram',
      [12, 26, 9],
      other.macd(MACD).map((row) => row.histogram ?? Number.NaN),
      streamed(newMacd(), CLOSES, field('histogram')),
    ],
    [
      'bb.upper',
      [20, 2],
      other.bollingerbands(BB).map(({ upper }) => upper),
      streamed(new signals.BollingerBands(20, 2), CLOSES, field('upper')),
    ],
    [
      'bb.middle',
      [20, 2],
      other.bollingerbands(BB).map(({ middle }) => middle),
      streamed(new signals.BollingerBands(20, 2), CLOSES, field('middle')),
    ],
    [
      'bb.lower',
      [20, 2],
      other.bollingerbands(BB).map(({ lower }) => lower),
      streamed(new signals.BollingerBands(20, 2), CLOSES, field('lower')),
    ],
    [
      'highest',
      [20],
      other.highest({ period: 20, values: CLOSES }),
      streamed(new signals.Period(20), CLOSES, field('highest')),
    ],
    [
      'lowest',
      [20],
      other.lowest({ period: 20, values: CLOSES }),
      streamed(new signals.Period(20), CLOSES, field('lowest')),
    ],
  ]
  it.each(cases)('%s(%j)', (name, params, first, second) => {
    const ours = valuesOf(name, params)
    expectSame(ours, first)
    expectSame(ours, second)
  })

  it('rsi, change and vwap, each with one library', () => {
    expectSame(valuesOf('rsi', [14]), streamed(new signals.RSI(14), CLOSES))
    expectSame(valuesOf('change', [10]), streamed(new signals.MOM(10), CLOSES))
    const theirs = other.vwap({
      high: SECOND_DAY.map(({ high }) => high),
      low: SECOND_DAY.map(({ low }) => low),
      close: SECOND_DAY.map(({ close }) => close),
      volume: SECOND_DAY.map(({ volume }) => volume),
    })
    // A day begins anew at midnight.
    expectSame(valuesOf('vwap', [], DAYS).slice(1440), theirs, 0)
    expectSame(valuesOf('vwap', [], SECOND_DAY), theirs, 0)
  })

  // The second of these three, which is not installed: the values that `rsi`, `mom` and `vwap` (with as many bars as have come) of
  // @ixjb94/indicators 1.2.4 have on the same bars, by the index of the bar.
  it.each<[string, readonly number[], readonly Bar[], Readonly<Record<number, number>>]>([
    [
      'rsi',
      [14],
      BARS,
      {
        2000: 47.1728839733351,
        2250: 48.805350438030494,
        2500: 58.420159804187946,
        2750: 65.22958374651282,
        2999: 48.383854159863475,
      },
    ],
    [
      'change',
      [10],
      BARS,
      {
        2000: 0.49319528133099766,
        2250: 0.5753716180818742,
        2500: 1.713531339794173,
        2750: 2.7099489186060453,
        2999: 0.4900599575363742,
      },
    ],
    [
      'vwap',
      [],
      SECOND_DAY,
      {
        0: 86.2319773931322,
        1: 85.7846948874913,
        59: 85.66288080958118,
        719: 85.66209216289228,
        1439: 91.69895478329433,
      },
    ],
  ])('%s is that of a second library on recorded bars', (name, params, bars, recorded) => {
    const ours = valuesOf(name, params, bars)
    for (const [index, theirs] of Object.entries(recorded)) {
      expect(Math.abs((ours[Number(index)] ?? Number.NaN) - theirs), `bar ${index}`).toBeLessThanOrEqual(1e-9 * theirs)
    }
  })
})

describe('an indicator', () => {
  // A restart reads fewer bars. At a price that stays on its average, the last bit decides whether there is a crossing.
  it.each([...INDICATORS].flatMap(([name, { smooths }]) => (smooths === true || name === 'vwap' ? [] : [name])))(
    '%s is of its last bars alone, to the last bit',
    (name) => {
      const onTicks = BARS.slice(0, 400).map((bar) => ({ ...bar, close: Number((bar.close / 100).toFixed(5)) }))
      const params = INDICATORS.get(name)?.defaults.map((fallback) => fallback ?? 7) ?? []
      const whole = valuesOf(name, params, onTicks)
      for (let from = 1; from < 60; from += 1) {
        const later = valuesOf(name, params, onTicks.slice(from))
        expect(later.slice(30)).toEqual(whole.slice(from + 30))
      }
    },
  )

  it.each([...INDICATORS.keys()])('%s has its first value after the bars that it says', (name) => {
    const indicator = INDICATORS.get(name)
    const params = indicator?.defaults.map((fallback) => fallback ?? 5) ?? []
    const values = valuesOf(name, params, BARS.slice(0, 60))
    const first = values.findIndex((value) => !Number.isNaN(value))
    expect(first + 1).toBe(indicator?.needs(params))
    expect(values.slice(first).every(Number.isFinite)).toBe(true)
  })

  it('whose price does not move is 50, if it is rsi', () => {
    const still = BARS.slice(0, 40).map((bar) => ({ ...bar, close: 100 }))
    expect(valuesOf('rsi', [14], still).at(-1)).toBe(50)
  })
})
