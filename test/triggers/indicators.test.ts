import * as other from 'technicalindicators'
import * as signals from 'trading-signals'
import { describe, expect, it } from 'vitest'
import { type Bar, INDICATORS } from '../../src/triggers/indicators.ts'
import { randomBars } from './candles.ts'

/** As far back as what smooths has forgotten how it began: the libraries begin in other ways. */
const SETTLED = 2_000
const BARS = randomBars(3_000, 7)
const CLOSES = BARS.map(({ close }) => close)

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

  it('rsi, of which one library rounds to two digits', () => {
    const ours = valuesOf('rsi', [14])
    const rounded = other.rsi({ period: 14, values: CLOSES })
    expectSame(ours, streamed(new signals.RSI(14), CLOSES))
    for (let back = 1; back < 900; back += 1) expect(ours.at(-back)).toBeCloseTo(rounded.at(-back) ?? -1, 1)
  })

  it('change is the momentum', () => {
    expectSame(valuesOf('change', [10]), streamed(new signals.MOM(10), CLOSES))
    expectSame(
      valuesOf('change', [1]),
      CLOSES.map((close, index) => close - (CLOSES[index - 1] ?? Number.NaN)),
    )
  })

  it('vwap of a day is that of all its bars, and begins anew at midnight', () => {
    const days = randomBars(2 * 1440, 3)
    const secondDay = days.slice(1440)
    const theirs = other.vwap({
      high: secondDay.map(({ high }) => high),
      low: secondDay.map(({ low }) => low),
      close: secondDay.map(({ close }) => close),
      volume: secondDay.map(({ volume }) => volume),
    })
    expectSame(valuesOf('vwap', [], days).slice(1440), theirs, 0)
    expectSame(valuesOf('vwap', [], secondDay), theirs, 0)
  })
})

describe('an indicator', () => {
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
