// `dca`: from intent to a task whose parts are all planned, with its worst-case loss.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { Market } from '../../exchange/market.ts'
import { amountOnLot, priceOnGrid } from '../../exchange/price-grid.ts'
import { symbolsOf } from '../../language/focus-taken.ts'
import { type DcaIntent, parseDca } from '../../language/task-intents.ts'
import { type DcaParams, dca as dcaTask, partPrice } from '../../tasks/dca.ts'
import { bracketOf } from '../../tasks/exit.ts'
import { smallestOrder, upToLargest } from '../../tasks/remainder.ts'
import { showAmount, showPrice, showUnits } from '../../trading/figures.ts'
import { findMarket, fundsOnce, type MarketView, viewSymbol } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { planProtection } from '../../trading/plan-protection.ts'
import { fillPrice, refuseFarThrough, resolvePrice, restingSide, wouldTake } from '../../trading/pricing.ts'
import { describeSize, resolveAmount, type SizedAmount } from '../../trading/sizing.ts'
import { splitOnLot } from '../../trading/slices.ts'
import type { SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { cutLine } from '../kit/lines.ts'
import { type AmountToMean, protectionWords, typedPrice } from '../trading/meant-order.ts'
import { requireProtection, requireType } from '../trading/venue-needs.ts'
import {
  beginLadder,
  type LadderPart,
  ladderFigures,
  type PlannedLadder,
  partsTable,
  sumLine,
  worstLine,
} from './ladder-plan.ts'
import { endsOf } from './task-words.ts'

export const dca: SingleCommand<'tasks'> = {
  name: 'dca',
  group: 'trading',
  usage: '<buy | sell> <size> [SYMBOL] into <parts> every <-1% | -500> [at <price>] [stop <price>] [tp <price>] [flip]',
  summary: 'take a first part now, and another part at each step against you',
  where: 'anywhere',
  sends: true,
  takesTags: true,
  takesSize: true,
  takesFar: true,
  examples: [
    { line: 'dca buy $1000 BTCUSDT into 4 every -1%', meaning: 'a quarter now, the others 1, 2 and 3% below its fill' },
    { line: 'dca buy $1000 into 4 every -1% stop -6% tp +3%', meaning: 'every part has the same stop and take-profit' },
    { line: 'dca buy $1000 into 5 every -500 at -1%', meaning: 'the first part rests 1% below last' },
    {
      line: 'dca buy $1000 into 4 every -1% --dry',
      meaning: 'its parts and its worst-case loss, and nothing begins',
    },
  ],
  details: [
    'steps count from the fill of the first part: -1% three times is 1, 2 and 3% below it',
    'parts rest as limit orders; a canceled part is skipped; closing the position ends all',
    'a pause cancels them, `tasks resume` places them again; filled parts keep their stops and targets',
  ],
  complete: ({ words, symbols }) =>
    words.length === 0 ? ['buy', 'sell'] : [...symbols, 'into', 'every', 'at', 'stop', 'tp', 'flip'],
  check: parseDca,
  symbolUse: (args) => symbolsOf(parseDca(args)),
  async run(context, args) {
    const intent = parseDca(args)
    const account = await context.account()
    const { symbol } = await findMarket(account.venue, intent.symbol ?? context.symbol)
    const planned = await planDca(account, intent, symbol, context.far.isMeant)
    await beginLadder(context, account, planned, args)
  },
}

/** Every figure worked out, and refused what can be refused before anything begins. */
async function planDca(
  account: TradingAccount,
  intent: DcaIntent,
  symbol: string,
  isFar: boolean,
): Promise<PlannedLadder> {
  const { side, step } = intent
  requireType(account, 'limit')
  if (intent.at === undefined) requireType(account, 'market')
  const view = await viewSymbol(account.venue, symbol)
  const { market, ticker, position } = view
  const at = intent.at && priceOnGrid(resolvePrice(intent.at, view), market, restingSide(side))
  if (at !== undefined) refuseFarThrough(side, at, view, account.priceBand?.())
  const first = fillPrice(side, ticker, at)
  const prices = pricesOf(intent, first, market)
  const { stop, takeProfit } = protectionOf(account, intent, { view, at, prices })
  const sized = await sizeParts(account, intent, { view, prices })
  const parts = prices.map((price, part): LadderPart => ({ price, amount: sized.parts[part] ?? '0' }))
  requireSized(parts, market)
  const params: DcaParams = {
    side,
    parts: [...sized.parts],
    step,
    ...defined({ at, budget: sized.budget, stop, takeProfit }),
  }
  const isFirstTaken = at === undefined || wouldTake(side, at, ticker)
  const figures = ladderFigures({ side, parts, isFirstTaken, ...defined({ stop }) }, market)
  const { amount, average, worst } = figures
  const protectedBy = protectionWords({ stop: stop !== undefined, takeProfit: takeProfit !== undefined })
  const meaning: AmountToMean = {
    side,
    size: intent.size,
    amount,
    market,
    position,
    price: average,
    reduce: false,
    isLater: true,
    prices: {
      side,
      view,
      typed: [
        ...typedPrice('limit', at, intent.at),
        ...typedPrice('stop', stop, intent.stop),
        ...typedPrice('take-profit', takeProfit, intent.takeProfit),
      ],
      isFar,
    },
    funds: fundsOnce(account.venue),
    // What lots take of it is in the plan that a person lets begin.
    ...defined({ symbol: intent.symbol, flip: intent.flip, protectedBy }),
  }
  const away = step.kind === 'percent' ? `${step.value}%` : showAmount(step.value)
  const where = at === undefined ? 'the first now' : `the first at ${showPrice(at, market)}`
  return {
    kind: dcaTask.name,
    symbol,
    params,
    meaning,
    first: {
      symbol,
      side,
      amount: parts[0]?.amount ?? '0',
      ...(at === undefined ? { type: 'market' } : { type: 'limit', price: at }),
      ...defined({ protection: bracketOf(params) }),
    },
    text: `${side}s ${showUnits(amount, market)} in ${parts.length} parts, ${where}, the others each ${away} ${side === 'buy' ? 'lower' : 'higher'}${endsOf(params, market)}`,
    lines: [
      ...(sized.cutFrom === undefined ? [] : [cutLine(sized.cutFrom, market)]),
      partsTable(parts, market),
      await sumLine(account, { side, amount, average }, view),
      worstLine(worst, market),
    ],
    data: { side, amount, reduceOnly: false, parts, average, ...defined({ price: at, worst }) },
  }
}

/** @throws {CommandError} `bad-argument` where steps are as one, or come to zero */
function pricesOf({ side, step, parts }: DcaIntent, first: Decimal, market: Market): readonly string[] {
  const prices = Array.from({ length: parts }, (_, part) => partPrice({ side, step }, first, part, market))
  const last = prices.at(-1) ?? '0'
  if (!new Decimal(last).gt(0)) {
    const most = Math.max(1, prices.filter((price) => new Decimal(price).gt(0)).length)
    throw new CommandError('bad-argument', `part ${parts} would be at zero or below`, {
      hint: `type into ${most} at most, or a smaller step`,
    })
  }
  if (new Set(prices).size === parts) return prices
  throw new CommandError('bad-argument', 'two parts would rest at one price', {
    hint: 'type a larger step',
  })
}

/** @throws {TradingError} `bad-stop` @throws {CommandError} `not-supported`, `bad-argument` */
function protectionOf(
  account: TradingAccount,
  { side, stop, takeProfit }: DcaIntent,
  { view, at, prices }: { view: MarketView; at: string | undefined; prices: readonly string[] },
): { readonly stop?: string; readonly takeProfit?: string } {
  if (stop === undefined && takeProfit === undefined) return {}
  requireProtection(account, view, side, { stop: stop !== undefined, takeProfit: takeProfit !== undefined })
  // Its driver stays to place them.
  const typed = defined({ stop, takeProfit })
  const plan = planProtection(typed, { side, view, staysOpen: true, ...defined({ limit: at }) })
  const { triggerPrice, takeProfitPrice } = plan ?? {}
  const { market } = view
  const last = prices.at(-1) ?? '0'
  const isBehind =
    triggerPrice !== undefined &&
    (side === 'buy' ? new Decimal(triggerPrice).gte(last) : new Decimal(triggerPrice).lte(last))
  if (isBehind) {
    const where = side === 'buy' ? 'below' : 'above'
    const what = `the stop at ${showPrice(triggerPrice, market)} comes before the last part at ${showPrice(last, market)}`
    throw new CommandError('bad-argument', what, {
      hint: `type a stop ${where} ${showPrice(last, market)}, fewer parts, or a smaller step`,
    })
  }
  return defined({ stop: triggerPrice, takeProfit: takeProfitPrice })
}

interface SizedParts {
  readonly parts: readonly string[]
  /** What was typed as money: all parts cost no more. */
  readonly budget?: string
  readonly cutFrom?: NonNullable<SizedAmount['cutFrom']>
}

/** Money is the same for each part, coins are the same for each part. @throws as `resolveAmount` */
async function sizeParts(
  { venue }: TradingAccount,
  { size, side, parts }: DcaIntent,
  { view, prices }: { view: MarketView; prices: readonly string[] },
): Promise<SizedParts> {
  const { market, position } = view
  const price = prices[0] ?? '0'
  const input = { market, side, price, position, percentOf: 'balance' as const, funds: fundsOnce(venue) }
  const sized = await resolveAmount(size, input)
  if (size.kind !== 'quote' && size.kind !== 'account') {
    const split = splitOnLot(
      sized.amount,
      Array.from({ length: parts }, () => new Decimal(1)),
      market,
    )
    return { parts: split.map((amount) => amount.toFixed()), ...defined({ cutFrom: sized.cutFrom }) }
  }
  const inQuote = market.amountUnit === 'quote'
  const budget = inQuote ? new Decimal(sized.asked) : new Decimal(sized.asked).times(price)
  const each = budget.div(parts)
  const amounts = prices.map((at) => amountOnLot(inQuote ? each : each.div(at), market))
  const used = Decimal.sum(0, ...amounts.map((amount, part) => (inQuote ? amount : amount.times(prices[part] ?? 0))))
  const percent = budget.minus(used).div(budget).times(100).toDecimalPlaces(1)
  return {
    parts: amounts.map((amount) => amount.toFixed()),
    budget: budget.toSignificantDigits(20).toFixed(),
    ...(percent.gt(1) ? { cutFrom: { size: describeSize(size), percent: percent.toFixed() } } : {}),
  }
}

/** A part that the venue would not take is refused before the first is sent. @throws {CommandError} `below-minimum`, `above-maximum` */
function requireSized(parts: readonly LadderPart[], market: Market): void {
  const short = parts.find(({ price, amount }) => smallestOrder(market, price, false).gt(amount))
  if (short !== undefined) {
    const least = smallestOrder(market, short.price, false)
    const what = `a part of ${showUnits(short.amount, market)} is below the minimum ${market.symbol} order, ${showUnits(least, market)}`
    throw new CommandError('below-minimum', what, { hint: 'type fewer parts, or a larger size' })
  }
  const large = parts.find(({ amount }) => upToLargest(new Decimal(amount), market, 'market').lt(amount))
  if (large === undefined) return
  const what = `a part of ${showUnits(large.amount, market)} is above the maximum of one order`
  throw new CommandError('above-maximum', what, { hint: 'type more parts, or a smaller size' })
}
