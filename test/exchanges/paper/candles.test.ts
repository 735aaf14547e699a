import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  CandleError,
  CandleReader,
  candlesText,
  MAX_CANDLES,
  readCandles,
} from '../../../src/exchanges/paper/candles.ts'

function read(...lines: readonly string[]) {
  const reader = new CandleReader('0.1')
  for (const line of lines) reader.take(line)
  return reader.end()
}

const ROWS = ['2026-01-05T12:00:00Z,100,110,90,105,3', '2026-01-05T12:01:00Z,105,106,104,105.1,0.5']
const START = Date.UTC(2026, 0, 5, 12)

describe('a file of candles', () => {
  it.each([
    ['with a header', ['time,open,high,low,close,volume', ...ROWS]],
    ['without one', ROWS],
    [
      'in another order, by its header',
      ['Close,Date,Open,High,Low', '105,2026-01-05 12:00,100,110,90', '105.1,2026-01-05 12:01,105,106,104'],
    ],
    ['in seconds', [`${START / 1000},100,110,90,105`, `${START / 1000 + 60},105,106,104,105.1`]],
    ['in ms', [`${START},100,110,90,105`, `${START + 60_000},105,106,104,105.1`]],
    ['with another zone', ['2026-01-05T14:00:00+02:00,100,110,90,105', '2026-01-05T14:01:00+0200,105,106,104,105.1']],
    [
      'with empty lines, comments, quotes, spaces and a byte order mark',
      [
        '\uFEFFtime,open,high,low,close',
        '# mine',
        '',
        ` "${START}" , 100, 110 ,90,105\r`,
        `${START + 60_000},105,106,104,105.1`,
      ],
    ],
  ])('is read %s', (_what, lines) => {
    const { times, ticks, intervalMs, gaps } = read(...lines)
    expect([...times]).toEqual([START, START + 60_000])
    expect([...ticks]).toEqual([1000, 1100, 900, 1050, 1050, 1060, 1040, 1051])
    expect([intervalMs, gaps.count]).toEqual([60_000, 0])
  })

  it.each([
    [
      'a time that is none',
      '2026-13-45T99:00:00Z,1,1,1,1',
      'line 3 has no time as 2026-01-31T14:30:00Z, or in seconds or ms since 1970',
    ],
    ['a time in words', 'yesterday,1,1,1,1', 'line 3 has no time as'],
    ['a time of 1970', '7,1,1,1,1', 'line 3 has no time as'],
    ['a time that has been', '2026-01-05T12:01:00Z,1,1,1,1', 'line 3 is not later than the candle before it'],
    ['a missing price', '2026-01-05T12:02:00Z,1,1,1', 'line 3 has no close'],
    ['an empty price', '2026-01-05T12:02:00Z,1,,1,1', 'line 3 has no high'],
    ['a price of zero', '2026-01-05T12:02:00Z,1,1,0,1', 'line 3 has no price above zero as low'],
    ['a negative price', '2026-01-05T12:02:00Z,-1,1,1,1', 'line 3 has no price above zero as open'],
    ['a price with an exponent', '2026-01-05T12:02:00Z,1e4,1,1,1', 'line 3 has no price above zero as open'],
    ['a price that is none', '2026-01-05T12:02:00Z,1,1,1,NaN', 'line 3 has no price above zero as close'],
    ['a high below the close', '2026-01-05T12:02:00Z,1,1,1,2', 'line 3 has a high below another of its prices'],
    ['a low above the open', '2026-01-05T12:02:00Z,1,3,2,2', 'line 3 has a low above another of its prices'],
    ['a volume that is none', '2026-01-05T12:02:00Z,1,1,1,1,many', 'line 3 has a volume that is not a plain number'],
    ['a line without an end', `2026-01-05T12:02:00Z,${'1'.repeat(1000)}`, 'line 3 is longer than 1000 characters'],
  ])('is refused by its line for %s', (_what, line, message) => {
    expect(() => read(...ROWS, line)).toThrow(message)
    expect(() => read(...ROWS, line)).toThrow(CandleError)
  })

  it('is refused when it has no candles, or one', () => {
    expect(() => read('time,open,high,low,close')).toThrow('the file has no candles')
    expect(() => read(ROWS[0] ?? '')).toThrow('the file has one candle')
  })

  it('is refused at the first candle too many', () => {
    const reader = new CandleReader('0.1', 1200)
    for (let count = 0; count < 1200; count += 1) reader.take(`${START + count * 1000},1,1,1,1`)
    expect(() => reader.take(`${START + 1200 * 1000},1,1,1,1`)).toThrow(
      'line 1201 is beyond the 1,200 candles that a replay takes',
    )
  })

  it('has at most 200,000 candles', () => {
    expect(MAX_CANDLES).toBe(200_000)
  })

  it('tells how many gaps it has, and the longest', () => {
    const at = (...minutes: number[]) => read(...minutes.map((minute) => `${START + minute * 60_000},1,1,1,1`))
    expect(at(0, 1, 2, 5, 6, 7, 19, 20)).toMatchObject({
      intervalMs: 60_000,
      gaps: { count: 2, longestMs: 12 * 60_000, line: 7 },
    })
  })

  it('is kept as text that reads back the same', () => {
    const candle = fc.tuple(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 1, max: 1000 }))
    fc.assert(
      fc.property(fc.array(candle, { minLength: 2, maxLength: 50 }), (rows) => {
        let time = START
        const candles = read(
          ...rows.map(([tenths, step]) => {
            time += step * 1000
            return `${time},${tenths / 10},${tenths / 10},${tenths / 10},${tenths / 10}`
          }),
        )
        const { gaps: _, ...kept } = candles
        expect(readCandles(candlesText(candles))).toEqual(kept)
      }),
    )
  })

  it.each(['', '60000\n', '60000\n1,2,3\n2,3,4\n', 'x\n1,1,1,1,1\n2,1,1,1,1\n', '60000\n1,1,1,1,1\n2,1,1,1\n'])(
    'is not read back from what is cut or foreign: %j',
    (text) => {
      expect(() => readCandles(text)).toThrow(CandleError)
    },
  )
})
