// What the figures of a preview are worked out from. Each question is asked once for an account and symbol; one without an answer leaves its
// figures out, and is named.
import { defined } from '../../base/defined.ts'
import type { VenueView } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Market, Ticker } from '../../exchange/market.ts'
import type { Position } from '../../exchange/order.ts'
import { findMarket } from '../find-market.ts'
import type { TradingAccount } from '../order-desk.ts'

export interface AccountFacts {
  readonly market: Market
  readonly ticker: Ticker | undefined
  readonly position: Position | undefined
  readonly leverage?: string
}

/** For one preview. @param note is told what has no answer */
export function createFacts(
  note: (text: string) => void,
): (account: TradingAccount, symbol: string) => Promise<AccountFacts> {
  const known = new Map<string, Promise<AccountFacts>>()
  return (account, symbol) => {
    const key = `${account.name} ${symbol}`
    const asked = known.get(key) ?? ask(account.venue, symbol, note)
    known.set(key, asked)
    return asked
  }
}

async function ask(venue: VenueView, symbol: string, note: (text: string) => void): Promise<AccountFacts> {
  const orNote = async <T>(what: string, question: Promise<T> | T | undefined): Promise<T | undefined> => {
    try {
      return await question
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error
      note(`${what} of ${symbol} is not known: ${error.message}`)
      return undefined
    }
  }
  const [market, ticker, positions, setting] = await Promise.all([
    findMarket(venue, symbol),
    orNote('the price', venue.knownTicker?.(symbol) ?? venue.fetchTicker(symbol)),
    venue.kind === 'spot' ? [] : orNote('the position', venue.fetchPositions()),
    venue.kind === 'spot' ? undefined : orNote('the leverage', venue.fetchMargin?.(symbol)),
  ])
  const position = positions?.find((row) => row.symbol === market.symbol)
  const leverage = setting?.leverage ?? position?.leverage
  return { market, ticker, position, ...defined({ leverage }) }
}
