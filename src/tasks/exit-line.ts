// What a protective task has closed, in one line.
import { Decimal } from 'decimal.js'
import { stepAt } from '../exchange/price-grid.ts'
import { showAmount, showAverage } from '../trading/figures.ts'
import { exitSide, type HeldSide } from './held-position.ts'
import type { TaskFacts } from './task-kind.ts'

/** `sold 0.5 BTCUSDT at 64,350`; undefined where nothing has filled. Without the price where the venue has not said it. */
export function exitLine({ filled, cost, market }: TaskFacts, side: HeldSide): string | undefined {
  const amount = new Decimal(filled)
  if (amount.isZero()) return undefined
  const what = `${exitSide(side) === 'sell' ? 'sold' : 'bought'} ${showAmount(amount)} ${market.symbol}`
  if (market.amountUnit === 'quote' || new Decimal(cost).isZero()) return what
  const average = new Decimal(cost).div(amount)
  return `${what} at ${showAverage(average, stepAt(average, market.priceGrid))}`
}
