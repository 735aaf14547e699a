// What a venue tells everybody, without keys: markets, prices, books and funding. A paper account on real prices follows it.
import * as z from 'zod/mini'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { MarketKind, OrderBook, Ticker } from '../../exchange/market.ts'
import type { Funding, MarketData } from '../../exchange/market-data.ts'
import { fetchCandles } from './candles.ts'
import { figure, moment } from './decimals.ts'
import { MarketFeed, type MarketFeedOptions, type PublicQuestions } from './market-feed.ts'
import type { MarketBook } from './markets.ts'
import { type ConnectedVenue, connectVenue, every, withoutSecrets } from './open-ccxt.ts'
import { readOrderBook } from './order-books.ts'
import { requireMarket } from './order-lookup.ts'
import { completed, isWhole, readTicker, readTop } from './tickers.ts'
import type { Transport } from './transport.ts'

export interface MarketDataOptions {
  /** ccxt's id without the kind. */
  readonly venue: string
  readonly kind: MarketKind
  /** ms since the epoch. */
  readonly now: () => number
  readonly onProblem: (problem: unknown) => void
  readonly transport?: Transport
  /** How prices and books are followed. Default: by WebSocket where the venue has them, by asking elsewhere. */
  readonly createFeed?: (options: MarketFeedOptions) => MarketFeed
}

/** Venues take few other numbers of levels. */
const BOOK_LEVELS = 20

const ccxtFunding = z.object({
  fundingRate: z.optional(figure),
  fundingTimestamp: z.optional(moment),
  nextFundingRate: z.optional(figure),
  nextFundingTimestamp: z.optional(moment),
})

/** Nothing goes over the wire before the first question. @throws {ExchangeError} `not-supported` */
export async function openCcxtMarketData(options: MarketDataOptions): Promise<MarketData> {
  const { venue, kind, now } = options
  const onProblem = withoutSecrets(options.onProblem, {})
  const connected = await connectVenue({ ...options, environment: 'live', keys: {} })
  const questions = createPublicQuestions(connected, kind, now)
  const { createFeed = (given) => new MarketFeed(given) } = options
  const feed = createFeed({ client: connected.client, questions, now, every, onProblem })
  return {
    id: venue,
    kind,
    loadMarkets: async ({ reload = false } = {}) => (await connected.connection.markets(reload)).markets,
    fetchTicker: questions.ticker,
    fetchOrderBook: questions.book,
    fetchFunding: questions.funding,
    fetchCandles: (symbol, interval, limit) =>
      connected.connection.askPublic((markets) =>
        fetchCandles(connected.client, requireMarket(markets, symbol), interval, limit),
      ),
    watch: (symbol, handler) => feed.watch(symbol, handler),
    async close() {
      feed.close()
      await connected.client.close()
    },
  }
}

interface Questions extends PublicQuestions {
  funding(symbol: string): Promise<Funding | undefined>
}

function createPublicQuestions({ client, connection }: ConnectedVenue, kind: MarketKind, now: () => number): Questions {
  const ask = <T>(symbol: string, work: (unified: string, markets: MarketBook) => Promise<T>): Promise<T> =>
    connection.askPublic((markets) => work(requireMarket(markets, symbol).symbol, markets))

  async function book(symbol: string): Promise<OrderBook> {
    return ask(symbol, async (unified, markets) => {
      const found = readOrderBook(await client.fetchOrderBook(unified, BOOK_LEVELS), markets, now)
      if (found === undefined) throw new ExchangeError('unavailable', `there is no order book of ${symbol} now`)
      return found
    })
  }

  return {
    markets: () => connection.markets(),
    book,
    readTicker: (raw, markets, known) => completed(readTicker(raw, markets, now), known),
    readBook: (raw, markets) => readOrderBook(raw, markets, now),
    ticker: (symbol) =>
      ask(symbol, async (unified, markets): Promise<Ticker> => {
        const ticker = readTicker(await client.fetchTicker(unified), markets, now)
        if (isWhole(ticker)) return ticker
        const whole = ticker && { ...ticker, ...readTop(await client.fetchOrderBook(unified, BOOK_LEVELS)) }
        if (!isWhole(whole)) throw new ExchangeError('unavailable', `there is no price of ${symbol} now`)
        return whole
      }),
    async funding(symbol) {
      if (kind === 'spot' || client.has.fetchFundingRate !== true || client.fetchFundingRate === undefined)
        return undefined
      return ask(symbol, async (unified) => fundingOf(await client.fetchFundingRate?.(unified), symbol, now))
    },
  }
}

/** The next payment: venues call it the current one until it is made. */
function fundingOf(raw: unknown, symbol: string, now: () => number): Funding | undefined {
  const read = z.safeParse(ccxtFunding, raw)
  if (!read.success) return undefined
  const { fundingRate, fundingTimestamp, nextFundingRate, nextFundingTimestamp } = read.data
  const payments = [
    { rate: fundingRate, at: fundingTimestamp },
    { rate: nextFundingRate ?? fundingRate, at: nextFundingTimestamp },
  ]
  const next = payments.find(({ rate, at }) => rate !== undefined && at !== undefined && at > now())
  return next?.rate === undefined || next.at === undefined ? undefined : { symbol, rate: next.rate, at: next.at }
}
