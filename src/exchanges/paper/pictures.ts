// What a paper account shows of its market to people: candles and the book.
import type { VenueView } from '../../exchange/exchange.ts'
import type { OrderBook } from '../../exchange/market.ts'
import type { Side } from '../../exchange/order.ts'
import { decimalText } from './decimal.ts'
import type { MarketSource, MarketView } from './market-source.ts'
import type { Requests } from './requests.ts'
import { stalePrices } from './stale-prices.ts'

const LEVELS = 20

interface PicturesOptions {
  readonly market: MarketSource
  readonly ask: Requests['ask']
  /** Waits for prices of the symbol, as long as they may come soon. */
  readonly prepare: (symbol: string) => Promise<void> | undefined
  readonly now: () => number
  readonly pause: () => Promise<void>
}

export function createPictures({
  market,
  ask,
  prepare,
  now,
  pause,
}: PicturesOptions): Required<Pick<VenueView, 'fetchCandles' | 'fetchOrderBook'>> {
  return {
    fetchCandles: (symbol, interval, limit) =>
      ask(async () => {
        await prepare(symbol)
        market.listing.find(symbol)
        return (await market.candles?.({ symbol, interval, limit, now: now() }, pause)) ?? []
      }),
    fetchOrderBook: (symbol) =>
      ask(async () => {
        await prepare(symbol)
        market.listing.find(symbol)
        const at = now()
        const view = market.at(at)
        if (!view.isCurrent(symbol)) throw stalePrices(symbol)
        return { symbol, bids: sideOf(view, symbol, 'sell'), asks: sideOf(view, symbol, 'buy'), timestamp: at }
      }),
  }
}

/** @param taker who would meet it */
function sideOf({ book }: MarketView, symbol: string, taker: Side): OrderBook['bids'] {
  return Array.from({ length: LEVELS }, (_, level) => book(symbol, taker, level)).flatMap((level) =>
    level === undefined ? [] : [[decimalText(level.price), decimalText(level.amount)] as const],
  )
}
