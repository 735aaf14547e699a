// `position`: brings about the position it names (behaviour 45). Said again it does nothing; on the other side it ends what is held first, and
// opens only once that has ended.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { AcceptedBreach } from '../../exchange/exchange.ts'
import type { Order, Position } from '../../exchange/order.ts'
import { Simulated } from '../../exchange/simulated.ts'
import { GuardedError } from '../../guards/rules.ts'
import { symbolsOf } from '../../language/focus-taken.ts'
import { type PositionIntent, parseFlip, parsePosition, type Target } from '../../language/order.ts'
import { coins, type Size } from '../../language/size.ts'
import { isProtectiveStop } from '../../trading/cover.ts'
import { showAmount } from '../../trading/figures.ts'
import { findMarket, fundsOnce, type MarketView, viewSymbol } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import type { OrderedBy } from '../../trading/order-plan.ts'
import type { ProtectivePrices } from '../../trading/plan-protection.ts'
import { fillPrice } from '../../trading/pricing.ts'
import { differenceTo, requireUnit, resolveAmount, smallestOrder } from '../../trading/sizing.ts'
import { noPosition } from '../../trading/trading-error.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { cutLine, endedWithPosition, orderReporter } from '../kit/lines.ts'
import { printWould } from '../kit/preview.ts'
import { foreseeAll, placeAsking } from '../kit/running.ts'
import { cancelOrder } from './cancel.ts'
import { foretellOn, isWeighed, judging, requireMeant } from './meant-order.ts'
import { doubtsOf, protectEntry, reportBare, requireSure } from './protective-stop.ts'
import { exitOf, sendExit, warnOfOpening } from './send-exit.ts'

export const position: SingleCommand<'tasks'> = {
  name: 'position',
  group: 'trading',
  usage: '<long | short | flat> [size] [SYMBOL] [from <long | short | flat>] [--out-of-sync refuse | resync | flatten]',
  summary: 'reach a target position: order the difference, after closing an opposite position',
  where: 'anywhere',
  sends: true,
  takesTags: true,
  takesSize: true,
  takesFar: true,
  examples: [
    {
      line: 'position long $500 BTCUSDT',
      meaning: 'exactly that long: opened, enlarged, reduced or turned from a short; typed again, it does nothing',
    },
    { line: 'position flat', meaning: 'closes the position on the symbol in focus, if there is one' },
    {
      line: 'position short $500 from flat --out-of-sync flatten',
      meaning: 'for alerts that name the previous position: closes any other position first',
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
      throw spotHasNone()
    }
    const { symbol } = await findMarket(account.venue, intent.symbol ?? context.symbol)
    // Two alerts at once would both find nothing, and both open it.
    await oneByOne(account.orders, symbol, () => bringAbout(context, account, symbol, intent))
  },
}

async function bringAbout(
  context: CommandContext<'tasks'>,
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
  const { size, symbol: typed } = intent
  const turns = held !== undefined && held.side !== target
  const opens = turns && size !== undefined && target !== 'flat'
  // Before what is there is ended, and not again: what has begun is brought to its end.
  if (opens) await requireMeantSize(context, account, { view, target, size, typed })
  const accepted = opens ? await requireEntry(context, account, { held, opening: { symbol, target, size } }) : []
  if (turns) await end(context, account, view, held)
  if (target === 'flat') {
    if (held === undefined) context.out.info(`${symbol} is flat already`)
    return
  }
  // `parsePosition` lets only `flat` go without.
  if (size === undefined) return
  const wanted = { symbol, target, size, held: turns ? undefined : held, isTurn: turns, accepted }
  return adjust(context, account, view, { ...wanted, ...defined({ typed }) })
}

interface SizeToMean {
  readonly view: MarketView
  readonly target: 'long' | 'short'
  /** Of what is ordered. */
  readonly size: Wanted['size']
  /** The position that it adds to. */
  readonly held?: Position
  /** The symbol as it was typed. */
  readonly typed: string | undefined
}

/** A size that is nearly always a slip is asked about, or refused, as one of `buy`. @throws as `resolveAmount` and `requireMeant` */
async function requireMeantSize(
  context: CommandContext,
  account: TradingAccount,
  { view: { market, ticker }, target, size, held, typed }: SizeToMean,
): Promise<void> {
  const side = target === 'long' ? 'buy' : 'sell'
  const price = fillPrice(side, ticker, undefined)
  const funds = fundsOnce(account.venue)
  const input = { market, side, price, position: undefined, percentOf: 'balance', funds } as const
  await requireUnit(size, input)
  // An alert ends the other side, whatever its size is.
  if (!isWeighed(context)) return
  const { amount, cutFrom } = await resolveAmount(size, input)
  const plan = { symbol: market.symbol, side, type: 'market', amount } as const
  const order = { side, amount, market, position: held, price, size, reduce: false, funds, isFixed: true } as const
  const wanted = new Decimal(amount).plus(held?.amount ?? 0)
  const meaning = { ...order, wanted, ...defined({ symbol: typed, cutFrom }) }
  await requireMeant(context, meaning, judging(context, account, plan))
}

/** `flip`: the same amount on the other side. What protected the old side is taken away with it, and said. */
export const flip: SingleCommand<'tasks'> = {
  name: 'flip',
  group: 'trading',
  usage: '[SYMBOL] [stop <price>] [tp <price>]',
  summary: 'close the position and open the same amount on the other side; its stops are canceled',
  where: 'anywhere',
  sends: true,
  takesTags: true,
  takesNear: true,
  examples: [
    { line: 'flip', meaning: 'a long becomes a short of the same amount, without any stop' },
    { line: 'flip BTCUSDT stop +2%', meaning: 'with a stop for the new side' },
  ],
  complete: ({ symbols }) => ['stop', 'tp', ...symbols],
  check: parseFlip,
  symbolUse: (args) => symbolsOf(parseFlip(args)),
  async run(context, args) {
    const { symbol: typed, stop, takeProfit } = parseFlip(args)
    const account = await context.account()
    if (account.venue.kind === 'spot') throw spotHasNone()
    const { symbol } = await findMarket(account.venue, typed ?? context.symbol)
    await oneByOne(account.orders, symbol, async () => {
      await refuseUnsettled(account, symbol)
      const view = await viewSymbol(account.venue, symbol)
      const { market, position: held } = view
      if (held === undefined) throw noPosition(symbol)
      foretellOn(context, view)
      const target = held.side === 'long' ? 'short' : 'long'
      const prices = defined({ stop, takeProfit })
      // A stop that cannot do its work is refused before anything is ended.
      const side = target === 'long' ? 'buy' : 'sell'
      const protection = protectEntry(context, account, { view, side, prices })
      const { amountUnit: kind } = market
      const size = { kind, amount: kind === 'base' ? coins(held.amount) : held.amount }
      const opening = { symbol, target, size, prices } as const
      const accepted = await requireEntry(context, account, { held, opening })
      const { triggerPrice } = protection ?? {}
      if (triggerPrice !== undefined) await requireSure(context, doubtsOf(context, triggerPrice, view))
      warnOfOpening(context, symbol)
      const protecting = await protectingOf(account, held)
      const release = account.orders.claimEnds(protecting)
      let isEnded = false
      try {
        isEnded = await end(context, account, view, held)
      } finally {
        if (!isEnded) release()
      }
      await takeAway(context, account, { held, before: protecting, isEnded })
      await open(context, account, { ...opening, lostStop: protecting.some(isProtectiveStop), isTurn: true, accepted })
    })
  },
}

/**
 * Both orders are judged before the first is sent. A hook ends the position all the same.
 * @returns what a person let the entry pass
 * @throws {CommandError} `guarded`, with the position as it was
 */
async function requireEntry(
  context: CommandContext,
  account: TradingAccount,
  { held, opening }: { readonly held: Position; readonly opening: Opening },
): Promise<readonly AcceptedBreach[]> {
  if (context.source === 'hook') return []
  const { plan } = await planOpening(context, account, opening)
  try {
    return await foreseeAll(context, account, [exitOf(held), plan])
  } catch (error) {
    if (!(error instanceof GuardedError) || error.breaches.length === 0) throw error
    const what = `the ${opening.symbol} ${opening.target} cannot be opened: ${error.message}`
    throw new CommandError('guarded', `${what}; nothing was sent`, {
      hint: '`guards` shows the limits; `close` ends the position alone',
    })
  }
}

/** The orders that only reduce the position. */
async function protectingOf({ venue }: TradingAccount, { symbol, side }: Position): Promise<readonly Order[]> {
  const exit = side === 'long' ? 'sell' : 'buy'
  return (await venue.fetchOpenOrders(symbol)).filter((order) => order.reduceOnly && order.side === exit)
}

/** Some venues end them with the position, some let them rest. */
async function takeAway(
  context: CommandContext<'tasks'>,
  account: TradingAccount,
  { held, before, isEnded }: { readonly held: Position; readonly before: readonly Order[]; readonly isEnded: boolean },
): Promise<void> {
  if (before.length === 0) return
  const resting = await protectingOf(account, held)
  const known = context.marketsOf(account.name)
  for (const order of before) {
    if (resting.some(({ id }) => id === order.id)) await cancelOrder(context, account, order)
    else if (isEnded) context.out.info(endedWithPosition(order, known))
    else context.out.info(`simulated: ${endedWithPosition(order, known, 'would end')}`)
  }
}

function spotHasNone(): CommandError {
  return new CommandError('not-supported', 'a spot account has no positions, only coins', {
    hint: 'use `buy` and `close`',
  })
}

/** What is under way without an answer may be the position that is missing. @throws {CommandError} `unsettled-order` */
async function refuseUnsettled({ orders }: TradingAccount, symbol: string): Promise<void> {
  if (!(await orders.records.unsettledAnywhere()).some(({ order }) => order.symbol === symbol)) return
  throw new CommandError('unsettled-order', `the outcome of an earlier ${symbol} order is unknown`, {
    hint: 'check `orders` and `positions`; hookline keeps asking about it',
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
  const mismatch = `${symbol} is ${is}, not ${from} as expected`
  if (is === target) {
    out.info(`${symbol} is ${is} already`)
    return undefined
  }
  if (outOfSync === 'resync') {
    out.warn(`${mismatch}: went ${target} anyway`)
    return target
  }
  if (outOfSync === 'flatten') {
    out.warn(`${mismatch}: closed the position`)
    return 'flat'
  }
  throw new CommandError('out-of-sync', mismatch, {
    hint: 'trade the difference by hand, or type --out-of-sync resync or --out-of-sync flatten',
  })
}

/** All of it. A step that is only simulated is told, and what comes after it is worked out too. */
async function end(
  context: CommandContext<'tasks'>,
  account: TradingAccount,
  { market }: MarketView,
  held: Position,
): Promise<boolean> {
  try {
    await sendExit(context, account, { market, plan: exitOf(held), isWhole: true, leg: `closes the ${held.side}` })
    return true
  } catch (error) {
    if (!(error instanceof Simulated)) throw error
    printWould(error.would, (text, data) => context.out.info(text, data), context.marketsOf(context.accountName))
    return false
  }
}

interface Opening {
  readonly symbol: string
  readonly target: 'long' | 'short'
  readonly size: Size
  readonly prices?: ProtectivePrices
  /** The other side had a stop, which is gone. */
  readonly lostStop?: boolean
  /** The other side has just been closed. */
  readonly isTurn?: boolean
  /** Limits that a person let it pass before that. */
  readonly accepted?: readonly AcceptedBreach[]
}

async function planOpening(context: CommandContext, account: TradingAccount, opening: Opening) {
  const { symbol, target, size, prices = {} } = opening
  const side = target === 'long' ? 'buy' : 'sell'
  const view = await viewSymbol(account.venue, symbol, 'known')
  const { market, ticker } = view
  const sized = await resolveAmount(size, {
    market,
    side,
    position: undefined,
    percentOf: 'balance',
    funds: fundsOnce(account.venue),
    price: fillPrice(side, ticker, undefined),
  })
  const protection = protectEntry(context, account, { view, side, prices })
  const { amount, asked } = sized
  const plan = { symbol, side, type: 'market', amount, asked, ...defined({ protection }) } as const
  return { view, sized, plan }
}

/** @throws {CommandError} `partly-filled` */
async function open(context: CommandContext<'tasks'>, account: TradingAccount, opening: Opening): Promise<void> {
  const { symbol, target, lostStop = false, isTurn = false, accepted } = opening
  const attempt = async (by: OrderedBy) => {
    const { view, sized, plan } = await planOpening(context, account, opening)
    const { market } = view
    const { protection } = plan
    const order = await account.orders.place(
      plan,
      by,
      orderReporter(context, isTurn ? `opens the ${target}` : undefined),
    )
    const { filled } = order
    if (sized.cutFrom !== undefined) context.out.info(cutLine(sized.cutFrom, market))
    const own = protection?.triggerPrice === undefined ? {} : { stop: { own: undefined } }
    const position = view.position?.side === target ? view.position : undefined
    await reportBare(context, account, { view: { market, position }, order, ...own, lostStop })
    if (new Decimal(filled).gte(sized.amount)) return
    throw new CommandError('partly-filled', `${showAmount(filled)} of ${showAmount(sized.amount)} ${symbol} filled`, {
      hint: 'check `orders`, then repeat the command for the rest',
    })
  }
  await placeAsking(context, attempt, accepted)
}

interface Wanted {
  readonly symbol: string
  readonly target: 'long' | 'short'
  readonly size: Extract<Size, { readonly kind: 'quote' | 'base' }>
  /** On the wanted side. */
  readonly held: Position | undefined
  /** The symbol as it was typed. */
  readonly typed?: string
  /** The other side has been closed for it, and its size was asked about before. */
  readonly isTurn: boolean
  /** As `Opening.accepted`. */
  readonly accepted: readonly AcceptedBreach[]
}

/** Only what it lacks, or has too much of, is ordered. What rests to be added counts as if it had filled. */
async function adjust(
  context: CommandContext<'tasks'>,
  account: TradingAccount,
  view: MarketView,
  wanted: Wanted,
): Promise<void> {
  const { market, ticker } = view
  const { symbol, target, size, held, isTurn, accepted } = wanted
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
  const openMeant = async (lacks: Wanted['size']) => {
    const order = { view, target, size: lacks, typed: wanted.typed, ...defined({ held }) }
    if (!isTurn) await requireMeantSize(context, account, order)
    return open(context, account, { symbol, target, size: lacks, isTurn, accepted })
  }
  const resting = restingOf(await account.venue.fetchOpenOrders(symbol), wanted)
  if (resting === undefined) return openMeant(difference?.size ?? size)
  const lacking = differenceTo(size, resting.withHeld, { market, smallest, price })
  const rests = `open orders already ${side} ${showAmount(resting.amount)} ${symbol}`
  if (lacking.kind === 'more') {
    context.out.info(`${rests}, which count towards the target`)
    return openMeant(lacking.size)
  }
  context.out.info(`${rests}: nothing is ordered (\`cancel ${symbol}\` cancels them)`)
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
