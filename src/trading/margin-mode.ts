import type { Exchange, OrderContext } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'

/** @throws {ExchangeError} as `Exchange.setMarginMode`; `not-supported` where the venue has one mode */
export async function setMarginMode(
  exchange: Exchange,
  symbol: string,
  mode: 'cross' | 'isolated',
  context: OrderContext,
): Promise<void> {
  if (exchange.setMarginMode !== undefined && exchange.capabilities.setMarginMode === true) {
    return exchange.setMarginMode(symbol, mode, context)
  }
  throw new ExchangeError('not-supported', `the margin mode of ${exchange.id} cannot be set`)
}
