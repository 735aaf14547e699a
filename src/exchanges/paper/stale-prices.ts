// A price that is not of now is not a price to trade at (behaviour 38).
import { ExchangeError } from '../../exchange/exchange-error.ts'

export function stalePrices(symbol: string): ExchangeError {
  return new ExchangeError('unavailable', `the prices of ${symbol} are stale: nothing was heard of them lately`, {
    hint: 'wait until the venue is heard again',
  })
}
