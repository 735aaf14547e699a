// `buy` and `sell`: from intent to one order per symbol, with its stop and its take-profit where they are asked for.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { AcceptedBreach } from '../../exchange/exchange.ts'
import type { Order, Position, Side } from '../../exchange/order.ts'
import { priceOnGrid } from '../../exchange/price-grid.ts'
import { symbolsOf } from '../../language/focus-taken.ts'
import { type OrderIntent, parseOrder } from '../../language/order.ts'
import { printable } from '../../language/printable.ts'
import { showAmount } from '../../trading/figures.ts'
import { findMarkets, freeOnce, type MarketView, viewSymbol } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { endsAtOnce, type OrderedBy, type OrderPlan, type ProtectionPlan } from '../../trading/order-plan.ts'
import { planProtection } from '../../trading/plan-protection.ts'
import { fillPrice, refuseFarThrough, resolvePrice, restingSide } from '../../trading/pricing.ts'
import { flips, resolveAmount } from '../../trading/sizing.ts'
import type { CommandContext, CommandExample, SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { cutLine, flipLine, tellOrders } from '../kit/lines.ts'
import { forEachItem, foreseeEach, placeAsking } from '../kit/running.ts'
import { requireFar } from './protective-stop.ts'
import { requireProtection, requireReduce } from './venue-needs.ts'

export const buy: SingleCommand = entryCommand('buy', 'b', [
  { line: 'buy $250 BTCUSDT', says: 'at the market, for 250 dollars' },
  { line: 'buy 0.01 at -1%', says: 'a limit order one percent under last, on the symbol in focus' },
  { line: 'buy $100 BTCUSDT,ETHUSDT', says: 'for 100 dollars each' },
  { line: 'buy 50% best po', says: 'half of the free balance at the best bid, as a maker or not at all' },
  { line: 'buy $250 stop -2%', says: 'with a reduce-only stop two percent under last' },
  { line: 'buy $250 stop -2% tp +4%', says: 'and profit taken four percent over it; one of the two ends the other' },
  { line: 'buy $250 --dry', says: 'checked and printed, not sent; every command that sends takes it' },
  { line: 'buy $250 at +0.1% ioc', says: 'what fills at once up to there, and no more; fok: whole or not at all' },
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
    usage: '<size> [SYMBOL,…] [at <price> | best] [po | ioc | fok] [reduce] [stop <price>] [tp <price>]',
    summary: side === 'buy' ? 'open or add to a long, or reduce a short' : 'open or add to a short, or reduce a long',
    where: 'anywhere',
    sends: true,
    takesNear: true,
    examples,
    complete: ({ words, symbols }) => (words.at(-1) === 'at' ? ANCHORS : [...symbols, ...SUFFIXES]),
    check: parseOrder,
    symbolUse: (args) => symbolsOf(parseOrder(args)),
    async run(context, args) {
      const intent = parseOrder(args)
      const account = await context.account()
      const free = freeOnce(account.venue)
      const typed = intent.symbols.length > 0 ? intent.symbols : [context.symbol]
      const symbols = await findMarkets(account.venue, typed)
      const entryOn = (symbol: string, on = account) => ({ account: on, side, intent, symbol, free })
      const planOn = async (symbol: string, on: TradingAccount) => (await planEntry(context, entryOn(symbol, on))).plan
      const accepted = intent.reduce ? undefined : await foreseeEach(context, { account, items: symbols, planOn })
      await forEachItem(context, symbols, (symbol) => enter(context, entryOn(symbol), accepted?.get(symbol)))
    },
  }
}

const ANCHORS = ['$last', '$bid', '$ask', '$entry']
const SUFFIXES = ['at', 'best', 'po', 'ioc', 'fok', 'reduce', 'stop', 'tp']

interface Entry {
  readonly account: TradingAccount
  readonly side: Side
  readonly intent: OrderIntent
  readonly symbol: string
  readonly free: (currency: string) => Promise<string>
}

interface PlannedEntry {
  readonly view: MarketView
  readonly plan: OrderPlan
  readonly cutFrom?: string
}

/** Every figure worked out, and refused what can be refused before anything is sent. */
async function planEntry(context: CommandContext, entry: Entry): Promise<PlannedEntry> {
  const { account, side, intent, symbol, free } = entry
  const view = await viewSymbol(account.venue, symbol, hangsOnPosition(intent) ? 'asked' : side)
  const { market, position } = view
  if (intent.reduce) requireReduce(account)
  const limit = limitPrice(view, side, intent)
  if (limit !== undefined) refuseFarThrough(side, limit, view, account.priceBand?.())
  const price = fillPrice(side, view.ticker, limit)
  const percentOf = intent.reduce ? 'position' : 'balance'
  const { amount, asked, cutFrom } = await resolveAmount(intent.size, {
    market,
    side,
    price,
    position,
    percentOf,
    free,
    ...defined({ limit }),
  })
  const protection = protectionOf(context, entry, view, limit)
  const plan = {
    symbol,
    side,
    amount,
    asked,
    ...(limit === undefined ? ({ type: 'market' } as const) : ({ type: 'limit', price: limit } as const)),
    ...(intent.reduce ? { reduceOnly: true } : {}),
    ...(intent.postOnly ? { postOnly: true } : {}),
    ...defined({ timeInForce: intent.timeInForce, protection }),
    ...(limit !== undefined && !intent.postOnly && crosses(side, limit, view) ? { crosses: true } : {}),
  }
  return { view, plan, ...defined({ cutFrom }) }
}

/** Where it does not, the position decides only what is said afterwards, and whether the guards have to look. */
function hangsOnPosition({ size, price, reduce, stop, takeProfit }: OrderIntent): boolean {
  const isFromEntry = price?.base.kind === 'anchor' && price.base.anchor === 'entry'
  return reduce || size.kind === 'percent' || isFromEntry || stop !== undefined || takeProfit !== undefined
}

function enter(context: CommandContext, entry: Entry, accepted?: readonly AcceptedBreach[]): Promise<void> {
  const attempt = (by: OrderedBy, isAgain: boolean) => {
    // What was free before the question may be gone.
    return placeEntry(context, isAgain ? { ...entry, free: freeOnce(entry.account.venue) } : entry, by)
  }
  return placeAsking(context, attempt, accepted)
}

async function placeEntry(context: CommandContext, entry: Entry, by: OrderedBy): Promise<void> {
  const { view, plan, cutFrom } = await planEntry(context, entry)
  const stop = plan.protection?.triggerPrice
  if (stop !== undefined) await requireFar(context, stop, view, plan.price ?? view.ticker.last)
  const tell = tellOrders(context)
  let cut = cutFrom === undefined ? undefined : cutLine(cutFrom, view.market)
  const order = await entry.account.orders.place(plan, by, (event) => {
    tell(event)
    // Right under its order, before the stop that follows.
    if (cut !== undefined) context.out.info(cut)
    cut = undefined
  })
  const { filled } = order
  tellFlip(context, plan, filled, view.position)
  if (order.status === 'open' && endsAtOnce(plan)) return tellOpen(context, plan, order)
  if (plan.timeInForce === undefined || new Decimal(filled).gt(0)) return
  throw new CommandError('not-filled', `nothing of the ${plan.timeInForce} ${plan.side} of ${plan.symbol} filled`, {
    hint: plan.timeInForce === 'fok' ? '`ioc` takes what there is' : 'choose a price nearer to the market',
  })
}

/** What it does in the end is not known: neither that it filled nor that it did not. @throws {CommandError} `outcome-unknown` */
function tellOpen(
  { out }: CommandContext,
  { timeInForce, symbol, side }: OrderPlan,
  { id, filled, amount }: Order,
): void {
  const soFar = `${showAmount(filled)} of ${showAmount(amount)} ${symbol} has filled so far`
  const name = printable(id, 40)
  if (timeInForce === undefined) return out.warn(`order ${name} has not ended yet: ${soFar}`)
  throw new CommandError(
    'outcome-unknown',
    `the venue does not report how the ${timeInForce} ${side}, order ${name}, ended: ${soFar}`,
    {
      hint: 'check `orders`; no new entry in this symbol is sent until it has ended',
    },
  )
}

function crosses(side: Side, limit: string, { ticker: { bid, ask } }: MarketView): boolean {
  return side === 'buy' ? new Decimal(limit).gte(ask) : new Decimal(limit).lte(bid)
}

/** An amount that was typed may turn a position round; that it did is said. */
function tellFlip({ out }: CommandContext, plan: OrderPlan, filled: string, position: Position | undefined): void {
  if (position === undefined || plan.reduceOnly) return
  if (flips(plan.side, filled, position)) out.warn(flipLine(position, filled, 'now'))
  else if (plan.type === 'limit' && flips(plan.side, plan.amount, position)) {
    out.warn(flipLine(position, plan.amount, 'once it fills'))
  }
}

function limitPrice(view: MarketView, side: Side, intent: OrderIntent): string | undefined {
  const rounding = intent.postOnly || intent.best ? restingSide(side) : 'nearest'
  if (intent.best) return priceOnGrid(side === 'buy' ? view.ticker.bid : view.ticker.ask, view.market, rounding)
  if (intent.price === undefined) return undefined
  return priceOnGrid(resolvePrice(intent.price, view), view.market, rounding)
}

/** A stop that cannot do its work is refused before the entry is placed. */
function protectionOf(
  { source }: CommandContext,
  { account, side, intent }: Entry,
  view: MarketView,
  limit: string | undefined,
): ProtectionPlan | undefined {
  const { stop, takeProfit } = intent
  if (stop === undefined && takeProfit === undefined) return undefined
  const what = stop === undefined ? 'tp' : 'stop'
  if (intent.reduce) {
    throw new CommandError('bad-stop', `a \`reduce\` order opens nothing that a ${what} could protect`, {
      hint: `keep \`reduce\` or \`${what}\``,
    })
  }
  requireProtection(account, view, side, { stop: stop !== undefined, takeProfit: takeProfit !== undefined })
  const staysOpen = source !== 'exec'
  const prices = defined({ stop, takeProfit })
  return planProtection(prices, { side, view, staysOpen, ...defined({ limit }) })
}
