// `trail`: from intent to a task for each symbol, with where its first stop goes.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { Market } from '../../exchange/market.ts'
import type { Order } from '../../exchange/order.ts'
import { priceOnGrid, stepAt } from '../../exchange/price-grid.ts'
import { symbolsOf } from '../../language/focus-taken.ts'
import { printOffset } from '../../language/price.ts'
import { printable } from '../../language/printable.ts'
import { printSize, type Size } from '../../language/size.ts'
import { parseTrail, type TrailIntent } from '../../language/task-intents.ts'
import { type HeldSide, hasPassed, lengthOf, markOf, stopOf } from '../../tasks/exit.ts'
import type { TrailParams } from '../../tasks/trail.ts'
import { coverOf as coveredBy } from '../../trading/cover.ts'
import { showAmount, showAverageOf, showPrice } from '../../trading/figures.ts'
import { findMarket, findMarkets } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { orderIdPrefix } from '../../trading/order-plan.ts'
import { TradingError } from '../../trading/trading-error.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { forEachItem } from '../kit/running.ts'
import { foretellOn } from '../trading/meant-order.ts'
import {
  bareLine,
  type Doubt,
  doubtsOf,
  ordersBefore,
  restingOn,
  type StopAsking,
  warnOfBare,
  warnOfTargets,
} from '../trading/protective-stop.ts'
import { requireType } from '../trading/venue-needs.ts'
import { beginTask, type PlannedTask } from './begin-task.ts'
import { coverOf, type HeldView, replaceBy, viewHeld } from './held-view.ts'
import { shortTaskId } from './task-words.ts'

export const trail: SingleCommand<'tasks'> = {
  name: 'trail',
  group: 'trading',
  usage: '<distance> [SYMBOL,…] [size] [after <profit | price>] [replace | add]',
  summary: 'trail a stop at the venue by a fixed distance',
  where: 'anywhere',
  isProtective: true,
  placesStop: true,
  sends: true,
  takesNear: true,
  examples: [
    {
      line: 'trail 1%',
      meaning: 'for the whole position, also as it grows: one percent from the best price from now on',
    },
    { line: 'trail 500 BTCUSDT 50%', meaning: 'for half of it as it is now, 500 from the best price' },
    {
      line: 'trail 1% after +0.5%',
      meaning: 'begins at half a percent of profit; until then it places no stop',
    },
    { line: 'trail 1% replace', meaning: 'in place of the stops that protect the position now; add: beside them' },
    { line: 'trail 1% --dry', meaning: 'shows where the stop would rest; nothing begins' },
  ],
  complete: ({ words, symbols }) =>
    words.at(-1) === 'after'
      ? ['+0.5%', '+1%']
      : words.length === 0
        ? ['1%', '2%']
        : [...symbols, 'after', 'replace', 'add'],
  check: parseTrail,
  symbolUse: (args) => symbolsOf(parseTrail(args)),
  async run(context, args) {
    const intent = parseTrail(args)
    const account = await context.account()
    const typed = intent.symbols.length > 0 ? intent.symbols : [context.symbol]
    const symbols = await findMarkets(account.venue, typed)
    await forEachItem(context, symbols, async (symbol) => {
      const others = context.ports.tasks
        .list()
        .filter((task) => task.kind === 'trail' && task.symbol === symbol && task.account === context.accountName)
        .filter(({ status }) => status === 'running')
      const { before, ...planned } = await planTrail(context, account, intent, symbol)
      const isReplaced = await replaceBy(context, account, await beginTask(context, account, planned, args), before)
      if (isReplaced) {
        warnOfTargets(context, before, await findMarket(account.venue, symbol))
        await warnOfBare(context, account, before)
      }
      const isOver = (id: string) =>
        isReplaced && before.some(({ clientOrderId }) => clientOrderId?.startsWith(orderIdPrefix(id)) === true)
      for (const { id } of others) if (!isOver(id)) context.out.warn(besideLine(symbol, shortTaskId({ id })))
    })
  },
}

/**
 * For as much as a stop of an entry covers, in its place once the trail's own stop rests. It begins no farther away than that stop.
 * @param own reduce-only, with a trigger
 */
export async function trailInPlaceOf(
  context: CommandContext<'tasks'>,
  account: TradingAccount,
  distance: TrailIntent['distance'],
  { own, symbol, amount }: { readonly own: Order | undefined; readonly symbol: string; readonly amount: Size },
): Promise<void> {
  const words = [printOffset(distance), symbol, printSize(amount), 'add'].map((text) => ({
    kind: 'word' as const,
    text,
    column: 1,
  }))
  const { before: _, ...planned } = await planTrail(context, account, parseTrail(words), symbol, own?.triggerPrice)
  const id = await beginTask(context, account, planned, words)
  await replaceBy(context, account, id, own === undefined ? [] : [own])
}

function besideLine(symbol: string, id: string): string {
  return `trail ${id} runs on ${symbol} too, with a stop of its own: \`tasks cancel ${id}\` ends it`
}

/**
 * Every figure worked out, and refused what can be refused before anything begins.
 * @param from of a stop that it takes the place of
 */
async function planTrail(
  context: StopAsking & Pick<CommandContext, 'elsewhere'>,
  account: TradingAccount,
  intent: TrailIntent,
  symbol: string,
  from?: string,
): Promise<PlannedTask & { readonly before: readonly Order[] }> {
  const [view, resting] = await Promise.all([
    viewHeld(account, symbol, 'a trail'),
    restingOn(account, symbol, intent.beside),
  ])
  requireType(account, 'stop')
  foretellOn(context, view)
  const { market, ticker, side, exit } = view
  const { distance, size } = intent
  const after = armsAt(intent, view)
  const best = from === undefined ? ticker.last : bestOf(side, ticker.last, markOf(side, from, distance), market)
  const mark = after ?? best
  requireSensible(intent, view, mark)
  const price = stopOf(side, mark, distance, market)
  const doubts = doubtsOf(context, price, view, mark)
  const { amount, lines } = await coverOf(size, price, view)
  const before = await stopsBefore(context, intent, { view, amount, after, resting, doubts })
  const params: TrailParams = {
    side,
    distance,
    mark: best,
    ...(size === undefined ? {} : { amount }),
    ...defined({ after }),
  }
  const length = distance.kind === 'percent' ? `${distance.value}%` : showPrice(distance.value)
  const where = `${length} ${side === 'long' ? 'below' : 'above'} the best price`
  const begins = after === undefined ? 'first' : `from ${showPrice(after)} on, first`
  return {
    before,
    kind: 'trail',
    symbol,
    params,
    first: { symbol, side: exit, type: 'stop', amount, triggerPrice: price, reduceOnly: true },
    text: `keeps a stop for ${showAmount(amount)} ${symbol} ${where}, ${begins} at ${showPrice(price)}`,
    more: () => [
      ...lines,
      ...(after === undefined ? [] : [untilThen(view, after, resting, context.elsewhere(account.name))]),
    ],
    data: { side: exit, amount, reduceOnly: true, price, distance, ...defined({ after }) },
  }
}

/** What protects the position until the trail begins. */
function untilThen(
  { market, position }: HeldView,
  after: string,
  resting: readonly Order[] | undefined,
  elsewhere: string | undefined,
): string {
  const until = `until ${market.symbol} reaches ${showPrice(after)} this trail places no stop`
  if (resting === undefined) return until
  const cover = coveredBy(position, resting)
  if (!new Decimal(cover.uncovered).isZero()) return `${until}; ${bareLine(position, cover, market, elsewhere)}`
  const ids = cover.stops.map(({ id }) => printable(id, 40)).join(', ')
  return `${until}; until then ${ids} ${cover.stops.length === 1 ? 'protects' : 'protect'} the position`
}

/** On the grid, where it profits. */
function bestOf(side: HeldSide, last: string, mark: Decimal, market: Market): string {
  if (side === 'long' ? mark.lte(last) : mark.gte(last)) return last
  return priceOnGrid(mark, market, side === 'long' ? 'up' : 'down')
}

/** One that waits for a profit rests no stop yet: until then the present ones protect. @throws {CommandError} `covered`, `bad-argument` */
async function stopsBefore(
  context: Pick<CommandContext, 'confirm'>,
  { beside }: TrailIntent,
  {
    view: { market, position },
    amount,
    after,
    resting,
    doubts,
  }: {
    readonly view: HeldView
    readonly amount: string
    readonly after: string | undefined
    readonly resting: readonly Order[] | undefined
    readonly doubts: readonly Doubt[]
  },
): Promise<readonly Order[]> {
  const placed = { market, position, amount, ends: 'stop', beside, doubts } as const
  if (after === undefined) return ordersBefore(context, { ...placed, resting })
  if (beside !== 'replace') return ordersBefore(context, { ...placed, resting: undefined })
  throw new CommandError(
    'bad-argument',
    `until ${position.symbol} reaches ${showPrice(after)}, this trail places no stop`,
    {
      hint: 'leave out replace: the present stops protect the position until then',
    },
  )
}

/** A profit counts from the entry, to the side of the position. Undefined where nothing is to be waited for. @throws {TradingError} `bad-price` */
function armsAt({ after }: TrailIntent, { market, ticker, position, side }: HeldView): string | undefined {
  if (after === undefined) return undefined
  const toProfit = side === 'long' ? 'short' : 'long'
  if (after.from === 'price') {
    const price = priceOnGrid(after.price, market, 'nearest')
    if (!hasPassed(toProfit, ticker.last, price)) return price
    throw new TradingError('bad-price', `${market.symbol} is at ${showPrice(ticker.last)}, past ${showPrice(price)}`, {
      hint: 'leave out after: the trail begins now',
    })
  }
  const length = lengthOf(after, position.entryPrice)
  const sum = new Decimal(position.entryPrice).plus(side === 'long' ? length : length.neg())
  if (sum.lte(0)) {
    throw new TradingError('bad-price', `a profit of ${showPrice(length)} is more than the price`, {
      hint: `${market.symbol} was entered at ${showAverageOf(position.entryPrice, market)}`,
    })
  }
  const price = priceOnGrid(sum, market, side === 'long' ? 'up' : 'down')
  return hasPassed(toProfit, ticker.last, price) ? undefined : price
}

/** @throws {TradingError} `bad-stop` */
function requireSensible({ distance }: TrailIntent, { market, side, ticker }: HeldView, mark: string): void {
  const length = lengthOf(distance, mark)
  const step = stepAt(mark, market.priceGrid)
  if (length.lt(step)) {
    const least = `the smallest step of ${market.symbol} is ${showPrice(step)}`
    throw new TradingError('bad-stop', `a distance of ${showPrice(length)} is too small`, { hint: least })
  }
  if (side === 'short' || length.lt(mark)) return
  throw new TradingError('bad-stop', `a distance of ${showPrice(length)} leaves no price for the stop`, {
    hint: `${market.symbol} trades at ${showPrice(ticker.last)}`,
  })
}
