import { describe, expect, it } from 'vitest'
import type { Candle, Market } from '../../src/exchange/market.ts'
import { type WhenParams, when } from '../../src/tasks/when.ts'
import { PureStage, START } from './pure-stage.ts'
import { BTC } from './scripted-venue.ts'

const MINUTE_MS = 60_000
const FIRST = Math.floor(START / MINUTE_MS) * MINUTE_MS - 10 * MINUTE_MS

/** Bars of a minute with these closes; the first began ten minutes before the stage. */
function barsOf(closes: readonly number[], from = FIRST): Candle[] {
  return closes.map((close, index) => {
    const text = String(close)
    return { at: from + index * MINUTE_MS, open: text, high: text, low: text, close: text, volume: '1' }
  })
}

const read = (askedAt: number, bars: readonly Candle[], coarse: readonly Candle[] = []) => ({
  bars: { '1m': { bars, askedAt }, '5m': { bars: coarse, askedAt } },
})

const ONCE: WhenParams = { condition: 'close(1m) crosses above sma(2)', line: 'buy $50' }
const EACH: WhenParams = { ...ONCE, each: true }

/** At the close of the last of these bars, as the feed has it then. */
function at(
  stage: PureStage<WhenParams, ReturnType<typeof when.initial>>,
  closes: readonly number[],
  afterMs = 200,
): void {
  stage.now = FIRST + closes.length * MINUTE_MS + afterMs
  stage.readings = read(stage.now, [...barsOf(closes), ...barsOf([1], FIRST + closes.length * MINUTE_MS)])
  stage.tell({ type: 'readings' })
}

function begun(params: WhenParams, closes: readonly number[]) {
  const stage = new PureStage(when, params)
  stage.now = FIRST + closes.length * MINUTE_MS + 200
  stage.readings = read(stage.now, barsOf(closes))
  return stage.begin()
}

it.each([
  [
    { condition: 'last > 70000.5', line: 'buy $50' },
    { price: '70000.5', words: 'buy $50' },
  ],
  [
    { condition: 'last < 60000', words: 'look' },
    { price: '60000', words: 'look' },
  ],
])('a condition of a price alone shows the price and what comes of it: %j', (params, shown) => {
  expect(begun(params, [1]).sight).toMatchObject(shown)
  expect(begun(ONCE, [1]).sight).not.toHaveProperty('price')
})

describe('a line that waits for a condition of bars', () => {
  it('runs once at the close of the bar, and is over when it has ended', () => {
    const stage = begun(ONCE, [10, 9, 8])
    at(stage, [10, 9, 8, 7])
    expect(stage.ran).toEqual([])
    at(stage, [10, 9, 8, 7, 9])
    expect(stage.ran).toEqual(['buy $50'])
    expect(stage.ended).toBeUndefined()
    stage.tell({ type: 'ran', outcome: 'bought 0.001 BTCUSDT' })
    expect(stage.ended).toMatchObject({
      status: 'done',
      reason: expect.stringMatching(/^its line ran at .* UTC$/),
    })
    expect(stage.kept.at(-1)).toMatch(/^its line ran at .* UTC: bought 0.001 BTCUSDT$/)
  })

  it('is no edge when it is so already', () => {
    const stage = begun({ ...EACH, condition: 'close(1m) > 5' }, [10, 9, 8])
    at(stage, [10, 9, 8, 7])
    expect(stage.ran).toEqual([])
    at(stage, [10, 9, 8, 7, 4])
    at(stage, [10, 9, 8, 7, 4, 6])
    expect(stage.ran).toEqual(['buy $50'])
  })

  it('runs each time where that is asked for, and says what failed', () => {
    const stage = begun(EACH, [10, 9, 8])
    at(stage, [10, 9, 8, 9])
    stage.tell({ type: 'ran', error: 'no money' })
    at(stage, [10, 9, 8, 9, 8])
    at(stage, [10, 9, 8, 9, 8, 9])
    expect(stage.ran).toEqual(['buy $50', 'buy $50'])
    expect(stage.ended).toBeUndefined()
    expect(stage.kept).toContainEqual(expect.stringMatching(/^its line failed at .*: no money$/))
  })

  it('is news where someone waits for it: what became true, was missed, or failed', () => {
    const alert = begun({ condition: EACH.condition, words: 'look', each: true }, [10, 9, 8])
    at(alert, [10, 9, 8, 9])
    expect(alert.news).toEqual([expect.stringMatching(/^BTCUSDT: close\(1m\) crosses above sma\(2\), at .*: look$/)])
    // Two minutes without an answer, then a bar that is corrected.
    at(alert, [10, 9, 8, 9, 8, 9, 8])
    at(alert, [10, 9, 8, 9, 8, 9, 7])
    expect(alert.news.slice(1)).toEqual([expect.stringMatching(/while it was not checked: missed$/)])
    expect(alert.said).toHaveLength(3)
    const stage = begun(EACH, [10, 9, 8])
    at(stage, [10, 9, 8, 9])
    stage.tell({ type: 'ran' })
    expect(stage.news).toEqual([])
    at(stage, [10, 9, 8, 9, 8])
    at(stage, [10, 9, 8, 9, 8, 9])
    stage.tell({ type: 'ran', error: 'no money' })
    expect(stage.news).toEqual([expect.stringMatching(/^its line failed at .*: no money$/)])
  })

  it('judges no bar that still formed when it was read, though it has closed since', () => {
    const stage = begun(EACH, [10, 9, 8])
    stage.readings = read(FIRST + 4 * MINUTE_MS - 1, barsOf([10, 9, 8, 9]))
    stage.now = FIRST + 4 * MINUTE_MS
    stage.tell({ type: 'ticker' })
    expect(stage.ran).toEqual([])
    at(stage, [10, 9, 8, 7])
    expect(stage.said).toEqual([])
  })

  it('judges a bar once, however often it comes', () => {
    const stage = begun(EACH, [10, 9, 8])
    for (let again = 0; again < 5; again += 1) {
      at(stage, [10, 9, 8, 9])
      stage.tell({ type: 'ran' })
    }
    expect(stage.ran).toEqual(['buy $50'])
  })

  it('does not change its judgement for a correction, and tells of it', () => {
    const stage = begun(EACH, [10, 9, 8])
    at(stage, [10, 9, 8, 7])
    at(stage, [10, 9, 8, 9])
    expect(stage.ran).toEqual([])
    expect(stage.said).toEqual([expect.stringMatching(/^the bar of .* UTC \(1m\) was corrected after it was judged$/)])
  })

  it('tells what it missed, and never runs late', () => {
    const stage = begun(EACH, [10, 9, 8])
    // The feed had no answer for two minutes.
    at(stage, [10, 9, 8, 9, 8])
    expect(stage.ran).toEqual([])
    expect(stage.said).toEqual([
      expect.stringMatching(/^the condition became true at .* UTC, while it was not checked: missed$/),
    ])
    at(stage, [10, 9, 8, 9, 8, 9])
    expect(stage.ran).toEqual(['buy $50'])
  })

  it('tells what came while no hookline ran, and goes on', () => {
    const stage = begun(EACH, [10, 9, 8])
    const closes = [10, 9, 8, 9, 8, 9]
    stage.now = FIRST + closes.length * MINUTE_MS
    stage.readings = read(stage.now, barsOf(closes))
    stage.restart(200)
    expect(stage.ran).toEqual([])
    expect(stage.said).toEqual([
      expect.stringMatching(/^the condition became true at .* and once more, while it was not checked: missed$/),
    ])
    at(stage, [...closes, 8])
    at(stage, [...closes, 8, 9])
    expect(stage.ran).toEqual(['buy $50'])
  })

  it('tells of a gap, over which nothing becomes so', () => {
    const stage = begun(EACH, [10, 9, 8])
    stage.now = FIRST + 6 * MINUTE_MS + 200
    stage.readings = read(stage.now, [...barsOf([10, 9, 8]), ...barsOf([9], FIRST + 5 * MINUTE_MS)])
    stage.tell({ type: 'readings' })
    expect(stage.ran).toEqual([])
    expect(stage.said).toEqual([expect.stringMatching(/^bars of 1m are missing before /)])
  })

  it('says that it does not know, when a hookline ended while its line ran', () => {
    const once = begun(ONCE, [10, 9, 8])
    at(once, [10, 9, 8, 9])
    once.restart(0)
    expect(once.ended).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('whether it ended is not known'),
    })
    expect(once.ran).toHaveLength(1)
    const each = begun(EACH, [10, 9, 8])
    at(each, [10, 9, 8, 9])
    each.restart(0)
    expect(each.ended).toBeUndefined()
    at(each, [10, 9, 8, 9, 8])
    at(each, [10, 9, 8, 9, 8, 9])
    expect(each.ran).toHaveLength(2)
  })

  it('loses what comes under a panic, and waits on', () => {
    const stage = begun(ONCE, [10, 9, 8])
    at(stage, [10, 9, 8, 9])
    stage.tell({ type: 'ran', lost: 'panic is on' })
    expect(stage.ended).toBeUndefined()
    expect(stage.said.at(-1)).toMatch(/^its line was due at .* UTC and did not run: panic is on$/)
    at(stage, [10, 9, 8, 9, 8])
    at(stage, [10, 9, 8, 9, 8, 9])
    expect(stage.ran).toHaveLength(2)
  })

  it('decides the same whenever the process dies between two bars', () => {
    const closes = [10, 9, 8, 9, 8, 7, 9, 10, 9, 8, 11, 12, 3, 4, 2, 9]
    const run = (restarts: boolean) => {
      const stage = begun(EACH, closes.slice(0, 2))
      for (let count = 3; count <= closes.length; count += 1) {
        at(stage, closes.slice(0, count))
        if (stage.state.firedAt !== null) stage.tell({ type: 'ran' })
        if (restarts) stage.restart(0)
      }
      return stage.state.fires
    }
    expect(run(false)).toBeGreaterThan(3)
    expect(run(true)).toBe(run(false))
  })

  it('waits for the bar of a coarser frame that closed with it', () => {
    const stage = new PureStage(when, { ...EACH, condition: 'close(1m) > close(5m)[1] and close(5m) > 1' })
    const base = Math.ceil(FIRST / 300_000) * 300_000
    const ones = barsOf([1, 1, 1, 1, 9], base)
    const coarse = [3, 2, 1].map((before) => ({ ...(ones[0] as Candle), close: '5', at: base - before * 300_000 }))
    stage.now = base + 4 * MINUTE_MS + 200
    stage.readings = read(stage.now, ones.slice(0, 4), coarse)
    stage.begin()
    stage.now = base + 5 * MINUTE_MS + 200
    stage.readings = read(stage.now, ones, coarse)
    stage.tell({ type: 'readings' })
    expect(stage.ran).toEqual([])
    stage.readings = read(stage.now, ones, [...coarse, { ...(ones[0] as Candle), close: '5', at: base }])
    stage.tell({ type: 'readings' })
    expect(stage.ran).toEqual(['buy $50'])
  })
})

describe('a line that waits for a price', () => {
  const params: WhenParams = { condition: 'last > 66000', line: 'buy $50' }

  it('runs when it becomes so, and not for what is so at first', () => {
    const stage = new PureStage(when, params).begin()
    stage.quote('66100')
    expect(stage.ran).toEqual(['buy $50'])
    const already = new PureStage(when, { ...params, condition: 'last > 60000' }).begin()
    already.quote('66100')
    expect(already.ran).toEqual([])
  })

  it('judges nothing that may be stale, and no edge comes out of it', () => {
    const stage = new PureStage(when, params).begin()
    stage.stale()
    stage.quote('66100')
    expect(stage.ran).toEqual([])
    stage.quote('65000')
    stage.quote('66100')
    expect(stage.ran).toEqual(['buy $50'])
  })

  it('waits until it has been so for its time', () => {
    const stage = new PureStage(when, { ...params, condition: 'last > 66000 for 30s' }).begin()
    stage.quote('66100')
    stage.pass(29_000)
    expect(stage.ran).toEqual([])
    stage.pass(2_000)
    expect(stage.ran).toEqual(['buy $50'])
  })

  it('only reports without a line', () => {
    const stage = new PureStage(when, { condition: 'last > 66000', words: 'look' }).begin()
    stage.quote('66100')
    expect(stage.ran).toEqual([])
    expect(stage.ended).toMatchObject({
      status: 'done',
      reason: expect.stringMatching(/^BTCUSDT: last > 66,000, at .* UTC: look$/),
    })
  })
})

describe('a line that waits for the profit of a position', () => {
  /** Long from 65,000; the price rises to 66,000. @returns what it ran */
  const ranAt = (condition: string, market: Market, amount: string) => {
    const stage = new PureStage(when, { condition, line: 'close' }, { market, position: { side: 'long', amount } })
    stage.begin().quote('66000')
    return stage.ran
  }

  it('counts it in quote on a linear market', () => {
    expect(ranAt('pnl > 999', BTC, '1')).toEqual(['close'])
    expect(ranAt('pnl > 1001', BTC, '1')).toEqual([])
  })

  it('counts it in coins on an inverse market, whose amounts are dollars', () => {
    const inverse: Market = { ...BTC, kind: 'inverse', amountUnit: 'quote', settle: 'BTC' }
    // 66,000 × (1 / 65,000 − 1 / 66,000) is 0.01538 BTC.
    expect(ranAt('pnl > 0.015', inverse, '66000')).toEqual(['close'])
    expect(ranAt('pnl > 0.016', inverse, '66000')).toEqual([])
  })
})
