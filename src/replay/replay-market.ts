// Candles as the market of a paper account: one price at a time, and any amount trades a step beside it.
import { Decimal } from 'decimal.js'
import { ExchangeError } from '../exchange/exchange-error.ts'
import type { Ticker } from '../exchange/market.ts'
import { priceOnGrid, stepAt } from '../exchange/price-grid.ts'
import { describePosition } from '../exchanges/paper/account.ts'
import { bookAt, UNLIMITED_DEPTH } from '../exchanges/paper/depth.ts'
import type { MarketSource, MarketView } from '../exchanges/paper/market-source.ts'
import { createListing, type Listing, type PaperMarket } from '../exchanges/paper/markets.ts'
import type { PaperState, RestingOrder } from '../exchanges/paper/state.ts'

export class ReplayMarket implements MarketSource {
  readonly market: PaperMarket
  readonly listing: Listing
  readonly isStale = false
  readonly closesWithUs = false
  changes = 0
  #last: string | undefined
  #lastNumber: number | undefined
  #price = 0
  #ticker: Ticker | undefined

  constructor(market: PaperMarket) {
    this.market = market
    this.listing = createListing([market], { name: 'the replay', currency: market.settle })
  }

  /** Brought onto the grid. */
  get last(): string {
    this.#last ??= priceOnGrid(this.#price, this.market, 'nearest')
    return this.#last
  }

  /** As `last`, for what is drawn. */
  get lastNumber(): number {
    this.#lastNumber ??= Math.max(1, Math.round(this.#price / this.step)) * this.step
    return this.#lastNumber
  }

  /** From last to bid and ask. */
  get step(): number {
    const { priceGrid } = this.market
    return priceGrid.kind === 'tick' ? Number(priceGrid.tick) : Number(stepAt(this.#price, priceGrid))
  }

  setPrice(price: number): void {
    this.#price = price
    this.#lastNumber = undefined
    this.#last = undefined
    this.#ticker = undefined
    this.changes += 1
  }

  at(ms: number): MarketView {
    const quotes = (symbol: string): Ticker => this.#quote(symbol, ms)
    return {
      listing: this.listing,
      quotes,
      book: bookAt(UNLIMITED_DEPTH, { quotes, listing: this.listing }, ms),
      isCurrent: (symbol) => symbol === this.market.symbol,
      isKnown: (symbol) => symbol === this.market.symbol,
      funding: () => [],
    }
  }

  #quote(symbol: string, timestamp: number): Ticker {
    if (symbol !== this.market.symbol) throw new ExchangeError('bad-symbol', `the replay has no ${symbol}`)
    if (this.#ticker?.timestamp === timestamp) return this.#ticker
    const step = stepAt(this.last, this.market.priceGrid)
    const bid = Decimal.max(step, new Decimal(this.last).minus(step)).toFixed()
    this.#ticker = { symbol, last: this.last, bid, ask: new Decimal(this.last).plus(step).toFixed(), timestamp }
    return this.#ticker
  }

  loadMarkets = async (): Promise<Listing> => this.listing
  prepare(): undefined {}
  between(): readonly number[] {
    return []
  }
  follow(): void {}
  tick(): void {}
  onChange(): () => void {
    return () => {}
  }
  async close(): Promise<void> {}
}

/** The prices at which something of the account happens: an order fills or fires, or a position is liquidated. Ascending. */
export function pricesMet(state: PaperState, market: ReplayMarket, now: number): readonly number[] {
  const { step } = market
  const view = market.at(now)
  const liquidations = state.positions.flatMap((position) => {
    const { liquidationPrice, side } = describePosition(state, position, view)
    return liquidationPrice === undefined ? [] : [Number(liquidationPrice) + (side === 'long' ? -step : step)]
  })
  return [...state.openOrders.flatMap((resting) => pricesOf(resting, step)), ...liquidations].sort((a, b) => a - b)
}

function pricesOf({ order, hasFired }: RestingOrder, step: number): readonly number[] {
  const { side, price, triggerPrice, takeProfitPrice } = order
  if (triggerPrice !== undefined && hasFired !== true)
    return [triggerPrice, takeProfitPrice].flatMap((each) => (each === undefined ? [] : [Number(each)]))
  return price === undefined ? [] : [Number(price) + (side === 'buy' ? -step : step)]
}
