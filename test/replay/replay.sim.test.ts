import { describe, expect, it } from 'vitest'
import { lookup } from '../../src/commands/catalogue.ts'
import type { ReplayResult } from '../../src/commands/kit/data.ts'
import type { CommandPorts } from '../../src/commands/kit/ports.ts'
import { findMarket } from '../../src/exchanges/paper/markets.ts'
import { type CandleBatch, type ReplayOptions, replay } from '../../src/replay/replay.ts'
import type { Bar } from '../../src/triggers/indicators.ts'
import { parseTrigger } from '../../src/triggers/trigger.ts'
import { randomBars } from '../triggers/candles.ts'

const FROM = Date.UTC(2026, 0, 1)
const MINUTE = 60_000

type Prices = readonly [open: number, high: number, low: number, close: number]

/** Candles of a minute, from 2026-01-01 on. */
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

async function* batches(bars: readonly Bar[]): AsyncGenerator<CandleBatch> {
  yield { bars: bars.slice(0, 3), done: 0 }
  yield { bars: bars.slice(3), done: 1 }
}

const CONFIG = { readOncePerTurn: () => ({ listener: { accountSync: true } }) } as unknown as CommandPorts['config']

function run(
  command: string,
  bars: readonly Bar[],
  { when = 'close(1m) crosses above 100', ...options }: Partial<ReplayOptions> & { readonly when?: string } = {},
): Promise<ReplayResult> {
  return replay({
    account: 'paper',
    exchange: 'paper',
    limits: {},
    balance: '10000',
    market: findMarket('BTCUSDT'),
    hook: { name: 'dip', command },
    lookup,
    names: { aliases: {}, variables: {} },
    config: CONFIG,
    onBug: (error) => {
      throw error
    },
    trigger: parseTrigger(when),
    frame: '1m',
    candles: batches(bars),
    signal: new AbortController().signal,
    ...options,
  })
}

/** One fire alone. */
const once = (command: string, ...rows: readonly Prices[]) =>
  run(command, candles(...rows), { hook: { name: 'dip', command, limits: { once: true } } })

const fillsOf = ({ fills }: ReplayResult) => fills.map(({ side, price, amount }) => `${side} ${amount} at ${price}`)

/** Crosses 100 at the close of the second candle: its fire meets the open of the third. */
const BEFORE: readonly Prices[] = [
  [90, 90, 90, 90],
  [90, 101, 90, 101],
]

describe('a replay', () => {
  it('fires at the close, and fills at the open of the next candle', async () => {
    const result = await run('buy 1 BTCUSDT', candles(...BEFORE, [102, 103, 100, 103]))
    expect(result.fires).toMatchObject([{ at: FROM + 2 * MINUTE, price: '101', run: { state: 'done' } }])
    expect(result.fills).toMatchObject([
      { at: FROM + 2 * MINUTE, side: 'buy', amount: '1', price: '102.1', takerOrMaker: 'taker' },
    ])
    // A step above the open, and the taker's fee.
    expect(result.fills[0]?.fee).toBe('0.056155')
    expect(result.profit).toBe('0.843845')
    expect(result.open).toMatchObject({ side: 'long', amount: '1', entryPrice: '102.1' })
  })

  it('fires into nothing at the last candle', async () => {
    const result = await run('buy 1 BTCUSDT', candles(...BEFORE))
    expect(result.fires).toEqual([{ at: FROM + 2 * MINUTE, price: '101', run: undefined }])
    expect(result.fills).toEqual([])
  })

  const long = 'buy 1 BTCUSDT stop 95 tp 110'
  const short = 'sell 1 BTCUSDT stop 105 tp 90'
  const ENTERED: readonly Prices[] = [...BEFORE, [100, 100, 100, 100]]

  it.each([
    ['long: a candle that reaches both stops first', long, [100, 112, 94, 111], 'sell 1 at 94.9'],
    ['long: a candle that reaches the target alone', long, [100, 112, 96, 111], 'sell 1 at 109.9'],
    ['long: an open beyond the stop', long, [91, 112, 90, 111], 'sell 1 at 90.9'],
    ['long: an open beyond the target', long, [115, 116, 94, 100], 'sell 1 at 114.9'],
    ['short: a candle that reaches both stops first', short, [100, 106, 89, 89], 'buy 1 at 105.1'],
    ['short: a candle that reaches the target alone', short, [100, 104, 89, 89], 'buy 1 at 90.1'],
    ['short: an open beyond the stop', short, [109, 110, 89, 89], 'buy 1 at 109.1'],
  ] as const)('%s', async (_, command, candle, exit) => {
    const result = await once(command, ...ENTERED, candle, [100, 100, 100, 100])
    expect(fillsOf(result)[1]).toBe(exit)
    expect(result.open).toBeUndefined()
    expect(result.stats).toMatchObject({ trades: 1 })
  })

  it('counts against an entry within the candle, be its stop reached before it or not', async () => {
    // Down to the limit and the stop, and up to the target.
    const result = await run(
      'buy 1 BTCUSDT at 97 stop 95 tp 110',
      candles(...ENTERED, [100, 111, 94, 111], [111, 111, 111, 111]),
    )
    expect(fillsOf(result)).toEqual(['buy 1 at 97', 'sell 1 at 94.9'])
  })

  it('gives an entry no target that was passed before it', async () => {
    // Up to 111 first, for the close is nearer to the low; then down to the entry.
    const result = await run(
      'buy 1 BTCUSDT at 97 stop 95 tp 110',
      candles(...ENTERED, [100, 111, 96, 96.5], [97, 97, 97, 97]),
    )
    expect(fillsOf(result)).toEqual(['buy 1 at 97'])
  })

  it('liquidates what the account no longer carries', async () => {
    const result = await once('buy 900.0 BTCUSDT', ...ENTERED, [100, 100, 40, 50], [50, 50, 50, 50])
    expect(result.fires[0]?.run?.error).toBeUndefined()
    expect(fillsOf(result)).toHaveLength(2)
    expect(result.open).toBeUndefined()
    expect(Number(result.profit)).toBeLessThan(-9_000)
    expect(Number(result.profit)).toBeGreaterThanOrEqual(-10_000)
  })

  it('adds up: profit is what was realized less fees, with what is open', async () => {
    const bars = randomBars(1_500, 11)
    const result = await run('buy 1 BTCUSDT stop -2% tp 3%', bars, { when: 'rsi(14, 1m) crosses above 40' })
    expect(result.fires.length).toBeGreaterThan(10)
    const open = Number(result.open?.pnl ?? 0)
    expect(Number(result.profit)).toBeCloseTo(Number(result.realized) - Number(result.fees) + open, 6)
    const last = result.equity.at(-1)
    expect(Number(last?.[1])).toBeCloseTo(10_000 + Number(result.profit), 2)
    const pnl = result.fills.reduce((sum, fill) => sum + Number(fill.pnl), 0)
    expect(pnl).toBeCloseTo(Number(result.realized), 6)
    for (const { run: by } of result.fills) expect(result.fires.some(({ run: fired }) => fired?.id === by)).toBe(true)
  })

  it('says how deep the account fell, and how much of the time it held something', async () => {
    const result = await once('buy 1 BTCUSDT', ...ENTERED, [100, 120, 100, 120], [120, 120, 80, 80], [80, 90, 80, 90])
    expect(result.deepestFall).toEqual({
      currency: 'USDT',
      amount: '40.00',
      percent: '0.40',
      from: FROM + 4 * MINUTE,
      to: FROM + 5 * MINUTE,
    })
    expect(result.inMarketPercent).toBe('66.7')
  })

  it('measures R by the stop of the entry', async () => {
    const result = await run(long, candles(...ENTERED, [100, 112, 99, 111], [111, 111, 111, 111]))
    // From 100.1 with a stop at 95: 109.9 is nearly twice the risk, less fees.
    expect(result.stats.r).toMatchObject({ trades: 1, average: '1.90' })
    expect(result.stats.winRate).toBe('100.0')
  })

  it('gives the same bytes for the same candles, however it is cut into slices', async () => {
    const bars = randomBars(500, 5)
    const options = { when: 'rsi(14, 1m) crosses above 45' }
    const line = 'buy 1 BTCUSDT stop -1% tp 2%; wait 90s; close BTCUSDT'
    const whole = JSON.stringify(await run(line, bars, { ...options, sliceMs: 1_000 }))
    expect(whole.length).toBeGreaterThan(3_000)
    expect(JSON.stringify(await run(line, bars, { ...options, sliceMs: 0 }))).toBe(whole)
    const [one, other] = await Promise.all([run(line, bars, options), run(line, bars, options)])
    expect([JSON.stringify(one), JSON.stringify(other)]).toEqual([whole, whole])
  })

  it('sees nothing of later candles: of each prefix it decides and fills as on the whole', async () => {
    const bars = randomBars(400, 21)
    const options = { when: 'rsi(14, 1m) crosses above 45' }
    const line = 'buy 1 BTCUSDT at -0.2% stop -1% tp 2%'
    const whole = await run(line, bars, options)
    expect(whole.fills.length).toBeGreaterThan(8)
    for (let length = 1; length <= bars.length; length += 57) {
      const prefix = await run(line, bars.slice(0, length), options)
      const until = FROM + length * MINUTE
      const decided = ({ fires }: ReplayResult) => fires.map(({ at, price }) => ({ at, price }))
      expect(decided(prefix)).toEqual(decided(whole).filter(({ at }) => at <= until))
      expect(prefix.fills).toEqual(whole.fills.filter(({ at }) => at < until))
    }
  })

  it('lets time pass for a line that waits', async () => {
    const rows: readonly Prices[] = [...ENTERED, [101, 101, 101, 101], [103, 103, 103, 103], [104, 104, 104, 104]]
    const result = await once('buy 1 BTCUSDT; sleep 2m; close BTCUSDT', ...rows)
    expect(fillsOf(result)).toEqual(['buy 1 at 100.1', 'sell 1 at 102.9'])
    expect(result.fires[0]?.run).toMatchObject({ state: 'done' })
    const cut = await once('buy 1 BTCUSDT; sleep 10m; close BTCUSDT', ...rows)
    expect(cut.fires[0]?.run).toMatchObject({ state: 'running' })
  })

  it('keeps the limits of the hook', async () => {
    const zigzag = candles(
      ...Array.from({ length: 40 }, (_, at): Prices => (at % 2 === 0 ? [90, 101, 90, 90] : [90, 101, 90, 101])),
    )
    const states = async (limits: NonNullable<ReplayOptions['hook']['limits']>) => {
      const result = await run('buy 1 BTCUSDT', zigzag, { hook: { name: 'dip', command: 'buy 1 BTCUSDT', limits } })
      return result.fires.slice(0, 6).map(({ run: fired }) => fired?.error ?? fired?.state)
    }
    const cooldown = 'skipped: cooldown of 5m'
    expect(await states({ cooldownMs: 5 * MINUTE })).toEqual(['done', cooldown, cooldown, 'done', cooldown, cooldown])
    expect(await states({ perDay: 2 })).toEqual([
      'done',
      'done',
      ...new Array(4).fill(expect.stringContaining('skipped: ')),
    ])
    expect((await states({ once: true })).filter((state) => state === 'done')).toHaveLength(1)
    expect((await states({ max: '50' }))[0]).toContain('a fire of this hook may order at most $50.00 (--max)')
    expect(await states({ onlyIf: 'flat' })).toEqual([
      'done',
      ...new Array(5).fill('skipped: BTCUSDT is long, and it runs only if flat'),
    ])
  })

  it('keeps the limits of the account, as they are on its own exchange', async () => {
    const bars = candles(...BEFORE, [100, 100, 100, 100])
    const refused = await run('buy 20 BTCUSDT', bars, { exchange: 'binance', account: 'main' })
    expect(refused.fires[0]?.run).toMatchObject({ state: 'failed', error: expect.stringContaining('$1,000.00') })
    const own = await run('buy 20 BTCUSDT', bars, { exchange: 'binance', account: 'main', limits: { order: '5000' } })
    expect(own.fires[0]?.run).toMatchObject({ state: 'done' })
  })

  it('stops adding where the account has lost what it may lose in a day, and says so', async () => {
    const bars = candles(...BEFORE, [100, 100, 100, 100], [100, 100, 90, 90], [90, 101, 90, 101], [101, 101, 101, 101])
    const result = await run('buy 10 BTCUSDT', bars, { limits: { loss: '50' } })
    expect(result.notes.join()).toContain('account paper has lost')
    expect(result.fires.map(({ run: fired }) => fired?.state)).toEqual(['done', 'failed'])
  })

  it.each([
    'hook create x "echo a"',
    'account use other',
    'switch off remoteExec',
    'panic',
    'runs stop --all',
    'alert BTCUSDT > 1',
  ])('runs nothing that reaches beyond its account: %s', async (line) => {
    const result = await run(line, candles(...ENTERED))
    expect(result.fires[0]?.run).toMatchObject({ state: 'failed' })
    expect(result.fires[0]?.run?.error).toMatch(/is not part of a replay|only in the terminal|hook/)
  })

  it('ends with what there is when it is stopped, and after ten thousand fires', async () => {
    const stop = new AbortController()
    const bars = randomBars(5_000, 3)
    const stopped = await run('buy 1 BTCUSDT', bars, {
      sliceMs: 0,
      signal: stop.signal,
      onProgress: ({ bars: seen }) => {
        if (seen >= 1_000) stop.abort()
      },
    })
    expect(stopped.ended).toBe('stopped')
    expect(stopped.bars).toBeGreaterThan(900)
    expect(stopped.bars).toBeLessThan(1_300)
  })

  it('gives others a turn every few candles', async () => {
    let turns = 0
    let isRunning = true
    const beat = () => {
      turns += 1
      if (isRunning) setImmediate(beat)
    }
    setImmediate(beat)
    await run('buy 1 BTCUSDT', randomBars(20_000, 3), { when: 'rsi(14, 1m) > 99.99', sliceMs: 0 })
    isRunning = false
    expect(turns).toBeGreaterThan(20_000 / 128 - 5)
  })
})
