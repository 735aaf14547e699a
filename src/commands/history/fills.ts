// `fills`: what was executed, by whom, at which fee, and what it realised.
import { Decimal } from 'decimal.js'
import type { VenueCause } from '../../exchange/order.ts'
import { printable } from '../../language/printable.ts'
import { showAmount, showGain, showPrice, showSum, showZonedTime } from '../../trading/figures.ts'
import { isWithin } from '../../trading/history/account-history.ts'
import { nameOf } from '../../trading/history/executions.ts'
import type { Notes } from '../../trading/history/notes.ts'
import type { RealizedExecution } from '../../trading/history/realize.ts'
import type { SingleCommand } from '../kit/command.ts'
import type { FillData } from '../kit/data.ts'
import { showSource } from '../kit/lines.ts'
import {
  askHistory,
  HISTORY_WORDS,
  type HistoryNeed,
  hasTag,
  readHistoryOptions,
  TAGGED_USAGE,
} from './history-options.ts'
import { isoTime, type ListColumn, marketsBySymbol, NOTE_COLUMN, showList } from './show-list.ts'

export const fills: SingleCommand<HistoryNeed> = {
  name: 'fills',
  group: 'history',
  usage: TAGGED_USAGE,
  summary: 'executed fills, oldest first, with fee, realized profit and origin',
  where: 'anywhere',
  showsAccounts: true,
  rows: 'own',
  takesWide: true,
  immediate: true,
  examples: [
    { line: 'fills', meaning: 'the newest 50, on every symbol' },
    { line: 'fills BTCUSDT --since 2d', meaning: 'one symbol, last two days' },
    { line: 'fills --since 2026-01-01 --csv', meaning: 'rows for a spreadsheet' },
  ],
  complete: ({ symbols }) => [...symbols, ...HISTORY_WORDS],
  check: (args) => readHistoryOptions(args, 0),
  async run(context, args) {
    const options = readHistoryOptions(args, context.clock.now())
    const { executions, markets, gaps, notes } = await askHistory(context, options)
    const rows = executions
      .filter(({ trade }) => isWithin(trade.timestamp, options.range))
      .map((execution) => fillData(execution, notes))
      .filter(hasTag(options))
    const data = (listed: readonly FillData[]) =>
      ({ type: 'fills', account: context.accountName, fills: listed, gaps }) as const
    showList(
      context,
      { columns: COLUMNS, rows, marketOf: marketsBySymbol(markets), gaps, none: 'no fills', data },
      options,
    )
  },
}

function fillData({ trade, by, pnl, currency, tags }: RealizedExecution, notes: Notes): FillData {
  return {
    ...trade,
    ...(pnl === undefined || currency === undefined ? {} : { pnl, pnlCurrency: currency }),
    ...(by === undefined ? {} : { by: nameOf(by), runId: by.runId }),
    ...notes.ofOrder(trade.symbol, trade.orderId, tags),
  }
}

const COLUMNS: readonly ListColumn<FillData>[] = [
  {
    title: 'when',
    rank: 2,
    isTime: true,
    show: ({ timestamp }) => showZonedTime(timestamp),
    fields: { time: ({ timestamp }) => isoTime(timestamp) },
  },
  { title: 'symbol', show: ({ symbol }) => printable(symbol, 30), fields: { symbol: ({ symbol }) => symbol } },
  { title: 'side', show: ({ side }) => side, fields: { side: ({ side }) => side } },
  {
    title: 'amount',
    align: 'point',
    show: ({ amount }) => showAmount(amount),
    fields: { amount: ({ amount }) => amount },
  },
  {
    title: 'price',
    align: 'point',
    show: ({ price }, market) => showPrice(price, market),
    fields: { price: ({ price }) => price },
  },
  {
    title: 'fee',
    rank: 7,
    align: 'point',
    show: ({ fee, feeCurrency = '' }) => (fee === undefined ? '' : sumWithCurrency(fee, feeCurrency)),
    fields: { fee: ({ fee }) => fee, fee_currency: ({ feeCurrency }) => feeCurrency },
  },
  {
    title: 'pnl',
    rank: 5,
    align: 'point',
    show: ({ pnl, pnlCurrency = '' }) =>
      pnl === undefined
        ? '?'
        : new Decimal(pnl).isZero()
          ? ''
          : showGain(pnl, (sum) => sumWithCurrency(sum, pnlCurrency)),
    fields: { pnl: ({ pnl }) => pnl, pnl_currency: ({ pnlCurrency }) => pnlCurrency },
  },
  {
    title: 'order',
    rank: 6,
    show: ({ orderId }) => printable(orderId, 24),
    fields: { order: ({ orderId }) => orderId },
  },
  {
    title: 'from',
    rank: 8,
    least: 8,
    show: ({ by, cause }) => fromWhom(by, cause),
    fields: {
      from: ({ by }) => by && showSource(by),
      run: ({ runId }) => runId,
      fill: ({ id }) => id,
      cause: ({ cause }) => cause,
    },
  },
  NOTE_COLUMN,
]

/** Who ordered it, and what the venue did by itself. */
export function fromWhom(by: string | undefined, cause: VenueCause | undefined): string {
  const words = [by === undefined ? undefined : showSource(by), cause]
  return words.flatMap((word) => (word === undefined ? [] : [printable(word, 30)])).join(', ')
}

/** A gain has its sign; fees are what was paid. */
export function showFigure(
  figure: 'realized' | 'fees' | 'funding' | 'net',
  sum: string,
  show: (sum: string) => string,
): string {
  return figure === 'fees' ? show(sum) : showGain(sum, show)
}

/** Dollars are known by their sign. */
export function sumWithCurrency(sum: string, currency: string): string {
  const figure = showSum(sum, currency)
  return figure.includes('$') || currency === '' ? figure : `${figure} ${printable(currency, 10)}`
}
