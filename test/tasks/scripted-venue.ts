// What stands in for a venue's answers in a test of a kind of task.
import { Decimal } from 'decimal.js'
import { defined } from '../../src/base/defined.ts'
import type { Capabilities } from '../../src/exchange/exchange.ts'
import type { Market, Ticker } from '../../src/exchange/market.ts'
import type { Order } from '../../src/exchange/order.ts'
import type { TaskOrder } from '../../src/tasks/task-kind.ts'

export const BTC: Market = {
  symbol: 'BTCUSDT',
  kind: 'linear',
  base: 'BTC',
  quote: 'USDT',
  settle: 'USDT',
  amountUnit: 'base',
  priceGrid: { kind: 'tick', tick: '0.1' },
  lotSize: '0.001',
  minAmount: '0.001',
  minNotional: '5',
  active: true,
}

export const ABLE: Capabilities = {
  orderTypes: ['market', 'limit', 'stop'],
  timeInForce: ['gtc', 'ioc', 'fok'],
  postOnly: true,
  reduceOnly: true,
  editOrder: true,
  setLeverage: true,
}

/** The order as the venue has it. */
export function venueOrder(now: number, { step, plan, filled, order }: TaskOrder, status: Order['status']): Order {
  const amount = order?.amount ?? plan.amount
  const price = order?.price ?? plan.price
  return {
    id: `p${step}`,
    symbol: plan.symbol,
    side: plan.side,
    type: plan.type,
    amount,
    filled,
    status,
    remaining: new Decimal(amount).minus(filled).toFixed(),
    timestamp: now,
    reduceOnly: plan.reduceOnly === true,
    postOnly: plan.postOnly === true,
    ...defined({ price }),
  }
}

export function tickerAt(symbol: string, bid: string, ask: string, timestamp: number): Ticker {
  return { symbol, bid, ask, last: bid, timestamp }
}
