// One symbol of a venue as it is heard: ticker, book, and whether both are of now.
import type { OrderBook, Ticker } from '../../exchange/market.ts'
import type { Funding, MarketData, MarketDataEvent } from '../../exchange/market-data.ts'
import type { Side } from '../../exchange/order.ts'
import { amountOnLot } from '../../exchange/price-grid.ts'
import { Decimal, decimal } from './decimal.ts'
import type { Level } from './depth.ts'
import type { Listing } from './listing.ts'

/** What was heard longer ago is not current, whatever the feed says: this machine may have slept. */
const MAX_AGE_MS = 20_000
const PAYMENTS_KNOWN = 3

export class FollowedSymbol {
  readonly symbol: string
  /** It is followed at least until then, in ms since the epoch. */
  keepUntil = 0
  fundingAskedAt = Number.NEGATIVE_INFINITY
  readonly #now: () => number
  /** Since when it is waited for. */
  #since: number
  #stop: (() => void) | undefined
  #isLive = false
  #wasCurrent = false
  #last: Ticker | undefined
  #book: OrderBook | undefined
  /** When each was heard, since the last time that the feed was stale. */
  #heardAt: { ticker?: number; book?: number } = {}
  #levels: { [side in Side]?: readonly Level[] } = {}
  #funding: readonly Funding[] = []

  constructor(symbol: string, now: () => number) {
    this.symbol = symbol
    this.#now = now
    this.#since = now()
  }

  /** Once. */
  begin(data: MarketData, changed: () => void): void {
    this.#stop ??= data.watch(this.symbol, (event) => {
      this.#hear(event)
      changed()
    })
  }

  stop(): void {
    this.#stop?.()
    this.#stop = undefined
  }

  /** Last as the ticker says it, bid and ask as the book does; undefined until both were heard. */
  get ticker(): Ticker | undefined {
    if (this.#last === undefined || this.#book === undefined) return undefined
    const { bids, asks } = this.#book
    return { ...this.#last, bid: bids[0]?.[0] ?? this.#last.bid, ask: asks[0]?.[0] ?? this.#last.ask }
  }

  /** Payments that are known, the next one last. */
  get funding(): readonly Funding[] {
    return this.#funding
  }

  isCurrent(now: number): boolean {
    const { ticker, book } = this.#heardAt
    return this.#isLive && ticker !== undefined && book !== undefined && now - Math.min(ticker, book) <= MAX_AGE_MS
  }

  /** Whether its prices should be there and are not. */
  isOverdue(now: number, patienceMs: number): boolean {
    return !this.isCurrent(now) && (this.#wasCurrent || now - this.#since > patienceMs)
  }

  /** In whole lots: what a venue offers in parts of one cannot be traded. */
  level(side: Side, index: number, listing: Listing): Level | undefined {
    this.#levels[side] ??= this.#levelsOf(side, listing)
    return this.#levels[side]?.[index]
  }

  noteFunding(next: Funding): void {
    this.#funding = [...this.#funding.filter(({ at }) => at !== next.at), next].slice(-PAYMENTS_KNOWN)
  }

  #levelsOf(side: Side, listing: Listing): readonly Level[] {
    const market = listing.find(this.symbol)
    const offered = side === 'buy' ? this.#book?.asks : this.#book?.bids
    return (offered ?? [])
      .map(([price, amount]) => ({ price: decimal(price), amount: new Decimal(amountOnLot(amount, market)) }))
      .filter(({ amount }) => amount.gt(0))
  }

  #hear(event: MarketDataEvent): void {
    if (event.type === 'stream') this.#hearStream(event.state === 'stale')
    if (event.type === 'ticker') {
      this.#last = event.ticker
      this.#heardAt.ticker = this.#now()
    }
    if (event.type === 'book' && !isCrossed(event.book)) {
      this.#book = event.book
      this.#levels = {}
      this.#heardAt.book = this.#now()
    }
    this.#wasCurrent ||= this.isCurrent(this.#now())
  }

  /** After a gap both have to be heard again. */
  #hearStream(isStale: boolean): void {
    this.#isLive = !isStale
    if (!isStale) return
    this.#heardAt = {}
    this.#wasCurrent = true
  }
}

/** A book that was put together wrongly: nobody buys above what is offered. */
function isCrossed({ bids, asks }: OrderBook): boolean {
  const [bid, ask] = [bids[0]?.[0], asks[0]?.[0]]
  return bid !== undefined && ask !== undefined && decimal(bid).gte(decimal(ask))
}
