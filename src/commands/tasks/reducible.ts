// How much of a position a task may take away.
import { Decimal } from 'decimal.js'
import type { Side } from '../../exchange/order.ts'
import { amountOnLot } from '../../exchange/price-grid.ts'
import type { MarketView } from '../../trading/market-view.ts'
import { noPosition } from '../../trading/trading-error.ts'
import { CommandError } from '../kit/errors.ts'

/** The amount, or as much as there is of the position. @throws {TradingError} `no-position` @throws {CommandError} `bad-argument` */
export function reducible(side: Side, amount: string, { market, position }: MarketView): string {
  if (position === undefined) throw noPosition(market.symbol)
  if ((position.side === 'long') === (side === 'sell')) {
    return amountOnLot(Decimal.min(amount, position.amount), market).toFixed()
  }
  throw new CommandError('bad-argument', `to ${side} adds to the ${position.side} on ${market.symbol}`, {
    hint: `type ${side === 'buy' ? 'sell' : 'buy'}, or leave out reduce`,
  })
}
