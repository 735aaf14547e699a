// Which tickers are told every second: those that someone watches, counted.

import type { ExchangeEvent } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Ticker } from '../../exchange/market.ts'
import type { EventFeed } from './event-feed.ts'
import type { LiveAccount, Settled } from './live-account.ts'
import { type MarketSource, stalePrices } from './market-source.ts'
import type { PaperState } from './state.ts'

interface TickerWatch {
  /** @returns ends it. @throws {ExchangeError} `bad-symbol` */
  readonly watch: (symbol: string) => () => void
  readonly symbols: () => readonly string[]
  tick(): void
  /** Tells this one now, if it is watched. */
  notify(symbol: string): void
  close(): void
}

function createTickerWatch(
  market: { refuseUnknown(symbol: string): void; quoteNow(symbol: string): Ticker | undefined; changed(): void },
  feed: { emit(event: ExchangeEvent): void },
): TickerWatch {
  const watchers = new Map<string, number>()

  function notify(symbol: string): void {
    const ticker = watchers.has(symbol) ? market.quoteNow(symbol) : undefined
    if (ticker !== undefined) feed.emit({ type: 'ticker', ticker })
  }

  function end(symbol: string): void {
    const left = (watchers.get(symbol) ?? 0) - 1
    if (left > 0) watchers.set(symbol, left)
    else watchers.delete(symbol)
    if (left <= 0) market.changed()
  }

  return {
    watch(symbol) {
      market.refuseUnknown(symbol)
      watchers.set(symbol, (watchers.get(symbol) ?? 0) + 1)
      market.changed()
      // After the caller holds what ends it.
      void Promise.resolve().then(() => notify(symbol))
      let isEnded = false
      return () => {
        if (!isEnded) end(symbol)
        isEnded = true
      }
    },
    symbols: () => [...watchers.keys()],
    notify,
    tick() {
      for (const symbol of [...watchers.keys()]) notify(symbol)
    },
    close: () => watchers.clear(),
  }
}

// What keeps a paper account up to date while a hookline runs: a tick each second, and every change of a price that matters to it.

interface PulseOptions {
  readonly market: MarketSource
  readonly account: LiveAccount
  readonly feed: EventFeed
  readonly now: () => number
  /** Notified of what failed with no caller to tell: once until it works again. */
  readonly onProblem: (problem: unknown) => void
}

interface Pulse {
  readonly tickers: TickerWatch
  /** A second has passed. */
  tick(): void
  /** Waits for prices of the symbol and of all that the account holds, as long as they may come soon. */
  prepare(symbol?: string): Promise<void> | undefined
  /** The account at the market of now, once it is priced. @throws {ExchangeError} */
  settle(): Promise<Settled>
  /** @throws {ExchangeError} `bad-symbol`, `unavailable` while it is stale */
  quote(symbol: string): Ticker
  stop(): void
}

export function createPulse({ market, account, feed, now, onProblem }: PulseOptions): Pulse {
  const questions = createPriceQuestions(market, now)
  const tickers = createTickerWatch({ ...questions, changed: followAll }, feed)
  let isFailing = false

  function followAll(): void {
    market.follow(new Set([...symbolsOf(account.lastSeen()), ...tickers.symbols()]))
    feed.setOutage(market.isStale)
  }

  /** Does nothing while no one listens and nothing could fill. */
  async function beat(): Promise<void> {
    try {
      feed.tick()
      const { openOrders, positions } = account.look()
      followAll()
      if (openOrders.length === 0 && positions.length === 0 && !feed.hasSubscribers()) return
      await account.settle()
      isFailing = false
    } catch (error) {
      if (!isFailing) onProblem(error)
      isFailing = true
    }
  }

  const beatOnce = oneAtATime(beat)
  const stopHearing = market.onChange((symbol) => {
    feed.setOutage(market.isStale)
    if (symbolsOf(account.lastSeen()).has(symbol)) void beatOnce()
  })

  function prepare(symbol?: string): Promise<void> | undefined {
    const symbols = symbolsOf(account.look())
    if (symbol !== undefined) symbols.add(symbol)
    return market.prepare([...symbols])
  }

  return {
    tickers,
    async tick() {
      market.tick()
      await beatOnce()
      tickers.tick()
    },
    prepare,
    async settle() {
      await prepare()
      return account.settle()
    },
    quote: questions.quote,
    stop() {
      stopHearing()
      tickers.close()
    },
  }
}

interface PriceQuestions {
  /** @throws {ExchangeError} `bad-symbol` */
  refuseUnknown(symbol: string): void
  /** Undefined while it is stale. */
  quoteNow(symbol: string): Ticker | undefined
  /** @throws {ExchangeError} `bad-symbol`, `unavailable` while it is stale */
  quote(symbol: string): Ticker
}

function createPriceQuestions(market: MarketSource, now: () => number): PriceQuestions {
  function quoteNow(symbol: string): Ticker | undefined {
    const view = market.at(now())
    return view.isCurrent(symbol) ? view.quotes(symbol) : undefined
  }

  return {
    refuseUnknown(symbol) {
      try {
        market.listing.find(symbol)
      } catch (error) {
        // What the venue has not listed yet may well be there.
        if (!(error instanceof ExchangeError) || error.code === 'bad-symbol') throw error
      }
    },
    quoteNow,
    quote(symbol) {
      market.listing.find(symbol)
      const ticker = quoteNow(symbol)
      if (ticker === undefined) throw stalePrices(symbol)
      return ticker
    },
  }
}

function symbolsOf({ openOrders, positions }: PaperState): Set<string> {
  return new Set([...positions.map(({ symbol }) => symbol), ...openOrders.map(({ order }) => order.symbol)])
}

/** What is asked for while it runs is done once more after it. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let isWanted = false
  async function run(): Promise<void> {
    do {
      isWanted = false
      await work()
    } while (isWanted)
    running = undefined
  }
  return () => {
    isWanted = true
    running ??= run()
    return running
  }
}
