import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import type { CandleChoice } from '../../src/commands/kit/ports.ts'
import type { VenueView } from '../../src/exchange/exchange.ts'
import { CANDLE_MS, type Candle, type CandleInterval } from '../../src/exchange/market.ts'
import { type CandleFeed, openCandles } from '../../src/replay/candle-feeds.ts'
import type { Bar } from '../../src/triggers/indicators.ts'
import { parseTrigger } from '../../src/triggers/trigger.ts'

const FROM = Date.UTC(2026, 0, 1)
const NOW = FROM + 100 * CANDLE_MS['1h'] + 1_234

function open(
  choice: CandleChoice,
  when = 'close(1h) > sma(3)',
  signal = new AbortController().signal,
): Promise<CandleFeed> {
  return openCandles(choice, { trigger: parseTrigger(when), symbol: 'BTCUSDT', signal, now: NOW })
}

async function barsOf({ candles }: CandleFeed): Promise<Bar[]> {
  const bars: Bar[] = []
  for await (const batch of candles) bars.push(...batch.bars)
  return bars
}

describe('a file of candles', () => {
  const fileOf = (text: string, mayHaveGaps = false): CandleChoice => {
    const path = join(tempDirectory(), 'x.csv')
    writeFileSync(path, text)
    return { from: 'file', path, mayHaveGaps }
  }
  const read = async (text: string, { gaps = false, when = 'last > 1' } = {}) => {
    const feed = await open(fileOf(text, gaps), when)
    return { frame: feed.frame, bars: await barsOf(feed), notes: feed.notes }
  }
  const minute = (at: number, close = 100) => `${FROM + at * 60_000},100,120,80,${close},5`

  it.each([
    ['ms', `${FROM},1,2,1,2\n${FROM + 60_000},2,3,1,1`],
    ['seconds, with a header', `time,open,high,low,close\n${FROM / 1000},1,2,1,2\n${FROM / 1000 + 60},2,3,1,1`],
    [
      'ISO, quoted, with a mark in front and comments',
      '\uFEFF# mine\n"2026-01-01T00:00:00Z","1","2","1","2"\n\n2026-01-01 00:01,2,3,1,1\n',
    ],
    ['another order of columns', `close,open,high,low,timestamp\n2,1,2,1,${FROM}\n1,2,3,1,${FROM + 60_000}`],
    ['ends of lines of Windows', `${FROM},1,2,1,2\r\n${FROM + 60_000},2,3,1,1\r\n`],
  ])('is read: %s', async (_, text) => {
    const { frame, bars } = await read(text)
    expect(frame).toBe('1m')
    expect(bars).toEqual([
      { at: FROM, open: 1, high: 2, low: 1, close: 2, volume: Number.NaN },
      { at: FROM + 60_000, open: 2, high: 3, low: 1, close: 1, volume: Number.NaN },
    ])
  })

  it.each([
    ['', 'x.csv: the file has no candles'],
    [minute(0), 'x.csv: the file has one candle'],
    [`${minute(1)}\n${minute(0)}`, 'x.csv: line 2 is not later than the candle before it'],
    [`${minute(0)}\n${minute(0)}`, 'x.csv: line 2 is not later than the candle before it'],
    [`${minute(0)}\n${minute(1, -1)}`, 'x.csv: line 2 has no price above zero as close'],
    [`${minute(0)}\n${minute(1, 130)}`, 'x.csv: line 2 has a high below another of its prices'],
    [`${minute(0)}\n${minute(1, 70)}`, 'x.csv: line 2 has a low above another of its prices'],
    [
      `${minute(0)}\nnever,1,1,1,1`,
      'x.csv: line 2 has no time as 2026-01-31T14:30:00Z, or in seconds or ms since 1970',
    ],
    [`${minute(0)}\n${FROM + 60_000},1,1,1`, 'x.csv: line 2 has no close'],
    [`${minute(0)}\n${minute(1)}\n${minute(4)}`, 'x.csv: line 3 comes after 2 candles that are missing'],
    [
      `${minute(0)}\n${minute(1)}\n${FROM + 90_000},1,1,1,1`,
      'x.csv: line 3 begins 30s after the candle before it, and the candles are of 1m',
    ],
    [
      `${minute(0)}\n${minute(2)}`,
      'x.csv: line 2 begins 2m after the candle before it, and candles are of 1m, 5m, 15m, 1h, 4h, 1d',
    ],
    [`${minute(3)}\n${minute(8)}`, 'x.csv: line 2 begins beside the bars of 5m, which are counted from 00:00 UTC'],
    [`${'1'.repeat(1_001)}`, 'x.csv: line 1 is longer than 1000 characters'],
  ])('is refused in words with its line: %j', async (text, message) => {
    await expect(read(text)).rejects.toMatchObject({ code: 'bad-candles', message })
  })

  it('may have gaps where that is said, and they are counted', async () => {
    const text = [0, 1, 4, 5, 7].map((at) => minute(at)).join('\n')
    const { bars, notes } = await read(text, { gaps: true })
    expect(bars).toHaveLength(5)
    expect(notes).toEqual(['the candles have 2 gaps, the longest of 2m before 2026-01-01 00:04:00 UTC'])
  })

  it('must be fine enough for the condition, and have the volume that it uses', async () => {
    const hours = `${FROM},1,2,1,2\n${FROM + 3_600_000},2,3,1,1`
    await expect(read(hours, { when: 'close(15m) > 1' })).rejects.toMatchObject({
      message: 'the condition judges bars of 15m, and the candles are of 1h',
    })
    await expect(read(hours, { when: 'close(1h) > vwap' })).rejects.toMatchObject({
      message: 'x.csv: line 1 has no volume, and the condition uses it',
    })
  })

  it('that is none is named', async () => {
    const missing: CandleChoice = { from: 'file', path: '/nowhere/y.csv', mayHaveGaps: false }
    await expect(open(missing)).rejects.toMatchObject({ code: 'bad-candles', message: 'y.csv: no such file' })
  })

  it('is read a part at a time', async () => {
    const text = Array.from({ length: 20_000 }, (_, at) => minute(at)).join('\n')
    const feed = await open(fileOf(text), 'last > 1')
    let [most, count] = [0, 0]
    const shares: number[] = []
    for await (const { bars, done } of feed.candles) {
      most = Math.max(most, bars.length)
      count += bars.length
      shares.push(done)
    }
    expect(count).toBe(20_000)
    // 64 KiB at once.
    expect(most).toBeLessThan(3_000)
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
    expect(shares.at(-1)).toBe(1)
  })
})

describe('the candles of a venue', () => {
  /** @param most at once, whatever is asked for */
  function venueOf(begins: number, most = 1_000, missing: (at: number) => boolean = () => false) {
    const asked: { readonly interval: CandleInterval; readonly since: number | undefined }[] = []
    const venue = {
      id: 'binance',
      async fetchCandles(_symbol: string, interval: CandleInterval, limit: number, since?: number) {
        asked.push({ interval, since })
        const step = CANDLE_MS[interval]
        const found: Candle[] = []
        for (let at = Math.max(begins, since ?? 0); at <= NOW && found.length < Math.min(limit, most); at += step) {
          const candle = { at: Math.ceil(at / step) * step, open: '1', high: '2', low: '1', close: '2' }
          if (!missing(candle.at)) found.push(candle)
        }
        return found
      },
    }
    return { venue: venue as unknown as VenueView, asked }
  }

  it('come page by page, each once, with what an indicator needs before them, and without the one that forms', async () => {
    const { venue, asked } = venueOf(0, 7)
    const since = NOW - 10 * CANDLE_MS['1h']
    const feed = await open({ from: 'venue', venue, since })
    const bars = await barsOf(feed)
    expect(feed.frame).toBe('1h')
    expect(feed.firesFrom).toBe(since)
    const steps = bars.slice(1).map(({ at }, index) => at - (bars[index]?.at ?? 0))
    expect(new Set(steps)).toEqual(new Set([CANDLE_MS['1h']]))
    expect(bars.at(-1)?.at).toBe(FROM + 99 * CANDLE_MS['1h'])
    // Three for the average, and the one before.
    expect(bars[0]?.at).toBe(FROM + 86 * CANDLE_MS['1h'])
    expect(asked.length).toBeGreaterThan(1)
    expect(feed.notes).toEqual([])
  })

  it('are of the frame that was asked for, which is no longer than those of the condition', async () => {
    const { venue, asked } = venueOf(0)
    const feed = await open({ from: 'venue', venue, since: NOW - 3_600_000, frame: '1m' })
    expect((await barsOf(feed)).length).toBeGreaterThan(60)
    expect(asked[0]?.interval).toBe('1m')
    await expect(open({ from: 'venue', venue, since: 0, frame: '4h' })).rejects.toMatchObject({ code: 'bad-argument' })
  })

  it('that begin later, or have gaps, are named', async () => {
    const begins = FROM + 50 * CANDLE_MS['1h']
    const gap = FROM + 60 * CANDLE_MS['1h']
    const { venue } = venueOf(begins, 1_000, (at) => at === gap)
    const feed = await open({ from: 'venue', venue, since: FROM })
    await barsOf(feed)
    expect(feed.notes).toEqual([
      'binance has candles from 2026-01-03 02:00:00 UTC on',
      'the candles have a gap of 1h before 2026-01-03 13:00:00 UTC',
    ])
  })

  it('are refused where there are none', async () => {
    const { venue } = venueOf(NOW + 1)
    const none = open({ from: 'venue', venue, since: FROM }).then(barsOf)
    await expect(none).rejects.toMatchObject({ code: 'bad-candles' })
    const without = { id: 'x' } as VenueView
    await expect(open({ from: 'venue', venue: without, since: FROM })).rejects.toMatchObject({ code: 'not-supported' })
  })
})
