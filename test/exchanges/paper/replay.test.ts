import { describe, expect, it } from 'vitest'
import { balanceOf, place, type Wanted } from '../../../harness/venues/place.ts'
import { createScriptedMarket } from '../../../harness/venues/scripted-market.ts'
import { ExchangeError } from '../../../src/exchange/exchange-error.ts'
import { CandleReader } from '../../../src/exchanges/paper/candles.ts'
import { UNLIMITED_DEPTH } from '../../../src/exchanges/paper/depth.ts'
import type { PaperStateStore } from '../../../src/exchanges/paper/live-account.ts'
import {
  createReplayMarket,
  createReplayPrices,
  marketTimeAt,
  type Replay,
  turnsBetween,
} from '../../../src/exchanges/paper/replay.ts'

/** Up through a low, down through a high, and nothing. */
const ROWS = ['100,130,90,120', '120,150,80,100', '100,100,100,100']
const START = Date.UTC(2026, 0, 5, 12)
const buy: Wanted = { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '1' }

function candlesOf(rows: readonly string[]) {
  const reader = new CandleReader('0.1')
  for (const [minute, row] of rows.entries()) reader.take(`${START + minute * 60_000},${row}`)
  return reader.end()
}
const CANDLES = candlesOf(ROWS)

const replayAt = (startedAt: number, more: Partial<Replay> = {}): Replay => ({
  file: 'a.csv',
  symbol: 'BTCUSDT',
  startedAt,
  speed: 60,
  candles: 3,
  intervalMs: 60_000,
  ...more,
})

describe('the path of a candle', () => {
  const prices = createReplayPrices(replayAt(0), CANDLES)
  const at = (candle: number) => prices.lastPrice('BTCUSDT', candle * 1000)

  it('goes from open by its extremes to close, the one against its direction first', () => {
    expect([0, 1 / 3, 2 / 3, 0.999].map(at)).toEqual(['100', '90', '130', '120'])
    expect([1, 1 + 1 / 3, 1 + 2 / 3, 1.999].map(at)).toEqual(['120', '150', '80', '100'])
    expect([-5, 1 / 6, 3, 50].map(at)).toEqual(['100', '95', '100', '100'])
  })

  it('stays between high and low, on the grid', () => {
    for (let step = 0; step < 2000; step += 1) {
      const price = Number(at(step / 1000))
      expect(price >= (step < 1000 ? 90 : 80) && price <= (step < 1000 ? 130 : 150)).toBe(true)
      expect(Math.round(price * 10) / 10).toBe(price)
    }
  })

  it('stands still where the replay was stopped', () => {
    const stopped = createReplayPrices(replayAt(0, { stoppedAt: 1000 / 3 }), CANDLES)
    expect([500, 5000].map((ms) => stopped.lastPrice('BTCUSDT', ms))).toEqual(['90', '90'])
  })

  it('is looked at on its way and where it turns, once each, whatever pieces the time comes in', () => {
    const replay = replayAt(0)
    const whole = turnsBetween(replay, 0, 3000)
    // 25 a candle, but for the very beginning.
    expect(whole).toHaveLength(74)
    const pieces = [0, 1, 333, 334, 900, 1000, 2500, 3000]
    const joined = pieces.slice(1).flatMap((to, index) => turnsBetween(replay, pieces[index] ?? 0, to))
    expect(new Set(whole)).toEqual(new Set([...joined, ...whole.filter((at) => pieces.includes(at))]))
    expect(new Set(joined).size).toBe(joined.length)
    expect(turnsBetween(replay, 3000, 9000)).toEqual([])
  })

  it('takes no time for a gap between candles', () => {
    const reader = new CandleReader('0.1')
    for (const minute of [0, 1, 60]) reader.take(`${START + minute * 60_000},1,1,1,1`)
    expect(marketTimeAt(replayAt(0), reader.end(), 2500)).toBe(START + 60.5 * 60_000)
  })
})

describe('an account that replays', () => {
  async function open(rows: readonly string[] = ROWS, more: Partial<Replay> = {}) {
    const scripted = createScriptedMarket()
    let kept = candlesOf(rows)
    let store: PaperStateStore | undefined
    const marketOn = (own: PaperStateStore) => {
      store = own
      return createReplayMarket({
        prices: scripted.prices,
        depth: UNLIMITED_DEPTH,
        replay: () => own.read().replay,
        candles({ candles }) {
          if (kept.times.length === candles) return kept
          throw new ExchangeError('unavailable', 'the candles of the replay cannot be read')
        },
      })
    }
    const exchange = scripted.openAccount(marketOn)
    await exchange.paper.beginReplay(replayAt(scripted.now(), { candles: rows.length, ...more }), '10000')
    return {
      ...scripted,
      exchange,
      read: () => store?.read(),
      lose: () => {
        kept = candlesOf(['1,1,1,1', '1,1,1,1'])
      },
    }
  }

  it('has a tape: one trade a second at its price, none before it began or after its end, bought as it rises', async () => {
    const { exchange, advance, now } = await open()
    await advance(3_000)
    const tape = exchange.knownTape?.('BTCUSDT') ?? []
    expect(tape.map(({ at }) => now() - at)).toEqual([2_000, 1_000, 0])
    expect(tape.at(-1)?.price).toBe((await exchange.fetchTicker('BTCUSDT')).last)
    for (const [index, { price, amount, side }] of tape.entries()) {
      expect(Number(amount)).toBeGreaterThan(0)
      const before = tape[index - 1]
      if (before !== undefined && price !== before.price)
        expect(side).toBe(Number(price) > Number(before.price) ? 'buy' : 'sell')
    }
    expect(exchange.knownTape?.('BTCUSDT')).toEqual(tape)
    await advance(10_000)
    expect(exchange.knownTape?.('BTCUSDT')).toEqual(tape)
  })

  it('has one market, whose price follows the candles', async () => {
    const { exchange, advance } = await open()
    expect((await exchange.loadMarkets()).map(({ symbol }) => symbol)).toEqual(['BTCUSDT'])
    expect(await exchange.fetchTicker('BTCUSDT')).toMatchObject({ last: '100', bid: '99.9', ask: '100.1' })
    await expect(exchange.fetchTicker('ETHUSDT')).rejects.toMatchObject({ code: 'bad-symbol' })
    await advance(1000)
    expect((await exchange.fetchTicker('BTCUSDT')).last).toBe('120')
  })

  it('has the candles since it began, and none of the time before', async () => {
    const { exchange, advance, now } = await open()
    const begin = now()
    expect(exchange.replayedSince?.()).toBe(begin)
    await advance(130_000)
    const candles = (await exchange.fetchCandles?.('BTCUSDT', '1m', 500)) ?? []
    expect(candles.at(-1)?.at).toBeGreaterThan(begin + 60_000)
    expect(candles.every(({ at }) => at + 60_000 > begin)).toBe(true)
    expect(candles[0]).toMatchObject({ open: '100', close: '100' })
    expect(await exchange.fetchCandles?.('BTCUSDT', '1d', 500)).toHaveLength(1)
  })

  it('has a mark, and no change of 24 h: its time is its own', async () => {
    const { exchange } = await open()
    expect(await exchange.fetchMarketSummary?.('BTCUSDT')).toEqual({ symbol: 'BTCUSDT', mark: '100' })
  })

  it('meets what a candle reached between two ticks: limits at their price, stops where the path was', async () => {
    const { exchange, advance } = await open()
    await place(exchange, { ...buy, type: 'limit', price: '92' })
    await place(exchange, { ...buy, side: 'sell', type: 'stop', amount: '1', triggerPrice: '85' })
    await advance(1000)
    expect(await exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).toMatchObject([{ price: '92', takerOrMaker: 'maker' }])
    await advance(1000)
    expect(await exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).toMatchObject([
      { price: '92' },
      { side: 'sell', price: '79.9' },
    ])
  })

  it('meets nothing that was before an order: what another process has looked at is not looked at again', async () => {
    const { exchange, advance, read } = await open()
    await advance(900)
    await place(exchange, { ...buy, type: 'limit', price: '92' })
    await exchange.fetchPositions()
    expect(await exchange.fetchOpenOrders()).toHaveLength(1)
    expect(read()?.settledAt).toBe(read()?.replay?.startedAt === undefined ? 0 : (read()?.replay?.startedAt ?? 0) + 900)
  })

  it('goes on while no hookline runs: what it reached meanwhile is met by the next one', async () => {
    const { exchange, advance } = await open()
    await place(exchange, { ...buy, type: 'limit', price: '92' })
    await exchange.close()
    await advance(2000)
    expect(await exchange.fetchMyTrades({ symbol: 'BTCUSDT' })).toMatchObject([{ price: '92' }])
  })

  it('ends at the last close and trades there; stopped it stands where it was', async () => {
    const { exchange, advance } = await open()
    await advance(10_000)
    expect(await place(exchange, buy)).toMatchObject({ average: '100.1' })
    const stopped = await open()
    await stopped.advance(1000)
    await stopped.exchange.paper.stopReplay()
    await stopped.advance(10_000)
    expect((await stopped.exchange.fetchTicker('BTCUSDT')).last).toBe('120')
    expect(stopped.exchange.paper.replay()).toMatchObject({ stoppedAt: stopped.now() - 10_000 })
  })

  it('begins again with nothing held, and says what it took back', async () => {
    const { exchange, now } = await open()
    await place(exchange, buy)
    const { id } = await place(exchange, { ...buy, type: 'limit', price: '90' })
    expect(await exchange.paper.beginReplay(replayAt(now() + 1), '5000')).toMatchObject([{ id, status: 'canceled' }])
    expect(await exchange.fetchPositions()).toEqual([])
    expect(await balanceOf(exchange)).toMatchObject({ total: '5000' })
  })

  it('is stale without its candles, and can begin again', async () => {
    const { exchange, advance, lose, now } = await open()
    lose()
    await exchange.paper.stopReplay()
    exchange.subscribe(() => {})
    await advance(1000)
    expect(exchange.stream).toBe('stale')
    await expect(place(exchange, buy)).rejects.toMatchObject({ code: 'unavailable' })
    await exchange.paper.beginReplay(replayAt(now(), { candles: 2 }), '10000')
    await advance(1000)
    expect(exchange.stream).toBe('live')
  })
})
