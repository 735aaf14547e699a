// Which tickers are told every second: those that somebody watches, counted.
import type { ExchangeEvent } from '../../exchange/exchange.ts'
import type { Ticker } from '../../exchange/market.ts'
import { findMarket } from './markets.ts'

export interface TickerWatch {
  /** @returns ends it. @throws {ExchangeError} `bad-symbol` */
  readonly watch: (symbol: string) => () => void
  tick(): void
  close(): void
}

export function createTickerWatch(
  quoteNow: (symbol: string) => Ticker,
  feed: { emit(event: ExchangeEvent): void },
): TickerWatch {
  const watchers = new Map<string, number>()

  function tell(symbol: string): void {
    if (watchers.has(symbol)) feed.emit({ type: 'ticker', ticker: quoteNow(symbol) })
  }

  function end(symbol: string): void {
    const left = (watchers.get(symbol) ?? 0) - 1
    if (left > 0) watchers.set(symbol, left)
    else watchers.delete(symbol)
  }

  return {
    watch(symbol) {
      findMarket(symbol)
      watchers.set(symbol, (watchers.get(symbol) ?? 0) + 1)
      // After the caller holds what ends it.
      void Promise.resolve().then(() => tell(symbol))
      let isEnded = false
      return () => {
        if (!isEnded) end(symbol)
        isEnded = true
      }
    },
    tick() {
      for (const symbol of [...watchers.keys()]) tell(symbol)
    },
    close: () => watchers.clear(),
  }
}
