// What a watched market costs its venue, beside hooks that judge it and other pages that look at it.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { delay } from '../../../src/app/delay.ts'
import { INTERVAL_MS, type Interval } from '../../../src/base/candle-intervals.ts'
import type { ExchangeEvent, VenueView } from '../../../src/exchange/exchange.ts'
import type { Candle, TapeTrade } from '../../../src/exchange/market.ts'
import { LISTENER_LIMITS } from '../../../src/listener/listener-limits.ts'
import { MarketWatches } from '../../../src/listener/requests/watches.ts'
import type { Frame } from '../../../src/protocol/frames.ts'
import { BarFeeds } from '../../../src/tasks/bar-feed.ts'
import { TaskWakes } from '../../../src/tasks/task-wakes.ts'
import type { TradingAccount } from '../../../src/trading/order-desk.ts'
import { BTC } from '../../tasks/scripted-venue.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const START = Date.UTC(2026, 0, 2) + 10_000
const PLACE = { account: 'main', symbol: BTC.symbol, interval: '5m' } as const

// The turns of the event loop are the true ones.
beforeEach(() => void vi.useFakeTimers({ now: START, toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

/** A venue whose price is the minute's number since the epoch. */
function createStage(id = 'scripted') {
  const asked: string[] = []
  /** When bars of five minutes were asked for. */
  const askedAt: number[] = []
  const corrected = new Map<number, string>()
  const handlers = new Set<(event: ExchangeEvent) => void>()
  const priceAt = (ms: number) => String(Math.floor(ms / MINUTE_MS))
  const ticker = () => ({ symbol: BTC.symbol, last: priceAt(Date.now()), bid: '1', ask: '1', timestamp: Date.now() })
  let tapes = 0
  const venue = {
    id,
    stream: 'live',
    intervals: ['1m', '5m', '15m'],
    loadMarkets: async () => [BTC],
    subscribe(handler: (event: ExchangeEvent) => void) {
      handlers.add(handler)
      return () => void handlers.delete(handler)
    },
    watchTicker: () => () => {},
    fetchTicker: async () => ticker(),
    async fetchCandles(_symbol: string, interval: Interval, limit: number, since?: number): Promise<Candle[]> {
      asked.push(interval)
      if (interval === '5m') askedAt.push(Date.now())
      const length = INTERVAL_MS[interval]
      const newest = Math.floor(Date.now() / length) * length
      const first = since === undefined ? newest - (limit - 1) * length : Math.ceil(since / length) * length
      const begins = Array.from({ length: limit }, (_, index) => first + index * length)
      return begins
        .filter((at) => at <= newest)
        .map((at) => {
          const high = corrected.get(at) ?? priceAt(Math.min(Date.now(), at + length - 1))
          return { at, open: priceAt(at), high, low: priceAt(at), close: high }
        })
    },
    async fetchOrderBook() {
      const second = Math.floor(Date.now() / 1_000)
      return {
        symbol: BTC.symbol,
        bids: [[String(second), '1']],
        asks: [[String(second + 2), '1']],
        timestamp: Date.now(),
      }
    },
    knownTape(): readonly TapeTrade[] {
      tapes += 1
      return [{ at: Date.now(), price: '1', amount: '1', side: 'buy' }]
    },
  }
  const account = { name: 'main', venue: venue as unknown as VenueView } as TradingAccount
  let connections = 0
  const clock = { now: Date.now, delay }
  const markets = new MarketWatches({
    clock,
    async connect() {
      connections += 1
      return account
    },
    onBug(error) {
      throw error
    },
  })
  return {
    markets,
    feeds: new BarFeeds({ account, clock, wakes: new TaskWakes(clock), problem: () => {} }),
    asked,
    askedAt,
    corrected,
    tapes: () => tapes,
    connections: () => connections,
    tick(price = ticker()) {
      for (const handler of handlers) handler({ type: 'ticker', ticker: price })
    },
    page(id: string) {
      const frames: Frame<'state:market'>[] = []
      return {
        id,
        isWelcomed: true,
        isBehind: false,
        frames,
        send: (frame: unknown) => void frames.push(frame as never),
      }
    },
  }
}

/** What a page has of a part by now. */
function newest<Part extends 'day' | 'candles' | 'tape' | 'book' | 'ticker'>(
  { frames }: { frames: Frame<'state:market'>[] },
  part: Part,
) {
  return frames.findLast((frame) => frame[part] !== undefined)?.[part]
}

describe('a market that is watched', () => {
  it('has the bars that hooks judge: one question for both, and one correction', async () => {
    const { markets, feeds, askedAt, corrected, page } = createStage()
    const reads = { bars: { '5m': 20 }, summary: false, balances: false, isLive: false } as const
    const judged = await feeds.watch(BTC, reads, () => {})
    const one = page('1')
    markets.begin(one, 'm', PLACE)
    await vi.advanceTimersByTimeAsync(1_000)
    const closed = Math.floor(START / 300_000) * 300_000
    corrected.set(closed, '7')
    await vi.advanceTimersByTimeAsync(10 * MINUTE_MS)
    for (const end of [closed + 300_000, closed + 600_000])
      expect(askedAt.filter((at) => at >= end && at < end + 10_000)).toEqual([end + 150])
    const bar = judged.readings().bars['5m']?.bars.find(({ at }) => at === closed)
    expect(bar?.close).toBe('7')
    expect(one.frames.flatMap(({ candles = [] }) => candles).findLast(([at]) => at === closed)?.[4]).toBe('7')
    markets.end(one, 'm')
    await vi.advanceTimersByTimeAsync(20 * MINUTE_MS)
    expect(judged.readings().bars['5m']?.bars.at(-1)?.at).toBe(closed + 30 * MINUTE_MS)
    judged.end()
    markets.stop()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('has, on paper, the book of the moment of each price', async () => {
    const { markets, page, tick } = createStage('paper')
    const one = page('1')
    await vi.advanceTimersByTimeAsync(800)
    markets.begin(one, 'm', PLACE)
    await vi.advanceTimersByTimeAsync(1_500)
    for (let seconds = 0; seconds < 4; seconds += 1) {
      const [timestamp, last] = [Date.now(), Math.floor(Date.now() / 1_000) + 1]
      tick({ symbol: BTC.symbol, last: `${last}`, bid: `${last - 1}`, ask: `${last + 1}`, timestamp })
      await vi.advanceTimersByTimeAsync(LISTENER_LIMITS.snapshotMs)
      const [book, price] = [newest(one, 'book'), newest(one, 'ticker')]
      expect([price?.last, book?.bids[0]?.[0], book?.asks[0]?.[0]]).toEqual([`${last}`, price?.bid, price?.ask])
      await vi.advanceTimersByTimeAsync(900)
    }
    markets.stop()
  })

  it('is sent at most four times a second, whatever prices do', async () => {
    const { markets, page, tick } = createStage('paper')
    const one = page('1')
    markets.begin(one, 'm', PLACE)
    await vi.advanceTimersByTimeAsync(2_000)
    const before = one.frames.length
    for (let step = 0; step < 100; step += 1) {
      tick({ symbol: BTC.symbol, last: `${step + 5}`, bid: '1', ask: '1', timestamp: Date.now() })
      await vi.advanceTimersByTimeAsync(20)
    }
    expect(one.frames.length - before).toBeLessThanOrEqual(9)
    expect(one.frames.length - before).toBeGreaterThanOrEqual(7)
    markets.stop()
  })

  it('is one watch for pages with the tape and without it, and only the former have it', async () => {
    const { markets, asked, connections, page, tapes } = createStage()
    const [plain, taped] = [page('1'), page('2')]
    markets.begin(plain, 'm', PLACE)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(tapes()).toBe(0)
    const before = [asked.length, connections()]
    markets.begin(taped, 'm', PLACE, true)
    await vi.advanceTimersByTimeAsync(1_000)
    expect([asked.length, connections()]).toEqual(before)
    expect([newest(plain, 'tape'), newest(taped, 'tape')?.length]).toEqual([undefined, 1])
    markets.end(taped, 'm')
    const listened = tapes()
    await vi.advanceTimersByTimeAsync(MINUTE_MS)
    expect(tapes() - listened).toBeLessThanOrEqual(1)
    expect(newest(plain, 'tape')).toBeUndefined()
    markets.stop()
  })

  it('has the price of this minute a day ago, minute by minute, for one question an hour', async () => {
    const { markets, asked, page, tick } = createStage()
    const one = page('1')
    markets.begin(one, 'm', PLACE)
    await vi.advanceTimersByTimeAsync(1_000)
    const before = asked.length
    for (let minute = 0; minute < 180; minute += 1) {
      const day = newest(one, 'day')
      const now = Math.floor(Date.now() / MINUTE_MS)
      expect([day?.since, day?.open]).toEqual([now * MINUTE_MS - DAY_MS, String(now - 1_440)])
      expect([day?.low, day?.high]).toEqual([String(now - 1_440), String(now)])
      await vi.advanceTimersByTimeAsync(MINUTE_MS - 300)
      tick()
      await vi.advanceTimersByTimeAsync(300)
    }
    const later = asked.slice(before)
    expect(later.filter((interval) => interval === '1m').length).toBeLessThanOrEqual(3)
    expect(later.filter((interval) => interval === '15m').length).toBeLessThanOrEqual(13)
    expect(later.length).toBeLessThanOrEqual(180 + 60)
    markets.stop()
  })

  it('names a symbol that is of no market, as no silence of the account, and the market of a coin', async () => {
    const { markets, page } = createStage()
    const [none, coin] = [page('1'), page('2')]
    markets.begin(none, 'm', { ...PLACE, symbol: 'NOPE' })
    markets.begin(coin, 'm', { ...PLACE, symbol: BTC.base })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(none.frames.at(-1)).toMatchObject({ symbol: 'NOPE', unlisted: true, problem: expect.any(String) })
    expect(coin.frames.at(-1)).toMatchObject({ symbol: BTC.symbol })
    expect(coin.frames.some(({ unlisted }) => unlisted)).toBe(false)
    markets.stop()
  })
})
