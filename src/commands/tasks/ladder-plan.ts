// What a `dca` and a `grid` show before they begin: their parts with prices and amounts, what all of them cost, and what is lost at the worst.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import { type Market, unitOf } from '../../exchange/market.ts'
import { stepAt } from '../../exchange/price-grid.ts'
import type { Argument } from '../../language/chain.ts'
import { showAmount, showAverage, showPrice, showSum } from '../../trading/figures.ts'
import type { MarketView } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { consequencesOf, createFacts } from '../../trading/preview/order-consequences.ts'
import { averageOf } from '../../trading/slices.ts'
import type { CommandContext } from '../kit/command.ts'
import type { TaskPlanData } from '../kit/data.ts'
import { CommandError } from '../kit/errors.ts'
import { renderTable } from '../kit/lines.ts'
import { type AmountToMean, effectLines, judging, requireMeant } from '../trading/meant-order.ts'
import { beginTask, type PlannedTask } from './begin-task.ts'

export interface LadderPart {
  readonly price: string
  readonly amount: string
}

interface LadderShape {
  readonly side: 'buy' | 'sell'
  readonly parts: readonly LadderPart[]
  /** Where its loss ends; absent: at zero, and for a short nowhere. */
  readonly stop?: string
  /** Of the first part, where that takes from the book. */
  readonly isFirstTaken: boolean
}

type Worst = NonNullable<TaskPlanData['worst']>

interface LadderFigures {
  readonly amount: string
  readonly average: string
  readonly worst?: Worst
}

/** Where all parts fill at their prices. */
export function ladderFigures(shape: LadderShape, market: Market): LadderFigures {
  const amounts = shape.parts.map(({ amount }) => new Decimal(amount))
  const prices = shape.parts.map(({ price }) => price)
  const average = averageOf(amounts, prices, market).toSignificantDigits(12).toFixed()
  return { amount: Decimal.sum(0, ...amounts).toFixed(), average, ...defined({ worst: worstOf(shape, market) }) }
}

/** With the fees of all orders, as far as they are known. What is liquidated loses no more. */
function worstOf({ side, parts, stop, isFirstTaken }: LadderShape, market: Market): Worst | undefined {
  const { kind, settle, quote, makerFee = '0', takerFee = '0' } = market
  // Coins that are sold are gone, whatever they are worth later; a short, and a long in dollars, lose without end.
  const isBounded = side === 'buy' ? kind !== 'inverse' : false
  if (kind === 'spot' && side === 'sell') return undefined
  if (stop === undefined && !isBounded) return undefined
  const at = new Decimal(stop ?? 0)
  const worth = (amount: Decimal, price: Decimal) => (kind === 'inverse' ? amount.div(price) : amount.times(price))
  const losses = parts.map(({ price, amount }, part) => {
    const [entry, exit] = [worth(new Decimal(amount), new Decimal(price)), worth(new Decimal(amount), at)]
    const isLong = (side === 'buy') !== (kind === 'inverse')
    const pnl = isLong ? exit.minus(entry) : entry.minus(exit)
    const entryFee = entry.times(part === 0 && isFirstTaken ? takerFee : makerFee)
    return pnl.minus(entryFee).minus(stop === undefined ? 0 : exit.times(takerFee))
  })
  const pnl = Decimal.sum(0, ...losses).toDecimalPlaces(8)
  return { pnl: pnl.toFixed(), currency: settle ?? quote, at: at.toFixed() }
}

/** `worst case: a loss of $66.20 at the stop of 60,000, fees included; a gap loses more`. */
export function worstLine(worst: Worst | undefined, { kind }: Market): string {
  if (worst === undefined) {
    return kind === 'spot'
      ? 'it only sells coins, so it cannot lose'
      : 'no stop: only the margin of the account limits the loss'
  }
  const { pnl, currency, at } = worst
  const sum = showSum(new Decimal(pnl).abs(), currency)
  const result = `a ${pnl.startsWith('-') ? 'loss' : 'profit'} of ${sum}`
  return at === '0'
    ? `no stop: the worst case is ${result}`
    : `worst case: ${result} at the stop of ${showPrice(at)}, fees included; a gap loses more`
}

/** `total $996.45 at 64,025 on average, margin $99.65 at 10x`. */
export async function sumLine(
  account: TradingAccount,
  { side, amount, average }: Pick<LadderFigures, 'amount' | 'average'> & { readonly side: 'buy' | 'sell' },
  { market }: MarketView,
): Promise<string> {
  const facts = await createFacts(() => {})(account, market.symbol)
  const plan = { symbol: market.symbol, side, amount, type: 'limit', price: average, postOnly: true } as const
  const held = { amount: new Decimal(0) }
  const { notional = '0', margin } = consequencesOf({ plan, held, ...facts })
  const at = showAverage(average, stepAt(average, market.priceGrid))
  const locks = margin === undefined ? '' : `, margin ${showSum(margin.amount, margin.currency)} at ${margin.leverage}x`
  return `total ${showSum(notional, market.quote)} at ${at} on average${locks}`
}

interface Column {
  readonly title: string
  readonly cells: readonly string[]
}

/** @param more columns behind the first two @param title of the price */
export function partsTable(
  parts: readonly LadderPart[],
  market: Market,
  { title = 'price', more = [] }: { readonly title?: string; readonly more?: readonly Column[] } = {},
): string {
  const rows = parts.map(({ price, amount }, part) => [
    String(part + 1),
    showAmount(amount),
    showPrice(price, market),
    ...more.map(({ cells }) => cells[part] ?? ''),
  ])
  const titles = ['part', unitOf(market), title, ...more.map((column) => column.title)]
  return renderTable(
    titles.map((each) => ({ title: each, align: 'point' as const })),
    rows,
  )
}

export type PlannedLadder = Omit<PlannedTask, 'more'> & {
  readonly meaning: AmountToMean
  readonly lines: readonly string[]
}

/** Asks about what is nearly always a slip, then shows the plan, then begins it. @throws as `requireMeant`, `confirmLadder` and `beginTask` */
export async function beginLadder(
  context: CommandContext<'tasks'>,
  account: TradingAccount,
  planned: PlannedLadder,
  args: readonly Argument[],
): Promise<void> {
  const judge = judging(context, account, planned.first)
  await requireMeant(context, planned.meaning, judge)
  if (context.confirm !== undefined && !context.isDry) await judge()
  const isShown = await confirmLadder(context, planned.kind, planned.lines)
  const more = (isDry: boolean) => (isShown && !isDry ? [] : planned.lines)
  await beginTask(context, account, { ...planned, more }, args)
  for (const line of effectLines(planned.meaning)) context.out.warn(line)
}

/** At a terminal the whole plan is shown first, and a person lets it begin. @throws {CommandError} `canceled` */
async function confirmLadder(
  { confirm, isDry, out, isAborted }: Pick<CommandContext, 'confirm' | 'isDry' | 'out' | 'isAborted'>,
  what: string,
  lines: readonly string[],
): Promise<boolean> {
  if (confirm === undefined || isDry) return false
  for (const line of lines) out.info(line)
  const name = what === 'dca' ? 'DCA' : what
  if ((await confirm(`start the ${name}? y or n >`, { holdsFor: lines })) && !isAborted) return true
  throw new CommandError('canceled', `canceled: no ${name} was started`)
}
