// `scale`: one size as limit orders over a range of prices, placed at once. Nothing of it goes on by itself: it is not a task.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { Market } from '../../exchange/market.ts'
import { symbolsOf } from '../../language/focus-taken.ts'
import { parseScale } from '../../language/placing.ts'
import { printSize } from '../../language/size.ts'
import { showPrice } from '../../trading/figures.ts'
import { findMarket, fundsOnce, viewSymbol } from '../../trading/market-view.ts'
import type { OrderPlan } from '../../trading/order-plan.ts'
import { averageOf, planScale } from '../../trading/slices.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import type { SlicedData } from '../kit/data.ts'
import { cutLine } from '../kit/lines.ts'
import { effectLines, judging, protectionWords, reducingLine, requireMeant, typedPrice } from './meant-order.ts'
import { doubtsOfPlan, protectEntry, requireSure } from './protective-stop.ts'
import { describeSum, refusePartly, sendInTurn, worthOf } from './send-slices.ts'
import { requireReduce } from './venue-needs.ts'

export const scale: SingleCommand = {
  name: 'scale',
  group: 'trading',
  usage:
    '<buy | sell> <size> [SYMBOL] into <n> from <price> to <price> [skew <-1…1>] [sizeskew <-1…1>] [po] [reduce | flip] [stop <price>] [tp <price>]',
  summary: 'place one size as several limit orders over a range of prices',
  where: 'anywhere',
  sends: true,
  takesNear: true,
  takesFar: true,
  takesTags: true,
  takesSize: true,
  examples: [
    { line: 'scale buy $1000 into 5 from -1% to -3%', meaning: 'five orders of the same size, evenly apart' },
    {
      line: 'scale buy $1000 into 5 from -1% to -3% stop -4% tp +6%',
      meaning: 'each order has its own stop and target, counted from its price',
    },
    {
      line: 'scale sell 50% BTCUSDT into 4 from +1% to +4% reduce po',
      meaning: 'takes profit on half of the position, as a maker',
    },
    {
      line: 'scale buy $5000 into 8 from -1% to -4% skew 0.5 sizeskew 0.5',
      meaning: 'more of the orders, and the larger ones, towards the second price; below zero, towards the first',
    },
  ],
  complete: ({ words, symbols }) => (words.length === 0 ? ['buy', 'sell'] : valuesAfter(words.at(-1), symbols)),
  check: parseScale,
  symbolUse: (args) => symbolsOf(parseScale(args)),
  async run(context, args) {
    const intent = parseScale(args)
    const account = await context.account()
    const { symbol } = await findMarket(account.venue, intent.symbol ?? context.symbol)
    if (intent.reduce) requireReduce(account)
    const view = await viewSymbol(account.venue, symbol)
    const { market, position } = view
    const funds = fundsOnce(account.venue)
    const { plans: bare, average, ...sized } = await planScale(intent, { view, funds, band: account.priceBand?.() })
    const { stop, takeProfit } = intent
    const protecting = { view, side: intent.side, reduce: intent.reduce, size: printSize(intent.size) }
    const plans = bare.map((plan) => {
      const prices = defined({ stop, takeProfit })
      const protection = protectEntry(context, account, { ...protecting, prices, ...defined({ limit: plan.price }) })
      return { ...plan, ...defined({ protection }) }
    })
    const bracket = bracketOf(plans, market)
    const sum = { amount: new Decimal(sized.amount), average }
    const ends = [plans[0], plans.at(-1)].map((plan) => plan?.price)
    const prices = {
      side: intent.side,
      view,
      typed: [
        ...typedPrice('limit', ends[0], intent.from),
        ...typedPrice('limit', ends[1], intent.to),
        ...typedPrice('stop', bracket.stops[0], stop),
        ...typedPrice('take-profit', bracket.targets[0], takeProfit),
      ],
      isFar: context.far.isMeant,
      isImmediate: intent.postOnly,
      isEntry: true,
    }
    const meaning = {
      ...intent,
      ...sized,
      market,
      position,
      price: average,
      isLater: true,
      prices,
      funds,
      ...defined({ stopAt: bracket.stopAt, protectedBy: bracket.words }),
    }
    const judge = judging(context, account, ...plans)
    for (const { price, protection } of plans) {
      await requireSure(context, doubtsOfPlan(context, protection ?? {}, view, price), judge)
    }
    await requireMeant(context, meaning, judge)
    const sent = await sendInTurn(context, account, plans)
    const data: SlicedData = {
      type: 'sliced',
      command: 'scale',
      account: context.accountName,
      symbol,
      side: intent.side,
      slices: plans.length,
      amount: sized.amount,
      average: average.toFixed(),
      value: worthOf(sum, market).toFixed(),
      orders: sent.orders,
    }
    await refusePartly(context, account, sent, data)
    printSum(
      context,
      `${describeSum(intent.side, data, sum, market)} if all fill${bracket.line}`,
      sent.simulated > 0 ? undefined : data,
    )
    if (sized.cutFrom !== undefined) context.out.info(cutLine(sized.cutFrom, market))
    for (const line of effectLines(meaning)) context.out.warn(line)
    const reducing = reducingLine(meaning)
    if (reducing !== undefined) context.out.info(reducing)
  },
}

interface Bracket {
  readonly stops: readonly string[]
  readonly targets: readonly string[]
  /** Where all of them together are stopped. */
  readonly stopAt?: string
  /** As of `protectionWords`. */
  readonly words?: string
  /** `; each has its own stop (61,776 to 60,528)`. */
  readonly line: string
}

function bracketOf(plans: readonly OrderPlan[], market: Market): Bracket {
  const of = (key: 'triggerPrice' | 'takeProfitPrice') => plans.flatMap(({ protection }) => protection?.[key] ?? [])
  const [stops, targets] = [of('triggerPrice'), of('takeProfitPrice')]
  const words = protectionWords({ stop: stops.length > 0, takeProfit: targets.length > 0 })
  if (words === undefined) return { stops, targets, line: '' }
  const ranges = [rangeOf('stop', stops, market), rangeOf('take-profit', targets, market)].filter((each) => each !== '')
  const amounts = plans.map(({ amount }) => new Decimal(amount))
  const stopAt = stops.length === 0 ? undefined : averageOf(amounts, stops, market).toFixed()
  return { stops, targets, words, line: `; each has its own ${ranges.join(' and ')}`, ...defined({ stopAt }) }
}

function rangeOf(what: string, prices: readonly string[], market: Market): string {
  const [first, last] = [prices[0], prices.at(-1)]
  if (first === undefined || last === undefined) return ''
  return `${what} (${first === last ? showPrice(first, market) : `${showPrice(first, market)} to ${showPrice(last, market)}`})`
}

/** @param data undefined: nothing was sent */
function printSum({ out }: CommandContext, text: string, data: SlicedData | undefined): void {
  if (data === undefined) out.info(`simulated: ${text}`)
  else out.success(`scaled: ${text}`, data)
}

function valuesAfter(word: string | undefined, symbols: readonly string[]): readonly string[] {
  if (word === 'from' || word === 'to') return ['$last', '$bid', '$ask', '$entry']
  if (word === 'into' || word === 'skew' || word === 'sizeskew') return []
  return [...symbols, 'into', 'from', 'to', 'skew', 'sizeskew', 'po', 'reduce', 'flip', 'stop', 'tp']
}
