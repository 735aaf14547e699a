// `leverage` and `margin`: how a symbol is margined. Shown without a value; changed only here, never by an order (behaviour 39).
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Market } from '../../exchange/market.ts'
import type { Order, Position } from '../../exchange/order.ts'
import { parseLeverage, parseMargin } from '../../language/amend.ts'
import { symbolsOf } from '../../language/focus-taken.ts'
import { printable } from '../../language/printable.ts'
import { showPrice } from '../../trading/figures.ts'
import { findMarket } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { type CommandContext, mayRun, type SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { comesBefore, coverOf } from './protective-stop.ts'

export const leverage: SingleCommand = {
  name: 'leverage',
  aliases: ['lev'],
  group: 'trading',
  usage: '[SYMBOL] [n]',
  summary: 'show or set the leverage of a symbol; sizes do not grow with it',
  where: 'anywhere',
  rows: true,
  sends: true,
  examples: [
    { line: 'leverage', meaning: 'of the symbol in focus' },
    { line: 'leverage BTCUSDT 5', meaning: '5x from now on, also for the open position' },
  ],
  complete: ({ symbols }) => symbols,
  check: parseLeverage,
  symbolUse: (args) => symbolsOf(parseLeverage(args)),
  async run(context, args) {
    const { symbol, value } = parseLeverage(args)
    const account = await context.account()
    const market = await findMarket(account.venue, symbol ?? context.symbol)
    requireMargin(account)
    if (value === undefined) return printMargin(context, account, market.symbol, market.maxLeverage)
    await requireSafer(context, account, market.symbol, value)
    await requireStopFirst(context, account, market, value)
    await account.orders.setLeverage(market.symbol, value, context.orderedBy())
    const data = { type: 'margin', account: context.accountName, symbol: market.symbol, leverage: value } as const
    context.out.success(`${market.symbol} at ${value}x`, data)
    await printLiquidation(context, account, market.symbol)
  },
}

export const margin: SingleCommand = {
  name: 'margin',
  group: 'trading',
  usage: '[SYMBOL] [cross | isolated]',
  summary: 'show or set the margin mode of a symbol: cross or isolated',
  where: 'anywhere',
  rows: true,
  sends: true,
  examples: [
    { line: 'margin', meaning: 'of the symbol in focus' },
    { line: 'margin BTCUSDT isolated', meaning: 'isolated, where the venue offers both' },
  ],
  complete: ({ symbols }) => [...symbols, 'cross', 'isolated'],
  check: parseMargin,
  symbolUse: (args) => symbolsOf(parseMargin(args)),
  async run(context, args) {
    const { symbol, value } = parseMargin(args)
    const account = await context.account()
    const market = await findMarket(account.venue, symbol ?? context.symbol)
    requireMargin(account)
    if (value === undefined) return printMargin(context, account, market.symbol, market.maxLeverage)
    requireTerminal(context, 'the margin mode is set')
    await account.orders.setMarginMode(market.symbol, value, context.orderedBy())
    const data = { type: 'margin', account: context.accountName, symbol: market.symbol, marginMode: value } as const
    context.out.success(`${market.symbol} on ${value} margin`, data)
  },
}

/** A hook or a page may lower the leverage, never raise it: only the safe direction is theirs (behaviour 19). */
async function requireSafer(
  context: CommandContext,
  { venue }: TradingAccount,
  symbol: string,
  wanted: string,
): Promise<void> {
  if (mayRun('trusted', context.source)) return
  const position = (await venue.fetchPositions()).find((each) => each.symbol === symbol)
  const now = (await venue.fetchMargin?.(symbol))?.leverage ?? position?.leverage
  if (now === undefined || new Decimal(wanted).gt(now)) requireTerminal(context, 'leverage is raised')
}

/**
 * Isolated margin ends a position near the price that takes its margin: one part in `leverage` of its worth. A terminal asks where that comes before
 * a stop.
 * @throws {CommandError} `liquidation-first`
 */
async function requireStopFirst(
  { confirm, isDry }: CommandContext,
  { venue }: TradingAccount,
  { symbol, amountUnit }: Market,
  leverage: string,
): Promise<void> {
  const position = (await venue.fetchPositions()).find((each) => each.symbol === symbol)
  if (position === undefined) return
  const { leverage: now, marginMode } = { ...position, ...(await venue.fetchMargin?.(symbol)) }
  if (marginMode !== 'isolated' || (now !== undefined && new Decimal(leverage).lte(now))) return
  const stop = farthestStop(position, await venue.fetchOpenOrders(symbol))
  const isShort = position.side === 'short'
  const part = new Decimal(1).div(leverage).times(isShort ? 1 : -1)
  // An inverse contract loses coins: the price counts as its reciprocal.
  const times = amountUnit === 'quote' ? new Decimal(1).div(new Decimal(1).minus(part)) : part.plus(1)
  const price = times.times(position.entryPrice)
  if (stop === undefined || !comesBefore(position, price, stop) || isDry) return
  const what = `at ${leverage}x the ${position.side} on ${symbol} is liquidated at about ${showPrice(price.toSignificantDigits(5))}, before its stop at ${showPrice(stop)}`
  if (confirm !== undefined && (await confirm(printable(`${what}; set it? y or n >`, 190)))) return
  throw new CommandError('liquidation-first', what, { hint: 'move the stop nearer first, or choose a lower leverage' })
}

/** By the venue's own figure, once it has the new leverage. */
async function printLiquidation({ out }: CommandContext, { venue }: TradingAccount, symbol: string): Promise<void> {
  try {
    const position = (await venue.fetchPositions()).find((each) => each.symbol === symbol)
    if (position?.liquidationPrice === undefined) return
    const { side, liquidationPrice } = position
    const what = `the ${side} on ${symbol} is liquidated at ${showPrice(liquidationPrice)}`
    const stop = farthestStop(position, await venue.fetchOpenOrders(symbol))
    if (stop === undefined || !comesBefore(position, liquidationPrice, stop)) return out.info(what)
    out.warn(`${what}, before its stop at ${showPrice(stop)}`)
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    out.warn(`the liquidation price on ${symbol} is not known: ${printable(error.message, 200)}`)
  }
}

/** Of several, the last that fires. */
function farthestStop(position: Position, orders: readonly Order[]): string | undefined {
  return coverOf(position, orders).stops.at(-1)?.triggerPrice
}

/** Whether a loss reaches the one price no later than the other. */
function requireTerminal({ source }: CommandContext, what: string): void {
  if (mayRun('trusted', source)) return
  throw new CommandError('not-allowed-here', `${what} only in the terminal, not from hooks or web pages`, {
    hint: 'type it there',
  })
}

function requireMargin({ venue }: TradingAccount): void {
  if (venue.kind !== 'spot') return
  throw new CommandError('not-supported', 'a spot account has no margin: it buys with its own balance')
}

/** As the venue says; else as the open position has it. */
async function printMargin(
  context: CommandContext,
  { venue }: TradingAccount,
  symbol: string,
  most: string | undefined,
): Promise<void> {
  const asked = await venue.fetchMargin?.(symbol)
  const position = asked ?? (await venue.fetchPositions()).find((each) => each.symbol === symbol)
  const { leverage: times, marginMode } = position ?? {}
  const data = {
    type: 'margin' as const,
    account: context.accountName,
    symbol,
    ...defined({ leverage: times, marginMode, maxLeverage: most }),
  } as const
  const parts = [
    times === undefined ? 'the leverage is shown once a position is open' : `${times}x`,
    ...(marginMode === undefined ? [] : [`${marginMode} margin`]),
    ...(most === undefined ? [] : [`at most ${most}x`]),
  ]
  context.out.print(`${symbol}${times === undefined ? ':' : ''} ${parts.join(', ')}`, data)
}
