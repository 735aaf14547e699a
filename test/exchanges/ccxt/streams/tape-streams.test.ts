// The trades of others, as a venue's stream tells them: what repeats, what cannot be read, what no one looks at any more.
import { describe, expect, it } from 'vitest'
import { TAPE_TRADES } from '../../../../src/exchange/market.ts'
import type { MarketBook } from '../../../../src/exchanges/ccxt/markets.ts'
import { TapeStreams } from '../../../../src/exchanges/ccxt/streams/tape-streams.ts'
import { createStreamTimers } from '../../../../src/exchanges/ccxt/streams/watch-loop.ts'
import { createClock, flush, Stream } from './scripted-account.ts'

function start({ contractSize = '1' } = {}) {
  const clock = createClock()
  const stream = new Stream()
  const unwatched: string[] = []
  const timers = createStreamTimers(clock.every)
  const market = { symbol: 'BTC/USDT:USDT', contractSize, market: { symbol: 'BTCUSDT', amountUnit: 'base' } }
  const byName = (name: string) => (name === 'BTCUSDT' ? market : undefined)
  const tape = TapeStreams.of({
    client: {
      id: 'scripted',
      has: { watchTrades: true, unWatchTrades: true },
      watchTrades: () => stream.watch(),
      unWatchTrades: async (symbol) => unwatched.push(symbol),
    },
    markets: async () => ({ byName }) as unknown as MarketBook,
    timers,
    now: clock.now,
    onProblem(problem) {
      throw problem
    },
  })
  if (tape === undefined) throw new Error('it streams trades')
  return { clock, stream, unwatched, tape, timers }
}

const trade = (timestamp: number, more: object = {}) => ({ timestamp, price: 100, amount: 2, side: 'buy', ...more })
const trades = (...at: readonly number[]) => at.map((each) => ({ at: each, price: '100', amount: '2', side: 'buy' }))

describe('the tape of a symbol', () => {
  it('is listened to from the first time that it is asked about, and each trade is in it once', async () => {
    const { clock, stream, tape } = start()
    expect([tape.find('BTCUSDT'), stream.watches]).toEqual([[], 0])
    await flush()
    for (const at of [1, 2, 2, 3]) {
      stream.say(trade(at))
      await flush()
    }
    expect(tape.find('BTCUSDT')).toEqual(trades(1, 2, 3))
    // A stream that was made again begins with what was there before.
    stream.drop()
    stream.news.push(trade(2), trade(3), trade(4))
    await clock.advance(2_000)
    expect(tape.find('BTCUSDT')).toEqual(trades(1, 2, 3, 4))
    // Alike, and two by their ids.
    stream.say(trade(5, { id: 'a' }))
    await flush()
    stream.say(trade(5, { id: 'b' }))
    await flush()
    expect(tape.find('BTCUSDT').map(({ at }) => at)).toEqual([1, 2, 3, 4, 5, 5])
  })

  it(`has the newest ${TAPE_TRADES}, whatever comes at once`, async () => {
    const { stream, tape } = start()
    for (let at = 1; at <= 1_000; at += 1) stream.news.push(trade(at))
    tape.find('BTCUSDT')
    await flush()
    expect(tape.find('BTCUSDT').map(({ at }) => at)).toEqual(Array.from({ length: TAPE_TRADES }, (_, n) => 961 + n))
  })

  it('counts contracts as coins, and leaves out what is not a trade', async () => {
    const { stream, tape } = start({ contractSize: '0.01' })
    tape.find('BTCUSDT')
    const bad = [null, 7, 'x', {}, trade(1, { price: 'NaN' }), trade(1, { amount: -1 }), trade(1, { side: 'both' })]
    stream.news.push(...bad, trade(0), trade(2, { price: '1e999999' }), trade(5))
    await flush()
    expect(tape.find('BTCUSDT')).toEqual([{ at: 5, price: '100', amount: '0.02', side: 'buy' }])
  })

  it('is listened to no longer than 30 s after it was last asked about, and the venue is told', async () => {
    const { clock, stream, tape, unwatched, timers } = start()
    tape.find('BTCUSDT')
    await clock.advance(25_000)
    tape.find('BTCUSDT')
    await clock.advance(25_000)
    expect(unwatched).toEqual([])
    await clock.advance(20_000)
    expect(unwatched).toEqual(['BTC/USDT:USDT'])
    stream.say(trade(9))
    await flush()
    const { watches } = stream
    await clock.advance(60_000)
    expect(stream.watches).toBe(watches)
    tape.close()
    expect(timers.size).toBe(0)
  })

  it('is of ten symbols at most', async () => {
    const { tape, unwatched } = start()
    tape.find('BTCUSDT')
    await flush()
    for (let n = 0; n < 10; n += 1) tape.find(`COIN${n}`)
    await flush()
    expect(unwatched).toEqual(['BTC/USDT:USDT'])
    expect(tape.find('COIN3')).toEqual([])
  })

  it('is none where the venue streams no trades', () => {
    const { clock } = start()
    const client = { id: 'mute', has: { watchTrades: 'emulated' }, watchTrades: async () => [] }
    const nothing = async () => ({}) as MarketBook
    const timers = createStreamTimers(clock.every)
    expect(TapeStreams.of({ client, markets: nothing, timers, now: clock.now, onProblem() {} })).toBeUndefined()
  })
})
