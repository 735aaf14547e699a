// What an order needs to know about one symbol at one moment.

import { CommandError } from '../commands/kit/command-error.ts'
import type { Balance, Exchange, Market, Position, Ticker } from '../exchange/exchange.ts'
import { nearest } from '../language/nearest.ts'
import { printable } from '../language/printable.ts'

export interface MarketView {
  readonly market: Market
  readonly ticker: Ticker
  /** Absent when the account is flat on this symbol. */
  readonly position: Position | undefined
}

/** @throws {CommandError} `unknown-symbol`, with the nearest market as the hint */
export async function findMarket(exchange: Exchange, symbol: string): Promise<Market> {
  const markets = await exchange.loadMarkets()
  const market = markets.find((row) => row.symbol === symbol)
  if (market !== undefined) return market
  const near =
    markets.find((row) => row.base === symbol)?.symbol ??
    nearest(
      symbol,
      markets.map((row) => row.symbol),
    )
  throw new CommandError('unknown-symbol', `${exchange.id} has no market ${printable(symbol, 30)}`, {
    hint: near === undefined ? '`markets` lists them' : `did you mean ${near}?`,
  })
}

/** @throws {CommandError} `unknown-symbol` @throws {ExchangeError} */
export async function viewSymbol(exchange: Exchange, symbol: string): Promise<MarketView> {
  const market = await findMarket(exchange, symbol)
  const [ticker, positions] = await Promise.all([exchange.fetchTicker(symbol), exchange.fetchPositions()])
  return { market, ticker, position: positions.find((row) => row.symbol === symbol) }
}

/** Reads the balance once, when first asked: several orders of one command share one picture of what is free. */
export function balanceOnce(exchange: Exchange): () => Promise<Balance> {
  let balance: Promise<Balance> | undefined
  return () => {
    balance ??= exchange.fetchBalance()
    return balance
  }
}
