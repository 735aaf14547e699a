import { describe, expect, it } from 'vitest'
import { type Delay, manualDelay } from '../../harness/commands/manual-delay.ts'
import type { Candle, CandleInterval } from '../../src/exchange/market.ts'
import { BarFeeds, type TaskReads } from '../../src/tasks/bar-feed.ts'
import { TaskWakes } from '../../src/tasks/task-wakes.ts'
import type { TradingAccount } from '../../src/trading/order-desk.ts'
import { BTC } from './scripted-venue.ts'

const MINUTE_MS = 60_000
const START = Date.UTC(2026, 0, 1)
const READS: TaskReads = { bars: { '1m': 20 }, summary: false, balances: false, isLive: false }

/** A venue with a bar for each minute that has begun. */
function createStage() {
  let now = START + 10_000
  const delays = new Set<Delay>()
  const clock = {
    now: () => now,
    delay: (ms: number, signal: AbortSignal) => manualDelay(delays, now + ms, signal),
  }
  const asked: { readonly at: number; readonly symbol: string; readonly limit: number }[] = []
  const problems: unknown[] = []
  const venue = {
    answers: true,
    offsetMs: 0,
    /** Of the bar that began then. */
    corrected: new Map<number, string>(),
    replay: undefined as number | undefined,
    replayedSince: () => venue.replay,
    async fetchCandles(symbol: string, _frame: CandleInterval, limit: number): Promise<readonly Candle[]> {
      asked.push({ at: now, symbol, limit })
      await undefined
      if (!venue.answers) throw new Error('no answer')
      const last = Math.floor((now + venue.offsetMs) / MINUTE_MS) * MINUTE_MS
      return Array.from({ length: limit }, (_, index) => {
        const at = last - (limit - 1 - index) * MINUTE_MS
        return { at, open: '1', high: '1', low: '1', close: venue.corrected.get(at) ?? String(at), volume: '1' }
      }).filter(({ at }) => at + MINUTE_MS > (venue.replay ?? 0))
    },
  }
  const account = { venue } as unknown as TradingAccount
  const wakes = new TaskWakes(clock)
  const feedsOf = (problem: (error: unknown) => void) => new BarFeeds({ account, clock, wakes, problem })
  const feeds = feedsOf((error) => problems.push(error))
  /** As a page does that draws them. */
  const draw = (bars = 500, everyMs?: number) => {
    const [drawn, failures]: [(readonly Candle[] | undefined)[], unknown[]] = [[], []]
    const shown = feedsOf(() => {
      throw new Error('no task uses it')
    }).show(
      { symbol: BTC.symbol, frame: '1m', bars, ...(everyMs === undefined ? {} : { everyMs }) },
      { changed: () => drawn.push(shown.bars()), failed: (error) => failures.push(error) },
    )
    return { shown, drawn, failures }
  }
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  const pass = async (ms: number) => {
    for (const until = now + ms; now < until; ) {
      const next = Math.min(until, ...[...delays].map(({ at }) => Math.max(at, now + 1)))
      now = next
      for (const delay of [...delays]) if (delay.at <= now) delay.end()
      await settle()
    }
  }
  const jump = async (ms: number) => {
    now += ms
    for (const delay of [...delays]) delay.end()
    await settle()
  }
  return { feeds, draw, venue, asked, problems, pass, jump, settle, now: () => now }
}

const closed = ({ bars }: ReturnType<Awaited<ReturnType<BarFeeds['watch']>>['readings']>) => bars['1m']?.bars ?? []

describe('bars of one symbol and frame', () => {
  it('are read once for two hundred that judge them', async () => {
    const stage = createStage()
    let changes = 0
    const watches = await Promise.all(
      Array.from({ length: 200 }, () =>
        stage.feeds.watch(BTC, READS, () => {
          changes += 1
        }),
      ),
    )
    expect(stage.asked).toHaveLength(1)
    await stage.pass(3 * MINUTE_MS)
    expect(stage.asked.map(({ at }) => at - START)).toEqual([10_000, 60_150, 120_150, 180_150])
    expect(changes).toBe(600)
    for (const watch of watches) expect(closed(watch.readings()).at(-1)?.at).toBe(START + 3 * MINUTE_MS)
  })

  it('are kept for who comes later, and read again for who needs more of them', async () => {
    const stage = createStage()
    await stage.feeds.watch(BTC, READS, () => {})
    await stage.pass(2 * MINUTE_MS)
    const asked = stage.asked.length
    const late = await stage.feeds.watch(BTC, READS, () => {})
    expect(stage.asked).toHaveLength(asked)
    expect(closed(late.readings()).length).toBeGreaterThanOrEqual(21)
    const deep = await stage.feeds.watch(BTC, { ...READS, bars: { '1m': 300 } }, () => {})
    expect(stage.asked.at(-1)?.limit).toBeGreaterThanOrEqual(301)
    expect(closed(deep.readings()).length).toBeGreaterThanOrEqual(301)
    await stage.pass(MINUTE_MS)
    expect(stage.asked.at(-1)?.limit).toBeLessThan(10)
    const times = closed(deep.readings()).map(({ at }) => at)
    expect(times).toEqual(times.map((_, index) => (times[0] ?? 0) + index * MINUTE_MS))
  })

  it('are no longer read when the last has left', async () => {
    const stage = createStage()
    const [one, two] = [await stage.feeds.watch(BTC, READS, () => {}), await stage.feeds.watch(BTC, READS, () => {})]
    one.end()
    await stage.pass(MINUTE_MS)
    expect(stage.asked).toHaveLength(2)
    two.end()
    await stage.pass(10 * MINUTE_MS)
    expect(stage.asked).toHaveLength(2)
  })

  it('are asked for less and less often while the venue does not answer, which is reported once', async () => {
    const stage = createStage()
    let changes = 0
    await stage.feeds.watch(BTC, READS, () => {
      changes += 1
    })
    stage.venue.answers = false
    await stage.pass(4 * MINUTE_MS)
    const tries = stage.asked.length - 1
    expect(tries).toBeGreaterThan(4)
    expect(tries).toBeLessThan(24)
    expect(stage.problems).toHaveLength(1)
    expect(changes).toBe(0)
    stage.venue.answers = true
    await stage.pass(20_000)
    expect(changes).toBeGreaterThan(0)
    stage.venue.answers = false
    await stage.pass(2 * MINUTE_MS)
    expect(stage.problems).toHaveLength(2)
  })

  it('are asked for each second while the venue is late with one, and seldom after half a minute', async () => {
    const stage = createStage()
    await stage.feeds.watch(BTC, READS, () => {})
    stage.venue.offsetMs = -3 * MINUTE_MS
    await stage.pass(50_000 + 59_000)
    expect(stage.asked.length).toBeGreaterThan(30)
    expect(stage.asked.length).toBeLessThan(36)
  })

  it('go on being read when the clock is set back an hour, or forward', async () => {
    const stage = createStage()
    await stage.feeds.watch(BTC, READS, () => {})
    const before = stage.asked.length
    await stage.jump(-3_600_000)
    await stage.pass(2 * MINUTE_MS)
    expect(stage.asked.length).toBeGreaterThanOrEqual(before + 3)
    const middle = stage.asked.length
    await stage.jump(3_600_000)
    await stage.pass(2 * MINUTE_MS)
    expect(stage.asked.length).toBeGreaterThanOrEqual(middle + 2)
  })
})

describe('bars that are judged and drawn', () => {
  it('are asked for once; a correction reaches both, and who leaves ends nothing of the other', async () => {
    const stage = createStage()
    const judged = await stage.feeds.watch(BTC, READS, () => {})
    const page = stage.draw()
    await stage.settle()
    const asked = stage.asked.length
    expect(page.shown.bars()).toHaveLength(500)
    await stage.pass(MINUTE_MS)
    expect(stage.asked.length - asked).toBe(1)
    stage.venue.corrected.set(START, '7')
    await stage.pass(MINUTE_MS)
    expect(stage.asked.length - asked).toBe(2)
    const of = (bars: readonly Candle[] | undefined) => bars?.find(({ at }) => at === START)?.close
    expect([of(closed(judged.readings())), of(page.drawn.at(-1))]).toEqual(['7', '7'])

    page.shown.end()
    await stage.pass(MINUTE_MS)
    expect(stage.asked.length - asked).toBe(3)
    expect(closed(judged.readings()).at(-1)?.at).toBe(START + 3 * MINUTE_MS)

    const again = stage.draw()
    await stage.settle()
    judged.end()
    await stage.pass(MINUTE_MS)
    expect(again.shown.bars()?.at(-1)?.at).toBe(START + 4 * MINUTE_MS)
    again.shown.end()
    const ended = stage.asked.length
    await stage.pass(5 * MINUTE_MS)
    expect(stage.asked).toHaveLength(ended)
  })

  it('are as many for a condition as if no one drew them', async () => {
    const stage = createStage()
    const judged = await stage.feeds.watch(BTC, READS, () => {})
    const alone = closed(judged.readings())
    stage.draw()
    await stage.settle()
    expect(closed(judged.readings())).toEqual(alone)
  })

  it('are asked for behind their close where they are only drawn, and sooner once they are judged', async () => {
    const stage = createStage()
    stage.draw(100, 30_000)
    await stage.settle()
    await stage.pass(2 * MINUTE_MS)
    const ms = () => stage.asked.map(({ at }) => at - START)
    expect(ms()).toEqual([10_000, 40_000, 62_000, 92_000, 122_000])
    // A venue without a bar for a quiet minute is not pressed for it.
    stage.venue.offsetMs = -3 * MINUTE_MS
    await stage.pass(MINUTE_MS)
    expect(ms().slice(5)).toEqual([152_000, 182_000])
    stage.venue.offsetMs = 0
    await stage.feeds.watch(BTC, READS, () => {})
    await stage.settle()
    await stage.pass(MINUTE_MS)
    expect(ms().slice(7)).toEqual([190_000, 220_000, 240_150])
  })

  it('of the forming one are asked for each second as soon as someone judges them so', async () => {
    const stage = createStage()
    await stage.feeds.watch(BTC, READS, () => {})
    const live = await stage.feeds.watch(BTC, { ...READS, isLive: true }, () => {})
    await stage.pass(5_000)
    expect(stage.asked).toHaveLength(6)
    live.end()
    await stage.pass(10_000)
    expect(stage.asked.length).toBeLessThan(8)
  })

  it('tell a page each time that they do not come, and tasks nothing that none of them uses', async () => {
    const stage = createStage()
    stage.venue.answers = false
    const page = stage.draw()
    await stage.settle()
    await stage.pass(10_000)
    expect(page.failures.length).toBeGreaterThan(2)
    expect(stage.problems).toEqual([])
  })

  it('begin anew with a replay', async () => {
    const stage = createStage()
    const judged = await stage.feeds.watch(BTC, READS, () => {})
    const page = stage.draw()
    await stage.settle()
    stage.venue.replay = stage.now()
    expect(page.shown.bars()).toBeUndefined()
    page.shown.again()
    await stage.settle()
    expect(page.shown.bars()?.map(({ at }) => at)).toEqual([START])
    expect(closed(judged.readings()).map(({ at }) => at)).toEqual([START])
  })
})
