// `grid`: from intent to a task whose steps are all planned, with what each makes and its worst-case loss.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { Market } from '../../exchange/market.ts'
import { amountOnLot, priceOnGrid } from '../../exchange/price-grid.ts'
import { symbolsOf } from '../../language/focus-taken.ts'
import { type GridIntent, parseGrid } from '../../language/task-intents.ts'
import { type GridParams, gridPrices, grid as gridTask, stepProfit } from '../../tasks/grid.ts'
import { rungPrice } from '../../tasks/ladder.ts'
import { smallestOrder, upToLargest } from '../../tasks/remainder.ts'
import { showAmount, showPrice, showSum, showUnits } from '../../trading/figures.ts'
import { type Funds, findMarket, fundsOnce, type MarketView, viewSymbol } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { resolvePrice } from '../../trading/pricing.ts'
import { describeSize, resolveAmount, type SizedAmount } from '../../trading/sizing.ts'
import { TradingError } from '../../trading/trading-error.ts'
import type { SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { cutLine } from '../kit/lines.ts'
import { type AmountToMean, typedPrice } from '../trading/meant-order.ts'
import { requireType } from '../trading/venue-needs.ts'
import {
  beginLadder,
  type LadderPart,
  ladderFigures,
  type PlannedLadder,
  partsTable,
  sumLine,
  worstLine,
} from './ladder-plan.ts'

export const grid: SingleCommand<'tasks'> = {
  name: 'grid',
  group: 'trading',
  usage: '<size> [SYMBOL] into <steps> from <price> to <price> [then close | keep]',
  summary: 'buy at each lower price of a range and sell a step above, again and again',
  where: 'anywhere',
  sends: true,
  takesTags: true,
  takesSize: true,
  takesFar: true,
  examples: [
    {
      line: 'grid $1000 BTCUSDT into 5 from -4% to +4%',
      meaning: 'five steps around the market, until it is canceled',
    },
    {
      line: 'grid $1000 into 8 from -2% to +2% then close',
      meaning: 'one step outside the range it sells all and ends',
    },
    {
      line: 'grid $1000 into 5 from -4% to +4% --dry',
      meaning: 'its steps, what each makes, and its worst-case loss',
    },
  ],
  details: [
    'steps above the market are bought at once; what a step has bought, it sells one step above',
    'outside its range it waits; one step outside, `then close` sells the position, and `then keep` ends the grid and keeps it',
    'the step of a canceled order is skipped; closing the position ends all',
  ],
  complete: ({ words, symbols }) =>
    words.at(-1) === 'then' ? ['close', 'keep'] : [...symbols, 'into', 'from', 'to', 'then'],
  check: parseGrid,
  symbolUse: (args) => symbolsOf(parseGrid(args)),
  async run(context, args) {
    const intent = parseGrid(args)
    const account = await context.account()
    const { symbol } = await findMarket(account.venue, intent.symbol ?? context.symbol)
    const planned = await planGrid(account, intent, symbol, context.far.isMeant)
    await beginLadder(context, account, planned, args)
  },
}

/** Every figure worked out, and refused what can be refused before anything begins. */
async function planGrid(
  account: TradingAccount,
  intent: GridIntent,
  symbol: string,
  isFar: boolean,
): Promise<PlannedLadder> {
  requireType(account, 'limit')
  const view = await viewSymbol(account.venue, symbol)
  const { market, position, ticker } = view
  requireTradable(view)
  const prices = pricesOf(intent, view)
  const [lowest = '0', highest = '0'] = [prices[0], prices.at(-1)]
  const buys = prices.slice(0, -1)
  const funds = fundsOnce(account.venue)
  const { amount, cutFrom } = await amountOf(intent, { view, buys, funds })
  const feeRate = market.makerFee ?? market.takerFee
  const profits = buys.map((lower, at) => stepProfit(amount, lower, prices[at + 1] ?? lower, feeRate ?? '0'))
  requireProfit(profits, { amount, lowest, step: new Decimal(prices[1] ?? lowest).minus(lowest), feeRate }, market)
  const parts = buys.map((price): LadderPart => ({ price, amount }))
  // Steps above the market are bought there.
  const filledAt = parts.map(({ price }) => ({ price: Decimal.min(price, ticker.ask).toFixed(), amount }))
  const isFirstTaken = new Decimal(buys.at(-1) ?? 0).gte(ticker.ask)
  const { amount: whole, average, worst } = ladderFigures({ side: 'buy', parts: filledAt, isFirstTaken }, market)
  const [least, most] = [Decimal.min(...profits), Decimal.max(...profits)]
  const params: GridParams = { amount, prices: [...prices], ...defined({ leaves: intent.leaves, feeRate }) }
  const nearest = buys.find((price) => new Decimal(price).gte(ticker.ask)) ?? buys.at(-1) ?? lowest
  const atOnce = buys.filter((price) => new Decimal(price).gte(ticker.ask)).length
  // It is the best bid, and mostly fills with the next trade.
  const within = buys.filter((price) => new Decimal(price).gte(ticker.bid)).length - atOnce
  const now = `${atOnce === 0 ? '' : `, ${atOnce} of them bought at once`}${within === 0 ? '' : `, ${within} within the spread`}`
  const typed = [intent.from, intent.to].flatMap((from) =>
    typedPrice('limit', priceOnGrid(resolvePrice(from, view), market, 'nearest'), from),
  )
  const meaning: AmountToMean = {
    side: 'buy',
    size: intent.size,
    amount: whole,
    market,
    position,
    price: average,
    reduce: false,
    isLater: true,
    // Steps above the market are meant to be bought at once.
    prices: { side: 'buy', view, typed, isFar, isImmediate: true },
    funds,
    ...defined({ symbol: intent.symbol }),
  }
  return {
    kind: gridTask.name,
    symbol,
    params,
    meaning,
    first: {
      symbol,
      side: 'buy',
      type: 'limit',
      amount,
      // As its task places it: the step that the market comes to first.
      price: rungPrice('buy', nearest, view),
    },
    text: `trades ${parts.length} steps of ${showUnits(amount, market)} from ${showPrice(lowest)} to ${showPrice(highest)}${now}${intent.leaves === undefined ? '' : `, then ${intent.leaves}`}`,
    lines: [
      ...(cutFrom === undefined ? [] : [cutLine(cutFrom, market)]),
      partsTable(parts, market, {
        title: 'buys at',
        more: [
          { title: 'sells at', cells: prices.slice(1).map((price) => showPrice(price, market)) },
          {
            title: feeRate === undefined ? 'makes before fees' : 'makes',
            cells: profits.map((profit) => showSum(profit.toDecimalPlaces(2), market.quote)),
          },
        ],
      }),
      profitLine({ least, most, amount, lowest, feeRate }, market),
      await sumLine(account, { side: 'buy', amount: whole, average }, view),
      lowestLine(filledAt, lowest, market),
      worstLine(worst, market),
    ],
    data: {
      side: 'buy',
      amount: whole,
      reduceOnly: false,
      parts,
      average,
      stepProfit: least.toDecimalPlaces(8).toFixed(),
      ...defined({ worst }),
    },
  }
}

/** @throws {CommandError} `not-supported`, `bad-argument` */
function requireTradable({ market, position }: MarketView): void {
  if (market.amountUnit === 'quote') {
    throw new CommandError('not-supported', `a grid trades coins, and ${market.symbol} counts ${market.quote}`, {
      hint: 'use a market that settles in its quote currency, or spot',
    })
  }
  if (position?.side !== 'short') return
  const what = `a short of ${showUnits(position.amount, market)} is open on ${market.symbol}, and a grid is long`
  throw new CommandError('bad-argument', what, { hint: `type \`close ${market.symbol}\` first` })
}

/** @throws {TradingError} `bad-price` @throws {CommandError} `bad-argument` */
function pricesOf({ from, to, steps }: GridIntent, view: MarketView): readonly string[] {
  const { market, ticker } = view
  const [one, other] = [from, to].map((price) => priceOnGrid(resolvePrice(price, view), market, 'nearest'))
  const [lowest = '0', highest = '0'] = new Decimal(one ?? 0).lte(other ?? 0) ? [one, other] : [other, one]
  const prices = gridPrices(lowest, highest, steps, market)
  if (new Set(prices).size !== prices.length) {
    throw new TradingError(
      'bad-price',
      `${steps} steps from ${showPrice(lowest)} to ${showPrice(highest)} are less than the price steps of ${market.symbol}`,
      {
        hint: 'type fewer steps, or prices further apart',
      },
    )
  }
  if (new Decimal(ticker.last).gt(lowest) && new Decimal(ticker.last).lt(highest)) return prices
  throw new TradingError(
    'bad-price',
    `${market.symbol} is at ${showPrice(ticker.last)}, outside ${showPrice(lowest)} to ${showPrice(highest)}`,
    {
      hint: `type a range around it, such as from -4% to +4%`,
    },
  )
}

/** The same for each step, on the lot: all of them bought at their prices cost no more than what was typed. @throws as `resolveAmount` */
async function amountOf(
  { size, steps }: GridIntent,
  { view, buys, funds }: { view: MarketView; buys: readonly string[]; funds: Funds },
): Promise<{ readonly amount: string; readonly cutFrom?: NonNullable<SizedAmount['cutFrom']> }> {
  const { market, position, ticker } = view
  const input = {
    market,
    side: 'buy' as const,
    price: ticker.ask,
    position,
    percentOf: 'balance' as const,
    funds,
  }
  const { asked } = await resolveAmount(size, input)
  const each =
    size.kind === 'base'
      ? new Decimal(asked).div(steps)
      : new Decimal(asked).times(ticker.ask).div(Decimal.sum(...buys))
  const amount = amountOnLot(each, market)
  const least = smallestOrder(market, buys[0] ?? '0', false)
  if (amount.lt(least)) {
    const what = `a step of ${showUnits(amount, market)} is below the minimum ${market.symbol} order, ${showUnits(least, market)}`
    throw new CommandError('below-minimum', what, { hint: 'type fewer steps, or a larger size' })
  }
  const percent = each.minus(amount).div(each).times(100).toDecimalPlaces(1)
  const cut = percent.gt(1) ? { cutFrom: { size: describeSize(size), percent: percent.toFixed() } } : {}
  if (upToLargest(amount, market, 'limit').eq(amount)) return { amount: amount.toFixed(), ...cut }
  throw new CommandError('above-maximum', `a step of ${showUnits(amount, market)} is above the maximum of one order`, {
    hint: 'type more steps, or a smaller size',
  })
}

/** @throws {CommandError} `no-profit` */
function requireProfit(
  profits: readonly Decimal[],
  { lowest, step, feeRate }: { amount: string; lowest: string; step: Decimal; feeRate: string | undefined },
  { symbol }: Market,
): void {
  if (profits.every((profit) => profit.gt(0))) return
  const percent = step.div(lowest).times(100).toSignificantDigits(2)
  const fees = new Decimal(feeRate ?? 0).times(200).toSignificantDigits(2)
  throw new CommandError(
    'no-profit',
    `a step of ${percent.toFixed()}% on ${symbol} is less than the ${fees.toFixed()}% that its two orders pay in fees`,
    {
      hint: 'type fewer steps, or prices further apart',
    },
  )
}

interface ProfitRange {
  readonly least: Decimal
  readonly most: Decimal
  readonly amount: string
  readonly lowest: string
  readonly feeRate: string | undefined
}

/** `each step makes $1.58 to $1.74 after fees of 0.02% per order`. */
function profitLine({ least, most, feeRate }: ProfitRange, { quote }: Market): string {
  const [low, high] = [showSum(least.toDecimalPlaces(2), quote), showSum(most.toDecimalPlaces(2), quote)]
  const range = low === high ? low : `${low} to ${high}`
  if (feeRate === undefined) return `each step makes ${range} before fees, which the venue does not report`
  return `each step makes ${range} after fees of ${showAmount(new Decimal(feeRate).times(100))}% per order`
}

/** `at 48,000 it would hold 0.02 BTC at a loss of $40.00`. */
function lowestLine(parts: readonly LadderPart[], lowest: string, market: Market): string {
  const whole = Decimal.sum(0, ...parts.map(({ amount }) => amount))
  const lost = Decimal.sum(0, ...parts.map(({ price, amount }) => new Decimal(price).minus(lowest).times(amount)))
  return `at ${showPrice(lowest)} it would hold ${showUnits(whole, market)} at a loss of ${showSum(lost, market.quote)}`
}
