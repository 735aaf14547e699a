// `price` and `book`: what a venue tells of a market, and what it does not.
import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import type { Exchange, VenueView } from '../../src/exchange/exchange.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import type { MarketSummary, OrderBook } from '../../src/exchange/market.ts'

const START = Date.UTC(2026, 0, 1)

function withAnswers(own: Partial<Record<keyof VenueView, unknown>>): { exchange: (paper: Exchange) => Exchange } {
  return {
    exchange: (paper) =>
      new Proxy(paper, {
        get(target, name) {
          if (Object.hasOwn(own, name)) return own[name as keyof VenueView]
          const value = Reflect.get(target, name)
          return typeof value === 'function' ? value.bind(target) : value
        },
      }),
  }
}

describe('price', () => {
  it.each<[string, Omit<MarketSummary, 'symbol'>, string[]]>([
    ['nothing', {}, []],
    ['the mark', { mark: '65010.1' }, ['print   mark 65,010.1']],
    ['a rise', { changePercent: '1.2345' }, ['print   24 h +1.23%']],
    ['a fall', { changePercent: '-0.5' }, ['print   24 h -0.5%']],
    [
      'the volume in quote rather than in base',
      { volume: '2', quoteVolume: '1203441220.4' },
      ['print   volume $1,203,441,220'],
    ],
    ['the volume in base alone', { volume: '21342.56' }, ['print   volume 21,343 BTC']],
    [
      'funding that longs pay',
      { funding: { rate: '0.0001', at: START + 3_900_000 } },
      ['print   funding 0.01%: longs pay at 2026-01-01 01:05:00 UTC, in 1h 5m'],
    ],
    [
      'funding that shorts pay',
      { funding: { rate: '-0.000025', at: START + 60_000 } },
      ['print   funding -0.0025%: shorts pay at 2026-01-01 00:01:00 UTC, in 1m'],
    ],
  ])('shows what the venue tells: %s', async (_, told, lines) => {
    const fetchMarketSummary = async (symbol: string) => ({ symbol, ...told })
    const session = await createSession(withAnswers({ fetchMarketSummary }))
    const run = session.start('price')
    await run.done
    expect(run.lines).toEqual(['print BTCUSDT 65,000.0  bid 64,999.9  ask 65,000.1', ...lines])
    expect(run.data).toEqual([
      { type: 'ticker', symbol: 'BTCUSDT', last: '65000', bid: '64999.9', ask: '65000.1', timestamp: START, ...told },
    ])
  })

  it('is shown where the rest is not known, or cannot be asked for', async () => {
    const fetchMarketSummary = () => Promise.reject(new ExchangeError('unavailable', 'no\u001b[2J funding now'))
    const refused = await createSession(withAnswers({ fetchMarketSummary }))
    expect(await refused.run('price')).toEqual([
      'warn mark, change, volume and funding of BTCUSDT are not known: no [2J funding now',
      'print BTCUSDT 65,000.0  bid 64,999.9  ask 65,000.1',
    ])
    const without = await createSession(withAnswers({ fetchMarketSummary: undefined }))
    expect(await without.run('price')).toEqual(['print BTCUSDT 65,000.0  bid 64,999.9  ask 65,000.1'])
  })
})

describe('book', () => {
  const book: OrderBook = {
    symbol: 'BTCUSDT',
    asks: [
      ['65000.5', '0.2'],
      ['65001', '1.05'],
      ['65002', '3'],
    ],
    bids: [
      ['65000', '0.4'],
      ['64999', '2'],
    ],
    timestamp: START,
  }
  const answers = (found: OrderBook) => withAnswers({ fetchOrderBook: async () => found })

  it('shows asks above and bids below, the best in the middle, with what is there up to each', async () => {
    const session = await createSession(answers(book))
    expect(await session.run('book')).toEqual([
      'print         price   BTC  total',
      'print ask  65,002.0  3      4.25',
      'print ask  65,001.0  1.05   1.25',
      'print ask  65,000.5  0.2    0.2',
      'print bid  65,000.0  0.4    0.4',
      'print bid  64,999.0  2      2.4',
      'print BTCUSDT spread 0.5 (0.00077%)',
    ])
  })

  it.each([['book 1'], ['book btc 1'], ['book BTCUSDT 1']])(
    'shows so many levels as are asked for: %s',
    async (line) => {
      const session = await createSession(answers(book))
      const run = session.start(line)
      await run.done
      expect(run.lines.filter((each) => /^print (ask|bid)/.test(each))).toHaveLength(2)
      expect(run.data).toEqual([{ type: 'book', ...book, asks: book.asks.slice(0, 1), bids: book.bids.slice(0, 1) }])
    },
  )

  it.each<[string, Partial<OrderBook>, RegExp]>([
    ['no asks', { asks: [] }, /^print BTCUSDT: no asks$/],
    ['no bids', { bids: [] }, /^print BTCUSDT: no bids$/],
    ['nothing', { asks: [], bids: [] }, /^print the book of BTCUSDT is empty$/],
  ])('says what is not there: %s', async (_, part, says) => {
    const session = await createSession(answers({ ...book, ...part }))
    expect((await session.run('book')).at(-1)).toMatch(says)
  })

  it.each([
    ['book 0', /^error bad-argument: `0` is not a whole number from 1 to 100/],
    ['book BTCUSDT x', /^error bad-argument/],
    ['book 5 BTCUSDT', /^error unexpected-argument/],
    ['book BTCUSDT,ETHUSDT', /^error bad-argument: a book shows one symbol/],
    ['book NOPEUSDT', /^error unknown-symbol/],
  ])('refuses what it does not understand: %s', async (line, says) => {
    const session = await createSession(answers(book))
    expect(await session.run(line)).toEqual([expect.stringMatching(says)])
  })

  it('is refused where the venue shows none', async () => {
    const session = await createSession(withAnswers({ fetchOrderBook: undefined }))
    expect(await session.run('book')).toEqual([
      expect.stringMatching(/^error not-supported: paper shows no order book/),
    ])
  })
})
