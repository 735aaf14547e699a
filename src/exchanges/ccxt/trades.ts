// Fills as ccxt tells them, as ours.
import * as z from 'zod/mini'
import { symbolKey, type Trade } from '../../exchange/order.ts'
import { fromContracts } from './amounts.ts'
import { Decimal, decimalText, figure, idWord, isPositive, moment, word } from './decimals.ts'
import { present } from './markets.ts'
import type { OrderReading } from './orders.ts'

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
  const told = hints?.clientOrderId ?? fieldIn(info, CLIENT_IDS)
  const paid = decimalText(hints?.fee) ?? fee?.cost
  const realizedPnl = market.market.kind === 'spot' ? undefined : (hints?.realizedPnl ?? figureIn(info, REALIZED))
  return {
    id,
    orderId: hints?.orderId ?? order,
    ...present({ clientOrderId: told === undefined ? undefined : reading.clientOrderIds.fromVenue(told) }),
    symbol: market.market.symbol,
    side,
    amount: fromContracts(filled, market),
    price,
    ...(paid === undefined ? {} : present({ fee: paid, feeCurrency: fee?.currency })),
    ...(takerOrMaker === 'taker' || takerOrMaker === 'maker' ? { takerOrMaker } : {}),
    ...present({ realizedPnl, cause: hints?.cause }),
    timestamp,
  }
}

/** Oldest first, each once; the newest `limit`. */
export function inOrder(trades: readonly Trade[], limit: number): readonly Trade[] {
  const once = [...new Map(trades.map((trade) => [symbolKey(trade.symbol, trade.id), trade])).values()]
  return once.sort((left, right) => left.timestamp - right.timestamp || compareIds(left.id, right.id)).slice(-limit)
}

/** Of one millisecond: by number where they are numbers. */
function compareIds(left: string, right: string): number {
  if (/^\d+$/.test(left) && /^\d+$/.test(right)) return new Decimal(left).cmp(right)
  return left < right ? -1 : left > right ? 1 : 0
}

function isFields(info: unknown): info is Readonly<Record<string, unknown>> {
  return typeof info === 'object' && info !== null
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
