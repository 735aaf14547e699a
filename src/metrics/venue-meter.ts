// Counts what is asked of venues, in front of an adapter and behind the guard: what a guard refuses is never asked.
import { CodedError } from '../base/coded-error.ts'
import type { Exchange, OrderOutcome } from '../exchange/exchange.ts'
import type { Exposition, Sample } from './exposition.ts'

/** What changes something at the venue. */
const ORDERS: ReadonlySet<PropertyKey> = new Set<keyof Exchange>([
  ...(['createOrder', 'editOrder', 'cancelOrder', 'cancelAllOrders', 'setLeverage', 'setMarginMode'] as const),
])
/** What a venue is asked, and does not answer from what its streams have told. */
const QUESTIONS: ReadonlySet<PropertyKey> = new Set<keyof Exchange>([
  ...(['fetchTicker', 'fetchBalances', 'fetchPositions', 'fetchOpenOrders', 'fetchOrder', 'fetchMyTrades'] as const),
  ...(['fetchTradeHistory', 'fetchFundingPayments', 'fetchMargin', 'fetchCandles', 'fetchOrderBook'] as const),
  ...(['fetchMarketSummary', 'checkAccess'] as const),
])
const BOUNDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const FATES = ['placed', 'refused', 'unknown'] as const

/** An account that is open: what is known of it without asking. */
interface OpenDesk {
  readonly stream: () => 'live' | 'stale'
  readonly protecting: () => number
  readonly unsettled: () => number
}

export class VenueMeter {
  readonly #calls
  readonly #seconds
  readonly #orders
  readonly #desks = new Set<OpenDesk>()

  constructor(exposition: Exposition) {
    this.#orders = exposition.counter(
      { name: 'hookline_orders', help: 'Orders sent, by what the venue answered; unknown: nothing definite' },
      ['venue', 'outcome'],
      FATES.map((fate) => ['paper', fate]),
    )
    this.#calls = exposition.counter(
      { name: 'hookline_venue_requests', help: 'Requests to venues, by outcome: ok or the code of the error' },
      ['venue', 'kind', 'outcome'],
      [],
    )
    this.#seconds = exposition.histogram(
      { name: 'hookline_venue_request_seconds', help: 'Time to the answer of a venue', unit: 'seconds' },
      ['venue', 'kind'],
      BOUNDS,
    )
    exposition.gauge({ name: 'hookline_accounts_open', help: 'Accounts with a connection, by their stream' }, () =>
      (['live', 'stale'] as const).map(
        (state): Sample => [{ stream: state }, this.#count((desk) => desk.stream() === state)],
      ),
    )
    exposition.gauge(
      { name: 'hookline_protected_entries', help: 'Entries with a stop or take-profit kept by hookline' },
      () => this.#sum((desk) => desk.protecting()),
    )
    exposition.gauge({ name: 'hookline_unsettled_orders', help: 'Orders of which nothing definite is known' }, () =>
      this.#sum((desk) => desk.unsettled()),
    )
  }

  /** @returns ends it */
  follow(desk: OpenDesk): () => void {
    this.#desks.add(desk)
    return () => void this.#desks.delete(desk)
  }

  /** The same exchange, counted. */
  metered(exchange: Exchange): Exchange {
    const { id } = exchange
    const bound = new Map<PropertyKey, unknown>()
    return new Proxy(exchange, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        if (!bound.has(name)) bound.set(name, this.#meteredMethod(id, name, value.bind(target)))
        return bound.get(name)
      },
    })
  }

  #meteredMethod(venue: string, name: PropertyKey, call: (...args: unknown[]) => unknown): unknown {
    const kind = ORDERS.has(name) ? 'order' : QUESTIONS.has(name) ? 'question' : undefined
    if (kind === undefined) return call
    return async (...args: unknown[]): Promise<unknown> => {
      const begun = performance.now()
      const note = (outcome: string) => {
        this.#calls.add(venue, kind, outcome)
        this.#seconds.observe((performance.now() - begun) / 1_000, venue, kind)
      }
      try {
        const answer = await call(...args)
        const fate = name === 'createOrder' || name === 'editOrder' ? (answer as OrderOutcome) : undefined
        if (fate !== undefined && name === 'createOrder') this.#orders.add(venue, fate.kind)
        note(fate === undefined || fate.kind === 'placed' ? 'ok' : fate.error.code)
        return answer
      } catch (error) {
        note(error instanceof CodedError ? error.code : 'internal')
        throw error
      }
    }
  }

  #count(is: (desk: OpenDesk) => boolean): number {
    return [...this.#desks].filter(is).length
  }

  #sum(of: (desk: OpenDesk) => number): number {
    return [...this.#desks].reduce((sum, desk) => sum + of(desk), 0)
  }
}
