// A preview for people: a table of the orders, then what goes with them, one line each.
import { Decimal } from 'decimal.js'
import type { KnownMarkets, Market } from '../../exchange/market.ts'
import type { OrderChange, OrderRef, OrderRequest } from '../../exchange/order.ts'
import type { Would } from '../../exchange/simulated.ts'
import { printable } from '../../language/printable.ts'
import {
  inOneMeasure,
  type Preview,
  type PreviewChange,
  type PreviewOrder,
  type PreviewRefusal,
} from '../../protocol/preview.ts'
import { showAmount, showAverageOf, showPrice, showSum } from '../../trading/figures.ts'
import type { CommandContext } from './command.ts'
import type { WouldData } from './data.ts'
import { renderTable } from './lines.ts'

const COLUMNS = [
  { title: '#', align: 'right' },
  { title: 'symbol' },
  { title: 'side' },
  { title: 'type' },
  { title: 'amount', align: 'point' },
  { title: 'at', align: 'point' },
  { title: 'worth', align: 'point' },
  { title: 'stop' },
  { title: 'take-profit' },
  { title: 'pnl', align: 'point' },
  { title: 'fee', align: 'point' },
  { title: 'margin', align: 'point' },
  { title: 'liquidation', align: 'point' },
  { title: 'notes' },
] as const

/** For a figure that only informs. */
export const INFORM_MS = 2_000

/** Of a line that is kept for later: what no run of it could do is a slip. @returns undefined where the orders would be sent now */
export function slipIn({ errors }: Pick<Preview, 'errors'>): string | undefined {
  // Whether there is a position then is another matter.
  const slip = errors.find(({ code }) => code !== 'no-position')
  return slip && printable(describePreviewRefusal(slip), 400)
}

/** The table, and what would be canceled, changed, set and begun. */
export function printPreview({ out, marketsOf }: Pick<CommandContext, 'out' | 'marketsOf'>, preview: Preview): void {
  const { orders, positions, notes } = preview
  const others = otherLines(preview, marketsOf(preview.account))
  if (orders.length > 0) out.print(ordersTable(orders, preview.account, marketsOf))
  for (const line of others) out.print(line)
  for (const line of positionLines(positions, preview.account)) out.print(line)
  if (orders.length === 0 && others.length === 0) out.info('it would send nothing')
  for (const note of notes) out.info(note)
}

/** Of what changes. @param account the one that need not be named */
export function positionLines(positions: Preview['positions'], account: string): readonly string[] {
  return positions
    .filter(({ before, after }) => before !== after)
    .map(({ account: of, symbol, unit, before, after }) => {
      const where = of === account ? symbol : `${symbol} of ${printable(of, 40)}`
      return `position on ${where}: ${showAmount(before)} ${unit} before, ${showAmount(after)} ${unit} after`
    })
}

/** One line for each order, in the columns that any of them uses. @param account the one that need not be named */
export function ordersTable(
  orders: readonly PreviewOrder[],
  account: string,
  marketsOf: CommandContext['marketsOf'],
): string {
  const measured = inOneMeasure(orders)
  const cells = measured.orders.map((order, index) => {
    return orderCells(order, index + 1, account, marketsOf(order.account)(order.symbol))
  })
  const isUsed = (column: number) => cells.some((row) => row[column] !== '')
  const used = COLUMNS.map((_, column) => column).filter(isUsed)
  const table = renderTable(
    used.map((column) => COLUMNS[column] ?? { title: '' }),
    cells.map((row) => used.map((column) => row[column] ?? '')),
  )
  const sums = cells.flatMap((row) => SUMS.map((column) => row[column] ?? ''))
  // A sum without a currency is not shown.
  const hasSums = sums.some((cell) => /[-+]/.test(cell))
  return measured.fees === undefined || !hasSums ? table : `${table}\nprofits and losses are ${measured.fees}`
}

/** The columns with a profit or a loss. */
const SUMS = COLUMNS.flatMap(({ title }, column) => (['stop', 'take-profit', 'pnl'].includes(title) ? [column] : []))

function orderCells(
  order: PreviewOrder,
  number: number,
  account: string,
  market: Market | undefined,
): readonly string[] {
  const { symbol, side, type, amount, unit, at, notional, quote = '', fee, margin, liquidationPrice } = order
  return [
    `${number}`,
    symbol,
    side,
    type,
    `${showAmount(amount)} ${unit}`,
    at === undefined ? '' : showPrice(at, market),
    notional === undefined ? '' : showSum(notional, quote),
    order.type === 'take-profit' ? '' : exitCell(order, order.stop, market),
    order.type === 'take-profit' ? exitCell(order, order.takeProfit, market) : clauseCell(order.takeProfit, market),
    pnlCell(order),
    fee === undefined ? '' : showSum(fee.amount, fee.currency),
    margin === undefined || new Decimal(margin.amount).isZero()
      ? ''
      : `${showSum(margin.amount, margin.currency)} at ${margin.leverage}x`,
    liquidationPrice === undefined ? '' : showAverageOf(liquidationPrice, market),
    notesOf(order, account),
  ]
}

/** Of an order that waits for a trigger: its own. */
function exitCell(
  { pnl, triggerPrice, margin }: PreviewOrder,
  clause: PreviewOrder['stop'],
  market: Market | undefined,
): string {
  if (clause !== undefined || pnl === undefined || triggerPrice === undefined) return clauseCell(clause, market)
  return clauseCell({ triggerPrice, pnl, ...(margin ? { currency: margin.currency } : {}) }, market)
}

/** Of an exit at once, or at a limit. */
function pnlCell({ pnl, triggerPrice, stop, takeProfit, margin }: PreviewOrder): string {
  if (pnl === undefined || margin === undefined || (triggerPrice ?? stop ?? takeProfit) !== undefined) return ''
  return signed(pnl, margin.currency)
}

/** @param fees of the sum, where nothing else says it */
function clauseCell(clause: PreviewOrder['stop'], market: Market | undefined, fees = ''): string {
  if (clause === undefined) return ''
  const { triggerPrice, pnl, currency } = clause
  const sum = pnl === undefined || currency === undefined ? '' : ` (${signed(pnl, currency)}${fees})`
  return `${showPrice(triggerPrice, market)}${sum}`
}

/** `63,700 (-$13.42 after fees)`. */
function clauseText({ net, ...clause }: NonNullable<PreviewOrder['stop']>, market: Market | undefined): string {
  return net === undefined
    ? clauseCell(clause, market, ' before fees')
    : clauseCell({ ...clause, pnl: net }, market, ' after fees')
}

function signed(sum: string, currency: string): string {
  const value = new Decimal(sum)
  return `${value.isNeg() ? '-' : '+'}${showSum(value.abs(), currency)}`
}

function notesOf(order: PreviewOrder, account: string): string {
  const { reduceOnly, postOnly, timeInForce, roundedBy = '0', refused, fills, unit } = order
  const words = [
    ...(order.account === account ? [] : [`on ${printable(order.account, 40)}`]),
    ...(reduceOnly === true ? ['reduce-only'] : []),
    ...(postOnly === true ? ['post-only'] : []),
    ...(timeInForce === undefined || timeInForce === 'gtc' ? [] : [timeInForce]),
    ...(fills === undefined ? [] : [`the book holds ${showAmount(fills)} ${unit}`]),
    ...(new Decimal(roundedBy).gte(1) ? [`rounding cuts ${new Decimal(roundedBy).toFixed(1)}%`] : []),
    ...(refused === undefined ? [] : [`refused: ${refused.code}`]),
  ]
  return words.join(', ')
}

function otherLines({ cancels, changes, settings, tasks }: Preview, known: KnownMarkets): string[] {
  return [
    ...cancels.map(({ id, symbol, side, type, amount, price, triggerPrice }) => {
      const at = triggerPrice ?? price
      const what = side === undefined || amount === undefined ? '' : `: ${type} ${side} ${showAmount(amount)}`
      const where = at === undefined ? '' : ` at ${showPrice(at, known(symbol))}`
      return `cancels order ${printable(id, 40)} on ${symbol}${what}${where}`
    }),
    ...changes.map((change) => describeChange(change, known)),
    ...settings.map(({ symbol, what, value }) => `sets the ${what} of ${symbol} to ${printable(value, 20)}`),
    ...tasks.map(({ text }) => text),
  ]
}

/** `it goes through the market: fills 0.01 BTC at 65,000.1 ($650.00), fee $0.36`; undefined where it only rests. */
export function takenLine(
  { symbol, fills, unit, at, notional, quote = '', fee }: PreviewChange,
  known: KnownMarkets,
): string | undefined {
  if (fills === undefined || unit === undefined) return undefined
  const where = at === undefined ? '' : ` at ${showPrice(at, known(symbol))}`
  const worth = notional === undefined ? '' : ` (${showSum(notional, quote)})`
  const costs = fee === undefined ? '' : `, fee ${showSum(fee.amount, fee.currency)}`
  return `it goes through the market: fills ${showAmount(fills)} ${unit}${where}${worth}${costs}`
}

function describeChange(change: PreviewChange, known: KnownMarkets): string {
  const { id, symbol, amount, price, triggerPrice, takeProfitPrice, stop, takeProfit } = change
  const taken = takenLine(change, known)
  const market = known(symbol)
  const parts = [
    ...(amount === undefined ? [] : [showAmount(amount)]),
    ...(price === undefined ? [] : [`at ${showPrice(price, market)}`]),
    ...(triggerPrice === undefined ? [] : [`trigger ${showPrice(triggerPrice, market)}`]),
    ...(takeProfitPrice === undefined ? [] : [`take-profit ${showPrice(takeProfitPrice, market)}`]),
    ...(stop === undefined ? [] : [`then a stop at ${clauseText(stop, market)}`]),
    ...(takeProfit === undefined ? [] : [`then a take-profit at ${clauseText(takeProfit, market)}`]),
  ]
  return `changes order ${printable(id, 40)} on ${symbol} to ${parts.join(', ')}${taken === undefined ? '' : `; ${taken}`}`
}

/** `there is no position on BTCUSDT (`positions` lists them)`. */
export function describePreviewRefusal({ text, hint }: PreviewRefusal): string {
  return hint === undefined ? text : `${text} (${hint})`
}

// What would have been sent, in one line (behaviour 40). It never reads like something that happened.

export function printWould(would: Would, info: (text: string, data: WouldData) => void, known: KnownMarkets): void {
  info(`simulated: ${describeWould(would, known)}`, { type: 'would', ...would })
}

/** `would place buy 0.003 BTCUSDT at 64,000, post-only`. */
export function describeWould(would: Would, known: KnownMarkets): string {
  switch (would.kind) {
    case 'place':
      return `would place ${describeRequest(would.order, known(would.order.symbol))}`
    case 'change':
      return `would change order ${nameOf(would.ref)} to ${describeNewTerms(would.change, would.protection, known(would.ref.symbol))}`
    case 'cancel':
      return `would cancel order ${nameOf(would.ref)} on ${printable(would.ref.symbol, 40)}`
    case 'cancel-all':
      return `would cancel every order${would.symbol === undefined ? '' : ` on ${printable(would.symbol, 40)}`}`
    case 'set':
      return `would set the ${would.what} of ${printable(would.symbol, 40)} to ${printable(would.value, 20)}`
  }
}

function describeRequest(order: Omit<OrderRequest, 'clientOrderId'>, market: Market | undefined): string {
  const {
    type,
    side,
    amount,
    symbol,
    price,
    triggerPrice,
    takeProfitPrice,
    postOnly,
    reduceOnly,
    timeInForce,
    attached = [],
  } = order
  const kind = type === 'market' || type === 'limit' ? '' : `${type} `
  const at = triggerPrice ?? price
  const limit = triggerPrice !== undefined && price !== undefined ? `, limit ${showPrice(price, market)}` : ''
  const where = at === undefined ? ' at the market' : ` at ${showPrice(at, market)}${limit}`
  const flags = [
    ...(takeProfitPrice === undefined ? [] : [`take-profit at ${showPrice(takeProfitPrice, market)}`]),
    ...(postOnly === true ? ['post-only'] : []),
    ...(reduceOnly === true ? ['reduce-only'] : []),
    ...(timeInForce === undefined || timeInForce === 'gtc' ? [] : [timeInForce]),
    ...attached.flatMap((each) => [
      `with its ${each.type} at ${showPrice(each.triggerPrice, market)}`,
      ...(each.takeProfitPrice === undefined
        ? []
        : [`with its take-profit at ${showPrice(each.takeProfitPrice, market)}`]),
    ]),
  ]
  return [`${kind}${side} ${showAmount(amount)} ${symbol}${where}`, ...flags].join(', ')
}

function describeNewTerms(
  { amount, price, triggerPrice, takeProfitPrice }: OrderChange,
  then: Extract<Would, { kind: 'change' }>['protection'],
  market: Market | undefined,
): string {
  const parts = [
    ...(amount === undefined ? [] : [showAmount(amount)]),
    ...(price === undefined ? [] : [`at ${showPrice(price, market)}`]),
    ...(triggerPrice === undefined ? [] : [`trigger ${showPrice(triggerPrice, market)}`]),
    ...(takeProfitPrice === undefined ? [] : [`take-profit ${showPrice(takeProfitPrice, market)}`]),
    ...(then?.triggerPrice === undefined ? [] : [`then a stop at ${showPrice(then.triggerPrice, market)}`]),
    ...(then?.takeProfitPrice === undefined
      ? []
      : [`then a take-profit at ${showPrice(then.takeProfitPrice, market)}`]),
  ]
  return parts.join(', ')
}

function nameOf({ id, clientOrderId = '' }: OrderRef): string {
  return printable(id ?? clientOrderId, 40)
}
