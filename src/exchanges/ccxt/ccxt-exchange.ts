// One account on one venue of ccxt, behind the `Exchange` port.

import { startUnheldTimer } from '../../base/concurrency.ts'
import { defined } from '../../base/defined.ts'
import type { Capabilities, Exchange, KnownStanding } from '../../exchange/exchange.ts'
import type { CcxtClient } from './ccxt-client.ts'
import type { Connection } from './connection.ts'
import type { MarketBook } from './markets.ts'
import { requireMarket, type VenueAccount } from './order-lookup.ts'
import { askFirst } from './pacing.ts'
import type { AccountStreams } from './streams/account-streams.ts'
import { PositionCache, type ReceivedNews } from './streams/position-cache.ts'
import type { TapeStreams } from './streams/tape-streams.ts'
import { createVenueOrders } from './venue-orders.ts'
import { createQuestions, type Questions } from './venue-questions.ts'

interface CcxtExchangeOptions {
  readonly account: VenueAccount
  /** Made with the questions of this exchange: what a gap is read again with. */
  /** undefined: the venue streams no public trades. */
  readonly tape: TapeStreams | undefined
  readonly createStreams: (
    questions: Questions,
    markets: () => Promise<MarketBook>,
    onNews: (news?: ReceivedNews) => void,
  ) => AccountStreams
}

export function createCcxtExchange({ account, tape, createStreams }: CcxtExchangeOptions): Exchange {
  const { profile, kind, connection, client } = account
  const capabilities = capabilitiesOf(account)
  const asked = createQuestions(account)
  const held: PositionCache = new PositionCache({
    read: asked.fetchPositions,
    isReported: () => streams.isReported,
    // Of other contracts an amount says nothing of what they cost.
    settleOf: (symbol) => (kind === 'linear' ? book?.byName(symbol)?.market.settle : undefined),
    now: account.now,
    after: startUnheldTimer,
  })
  const questions = { ...asked, fetchPositions: () => held.read() }
  let book: MarketBook | undefined
  const markets = async (reload = false) => {
    book = await connection.markets(reload)
    return book
  }
  const streams: AccountStreams = createStreams(questions, markets, (news) =>
    news === undefined ? held.changed() : held.received(news),
  )
  function knownStanding(symbol: string): KnownStanding | undefined {
    // Where a list is of one symbol at a time, what was placed elsewhere may be in none.
    if (kind === 'spot' || profile.openOrdersNeedSymbol(kind) || account.unread.list.length > 0) return undefined
    const seen = held.seen()
    const standing = (): KnownStanding | undefined => {
      const resting = streams.knownOpenOrders(symbol)
      if (seen === undefined || resting === undefined || !seen.isStill()) return undefined
      return { resting, position: seen.positions.find((position) => position.symbol === symbol), again: standing }
    }
    return standing()
  }

  const warm = new WarmConnection({ client, connection, now: account.now })
  const orders = createVenueOrders({ account, capabilities, questions, note: (order) => streams.note(order) })
  return {
    id: profile.id,
    kind,
    capabilities,
    ...defined({ findableMs: profile.findableMs?.(kind) }),
    get stream() {
      return streams.state
    },
    get unread() {
      return account.unread.list
    },
    loadMarkets: async ({ reload = false } = {}) => (await markets(reload)).markets,
    knownMarket: (symbol) => book?.byName(symbol)?.market,
    ...questions,
    // The streams' own looks at the account wait their turn; what is asked from outside, a guard or a command may hold an order for.
    fetchTicker: (symbol) => askFirst(() => questions.fetchTicker(symbol)),
    fetchOpenOrders: (symbol) => askFirst(() => questions.fetchOpenOrders(symbol)),
    knownTicker: (symbol) => streams.knownTicker(symbol),
    knownPositions: (before) => held.known(before),
    knownStanding,
    ...orders,
    holdsOrders: true,
    createOrder(request, context) {
      warm.ordered()
      return held.ordering(() => orders.createOrder(request, context), request)
    },
    editOrder: (ref, change) => held.changing(() => orders.editOrder(ref, change)),
    setLeverage: (symbol, leverage) => held.changing(() => orders.setLeverage(symbol, leverage)),
    isFired({ id }) {
      const trigger = account.fired.get(id)
      return trigger !== undefined && trigger.id !== id
    },
    ...(tape && { knownTape: (symbol: string) => tape.find(symbol) }),
    subscribe: (handler) => streams.subscribe(handler),
    watchTicker(symbol) {
      // Before the markets are known no one can say that it is not listed; the questions behind it will.
      if (book !== undefined) requireMarket(book, symbol)
      return streams.watchTicker(symbol)
    },
    async close() {
      warm.close()
      tape?.close()
      await streams.close()
      await client.close()
    },
  }
}

function capabilitiesOf({ client, profile, kind }: VenueAccount): Capabilities {
  const isDerivative = kind !== 'spot'
  const editTypes = profile.editTypes?.(kind)
  const can = (what: string) => !profile.isUnproven || client.has[what] === true
  return {
    orderTypes: profile.orderTypes(kind),
    timeInForce: profile.timeInForce(kind),
    ...defined({ refusesUnfilled: profile.refusesUnfilled?.(kind), marketIsLimit: profile.marketIsLimit }),
    postOnly: profile.postOnly && can('createPostOnlyOrder'),
    reduceOnly: isDerivative && can('createReduceOnlyOrder'),
    editOrder: profile.editOrder && editTypes?.length !== 0,
    ...defined({ editTypes }),
    setLeverage: isDerivative && profile.setLeverage && can('setLeverage'),
    setMarginMode: isDerivative && profile.setMarginMode,
    oco: profile.oco(kind),
    ...defined({ attached: profile.attached(kind) }),
  }
}

// A connection that has been idle for seconds is not used again, and a new one takes an order two round trips: while an account orders, one to its
// venue is kept in use by the smallest question that there is.

/** Shorter than what the transport takes for idle (`transport.ts`). */
const EVERY_MS = 8_000
/** An account that has not ordered for so long is left alone. */
const IN_USE_MS = 60 * 60_000

interface WarmConnectionOptions {
  readonly client: CcxtClient
  readonly connection: Connection
  readonly now: () => number
}

class WarmConnection {
  readonly #options: WarmConnectionOptions
  #orderedAt = 0
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: WarmConnectionOptions) {
    this.#options = options
  }

  /** An order leaves. */
  ordered(): void {
    this.#orderedAt = this.#options.now()
    if (this.#isClosed || this.#options.client.has.fetchTime !== true) return
    this.#timer ??= setInterval(() => this.#keep(), EVERY_MS).unref()
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
  }

  #keep(): void {
    const { client, connection, now } = this.#options
    if (now() - this.#orderedAt > IN_USE_MS) {
      clearInterval(this.#timer)
      this.#timer = undefined
      return
    }
    // Each request while the venue wants quiet makes its ban longer. What fails says itself when it is needed.
    if (connection.isQuiet) return
    void askFirst(() => connection.nested(async () => client.fetchTime?.())).catch(() => {})
  }
}
