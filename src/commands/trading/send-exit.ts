// An exit at the market, sent, and told to be whole or not.
import { Decimal } from 'decimal.js'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Market } from '../../exchange/market.ts'
import { type Order, refOf } from '../../exchange/order.ts'
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
  /** All that is held of the symbol. */
  readonly isWhole?: boolean
}

/** An exit at the market ends at once; some venues acknowledge it first. Pauses before each question, in ms. */
const PAUSES_MS = [50, 100, 250, 500, 1_000, 2_000, 4_000]

/** @throws {CommandError} `partly-closed` */
export async function sendExit(
  context: CommandContext,
  account: TradingAccount,
  { market, plan, cutFrom, isWhole = false }: PlannedExit,
): Promise<void> {
  const { symbol, amount, side } = plan
  const by = { ...context.orderedBy(), closes: true } as const
  const placed = await account.orders.place(plan, by, tellOrders(context))
  const { filled, status } = await ended(context, account, placed)
  if (cutFrom !== undefined) context.out.info(cutLine(cutFrom, market))
  if (new Decimal(filled).gte(amount))
    return isWhole ? account.orders.exited({ symbol, side }, tellOrders(context)) : undefined
  throw new CommandError('partly-closed', `${showAmount(filled)} of ${showAmount(amount)} ${symbol} closed`, {
    hint: status === 'open' ? '`orders` shows the rest: it is still open' : '`close` again: the book held no more',
  })
}

/** An order at the market as it ended, or as it was last known where the venue does not say so in time. */
export async function ended(
  { clock, signal }: CommandContext,
  { venue }: TradingAccount,
  order: Order,
): Promise<Order> {
  let known = order
  for (const ms of PAUSES_MS) {
    if (known.status !== 'open' || signal.aborted) return known
    await clock.delay(ms, signal)
    known = await venue.fetchOrder(refOf(order)).catch((error: unknown) => {
      if (error instanceof ExchangeError) return known
      throw error
    })
  }
  return known
}
