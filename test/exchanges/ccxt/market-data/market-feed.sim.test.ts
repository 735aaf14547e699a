// A paper account fills at these prices: what is told must be current, and what is not must be told as stale.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { networkError } from '../streams/scripted-account.ts'
import { startFeed } from './scripted-feed.ts'

describe('a symbol that is watched', () => {
  it('is live once its price and its book are known, and then follows the streams', async () => {
    const { watch, clock, told, tickers, books, ticker, book } = startFeed()
    watch()
    await clock.advance(10)
    expect(told()).toEqual(['ticker 100', 'book 99/101', 'live'])
    tickers.say(ticker('102'))
    await clock.advance(10)
    books.say(book('101', '103'))
    await clock.advance(10)
    expect(told().slice(3)).toEqual(['ticker 102', 'book 101/103'])
  })

  it('is not live with a price and no book', async () => {
    const { watch, clock, told, rest } = startFeed({ streams: [] })
    rest.bookFailure = networkError()
    watch()
    await clock.advance(15_000)
    expect(new Set(told())).toEqual(new Set(['ticker 100']))
    await clock.advance(2_000)
    expect(new Set(told())).toEqual(new Set(['ticker 100', 'stale']))
  })

  it('stays live in a quiet market: what was not told for five seconds is asked for', async () => {
    const { watch, clock, told, asked } = startFeed()
    watch()
    await clock.advance(120_000)
    expect(told()).not.toContain('stale')
    expect(asked.length).toBeGreaterThan(20)
    expect(asked.length).toBeLessThan(60)
  })

  it('is asked for every two seconds where the venue has no streams', async () => {
    const { watch, clock, told } = startFeed({ streams: [] })
    watch()
    await clock.advance(10_100)
    expect(told().filter((line) => line === 'ticker 100')).toHaveLength(6)
    expect(told().filter((line) => line === 'book 99/101')).toHaveLength(6)
  })

  it('is told once to each who watches, and a newcomer hears at once what is known', async () => {
    const { feed, watch, clock, told, describe: say, tickers, ticker } = startFeed()
    watch()
    await clock.advance(10)
    const heard: string[] = []
    const end = feed.watch('BTCUSDT', (event) => heard.push(say(event)))
    expect(heard).toEqual([])
    await clock.advance(10)
    expect(heard).toEqual(['ticker 100', 'book 99/101', 'live'])
    tickers.say(ticker('102'))
    await clock.advance(10)
    end()
    tickers.say(ticker('103'))
    await clock.advance(10)
    expect(heard.slice(3)).toEqual(['ticker 102'])
    expect(told().slice(3)).toEqual(['ticker 102', 'ticker 103'])
  })

  it('keeps what a stream told while a question was under way', async () => {
    const { watch, clock, told, tickers, ticker, rest } = startFeed()
    const answer = rest.hold()
    watch()
    await clock.advance(10)
    tickers.say(ticker('105'))
    await clock.advance(10)
    answer()
    await clock.advance(10)
    expect(told()).toEqual(['book 99/101', 'ticker 105', 'live'])
  })
})

describe('without the network', () => {
  it('is stale when nothing was heard for fifteen seconds, says why once, and is back with fresh figures', async () => {
    const { watch, clock, told, cut, mend, problems } = startFeed()
    watch()
    await clock.advance(10)
    cut()
    await clock.advance(14_000)
    expect(told().slice(3)).toEqual([])
    await clock.advance(3_000)
    expect(told().slice(3)).toEqual(['stale'])
    await clock.advance(600_000)
    expect(told().slice(3)).toEqual(['stale'])
    expect(problems.length).toBeLessThanOrEqual(2)
    mend()
    await clock.advance(4_000)
    expect(told().slice(4, 7)).toEqual(['ticker 100', 'book 99/101', 'resynced'])
  })

  it('tells a newcomer that it is stale, and no price', async () => {
    const { feed, watch, clock, cut, describe: say } = startFeed()
    watch()
    await clock.advance(10)
    cut()
    await clock.advance(20_000)
    const heard: string[] = []
    feed.watch('BTCUSDT', (event) => heard.push(say(event)))
    await clock.advance(1_000)
    expect(heard).toEqual(['stale'])
  })

  it('is stale when only the book does not come any more', async () => {
    const { watch, clock, told, tickers, ticker, rest, books } = startFeed()
    watch()
    await clock.advance(10)
    rest.bookFailure = networkError()
    books.refusal = networkError()
    books.drop()
    for (let second = 0; second < 20; second += 1) {
      tickers.say(ticker('100'))
      await clock.advance(1_000)
    }
    expect(
      told()
        .filter((line) => !line.startsWith('ticker'))
        .slice(2),
    ).toEqual(['stale'])
  })
})

describe('a handler that throws', () => {
  it('keeps the others from nothing', async () => {
    const { feed, watch, clock, told, problems } = startFeed()
    feed.watch('BTCUSDT', () => {
      throw new Error('handler')
    })
    watch()
    await clock.advance(10)
    expect(told()).toEqual(['ticker 100', 'book 99/101', 'live'])
    expect(problems).toContainEqual(new Error('handler'))
  })
})

describe('the end', () => {
  it('of the last watcher ends the streams at the venue, and its timers', async () => {
    const { watch, clock, told, unwatched } = startFeed()
    const [end, endToo] = [watch(), watch()]
    await clock.advance(3_000)
    end()
    end()
    expect(clock.timers).toBeGreaterThan(0)
    endToo()
    await clock.advance(10)
    const count = told().length
    expect([clock.timers, [...unwatched].sort()]).toEqual([0, ['OrderBook BTC/USDT:USDT', 'Ticker BTC/USDT:USDT']])
    await clock.advance(60_000)
    expect(told()).toHaveLength(count)
  })

  it('of the feed leaves no timer, and tells and asks nothing more', async () => {
    const { feed, watch, clock, told, asked, tickers, ticker } = startFeed()
    watch()
    watch('ETHUSDT')
    await clock.advance(3_000)
    feed.close()
    const before = [told().length, asked.length]
    tickers.say(ticker('102'))
    watch()
    await clock.advance(300_000)
    expect([clock.timers, told().length, asked.length]).toEqual([0, ...before])
  })
})

describe('a day of reconnects', () => {
  it('leaves as many timers as it began with, and ends live', async () => {
    const { watch, clock, told, tickers, books } = startFeed()
    watch()
    await clock.advance(3_000)
    const before = clock.timers
    for (let minute = 0; minute < 1_440; minute += 1) {
      tickers.drop()
      books.drop()
      await clock.advance(60_000)
    }
    expect(clock.timers).toBe(before)
    expect([tickers.waiting.length, books.waiting.length]).toEqual([1, 1])
    expect(told()).not.toContain('stale')
  })
})

const act = fc.oneof(
  fc.constantFrom('cut' as const, 'mend' as const, 'drop' as const, 'say' as const, 'watch' as const, 'end' as const),
  fc.nat(20_000),
)

describe('whatever happens to the network', () => {
  it('nothing older than fifteen seconds counts as live, and stale and live take turns', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 40 }), async (acts) => {
        const { watch, clock, told, cut, mend, tickers, books, ticker, book, confirmedAt, state } = startFeed()
        const ends: (() => void)[] = []
        watch()
        for (const each of acts) {
          if (each === 'cut') cut()
          else if (each === 'mend') mend()
          else if (each === 'drop') tickers.drop()
          else if (each === 'say') {
            tickers.say(ticker('101'))
            books.say(book('100', '102'))
          } else if (each === 'watch') ends.push(watch('BTCUSDT', () => {}))
          else if (each === 'end') ends.pop()?.()
          await clock.advance(typeof each === 'number' ? each : 1)
          // A second for the look that finds it.
          if (state() === 'live') expect(clock.now() - confirmedAt()).toBeLessThanOrEqual(16_000)
        }
        mend()
        await clock.advance(90_000)
        expect(state()).toBe('live')
        const states = told().filter((line) => ['live', 'stale', 'resynced'].includes(line))
        expect(states.every((line, at) => at === 0 || (line === 'stale') !== (states[at - 1] === 'stale'))).toBe(true)
      }),
      { numRuns: 100 },
    )
  })
})
