import { defined } from '../../base/defined.ts'
import type { Market } from '../../exchange/market.ts'
import { stepAt } from '../../exchange/price-grid.ts'
import type { MarketRow } from '../../protocol/frames.ts'

/** @param last its price, where one is known: a grid of significant digits has no step without it */
export function marketRowOf(market: Market, last: string | undefined): MarketRow {
  const { symbol, kind, base, quote, settle, amountUnit, priceGrid, lotSize, minAmount, minNotional } = market
  const { maxLeverage, makerFee, takerFee } = market
  const tick = priceGrid.kind === 'tick' ? priceGrid.tick : last && stepAt(last, priceGrid).toFixed()
  return {
    symbol,
    kind,
    base,
    quote,
    amountUnit,
    lotSize,
    minAmount,
    ...defined({ settle, tick, minNotional, maxLeverage, makerFee, takerFee }),
  }
}
