// Orders as ccxt tells them, as ours: our symbol, amounts in base or quote, our client order id where it is ours.
import * as z from 'zod/mini'
import type { Order, OrderRequest, OrderStatus, OrderType } from '../../exchange/order.ts'
import { isTriggerType } from '../../exchange/order.ts'
import { fromContracts } from './amounts.ts'
import type { ClientOrderIdForm } from './client-order-ids.ts'
import { Decimal, decimalText, figure, isPositive, moment, word } from './decimals.ts'
import { type MarketBook, present, type VenueMarket } from './markets.ts'
import type { FillHints, OrderHints } from './profile.ts'

const truth = z.pipe(
  z.unknown(),
  z.transform((value: unknown) => value === true || value === 'true'),
)

const ccxtOrder = z.object({
  id: z.optional(word),
  clientOrderId: z.optional(word),
  symbol: z.optional(word),
  side: z.optional(word),
  type: z.optional(word),
  status: z.optional(word),
  timeInForce: z.optional(word),
  amount: z.optional(figure),
  filled: z.optional(figure),
  remaining: z.optional(figure),
  price: z.optional(figure),
  average: z.optional(figure),
  triggerPrice: z.optional(figure),
  stopLossPrice: z.optional(figure),
  takeProfitPrice: z.optional(figure),
  reduceOnly: z.optional(truth),
  postOnly: z.optional(truth),
  timestamp: z.optional(moment),
  info: z.optional(z.unknown()),
})
export type CcxtOrder = z.output<typeof ccxtOrder> & { readonly isPair?: boolean }

/** What reading a row needs of the account. */
export interface OrderReading {
  readonly markets: MarketBook
  readonly clientOrderIds: ClientOrderIdForm
  readonly now: () => number
  readonly hintsOf?: ((info: Readonly<Record<string, unknown>>) => OrderHints) | undefined
  readonly fillHintsOf?: ((info: Readonly<Record<string, unknown>>) => FillHints) | undefined
}

/** @returns undefined for what is not an order of this account's markets */
export function readOrder(row: unknown, reading: OrderReading, known?: Partial<Order>): Order | undefined {
  const read = z.safeParse(ccxtOrder, row)
  if (!read.success) return undefined
  const order = withHints(read.data, reading)
  const market = order.symbol === undefined ? marketOf(known, reading.markets) : reading.markets.bySymbol(order.symbol)
  const side = sideOf(order.side) ?? known?.side
  const id = order.id ?? known?.id
  if (market === undefined || side === undefined || id === undefined) return undefined
  return build(order, { id, side, market }, reading, known)
}

/** What ccxt leaves out, from the venue's own row. */
function withHints(order: CcxtOrder, { hintsOf }: OrderReading): CcxtOrder {
  if (hintsOf === undefined || typeof order.info !== 'object' || order.info === null) return order
  const hints = hintsOf(order.info as Readonly<Record<string, unknown>>)
  const trigger = [order.triggerPrice, decimalText(hints.triggerPrice)].find(isPositive)
  const price = [order.price, decimalText(hints.price)].find(isPositive)
  return {
    ...order,
    id: hints.id ?? order.id,
    type: hints.type ?? order.type,
    clientOrderId: order.clientOrderId ?? hints.clientOrderId,
    reduceOnly: order.reduceOnly === true || hints.reduceOnly === true,
    ...(price === undefined ? {} : { price }),
    ...(trigger === undefined ? {} : { triggerPrice: trigger }),
    ...(hints.isPair === true ? { isPair: true } : {}),
    ...(hints.isTakeProfit === true ? { takeProfitPrice: order.takeProfitPrice ?? trigger } : {}),
  }
}

function marketOf(known: Partial<Order> | undefined, markets: MarketBook): VenueMarket | undefined {
  return known?.symbol === undefined ? undefined : markets.byName(known.symbol)
}

function build(
  order: CcxtOrder,
  { id, side, market }: { readonly id: string; readonly side: Order['side']; readonly market: VenueMarket },
  { clientOrderIds, now }: OrderReading,
  known: Partial<Order> | undefined,
): Order | undefined {
  const trigger = [order.triggerPrice, order.stopLossPrice, order.takeProfitPrice, known?.triggerPrice].find(isPositive)
  const type = known?.type ?? typeOf(order, trigger !== undefined)
  const amounts = amountsOf(order, market, known)
  if (amounts === undefined) return undefined
  const ours = order.clientOrderId === undefined ? undefined : clientOrderIds.fromVenue(order.clientOrderId)
  const price = [order.price, known?.price].find(isPositive)
  const takeProfit = [order.isPair === true ? order.takeProfitPrice : undefined, known?.takeProfitPrice].find(
    isPositive,
  )
  return {
    id,
    ...present({ clientOrderId: ours ?? known?.clientOrderId }),
    ...{ symbol: market.market.symbol, side, type, ...amounts },
    ...present({
      price: type === 'limit' || type === 'stop-limit' ? price : undefined,
      triggerPrice: isTriggerType(type) ? trigger : undefined,
      takeProfitPrice: isTriggerType(type) ? takeProfit : undefined,
      average: averageOf(order, amounts.filled),
    }),
    reduceOnly: order.reduceOnly === true || known?.reduceOnly === true,
    postOnly: order.postOnly === true || known?.postOnly === true,
    status: statusOf(order, amounts),
    timestamp: order.timestamp ?? known?.timestamp ?? now(),
  }
}

interface Amounts {
  readonly amount: string
  readonly filled: string
  readonly remaining: string
}

/** Two of the three make the third. An acknowledgement may have none: then what was asked for, with nothing filled. */
function amountsOf(order: CcxtOrder, market: VenueMarket, known: Partial<Order> | undefined): Amounts | undefined {
  const contracts = (text: string | undefined) => (text === undefined ? undefined : fromContracts(text, market))
  const filled = contracts(order.filled) ?? known?.filled ?? '0'
  const remaining = contracts(order.remaining)
  const sum = remaining === undefined ? undefined : new Decimal(filled).plus(remaining).toFixed()
  const amount = [contracts(order.amount), known?.amount, sum].find(isPositive)
  if (amount === undefined) return undefined
  const rest = Decimal.max(new Decimal(amount).minus(filled), 0).toFixed()
  return { amount, filled, remaining: rest }
}

function averageOf({ average, price, type }: CcxtOrder, filled: string): string | undefined {
  if (!isPositive(filled)) return undefined
  return [average, type === 'market' ? price : undefined].find(isPositive)
}

function sideOf(side: string | undefined): Order['side'] | undefined {
  return side === 'buy' || side === 'sell' ? side : undefined
}

/** A trigger order that the venue does not name is a stop: which side of the price it waits on cannot be seen from one row. */
function typeOf({ type, price, takeProfitPrice, isPair = false }: CcxtOrder, hasTrigger: boolean): OrderType {
  const name = type?.toLowerCase() ?? ''
  if (!hasTrigger) return name.includes('market') ? 'market' : 'limit'
  if (!isPair && (isPositive(takeProfitPrice) || /take/.test(name))) return 'take-profit'
  return isPositive(price) && !name.includes('market') ? 'stop-limit' : 'stop'
}

/** What takes liquidity at once or not at all cannot be canceled by anybody: the venue has ended it by its own rules. */
function statusOf({ status, timeInForce }: CcxtOrder, { filled, remaining }: Amounts): OrderStatus {
  const isAtOnce = timeInForce === 'IOC' || timeInForce === 'FOK'
  switch (status) {
    case 'closed':
      return isPositive(remaining) && !isPositive(filled) ? 'canceled' : 'closed'
    case 'canceled':
    case 'canceling':
      return isAtOnce ? 'expired' : 'canceled'
    case 'rejected':
    case 'expired':
      return status
    default:
      return isPositive(filled) && !isPositive(remaining) ? 'closed' : 'open'
  }
}

/** What is known of an order that was asked for, before the venue says more. */
export function expectedOrder(request: OrderRequest): Partial<Order> {
  const { clientOrderId, symbol, side, type, amount, price, reduceOnly, postOnly } = request
  const { triggerPrice, takeProfitPrice } = request
  return {
    ...{ clientOrderId, symbol, side, type, amount },
    ...present({ price, triggerPrice, takeProfitPrice, reduceOnly, postOnly }),
  }
}
