import { describe, expect, it } from 'vitest'
import { createRandom } from '../../harness/random/random.ts'
import { CANDLE_MS, type CandleInterval } from '../../src/exchange/market.ts'
import { decide } from '../../src/replay/decisions.ts'
import { parseCondition } from '../../src/triggers/condition.ts'
import { createEvaluator, type TickValues } from '../../src/triggers/evaluator.ts'
import type { Bar } from '../../src/triggers/indicators.ts'
import { parseTrigger } from '../../src/triggers/trigger.ts'
import { randomBars } from '../triggers/candles.ts'

interface Fired {
  readonly at: number
  readonly price: number
}

const ticksAt = (price: number) => (): TickValues => ({
  last: price,
  bid: price,
  ask: price,
  pnl: 0,
  position: 0,
  equity: 1,
})

/** Where it fires, and at what price. */
function firesOf(text: string, bars: readonly Bar[], frame: CandleInterval = '1m'): Fired[] {
  const decisions = decide(parseTrigger(text), frame)
  return bars.flatMap((bar) => {
    const opens = decisions.opens(bar, ticksAt(bar.open)) ? [{ at: bar.at, price: bar.open }] : []
    const closes = decisions.closes(bar, ticksAt(bar.close))
      ? [{ at: bar.at + CANDLE_MS[frame], price: bar.close }]
      : []
    return [...opens, ...closes]
  })
}

/** Without some of them, in places that the seed says. */
function withGaps(bars: readonly Bar[], seed: number): Bar[] {
  const random = createRandom(seed)
  return bars.filter(() => !random.chance(0.03))
}

const TRIGGERS = [
  'close(1m) crosses above ema(20)',
  'rsi(14, 1m) < 35',
  'close(5m) > highest(high, 6)[1]',
  'close(1m) > sma(10) and close(15m) > sma(3)',
  'ema(9, 5m) crosses ema(21)',
  'last > 100 for 90s',
  'last > 101 or last < 99',
  'live close(5m) > sma(5)',
  'close(1m) > vwap and change(5) < 0',
  'every 15m',
  'every day 01:30 Europe/Berlin',
]

describe('decisions', () => {
  it.each(TRIGGERS)('see nothing of later candles: of each prefix they are those of the whole (%s)', (trigger) => {
    for (let seed = 1; seed <= 3; seed += 1) {
      const whole = randomBars(600, seed)
      const bars = seed === 3 ? withGaps(whole, seed) : whole
      const all = firesOf(trigger, bars)
      for (let length = 1; length <= bars.length; length += 7) {
        const prefix = bars.slice(0, length)
        const until = (prefix.at(-1)?.at ?? 0) + 60_000
        // At the end of a prefix its next candle has not opened.
        const known = firesOf(trigger, prefix)
        const expected = all.filter(
          ({ at }) => at <= until && !(at === until && isOpenOf(bars[length], at, all, known)),
        )
        expect(known).toEqual(expected)
      }
    }
  })

  it('of a longer frame are those of its own bars', () => {
    const minutes = randomBars(1_200, 9)
    const text = 'close(15m) crosses above ema(5)'
    const quarters = Array.from({ length: 80 }, (_, index) => {
      const part = minutes.slice(15 * index, 15 * index + 15)
      return {
        at: part[0]?.at ?? 0,
        open: part[0]?.open ?? 0,
        high: Math.max(...part.map(({ high }) => high)),
        low: Math.min(...part.map(({ low }) => low)),
        close: part.at(-1)?.close ?? 0,
        volume: part.reduce((sum, { volume }) => sum + volume, 0),
      }
    })
    const evaluator = createEvaluator(parseCondition([{ text, column: 1 }]))
    const state = evaluator.initial()
    const expected = quarters.flatMap((bar) => {
      evaluator.take(state, '15m', bar)
      const at = bar.at + CANDLE_MS['15m']
      return evaluator.judge(state, {}, at).isEdge ? [{ at, price: bar.close }] : []
    })
    expect(expected.length).toBeGreaterThan(3)
    expect(firesOf(text, minutes)).toEqual(expected)
  })

  it('leave out the bar that the candles begin within', () => {
    const from = Date.UTC(2026, 0, 1, 0, 7)
    const bars = randomBars(60, 4, 60_000, from).map((bar) => ({ ...bar, close: 100 }))
    bars[0] = { ...(bars[0] as Bar), open: 1, low: 1 }
    // The bar from 00:00 has a low of 1; seen, the next one would be above it.
    expect(firesOf('low(15m) crosses above 50', bars)).toEqual([])
  })

  it('forget behind a gap what was so before it, and fire nothing late', () => {
    const flat = randomBars(40, 1).map((bar) => ({ ...bar, open: 100, high: 100, low: 100, close: 100 }))
    const rising = flat.map((bar, index) => ({ ...bar, close: index < 20 ? 90 : 110 }))
    expect(firesOf('close(1m) crosses above 100', rising)).toHaveLength(1)
    expect(firesOf('close(1m) crosses above 100', rising.toSpliced(20, 3))).toEqual([])
  })

  it('count what a gap has taken', () => {
    const bars = randomBars(60, 2)
    const decisions = decide(parseTrigger('every 15m'), '1m')
    for (const bar of bars.filter((_, index) => index < 10 || index > 40)) decisions.opens(bar, () => ({}))
    // 00:15 and 00:30.
    expect(decisions.lost).toBe(2)
  })

  it('of times come at the first candle that begins then, or as late as they may be', () => {
    const hours = randomBars(10, 2, 3_600_000)
    const at = (text: string) => firesOf(text, hours, '1h').map(({ at }) => new Date(at).toISOString().slice(11, 16))
    expect(at('every day 03:00')).toEqual(['03:00'])
    expect(at('every day 03:20')).toEqual(['04:00'])
    expect(at('at 02:00')).toEqual(['02:00'])
    const gap = hours.filter((_, index) => index < 2 || index > 6)
    const late = (text: string) => firesOf(text, gap, '1h').length
    expect([late('every day 03:20'), late('every day 03:20 --late 5h')]).toEqual([0, 1])
  })

  it('hold what has to be so for a time, to the candle', () => {
    const bars = randomBars(10, 1).map((bar, index) => ({
      ...bar,
      open: index < 4 ? 90 : 110,
      close: index < 3 ? 90 : 110,
    }))
    const [first] = bars
    const minutes = firesOf('last > 100 for 3m', bars).map(({ at }) => (at - (first?.at ?? 0)) / 60_000)
    expect(minutes).toEqual([7])
  })
})

/** Whether the whole fires at the open of a candle that the prefix does not have. */
function isOpenOf(next: Bar | undefined, at: number, all: readonly Fired[], known: readonly Fired[]): boolean {
  return next?.at === at && all.filter((each) => each.at === at).length > known.filter((each) => each.at === at).length
}
