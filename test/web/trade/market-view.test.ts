import { describe, expect, it } from 'vitest'
import type { CandleRow, Frame } from '../../../src/protocol/frames.ts'
import { withMarketFrame } from '../../../src/web/pages/trade/use-market.ts'

const candle = (time: number, close: string): CandleRow => [time, '1', '2', '1', close, null]
const frame = (change: Partial<Frame<'state:market'>>): Frame<'state:market'> => ({
  t: 'state:market',
  id: 'w',
  account: 'paper',
  exchange: 'paper',
  symbol: 'BTCUSDT',
  interval: '1h',
  ...change,
})
const whole = frame({ candles: [candle(1, '1'), candle(2, '1')], whole: true })

describe('a watched market', () => {
  it('puts the forming candle over the one of its time, and adds the next', () => {
    const first = withMarketFrame(undefined, whole)
    const second = withMarketFrame(first, frame({ candles: [candle(2, '9'), candle(3, '5')] }))
    expect(second.candles?.map(([time, , , , close]) => [time, close])).toEqual([
      [1, '1'],
      [2, '9'],
      [3, '5'],
    ])
    expect(second.history).toBe(first.history)
  })

  it('keeps what a frame leaves out, and no staleness that it does not say', () => {
    const ticker = { last: '5', bid: '4', ask: '6', timestamp: 1 }
    const stale = withMarketFrame(withMarketFrame(undefined, whole), frame({ ticker, staleSince: 7 }))
    const next = withMarketFrame(stale, frame({}))
    expect([stale.staleSince, next.staleSince, next.ticker, next.candles?.length]).toEqual([7, undefined, ticker, 2])
  })

  it('begins anew for another interval, and is drawn anew', () => {
    const first = withMarketFrame(undefined, whole)
    const other = withMarketFrame(first, frame({ interval: '5m', candles: [candle(4, '1')], whole: true }))
    expect([other.candles?.length, other.history > first.history]).toEqual([1, true])
    expect(withMarketFrame(first, frame({ interval: '5m' })).candles).toBeUndefined()
  })
})
