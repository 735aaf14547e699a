// Own orders, fills and prices by asking every few seconds: for venues without streams, and while streams are down.
import type { ExchangeEvent } from '../../exchange/exchange.ts'
import { type Order, refOf, type Trade } from '../../exchange/order.ts'
import type { AccountStreams, AccountStreamsOptions } from './account-streams.ts'
import { inOrder } from './trades.ts'

const ORDERS_EVERY_MS = 3_000
const TICKERS_EVERY_MS = 2_000
/** Fills are asked for from so long before the first subscriber came: clocks differ. */
const OVERLAP_MS = 60_000
const MAX_TRADES_SEEN = 20_000
const MAX_TRADES = 500

interface Followed {
  readonly order: Order
  /** The whole row as it was last told. */
  readonly told: string
}

export function createPollingStreams(options: AccountStreamsOptions): AccountStreams {
  const polling = new Polling(options)
  const stops = [
    options.every(ORDERS_EVERY_MS, () => void polling.lookAtOrders()),
    options.every(TICKERS_EVERY_MS, () => void polling.lookAtTickers()),
  ]
  return {
    get state() {
      return polling.state
    },
    subscribe: (handler) => polling.subscribe(handler),
    watchTicker: (symbol) => polling.watchTicker(symbol),
    note: (order) => polling.note(order),
    async close() {
      for (const stop of stops) stop()
      polling.close()
    },
  }
}

class Polling {
  state: 'live' | 'stale' = 'live'
  readonly #options: AccountStreamsOptions
  readonly #handlers = new Set<(event: ExchangeEvent) => void>()
  readonly #watched = new Map<string, number>()
  /** By id: the open ones, and those whose end was not told yet. */
  #followed = new Map<string, Followed>()
  readonly #seenTrades = new Set<string>()
  /** Fills before this are not told. */
  #since: number
  #isFirstLook = true
  #looking: Promise<void> | undefined
  #isAskingTickers = false
  #isClosed = false

  constructor(options: AccountStreamsOptions) {
    this.#options = options
    this.#since = options.now()
  }

  subscribe(handler: (event: ExchangeEvent) => void): () => void {
    if (this.#handlers.size === 0) {
      this.#isFirstLook = true
      this.#since = this.#options.now()
    }
    const own = (event: ExchangeEvent) => handler(event)
    this.#handlers.add(own)
    void this.lookAtOrders()
    return () => this.#handlers.delete(own)
  }

  watchTicker(symbol: string): () => void {
    this.#watched.set(symbol, (this.#watched.get(symbol) ?? 0) + 1)
    void this.lookAtTickers()
    let isEnded = false
    return () => {
      if (isEnded) return
      isEnded = true
      const left = (this.#watched.get(symbol) ?? 1) - 1
      if (left > 0) this.#watched.set(symbol, left)
      else this.#watched.delete(symbol)
    }
  }

  note(order: Order): void {
    if (this.#handlers.size === 0 || this.#isClosed) return
    const known = this.#followed.get(order.id)
    if (known === undefined) this.#followed.set(order.id, { order, told: '' })
    void this.lookAtOrders()
  }

  close(): void {
    this.#isClosed = true
    this.#handlers.clear()
    this.#watched.clear()
  }

  /** One look at a time; one that is asked for meanwhile is the next. */
  lookAtOrders(): Promise<void> {
    if (this.#looking !== undefined || this.#handlers.size === 0 || this.#isClosed)
      return this.#looking ?? Promise.resolve()
    this.#looking = this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async #look(): Promise<void> {
    try {
      const open = await this.#options.read.openOrders()
      await this.#compare(open)
      this.#becomes('live')
    } catch (error) {
      if (this.state === 'live') this.#options.onProblem(error)
      this.#becomes('stale')
    }
  }

  async #compare(open: readonly Order[]): Promise<void> {
    const listed = new Map(open.map((order) => [order.id, order]))
    if (this.#isFirstLook) {
      this.#isFirstLook = false
      for (const order of open) {
        if (!this.#followed.has(order.id)) this.#followed.set(order.id, { order, told: textOf(order) })
      }
    }
    const changed: Order[] = []
    const next = new Map<string, Followed>()
    for (const order of open) {
      if (this.#followed.get(order.id)?.told !== textOf(order)) changed.push(order)
      next.set(order.id, { order, told: textOf(order) })
    }
    for (const { order } of this.#followed.values()) {
      if (listed.has(order.id)) continue
      const now = await this.#options.read.order(refOf(order))
      if (now.status === 'open') next.set(order.id, { order: now, told: textOf(now) })
      if (this.#followed.get(order.id)?.told !== textOf(now)) changed.push(now)
    }
    await this.#tellFills(changed)
    for (const order of changed) this.#tell({ type: 'order', order })
    this.#followed = next
  }

  /** Before the orders that they changed. */
  async #tellFills(changed: readonly Order[]): Promise<void> {
    const symbols = new Set(changed.filter(({ filled }) => filled !== '0').map(({ symbol }) => symbol))
    const found: Trade[] = []
    for (const symbol of symbols) {
      const since = this.#since - OVERLAP_MS
      found.push(...(await this.#options.read.trades({ symbol, since, limit: MAX_TRADES })))
    }
    for (const trade of inOrder(found, found.length)) {
      const key = `${trade.symbol} ${trade.id}`
      if (trade.timestamp < this.#since || this.#seenTrades.has(key)) continue
      if (this.#seenTrades.size >= MAX_TRADES_SEEN)
        this.#seenTrades.delete(this.#seenTrades.values().next().value ?? '')
      this.#seenTrades.add(key)
      this.#tell({ type: 'trade', trade })
    }
  }

  async lookAtTickers(): Promise<void> {
    if (this.#isAskingTickers || this.#watched.size === 0 || this.#isClosed) return
    this.#isAskingTickers = true
    try {
      for (const symbol of [...this.#watched.keys()]) {
        const ticker = await this.#options.read.ticker(symbol)
        if (this.#watched.has(symbol)) this.#tell({ type: 'ticker', ticker })
      }
    } catch (error) {
      if (this.state === 'live') this.#options.onProblem(error)
      this.#becomes('stale')
    } finally {
      this.#isAskingTickers = false
    }
  }

  #becomes(state: 'live' | 'stale'): void {
    if (this.state === state) return
    this.state = state
    this.#tell({ type: 'stream', state: state === 'live' ? 'resynced' : 'stale' })
  }

  #tell(event: ExchangeEvent): void {
    for (const handler of this.#handlers) {
      try {
        handler(event)
      } catch (error) {
        this.#options.onProblem(error)
      }
    }
  }
}

function textOf(order: Order): string {
  return JSON.stringify([order.status, order.filled, order.amount, order.price, order.triggerPrice])
}
