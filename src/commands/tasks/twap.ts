// `twap`: from intent to a task for each symbol, with every slice planned.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import { type Market, unitOf } from '../../exchange/market.ts'
import { priceOnGrid } from '../../exchange/price-grid.ts'
import { wordsBehind } from '../../language/arguments.ts'
import { symbolsOf } from '../../language/focus-taken.ts'
import { printSize } from '../../language/size.ts'
import { parseTwap, type TwapIntent } from '../../language/task-intents.ts'
import { bracketOf } from '../../tasks/exit.ts'
import { smallestOrder, upToLargest } from '../../tasks/remainder.ts'
import { type PlannedSlice, planSlices, type TwapParams } from '../../tasks/twap.ts'
import { showAmount, showDuration, showPrice } from '../../trading/figures.ts'
import { type Funds, findMarkets, fundsOnce, type MarketView, viewSymbol } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { fillPrice, resolvePrice, restingSide } from '../../trading/pricing.ts'
import { resolveAmount } from '../../trading/sizing.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { cutLine, renderTable } from '../kit/lines.ts'
import { forEachItem, foreseeEach } from '../kit/running.ts'
import {
  type AmountToMean,
  effectLines,
  judging,
  MeantAmounts,
  protectionWords,
  requireMeant,
  typedPrice,
} from '../trading/meant-order.ts'
import { doubtsOfPlan, protectEntry, requireSure } from '../trading/protective-stop.ts'
import { requireReduce, requireType } from '../trading/venue-needs.ts'
import { beginTask, type PlannedTask, reducible } from './begin-task.ts'
import { endsOf } from './task-words.ts'

const KEYWORDS = ['into', 'over', 'random', 'limit', 'reduce', 'flip', 'stop', 'tp']
/** Of a plan that is shown to people. */
const MAX_ROWS = 50

export const twap: SingleCommand<'tasks'> = {
  name: 'twap',
  group: 'trading',
  usage:
    '<buy | sell> <size> [SYMBOL,…] into <slices> over <duration> [random <percent>] [limit <price>] [reduce | flip] [stop <price>] [tp <price>]',
  summary: 'trade an amount in equal market orders over a period',
  where: 'anywhere',
  sends: true,
  takesTags: true,
  takesSize: true,
  takesNear: true,
  takesFar: true,
  examples: [
    { line: 'twap buy $1000 BTCUSDT into 10 over 30m', meaning: 'about a hundred dollars every three minutes' },
    {
      line: 'twap sell 50% into 5 over 10m reduce',
      meaning: 'half of the position in ten minutes',
    },
    { line: 'twap buy $1000 into 10 over 1h random 20%', meaning: 'with sizes and times that vary by up to a fifth' },
    { line: 'twap buy $1000 into 10 over 1d limit +1%', meaning: 'no slice while the price is higher' },
    {
      line: 'twap buy $1000 into 10 over 1h stop -2%',
      meaning: 'each slice has its own stop, all at one price, counted from last; it ends once that is reached',
    },
    { line: 'twap buy $1000 into 10 over 1h --dry', meaning: 'shows when each slice would come; nothing begins' },
  ],
  complete: ({ words, symbols }) => (words.length === 0 ? ['buy', 'sell'] : [...symbols, ...KEYWORDS]),
  check: parseTwap,
  durations: (args) => wordsBehind('over', args),
  symbolUse: (args) => symbolsOf(parseTwap(args)),
  async run(context, args) {
    const intent = parseTwap(args)
    const account = await context.account()
    const funds = fundsOnce(account.venue)
    const typed = intent.symbols.length > 0 ? intent.symbols : [context.symbol]
    const symbols = await findMarkets(account.venue, typed)
    const planOn = (symbol: string, on = account) => planTwap(context, on, { intent, symbol, funds })
    const meant = new MeantAmounts()
    const ask = async (on: TradingAccount, { first, meaning, view }: PlannedTwap) => {
      const judge = judging(context, on, first)
      await requireSure(context, doubtsOfPlan(context, first.protection ?? {}, view), judge)
      await requireMeant(context, { ...meaning, funds }, judge, meant)
    }
    const firstOn = async (symbol: string, on: TradingAccount) => {
      const planned = await planOn(symbol, on)
      await ask(on, planned)
      return planned.first
    }
    if (!intent.reduce) await foreseeEach(context, { account, items: symbols, planOn: firstOn })
    await forEachItem(context, symbols, async (symbol) => {
      const planned = await planOn(symbol)
      await ask(account, planned)
      await beginTask(context, account, planned, args)
      for (const line of effectLines(planned.meaning)) context.out.warn(line)
    })
  },
}

interface Sliced {
  readonly intent: TwapIntent
  readonly symbol: string
  readonly funds: Funds
}

type PlannedTwap = PlannedTask & { readonly meaning: AmountToMean; readonly view: MarketView }

/** Every figure worked out, and refused what can be refused before anything begins. */
async function planTwap(
  context: Pick<CommandContext, 'source' | 'runId' | 'far'>,
  account: TradingAccount,
  { intent, symbol, funds }: Sliced,
): Promise<PlannedTwap> {
  const { side, reduce, slices, durationMs, random } = intent
  requireType(account, 'market')
  if (reduce) requireReduce(account)
  const view = await viewSymbol(account.venue, symbol)
  const { market, ticker, position } = view
  const limit = intent.limit && priceOnGrid(resolvePrice(intent.limit, view), market, restingSide(side))
  const price = fillPrice(side, ticker, limit)
  const percentOf = reduce ? 'position' : 'balance'
  const asked = await resolveAmount(intent.size, { market, side, price, position, percentOf, funds })
  const amount = reduce ? reducible(side, asked.amount, view) : asked.amount
  const prices = defined({ stop: intent.stop, takeProfit: intent.takeProfit })
  const { triggerPrice: stop, takeProfitPrice: takeProfit } =
    protectEntry(context, account, { view, side, prices, reduce, size: printSize(intent.size) }) ?? {}
  const params: TwapParams = {
    side,
    amount,
    reduce,
    slices,
    durationMs,
    seed: `${context.runId} ${symbol}`,
    ...defined({ random, limit, stop, takeProfit }),
  }
  const plan = planSlices(params, market)
  requireSized(plan, params, market, price)
  const reach = limit === undefined ? '' : `, none ${side === 'buy' ? 'above' : 'below'} ${showPrice(limit, market)}`
  const protectedBy = protectionWords({ stop: stop !== undefined, takeProfit: takeProfit !== undefined })
  const typed = [...typedPrice('stop', stop, intent.stop), ...typedPrice('take-profit', takeProfit, intent.takeProfit)]
  const meaning = {
    ...intent,
    ...asked,
    amount,
    market,
    position,
    price,
    isLater: true,
    prices: { side, view, typed, isFar: context.far.isMeant, isEntry: true },
    ...defined({ stopAt: stop, protectedBy }),
  }
  return {
    meaning,
    view,
    kind: 'twap',
    symbol,
    params,
    first: {
      symbol,
      side,
      type: 'market',
      amount: plan[0]?.amount ?? amount,
      ...(reduce ? { reduceOnly: true } : {}),
      ...defined({ protection: bracketOf(params) }),
    },
    text: `${side}s ${showAmount(amount)} ${symbol} in ${slicesText(plan)} over ${showDuration(durationMs)}${reach}${reduce ? ', reduce-only' : ''}${endsOf(params, market)}`,
    more: (isDry) => [
      ...(asked.cutFrom === undefined ? [] : [cutLine(asked.cutFrom, market)]),
      ...(isDry ? [planTable(plan, market)] : []),
    ],
    data: {
      side,
      amount,
      reduceOnly: reduce,
      lastsMs: durationMs,
      slices: plan,
      ...defined({ limit, roundedBy: asked.cutFrom?.percent }),
    },
  }
}

/** A slice that the venue would not take is refused before the first is sent. @throws {CommandError} `below-minimum`, `above-maximum` */
function requireSized(plan: readonly PlannedSlice[], params: TwapParams, market: Market, price: Decimal.Value): void {
  const least = smallestOrder(market, price, params.reduce)
  if (plan.some(({ amount }) => least.gt(amount))) {
    const most = mostSlices(params, least)
    const slice = `a slice of ${showAmount(averageOf(params))}`
    throw new CommandError(
      'below-minimum',
      `${slice} is below the minimum ${market.symbol} order, ${showAmount(least)}`,
      {
        hint:
          most < 2 ? 'type a larger size: the whole makes one order' : `type into ${most} at most, or a larger size`,
      },
    )
  }
  const large = plan.find(({ amount }) => upToLargest(new Decimal(amount), market, 'market').lt(amount))
  if (large === undefined) return
  throw new CommandError('above-maximum', `a slice of ${showAmount(large.amount)} is above the maximum of one order`, {
    hint: 'type more slices',
  })
}

/** `10 slices of 0.001 to 0.002`: as they are sent, on the venue's grid. */
function slicesText(plan: readonly PlannedSlice[]): string {
  const amounts = plan.map(({ amount }) => amount)
  const [least, most] = [Decimal.min(...amounts), Decimal.max(...amounts)]
  const size = least.eq(most) ? showAmount(most) : `${showAmount(least)} to ${showAmount(most)}`
  return `${plan.length} slices of ${size}`
}

function averageOf({ amount, slices }: TwapParams): Decimal {
  return new Decimal(amount).div(slices).toSignificantDigits(3)
}

/** So many slices are taken, whatever chance makes of them. */
function mostSlices({ amount, random = '0' }: TwapParams, least: Decimal): number {
  const share = new Decimal(random).div(100)
  const smallest = new Decimal(1).minus(share).div(share.plus(1))
  return new Decimal(amount).div(least).times(smallest).floor().toNumber()
}

function planTable(plan: readonly PlannedSlice[], market: Market): string {
  const rows = plan
    .slice(0, MAX_ROWS)
    .map(({ afterMs, amount }, index) => [
      String(index + 1),
      afterMs === 0 ? 'at once' : `after ${showDuration(afterMs)}`,
      showAmount(amount),
    ])
  const unit = unitOf(market)
  const table = renderTable(
    [{ title: 'slice', align: 'right' }, { title: 'when' }, { title: unit, align: 'point' }],
    rows,
  )
  const more = plan.length - rows.length
  return more > 0 ? `${table}\nand ${more} more` : table
}
