// What a guard must know of the venue to judge an order. A price that was read a moment ago serves
// again: a command has just asked for it to work its figures out. What is held is always read anew.
import { Decimal } from 'decimal.js'
import type { Exchange, KnownStanding } from '../exchange/exchange.ts'
import type { Market, Ticker } from '../exchange/market.ts'
import type { Order, OrderRef, Position, Side } from '../exchange/order.ts'
import { isDollars } from '../trading/figures.ts'
import type { UnderWay } from './day-fold.ts'
import { type Holding, mayFireAbove, type Ordered } from './rules.ts'

/** A figure older than this is read anew. */
const FRESH_MS = 1_000
const RATE_FRESH_MS = 10_000

/** With all that is under way on the symbol. */
export type Standing = Holding & { readonly underWay: readonly UnderWay[] }

interface Read<T> {
  readonly at: number
  readonly value: T
}

export class GuardFacts {
  readonly #exchange: Exchange
  readonly #now: () => number
  readonly #tickers = new Map<string, Read<Ticker>>()
  #open: Read<readonly Order[]> | undefined
  #positions: Read<readonly Position[]> | undefined
  #changes = 0
  readonly #rates = new Map<string, Read<Decimal | undefined>>()

  constructor(exchange: Exchange, now: () => number) {
    this.#exchange = exchange
    this.#now = now
  }

  /** For everybody who asks: what it gave is known. */
  async fetchTicker(symbol: string): Promise<Ticker> {
    const at = this.#now()
    const value = await this.#exchange.fetchTicker(symbol)
    this.#tickers.set(symbol, { at, value })
    return value
  }

  /** For everybody who asks: a command has looked for the order that it changes. */
  async fetchOpenOrders(symbol?: string): Promise<readonly Order[]> {
    const at = this.#now()
    const value = await this.#exchange.fetchOpenOrders(symbol)
    this.#open = { at, value }
    return value
  }

  /** An order as it was seen a moment ago. */
  seenOpen({ id, clientOrderId }: OrderRef): Order | undefined {
    if (!this.#isFresh(this.#open, FRESH_MS)) return undefined
    return this.#open.value.find((order) =>
      id === undefined ? clientOrderId !== undefined && order.clientOrderId === clientOrderId : order.id === id,
    )
  }

  /** For everybody who asks: a command has just looked at what it adds to. */
  async fetchPositions(): Promise<readonly Position[]> {
    const [at, changes] = [this.#now(), this.#changes]
    const value = await this.#exchange.fetchPositions()
    if (changes === this.#changes) this.#positions = { at, value }
    return value
  }

  /** Sends what may change what is held: what was read before it was answered says nothing any more. */
  async changing<T>(send: () => Promise<T>): Promise<T> {
    this.#forgetHeld()
    try {
      return await send()
    } finally {
      this.#forgetHeld()
    }
  }

  #forgetHeld(): void {
    this.#changes += 1
    this.#positions = undefined
  }

  /** What rests, and after that what is held: an order that fills in between is in both, and never in neither. */
  async standing(market: Market): Promise<Pick<Holding, 'resting' | 'position'>> {
    const resting = await this.#exchange.fetchOpenOrders(market.symbol)
    return { resting, position: await this.held(market) }
  }

  /** The same as streams have told it, with nothing asked. */
  knownStanding({ symbol }: Market): KnownStanding | undefined {
    return this.#exchange.knownStanding?.(symbol)
  }

  /** What was held a moment ago, where it was read or the streams have told of nothing since, or is now: enough to see whether an order could shrink it, and not that it does. */
  async seenHeld(market: Market, side: Side): Promise<Pick<Position, 'side' | 'amount'> | undefined> {
    if (market.kind === 'spot') return this.held(market)
    const read = this.#positions
    const seen = this.#isFresh(read, FRESH_MS)
      ? read.value
      : await this.#exchange.knownPositions?.({ symbol: market.symbol, side })
    return seen === undefined ? this.held(market) : seen.find(({ symbol }) => symbol === market.symbol)
  }

  async market(symbol: string): Promise<Market | undefined> {
    return (await this.#exchange.loadMarkets()).find((market) => market.symbol === symbol)
  }

  ticker(symbol: string): Promise<Ticker> | Ticker {
    const known = this.#tickers.get(symbol)
    if (this.#isFresh(known, FRESH_MS)) return known.value
    return this.#exchange.knownTicker?.(symbol) ?? this.fetchTicker(symbol)
  }

  /** What is held now; on spot, the coins that orders of the market sell. */
  async held({ symbol, kind, base }: Market): Promise<Pick<Position, 'side' | 'amount'> | undefined> {
    if (kind !== 'spot') return (await this.#exchange.fetchPositions()).find((position) => position.symbol === symbol)
    const found = (await this.#exchange.fetchBalances()).find(({ currency }) => currency === base)
    return found === undefined || new Decimal(found.total).lte(0) ? undefined : { side: 'long', amount: found.total }
  }

  /** What an amount of the market is worth at a price, in dollars; undefined: the venue has no price for its quote. */
  async worth({ kind, quote }: Market, amount: Decimal.Value, price: Decimal): Promise<Decimal | undefined> {
    const inQuote = kind === 'inverse' ? new Decimal(amount) : price.times(amount)
    if (isDollars(quote)) return inQuote
    const rate = await this.rate(quote)
    return rate === undefined ? undefined : inQuote.times(rate)
  }

  /** Dollars for one of the currency, by the venue's own prices; undefined: it has none. */
  async rate(currency: string): Promise<Decimal | undefined> {
    if (isDollars(currency)) return new Decimal(1)
    const known = this.#rates.get(currency)
    if (this.#isFresh(known, RATE_FRESH_MS)) return known.value
    const at = this.#now()
    const value = await this.#askRate(currency)
    this.#rates.set(currency, { at, value })
    return value
  }

  async #askRate(currency: string): Promise<Decimal | undefined> {
    const markets = (await this.#exchange.loadMarkets()).filter(({ active }) => active)
    const direct = markets.find(({ base, quote }) => base === currency && isDollars(quote))
    const inverted = markets.find(({ base, quote }) => quote === currency && isDollars(base))
    const found = direct ?? inverted
    if (found === undefined) return undefined
    const last = new Decimal((await this.ticker(found.symbol)).last)
    if (last.lte(0)) return undefined
    return direct === undefined ? new Decimal(1).div(last) : last
  }

  #isFresh<T>(read: Read<T> | undefined, ms: number): read is Read<T> {
    return read !== undefined && Math.abs(this.#now() - read.at) <= ms
  }
}

/** Whether its value, or how far its limit is through the market, can only be told with the market's price. */
export function needsTicker(order: Ordered): boolean {
  return order.triggerPrice === undefined || mayFireAbove(order)
}
