// `leverage` and `margin`: how a symbol is margined. Shown without a value; changed only here, never by an order (behaviour 39).
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Market } from '../../exchange/market.ts'
import type { Order, Position } from '../../exchange/order.ts'
import { Simulated } from '../../exchange/simulated.ts'
import { parseLeverage, parseMargin } from '../../language/amend.ts'
import { symbolsOf } from '../../language/focus-taken.ts'
import { printable } from '../../language/printable.ts'
import { coverOf } from '../../trading/cover.ts'
import { showAmount, showAverageOf, showPrice, showSum, showUnits } from '../../trading/figures.ts'
import { findMarket } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { marginOf } from '../../trading/portfolio.ts'
import { needsYes, takeYes } from '../account/confirmation.ts'
import { type CommandContext, mayRun, questionOf, type SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { comesBefore } from './protective-stop.ts'

export const leverage: SingleCommand = {
  name: 'leverage',
  aliases: ['lev'],
  group: 'trading',
  usage: '[SYMBOL] [n] [--yes]',
  summary: 'show or set the leverage of a symbol; sizes do not grow with it',
  where: 'anywhere',
  rows: true,
  sends: true,
  examples: [
    { line: 'leverage', meaning: 'shows that of the symbol in focus' },
    { line: 'leverage BTCUSDT 5', meaning: '5x from now on, also for the open position' },
  ],
  complete: ({ symbols }) => symbols,
  check: (args) => parseLeverage(takeYes(args).rest),
  symbolUse: (args) => symbolsOf(parseLeverage(takeYes(args).rest)),
  async run(context, args) {
    const { rest, isSure } = takeYes(args)
    const { symbol, value } = parseLeverage(rest)
    const account = await context.account()
    const market = await findMarket(account.venue, symbol ?? context.symbol)
    requireMargin(account)
    if (value === undefined) return printMargin(context, account, market.symbol, market.maxLeverage)
    const before = await marginedOf(account, market.symbol)
    requireSafer(context, before, value)
    await requireSettable(context, account, market, value)
    if (!(await requireStopFirst(context, account, market, value, before))) {
      await requireMeantRaise(context, market, value, { before, isSure })
    }
    await account.orders.setLeverage(market.symbol, value, context.orderedBy())
    const data = { type: 'margin', account: context.accountName, symbol: market.symbol, leverage: value } as const
    context.out.success(`${market.symbol} at ${value}x${previous(before, value)}`, data)
    await printLiquidation(context, account, market, before)
  },
}

/** How a symbol is margined, and what is open on it. */
interface Margined {
  readonly position: Position | undefined
  /** undefined: the venue does not say. */
  readonly leverage: string | undefined
  readonly marginMode: 'cross' | 'isolated' | undefined
}

async function marginedOf({ venue }: TradingAccount, symbol: string): Promise<Margined> {
  const [positions, set] = await Promise.all([venue.fetchPositions(), venue.fetchMargin?.(symbol)])
  const position = positions.find((each) => each.symbol === symbol)
  const { leverage, marginMode } = { ...position, ...set }
  return { position, leverage, marginMode }
}

function previous({ leverage }: Margined, now: string): string {
  if (leverage === undefined) return ''
  return new Decimal(leverage).eq(now) ? ', as before' : `, was ${leverage}x`
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
    { line: 'margin', meaning: 'shows that of the symbol in focus' },
    {
      line: 'margin BTCUSDT isolated',
      meaning: 'isolated, where the exchange offers both; paper has cross margin alone',
    },
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
    if (account.venue.capabilities.setMarginMode !== true) {
      const { marginMode } = await marginedOf(account, market.symbol)
      const is = marginMode === undefined ? '' : `: ${market.symbol} is on ${marginMode} margin`
      throw new CommandError('not-supported', `hookline cannot set the margin mode on ${account.venue.id}${is}`)
    }
    await account.orders.setMarginMode(market.symbol, value, context.orderedBy())
    const data = { type: 'margin', account: context.accountName, symbol: market.symbol, marginMode: value } as const
    context.out.success(`${market.symbol} on ${value} margin`, data)
  },
}

/** A hook or a page may lower the leverage, never raise it: only the safe direction is theirs (behaviour 19). */
function requireSafer(context: CommandContext, { leverage }: Margined, wanted: string): void {
  if (mayRun('trusted', context.source)) return
  if (leverage === undefined || new Decimal(wanted).gt(leverage)) requireTerminal(context, 'leverage is raised')
}

/**
 * Isolated margin ends a position near the price that takes its margin: one part in `leverage` of its worth. A terminal asks where that comes before
 * a stop.
 * @returns whether a person was asked, and means it
 * @throws {CommandError} `liquidation-first`
 */
async function requireStopFirst(
  { confirm, isDry }: CommandContext,
  { venue }: TradingAccount,
  market: Market,
  leverage: string,
  { position, leverage: now, marginMode }: Margined,
): Promise<boolean> {
  if (position === undefined) return false
  if (marginMode !== 'isolated' || (now !== undefined && new Decimal(leverage).lte(now))) return false
  const { symbol } = market
  const stop = farthestStop(position, await venue.fetchOpenOrders(symbol))
  const price = isolatedEnd(position, market, leverage)
  if (stop === undefined || !comesBefore(position, price, stop) || isDry) return false
  const what = `at ${leverage}x the ${symbol} ${position.side} is liquidated at about ${showAmount(price.toSignificantDigits(5))}, before its stop at ${showPrice(stop, market)}`
  if (confirm !== undefined && (await confirm(questionOf(what, 'set it?')))) return true
  throw new CommandError('liquidation-first', what, { hint: 'move the stop nearer first, or choose a lower leverage' })
}

/** About where isolated margin ends the position. */
function isolatedEnd({ side, entryPrice }: Position, { amountUnit }: Market, leverage: string): Decimal {
  const part = new Decimal(1).div(leverage).times(side === 'short' ? 1 : -1)
  // An inverse contract loses coins: the price counts as its reciprocal.
  const times = amountUnit === 'quote' ? new Decimal(1).div(new Decimal(1).minus(part)) : part.plus(1)
  return times.times(entryPrice)
}

/** What is refused all the same is not asked about. @throws {ExchangeError} `invalid-order`, `guarded` */
async function requireSettable(
  context: CommandContext,
  { orders }: TradingAccount,
  { symbol, maxLeverage }: Market,
  value: string,
): Promise<void> {
  if (maxLeverage !== undefined && new Decimal(value).gt(maxLeverage)) {
    const hint = `use a whole number from 1 to ${showAmount(maxLeverage)}`
    throw new ExchangeError('invalid-order', `${symbol} has no leverage of ${value}`, { hint })
  }
  if (context.confirm === undefined || context.isDry) return
  // Nothing is sent: no yes is used up.
  const { asking: _, ...by } = context.orderedBy()
  await orders.setLeverage(symbol, value, { ...by, isDry: true }).catch((error: unknown) => {
    if (!(error instanceof Simulated)) throw error
  })
}

/** More leverage leaves an open position less margin. A terminal asks; elsewhere `--yes` says that it is meant. @throws {CommandError} `needs-yes`, `cancelled` */
async function requireMeantRaise(
  { confirm, isDry }: CommandContext,
  market: Market,
  wanted: string,
  { before, isSure }: { readonly before: Margined; readonly isSure: boolean },
): Promise<void> {
  const { position, leverage, marginMode } = before
  if (position === undefined || isSure || isDry || (leverage !== undefined && new Decimal(wanted).lte(leverage))) return
  const { symbol } = market
  const from = leverage === undefined ? '' : ` from ${leverage}x`
  const end =
    marginMode === 'isolated'
      ? `; it is then liquidated at about ${showAmount(isolatedEnd(position, market, wanted).toSignificantDigits(5))}`
      : ''
  const what = `raise the leverage of ${symbol}${from} to ${wanted}x with a ${position.side} of ${showUnits(position.amount, market)} open${end}`
  if (confirm === undefined) throw needsYes(`this would ${what}`, `leverage ${symbol} ${wanted} --yes`)
  if (await confirm(`${printable(what, 350)}? y or n >`)) return
  throw new CommandError('cancelled', 'canceled: the leverage stays as it was')
}

/** By the venue's own figure, once it has the new leverage. */
async function printLiquidation(
  { out }: CommandContext,
  account: TradingAccount,
  market: Market,
  before: Margined,
): Promise<void> {
  if (before.position === undefined) return
  const { symbol } = market
  try {
    const now = await marginedOf(account, symbol)
    const { position } = now
    if (position === undefined) return
    const { side, liquidationPrice } = position
    const margin = lockedBy(now, market)
    const locks = margin === undefined ? '' : `its margin is ${changed(lockedBy(before, market), margin)}`
    if (liquidationPrice === undefined) {
      if (locks !== '') out.info(`the ${symbol} ${side} has no liquidation price; ${locks}`)
      return
    }
    const priceBefore = before.position.liquidationPrice
    const end = changed(priceBefore && showAverageOf(priceBefore, market), showAverageOf(liquidationPrice, market))
    const what = `the ${symbol} ${side} is liquidated at ${end}`
    const stop = farthestStop(position, await account.venue.fetchOpenOrders(symbol))
    if (stop === undefined || !comesBefore(position, liquidationPrice, stop))
      return out.info(`${what}${locks === '' ? '' : `; ${locks}`}`)
    out.warn(`${what}, before its stop at ${showPrice(stop, market)}`)
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    out.warn(`the liquidation price on ${symbol} is not known: ${printable(error.message, 200)}`)
  }
}

/** `62,075 (was 58,500)`. */
function changed(before: string | undefined, now: string): string {
  return before === undefined || before === now ? now : `${now} (was ${before})`
}

/** The margin that the position locks; undefined: not known. */
function lockedBy({ position, leverage }: Margined, { kind }: Market): string | undefined {
  const margin = position && marginOf({ ...position, ...defined({ leverage }) }, kind)
  return position && margin && showSum(margin, position.settle)
}

/** Of several, the last that fires. */
function farthestStop(position: Position, orders: readonly Order[]): string | undefined {
  return coverOf(position, orders).stops.at(-1)?.triggerPrice
}

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
