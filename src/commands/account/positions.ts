// `positions`: what is open, what it makes, what was risked, and what covers it.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { VenueView } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Market } from '../../exchange/market.ts'
import type { Order, Position } from '../../exchange/order.ts'
import { parseSymbols } from '../../language/names.ts'
import { printable } from '../../language/printable.ts'
import { type ExitRow, type PositionDetailRow, pick, positionDetailRow } from '../../protocol/rows.ts'
import { coverOf } from '../../trading/cover.ts'
import {
  showAmount,
  showAverage,
  showAverageOf,
  showGain,
  showMoney,
  showPrice,
  stepOf,
} from '../../trading/figures.ts'
import { type JournalHistory, NO_HISTORY } from '../../trading/history/journal-history.ts'
import { riskOf } from '../../trading/history/round-trips.ts'
import { findMarkets } from '../../trading/market-view.ts'
import { leftFor, leftForTarget, marginOf } from '../../trading/portfolio.ts'
import { sumWithCurrency } from '../history/fills.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { describeRefusal, isRefusal } from '../kit/errors.ts'
import { type Column, renderTable, unreadLine, unreadOn } from '../kit/lines.ts'
import { readText, refuseMoreThan } from '../kit/read-arguments.ts'

type Need = 'orderHistory'

export const positions: SingleCommand<Need> = {
  name: 'positions',
  aliases: ['pos'],
  group: 'account',
  usage: '[SYMBOL,…]',
  summary: 'open positions with profit or loss, R, stop and target; one without a stop is marked bare',
  where: 'anywhere',
  showsAccounts: true,
  rows: true,
  takesWide: true,
  immediate: true,
  examples: [
    { line: 'positions', meaning: 'one line per symbol; a narrow terminal shows fewer columns, `--wide` all' },
    { line: 'positions BTCUSDT', meaning: 'that one alone' },
  ],
  complete: ({ symbols }) => symbols,
  details: [
    '%       how far the mark has gone from the entry, for the position',
    'R       profit or loss as a multiple of what it loses at the stops of its entries; empty where an entry had none',
    'stop    the one that is reached first; `bare`: the part with no stop',
    'target  the nearest take-profit or reduce-only limit order',
  ],
  async run(context, args) {
    refuseMoreThan(1, args)
    const [first] = args
    const { venue } = await context.account()
    const symbols = first === undefined ? [] : await findMarkets(venue, parseSymbols(readText(first), first.column))
    const held = await venue.fetchPositions()
    const open = symbols.length === 0 ? held : held.filter(({ symbol }) => symbols.includes(symbol))
    const data = (rows: readonly PositionDetailRow[]) =>
      ({ type: 'positions', account: context.accountName, positions: rows }) as const
    if (open.length === 0) {
      const on = symbols.length === 0 ? '' : ` on ${symbols.join(', ')}`
      return context.out.info(`no open positions${on}`, data([]))
    }
    const [markets, orders, journal] = await Promise.all([
      venue.loadMarkets(),
      restingOrders(context, venue),
      readJournal(context),
    ])
    const marketOf = ({ symbol }: Position) => markets.find((market) => market.symbol === symbol)
    const rows = open.map((position) => detailOf(position, { market: marketOf(position), markets, orders, journal }))
    const shown = COLUMNS.filter((column) => column.rank === undefined || rows.some((row) => column.show(row) !== ''))
    const cells = open.map((position, index) =>
      shown.map(({ show }) => show(rows[index] as PositionDetailRow, marketOf(position))),
    )
    context.out.print(renderTable(shown, cells, context.tableWidth), data(rows))
  },
}

/** Undefined where the venue does not list them: whether a position is covered is not known then. */
async function restingOrders({ out }: CommandContext<Need>, venue: VenueView): Promise<readonly Order[] | undefined> {
  try {
    const orders = await venue.fetchOpenOrders()
    for (const row of unreadOn(venue, [])) out.warn(unreadLine(row))
    return orders
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    out.warn(`open orders are unknown, so stops and targets are not shown: ${printable(error.message, 160)}`)
    return undefined
  }
}

async function readJournal({ ports, out, accountName }: CommandContext<Need>): Promise<JournalHistory> {
  try {
    return await ports.orderHistory(accountName)
  } catch (error) {
    if (!isRefusal(error)) throw error
    out.warn(`the risk of the entries is unknown: ${describeRefusal(error)}`)
    return NO_HISTORY
  }
}

interface Known {
  /** Absent: no longer listed. */
  readonly market: Market | undefined
  readonly markets: readonly Market[]
  /** Undefined: not known. */
  readonly orders: readonly Order[] | undefined
  readonly journal: JournalHistory
}

export function detailOf(position: Position, { market, markets, orders, journal }: Known): PositionDetailRow {
  const margin = market === undefined ? undefined : marginOf(position, market.kind)
  return pick(positionDetailRow, {
    ...position,
    ...defined({ margin, movePercent: moveOf(position) }),
    ...riskOf(position, journal, markets),
    ...(orders === undefined ? {} : coverRows(position, orders)),
  })
}

function coverRows(position: Position, orders: readonly Order[]): Partial<PositionDetailRow> {
  const { stops, targets, uncovered } = coverOf(position, orders)
  return {
    stops: stops.map((order) => ({
      ...exitRowOf(order, order.triggerPrice),
      ...defined({ closes: leftFor(order, position, orders) }),
    })),
    targets: targets.map(({ order, price }) => ({
      ...exitRowOf(order, price),
      ...defined({ closes: leftForTarget(order, position, orders) }),
    })),
    uncovered,
  }
}

function exitRowOf({ id, type, remaining, closesPosition }: Order, price: string | undefined): ExitRow {
  return { id, type, ...defined({ price }), ...(closesPosition === true ? {} : { amount: remaining }) }
}

function moveOf({ side, entryPrice, markPrice }: Position): string | undefined {
  if (markPrice === undefined || !new Decimal(entryPrice).gt(0)) return undefined
  const move = new Decimal(markPrice).minus(entryPrice).div(entryPrice).times(100)
  return (side === 'long' ? move : move.neg()).toDecimalPlaces(2).toFixed(2)
}

interface PositionColumn extends Column {
  /** Empty for what is not known. @param market absent: no longer listed */
  show(row: PositionDetailRow, market?: Market): string
}

const COLUMNS: readonly PositionColumn[] = [
  { title: 'symbol', show: ({ symbol }) => printable(symbol, 30) },
  { title: 'side', show: ({ side }) => side },
  { title: 'amount', align: 'point', show: ({ amount }) => showAmount(amount) },
  { title: 'value', align: 'point', rank: 5, show: ({ notional }) => showMoney(notional) },
  { title: 'entry', align: 'point', rank: 2, show: showEntry },
  {
    title: 'mark',
    align: 'point',
    rank: 6,
    show: ({ markPrice }, market) => shown((figure) => showPrice(figure, market), markPrice),
  },
  {
    title: 'liquidation',
    align: 'point',
    rank: 7,
    show: ({ liquidationPrice }, market) => showEntry({ entryPrice: liquidationPrice ?? '' }, market),
  },
  {
    title: 'leverage',
    align: 'right',
    rank: 8,
    show: ({ leverage }) => shown((figure) => `${showAmount(figure)}x`, leverage),
  },
  {
    title: 'margin',
    align: 'point',
    rank: 9,
    show: ({ margin, settle }) => shown((figure) => sumWithCurrency(figure, settle ?? ''), margin),
  },
  {
    title: 'pnl',
    align: 'point',
    show: ({ unrealizedPnl, settle }) =>
      shown((figure) => showGain(figure, (sum) => sumWithCurrency(sum, settle ?? '')), unrealizedPnl),
  },
  {
    title: '%',
    align: 'right',
    rank: 3,
    show: ({ movePercent }) => shown((figure) => showGain(figure, (gain) => `${gain}%`), movePercent),
  },
  {
    title: 'R',
    align: 'right',
    rank: 1,
    show: ({ r }) => shown((figure) => showGain(figure, (gain) => `${gain}R`), r),
  },
  { title: 'stop', align: 'point', show: showStops },
  { title: 'target', align: 'point', rank: 4, show: ({ targets = [] }, market) => showNearest(targets, market) },
  {
    title: 'realized',
    align: 'point',
    rank: 10,
    show: ({ realizedPnl, settle }) =>
      shown((figure) => showGain(figure, (sum) => sumWithCurrency(sum, settle ?? '')), realizedPnl),
  },
]

/** A market that is no longer listed says nothing of its step. */
function showEntry({ entryPrice, markPrice }: Partial<PositionDetailRow>, market?: Market): string {
  if (entryPrice === undefined || entryPrice === '') return ''
  if (market !== undefined) return showAverageOf(entryPrice, market)
  return showAverage(entryPrice, stepOf([markPrice ?? entryPrice]))
}

/** `63,700`; `63,700 +1` of two; `63,700, 0.005 bare` where it ends a part; `bare` without one. */
export function showStops({ stops, uncovered }: PositionDetailRow, market?: Market): string {
  if (stops === undefined || uncovered === undefined) return '?'
  if (stops.length === 0) return 'bare'
  return `${showNearest(stops, market)}${new Decimal(uncovered).isZero() ? '' : `, ${showAmount(uncovered)} bare`}`
}

/** Those that have something left to close. */
export function showNearest(exits: readonly ExitRow[], market?: Market): string {
  const [first, ...others] = exits.filter(({ closes }) => closes !== '0')
  if (first === undefined) return ''
  const limit = first.type === 'stop-limit' ? ' limit' : ''
  return `${first.price === undefined ? first.type : showPrice(first.price, market)}${limit}${others.length === 0 ? '' : ` +${others.length}`}`
}

function shown(show: (figure: string) => string, figure: string | undefined): string {
  return figure === undefined ? '' : show(figure)
}
