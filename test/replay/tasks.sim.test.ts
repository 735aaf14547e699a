import { describe, expect, it } from 'vitest'
import { lookup } from '../../src/commands/catalogue.ts'
import type { ReplayResult } from '../../src/commands/kit/data.ts'
import type { CommandPorts } from '../../src/commands/kit/ports.ts'
import { findMarket } from '../../src/exchanges/paper/markets.ts'
import { type ReplayOptions, replay } from '../../src/replay/replay.ts'
import type { Bar } from '../../src/triggers/indicators.ts'
import { parseTrigger } from '../../src/triggers/trigger.ts'
import { randomBars } from '../triggers/candles.ts'

const FROM = Date.UTC(2026, 0, 1)
const MINUTE = 60_000
const CONFIG = { readOncePerTurn: () => ({ listener: { accountSync: true } }) } as unknown as CommandPorts['config']

type Prices = readonly [open: number, high: number, low: number, close: number]

function candles(...rows: readonly Prices[]): Bar[] {
  return rows.map(([open, high, low, close], index) => ({
    at: FROM + index * MINUTE,
    open,
    high,
    low,
    close,
    volume: 1,
  }))
}

async function* batches(bars: readonly Bar[]) {
  yield { bars, done: 1 }
}

function run(command: string, bars: readonly Bar[], options: Partial<ReplayOptions> = {}): Promise<ReplayResult> {
  return replay({
    account: 'paper',
    exchange: 'paper',
    limits: {},
    balance: '10000',
    market: findMarket('BTCUSDT'),
    hook: { name: 'dip', command, limits: { once: true } },
    lookup,
    names: { aliases: {}, variables: {} },
    config: CONFIG,
    onBug: (error) => {
      throw error
    },
    trigger: parseTrigger('close(1m) crosses above 100'),
    frame: '1m',
    candles: batches(bars),
    signal: new AbortController().signal,
    ...options,
  })
}

const fillsOf = ({ fills }: ReplayResult) => fills.map(({ side, price }) => `${side} at ${price}`)

/** Crosses 100 at the close of the second candle: its fire meets the open of the third. */
const BEFORE: readonly Prices[] = [
  [90, 90, 90, 90],
  [90, 101, 90, 101],
]
const AT_100: Prices = [100, 100, 100, 100]

describe('a replay of a line that begins a task', () => {
  it('fills a grid at its steps, up and down, and counts what its rounds made', async () => {
    const result = await run(
      'grid $4000 BTCUSDT into 4 from 92 to 100',
      candles(...BEFORE, [99.5, 99.5, 99.5, 99.5], [99.5, 99.5, 95, 95], [95, 99, 95, 99], [99, 99, 99, 99]),
    )
    expect(result.fires).toMatchObject([{ run: { state: 'done' } }])
    expect(fillsOf(result)).toEqual(['buy at 98', 'buy at 96', 'sell at 98'])
    expect(result.tasks).toMatchObject([{ kind: 'grid', status: 'running', startedAt: FROM + 2 * MINUTE }])
    expect(result.tasks?.[0]?.doing).toContain('1 round made')
    const [fire] = result.fires
    for (const { run: by } of result.fills) expect(by).toBe(fire?.run?.id)
    expect(result.tasks?.[0]?.run).toBe(fire?.run?.id)
  })
  it('adds to a dca at each step that the price goes against it', async () => {
    const result = await run(
      'dca buy $4000 BTCUSDT into 4 every -2%',
      candles(...BEFORE, AT_100, [100, 100, 95, 97], [97, 97, 97, 97]),
    )
    expect(fillsOf(result)).toEqual(['buy at 100.1', 'buy at 98', 'buy at 96'])
    expect(result.open?.entryPrice).toMatch(/^98\./)
  })
  it.each([
    ['twap buy $4000 BTCUSDT into 4 over 4m', 4],
    ['chase buy $4000 BTCUSDT', 1],
  ])('goes on with time: %s', async (line, fills) => {
    const result = await run(
      line,
      candles(...BEFORE, ...randomBars(20, 3).map((bar): Prices => [bar.open, bar.high, bar.low, bar.close])),
    )
    expect(result.fires).toMatchObject([{ run: { state: 'done' } }])
    expect(result.fills.length).toBeGreaterThanOrEqual(fills)
  })
  it('moves a trailing stop behind the high of each candle', async () => {
    const result = await run(
      'buy 1 BTCUSDT; trail BTCUSDT 5%',
      candles(...BEFORE, AT_100, [100, 120, 100, 120], [120, 120, 100, 100], AT_100),
    )
    expect(fillsOf(result)).toEqual(['buy at 100.1', 'sell at 113.9'])
  })
  it('decides the same of each prefix as of the whole, and the same bytes twice', async () => {
    const bars = randomBars(200, 7)
    const line = 'grid $4000 BTCUSDT into 5 from 80 to 110'
    const options = { trigger: parseTrigger('rsi(14, 1m) crosses above 40') }
    const whole = await run(line, bars, options)
    expect(whole.fills.length).toBeGreaterThan(2)
    expect(JSON.stringify(await run(line, bars, options))).toBe(JSON.stringify(whole))
    const part = await run(line, bars.slice(0, 120), options)
    const until = FROM + 120 * MINUTE
    expect(part.fills).toEqual(whole.fills.filter(({ at }) => at < until))
  })
  it('ends what adds where the account has lost what it may lose in a day', async () => {
    const result = await run(
      'grid $4000 BTCUSDT into 4 from 92 to 100',
      candles(...BEFORE, [99, 99, 99, 99], [99, 99, 91, 91], [91, 91, 60, 60], AT_100, [100, 100, 91, 99]),
      { limits: { loss: '100', lossWithOpen: true } },
    )
    expect(result.notes.at(-1)).toContain('takes only orders that reduce')
    expect(result.tasks?.[0]).toMatchObject({ kind: 'grid' })
    // Nothing is bought once the limit was reached.
    expect(fillsOf(result).filter((fill) => fill.startsWith('buy'))).toHaveLength(4)
  })
  it.each(['when BTCUSDT > 110 (buy 1 BTCUSDT)', 'every day 09:00 (buy 1 BTCUSDT)'])(
    'refuses what reports or runs further lines: %s',
    async (line) => {
      const result = await run(line, candles(...BEFORE, AT_100, AT_100))
      expect(result.fires).toMatchObject([
        { run: { state: 'failed', error: expect.stringContaining('not part of a replay') } },
      ])
      expect(result.tasks).toBeUndefined()
    },
  )
})
