// How orders and fills read, in one line each, and how a run tells what becomes of its orders.
import { Decimal } from 'decimal.js'
import type { Market } from '../../exchange/market.ts'
import { isTriggerType, type Order, type OrderRef, type Position, type Side, type Trade } from '../../exchange/order.ts'
import { printable } from '../../language/printable.ts'
import {
  isDollars,
  showAmount,
  showAverage,
  showAverageAlone,
  showMoney,
  showPrice,
  stepOf,
} from '../../trading/figures.ts'
import type { OrderEvent, TellOrder } from '../../trading/order-event.ts'
import type { CommandContext, Output } from './command.ts'
import type { OrderData } from './data.ts'
import { orderData } from './order-data.ts'
import { describeRefusal } from './refusal.ts'

export const PAST: Readonly<Record<Side, string>> = { buy: 'bought', sell: 'sold' }

/** Prints what becomes of the run's orders, also after the run has ended or was cut short: an order under way keeps its fate. */
export function tellOrders(run: Pick<CommandContext, 'out' | 'noteOrder'>): TellOrder {
  return (event) => {
    run.noteOrder(event)
    sayOrderEvent(event, run.out)
  }
}

/** One event of an order, as people read it. */
export function sayOrderEvent(event: OrderEvent, out: Output): void {
  const data = orderData(event)
  switch (event.type) {
    case 'filled':
      return out.success(firstFillLine(event), data)
    case 'rests':
      return out.success(openLine(event.order), data)
    case 'filled-later':
      return out.success(`order ${idOf(event.order)}: ${fillLine([event.trade])}`, data)
    case 'filled-meanwhile':
      return out.success(`order ${idOf(event.order)}: ${filledLine(event.order)}, while nothing followed it`, data)
    case 'ended':
      return sayEnd(event, out, data)
    case 'elsewhere':
      return sayElsewhere(event, out, data)
    case 'unknown':
      return out.warn(`no answer to the ${event.symbol} order: it may be placed or not; asking the venue for it`, data)
    case 'settled':
      return out.warn(settledLine(event), data)
    case 'change-unknown':
      return out.warn(`no answer to the change of ${namedBy(event.ref)}: it may be made or not; asking the venue`, data)
    case 'change-settled':
      return out.warn(changeLine(event), data)
    case 'protected':
      return out.success(event.isChange ? coverLine(event.stop) : openLine(event.stop), data)
    case 'withdrawn':
      return out.info(`order ${idOf(event.order)} taken back: ${withdrawnLine(event)}`, data)
    case 'still-rests':
      return out.warn(stillLine(event.order), data)
    case 'stop-passed':
      return out.warn(
        `${event.symbol} has passed the ${event.role === 'take' ? 'take-profit' : 'stop'} at ${showPrice(event.triggerPrice)}: closing now`,
        data,
      )
    case 'stop-waits':
      return out.info(waitsLine(event), data)
    case 'stop-failed':
      return out.error(describeRefusal(event.error), data)
    case 'left':
      return out.warn(`the account is disconnected: ${leftLine(event)}`, data)
  }
}

/** The trades say more than the order, where the venue has told them. */
function firstFillLine({ trades, order }: Extract<OrderEvent, { type: 'filled' }>): string {
  return trades.length > 0 ? fillLine(trades) : filledLine(order)
}

function settledLine({ symbol, order }: Extract<OrderEvent, { type: 'settled' }>): string {
  return order === undefined
    ? `the ${symbol} order never arrived: nothing was placed`
    : `the ${symbol} order that got no answer was placed: it is order ${idOf(order)}`
}

function waitsLine({ triggerPrice, takeProfitPrice }: Extract<OrderEvent, { type: 'stop-waits' }>): string {
  const stop = triggerPrice === undefined ? [] : [`stop at ${showPrice(triggerPrice)}`]
  const take = takeProfitPrice === undefined ? [] : [`take-profit at ${showPrice(takeProfitPrice)}`]
  const both = [...stop, ...take]
  return `its ${both.join(' and ')} ${both.length > 1 ? 'go' : 'goes'} in when it fills, as long as hookline runs`
}

function leftLine({ symbol, isPair }: Extract<OrderEvent, { type: 'left' }>): string {
  return isPair
    ? `when the stop or the take-profit of ${symbol} fills, the other stays until the account is connected again`
    : `the ${symbol} entry that rests gets its stop when the account is connected again`
}

function namedBy({ id, symbol }: OrderRef): string {
  return id === undefined ? `the ${symbol} order` : `order ${printable(id, 40)}`
}

function changeLine({ ref, isChanged, order }: Extract<OrderEvent, { type: 'change-settled' }>): string {
  const name = namedBy(ref)
  if (order === undefined) return `${name} is gone: the venue no longer knows it`
  if (isChanged) return `the change of ${name} that got no answer was made: ${describeOrder(order)}`
  const now = order.status === 'open' ? `it is as it was: ${describeOrder(order)}` : `the order is ${order.status}`
  return `the change of ${name} that got no answer was not made: ${now}`
}

function stillLine(order: Order): string {
  return `order ${idOf(order)} still rests, and ${order.symbol} is flat: ${describeOrder(order)} (\`cancel ${order.symbol}\` takes it back)`
}

function withdrawnLine({ order, isFlat }: Extract<OrderEvent, { type: 'withdrawn' }>): string {
  const { type, symbol } = order
  if (isFlat === true) return `${symbol} is flat, and its ${type} has nothing left to protect`
  return `the ${type === 'take-profit' ? 'stop' : 'take-profit'} has closed what it covered of ${symbol}`
}

/** What another process, another program or the venue has done; a liquidation is one of them. */
function sayElsewhere(
  { order, trades, reason }: Extract<OrderEvent, { type: 'elsewhere' }>,
  out: Output,
  data: OrderData,
): void {
  const orderId = order?.id ?? trades[0]?.orderId ?? ''
  const name = `${order !== undefined && isTriggerType(order.type) ? order.type : 'order'} ${printable(orderId, 40)}`
  const why = reason === undefined ? '' : `: ${printable(reason, 200)}`
  const isEnded = order !== undefined && order.status !== 'open' && order.status !== 'closed'
  if (trades.length > 0) {
    const say = reason === undefined ? out.success : out.warn
    say.call(out, `${name}: ${fillLine(trades)}${isEnded ? `; the rest is ${order.status}` : ''}${why}`, data)
  } else if (order !== undefined) {
    out.warn(`${name} is ${order.status}: ${describeOrder(order)}${why}`, data)
  }
}

/** Who ended an order here knows it; what the venue ended by itself is told. */
function sayEnd({ order, reason }: Extract<OrderEvent, { type: 'ended' }>, out: Output, data: OrderData): void {
  if (reason === undefined && order.status === 'canceled') return
  const why = reason === undefined ? '' : `: ${printable(reason, 200)}`
  out.warn(`order ${idOf(order)} is ${order.status}${why}`, data)
}

/** `buy 0.003 BTCUSDT at 64,000, post-only`; for stops `stop sell 0.003 BTCUSDT at 63,712.2, reduce-only`. */
export function describeOrder(order: Order): string {
  return `${intentOf(order)}${flagsOf(order)}`
}

/** `order p17: buy 0.003 BTCUSDT at 64,000 is open, post-only`. */
export function openLine(order: Order): string {
  return `order ${idOf(order)}: ${intentOf(order)} is open${flagsOf(order)}`
}

/** `order p18: the stop at 63,712.2 now covers 0.005 BTCUSDT`. */
function coverLine(order: Order): string {
  return `order ${idOf(order)}: the ${order.type}${showPrices(order)} now covers ${showAmount(order.remaining)} ${order.symbol}`
}

function idOf({ id }: Order): string {
  return printable(id, 40)
}

function intentOf(order: Order): string {
  const { type, side, remaining, symbol } = order
  const kind = isTriggerType(type) ? `${type} ` : ''
  return `${kind}${side} ${showAmount(remaining)} ${symbol}${showPrices(order)}`
}

/** ` at 64,000`; ` at 63,700 limit 63,600` of a stop-limit; ` at 63,700 tp 67,600` of a stop that has a take-profit price. */
export function showPrices({
  price,
  triggerPrice,
  takeProfitPrice,
}: Pick<Order, 'price' | 'triggerPrice' | 'takeProfitPrice'>): string {
  const at = triggerPrice ?? price
  const limit = triggerPrice === undefined || price === undefined ? '' : ` limit ${showPrice(price)}`
  const profit = takeProfitPrice === undefined ? '' : ` tp ${showPrice(takeProfitPrice)}`
  return `${at === undefined ? '' : ` at ${showPrice(at)}`}${limit}${profit}`
}

function flagsOf({ postOnly, reduceOnly }: Order): string {
  return `${postOnly ? ', post-only' : ''}${reduceOnly ? ', reduce-only' : ''}`
}

/** `bought 0.003 BTCUSDT at 65,012.5 ($195.04), fee $0.11`, and the profit or loss where a position shrank. */
export function fillLine(trades: readonly Trade[]): string {
  const [first] = trades
  if (first === undefined) return 'nothing filled'
  const amount = total(trades, (trade) => trade.amount)
  const cost = total(trades, (trade) => new Decimal(trade.amount).times(trade.price))
  const pnl = total(trades, (trade) => trade.realizedPnl ?? 0)
  const step = stepOf(trades.map(({ price }) => price))
  return [
    `${PAST[first.side]} ${showAmount(amount)} ${first.symbol} at ${showAverage(cost.div(amount), step)} (${showMoney(cost)})`,
    ...feesOf(trades),
    ...(pnl.isZero() ? [] : [`pnl ${showMoney(pnl)}`]),
  ].join(', ')
}

/** One figure for each currency that fees were taken in; none where the venue does not say. */
function feesOf(trades: readonly Trade[]): string[] {
  const currencies = [...new Set(trades.flatMap(({ fee, feeCurrency }) => (fee === undefined ? [] : [feeCurrency])))]
  return currencies.map((currency) => {
    const fee = total(
      trades.filter((trade) => trade.feeCurrency === currency),
      (trade) => trade.fee ?? 0,
    )
    return currency === undefined || isDollars(currency)
      ? `fee ${showMoney(fee)}`
      : `fee ${showAmount(fee)} ${printable(currency, 10)}`
  })
}

/** What an order itself tells of its fills, where the trades are not known: no fee. */
export function filledLine({ side, filled, symbol, average, price }: Order): string {
  const what = `${PAST[side]} ${showAmount(filled)} ${symbol}`
  if (average === undefined) return what
  // Without a limit nothing here says what the market's step is.
  const at = price === undefined ? showAverageAlone(average) : showAverage(average, stepOf([price]))
  return `${what} at ${at} (${showMoney(new Decimal(filled).times(average))})`
}

/** `asked $100, the lot is 0.001 BTC`: rounding took more than a little of the size. */
export function cutLine(cutFrom: string, { lotSize, amountUnit, base }: Market): string {
  const lot = amountUnit === 'quote' ? showMoney(lotSize) : `${showAmount(lotSize)} ${base}`
  return `asked ${cutFrom}, the lot is ${lot}`
}

/** `was long 0.29 ETHUSDT, now short 3.06`, for an amount larger than the position it is against. */
export function flipLine(
  position: Position,
  amount: Decimal.Value,
  when: 'now' | 'once it fills' | 'once all fill',
): string {
  const rest = showAmount(new Decimal(amount).minus(position.amount))
  const was = `${position.side} ${showAmount(position.amount)} ${position.symbol}`
  const becomes = `${position.side === 'long' ? 'short' : 'long'} ${rest}`
  if (when === 'now') return `was ${was}, now ${becomes}`
  return `${was} becomes ${becomes} once ${when === 'once all fill' ? 'all of them fill' : 'this order fills'}`
}

function total(trades: readonly Trade[], figure: (trade: Trade) => Decimal.Value): Decimal {
  return trades.reduce((sum, trade) => sum.plus(figure(trade)), new Decimal(0))
}
