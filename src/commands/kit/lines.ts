// Aligned columns of text. Width is what a terminal shows, not how many code units a string has.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { UnreadRow, VenueView } from '../../exchange/exchange.ts'
import type { KnownMarkets, Market } from '../../exchange/market.ts'
import {
  isForced,
  isNothingLeft,
  isTriggerType,
  type Order,
  type OrderRef,
  type Side,
  type Trade,
  type VenueCause,
} from '../../exchange/order.ts'
import { findVenue } from '../../exchanges/venues.ts'
import { printable } from '../../language/printable.ts'
import { LISTENER_HOST, LISTENER_PORT } from '../../protocol/address.ts'
import type { FocusKept } from '../../stores/focus.ts'
import { fromWhom, type Guarding } from '../../stores/guards.ts'
import { isCurrent, type SignInRow } from '../../stores/sign-in.ts'
import { alignPoints, cellWidth, cutCells, padCells } from '../../terminal/width.ts'
import {
  isDollars,
  showAmount,
  showAverage,
  showAverageOf,
  showMoment,
  showMoney,
  shownZone,
  showPrice,
  stepOf,
} from '../../trading/figures.ts'
import type { RunOrder } from '../../trading/history/journal-history.ts'
import type { EndOutcome, OrderEvent, OrderListener } from '../../trading/order-event.ts'
import type { Cut } from '../../trading/sizing.ts'
import type { CommandContext, Output } from './command.ts'
import { type OrderData, orderData, type PastOrderData, type SignInData } from './data.ts'
import { CommandError, describeRefusal } from './errors.ts'
import type { CommandPorts } from './ports.ts'

export interface Column {
  readonly title: string
  /** Default `left`. Counts go `right`; prices, amounts and sums have their points below each other. */
  readonly align?: 'left' | 'right' | 'point'
  /** Where the terminal is too narrow, columns are left out from the highest rank down. Default: never. */
  readonly rank?: number
  /** Where the terminal is too narrow, texts are cut to no fewer cells. Default: never. */
  readonly least?: number
  /** Its cells are by `showZonedTime`: the heading names the zone. */
  readonly isTime?: true
}

const GAP = '  '

/**
 * A heading line and one line per row, without trailing spaces. Columns without a title in any column print no heading. A last line names the
 * columns that are left out.
 * @param width cells of a row; columns with a rank are left out for it. Default: all are shown
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width = Number.POSITIVE_INFINITY,
): string {
  const hasHeading = columns.some((column) => column.title !== '')
  const cells = alignPoints(columns, rows)
  const lines = hasHeading ? [columns.map(titleOf), ...cells] : cells
  const whole = columns.map((_, index) => Math.max(0, ...lines.map((line) => cellWidth(line[index] ?? ''))))
  const { shown, widths } = columnsWithin(columns, whole, width)
  const texts = lines.map((line) =>
    shown
      .map((index) =>
        padCells(cutCells(line[index] ?? '', widths[index] ?? 0), widths[index] ?? 0, columns[index]?.align),
      )
      .join(GAP)
      .trimEnd(),
  )
  const hidden = columns.flatMap((column, index) => (shown.includes(index) ? [] : [titleOf(column)]))
  const isCut = shown.some((index) => (widths[index] ?? 0) < (whole[index] ?? 0))
  return [...texts, ...leftOutLine(hidden, isCut, width)].join('\n')
}

function leftOutLine(hidden: readonly string[], isCut: boolean, width: number): readonly string[] {
  if (hidden.length === 0) return isCut ? ['text is truncated; `--wide` shows it in full'] : []
  const count = hidden.length === 1 ? '1 column' : `${hidden.length} columns`
  const named = `${count} hidden: ${hidden.join(', ')}; \`--wide\` shows all`
  return [cellWidth(named) <= width ? named : `${count} hidden; \`--wide\` shows all`]
}

function titleOf({ title, isTime }: Column): string {
  return isTime === true ? `${title} (${shownZone()})` : title
}

/** Texts are cut before a column is left out. @returns the indexes of the columns that are shown, and the cells of every column */
function columnsWithin(
  columns: readonly Column[],
  whole: readonly number[],
  width: number,
): { readonly shown: readonly number[]; readonly widths: readonly number[] } {
  let shown = columns.map((_, index) => index)
  const least = whole.map((cells, index) => Math.min(cells, columns[index]?.least ?? cells))
  const total = (of: readonly number[]) =>
    shown.reduce((sum, index) => sum + (of[index] ?? 0) + GAP.length, -GAP.length)
  const byRank = columns
    .flatMap(({ rank }, index) => (rank === undefined ? [] : [{ rank, index }]))
    .sort((a, b) => b.rank - a.rank)
  for (const { index } of byRank) {
    if (total(least) <= width) break
    shown = shown.filter((each) => each !== index)
  }
  const widths = [...whole]
  // The last of them first: it has the longest text.
  for (const index of shown.toReversed()) {
    const over = total(widths) - width
    if (over > 0) widths[index] = Math.max(least[index] ?? 0, (widths[index] ?? 0) - over)
  }
  return { shown, widths }
}

/** A source as people read it: `terminal` of a line at the prompt, `every 3f9c2a71` of a task's; a hook and a page by their names. */
export function showSource(by: string): string {
  return by === 'repl' ? 'terminal' : by.replace(/^exec:/, '')
}

// How orders and fills read, in one line each, and how a run tells what becomes of its orders.

export const PAST: Readonly<Record<Side, string>> = { buy: 'bought', sell: 'sold' }

/**
 * Prints what becomes of the run's orders, also after the run has ended or was cut short: an order under way keeps its fate.
 * @param leg what its fills do, where one command sends two that read alike: `closes the long`
 */
export function orderReporter(
  run: Pick<CommandContext, 'out' | 'noteOrder' | 'accountName' | 'marketsOf'>,
  leg?: string,
): OrderListener {
  const [name, known] = [run.accountName, run.marketsOf(run.accountName)]
  return (event) => {
    run.noteOrder(event)
    printOrderEvent(event, { name, known }, run.out, leg)
  }
}

/** Whose orders are told of, and what is known of the markets on which they are. */
interface OrdersOf {
  readonly name: string
  readonly known: KnownMarkets
}

/** One event of an order, as people read it. @param leg as of `orderReporter` */
export function printOrderEvent(event: OrderEvent, { name, known }: OrdersOf, out: Output, leg?: string): void {
  const data = orderData(event, name)
  const does = leg === undefined ? '' : `: ${leg}`
  switch (event.type) {
    case 'filled':
      return out.success(`${firstFillLine(event, known)}${does}`, data)
    case 'rests':
      return out.success(openLine(event.order, known), data)
    case 'sent':
      return out.info(
        `order ${idOf(event.order)}: ${describeOrder(event.order, known)} was sent; its outcome is not known yet`,
        data,
      )
    case 'filled-later':
      return event.isReported === true ? undefined : printLaterFill(event, known, out, data)
    case 'filled-meanwhile':
      return out.success(
        `${nameOf(event.order, event.order.average)}: ${filledLine(event.order, known)}, while no hookline followed it`,
        data,
      )
    case 'ended':
      if (event.isReported === true) return
      return event.outcome === undefined
        ? printEnd(event, known, out, data)
        : printProtectiveEnd(event, event.outcome, known, out, data)
    case 'elsewhere':
      return printElsewhere(event, known, out, data)
    case 'placed-elsewhere':
      return out.warn(placedElsewhereLine(event, known), data)
    case 'changed-elsewhere':
      return out.warn(changedElsewhereLine(event, known), data)
    case 'unknown':
      return out.warn(`no answer to the ${event.symbol} order: its outcome is unknown; asking the venue`, data)
    case 'settled':
      return out.warn(settledLine(event), data)
    case 'unsettled':
      return out.error(describeRefusal(event.error), data)
    case 'change-unknown':
      return out.warn(
        `no answer to the change of ${namedBy(event.ref)}: its outcome is unknown; asking the venue`,
        data,
      )
    case 'change-settled':
      return out.warn(changeLine(event, known), data)
    case 'protected':
      return out.success(event.isChange ? coverLine(event.stop, known) : openLine(event.stop, known), data)
    case 'withdrawn':
      return out.info(`order ${idOf(event.order)} canceled: ${withdrawnLine(event)}`, data)
    case 'still-rests':
      return out.warn(stillLine(event.order, known), data)
    case 'stop-passed':
      return out.warn(
        `${event.symbol} has passed the ${event.role === 'take' ? 'take-profit' : 'stop'} at ${showPrice(event.triggerPrice, known(event.symbol))}: closing now`,
        data,
      )
    case 'stop-waits':
      return out.info(waitsLine(event, known(event.symbol)), data)
    case 'offset':
      return out.info(offsetLine(event), data)
    case 'stop-failed':
      return out.error(describeRefusal(event.error), data)
    case 'left':
      return out.warn(`after exit, ${leftLine(event)}`, data)
  }
}

function printLaterFill(
  { order, trade }: Extract<OrderEvent, { type: 'filled-later' }>,
  known: KnownMarkets,
  out: Output,
  data: OrderData,
): void {
  const cause = causeOf(undefined, [trade])
  const line = `${nameOf(order, trade.price)}: ${fillLine([trade], known)}`
  if (cause === undefined) return out.success(line, data)
  out.warn(`${line}: ${cause}`, data)
}

/** The trades say more than the order, where the venue has told them. */
function firstFillLine({ trades, order }: Extract<OrderEvent, { type: 'filled' }>, known: KnownMarkets): string {
  return trades.length > 0 ? fillLine(trades, known) : filledLine(order, known)
}

function settledLine({ symbol, order }: Extract<OrderEvent, { type: 'settled' }>): string {
  return order === undefined
    ? `the ${symbol} order never arrived: nothing was placed`
    : `the ${symbol} order that got no answer was placed: it is order ${idOf(order)}`
}

function waitsLine(
  { triggerPrice, takeProfitPrice, isAttached }: Extract<OrderEvent, { type: 'stop-waits' }>,
  market: Market | undefined,
): string {
  const stop = triggerPrice === undefined ? [] : [`stop ${showPrice(triggerPrice, market)}`]
  const target = takeProfitPrice === undefined ? [] : [`target ${showPrice(takeProfitPrice, market)}`]
  const both = [...stop, ...target]
  const are = `${both.join(' and ')} ${both.length > 1 ? 'are' : 'is'} placed`
  return isAttached ? `${are} by the venue when the entry fills` : `${are} on fill, while hookline runs`
}

function offsetLine({ side, filled, opened }: Extract<OrderEvent, { type: 'offset' }>): string {
  const met = side === 'buy' ? 'short' : 'long'
  if (new Decimal(opened).isZero()) return `the ${side} reduced a ${met}: nothing to protect`
  const reduced = new Decimal(filled).minus(opened)
  return `${showAmount(reduced.toFixed())} of the ${side} closed a ${met}: ${showAmount(opened)} to protect`
}

function leftLine({ symbol, isPair, isAttached }: Extract<OrderEvent, { type: 'left' }>): string {
  if (isAttached) return `the resting ${symbol} entry gets its stop from the venue when it fills`
  return isPair
    ? `when the stop or the take-profit of ${symbol} fills, another running hookline cancels the other; with none running, the other stays until the account is connected again`
    : `another running hookline places the stop of the resting ${symbol} entry when it fills; with none running, the stop waits until the account is connected again`
}

function namedBy({ id, symbol }: OrderRef): string {
  return id === undefined ? `the ${symbol} order` : `order ${printable(id, 40)}`
}

function changeLine(
  { ref, isChanged, order }: Extract<OrderEvent, { type: 'change-settled' }>,
  known: KnownMarkets,
): string {
  const name = namedBy(ref)
  if (order === undefined) return `${name} is gone: the venue no longer lists it`
  if (isChanged) return `the change of ${name} that got no answer was made: ${describeOrder(order, known)}`
  const now =
    order.status === 'open' ? `it is unchanged: ${describeOrder(order, known)}` : `the order is ${order.status}`
  return `the change of ${name} that got no answer was not made: ${now}`
}

function stillLine(order: Order, known: KnownMarkets): string {
  return `${namedWhole(order, known)} still rests, and ${order.symbol} is flat: \`cancel ${order.symbol}\` cancels it`
}

function withdrawnLine({ order, isFlat }: Extract<OrderEvent, { type: 'withdrawn' }>): string {
  const { type, symbol } = order
  if (isFlat === true) return `${symbol} is flat, and its ${type} has nothing left to protect`
  return `the ${type === 'take-profit' ? 'stop' : 'take-profit'} closed the part that it covered of ${symbol}`
}

/** What another process, another program or the venue has done; a liquidation is one of them. */
function printElsewhere(
  { order, trades, reason, replacedBy }: Extract<OrderEvent, { type: 'elsewhere' }>,
  known: KnownMarkets,
  out: Output,
  data: OrderData,
): void {
  const [first] = trades
  const name = order === undefined ? `order ${printable(first?.orderId ?? '', 40)}` : nameOf(order, first?.price)
  const hasNothingLeft = order?.reduceOnly === true && order.status !== 'closed' && isNothingLeft(order.cause)
  if (trades.length === 0 && hasNothingLeft) return out.info(endedWithPosition(order, known), data)
  const knownCause = reason ?? causeOf(order, trades)
  const why = knownCause === undefined ? '' : `: ${printable(knownCause, 200)}`
  const isEnded = order !== undefined && order.status !== 'open' && order.status !== 'closed'
  if (trades.length > 0) {
    const write = knownCause === undefined ? out.success : out.warn
    write.call(out, `${name}: ${fillLine(trades, known)}${isEnded ? `; the rest is ${order.status}` : ''}${why}`, data)
  } else if (order !== undefined && replacedBy !== undefined) {
    out.info(`${name} ${order.status}: ${replacementName(replacedBy, known)} replaces it`, data)
  } else if (order !== undefined) {
    out.warn(`${endedOrder(order, known)}${why}`, data)
  }
}

function placedElsewhereLine(
  { venue, orders }: Extract<OrderEvent, { type: 'placed-elsewhere' }>,
  known: KnownMarkets,
): string {
  const [order, ...others] = orders
  if (order === undefined) return `${venueName(venue)}: nothing was placed elsewhere`
  if (others.length === 0)
    return `${venueName(venue)}: ${wordedOrder(order, known)} was placed elsewhere (order ${idOf(order)})`
  const sides = (['buy', 'sell'] as const).flatMap((side) => {
    const count = orders.filter((each) => each.side === side).length
    return count === 0 ? [] : [`${count} to ${side}`]
  })
  return `${venueName(venue)}: ${orders.length} orders were placed elsewhere, ${sides.join(' and ')}: ${spanOf(orders, known)}`
}

function changedElsewhereLine(
  { venue, changes }: Extract<OrderEvent, { type: 'changed-elsewhere' }>,
  known: KnownMarkets,
): string {
  const [change, ...others] = changes
  if (change === undefined || others.length > 0) {
    const orders = changes.map(({ order }) => order)
    return `${venueName(venue)}: ${changes.length} orders were changed elsewhere: ${spanOf(orders, known)}`
  }
  const { before, order } = change
  const now = order.closesPosition === true ? 'all' : showAmount(order.remaining)
  return `${venueName(venue)}: ${wordedOrder(before, known)} was changed elsewhere to ${now}${showPrices(order, known)} (order ${idOf(order)})`
}

function venueName(id: string): string {
  return printable(findVenue(id)?.name ?? id, 32)
}

/** `sell limit 0.5 BTCUSDT at 71,000`. */
function wordedOrder(order: Order, known: KnownMarkets): string {
  const { side, type, remaining, symbol, closesPosition } = order
  const amount = closesPosition === true ? 'all' : showAmount(remaining)
  return `${side} ${type} ${amount} ${symbol}${showPrices(order, known)}${flagsOf(order)}`
}

const SYMBOLS_NAMED = 3

/** `BTCUSDT from 60,000 to 71,000`, of each symbol. */
function spanOf(orders: readonly Order[], known: KnownMarkets): string {
  const bySymbol = new Map<string, Order[]>()
  for (const order of orders) bySymbol.set(order.symbol, [...(bySymbol.get(order.symbol) ?? []), order])
  const named = [...bySymbol]
    .slice(0, SYMBOLS_NAMED)
    .map(([symbol, each]) => `${symbol}${rangeOf(each, known(symbol))}`)
  const more = bySymbol.size - named.length
  return `${named.join(', ')}${more > 0 ? `, and ${more} more symbols` : ''}`
}

function rangeOf(orders: readonly Order[], market: Market | undefined): string {
  const prices = orders.flatMap(({ triggerPrice, price }) => triggerPrice ?? price ?? [])
  if (prices.length === 0) return ''
  const [least, most] = [Decimal.min(...prices).toFixed(), Decimal.max(...prices).toFixed()]
  const from = showPrice(least, market)
  return least === most ? ` at ${from}` : ` from ${from} to ${showPrice(most, market)}`
}

/** Who ended an order here knows it; what the venue ended by itself is told. */
function printEnd(
  { order, reason, isElsewhere }: Extract<OrderEvent, { type: 'ended' }>,
  known: KnownMarkets,
  out: Output,
  data: OrderData,
): void {
  if (isNothingLeft(order.cause) && order.reduceOnly) return out.info(endedWithPosition(order, known), data)
  const cause = reason ?? causeOf(order, [])
  if (cause === undefined && order.status === 'canceled' && isElsewhere !== true) return
  if (cause === undefined && isElsewhere === true) {
    return out.warn(`${namedWhole(order, known)} was canceled outside this hookline`, data)
  }
  const why = cause === undefined ? '' : `: ${printable(cause, 200)}`
  const isPart = new Decimal(order.filled).gt(0) && new Decimal(order.remaining).gt(0)
  const missed = isPart ? `; ${showAmount(order.remaining)} of ${showAmount(order.amount)} is not filled` : ''
  out.warn(`${endedOrder(order, known)}${why}${missed}`, data)
}

/** Every end of an order that protects a position has its line, and what is made of it. */
function printProtectiveEnd(
  { order, reason, isElsewhere, replacedBy, lateMs }: Extract<OrderEvent, { type: 'ended' }>,
  outcome: EndOutcome,
  known: KnownMarkets,
  out: Output,
  data: OrderData,
): void {
  const knownCause = reason ?? causeOf(order, [])
  const why = knownCause === undefined ? '' : `: ${printable(knownCause, 200)}`
  const isCalm = outcome === 'taken-back' || (outcome === 'flat' && !isForced(order.cause))
  const write = isCalm ? out.info : out.warn
  if (outcome === 'flat') {
    const isUsual = knownCause === undefined || isNothingLeft(order.cause)
    const ago = lateMs === undefined ? '' : ` ${Math.round(lateMs / 1000)} s ago`
    return void write.call(out, `${endedWithPosition(order, known)}${ago}${isUsual ? '' : why}`, data)
  }
  const isOther = isElsewhere === true && outcome === 'taken-back'
  const ended = isOther ? `another hookline canceled ${namedWhole(order, known)}` : endedOrder(order, known)
  const then =
    replacedBy === undefined ? outcomeLine(order, outcome) : `${replacementName(replacedBy, known)} replaces it`
  write.call(out, `${ended}${why}; ${then}`, data)
}

/** `stop p85 at 63,000`. */
function replacementName(order: Order, known: KnownMarkets): string {
  const at = order.triggerPrice === undefined ? '' : ` at ${showPrice(order.triggerPrice, known(order.symbol))}`
  return `${order.type} ${idOf(order)}${at}`
}

/** `stop p22 (sell 0.003 BTCUSDT at 63,712.2, reduce-only) ended with the long`. */
export function endedWithPosition(order: Order, known: KnownMarkets, ended = 'ended'): string {
  return `${namedWhole(order, known)} ${ended} with the ${order.side === 'sell' ? 'long' : 'short'}`
}

/** `order p17 (buy 0.003 BTCUSDT at 64,000) expired`. */
export function endedOrder(order: Order, known: KnownMarkets): string {
  return `${namedWhole(order, known)} ${order.status}`
}

function outcomeLine({ symbol, type, filled, amount }: Order, outcome: Exclude<EndOutcome, 'flat'>): string {
  switch (outcome) {
    case 'placed-again':
      return `${symbol} is still open, and the ${type} is placed again`
    case 'closing':
      return `the price passed it, and ${symbol} is closed at the market`
    case 'rest-follows':
      return `${showAmount(filled)} of ${showAmount(amount)} filled, and the rest is placed again`
    case 'taken-back':
      return 'it is not placed again'
    case 'waived':
      return 'it was canceled twice at the venue and is not placed again'
  }
}

const CAUSES: Readonly<Record<VenueCause, string>> = {
  liquidation: 'liquidation',
  deleveraging: 'auto-deleveraging',
  settlement: 'settlement',
  'trigger-failed': 'it was triggered, and its order was refused',
  'reduce-only': 'no position left to reduce',
  'position-closed': 'its position was closed',
  'self-trade': 'it would have traded with an order of the same account',
}

/** Why the venue did it by itself, by the row's own markers. */
function causeOf(order: Order | undefined, trades: readonly Trade[]): string | undefined {
  const cause = order?.cause ?? trades.find((trade) => trade.cause !== undefined)?.cause
  return cause === undefined ? undefined : CAUSES[cause]
}

/** `buy 0.003 BTCUSDT at 64,000, post-only`; for stops `stop sell 0.003 BTCUSDT at 63,712.2, reduce-only`. */
export function describeOrder(order: Order, known: KnownMarkets): string {
  return `${intentOf(order, known)}${flagsOf(order)}`
}

/** `order p17: buy 0.003 BTCUSDT at 64,000 is open, post-only`. */
function openLine(order: Order, known: KnownMarkets): string {
  return `order ${idOf(order)}: ${intentOf(order, known)} is open${flagsOf(order)}`
}

/** `order p18: the stop at 63,712.2 now covers 0.005 BTCUSDT`. */
function coverLine(order: Order, known: KnownMarkets): string {
  return `order ${idOf(order)}: the ${order.type}${showPrices(order, known)} now covers ${showAmount(order.remaining)} ${order.symbol}`
}

function idOf({ id }: Order): string {
  return printable(id, 40)
}

/** `stop p195`, `take-profit p195`, `order p195`. @param at where it filled: of two prices, the nearer one has fired */
function nameOf(order: Order, at?: string): string {
  const { type, triggerPrice, takeProfitPrice } = order
  const name = isTriggerType(type) ? type : 'order'
  if (at === undefined || triggerPrice === undefined || takeProfitPrice === undefined) return `${name} ${idOf(order)}`
  const from = (price: string) => new Decimal(at).minus(price).abs()
  return `${from(takeProfitPrice).lt(from(triggerPrice)) ? 'take-profit' : name} ${idOf(order)}`
}

/** `stop p22 (sell 0.003 BTCUSDT at 63,712.2, reduce-only)`. */
function namedWhole(order: Order, known: KnownMarkets): string {
  return `${nameOf(order)} (${tradeOf(order, known)}${flagsOf(order)})`
}

function intentOf(order: Order, known: KnownMarkets): string {
  return `${isTriggerType(order.type) ? `${order.type} ` : ''}${tradeOf(order, known)}`
}

function tradeOf(order: Order, known: KnownMarkets): string {
  const { side, remaining, symbol, closesPosition } = order
  const amount = closesPosition === true ? 'all' : showAmount(remaining)
  return `${side} ${amount} ${symbol}${showPrices(order, known)}`
}

/** ` at 64,000`; ` at 63,700 limit 63,600` of a stop-limit; ` at 63,700 tp 67,600` of a stop that has a take-profit price. */
function showPrices(
  order: Pick<Order, 'symbol' | 'price' | 'triggerPrice' | 'takeProfitPrice'>,
  known: KnownMarkets,
): string {
  const prices = pricesOf(order, known(order.symbol))
  return prices === '' ? '' : ` at ${prices}`
}

/** `54,466.5 limit 54,357.6`, `54,483.8 tp 58,373.9`; of an order at the market, nothing. */
export function pricesOf(
  { price, triggerPrice, takeProfitPrice }: Pick<Order, 'price' | 'triggerPrice' | 'takeProfitPrice'>,
  market: Market | undefined,
): string {
  const at = triggerPrice ?? price
  const limit = triggerPrice === undefined ? undefined : price
  return [
    ...(at === undefined ? [] : [showPrice(at, market)]),
    ...(limit === undefined ? [] : [`limit ${showPrice(limit, market)}`]),
    ...(takeProfitPrice === undefined ? [] : [`tp ${showPrice(takeProfitPrice, market)}`]),
  ].join(' ')
}

function flagsOf({ postOnly, reduceOnly }: Order): string {
  return `${postOnly ? ', post-only' : ''}${reduceOnly ? ', reduce-only' : ''}`
}

/** `bought 0.003 BTCUSDT at 65,012.5 ($195.04), fee $0.11`, and the profit or loss where a position shrank. */
export function fillLine(trades: readonly Trade[], known: KnownMarkets): string {
  const [first] = trades
  if (first === undefined) return 'nothing filled'
  const amount = total(trades, (trade) => trade.amount)
  const cost = total(trades, (trade) => new Decimal(trade.amount).times(trade.price))
  const pnl = total(trades, (trade) => trade.realizedPnl ?? 0)
  const [average, market] = [cost.div(amount), known(first.symbol)]
  // The digits of its fills, where nothing else says what the market's step is.
  const at =
    market === undefined
      ? showAverage(average, stepOf(trades.map(({ price }) => price)))
      : showAverageOf(average, market)
  return [
    `${PAST[first.side]} ${showAmount(amount)} ${first.symbol} at ${at} (${showMoney(cost)})`,
    ...feesOf(trades),
    ...(pnl.isZero() ? [] : [`pnl ${showMoney(pnl)} before fees`]),
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
export function filledLine({ side, filled, symbol, average, price }: Order, known: KnownMarkets): string {
  const what = `${PAST[side]} ${showAmount(filled)} ${symbol}`
  if (average === undefined) return what
  const market = known(symbol)
  const at =
    market === undefined && price !== undefined ? showAverage(average, stepOf([price])) : showAverageOf(average, market)
  return `${what} at ${at} (${showMoney(new Decimal(filled).times(average))})`
}

/** `$100 rounded down to the lot size of 0.001 BTC: 35% less`: rounding took more than a little of the size. */
export function cutLine({ size, percent }: Cut, { lotSize, amountUnit, base }: Market): string {
  const lot = amountUnit === 'quote' ? showMoney(lotSize) : `${showAmount(lotSize)} ${base}`
  return `${size} rounded down to the lot size of ${lot}: ${percent}% less`
}

function total(trades: readonly Trade[], figure: (trade: Trade) => Decimal.Value): Decimal {
  return trades.reduce((sum, trade) => sum.plus(figure(trade)), new Decimal(0))
}

/** Orders that the venue lists and that could not be read. @param symbols none: all */
export function unreadOn({ unread = [] }: VenueView, symbols: readonly string[]): readonly UnreadRow[] {
  return unread.filter(
    ({ what, symbol }) =>
      what === 'order' && (symbols.length === 0 || symbol === undefined || symbols.includes(symbol)),
  )
}

export function unreadLine({ id, symbol, why }: UnreadRow): string {
  const name = id === undefined ? 'an order' : `order ${printable(id, 40)}`
  const where = symbol === undefined ? '' : ` on ${symbol}`
  const reason = why === undefined ? '' : `: ${why}`
  return `${name}${where} cannot be read${reason}; check it at the venue`
}

// What a changed focus is worth, told where it was changed (behaviour 32).

/**
 * @param done what to say of the change itself; absent where the command has said it
 * @throws {CommandError} `focus-elsewhere`: this process ends with its line, so nothing has changed
 */
export function printFocus({ out, source }: CommandContext, kept: FocusKept, done?: string): void {
  const holder = kept.isDefault ? '' : describeHolder(kept)
  if (!kept.isDefault && source === 'exec') {
    throw new CommandError('focus-elsewhere', `nothing has changed: ${holder} keeps its own focus`, {
      hint: 'type it there, or name the account of each line with --account',
    })
  }
  if (done !== undefined) out.success(done)
  if (!kept.isDefault)
    out.info(`in this terminal only: ${holder} keeps its own focus and the default of the next start`)
}

function describeHolder({ pid }: { readonly pid?: number }): string {
  return `the hookline that holds ${LISTENER_HOST}:${LISTENER_PORT}${pid === undefined ? '' : ` (pid ${pid})`}`
}

// What holds the orders of an account up, in one word each: for the prompt, `status` and the console.

type Ports = Pick<CommandPorts, 'guards'>

export function guardingOf({ guards }: Ports, account: string): Guarding {
  return guards.read(account)
}

/** `panic`, `halted`, `sim`; none where orders are sent. */
export function guardWords(ports: Ports, account: string): readonly string[] {
  const { state, simulated, panic } = guardingOf(ports, account)
  return [
    ...(panic === undefined ? [] : ['panic']),
    ...(state === 'active' || panic === 'alone' ? [] : [state]),
    ...(simulated ? ['sim'] : []),
  ]
}

/** `halted since 2026-07-01 12:00:00 UTC, by hook dip`; undefined where orders are sent. */
export function describeGuarding({ state, since, by, simulated, doubt, panic }: Guarding): string | undefined {
  const word = panic === undefined ? state : `${state} under panic`
  const when = since === undefined ? '' : `since ${showMoment(since)}`
  const parts = [
    ...(state === 'active' ? (when === '' ? [] : [when]) : [`${word} ${when}`.trimEnd()]),
    ...(by === undefined ? [] : [fromWhom(printable(by, 80))]),
    ...(doubt === undefined ? [] : [`because ${doubt}`]),
    ...(simulated ? ['simulated: orders are not sent'] : []),
  ]
  return parts.length === 0 ? undefined : parts.join(', ')
}

// A sign-in in words. What is said of it comes from its provider, and is made printable.

/** `ana@example.com`, or that there is no such address. */
export function whoIs({ email, subject }: SignInRow): string {
  return email === '' ? `${printable(subject, 60)}, without a verified email` : printable(email, 254)
}

/** `id.example.com`. */
export function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).host : printable(issuer, 100)
}

/** Until when, and what then. */
export function untilWhen(row: SignInRow, now: number): string {
  const { endedAt, expiresAt, isRenewable } = row
  const time = `${showMoment(expiresAt)}`
  if (endedAt !== undefined) return `ended at ${showMoment(endedAt)}: the provider no longer renews it`
  if (!isRenewable) return isCurrent(row, now) ? `ends at ${time}` : `ended at ${time}`
  return expiresAt > now
    ? `its token serves until ${time} and is renewed then`
    : 'its token is renewed at the next start'
}

/** `ana@example.com at id.example.com; ends at …`. */
export function describeSignIn(row: SignInRow, now: number): string {
  return `${whoIs(row)} at ${hostOf(row.issuer)}; ${untilWhen(row, now)}`
}

export function signInData(row: SignInRow | undefined, now: number): SignInData {
  if (row === undefined) return { type: 'sign-in', signedIn: false }
  const { issuer, clientId, subject, email, signedInAt, expiresAt, isRenewable, keys, endedAt } = row
  return {
    type: 'sign-in',
    signedIn: isCurrent(row, now),
    issuer,
    clientId,
    subject,
    ...(email === '' ? {} : { email }),
    signedInAt,
    expiresAt,
    isRenewable,
    keys: keys.from,
    ...defined({ endedAt }),
  }
}

// Orders of a run or a task, as the order journal has them.

export const ORDER_COLUMNS = [
  { title: 'order' },
  { title: 'symbol' },
  { title: 'side' },
  { title: 'type' },
  { title: 'amount', align: 'point' },
  { title: 'price', align: 'point' },
  { title: 'filled', align: 'point' },
  { title: 'at', align: 'point' },
  { title: 'state' },
] as const

/** In the place of the symbol, of what is placed at the fill of the entry above. */
export const AT_FILL = '└ at fill'

/** A trader's word for the state of an order. */
export function stateWord(state: PastOrderData['state']): string {
  return state === 'closed' ? 'filled' : state
}

export function orderCells(order: RunOrder, market: Market | undefined): readonly string[] {
  const price = order.triggerPrice ?? order.price
  return [
    printable(order.orderId ?? '', 40),
    printable(order.symbol, 20),
    order.side,
    printable(order.type, 20),
    showAmount(order.amount),
    price === undefined ? '' : showPrice(price, market),
    showAmount(order.filled),
    order.average === undefined ? '' : showAverageOf(order.average, market),
    `${stateWord(order.state)}${order.reason === undefined ? '' : `: ${printable(order.reason, 80)}`}`,
  ]
}
