// `leverage` and `margin`: how a symbol is margined. Shown without a value; changed only here, never by an order (behaviour 39).
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import { parseLeverage, parseMargin } from '../../language/amend.ts'
import { symbolsOf } from '../../language/focus-taken.ts'
import { findMarket } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { type CommandContext, mayRun, type SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'

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
    { line: 'leverage BTCUSDT 5', meaning: 'five times from now on: the margin of what is open follows' },
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
    await account.orders.setLeverage(market.symbol, value, context.orderedBy())
    const data = { type: 'margin', account: context.accountName, symbol: market.symbol, leverage: value } as const
    context.out.success(`${market.symbol} at ${value}x`, data)
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
    { line: 'margin BTCUSDT isolated', meaning: 'where the venue has both' },
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

function requireTerminal({ source }: CommandContext, what: string): void {
  if (mayRun('trusted', source)) return
  throw new CommandError('not-allowed-here', `${what} only in the terminal, not from hooks or web pages`, {
    hint: 'type it there',
  })
}

function requireMargin({ venue }: TradingAccount): void {
  if (venue.kind !== 'spot') return
  throw new CommandError('not-supported', 'a spot account has no margin: coins are bought with what is there')
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
