// How orders and fills read, in one line each.
import { Decimal } from 'decimal.js'
import type { Order, Side, Trade } from '../../exchange/exchange.ts'
import { printable } from '../../language/printable.ts'
import { showAmount, showMoney, showPrice } from '../../trading/figures.ts'

const PAST: Record<Side, string> = { buy: 'bought', sell: 'sold' }

/** `buy 0.003 BTCUSDT at 64,000, post-only`; for stops `stop sell 0.003 BTCUSDT at 63,712.2, reduce-only`. */
export function describeOrder(order: Order): string {
  return `${intentOf(order)}${flagsOf(order)}`
}

/** `order p17: buy 0.003 BTCUSDT at 64,000 is open, post-only`. */
export function openLine(order: Order): string {
  return `order ${printable(order.id, 40)}: ${intentOf(order)} is open${flagsOf(order)}`
}

function intentOf({ type, side, remaining, symbol, price, triggerPrice }: Order): string {
  const at = triggerPrice ?? price
  const what = `${side} ${showAmount(remaining)} ${symbol}`
  return `${type === 'stop' ? 'stop ' : ''}${what}${at === undefined ? '' : ` at ${showPrice(at)}`}`
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
  const fee = total(trades, (trade) => trade.fee)
  const pnl = total(trades, (trade) => trade.realizedPnl)
  const average = cost.div(amount).toSignificantDigits(12)
  return [
    `${PAST[first.side]} ${showAmount(amount)} ${first.symbol} at ${showPrice(average)} (${showMoney(cost)})`,
    `fee ${showMoney(fee)}`,
    ...(pnl.isZero() ? [] : [`pnl ${showMoney(pnl)}`]),
  ].join(', ')
}

/** What an order itself tells of its fills, where the trades are not known: no fee. */
export function filledLine({ side, filled, symbol, average }: Order): string {
  const what = `${PAST[side]} ${showAmount(filled)} ${symbol}`
  if (average === undefined) return what
  return `${what} at ${showPrice(average)} (${showMoney(new Decimal(filled).times(average))})`
}

function total(trades: readonly Trade[], figure: (trade: Trade) => Decimal.Value): Decimal {
  return trades.reduce((sum, trade) => sum.plus(figure(trade)), new Decimal(0))
}
