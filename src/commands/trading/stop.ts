// `stop`: protects the position, or enters when a price is reached.
import type { Exchange, Side } from '../../exchange/exchange.ts'
import { parseStop, type StopIntent } from '../../language/order.ts'
import { balanceOnce, type MarketView, viewSymbol } from '../../trading/market-view.ts'
import { placeOrder } from '../../trading/place-order.ts'
import { priceOnTick, resolvePrice } from '../../trading/pricing.ts'
import { resolveAmount } from '../../trading/sizing.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/command-error.ts'
import { forEachItem } from '../kit/each-item.ts'

export const stop: SingleCommand = {
  name: 'stop',
  group: 'trading',
  usage: '[buy | sell] [size] [SYMBOL,…] at <price>',
  summary: 'a market order once last reaches a price: to protect the position, or to enter',
  where: 'anywhere',
  examples: [
    { line: 'stop at -2%', says: 'closes the whole position two percent from here' },
    { line: 'stop 50% at $entry +3%', says: 'takes profit on half of it' },
    { line: 'stop buy $250 at +100', says: 'enters a breakout when flat' },
  ],
  complete: ({ words, symbols }) => (words.at(-1) === 'at' ? ['$last', '$entry'] : [...symbols, 'buy', 'sell', 'at']),
  check: parseStop,
  async run(context, args) {
    const intent = parseStop(args)
    const { exchange } = await context.account()
    const balance = balanceOnce(exchange)
    const free = async () => (await balance()).free
    const symbols = intent.symbols.length > 0 ? intent.symbols : [context.symbol]
    await forEachItem(context, symbols, (symbol) => placeStop(context, exchange, { intent, symbol, free }))
  },
}

interface StopOrder {
  readonly intent: StopIntent
  readonly symbol: string
  readonly free: () => Promise<string>
}

async function placeStop(context: CommandContext, exchange: Exchange, order: StopOrder): Promise<void> {
  const { intent, symbol, free } = order
  const view = await viewSymbol(exchange, symbol)
  const { market, position } = view
  const { side, protects } = sideOf(intent, view)
  const triggerPrice = priceOnTick(resolvePrice(intent.trigger, view), market, 'nearest')
  const percentOf = protects ? 'position' : 'balance'
  const size = intent.size ?? { kind: 'percent', percent: '100', of: 'position' }
  const amount = await resolveAmount(size, { market, price: triggerPrice, position, percentOf, free })
  await placeOrder(context, exchange, {
    symbol,
    side,
    type: 'stop',
    amount,
    triggerPrice,
    ...(protects ? { reduceOnly: true } : {}),
  })
}

/** Against the position it protects; otherwise it enters, and then it must say which way and how much. */
function sideOf(intent: StopIntent, { position, market }: MarketView): { side: Side; protects: boolean } {
  const exit = position === undefined ? undefined : position.side === 'long' ? 'sell' : 'buy'
  if (exit !== undefined && (intent.side ?? exit) === exit) return { side: exit, protects: true }
  if (intent.side !== undefined && intent.size !== undefined) return { side: intent.side, protects: false }
  const why =
    position === undefined
      ? `there is no position on ${market.symbol} to protect`
      : `a stop to ${intent.side} adds to the ${position.side} on ${market.symbol}`
  throw new CommandError('bad-stop', why, {
    hint: `to enter, say how much: \`stop ${intent.side ?? 'buy'} $250 at …\``,
  })
}
