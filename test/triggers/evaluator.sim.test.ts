import * as other from 'technicalindicators'
import { describe, expect, it } from 'vitest'
import { CANDLE_MS } from '../../src/exchange/market.ts'
import { parseCondition } from '../../src/triggers/condition.ts'
import {
  createEvaluator,
  type Evaluator,
  type EvaluatorState,
  type FramedBar,
  inOrderOfClose,
  stateFromJson,
  stateToJson,
  type TickValues,
} from '../../src/triggers/evaluator.ts'
import type { Bar } from '../../src/triggers/indicators.ts'
import { randomBars } from './candles.ts'

const evaluatorOf = (text: string): Evaluator => createEvaluator(parseCondition([{ text, column: 1 }]))

/** Bars of an hour out of those of a minute. */
function hoursOf(minutes: readonly Bar[]): Bar[] {
  const hours: Bar[] = []
  for (let at = 0; at + 60 <= minutes.length; at += 60) {
    const part = minutes.slice(at, at + 60)
    const [first, last] = [part[0], part.at(-1)]
    if (first === undefined || last === undefined) continue
    hours.push({
      at: first.at,
      open: first.open,
      close: last.close,
      high: Math.max(...part.map(({ high }) => high)),
      low: Math.min(...part.map(({ low }) => low)),
      volume: part.reduce((sum, { volume }) => sum + volume, 0),
    })
  }
  return hours
}

function framed(evaluator: Evaluator, minutes: readonly Bar[]): FramedBar[] {
  const { frames } = evaluator.condition
  return inOrderOfClose([
    ...(frames.includes('1m') ? minutes.map((bar) => ({ frame: '1m', bar }) as const) : []),
    ...(frames.includes('1h') ? hoursOf(minutes).map((bar) => ({ frame: '1h', bar }) as const) : []),
  ])
}

/** When it became so, by the close of its bar. */
function fires(
  evaluator: Evaluator,
  bars: readonly FramedBar[],
  between: (state: EvaluatorState) => EvaluatorState = (state) => state,
): number[] {
  const [finest] = evaluator.condition.frames
  let state = evaluator.initial()
  const fired: number[] = []
  for (const { frame, bar } of bars) {
    evaluator.take(state, frame, bar)
    const closedAt = bar.at + CANDLE_MS[frame]
    if (frame === finest && evaluator.judge(state, {}, closedAt).isEdge) fired.push(closedAt)
    state = between(state)
  }
  return fired
}

const CONDITIONS = [
  'close(1m) crosses above ema(20)',
  'close(1m) crosses below bb.lower(20, 2)',
  'rsi(14, 1m) < 30 or macd.histogram(1m) > 0.5',
  'close(1m) > highest(high, 20)[1]',
  'close(1m) > ema(50) and close(1h) > sma(3) and not (rsi(14, 1m) > 70)',
  'atr(14, 1m) / close(1m) * 100 > 1.8',
  'ema(9, 1m) crosses ema(21)',
  'close(1m) > vwap and change(5) < 0',
]

describe('a condition', () => {
  it('is judged as an independent library would', () => {
    const bars = randomBars(2_000, 5)
    const closes = bars.map(({ close }) => close)
    const theirs = [...new Array<number>(19).fill(Number.NaN), ...other.ema({ period: 20, values: closes })]
    const expected = bars.flatMap(({ at }, index) => {
      const [now, before] = [
        (closes[index] ?? 0) - (theirs[index] ?? 0),
        (closes[index - 1] ?? 0) - (theirs[index - 1] ?? 0),
      ]
      // The first crossing has no judgement before it.
      return index > 20 && before <= 0 && now > 0 ? [at + 60_000] : []
    })
    const evaluator = evaluatorOf('close(1m) crosses above ema(20)')
    const found = fires(evaluator, framed(evaluator, bars))
    expect(expected.length).toBeGreaterThan(50)
    expect(found).toEqual(expected)
  })

  it.each(CONDITIONS)('sees nothing of the bars that come: %s', (text) => {
    const minutes = randomBars(600, 11)
    const evaluator = evaluatorOf(text)
    const whole = fires(evaluator, framed(evaluator, minutes))
    for (let length = 0; length <= minutes.length; length += 13) {
      const until = minutes[length - 1]?.at ?? 0
      const prefix = fires(evaluator, framed(evaluator, minutes.slice(0, length)))
      expect(prefix).toEqual(whole.filter((at) => at <= until + 60_000))
    }
  })

  it.each(CONDITIONS)('goes on after a restart at any bar as if there had been none: %s', (text) => {
    const evaluator = evaluatorOf(text)
    const bars = framed(evaluator, randomBars(600, 12))
    const whole = fires(evaluator, bars)
    const restarted = fires(evaluator, bars, (state) => {
      const again = stateFromJson(evaluatorOf(text), stateToJson(state))
      if (again === undefined) throw new Error('no state')
      return again
    })
    expect(restarted).toEqual(whole)
  })

  it('fires in some of these, or the properties above show nothing', () => {
    const counts = CONDITIONS.map((text) => {
      const evaluator = evaluatorOf(text)
      return fires(evaluator, framed(evaluator, randomBars(6_000, 11))).length
    })
    expect(counts.filter((count) => count === 0)).toEqual([])
  })

  it('takes no state of another one', () => {
    const state = stateToJson(evaluatorOf('close(1m) > ema(20)').initial())
    expect(stateFromJson(evaluatorOf('close(1m) > sma(20)'), state)).toBeUndefined()
    expect(stateFromJson(evaluatorOf('close(1m) > 5'), null)).toBeUndefined()
  })
})

describe('a bar', () => {
  const [first, second, third, fourth] = randomBars(4, 1) as [Bar, Bar, Bar, Bar]

  it('that comes twice, late or corrected changes nothing', () => {
    const evaluator = evaluatorOf('close(1m) > sma(2)')
    const state = evaluator.initial()
    expect(evaluator.take(state, '1m', first)).toBe('taken')
    expect(evaluator.take(state, '1m', second)).toBe('taken')
    const before = JSON.stringify(state)
    expect(evaluator.take(state, '1m', second)).toBe('repeated')
    expect(evaluator.take(state, '1m', first)).toBe('repeated')
    expect(evaluator.take(state, '1m', { ...second, close: second.close + 1 })).toBe('corrected')
    expect(evaluator.take(state, '5m', third)).toBe('repeated')
    expect(JSON.stringify(state)).toBe(before)
  })

  it('that bars are missing before is a gap', () => {
    const evaluator = evaluatorOf('close(1m) > sma(2)')
    const state = evaluator.initial()
    evaluator.take(state, '1m', first)
    expect(evaluator.take(state, '1m', third)).toBe('gap')
    expect(evaluator.take(state, '1m', fourth)).toBe('taken')
  })

  it('is judged after the bars of other frames that closed with it', () => {
    const at = Date.UTC(2026, 0, 1, 13)
    const bar = { ...first, at }
    const ordered = inOrderOfClose([
      { frame: '1m', bar: { ...bar, at: at + 59 * 60_000 } },
      { frame: '1m', bar: { ...bar, at: at + 58 * 60_000 } },
      { frame: '1h', bar },
    ])
    expect(ordered.map(({ frame }) => frame)).toEqual(['1m', '1h', '1m'])
  })
})

describe('an edge', () => {
  const judged = (text: string, prices: readonly (number | undefined)[], everyMs = 1_000) => {
    const evaluator = evaluatorOf(text)
    const state = evaluator.initial()
    return prices.map((last, index) => {
      const ticks: TickValues = last === undefined ? {} : { last }
      return evaluator.judge(state, ticks, index * everyMs).isEdge
    })
  }

  it('is no state: what is so when it is first judged is none', () => {
    expect(judged('last > 100', [101, 102, 99, 101, 102])).toEqual([false, false, false, true, false])
  })

  it('needs to be known before: what was unknown between is none', () => {
    expect(judged('last > 100', [99, undefined, 101, 99, 101])).toEqual([false, false, false, false, true])
  })

  it('of a crossing needs both sides of it, and being equal is on neither side', () => {
    expect(judged('last crosses above 100', [101, 100, 101, 100, 99, 100, 101])).toEqual([
      false,
      false,
      true,
      false,
      false,
      false,
      true,
    ])
    expect(judged('last crosses 100', [99, 101, 99, 99])).toEqual([false, true, false, false])
  })

  it('with `for` comes when it has been so without a break, and once', () => {
    const found = judged('last > 100 for 3s', [99, 101, 101, 99, 101, 101, 101, 101, 101, 101])
    expect(found).toEqual([false, false, false, false, false, false, false, true, false, false])
    expect(judged('last > 100 for 3s', [101, 101, 101, 101, 101])).not.toContain(true)
  })

  it('is forgotten after a gap', () => {
    const evaluator = evaluatorOf('last > 100')
    const state = evaluator.initial()
    evaluator.judge(state, { last: 99 }, 0)
    evaluator.forget(state)
    expect(evaluator.judge(state, { last: 101 }, 1).isEdge).toBe(false)
  })

  it('of what is live is judged with the bar that forms, which leaves no trace', () => {
    const evaluator = evaluatorOf('live close(1m) > highest(high, 2)[1]')
    const state = evaluator.initial()
    const bars = randomBars(10, 2)
    for (const bar of bars) evaluator.take(state, '1m', bar)
    const last = bars.at(-1) as Bar
    const forming = (close: number) => ({ '1m': { ...last, at: last.at + 60_000, close } })
    const kept = JSON.stringify(state.series)
    expect(evaluator.judge(state, {}, 0, forming(1)).isEdge).toBe(false)
    expect(evaluator.judge(state, {}, 1, forming(1e6))).toEqual({ holds: true, isEdge: true })
    expect(evaluator.judge(state, {}, 2, forming(1e6)).isEdge).toBe(false)
    expect(JSON.stringify(state.series)).toBe(kept)
  })

  it('is none while a value is nothing divided by nothing', () => {
    const evaluator = evaluatorOf('last / position > 5')
    const state = evaluator.initial()
    const judge = (position: number) => evaluator.judge(state, { last: 10, position }, 0)
    expect(judge(4)).toEqual({ holds: false, isEdge: false })
    expect(judge(0).holds).toBeUndefined()
    expect(judge(1)).toEqual({ holds: true, isEdge: false })
  })
})

describe('what a condition shows', () => {
  it('are its values by their names', () => {
    const evaluator = evaluatorOf('close(1m) > ema(high, 3) and last > 5')
    const state = evaluator.initial()
    for (const bar of randomBars(5, 2)) evaluator.take(state, '1m', bar)
    expect([...evaluator.values(state, { last: 7 }).keys()]).toEqual(['close(1m)', 'ema(high, 3, 1m)', 'last'])
  })
})
