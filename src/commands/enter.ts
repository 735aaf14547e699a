// `buy` and `sell`: from intent to one order per symbol, with its protective stop where one is asked for.
import { Decimal } from 'decimal.js'
import type { Exchange, Order, Side } from '../exchange/exchange.ts'
import type { OrderIntent } from '../language/order.ts'
import { parseOrder } from '../language/order.ts'
import type { PriceExpression } from '../language/price.ts'
import { type CommandContext, CommandError, type CommandExample, type SingleCommand } from './command.ts'
import { forEachItem } from './fan-out.ts'
import { showPrice } from './figures.ts'
import { balanceOnce, type MarketView, viewSymbol } from './market-view.ts'
import { placeOrder } from './place-order.ts'
import { priceOnTick, resolvePrice, restingSide } from './pricing.ts'
import { resolveAmount } from './sizing.ts'

export const buy: SingleCommand = entryCommand('buy', 'b', [
  { line: 'buy $250 BTCUSDT', says: 'at the market, for 250 dollars' },
  { line: 'buy 0.01 at -1%', says: 'a limit order one percent under last, on the symbol in focus' },
  { line: 'buy $100 BTCUSDT,ETHUSDT', says: 'for 100 dollars each' },
  { line: 'buy 50% best po', says: 'half of the free balance at the best bid, as a maker or not at all' },
  { line: 'buy $250 stop -2%', says: 'with a reduce-only stop two percent under last' },
])

export const sell: SingleCommand = entryCommand('sell', 's', [
  { line: 'sell $250 BTCUSDT', says: 'at the market, for 250 dollars' },
  { line: 'sell 50% at +1% reduce', says: 'takes profit on half of the position' },
  { line: 'sell $500 at $ask +10 po', says: 'a resting order ten over the ask' },
])

function entryCommand(side: Side, alias: string, examples: readonly CommandExample[]): SingleCommand {
  return {
    name: side,
    aliases: [alias],
    group: 'trading',
    usage: '<size> [SYMBOL,…] [at <price> | best] [po] [reduce] [stop <price>]',
    summary: side === 'buy' ? 'open or add to a long, or reduce a short' : 'open or add to a short, or reduce a long',
    where: 'anywhere',
    examples,
    complete: ({ words, symbols }) => (words.at(-1) === 'at' ? ANCHORS : [...symbols, ...SUFFIXES]),
    async run(context, args) {
      const intent = parseOrder(args)
      const { exchange } = await context.account()
      const balance = balanceOnce(exchange)
      const free = async () => (await balance()).free
      const symbols = intent.symbols.length > 0 ? intent.symbols : [context.symbol]
      await forEachItem(context, symbols, (symbol) => enter(context, { exchange, side, intent, symbol, free }))
    },
  }
}

const ANCHORS = ['$last', '$bid', '$ask', '$entry']
const SUFFIXES = ['at', 'best', 'po', 'reduce', 'stop']

interface Entry {
  readonly exchange: Exchange
  readonly side: Side
  readonly intent: OrderIntent
  readonly symbol: string
  readonly free: () => Promise<string>
}

async function enter(context: CommandContext, entry: Entry): Promise<void> {
  const { exchange, side, intent, symbol, free } = entry
  const view = await viewSymbol(exchange, symbol)
  const { market, position, ticker } = view
  const limit = limitPrice(view, side, intent)
  const price = limit ?? ticker.last
  const percentOf = intent.reduce ? 'position' : 'balance'
  const amount = await resolveAmount(intent.size, { market, price, position, percentOf, free })
  if (intent.stop !== undefined) checkAttachedStop(view, entry, intent.stop, limit)
  const order = await placeOrder(context, exchange, {
    symbol,
    side,
    amount,
    ...(limit === undefined ? { type: 'market' } : { type: 'limit', price: limit }),
    ...(intent.reduce ? { reduceOnly: true } : {}),
    ...(intent.postOnly ? { postOnly: true } : {}),
  })
  if (intent.stop !== undefined) await attachStop(context, entry, intent.stop, order)
}

function limitPrice(view: MarketView, side: Side, intent: OrderIntent): string | undefined {
  const rounding = intent.postOnly || intent.best ? restingSide(side) : 'nearest'
  if (intent.best) return priceOnTick(side === 'buy' ? view.ticker.bid : view.ticker.ask, view.market, rounding)
  if (intent.price === undefined) return undefined
  return priceOnTick(resolvePrice(intent.price, view), view.market, rounding)
}

/** A stop that cannot do its work is refused before the entry is placed. */
function checkAttachedStop(view: MarketView, { side, intent }: Entry, stop: PriceExpression, limit?: string): void {
  if (intent.reduce) {
    throw new CommandError('bad-stop', 'a `reduce` order opens nothing that a stop could protect')
  }
  const trigger = resolvePrice(stop, view, limit ?? view.ticker.last)
  const { last } = view.ticker
  const comesFirst =
    limit !== undefined &&
    (side === 'buy'
      ? trigger.greaterThanOrEqualTo(limit) && trigger.lessThan(last)
      : trigger.lessThanOrEqualTo(limit) && trigger.greaterThan(last))
  if (!comesFirst) return
  throw new CommandError(
    'bad-stop',
    `the stop at ${showPrice(trigger)} would come before the entry at ${showPrice(limit)}`,
    { hint: '`stop $entry -2%` counts from the entry instead of last' },
  )
}

/** Opposite side, reduce-only, as large as what filled or rests. The entry stands whatever becomes of its stop. */
async function attachStop(context: CommandContext, entry: Entry, stop: PriceExpression, order: Order): Promise<void> {
  const amount = order.status === 'open' ? order.amount : order.filled
  if (new Decimal(amount).isZero()) return
  try {
    const view = await viewSymbol(entry.exchange, entry.symbol)
    const trigger = resolvePrice(stop, view, order.average ?? order.price ?? view.ticker.last)
    await placeOrder(context, entry.exchange, {
      symbol: entry.symbol,
      side: entry.side === 'buy' ? 'sell' : 'buy',
      type: 'stop',
      amount,
      triggerPrice: priceOnTick(trigger, view.market, 'nearest'),
      reduceOnly: true,
    })
  } catch (error) {
    throw unprotected(entry, error)
  }
}

function unprotected({ symbol, side }: Entry, cause: unknown): unknown {
  if (!(cause instanceof Error) || !('hint' in cause)) return cause
  return new CommandError('stop-failed', `${side} ${symbol} stands without its stop: ${cause.message}`, {
    hint: '`stop at <price>` places one, `close` ends the position',
    cause,
  })
}
