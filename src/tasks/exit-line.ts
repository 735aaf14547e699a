// What the orders of a protective task have closed, in one line.
import { Decimal } from 'decimal.js'
import { stepAt } from '../exchange/price-grid.ts'
import { showAmount, showAverage } from '../trading/figures.ts'
import type { TaskFacts } from './task-kind.ts'

/** `sold 0.5 BTCUSDT at 64,350`; undefined where nothing has filled. The price is left out where the venue has not said it. */
export function exitLine({ orders, market }: TaskFacts, ...tags: readonly string[]): string | undefined {
  const filled = orders.filter(({ tag, filled }) => tags.includes(tag) && new Decimal(filled).gt(0))
  const [first] = filled
  if (first === undefined) return undefined
  const amount = filled.reduce((sum, each) => sum.plus(each.filled), new Decimal(0))
  const what = `${first.plan.side === 'sell' ? 'sold' : 'bought'} ${showAmount(amount)} ${market.symbol}`
  const priced = filled.filter(({ order }) => order?.average !== undefined)
  if (priced.length < filled.length) return what
  const cost = priced.reduce(
    (sum, each) => sum.plus(new Decimal(each.filled).times(each.order?.average ?? 0)),
    new Decimal(0),
  )
  const average = cost.div(amount)
  return `${what} at ${showAverage(average, stepAt(average, market.priceGrid))}`
}
