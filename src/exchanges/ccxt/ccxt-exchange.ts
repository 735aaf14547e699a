// One account on one venue of ccxt, behind the `Exchange` port.
import type { Capabilities, Exchange } from '../../exchange/exchange.ts'
import type { MarketBook } from './markets.ts'
import { requireMarket, type VenueAccount } from './order-lookup.ts'
import type { AccountStreams } from './streams/account-streams.ts'
import { createVenueOrders } from './venue-orders.ts'
import { createQuestions, type Questions } from './venue-questions.ts'

export interface CcxtExchangeOptions {
  readonly account: VenueAccount
  /** Made with the questions of this exchange: what a gap is read again with. */
  readonly createStreams: (questions: Questions, markets: () => Promise<MarketBook>) => AccountStreams
}

export function createCcxtExchange({ account, createStreams }: CcxtExchangeOptions): Exchange {
  const { profile, kind, connection, client } = account
  const capabilities = capabilitiesOf(account)
  const questions = createQuestions(account)
  let book: MarketBook | undefined
  const markets = async (reload = false) => {
    book = await connection.markets(reload)
    return book
  }
  const streams = createStreams(questions, markets)
  const orders = createVenueOrders({ account, capabilities, questions, note: (order) => streams.note(order) })
  return {
    id: profile.id,
    kind,
    capabilities,
    get stream() {
      return streams.state
    },
    loadMarkets: async ({ reload = false } = {}) => (await markets(reload)).markets,
    ...questions,
    ...orders,
    subscribe: (handler) => streams.subscribe(handler),
    watchTicker(symbol) {
      // Before the markets are known nobody can say that it is not listed; the questions behind it will.
      if (book !== undefined) requireMarket(book, symbol)
      return streams.watchTicker(symbol)
    },
    async close() {
      await streams.close()
      await client.close()
    },
  }
}

function capabilitiesOf({ client, profile, kind }: VenueAccount): Capabilities {
  const isDerivative = kind !== 'spot'
  const can = (what: string) => !profile.isUnproven || client.has[what] === true
  return {
    orderTypes: profile.orderTypes(kind),
    timeInForce: profile.timeInForce(kind),
    postOnly: profile.postOnly && can('createPostOnlyOrder'),
    reduceOnly: isDerivative && can('createReduceOnlyOrder'),
    editOrder: profile.editOrder,
    setLeverage: isDerivative && profile.setLeverage && can('setLeverage'),
    setMarginMode: isDerivative && profile.setMarginMode,
    oco: profile.oco(kind),
  }
}
