// `orders --all`: every order that the journal has, and what came of it; and what rests by other programs.

import { defined } from '../../base/defined.ts'
import type { VenueView } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import { isTriggerType, type Order } from '../../exchange/order.ts'
import type { Argument } from '../../language/chain.ts'
import { printable } from '../../language/printable.ts'
import { showAmount, showAverageOf, showZonedTime } from '../../trading/figures.ts'
import { isWithin, type Range } from '../../trading/history/account-history.ts'
import { type Gap, nameOf } from '../../trading/history/executions.ts'
import type { JournalHistory, OrderRecord } from '../../trading/history/journal-history.ts'
import type { Notes } from '../../trading/history/notes.ts'
import { findMarkets } from '../../trading/market-view.ts'
import type { CommandContext } from '../kit/command.ts'
import type { PastOrderData } from '../kit/data.ts'
import { pricesOf, showSource, stateWord } from '../kit/lines.ts'
import { type HistoryNeed, hasTag, journalOf, notesOf, readHistoryOptions } from './history-options.ts'
import { isoTime, type ListColumn, marketsBySymbol, NOTE_COLUMN, showList } from './show-list.ts'

/** So many are asked for one by one. */
const MAX_ASKED = 20

export async function showAllOrders(context: CommandContext<HistoryNeed>, args: readonly Argument[]): Promise<void> {
  const options = readHistoryOptions(args, context.clock.now())
  const { venue } = await context.account()
  const symbols = await findMarkets(venue, options.symbols)
  const journal = await journalOf(context, context.accountName, options)
  const notes = await notesOf(context, journal)
  const { rows, gaps } = await pastOrders(venue, context.accountName, { ...options, journal, notes, symbols })
  const data = (orders: readonly PastOrderData[]) =>
    ({ type: 'order-history', account: context.accountName, orders, gaps }) as const
  const marketOf = marketsBySymbol(await venue.loadMarkets())
  const list = { columns: COLUMNS, rows: rows.filter(hasTag(options)), marketOf, gaps, none: 'no orders', data }
  showList(context, list, options)
}

interface PastOrders {
  readonly journal: JournalHistory
  readonly notes: Notes
  /** Empty: all. */
  readonly symbols: readonly string[]
  readonly range: Range
  readonly isBeforeReset: boolean
}

/** Oldest first. */
export async function pastOrders(
  venue: VenueView,
  account: string,
  { journal, notes, symbols, range, isBeforeReset }: PastOrders,
): Promise<{ readonly rows: readonly PastOrderData[]; readonly gaps: readonly Gap[] }> {
  const gaps: Gap[] = []
  // What rests now is of the account as it is now.
  const resting = isBeforeReset ? [] : await askResting(venue, gaps)
  const known = await recordsOf(venue, journal.orders, resting, gaps)
  const others = resting?.filter((order) => !journal.orders.some((record) => isSame(record, order))) ?? []
  const rows = [...known, ...others.map((order) => orderData(order, account))]
    .filter(({ symbol, at }) => (symbols.length === 0 || symbols.includes(symbol)) && isWithin(at, range))
    .sort((a, b) => a.at - b.at)
    .map(({ tags, ...row }) => ({ ...row, ...notes.ofOrder(row.symbol, row.orderId ?? '', tags) }))
  return { rows, gaps }
}

async function askResting(venue: VenueView, gaps: Gap[]): Promise<readonly Order[] | undefined> {
  try {
    return await venue.fetchOpenOrders()
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    gaps.push({ kind: 'venue-silent', message: error.message })
    return undefined
  }
}

/** What the journal has; of orders that ended while nothing followed them the venue is asked, the newest first. */
async function recordsOf(
  venue: VenueView,
  records: readonly OrderRecord[],
  resting: readonly Order[] | undefined,
  gaps: Gap[],
): Promise<readonly PastOrderData[]> {
  if (resting === undefined) return records.map((record) => pastData(record))
  const isLeft = (record: OrderRecord) => record.state === 'placed' && !resting.some((order) => isSame(record, order))
  const left = records.filter(isLeft)
  const asked = left.slice(-MAX_ASKED)
  const answers = await Promise.all(asked.map((record) => askFor(venue, record)))
  const ended = new Map(asked.map((record, index) => [record, answers[index]]))
  const unknown = left.filter((record) => ended.get(record) === undefined).length
  if (unknown > 0) gaps.push({ kind: 'ends-unknown', orders: unknown })
  return records.map((record) => pastData(record, resting.find((order) => isSame(record, order)) ?? ended.get(record)))
}

async function askFor(venue: VenueView, record: OrderRecord): Promise<Order | undefined> {
  const { symbol, orderId, clientOrderId, type } = record
  const id = defined({ id: orderId })
  try {
    const isTrigger = type !== 'market' && type !== 'limit'
    return await venue.fetchOrder({ symbol, clientOrderId, isTrigger, ...id })
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    return undefined
  }
}

function isSame(record: OrderRecord, order: Order): boolean {
  return record.orderId === order.id || record.clientOrderId === order.clientOrderId
}

/** @param order as the venue has it, which knows better */
function pastData({ by, entryStop: _, laterStop: __, ...record }: OrderRecord, order?: Order): PastOrderData {
  return {
    ...record,
    ...(order === undefined ? {} : { state: order.status, amount: order.amount, filled: order.filled }),
    ...defined({ average: order?.average }),
    ...(by === undefined ? {} : { by: nameOf(by), runId: by.runId, ...defined({ taskId: by.taskId }) }),
  }
}

/** Of another program, or from before orders were written down. */
function orderData(order: Order, account: string): PastOrderData {
  const { id, clientOrderId, timestamp, symbol, side, type, amount, filled, reduceOnly, status } = order
  const { price, triggerPrice, takeProfitPrice, average } = order
  return {
    orderId: id,
    account,
    at: timestamp,
    symbol,
    side,
    type,
    amount,
    filled,
    reduceOnly,
    state: status,
    ...defined({ clientOrderId, price }),
    ...(triggerPrice === undefined || !isTriggerType(type) ? {} : { triggerPrice }),
    ...defined({ takeProfitPrice, average }),
  }
}

const COLUMNS: readonly ListColumn<PastOrderData>[] = [
  {
    title: 'sent',
    rank: 6,
    isTime: true,
    show: ({ at }) => showZonedTime(at),
    fields: { time: ({ at }) => isoTime(at) },
  },
  {
    title: 'id',
    rank: 3,
    show: ({ orderId = '' }) => printable(orderId, 40),
    fields: { order: ({ orderId }) => orderId, client_order: ({ clientOrderId }) => clientOrderId },
  },
  { title: 'symbol', show: ({ symbol }) => printable(symbol, 30), fields: { symbol: ({ symbol }) => symbol } },
  { title: 'side', show: ({ side }) => side, fields: { side: ({ side }) => side } },
  { title: 'type', rank: 7, show: ({ type }) => printable(type, 20), fields: { type: ({ type }) => type } },
  {
    title: 'amount',
    align: 'point',
    show: ({ amount }) => showAmount(amount),
    fields: { amount: ({ amount }) => amount },
  },
  {
    title: 'price',
    rank: 4,
    align: 'point',
    show: pricesOf,
    fields: {
      price: ({ price }) => price,
      trigger: ({ triggerPrice }) => triggerPrice,
      take_profit: ({ takeProfitPrice }) => takeProfitPrice,
    },
  },
  {
    title: 'filled',
    rank: 8,
    align: 'point',
    show: ({ filled }) => showAmount(filled),
    fields: { filled: ({ filled }) => filled },
  },
  {
    title: 'at',
    rank: 5,
    align: 'point',
    show: ({ average }, market) => (average === undefined ? '' : showAverageOf(average, market)),
    fields: { average: ({ average }) => average },
  },
  {
    title: 'from',
    rank: 11,
    least: 8,
    show: ({ by = '' }) => printable(showSource(by), 30),
    fields: { from: ({ by }) => by, run: ({ runId }) => runId },
  },
  {
    title: 'state',
    least: 16,
    show: ({ state, reason }) => `${stateWord(state)}${reason === undefined ? '' : `: ${printable(reason, 80)}`}`,
    fields: { state: ({ state }) => state, reason: ({ reason }) => reason },
  },
  NOTE_COLUMN,
]
