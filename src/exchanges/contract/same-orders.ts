import type { Order } from '../../exchange/order.ts'
import { expect } from './expect.ts'

/** Some venues' acknowledgements have no time: until the order is asked for it has the time at which they came. */
const TIMES_APART_MS = 1_000

export function expectSame(orders: readonly Order[], wanted: readonly Order[]): void {
  expect(orders.map(untimed)).toEqual(wanted.map(untimed))
  for (const [index, { timestamp }] of orders.entries()) {
    expect(Math.abs(timestamp - (wanted[index]?.timestamp ?? 0))).toBeLessThan(TIMES_APART_MS)
  }
}

function untimed({ timestamp: _, ...order }: Order): Omit<Order, 'timestamp'> {
  return order
}
