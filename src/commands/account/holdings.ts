// `balance` and `orders`: the money of the account, and its resting orders.

import { defined } from '../../base/defined.ts'
import type { Market } from '../../exchange/market.ts'
import type { Order, OrderRef } from '../../exchange/order.ts'
import { LanguageError } from '../../language/language-error.ts'
import { parseSymbols } from '../../language/names.ts'
import { printArgument } from '../../language/print.ts'
import { printable, shown } from '../../language/printable.ts'
import { showAmount, showMoment, showPrice, showSum, showZonedTime } from '../../trading/figures.ts'
import { findMarkets } from '../../trading/market-view.ts'
import type { BracketedOrder } from '../../trading/order-desk.ts'
import { HISTORY_WORDS, type HistoryNeed } from '../history/history-options.ts'
import { showAllOrders } from '../history/orders-all.ts'
import { marketsBySymbol } from '../history/show-list.ts'
import type { SingleCommand } from '../kit/command.ts'
import { AT_FILL, type Column, pricesOf, renderTable, unreadLine, unreadOn } from '../kit/lines.ts'
import { readText, refuseMoreThan, takeFlag } from '../kit/read-arguments.ts'
import { isSettling, SETTLE_USAGE, settleOrder, unsettledLine } from './settle-order.ts'

export const balance: SingleCommand = {
  name: 'balance',
  aliases: ['bal'],
  group: 'account',
  usage: '',
  summary: 'money in the account, and how much of it is free',
  where: 'anywhere',
  showsAccounts: true,
  rows: true,
  immediate: true,
  examples: [{ line: 'balance', meaning: 'wallet; equity: with unrealized profit and loss; margin in use; free' }],
  async run(context, args) {
    refuseMoreThan(0, args)
    const { venue } = await context.account()
    const rows = await venue.fetchBalances()
    const columns: Column[] = ['wallet', 'equity', 'used', 'free'].map((title) => ({ title, align: 'point' }))
    const cells = rows.map(({ currency, wallet, total, used, free }) => {
      return [currency, ...[wallet, total, used, free].map((figure) => showSum(figure, currency))]
    })
    context.out.print(renderTable([{ title: 'currency' }, ...columns], cells), {
      type: 'balances',
      account: context.accountName,
      balances: rows,
    })
  },
}

/** An option of the past alone. */
const OF_HISTORY = /^(--(today|since|until|limit|before-reset|csv)(=.*)?|#.+)$/

export const orders: SingleCommand<HistoryNeed> = {
  name: 'orders',
  group: 'account',
  usage: `[SYMBOL,…]\n--all [SYMBOL,…] [#tag…] [--since <time>] [--until <time>] [--limit <n>] [--before-reset] [--csv | --json]\n${SETTLE_USAGE}`,
  summary:
    'resting orders, oldest first, entries with the stop and target that follow their fill; --all: every order and its result',
  where: 'anywhere',
  showsAccounts: true,
  rows: true,
  takesWide: true,
  immediate: true,
  examples: [
    { line: 'orders', meaning: 'every resting order' },
    { line: 'orders BTCUSDT', meaning: 'those on BTCUSDT' },
    { line: 'orders --all --since 7d', meaning: 'those of a week: filled, canceled, refused and resting' },
    {
      line: 'orders settle f4b1527f3fb5 never',
      meaning: 'the order got no answer, and the venue does not have it; only in the terminal',
    },
    { line: 'orders settle f4b1527f3fb5 placed 8389765', meaning: 'the venue has it, as this order' },
  ],
  complete: ({ words, symbols }) => (words.includes('--all') ? HISTORY_WORDS : ['--all', ...symbols]),
  async run(context, args) {
    if (isSettling(args)) return settleOrder(context, args)
    const { rest, given } = takeFlag(args, '--all')
    if (given) return showAllOrders(context, rest)
    const ofHistory = args.find((each) => each.kind === 'word' && OF_HISTORY.test(each.text))
    if (ofHistory !== undefined) {
      const line = `orders --all ${args.map(printArgument).join(' ')}`
      const message = `${shown(printArgument(ofHistory))} is for \`orders --all\``
      throw new LanguageError('bad-argument', message, ofHistory.column, `type \`${printable(line, 80)}\``)
    }
    refuseMoreThan(1, args)
    const [first] = args
    if (first?.kind === 'word' && /^(open|list|all)$/i.test(first.text)) {
      const hint = 'type `orders` for what rests, `orders --all` for every order'
      throw new LanguageError('bad-argument', `${shown(first.text)} is not a symbol`, first.column, hint)
    }
    const typed = first === undefined ? [] : parseSymbols(readText(first), first.column)
    const { venue, orders: desk } = await context.account()
    const symbols = await findMarkets(venue, typed)
    const [all, markets] = await Promise.all([venue.fetchOpenOrders(), venue.loadMarkets()])
    const wanted = symbols.length === 0 ? all : all.filter((order) => symbols.includes(order.symbol))
    const rows = await desk.records.withBrackets(wanted)
    const unsettled = await desk.records.unsettledAnywhere()
    for (const each of unsettled) context.out.warn(unsettledLine(each))
    const changes = desk.records.unsettledChanges()
    for (const { ref, at } of changes) context.out.warn(unsettledChangeLine(ref, at))
    const unread = unreadOn(venue, symbols)
    for (const row of unread) context.out.warn(unreadLine(row))
    const data = {
      type: 'orders',
      account: context.accountName,
      ...(unread.length === 0 ? {} : { unread }),
      orders: rows,
      unsettled: unsettled.map(({ order: { symbol, side, amount }, at }) => ({ symbol, side, amount, sentAt: at })),
      unsettledChanges: changes.map(({ ref: { symbol, id }, change, at }) => ({
        symbol,
        change,
        sentAt: at,
        ...defined({ orderId: id }),
      })),
    } as const
    if (rows.length === 0)
      return context.out.info(`no open orders${first === undefined ? '' : ` on ${symbols.join(', ')}`}`, data)
    const marketOf = marketsBySymbol(markets)
    const cells = rows.flatMap((order) => orderRows(order, marketOf(order)))
    context.out.print(renderTable(ORDER_COLUMNS, cells, context.tableWidth), data)
  },
}

function unsettledChangeLine({ id, symbol }: OrderRef, at: number): string {
  const name = id === undefined ? `the ${symbol} order` : `order ${printable(id, 40)}`
  return `no answer to the change of ${name}, sent ${showMoment(at)}: its outcome is unknown`
}

const ORDER_COLUMNS: readonly Column[] = [
  { title: 'id', rank: 1 },
  { title: 'symbol' },
  { title: 'side' },
  { title: 'type', rank: 3 },
  { title: 'amount', align: 'point' },
  { title: 'filled', rank: 4, align: 'point' },
  { title: 'price', align: 'point' },
  { title: 'flags', rank: 5 },
  { title: 'placed', rank: 6, isTime: true },
]

/** An entry is followed by what is placed at its fill: those rows have no id yet. */
function orderRows(order: BracketedOrder, market: Market | undefined): readonly (readonly string[])[] {
  const { side, remaining, stop, takeProfit } = order
  const exit = side === 'buy' ? 'sell' : 'buy'
  const atFill = (type: string, price: string) => [
    '',
    AT_FILL,
    exit,
    type,
    showAmount(remaining),
    '',
    showPrice(price, market),
  ]
  return [
    orderCells(order, market),
    ...(stop === undefined ? [] : [atFill('stop', stop.triggerPrice)]),
    ...(takeProfit === undefined ? [] : [atFill('take-profit', takeProfit.triggerPrice)]),
  ]
}

function orderCells(order: Order, market: Market | undefined): readonly string[] {
  return [
    printable(order.id, 40),
    order.symbol,
    order.side,
    order.type,
    order.closesPosition === true ? 'all' : showAmount(order.amount),
    showAmount(order.filled),
    pricesOf(order, market),
    [order.postOnly ? 'po' : '', flagOf(order)].filter(Boolean).join(' '),
    showZonedTime(order.timestamp),
  ]
}

function flagOf({ closesPosition, reduceOnly }: Order): string {
  if (closesPosition === true) return 'closes'
  return reduceOnly ? 'reduce' : ''
}
