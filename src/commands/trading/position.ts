// `position`: brings about the position it names (behaviour 45). Said again it does nothing; on the other side it ends what is held first, and
// opens only once that has ended.
import { Decimal } from 'decimal.js'
import type { Order, Position } from '../../exchange/order.ts'
import { Simulated } from '../../exchange/simulated.ts'
import { symbolsOf } from '../../language/focus-taken.ts'
import { type PositionIntent, parsePosition, type Target } from '../../language/order.ts'
import type { Size } from '../../language/size.ts'
import { showAmount } from '../../trading/figures.ts'
import { findMarket, fundsOnce, type MarketView, viewSymbol } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { fillPrice } from '../../trading/pricing.ts'
import { differenceTo, requireUnit, resolveAmount, smallestOrder } from '../../trading/sizing.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { cutLine, tellOrders } from '../kit/lines.ts'
import { sayWould } from '../kit/preview.ts'
import { placeAsking } from '../kit/running.ts'
import { sendExit } from './send-exit.ts'

export const position: SingleCommand = {
  name: 'position',
  group: 'trading',
  usage: '<long | short | flat> [size] [SYMBOL] [from <long | short | flat>] [--out-of-sync refuse | resync | flatten]',
  summary: 'bring about a position: what is there already stays, the other side is ended first',
  where: 'anywhere',
  sends: true,
  examples: [
    { line: 'position long $500 BTCUSDT', says: 'opens it, fills it up or turns a short round; again: nothing' },
    { line: 'position flat', says: 'closes the position on the symbol in focus, if there is one' },
    {
      line: 'position short $500 from flat --out-of-sync flatten',
      says: 'for alerts that say what was there before: ends what is there if it was something else',
    },
  ],
  complete: ({ words, symbols }) =>
    words.at(-1) === '--out-of-sync'
      ? ['refuse', 'resync', 'flatten']
      : ['long', 'short', 'flat', 'from', '--out-of-sync', ...symbols],
  check: parsePosition,
  symbolUse: (args) => symbolsOf(parsePosition(args)),
  async run(context, args) {
    const intent = parsePosition(args)
    const account = await context.account()
    if (account.venue.kind === 'spot') {
      throw new CommandError('not-supported', 'a spot account has no positions, only coins', {
        hint: 'use `buy` and `close`',
      })
    }
    const { symbol } = await findMarket(account.venue, intent.symbol ?? context.symbol)
    // Two alerts at once would both find nothing, and both open it.
    await oneByOne(account.orders, symbol, () => bringAbout(context, account, symbol, intent))
  },
}

async function bringAbout(
  context: CommandContext,
  account: TradingAccount,
  symbol: string,
  intent: PositionIntent,
): Promise<void> {
  await refuseUnsettled(account, symbol)
  const view = await viewSymbol(account.venue, symbol)
  const held = view.position
  const is: Target = held?.side ?? 'flat'
  const target = requireSync(context, symbol, is, intent)
  if (target === undefined) return
  // Before what is there is ended.
  if (intent.size !== undefined && target !== 'flat' && held?.side !== target) {
    const side = target === 'long' ? 'buy' : 'sell'
    const terms = { position: undefined, percentOf: 'balance', funds: fundsOnce(account.venue) } as const
    await requireUnit(intent.size, {
      market: view.market,
      side,
      price: fillPrice(side, view.ticker, undefined),
      ...terms,
    })
  }
  if (held !== undefined && held.side !== target) await end(context, account, view, held)
  if (target === 'flat') {
    if (held === undefined) context.out.info(`${symbol} is flat already`)
    return
  }
  const { size } = intent
  // `parsePosition` lets only `flat` go without.
  if (size === undefined) return
  return adjust(context, account, view, { symbol, target, size, held: held?.side === target ? held : undefined })
}

/** What is under way without an answer may be the position that is missing. @throws {CommandError} `unsettled-order` */
async function refuseUnsettled({ orders }: TradingAccount, symbol: string): Promise<void> {
  if (!(await orders.records.unsettledAnywhere()).some(({ order }) => order.symbol === symbol)) return
  throw new CommandError('unsettled-order', `an earlier ${symbol} order got no answer, and may be there or not`, {
    hint: 'check `orders` and `positions`; it is asked for again and again',
  })
}

/** @returns what to make of it, where the sender was right about what it was, or it is to be made so anyway; undefined: nothing */
function requireSync(
  { out }: CommandContext,
  symbol: string,
  is: Target,
  { from, target, outOfSync }: PositionIntent,
): Target | undefined {
  if (from === undefined || from === is) return target
  const told = `${symbol} is ${is}, and was taken to be ${from}`
  if (is === target) {
    out.info(`${symbol} is ${is} already`)
    return undefined
  }
  if (outOfSync === 'resync') {
    out.warn(`${told}: made ${target} all the same`)
    return target
  }
  if (outOfSync === 'flatten') {
    out.warn(`${told}: made flat`)
    return 'flat'
  }
  throw new CommandError('out-of-sync', told, {
    hint: 'make it so by hand, or type --out-of-sync resync or --out-of-sync flatten',
  })
}

/** All of it. A step that is only simulated is told, and what comes after it is worked out too. */
async function end(
  context: CommandContext,
  account: TradingAccount,
  { market }: MarketView,
  { symbol, side, amount }: Position,
): Promise<void> {
  const exit = side === 'long' ? 'sell' : 'buy'
  const plan = { symbol, side: exit, type: 'market', amount, reduceOnly: true } as const
  try {
    await sendExit(context, account, { market, plan, isWhole: true })
  } catch (error) {
    if (!(error instanceof Simulated)) throw error
    sayWould(error.would, (text, data) => context.out.info(text, data))
  }
}

/** @throws {CommandError} `partly-filled` */
async function open(
  context: CommandContext,
  account: TradingAccount,
  symbol: string,
  target: 'long' | 'short',
  size: Size,
): Promise<void> {
  const side = target === 'long' ? 'buy' : 'sell'
  await placeAsking(context, async (by) => {
    const { market, ticker } = await viewSymbol(account.venue, symbol, 'known')
    const sized = await resolveAmount(size, {
      market,
      side,
      position: undefined,
      percentOf: 'balance',
      funds: fundsOnce(account.venue),
      price: fillPrice(side, ticker, undefined),
    })
    const plan = { symbol, side, type: 'market', amount: sized.amount, asked: sized.asked } as const
    const { filled } = await account.orders.place(plan, by, tellOrders(context))
    if (sized.cutFrom !== undefined) context.out.info(cutLine(sized.cutFrom, market))
    if (new Decimal(filled).gte(sized.amount)) return
    throw new CommandError('partly-filled', `${showAmount(filled)} of ${showAmount(sized.amount)} ${symbol} filled`, {
      hint: '`orders` shows what is open; say it again for the rest',
    })
  })
}

interface Wanted {
  readonly symbol: string
  readonly target: 'long' | 'short'
  readonly size: Extract<Size, { readonly kind: 'quote' | 'base' }>
  /** On the wanted side. */
  readonly held: Position | undefined
}

/** Only what it lacks, or has too much of, is ordered. What rests to be added counts as if it had filled. */
async function adjust(
  context: CommandContext,
  account: TradingAccount,
  view: MarketView,
  wanted: Wanted,
): Promise<void> {
  const { market, ticker } = view
  const { symbol, target, size, held } = wanted
  const side = target === 'long' ? 'buy' : 'sell'
  const price = fillPrice(side, ticker, undefined)
  const smallest = smallestOrder({ market, percentOf: 'balance', price })
  const difference = held === undefined ? undefined : differenceTo(size, held, { market, smallest, price })
  if (difference?.kind === 'none') {
    context.out.info(`${symbol} is ${target} ${showAmount(held?.amount ?? 0)} already`)
    return
  }
  if (difference?.kind === 'less') {
    const exit = side === 'buy' ? 'sell' : 'buy'
    const plan = { symbol, side: exit, type: 'market', amount: difference.amount, reduceOnly: true } as const
    return sendExit(context, account, { market, plan })
  }
  const resting = restingOf(await account.venue.fetchOpenOrders(symbol), wanted)
  if (resting === undefined) return open(context, account, symbol, target, difference?.size ?? size)
  const lacking = differenceTo(size, resting.withHeld, { market, smallest, price })
  const rests = `${showAmount(resting.amount)} ${symbol} rests to ${side} already`
  if (lacking.kind === 'more') {
    context.out.info(`${rests}, and counts`)
    return open(context, account, symbol, target, lacking.size)
  }
  context.out.info(`${rests}, and counts: nothing is ordered (\`cancel ${symbol}\` takes it back)`)
}

/** Limits that would add to it, and the position that they would make, entered at their prices. A stop that enters may never fire: it does not count. */
function restingOf(
  open: readonly Order[],
  { symbol, target, held }: Wanted,
): { readonly amount: Decimal; readonly withHeld: Pick<Position, 'amount' | 'entryPrice'> } | undefined {
  const side = target === 'long' ? 'buy' : 'sell'
  const adding = open.filter(
    (order) => order.symbol === symbol && order.side === side && order.type === 'limit' && !order.reduceOnly,
  )
  const amount = Decimal.sum(0, ...adding.map(({ remaining }) => remaining))
  if (amount.isZero()) return undefined
  const parts = [
    ...(held === undefined ? [] : [[held.amount, held.entryPrice] as const]),
    ...adding.map(({ remaining, price = '0' }) => [remaining, price] as const),
  ]
  const whole = amount.plus(held?.amount ?? 0)
  const worth = Decimal.sum(0, ...parts.map(([part, price]) => new Decimal(part).times(price)))
  return { amount, withHeld: { amount: whole.toFixed(), entryPrice: worth.div(whole).toFixed() } }
}

// What looks at a position and then orders by it goes one after another for each symbol of an account.
const lines = new WeakMap<object, Map<string, Promise<void>>>()

/** @param account whatever is one for the account */
async function oneByOne<T>(account: object, symbol: string, work: () => Promise<T>): Promise<T> {
  const ofAccount = lines.get(account) ?? new Map<string, Promise<void>>()
  lines.set(account, ofAccount)
  const before = ofAccount.get(symbol) ?? Promise.resolve()
  const mine = before.then(work)
  const over = mine.then(
    () => {},
    // Its caller hears of it.
    () => {},
  )
  ofAccount.set(symbol, over)
  try {
    return await mine
  } finally {
    if (ofAccount.get(symbol) === over) ofAccount.delete(symbol)
  }
}
