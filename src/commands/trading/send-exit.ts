// An exit at the market, sent, and told to be whole or not.
import { Decimal } from 'decimal.js'
import type { Market } from '../../exchange/market.ts'
import type { Size } from '../../language/size.ts'
import { showAmount } from '../../trading/figures.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import type { OrderPlan } from '../../trading/order-plan.ts'
import type { CommandContext } from '../kit/command.ts'
import { CommandError } from '../kit/command-error.ts'
import { cutLine, tellOrders } from '../kit/order-lines.ts'

/** Of an exit that names no size. */
export const WHOLE: Size = { kind: 'percent', percent: '100', of: 'position' }

export interface PlannedExit {
  readonly market: Market
  readonly plan: OrderPlan
  readonly cutFrom?: string
}

/** @throws {CommandError} `partly-closed` */
export async function sendExit(
  context: CommandContext,
  account: TradingAccount,
  { market, plan, cutFrom }: PlannedExit,
): Promise<void> {
  const { symbol, amount } = plan
  const by = { ...context.orderedBy(), closes: true } as const
  const { filled } = await account.orders.place(plan, by, tellOrders(context))
  if (cutFrom !== undefined) context.out.info(cutLine(cutFrom, market))
  if (new Decimal(filled).gte(amount)) return
  throw new CommandError('partly-closed', `${showAmount(filled)} of ${showAmount(amount)} ${symbol} closed`, {
    hint: '`close` again: the book held no more',
  })
}
