// `close`: ends positions at the market, whole or in part, never past flat.
import type { Exchange, Position } from '../../exchange/exchange.ts'
import { type CloseIntent, parseClose } from '../../language/order.ts'
import type { Size } from '../../language/size.ts'
import { findMarket, viewSymbol } from '../../trading/market-view.ts'
import { placeOrder } from '../../trading/place-order.ts'
import { resolveAmount } from '../../trading/sizing.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { forEachItem } from '../kit/each-item.ts'

export const close: SingleCommand = {
  name: 'close',
  aliases: ['c'],
  group: 'trading',
  usage: '[SYMBOL,… | longs | shorts | all] [size]',
  summary: 'reduce or end positions at the market',
  where: 'anywhere',
  examples: [
    { line: 'close', says: 'ends the position on the symbol in focus' },
    { line: 'close BTCUSDT 50%', says: 'halves it' },
    { line: 'close longs', says: 'ends every long' },
  ],
  complete: ({ symbols }) => [...symbols, 'longs', 'shorts', 'all'],
  check: parseClose,
  async run(context, args) {
    const intent = parseClose(args)
    const { exchange } = await context.account()
    const positions = await exchange.fetchPositions()
    const symbols = await symbolsMeant(context, exchange, intent, positions)
    if (symbols.length === 0) context.out.info(`no ${intent.which === 'all' ? 'open' : intent.which} positions`)
    const isOpen = (symbol: string) => positions.some((position) => position.symbol === symbol)
    for (const symbol of symbols.filter((name) => !isOpen(name))) context.out.info(`no position on ${symbol}`)
    await forEachItem(context, symbols.filter(isOpen), (symbol) => closeOne(context, exchange, symbol, intent.size))
  },
}

/** Being flat already is what `close` is for: it is told, not refused. A symbol that does not exist is refused. */
async function symbolsMeant(
  context: CommandContext,
  exchange: Exchange,
  intent: CloseIntent,
  positions: readonly Position[],
): Promise<readonly string[]> {
  const { which } = intent
  if (which !== undefined) {
    return positions.filter(({ side }) => which === 'all' || side === which).map(({ symbol }) => symbol)
  }
  const symbols = intent.symbols.length > 0 ? intent.symbols : [context.symbol]
  for (const symbol of symbols) await findMarket(exchange, symbol)
  return symbols
}

const WHOLE: Size = { kind: 'percent', percent: '100', of: 'position' }

async function closeOne(
  context: CommandContext,
  exchange: Exchange,
  symbol: string,
  size: Size = WHOLE,
): Promise<void> {
  const { market, ticker, position } = await viewSymbol(exchange, symbol)
  const amount = await resolveAmount(size, {
    market,
    price: ticker.last,
    position,
    percentOf: 'position',
    free: async () => (await exchange.fetchBalance()).free,
  })
  await placeOrder(context, exchange, {
    symbol,
    side: position?.side === 'short' ? 'buy' : 'sell',
    type: 'market',
    amount,
    reduceOnly: true,
  })
}
