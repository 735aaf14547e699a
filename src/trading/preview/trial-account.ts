// An account as it would be after what was looked at so far: where its venue lets that be tried, whole; else what would rest is kept beside what does.
import { defined } from '../../base/defined.ts'
import type { VenueView } from '../../exchange/exchange.ts'
import type { Ticker } from '../../exchange/market.ts'
import { isTriggerType, type Order, type OrderRef } from '../../exchange/order.ts'
import type { Would } from '../../exchange/simulated.ts'
import { endsAtOnce, type OrderPlan, withoutAsked } from '../order-plan.ts'
import { wouldTake } from '../pricing.ts'

export interface TrialAccount {
  /** What it holds and has open, as it would be by now; all else is asked of the venue. */
  readonly venue: VenueView
  /** @returns the order as it would be then; undefined where the venue tells only by doing. @throws {ExchangeError} the venue's refusal */
  take(would: Would): Promise<Order | undefined>
  /** Of the position on the symbol, as it would be by now. */
  liquidationPrice(symbol: string): string | undefined
  /** The last that a command was given: what it worked its figures out with. */
  ticker(symbol: string): Ticker | undefined
  /** Whether what was looked at placed it: the venue does not know it. */
  isNew(ref: OrderRef): boolean
}

export async function createTrialAccount(venue: VenueView): Promise<TrialAccount> {
  const trial = await venue.trial?.()
  if (trial === undefined) return new KeptOrders(venue)
  const placed = new Set<string>()
  const tickers = new GivenTickers(venue)
  return {
    venue: inFrontOf(venue, {
      ...tickers.asked,
      fetchPositions: async () => trial.positions(),
      knownPositions: () => trial.positions(),
      fetchOpenOrders: async (symbol) => trial.openOrders(symbol),
      fetchBalances: async () => trial.balances(),
      trial: async () => trial.fork(),
    }),
    async take(would) {
      const order = await trial.take(would)
      if (would.kind === 'place' && order !== undefined) placed.add(order.id)
      return order
    },
    liquidationPrice: (symbol) => trial.positions().find((position) => position.symbol === symbol)?.liquidationPrice,
    ticker: (symbol) => tickers.last(symbol),
    isNew: ({ id = '' }) => placed.has(id),
  }
}

/** Of a venue that can try it. @throws {ExchangeError} its refusal */
export async function requireTaken(venue: VenueView, plan: OrderPlan): Promise<void> {
  const trial = await venue.trial?.()
  const { protection: _, ...order } = withoutAsked(plan)
  await trial?.take({ kind: 'place', order })
}

/** Of a venue that lets nothing be tried: what would rest, and what of it would be changed or taken back. */
class KeptOrders implements TrialAccount {
  readonly venue: VenueView
  readonly #real: VenueView
  readonly #tickers: GivenTickers
  readonly #gone = new Set<string>()
  #orders: readonly Order[] = []
  #placed = 0

  constructor(venue: VenueView) {
    this.#real = venue
    this.#tickers = new GivenTickers(venue)
    this.venue = inFrontOf(venue, {
      ...this.#tickers.asked,
      fetchOpenOrders: async (symbol) => {
        const open = (await venue.fetchOpenOrders(symbol)).filter(({ id }) => !this.#gone.has(id))
        return [...open, ...this.#orders.filter((order) => symbol === undefined || order.symbol === symbol)]
      },
    })
  }

  async take(would: Would): Promise<undefined> {
    switch (would.kind) {
      case 'place':
        if (await this.#rests(would.order)) this.#orders = [...this.#orders, this.#resting(would.order)]
        return undefined
      case 'change':
        this.#orders = this.#orders.map((order) => (order.id === would.ref.id ? { ...order, ...would.change } : order))
        return undefined
      case 'cancel':
        this.#drop((order) => order.id === would.ref.id, would.ref.id)
        return undefined
      case 'cancel-all':
        for (const { id } of await this.#real.fetchOpenOrders(would.symbol)) this.#gone.add(id)
        this.#drop(({ symbol }) => would.symbol === undefined || symbol === would.symbol)
        return undefined
      case 'set':
        return undefined
    }
  }

  liquidationPrice(): undefined {
    return undefined
  }

  ticker(symbol: string): Ticker | undefined {
    return this.#tickers.last(symbol)
  }

  isNew({ id }: OrderRef): boolean {
    return this.#orders.some((order) => order.id === id)
  }

  #drop(isMeant: (order: Order) => boolean, id?: string): void {
    if (id !== undefined) this.#gone.add(id)
    this.#orders = this.#orders.filter((order) => !isMeant(order))
  }

  async #rests(order: OrderPlan): Promise<boolean> {
    if (isTriggerType(order.type)) return true
    return !endsAtOnce(order) && !(await takesNow(this.#real, order))
  }

  #resting({
    symbol,
    side,
    type,
    amount,
    price,
    triggerPrice,
    reduceOnly = false,
    postOnly = false,
  }: OrderPlan): Order {
    this.#placed += 1
    return {
      id: `new-${this.#placed}`,
      symbol,
      side,
      type,
      amount,
      filled: '0',
      remaining: amount,
      ...defined({ price, triggerPrice }),
      reduceOnly,
      postOnly,
      status: 'open',
      timestamp: 0,
    }
  }
}

class GivenTickers {
  readonly asked: Pick<VenueView, 'fetchTicker' | 'knownTicker'>
  readonly #last = new Map<string, Ticker>()

  constructor(venue: VenueView) {
    const given = (symbol: string, ticker: Ticker) => {
      this.#last.set(symbol, ticker)
      return ticker
    }
    this.asked = {
      fetchTicker: async (symbol) => given(symbol, await venue.fetchTicker(symbol)),
      knownTicker: (symbol) => {
        const known = venue.knownTicker?.(symbol)
        return known && given(symbol, known)
      },
    }
  }

  last(symbol: string): Ticker | undefined {
    return this.#last.get(symbol)
  }
}

/** Whether a limit has the market against it at this moment. */
export async function takesNow(
  venue: VenueView,
  { symbol, side, type, price, postOnly }: Pick<OrderPlan, 'symbol' | 'side' | 'type' | 'price' | 'postOnly'>,
): Promise<boolean> {
  if (type !== 'limit' || price === undefined || postOnly === true) return false
  return wouldTake(side, price, venue.knownTicker?.(symbol) ?? (await venue.fetchTicker(symbol)))
}

function inFrontOf(venue: VenueView, own: Partial<VenueView>): VenueView {
  return new Proxy(venue, {
    get: (target, name) =>
      Object.hasOwn(own, name) ? own[name as keyof VenueView] : Reflect.get(target, name, target),
  })
}
