// What the suite needs of a venue, and how it works it. A venue behind a network can leave controls out: the facts that need them are
// skipped, each with the reason.

import { randomBytes } from 'node:crypto'
import { type ExpectStatic, JestAsymmetricMatchers, JestChaiExpect, JestExtend } from '@vitest/expect'
import { expect as chaiExpect, use } from 'chai'
import { canEdit, type Exchange, type ExchangeEvent, type StreamState } from '../../exchange/exchange.ts'
import type { Market } from '../../exchange/market.ts'
import {
  type Order,
  type OrderRequest,
  type OrderType,
  refOf,
  type TimeInForce,
  type Trade,
} from '../../exchange/order.ts'
import { priceOnGrid } from '../../exchange/price-grid.ts'

for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) use(plugin)

/** The assertions that the tests have, without their runner. */
export const expect = chaiExpect as unknown as ExpectStatic

interface VenueControl {
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

/** `listAll`: orders are listed of all symbols at once. */
type Control = keyof VenueControl | 'openAnother' | 'listAll'
/** The controls that a venue does not have, with the reason. */
export type Lacks = Partial<Record<Control, string>>

/** One fact about a venue, on a desk of its own. */
export interface ContractFact {
  /** The sentence that `what` ends. */
  readonly about: string
  readonly what: string
  readonly needs: readonly Control[]
  /** Rejects where it is not so. @throws {SkippedFact} where the venue says that it cannot do what the fact is about */
  run(desk: Desk): Promise<void>
}

type AddFact = (what: string, ...rest: [run: Run] | [needs: readonly Control[], run: Run]) => void
/** Begins facts about one thing. */
export type AboutFacts = (about: string) => AddFact
type Run = (desk: Desk) => Promise<void>

/** What a fact is about is not there: it is neither true nor false. */
export class SkippedFact extends Error {
  override readonly name = 'SkippedFact'
}

/** In quote. */
const SMALL = 700
const LARGE = 10_000
const MOST_FILLS = 500

/** 32 hexadecimal characters. */
export function newOrderId(): string {
  return randomBytes(16).toString('hex')
}

/** A venue and what its account hears, with short ways to say what facts say often. */
export class Desk {
  readonly venue: VenueUnderTest
  readonly market: Market
  readonly events: ExchangeEvent[] = []
  exchange: Exchange
  /** Fills of the account from before. */
  readonly #before: ReadonlySet<string>
  #stopListening: () => void

  private constructor(venue: VenueUnderTest, market: Market, before: readonly Trade[]) {
    this.venue = venue
    this.market = market
    this.exchange = venue.exchange
    this.#before = new Set(before.map(({ id }) => id))
    this.#stopListening = this.exchange.subscribe((event) => this.events.push(event))
  }

  static async open(venue: VenueUnderTest): Promise<Desk> {
    const { exchange, symbol } = venue
    const market = (await exchange.loadMarkets()).find((each) => each.symbol === symbol)
    if (market === undefined) throw new Error(`the venue does not list ${symbol}`)
    return new Desk(venue, market, await exchange.fetchMyTrades({ symbol, limit: MOST_FILLS }))
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
  needs(capability: 'postOnly' | 'reduceOnly' | 'oco' | 'attached' | 'stop' | TimeInForce): void {
    const { capabilities } = this.exchange
    const has =
      capability === 'gtc' || capability === 'ioc' || capability === 'fok'
        ? capabilities.timeInForce.includes(capability)
        : capability === 'stop'
          ? capabilities.orderTypes.includes(capability)
          : capabilities[capability]
    if (has !== true && typeof has !== 'string') throw new SkippedFact(`the venue has no ${capability}`)
  }

  /** As `needs`, for an order of a type. */
  needsEdit(type: OrderType): void {
    if (!canEdit(this.exchange.capabilities, type)) throw new SkippedFact(`the venue changes no ${type} order in place`)
  }

  /** All that rests; of the one symbol where a venue lists no other way. */
  async open(): Promise<readonly Order[]> {
    const all = await this.exchange.fetchOpenOrders().catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'not-supported') return undefined
      throw error
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
    const outcome = await this.exchange.createOrder(await this.request(more))
    if (outcome.kind === 'placed') return outcome.order
    throw outcome.error
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

  /** Those of this fact, as the venue lists them. */
  async fills(): Promise<readonly Trade[]> {
    const all = await this.exchange.fetchMyTrades({ symbol: this.symbol, limit: MOST_FILLS })
    return all.filter(({ id }) => !this.#before.has(id))
  }

  trades(): readonly Trade[] {
    return this.events.flatMap((event) => (event.type === 'trade' ? [event.trade] : []))
  }

  /** Events of this order, in the order they came. */
  ordersReported(order: Pick<Order, 'id'>): readonly Order[] {
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

/** Some venues' acknowledgements have no time: until the order is asked for it has the time at which they came. */
const TIMES_APART_MS = 1_000

export function expectSame(orders: readonly Order[], wanted: readonly Order[]): void {
  expect(orders.map(untimed)).toEqual(wanted.map(untimed))
  for (const [index, { timestamp }] of orders.entries()) {
    expect(Math.abs(timestamp - (wanted[index]?.timestamp ?? 0))).toBeLessThan(TIMES_APART_MS)
  }
}

function untimed({ timestamp: _, ...order }: Order): Omit<Order, 'timestamp'> {
  return order
}
