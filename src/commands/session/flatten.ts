// `halt --flatten`: every order of an account is taken back and every position closed at the market. One that cannot be closed keeps no other
// open, and is named (behaviour 40).
import { Decimal } from 'decimal.js'
import type { Market } from '../../exchange/market.ts'
import type { Position } from '../../exchange/order.ts'
import { printable } from '../../language/printable.ts'
import { showAmount } from '../../trading/figures.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import type { OrderPlan } from '../../trading/order-plan.ts'
import type { CommandContext } from '../kit/command.ts'
import { tellOrders } from '../kit/order-lines.ts'
import { describeRefusal, isRefusal } from '../kit/refusal.ts'

/** @returns what is not done, one line each */
export async function flatten(context: CommandContext<'connect'>, name: string): Promise<readonly string[]> {
  const left: string[] = []
  /** @returns undefined when it was refused */
  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      if (!isRefusal(error)) throw error
      left.push(`account ${printable(name, 40)}: ${what}: ${describeRefusal(error)}`)
      return undefined
    }
  }
  const account = await attempt('not reached', () => context.ports.connect(name))
  if (account === undefined) return left
  await attempt('its orders were not all canceled', () => cancelAll(context, account))
  const positions = await attempt('its positions are not known', () => account.venue.fetchPositions())
  const markets = (await attempt('its markets are not known', () => account.venue.loadMarkets())) ?? []
  const closing = (positions ?? []).map((position) => {
    const market = markets.find(({ symbol }) => symbol === position.symbol)
    return attempt(`${position.symbol} was not closed`, () => close(context, account, position, market))
  })
  await Promise.all(closing)
  const open = await attempt('what is still open is not known', () => account.venue.fetchPositions())
  for (const { side, amount, symbol } of open ?? []) {
    left.push(`account ${printable(name, 40)}: still ${side} ${showAmount(amount)} ${symbol}`)
  }
  return left
}

async function cancelAll(context: CommandContext<'connect'>, account: TradingAccount): Promise<void> {
  await account.orders.recover()
  const canceled = await account.orders.cancelAll(undefined, { ...context.orderedBy(), flattens: true })
  if (canceled.length > 0) {
    context.out.success(
      `account ${printable(account.name, 40)}: canceled ${canceled.length === 1 ? '1 order' : `${canceled.length} orders`}`,
    )
  }
}

/** In as many orders as the venue wants for it. */
async function close(
  context: CommandContext<'connect'>,
  account: TradingAccount,
  { symbol, side, amount }: Position,
  market: Market | undefined,
): Promise<void> {
  const largest = new Decimal(market?.marketMaxAmount ?? market?.maxAmount ?? amount)
  let rest = new Decimal(amount)
  while (rest.gt(0)) {
    const part = Decimal.min(rest, largest)
    const plan: OrderPlan = {
      ...{ symbol, side: side === 'long' ? 'sell' : 'buy', type: 'market', amount: part.toFixed(), reduceOnly: true },
    }
    const by = { ...context.orderedBy(), flattens: true } as const
    const { filled } = await account.orders.place(plan, by, tellOrders(context))
    // The book held no more: what is left is named at the end.
    if (new Decimal(filled).lt(part)) return
    rest = rest.minus(part)
  }
}
