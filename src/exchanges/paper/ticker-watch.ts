// Which tickers are told every second: those that somebody watches, counted.
import type { ExchangeEvent } from '../../exchange/exchange.ts'
import type { Ticker } from '../../exchange/market.ts'

export interface TickerWatch {
  /** @returns ends it. @throws {ExchangeError} `bad-symbol` */
  readonly watch: (symbol: string) => () => void
  readonly symbols: () => readonly string[]
  tick(): void
  /** Tells this one now, if it is watched. */
  tell(symbol: string): void
  close(): void
}

export function createTickerWatch(
  market: { refuseUnknown(symbol: string): void; quoteNow(symbol: string): Ticker | undefined; changed(): void },
  feed: { emit(event: ExchangeEvent): void },
): TickerWatch {
  const watchers = new Map<string, number>()

  function tell(symbol: string): void {
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
      void Promise.resolve().then(() => tell(symbol))
      let isEnded = false
      return () => {
        if (!isEnded) end(symbol)
        isEnded = true
      }
    },
    symbols: () => [...watchers.keys()],
    tell,
    tick() {
      for (const symbol of [...watchers.keys()]) tell(symbol)
    },
    close: () => watchers.clear(),
  }
}
