// Orders as ccxt returns them, as ours: our symbol, amounts in base or quote, our client order id where it is ours.

import * as z from 'zod/mini'
import { defined } from '../../base/defined.ts'
import {
  isTriggerType,
  type Order,
  type OrderRequest,
  type OrderStatus,
  type OrderType,
  orderKey,
  type Trade,
} from '../../exchange/order.ts'
import { Decimal, decimalText, figure, idWord, isPositive, moment, word } from './decimals.ts'
import { fromContracts, type MarketBook, type VenueMarket } from './markets.ts'
import type { ClientOrderIdForm, FillHints, OrderHints, StatusMeaning, VenueProfile } from './profile.ts'

const truth = z.pipe(
  z.unknown(),
  z.transform((value: unknown) => value === true || value === 'true'),
)

const ccxtOrder = z.object({
  id: z.optional(idWord),
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
type CcxtOrder = z.output<typeof ccxtOrder>
type Info = Readonly<Record<string, unknown>>
/** A row with what the venue's own fields say better. */
type HintedOrder = CcxtOrder & Pick<OrderHints, 'isPair' | 'closesPosition'>

/** What reading a row needs of the account. */
export interface OrderReading extends Pick<VenueProfile, 'statusOf' | 'causeOf' | 'averageInFills'> {
  readonly markets: MarketBook
  readonly clientOrderIds: ClientOrderIdForm
  readonly now: () => number
  readonly hintsOf?: ((info: Info) => OrderHints) | undefined
  readonly fillHintsOf?: ((info: Info) => FillHints) | undefined
}

/** @returns undefined for what is not an order of this account's markets */
export function readOrder(row: unknown, reading: OrderReading, known?: Partial<Order>): Order | undefined {
  const read = readRow(row, reading, known)
  return 'unread' in read ? undefined : read
}

/** What a row lacks, or has that nothing here knows. */
export interface Unread {
  readonly unread: string
}

export function readRow(row: unknown, reading: OrderReading, known?: Partial<Order>): Order | Unread {
  const read = z.safeParse(ccxtOrder, row)
  if (!read.success) return { unread: 'it has no fields' }
  const info = isFields(read.data.info) ? read.data.info : {}
  const hints = reading.hintsOf?.(info) ?? {}
  if (hints.unread !== undefined) return { unread: hints.unread }
  const order = withHints(read.data, hints)
  const market = order.symbol === undefined ? marketOf(known, reading.markets) : reading.markets.bySymbol(order.symbol)
  const side = sideOf(order.side) ?? known?.side
  const id = order.id ?? known?.id
  if (id === undefined) return { unread: 'it has no id' }
  if (market === undefined) return { unread: 'it has no symbol' }
  if (side === undefined) return { unread: 'it has no side' }
  const meaning = reading.statusOf?.(info) ?? meaningIn(order.status)
  if (meaning === 'unlisted') return { unread: 'its status is not known' }
  const built = build(order, { id, side, market, meaning }, reading, known)
  if (built === undefined) return { unread: 'it has no amount' }
  const cause = reading.causeOf?.(info)
  return cause === undefined ? built : { ...built, cause }
}

export function isFields(info: unknown): info is Info {
  return typeof info === 'object' && info !== null
}

/** What ccxt leaves out, or reads otherwise, from the venue's own row. */
function withHints(row: CcxtOrder, hints: OrderHints): HintedOrder {
  // Stops that come with an order do not make a trigger order of it.
  const order = {
    ...row,
    ...(hints.isAttached === true && { stopLossPrice: undefined, takeProfitPrice: undefined }),
    ...(hints.isTriggerAlone === true && { timeInForce: undefined }),
  }
  const trigger = [order.triggerPrice, decimalText(hints.triggerPrice)].find(isPositive)
  const isTakeProfit = hints.isTakeProfit === true
  const given = defined({
    id: hints.id,
    type: hints.type,
    side: hints.side,
    clientOrderId: hints.clientOrderId,
    price: [order.price, decimalText(hints.price)].find(isPositive),
    triggerPrice: trigger,
    takeProfitPrice:
      decimalText(hints.takeProfitPrice) ?? (isTakeProfit ? (order.takeProfitPrice ?? trigger) : undefined),
    amount: [decimalText(hints.amount)].find(isPositive),
    filled: decimalText(hints.filled),
    isPair: hints.isPair,
    closesPosition: hints.closesPosition,
  })
  const reduceOnly = order.reduceOnly === true || hints.reduceOnly === true || hints.closesPosition === true
  return { ...order, ...given, reduceOnly }
}

function marketOf(known: Partial<Order> | undefined, markets: MarketBook): VenueMarket | undefined {
  return known?.symbol === undefined ? undefined : markets.byName(known.symbol)
}

interface Named {
  readonly id: string
  readonly side: Order['side']
  readonly market: VenueMarket
  readonly meaning: StatusMeaning | undefined
}

function build(
  order: HintedOrder,
  { id, side, market, meaning }: Named,
  { clientOrderIds, now, averageInFills = false }: OrderReading,
  known: Partial<Order> | undefined,
): Order | undefined {
  const trigger = [order.triggerPrice, order.stopLossPrice, order.takeProfitPrice, known?.triggerPrice].find(isPositive)
  const type = known?.type ?? typeOf(order, trigger !== undefined)
  const amounts = amountsOf(order, market, known, meaning)
  if (amounts === undefined) return undefined
  const ours = order.clientOrderId === undefined ? undefined : clientOrderIds.fromVenue(order.clientOrderId)
  const price = [order.price, known?.price].find(isPositive)
  const takeProfit = [order.isPair === true ? order.takeProfitPrice : undefined, known?.takeProfitPrice].find(
    isPositive,
  )
  return {
    id,
    ...defined({ clientOrderId: ours ?? known?.clientOrderId }),
    symbol: market.market.symbol,
    side,
    type,
    ...amounts,
    ...defined({
      price: type === 'limit' || type === 'stop-limit' ? price : undefined,
      triggerPrice: isTriggerType(type) ? trigger : undefined,
      takeProfitPrice: isTriggerType(type) ? takeProfit : undefined,
      average: averageOf(order, amounts.filled, averageInFills),
      closesPosition: order.closesPosition,
    }),
    reduceOnly: order.reduceOnly === true || known?.reduceOnly === true,
    postOnly: order.postOnly === true || known?.postOnly === true,
    status: statusOf(order, amounts, meaning),
    timestamp: order.timestamp ?? known?.timestamp ?? now(),
  }
}

interface Amounts {
  readonly amount: string
  readonly filled: string
  readonly remaining: string
}

/** Two of the three make the third. An acknowledgement may have none: then what was asked for, with nothing filled. */
function amountsOf(
  order: HintedOrder,
  market: VenueMarket,
  known: Partial<Order> | undefined,
  meaning: StatusMeaning | undefined,
): Amounts | undefined {
  const contracts = (text: string | undefined) => (text === undefined ? undefined : fromContracts(text, market))
  const filled = contracts(filledOf(order, meaning)) ?? known?.filled ?? '0'
  if (order.closesPosition === true) return { amount: filled, filled, remaining: '0' }
  const remaining = contracts(order.remaining)
  const sum = remaining === undefined ? undefined : new Decimal(filled).plus(remaining).toFixed()
  const amount = [contracts(order.amount), known?.amount, sum].find(isPositive)
  if (amount === undefined) return undefined
  const rest = Decimal.max(new Decimal(amount).minus(filled), 0).toFixed()
  return { amount, filled, remaining: rest }
}

/** Of an order that it takes for closed, and that says nothing of what has filled, ccxt says all: the row of a trigger that fired is such. */
function filledOf({ filled, status }: HintedOrder, meaning: StatusMeaning | undefined): string | undefined {
  return meaning === 'triggered' && status === 'closed' ? undefined : filled
}

/** Where the fills say it, the price of a market order is how far it might have gone. */
function averageOf({ average, price, type }: HintedOrder, filled: string, isInFills: boolean): string | undefined {
  if (!isPositive(filled)) return undefined
  return [average, type === 'market' && !isInFills ? price : undefined].find(isPositive)
}

function sideOf(side: string | undefined): Order['side'] | undefined {
  return side === 'buy' || side === 'sell' ? side : undefined
}

/** A trigger order that the venue does not name is a stop: which side of the price it waits on cannot be seen from one row. */
function typeOf({ type, price, takeProfitPrice, isPair = false }: HintedOrder, hasTrigger: boolean): OrderType {
  const name = type?.toLowerCase() ?? ''
  if (!hasTrigger) return name.includes('market') ? 'market' : 'limit'
  if (!isPair && (isPositive(takeProfitPrice) || /take/.test(name))) return 'take-profit'
  return isPositive(price) && !name.includes('market') ? 'stop-limit' : 'stop'
}

/** Of a venue without a table of its words: as ccxt reads them, in its few. What it does not know it passes on. */
function meaningIn(status: string | undefined): StatusMeaning | 'unlisted' | undefined {
  switch (status) {
    case undefined:
      return undefined
    case 'canceling':
      return 'canceled'
    case 'open':
    case 'closed':
    case 'canceled':
    case 'rejected':
    case 'expired':
      return status
    default:
      return 'unlisted'
  }
}

/** What takes liquidity at once or not at all cannot be canceled by anybody: the venue has ended it by its own rules. */
function statusOf(
  { timeInForce, closesPosition }: HintedOrder,
  { filled, remaining }: Amounts,
  meaning: StatusMeaning | undefined,
): OrderStatus {
  const isAtOnce = timeInForce === 'IOC' || timeInForce === 'FOK'
  const isWhole = isPositive(filled) && !isPositive(remaining) && closesPosition !== true
  switch (meaning) {
    case 'closed':
    case 'triggered':
      return isPositive(remaining) && !isPositive(filled) ? 'canceled' : 'closed'
    case 'canceled':
      if (isWhole) return 'closed'
      return isAtOnce ? 'expired' : 'canceled'
    case 'rejected':
    case 'expired':
      return meaning
    default:
      return isWhole ? 'closed' : 'open'
  }
}

/** What is known of an order that was asked for, before the venue reports more. */
export function expectedOrder(request: OrderRequest): Partial<Order> {
  const { clientOrderId, symbol, side, type, amount, price, reduceOnly, postOnly } = request
  const { triggerPrice, takeProfitPrice } = request
  return {
    clientOrderId,
    symbol,
    side,
    type,
    amount,
    ...defined({ price, triggerPrice, takeProfitPrice, reduceOnly, postOnly }),
  }
}

// Fills as ccxt returns them, as ours.

const ccxtTrade = z.object({
  id: z.optional(idWord),
  order: z.optional(idWord),
  symbol: z.optional(word),
  side: z.optional(word),
  amount: z.optional(figure),
  price: z.optional(figure),
  takerOrMaker: z.optional(word),
  timestamp: z.optional(moment),
  fee: z.optional(z.nullable(z.object({ cost: z.optional(figure), currency: z.optional(word) }))),
  info: z.optional(z.unknown()),
})

/** Where venues write what a fill realised. */
const REALIZED = ['realizedPnl', 'execPnl', 'fillPnl', 'closedPnl', 'profit', 'profit_loss', 'realizedPNL']
const CLIENT_IDS = [
  'clientOrderId',
  'orderLinkId',
  'clOrdId',
  'algoClOrdId',
  'cloid',
  'clientOid',
  'cliOrdId',
  'text',
  'label',
]

/** @returns undefined for what is not a fill of this account's markets */
export function readTrade(row: unknown, reading: OrderReading): Trade | undefined {
  const read = z.safeParse(ccxtTrade, row)
  if (!read.success) return undefined
  const { id, order, symbol, side, amount, price, takerOrMaker, timestamp, fee, info } = read.data
  const market = symbol === undefined ? undefined : reading.markets.bySymbol(symbol)
  if (market === undefined || id === undefined || order === undefined || timestamp === undefined) return undefined
  if (side !== 'buy' && side !== 'sell') return undefined
  const hints = isFields(info) ? reading.fillHintsOf?.(info) : undefined
  const filled = [amount, decimalText(hints?.amount)].find(isPositive)
  if (filled === undefined || !isPositive(price)) return undefined
  const reported = hints?.clientOrderId ?? fieldIn(info, CLIENT_IDS)
  const paid = decimalText(hints?.fee) ?? fee?.cost
  const realizedPnl = market.market.kind === 'spot' ? undefined : (hints?.realizedPnl ?? figureIn(info, REALIZED))
  return {
    id,
    orderId: hints?.orderId ?? order,
    ...defined({ clientOrderId: reported === undefined ? undefined : reading.clientOrderIds.fromVenue(reported) }),
    symbol: market.market.symbol,
    side,
    amount: fromContracts(filled, market),
    price,
    ...(paid === undefined ? {} : defined({ fee: paid, feeCurrency: fee?.currency })),
    ...(takerOrMaker === 'taker' || takerOrMaker === 'maker' ? { takerOrMaker } : {}),
    ...defined({ realizedPnl, cause: hints?.cause }),
    timestamp,
  }
}

/** Oldest first, each once; the newest `limit`. */
export function inOrder(trades: readonly Trade[], limit: number): readonly Trade[] {
  const once = [...new Map(trades.map((trade) => [orderKey(trade.symbol, trade.id), trade])).values()]
  return once.sort((left, right) => left.timestamp - right.timestamp || compareIds(left.id, right.id)).slice(-limit)
}

/** Of one millisecond: by number where they are numbers. */
function compareIds(left: string, right: string): number {
  if (/^\d+$/.test(left) && /^\d+$/.test(right)) return new Decimal(left).cmp(right)
  return left < right ? -1 : left > right ? 1 : 0
}

function fieldIn(info: unknown, names: readonly string[]): string | undefined {
  if (!isFields(info)) return undefined
  const found = names.map((name) => info[name]).find((value) => typeof value === 'string' && value !== '')
  return typeof found === 'string' ? found : undefined
}

function figureIn(info: unknown, names: readonly string[]): string | undefined {
  const text = fieldIn(info, names)
  return text === undefined ? undefined : z.parse(figure, text)
}
