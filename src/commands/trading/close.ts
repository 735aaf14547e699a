// `close`: ends positions at the market, whole or in part, never past flat.
import { Decimal } from 'decimal.js'
import type { VenueView } from '../../exchange/exchange.ts'
import type { Market } from '../../exchange/market.ts'
import type { Position } from '../../exchange/order.ts'
import { amountOnLot } from '../../exchange/price-grid.ts'
import { NO_SYMBOL, symbolsOf } from '../../language/focus-taken.ts'
import { type CloseIntent, parseClose } from '../../language/order.ts'
import { isWhole as isWholeNumber, type Size } from '../../language/size.ts'
import { isOfOperator } from '../../runs/run.ts'
import { showAmount, showUnits } from '../../trading/figures.ts'
import { findMarket, findMarkets, fundsOnce, viewSymbol } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { fillPrice } from '../../trading/pricing.ts'
import { describeSize, resolveAmount } from '../../trading/sizing.ts'
import { TradingError } from '../../trading/trading-error.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { forEachItem } from '../kit/running.ts'
import { type PlannedExit, requireClosed, sendExit, WHOLE, warnOfEntries } from './send-exit.ts'

export const close: SingleCommand<'tasks'> = {
  name: 'close',
  aliases: ['c'],
  group: 'trading',
  usage: '[SYMBOL,… | longs | shorts | all] [size]',
  summary: 'close positions, or part of them, at the market',
  where: 'anywhere',
  sends: true,
  takesSize: true,
  immediate: true,
  asksToOvertake: true,
  examples: [
    { line: 'close', meaning: 'ends the position on the symbol in focus' },
    { line: 'close BTCUSDT 50%', meaning: 'halves it' },
    { line: 'close longs', meaning: 'ends every long' },
  ],
  complete: ({ symbols }) => [...symbols, 'longs', 'shorts', 'all'],
  check: parseClose,
  symbolUse(args) {
    const intent = parseClose(args)
    return intent.which === undefined ? symbolsOf(intent) : NO_SYMBOL
  },
  async run(context, args) {
    const intent = parseClose(args)
    const account = await context.account()
    if (account.venue.kind === 'spot') return closeSpot(context, account, intent)
    const positions = await account.venue.fetchPositions()
    const symbols = await symbolsMeant(context, account.venue, intent, positions)
    const { side } = intent
    if (side !== undefined && !requireSide(context, side, symbols, positions)) return
    if (symbols.length === 0) context.out.info(`no ${intent.which === 'all' ? 'open' : intent.which} positions`)
    const isOpen = (symbol: string) => positions.some((position) => position.symbol === symbol)
    for (const symbol of symbols.filter((name) => !isOpen(name))) context.out.info(`no position on ${symbol}`)
    const of = intent.which === 'all' ? 'all' : symbols
    for (const held of positions) {
      const { symbol } = held
      if (symbols.includes(symbol)) context.foretell?.({ symbol, facts: { position: held.side } })
    }
    const isWhole = intent.size === undefined
    if (isWhole) await requireClosed(context, of, symbols.some(isOpen))
    // Nothing comes behind an order that is only looked at.
    if (isWhole && context.isDry) await warnOfEntries(context, account, of)
    // What was read a moment ago serves the first; the others take their time.
    const [first] = symbols.filter(isOpen)
    const exitFrom = (symbol: string) => ({
      account,
      symbol,
      size: intent.size ?? WHOLE,
      ...(symbol === first ? { position: positions.find((each) => each.symbol === symbol) } : {}),
    })
    // Not all or nothing: one position that cannot be closed keeps no other open.
    await forEachItem(context, symbols.filter(isOpen), (symbol) => closeOne(context, exitFrom(symbol)))
    if (isWhole && !context.isDry) await warnOfEntries(context, account, of)
  },
}

/** Being flat already is what `close` is for: it is told, not refused. A symbol that does not exist is refused. */
async function symbolsMeant(
  context: CommandContext,
  venue: VenueView,
  intent: CloseIntent,
  positions: readonly Position[],
): Promise<readonly string[]> {
  const { which } = intent
  if (which !== undefined) {
    return positions.filter(({ side }) => which === 'all' || side === which).map(({ symbol }) => symbol)
  }
  return findMarkets(venue, intent.symbols.length > 0 ? intent.symbols : [context.symbol])
}

/**
 * `close long` ends one position. Where other longs are open, `longs` may have been the intention.
 * @returns whether there is anything to close
 * @throws {CommandError} `no-position`
 */
function requireSide(
  { out }: CommandContext,
  side: 'long' | 'short',
  symbols: readonly string[],
  positions: readonly Position[],
): boolean {
  const own = positions.filter((position) => position.side === side)
  const lacking = symbols.filter((symbol) => !own.some((position) => position.symbol === symbol))
  if (lacking.length === 0) return true
  const what = `no ${side} position on ${lacking.join(', ')}`
  if (own.length > 0) throw new CommandError('no-position', what, { hint: `type \`close ${side}s\` for every ${side}` })
  out.info(what)
  return false
}

interface Exit {
  readonly account: TradingAccount
  readonly symbol: string
  readonly size: Size
  /** As it was read a moment ago. */
  readonly position?: Position | undefined
}

/** Never more than the position, whatever size was typed. */
async function planExit(
  context: CommandContext,
  { account, symbol, size, position: known }: Exit,
): Promise<PlannedExit> {
  const { market, position, price, side } = await priced(account.venue, symbol, size, known)
  const funds = fundsOnce(account.venue)
  const sized = await resolveAmount(size, { market, side, price, position, percentOf: 'position', funds })
  if (position !== undefined) requireWithin(context, size, sized.asked, position.amount, market)
  const amount = Decimal.min(sized.amount, position?.amount ?? sized.amount).toFixed()
  const asked = Decimal.min(sized.asked, position?.amount ?? sized.asked).toFixed()
  const plan = { symbol, side, type: 'market', amount, asked, reduceOnly: true } as const
  const isCut = sized.cutFrom !== undefined && amount === sized.amount
  return {
    market,
    plan,
    isWhole: position !== undefined && new Decimal(amount).gte(position.amount),
    ...(isCut ? { cutFrom: sized.cutFrom } : {}),
  }
}

/**
 * A whole number of coins that is more than there is nearly always was percent or money without its sign: `close 50`. As an amount it would end all of it.
 * @throws {TradingError} `bare-number`
 */
function refuseTooMany(size: Size, asked: Decimal.Value, held: Decimal.Value, market: Market): void {
  if (size.kind !== 'base' || !isWholeNumber(size.amount) || new Decimal(asked).lte(held)) return
  const { symbol, base } = market
  const { amount } = size
  throw new TradingError(
    'bare-number',
    `${amount} ${base} is more than the position on ${symbol}: ${showAmount(held)}`,
    {
      hint: `type close ${amount}% for a part, close $${amount} for quote currency, or \`close\` for all of it`,
    },
  )
}

/** Of money: prices move between the look and the line. */
const LARGE_EXCESS = '1.1'

/** `0.5 BTC is more than the position on BTCUSDT: 0.035 BTC`; undefined: it is not, or by less than one lot. */
function excessLine(size: Size, asked: Decimal.Value, held: Decimal.Value, market: Market): string | undefined {
  if (size.kind !== 'base' && size.kind !== 'quote') return undefined
  const most = size.kind === 'base' ? new Decimal(held).plus(market.lotSize) : new Decimal(held).times(LARGE_EXCESS)
  if (new Decimal(asked).lt(most)) return undefined
  const what = market.kind === 'spot' ? 'what is free' : 'the position'
  return `${describeSize(size)} is more than ${what} on ${market.symbol}: ${showUnits(held, market)}`
}

/** Half of a coin for half of the position: a person may mean less than all of it. What comes from an alert closes all, and it is named. */
function requireWithin(
  { source, out }: CommandContext,
  size: Size,
  asked: Decimal.Value,
  held: Decimal.Value,
  market: Market,
): void {
  refuseTooMany(size, asked, held, market)
  const excess = excessLine(size, asked, held, market)
  if (excess === undefined) return
  if (!isOfOperator(source)) return out.info(excess)
  throw new TradingError('above-position', excess, { hint: 'type `close` for all of it, or `close 50%` for half' })
}

/** A part of the position is an amount without any price. */
async function priced(venue: VenueView, symbol: string, size: Size, known: Position | undefined) {
  if (known !== undefined && size.kind === 'percent' && size.of !== 'balance') {
    const side = exitOf(known)
    return {
      market: await findMarket(venue, symbol),
      position: known,
      side,
      price: known.markPrice ?? known.entryPrice,
    }
  }
  const { market, ticker, position } = await viewSymbol(venue, symbol)
  const side = exitOf(position)
  return { market, position, side, price: fillPrice(side, ticker, undefined) }
}

function exitOf(position: Position | undefined): 'buy' | 'sell' {
  return position?.side === 'short' ? 'buy' : 'sell'
}

async function closeOne(context: CommandContext, exit: Exit): Promise<void> {
  const planned = await planExit(context, exit)
  return sendExit(context, exit.account, planned)
}

// `close` on a spot account: it has no positions, so the coins of the symbol that are free are sold.

/** @throws {CommandError} `not-supported` for `longs`, `shorts` and `all`: a coin may be sold for several others */
async function closeSpot(
  context: CommandContext<'tasks'>,
  account: TradingAccount,
  intent: CloseIntent,
): Promise<void> {
  const { venue } = account
  if (intent.which !== undefined || intent.side === 'short') {
    throw new CommandError('not-supported', 'a spot account has no positions, only coins', {
      hint: 'name the coins to sell, such as `close BTCUSDT,ETHUSDT`',
    })
  }
  const symbols = intent.symbols.length > 0 ? intent.symbols : [context.symbol]
  const markets = await Promise.all(symbols.map((symbol) => findMarket(venue, symbol)))
  const funds = fundsOnce(venue)
  if (intent.size === undefined)
    await requireClosed(
      context,
      markets.map(({ symbol }) => symbol),
      true,
    )
  await forEachItem(
    context,
    markets.map(({ symbol }) => symbol),
    async (symbol) => {
      const { market, ticker } = await viewSymbol(venue, symbol)
      const held = await funds.free(market.base)
      if (amountOnLot(held, market).isZero()) return context.out.info(nothingToSell(market, held))
      const [side, price] = ['sell', fillPrice('sell', ticker, undefined)] as const
      const input = { market, side, price, position: undefined, percentOf: 'position', funds } as const
      const { asked, amount, cutFrom } = await resolveAmount(intent.size ?? WHOLE, input)
      if (intent.size !== undefined) requireWithin(context, intent.size, asked, held, market)
      // Never more than there is, whatever size was typed.
      const most = Decimal.min(amount, amountOnLot(held, market)).toFixed()
      const plan = { symbol, side, type: 'market', amount: most } as const
      const isCut = cutFrom !== undefined && most === amount
      await sendExit(context, account, { market, plan, ...(isCut ? { cutFrom } : {}) })
    },
  )
}

function nothingToSell({ base, lotSize }: Market, held: string): string {
  return new Decimal(held).isZero()
    ? `no ${base} is free`
    : `${showAmount(held)} ${base} is less than one lot of ${showAmount(lotSize)}`
}
