// Ordering at a venue the way tests like it: a new client order id each time, and an outcome that is an order or is thrown.
import type { Exchange } from '../../src/exchange/exchange.ts'
import type { Balance, Order, OrderRequest } from '../../src/exchange/order.ts'

let made = 0

/** 32 hexadecimal characters, new in this process. */
export function newOrderId(): string {
  made += 1
  return made.toString(16).padStart(32, '0')
}

export type Wanted = Omit<OrderRequest, 'clientOrderId'> & Partial<Pick<OrderRequest, 'clientOrderId'>>

/** @throws {ExchangeError} what the outcome holds, unless it is `placed` */
export async function place(exchange: Exchange, wanted: Wanted): Promise<Order> {
  const outcome = await exchange.createOrder({ clientOrderId: newOrderId(), ...wanted })
  if (outcome.kind === 'placed') return outcome.order
  throw outcome.error
}

/** The balance of an account that holds one currency. */
export async function balanceOf(exchange: Exchange): Promise<Balance> {
  const [balance, ...others] = await exchange.fetchBalances()
  if (balance === undefined || others.length > 0) throw new Error(`the account holds ${others.length + 1} currencies`)
  return balance
}
