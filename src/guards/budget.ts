// What the orders of one fire may be worth together (behaviour 47).
import { Decimal } from 'decimal.js'
import type { OrderBudget } from '../exchange/exchange.ts'
import { showMoney } from '../trading/figures.ts'
import { GuardedError } from './guarded-error.ts'

/** @param value of the order; undefined: not known @throws {GuardedError} it is too much, or not known to be little enough */
export function takeOf(
  budget: OrderBudget | undefined,
  { account, id }: { readonly account: string; readonly id: string },
  value: Decimal | undefined,
): void {
  if (budget === undefined || (value !== undefined && budget.take(id, value.toFixed()))) return
  const { max, spent } = budget
  const worth = value === undefined ? 'is worth what is not known in dollars' : `is worth ${showMoney(value)}`
  const before = new Decimal(spent).isZero() ? '' : `, after ${showMoney(spent)} before it`
  const message = `the order ${worth}${before}, and a fire of this hook may order ${showMoney(max)} (--max)`
  throw new GuardedError(account, message, '`hook edit <name> --max` changes it, in the terminal')
}
