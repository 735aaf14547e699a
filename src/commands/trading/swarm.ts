// `swarm`: one size as several orders at the market, sent together.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { Order } from '../../exchange/order.ts'
import { symbolsOf } from '../../language/focus-taken.ts'
import { parseSwarm } from '../../language/placing.ts'
import { showAmount } from '../../trading/figures.ts'
import { findMarket, fundsOnce, type MarketView, viewSymbol } from '../../trading/market-view.ts'
import { averageOf, planSwarm, type SlicedPlan } from '../../trading/slices.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import type { SlicedData } from '../kit/data.ts'
import { cutLine, PAST } from '../kit/lines.ts'
import { type AmountToMean, effectLines, judging, requireMeant } from './meant-order.ts'
import { reportBare } from './protective-stop.ts'
import { describeSum, refusePartly, type SlicedSum, sendTogether, worthOf } from './send-slices.ts'
import { requireReduce } from './venue-needs.ts'

export const swarm: SingleCommand<'random' | 'tasks'> = {
  name: 'swarm',
  group: 'trading',
  usage: '<buy | sell> <size> [SYMBOL] into <n> [irregular] [reduce | flip]',
  summary: 'split one size into several market orders, sent at once',
  where: 'anywhere',
  sends: true,
  takesTags: true,
  takesSize: true,
  takesFar: true,
  examples: [
    { line: 'swarm buy $1000 into 5', meaning: 'five orders of the same size' },
    {
      line: 'swarm sell 100% BTCUSDT into 4 irregular reduce',
      meaning: 'closes the position in orders of different sizes',
    },
  ],
  complete: ({ words, symbols }) =>
    words.length === 0
      ? ['buy', 'sell']
      : words.at(-1) === 'into'
        ? []
        : [...symbols, 'into', 'irregular', 'reduce', 'flip'],
  check: parseSwarm,
  symbolUse: (args) => symbolsOf(parseSwarm(args)),
  async run(context, args) {
    const intent = parseSwarm(args)
    const account = await context.account()
    const { symbol } = await findMarket(account.venue, intent.symbol ?? context.symbol)
    if (intent.reduce) requireReduce(account)
    const view = await viewSymbol(account.venue, symbol)
    const funds = fundsOnce(account.venue)
    const plan = await planSwarm(intent, { view, funds }, context.ports.random)
    const meaning = {
      ...intent,
      ...view,
      amount: plan.amount,
      price: plan.average,
      funds,
      ...defined({ cutFrom: plan.cutFrom }),
    }
    await requireMeant(context, meaning, judging(context, account, ...plan.plans))
    const sent = await sendTogether(context, account, plan.plans)
    const { orders } = sent
    const sum = filledOf(orders, view)
    const data: SlicedData = {
      type: 'sliced',
      command: 'swarm',
      account: context.accountName,
      symbol,
      side: intent.side,
      slices: plan.plans.length,
      amount: plan.amount,
      orders,
      ...(sum === undefined ? {} : { average: sum.average.toFixed(), value: worthOf(sum, view.market).toFixed() }),
    }
    await refusePartly(context, account, sent, data)
    printSum(context, { view, plan, data, sum, meaning }, sent.simulated > 0)
    const order = { side: intent.side, filled: (sum?.amount ?? new Decimal(0)).toFixed() }
    if (!intent.reduce) await reportBare(context, account, { view, order })
  },
}

interface SwarmResult {
  readonly view: MarketView
  readonly plan: SlicedPlan
  readonly data: SlicedData
  readonly sum: SlicedSum | undefined
  readonly meaning: AmountToMean
}

function printSum(
  { out }: CommandContext<'random' | 'tasks'>,
  { view, plan, data, sum, meaning }: SwarmResult,
  isSimulated: boolean,
): void {
  const { market } = view
  const asked = { amount: new Decimal(plan.amount), average: plan.average }
  if (isSimulated) out.info(`simulated: ${describeSum(data.side, data, asked, market)}`)
  else if (sum === undefined) out.warn(`swarm: none of ${showAmount(plan.amount)} ${data.symbol} has filled yet`, data)
  else {
    const rest = asked.amount.minus(sum.amount)
    const open = rest.gt(0) ? `; ${showAmount(rest)} more was asked for` : ''
    out.success(`swarm: ${describeSum(PAST[data.side], data, sum, market)}${open}`, data)
  }
  if (plan.cutFrom !== undefined) out.info(cutLine(plan.cutFrom, market))
  const amount = isSimulated ? plan.amount : (sum?.amount ?? 0)
  for (const line of effectLines({ ...meaning, amount: new Decimal(amount).toFixed() })) out.warn(line)
}

/** Of all of them together; undefined: nothing. */
function filledOf(orders: readonly Order[], { market, ticker }: MarketView): SlicedSum | undefined {
  const parts = orders.map(({ filled }) => new Decimal(filled)).filter((filled) => filled.gt(0))
  if (parts.length === 0) return undefined
  const prices = orders.filter(({ filled }) => new Decimal(filled).gt(0)).map(({ average }) => average ?? ticker.last)
  return { amount: Decimal.sum(...parts), average: averageOf(parts, prices, market) }
}
