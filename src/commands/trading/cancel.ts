// `cancel`: takes resting orders back, by id, by symbol or all.
import type { Exchange, Order } from '../../exchange/exchange.ts'
import { LanguageError } from '../../language/language-error.ts'
import { parseCancel } from '../../language/order.ts'
import { printable, shown } from '../../language/printable.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { forEachItem } from '../kit/each-item.ts'
import { describeOrder } from '../kit/order-lines.ts'

export const cancel: SingleCommand = {
  name: 'cancel',
  group: 'trading',
  usage: '[order id | SYMBOL | all]…',
  summary: 'take resting orders back; without arguments, those on the symbol in focus',
  where: 'anywhere',
  examples: [
    { line: 'cancel', says: 'every order on the symbol in focus' },
    { line: 'cancel p17,p18', says: 'two orders by their ids, as `orders` shows them' },
    { line: 'cancel ETHUSDT', says: 'every order on ETHUSDT' },
    { line: 'cancel all', says: 'every order of the account' },
  ],
  complete: ({ symbols }) => [...symbols, 'all'],
  check: parseCancel,
  async run(context, args) {
    const intent = parseCancel(args)
    const { exchange } = await context.account()
    if (intent.kind === 'all') return tell(context, await exchange.cancelAllOrders(), '')
    if (intent.kind === 'focused') return cancelSymbol(context, exchange, context.symbol)
    const orders = await exchange.fetchOpenOrders()
    const markets = await exchange.loadMarkets()
    const isOrder = (name: string) => orders.some((order) => order.id === name)
    const isSymbol = (name: string) => markets.some((market) => market.symbol === name.toUpperCase())
    const stranger = intent.names.find(({ text }) => !isOrder(text) && !isSymbol(text))
    if (stranger !== undefined) throw unknownOrder(stranger.text, stranger.column)
    const names = intent.names.map(({ text }) => text)
    await forEachItem(context, names, async (name) => {
      if (isOrder(name)) tell(context, [await exchange.cancelOrder(name)], '')
      else await cancelSymbol(context, exchange, name.toUpperCase())
    })
  },
}

async function cancelSymbol(context: CommandContext, exchange: Exchange, symbol: string): Promise<void> {
  tell(context, await exchange.cancelAllOrders(symbol), ` on ${symbol}`)
}

/** Having nothing to cancel is no failure: `cancel; close` ends flat whatever was open. */
function tell(context: CommandContext, canceled: readonly Order[], where: string): void {
  if (canceled.length === 0) context.out.info(`no open orders${where}`)
  for (const order of canceled) {
    context.out.success(`canceled order ${printable(order.id, 40)}: ${describeOrder(order)}`)
  }
}

/** Nothing is canceled when one of the names is not understood. */
function unknownOrder(text: string, column: number): LanguageError {
  const message = `${shown(text)} is no open order and no symbol`
  return new LanguageError('bad-argument', message, column, '`orders` lists what can be canceled')
}
