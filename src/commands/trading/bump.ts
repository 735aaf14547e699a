// `bump`: resting limit orders, each by the same offset from the price it has. None is moved through the market.
import { Decimal } from 'decimal.js'
import type { Order } from '../../exchange/order.ts'
import { priceOnGrid, stepAt } from '../../exchange/price-grid.ts'
import { type BumpIntent, parseBump } from '../../language/amend.ts'
import { FOCUS, NO_SYMBOL } from '../../language/focus-taken.ts'
import { LanguageError } from '../../language/language-error.ts'
import type { PriceOffset } from '../../language/price.ts'
import { printable, shown } from '../../language/printable.ts'
import { showPrice } from '../../trading/figures.ts'
import { findMarket, type MarketView, matchMarket, viewSymbol } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { refuseTaking, resolvePrice, restingSide } from '../../trading/pricing.ts'
import { TradingError } from '../../trading/trading-error.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { CommandError, describeRefusal, isRefusal } from '../kit/errors.ts'
import { forEachItem } from '../kit/running.ts'
import { changeResting, requireEdit } from './amend.ts'

export const bump: SingleCommand = {
  name: 'bump',
  group: 'trading',
  usage: '[order id | SYMBOL]… <±offset> [replace]',
  summary: 'move resting limit orders by an offset from their own prices; without a name, those on the symbol in focus',
  where: 'anywhere',
  sends: true,
  examples: [
    { line: 'bump +10', says: 'every limit order on the symbol in focus, ten higher' },
    { line: 'bump p17 -0.1%', says: 'one order, a tenth of a percent lower' },
    { line: 'bump BTCUSDT -50', says: 'every limit order on BTCUSDT; none goes through the market' },
  ],
  complete: ({ words, symbols }) => [...symbols, ...(words.length > 0 ? ['replace'] : [])],
  check: parseBump,
  symbolUse: (args) => (parseBump(args).names.length === 0 ? FOCUS : NO_SYMBOL),
  async run(context, args) {
    const intent = parseBump(args)
    const account = await context.account()
    const orders = await ordersMeant(context, account, intent)
    for (const order of orders) requireEdit(account, order, intent)
    await checkAll(context, account, orders, intent)
    const byId = new Map(orders.map((order) => [order.id, order]))
    await forEachItem(context, [...byId.keys()], async (id) => {
      const order = byId.get(id)
      if (order === undefined) return
      await changeResting(context, account, order, async () => {
        return { price: bumped(order, intent.offset, await viewSymbol(account.venue, order.symbol)) }
      })
    })
  },
}

/** Nothing is moved when one of the names is not understood, or names nothing that a bump moves. */
async function ordersMeant(
  context: CommandContext,
  { venue }: TradingAccount,
  { names }: BumpIntent,
): Promise<readonly Order[]> {
  const [open, markets] = await Promise.all([venue.fetchOpenOrders(), venue.loadMarkets()])
  const limitsOn = (symbol: string) => {
    const orders = open.filter((order) => order.symbol === symbol && order.type === 'limit')
    if (orders.length > 0) return orders
    throw new CommandError('order-not-found', `no limit order rests on ${symbol}`, {
      hint: '`orders` lists what rests',
    })
  }
  if (names.length === 0) return limitsOn((await findMarket(venue, context.symbol)).symbol)
  const meant = names.flatMap(({ text, column }) => {
    const order = open.find(({ id }) => id === text)
    if (order?.type === 'limit') return [order]
    if (order !== undefined) throw notLimit(order)
    const symbol = matchMarket(markets, text)?.symbol
    if (symbol !== undefined) return limitsOn(symbol)
    const message = `${shown(text)} is neither an open order nor a symbol`
    throw new LanguageError('bad-argument', message, column, '`orders` lists what can be moved')
  })
  return [...new Set(meant)]
}

function notLimit({ id, type }: Order): CommandError {
  const name = printable(id, 40)
  return new CommandError('bad-price', `order ${name} is a ${type} order, and \`bump\` moves limit orders`, {
    hint: `\`move ${name} to <price>\` moves its trigger`,
  })
}

/** All or none: each is worked out before the first is moved. @throws {CommandError} `none-moved` after each refusal was printed */
async function checkAll(
  { out }: CommandContext,
  { venue }: TradingAccount,
  orders: readonly Order[],
  { offset }: BumpIntent,
): Promise<void> {
  const views = new Map<string, MarketView>()
  for (const { symbol } of orders) if (!views.has(symbol)) views.set(symbol, await viewSymbol(venue, symbol))
  const refused: string[] = []
  for (const order of orders) {
    const view = views.get(order.symbol)
    try {
      if (view !== undefined) bumped(order, offset, view)
    } catch (error) {
      if (!isRefusal(error) || orders.length === 1) throw error
      refused.push(printable(order.id, 40))
      out.error(`${printable(order.id, 40)}: ${describeRefusal(error)}`)
    }
  }
  if (refused.length === 0) return
  throw new CommandError('none-moved', `${refused.join(', ')} refused: no order was moved`, {
    hint: 'choose another offset, or name the orders to move',
  })
}

/** Its new price, on the grid. @throws {TradingError} `bad-price` where it is the old one, or would take from the book */
function bumped({ id, side, price = '0', postOnly }: Order, offset: PriceOffset, view: MarketView): string {
  const { market } = view
  const moved = priceOnGrid(
    resolvePrice({ base: { kind: 'absolute', price }, offset }, view),
    market,
    postOnly ? restingSide(side) : 'nearest',
  )
  if (new Decimal(moved).eq(price)) {
    const step = showPrice(stepAt(price, market.priceGrid))
    throw new TradingError('bad-price', `order ${printable(id, 40)} would stay at ${showPrice(price)}`, {
      hint: `${market.symbol} trades in steps of ${step}`,
    })
  }
  refuseTaking(side, moved, view, 'choose a smaller offset, or `close` and `buy` at the market')
  return moved
}
