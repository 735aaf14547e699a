// `scale`: one size as limit orders over a range of prices, placed at once. Nothing of it goes on by itself: it is not a task.
import { Decimal } from 'decimal.js'
import { symbolsOf } from '../../language/focus-taken.ts'
import { parseScale } from '../../language/placing.ts'
import { findMarket, fundsOnce, viewSymbol } from '../../trading/market-view.ts'
import { planScale } from '../../trading/slices.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import type { SlicedData } from '../kit/data.ts'
import { cutLine } from '../kit/lines.ts'
import { effectLines, judging, reducingLine, requireMeant, typedPrice } from './meant-order.ts'
import { describeSum, refusePartly, sendInTurn, worthOf } from './send-slices.ts'
import { requireReduce } from './venue-needs.ts'

export const scale: SingleCommand = {
  name: 'scale',
  group: 'trading',
  usage:
    '<buy | sell> <size> [SYMBOL] into <n> from <price> to <price> [skew <-1…1>] [sizeskew <-1…1>] [po] [reduce | flip]',
  summary: 'place one size as several limit orders over a range of prices',
  where: 'anywhere',
  sends: true,
  takesFar: true,
  takesTags: true,
  takesSize: true,
  examples: [
    { line: 'scale buy $1000 into 5 from -1% to -3%', meaning: 'five orders of the same size, evenly apart' },
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
    const { plans, average, ...sized } = await planScale(intent, { view, funds, band: account.priceBand?.() })
    const sum = { amount: new Decimal(sized.amount), average }
    const ends = [plans[0], plans.at(-1)].map((plan) => plan?.price)
    const prices = {
      side: intent.side,
      view,
      typed: [...typedPrice('limit', ends[0], intent.from), ...typedPrice('limit', ends[1], intent.to)],
      isFar: context.far.isMeant,
      isImmediate: intent.postOnly,
    }
    const meaning = { ...intent, ...sized, market, position, price: average, isLater: true, prices, funds }
    await requireMeant(context, meaning, judging(context, account, ...plans))
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
      `${describeSum(intent.side, data, sum, market)} if all fill`,
      sent.simulated > 0 ? undefined : data,
    )
    if (sized.cutFrom !== undefined) context.out.info(cutLine(sized.cutFrom, market))
    for (const line of effectLines(meaning)) context.out.warn(line)
    const reducing = reducingLine(meaning)
    if (reducing !== undefined) context.out.info(reducing)
  },
}

/** @param data undefined: nothing was sent */
function printSum({ out }: CommandContext, text: string, data: SlicedData | undefined): void {
  if (data === undefined) out.info(`simulated: ${text}`)
  else out.success(`scaled: ${text}`, data)
}

function valuesAfter(word: string | undefined, symbols: readonly string[]): readonly string[] {
  if (word === 'from' || word === 'to') return ['$last', '$bid', '$ask', '$entry']
  if (word === 'into' || word === 'skew' || word === 'sizeskew') return []
  return [...symbols, 'into', 'from', 'to', 'skew', 'sizeskew', 'po', 'reduce', 'flip']
}
