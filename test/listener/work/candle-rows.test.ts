import { describe, expect, it } from 'vitest'
import { formed, merged } from '../../../src/listener/requests/watched-market.ts'
import { type CandleRow, WIRE_LIMITS } from '../../../src/protocol/frames.ts'

const row = (minute: number, close = '10', high = '12', low = '8'): CandleRow => [
  minute * 60_000,
  '10',
  high,
  low,
  close,
  '1',
]
const price = (minute: number, last: string, seconds = 0) => ({ last, timestamp: minute * 60_000 + seconds * 1_000 })

describe('the candle that forms', () => {
  it('goes with the price: its close, and its ends where the price passes them', () => {
    expect(formed([row(1), row(2)], price(2, '11', 30), 60_000)).toEqual([row(1), row(2, '11')])
    expect(formed([row(2)], price(2, '13.5'), 60_000)).toEqual([row(2, '13.5', '13.5')])
    expect(formed([row(2)], price(2, '7'), 60_000)).toEqual([row(2, '7', '12', '7')])
    expect(formed([row(2, '9', '9')], price(2, '10'), 60_000)).toEqual([row(2, '10', '10')])
  })

  it('is a new one when its time has come, and is none without a history or for a price that is older', () => {
    expect(formed([row(2)], price(3, '11', 59), 60_000).at(-1)).toEqual([180_000, '11', '11', '11', '11', null])
    expect(formed([], price(3, '11'), 60_000)).toEqual([])
    const known = [row(2)]
    expect(formed(known, price(1, '11', 59), 60_000)).toBe(known)
  })
})

describe('a week', () => {
  it('begins where the exchange begins it', () => {
    const week = 7 * 1_440
    const monday = row(4 * 1_440)
    const next = { last: '11', timestamp: (4 * 1_440 + week) * 60_000 + 5_000 }
    expect(formed([monday], { ...next, timestamp: next.timestamp - 10_000 }, week * 60_000)).toHaveLength(1)
    expect(formed([monday], next, week * 60_000).at(-1)?.[0]).toBe((4 * 1_440 + week) * 60_000)
  })
})

describe('candles that were asked for again', () => {
  it('take the place of those of their time, in order, and are bounded', () => {
    expect(merged([row(1), row(2)], [row(2, '11'), row(3)])).toEqual([row(1), row(2, '11'), row(3)])
    const many = Array.from({ length: WIRE_LIMITS.candles + 5 }, (_, minute) => row(minute))
    expect(merged(many, [])).toHaveLength(WIRE_LIMITS.candles)
    expect(merged(many, [])[0]?.[0]).toBe(5 * 60_000)
  })
})
