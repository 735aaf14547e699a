// What the suite needs of a venue, and how it works it. A venue behind a network can leave controls out: the facts that need them are
// skipped, each with the reason.

import { expect } from 'vitest'
import { newOrderId, place } from '../../../harness/venues/place.ts'
import type { Exchange, ExchangeEvent, StreamState } from '../../../src/exchange/exchange.ts'
import type { Market } from '../../../src/exchange/market.ts'
import { type Order, type OrderRequest, refOf, type TimeInForce, type Trade } from '../../../src/exchange/order.ts'
import { priceOnGrid } from '../../../src/exchange/price-grid.ts'

export interface VenueControl {
  /** The last price is this from now on, bid and ask a grid step or so around it. */
  movePrice?(symbol: string, price: string): void | Promise<void>
  /** So much time passes, with all that it brings. Default: really. */
  advance?(ms: number): Promise<void>
  /** The next order is carried out and its answer is lost (true), or it never arrives (false). */
  loseNext?(isPlaced: boolean): Promise<void>
  /** The next order is refused with this code. */
  refuseNext?(code: 'unavailable' | 'rate-limited'): Promise<void>
  /** Little rests in the book: an order of `LARGE` or more fills in parts. */
  thinBook?(): Promise<void>
  /** The streams fall silent, without a word, until the returned function is called. */
  openGap?(): Promise<() => Promise<void>>
}

export interface VenueUnderTest {
  readonly exchange: Exchange
  /** With enough money for some orders of `SMALL` and `LARGE`; nothing is held and nothing rests. */
  readonly symbol: string
  readonly control: VenueControl
  /** The same account after this process was started again; the exchange before is closed. */
  restart(): Promise<Exchange>
  /** The same account as another process sees it. */
  openAnother?(): Promise<Exchange>
  stop(): Promise<void>
}

export type StartVenue = () => Promise<VenueUnderTest>

/** Ends the test as skipped, with the reason. */
type Skip = (why: string) => void

/** In quote. */
const SMALL = 700
const LARGE = 10_000

/** A venue and what its account hears, with short ways to say what tests say often. */
export class Desk {
  readonly venue: VenueUnderTest
  readonly market: Market
  readonly events: ExchangeEvent[] = []
  exchange: Exchange
  #stopListening: () => void

  readonly #skip: Skip

  private constructor(venue: VenueUnderTest, market: Market, skip: Skip) {
    this.#skip = skip
    this.venue = venue
    this.market = market
    this.exchange = venue.exchange
    this.#stopListening = this.exchange.subscribe((event) => this.events.push(event))
  }

  static async open(start: StartVenue, skip: Skip): Promise<Desk> {
    const venue = await start()
    const market = (await venue.exchange.loadMarkets()).find(({ symbol }) => symbol === venue.symbol)
    if (market === undefined) throw new Error(`the venue does not list ${venue.symbol}`)
    return new Desk(venue, market, skip)
  }

  get symbol(): string {
    return this.venue.symbol
  }

  async close(): Promise<void> {
    this.#stopListening()
    await this.venue.stop()
  }

  async restart(): Promise<void> {
    this.#stopListening()
    this.exchange = await this.venue.restart()
    this.#stopListening = this.exchange.subscribe((event) => this.events.push(event))
  }

  /** Skips a fact about what the venue says it cannot do: that it refuses it is a fact of its own. */
  needs(capability: 'postOnly' | 'reduceOnly' | 'editOrder' | 'oco' | 'stop' | TimeInForce): void {
    const { capabilities } = this.exchange
    const has =
      capability === 'gtc' || capability === 'ioc' || capability === 'fok'
        ? capabilities.timeInForce.includes(capability)
        : capability === 'stop'
          ? capabilities.orderTypes.includes(capability)
          : capabilities[capability]
    if (has !== true) this.#skip(`the venue has no ${capability}`)
  }

  /** All that rests; of the one symbol where a venue lists no other way. */
  async open(): Promise<readonly Order[]> {
    const all = await this.exchange.fetchOpenOrders().catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'not-supported' })
      return undefined
    })
    return all ?? this.exchange.fetchOpenOrders(this.symbol)
  }

  async last(): Promise<string> {
    return (await this.exchange.fetchTicker(this.symbol)).last
  }

  /** So far from the last price, on the grid. */
  async priceAway(percent: number): Promise<string> {
    return priceOnGrid(Number(await this.last()) * (1 + percent / 100), this.market, 'nearest')
  }

  /** A price that no grid has. */
  async priceOffGrid(): Promise<string> {
    const price = await this.priceAway(-5)
    return price.includes('.') ? `${price}0000001` : `${price}.0000001`
  }

  /** An amount worth about so much, on the lot. */
  async amountWorth(quote: number): Promise<string> {
    const lots = Math.max(1, Math.round(quote / Number(await this.last()) / Number(this.market.lotSize)))
    const places = this.market.lotSize.split('.')[1]?.length ?? 0
    return (lots * Number(this.market.lotSize))
      .toFixed(places)
      .replace(/(\.\d*?)0+$/, '$1')
      .replace(/\.$/, '')
  }

  small = (): Promise<string> => this.amountWorth(SMALL)
  large = (): Promise<string> => this.amountWorth(LARGE)

  /** A market buy of `SMALL` unless told otherwise. */
  async request(more: Partial<OrderRequest> = {}): Promise<OrderRequest> {
    const amount = more.amount ?? (await this.small())
    return { clientOrderId: newOrderId(), symbol: this.symbol, side: 'buy', type: 'market', ...more, amount }
  }

  async place(more: Partial<OrderRequest> = {}): Promise<Order> {
    return place(this.exchange, await this.request(more))
  }

  /** A limit buy that does not trade where the price is now. */
  async rest(more: Partial<OrderRequest> = {}): Promise<Order> {
    return this.place({ type: 'limit', price: await this.priceAway(-5), ...more })
  }

  now(order: Order): Promise<Order> {
    return this.exchange.fetchOrder(refOf(order))
  }

  /** How it ended, once it has. */
  async ended(order: Order): Promise<Order> {
    return this.until(async () => {
      const found = await this.now(order)
      return found.status === 'open' ? undefined : found
    })
  }

  trades(): readonly Trade[] {
    return this.events.flatMap((event) => (event.type === 'trade' ? [event.trade] : []))
  }

  /** Events of this order, in the order they came. */
  ordersTold(order: Pick<Order, 'id'>): readonly Order[] {
    return this.events.flatMap((event) => (event.type === 'order' && event.order.id === order.id ? [event.order] : []))
  }

  streamStates(): readonly StreamState[] {
    return this.events.flatMap((event) => (event.type === 'stream' ? [event.state] : []))
  }

  async advance(ms: number): Promise<void> {
    if (this.venue.control.advance !== undefined) return this.venue.control.advance(ms)
    await new Promise((resolve) => setTimeout(resolve, ms))
  }

  async moveTo(percent: number): Promise<void> {
    await this.venue.control.movePrice?.(this.symbol, await this.priceAway(percent))
    await this.advance(1000)
  }

  /** Asks until there is an answer, for as long as a slow venue may need. */
  async until<T>(ask: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
    for (let tries = 0; tries < 100; tries += 1) {
      const answer = await ask()
      if (answer !== undefined && answer !== false) return answer
      await this.advance(100)
    }
    throw new Error('what was waited for did not come')
  }
}
