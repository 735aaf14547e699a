// What is nearly always a slip with the amount of an order that may open. It turns the position round, as the alert of a strategy may well order; a
// sale of so many percent finds no long and would sell short; it only reduces, and its stop would protect nothing; lots take much of the size. A terminal asks, with what the order would do. Elsewhere
// each passes and is named, or is refused with the word that says it is meant (behaviour 39).
import { Decimal } from 'decimal.js'
import type { Market } from '../../exchange/market.ts'
import type { Position, Side } from '../../exchange/order.ts'
import { printable } from '../../language/printable.ts'
import type { RiskSize, Size } from '../../language/size.ts'
import { isOfOperator, type Source } from '../../runs/run.ts'
import { showAmount, showSum, showUnits } from '../../trading/figures.ts'
import { flips, type SizedAmount } from '../../trading/sizing.ts'
import { TradingError } from '../../trading/trading-error.ts'
import type { CommandContext } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'

export interface AmountToMean extends Pick<SizedAmount, 'amount' | 'cutFrom'> {
  readonly side: Side
  readonly market: Market
  readonly position: Position | undefined
  /** Where it can fill. */
  readonly price: Decimal.Value
  readonly size: Size | RiskSize
  readonly reduce: boolean
  /** `flip` was typed. */
  readonly flip?: true | undefined
  /** What would protect it: `stop`, `tp`, or both. */
  readonly protectedBy?: string | undefined
  /** It rests until a price is reached, or fills over time. */
  readonly isLater?: boolean
}

/** `the sell closes 0.02 BTC and opens a short of 0.03 BTC`; undefined: the order turns nothing round. */
function turnLine(order: AmountToMean): string | undefined {
  const { side, amount, market, position, reduce, isLater = false } = order
  if (position === undefined || reduce || !flips(side, amount, position)) return undefined
  const opened = new Decimal(amount).minus(position.amount)
  const what = `the ${side} closes ${showUnits(position.amount, market)} and opens a ${otherSide(position)} of ${showUnits(opened, market)}`
  return isLater ? `once it fills, ${what}` : what
}

/** `50% of the free balance opens a short of 0.076 BTC`; undefined: the percentage cannot have been meant of a long. */
function openingLine(order: AmountToMean): string | undefined {
  const { side, amount, market, position, size, reduce } = order
  if (side === 'buy' || reduce || position !== undefined || market.kind === 'spot') return undefined
  if (size.kind !== 'percent' || size.of !== undefined || new Decimal(amount).isZero()) return undefined
  return `${size.percent}% of the free balance opens a short of ${showUnits(amount, market)}`
}

/** `the sell only reduces the long of 0.02 BTC: its tp is not placed`; undefined: it is, or none was typed. */
function unprotectedLine({ side, amount, market, position, protectedBy }: AmountToMean): string | undefined {
  if (protectedBy === undefined || position === undefined || flips(side, amount, position)) return undefined
  if ((side === 'sell') !== (position.side === 'long')) return undefined
  const placed = protectedBy.includes(' ') ? 'are not placed' : 'is not placed'
  return `the ${side} only reduces the ${position.side} of ${showUnits(position.amount, market)}: its ${protectedBy} ${placed}`
}

/** For the result of an order that was sent, or is only looked at. */
export function effectLines(order: AmountToMean): readonly string[] {
  return [turnLine(order), openingLine(order)].filter((line) => line !== undefined)
}

/** Of what was typed: so much less is nearly never what was wanted. */
const LARGE_CUT_PERCENT = 10

/** `$250 becomes 0.003 BTC ($195.00): lots of 0.001 BTC take 22% of it`; undefined: they take less than a tenth. */
function lotsLine({ amount, cutFrom, market, price, reduce }: AmountToMean): string | undefined {
  if (cutFrom === undefined || reduce || new Decimal(cutFrom.percent).lte(LARGE_CUT_PERCENT)) return undefined
  const worth = market.amountUnit === 'quote' ? amount : new Decimal(amount).times(price)
  return `${cutFrom.size} becomes ${showUnits(amount, market)} (${showSum(worth, market.quote)}): lots of ${showUnits(market.lotSize, market)} take ${cutFrom.percent}% of it`
}

/** What a person was asked in one command. After a no to one order nobody is asked about the others. */
export class MeantAmounts {
  readonly accepted = new Set<string>()
  isDeclined = false
}

/**
 * @param meant of this command, where it places several orders
 * @throws {TradingError} `would-flip` @throws {CommandError} `would-open`, `nothing-to-protect`, `rounded`
 */
export async function requireMeant(
  { confirm, source, isDry }: Pick<CommandContext, 'confirm' | 'source' | 'isDry'>,
  order: AmountToMean,
  meant: MeantAmounts = new MeantAmounts(),
): Promise<void> {
  const slips = slipsOf(order)
  const [first] = slips
  if (first === undefined) return
  const { symbol } = order.market
  if (confirm === undefined) {
    const refused = slips.find((slip) => slip.isRefusedFrom(source))
    if (refused !== undefined) throw refused.error
    return
  }
  const what = `${symbol}: ${slips.map(({ line }) => line).join('; ')}`
  // With `--dry` the answer is the line.
  if (isDry || meant.accepted.has(what)) return
  if (!meant.isDeclined) meant.isDeclined = !(await confirm(printable(`${what}; send it? y or n >`, 250)))
  if (meant.isDeclined) throw first.error
  meant.accepted.add(what)
}

interface Slip {
  readonly line: string
  /** Where no person can be asked. */
  readonly isRefusedFrom: (source: Source) => boolean
  readonly error: Error
}

function slipsOf(order: AmountToMean): readonly Slip[] {
  const { market, position, side, flip } = order
  const slips: Slip[] = []
  const turn = flip === true ? undefined : turnLine(order)
  if (turn !== undefined && position !== undefined) {
    const hint = `type \`close\` to end the ${position.side}, \`flip\` for a ${otherSide(position)} of the same amount; add \`reduce\` to stop at flat, or \`flip\` if it is meant`
    const error = new TradingError('would-flip', turn, { hint })
    slips.push({ line: turn, isRefusedFrom: isOfOperator, error })
  }
  const opening = openingLine(order)
  if (opening !== undefined && order.size.kind === 'percent') {
    const hint = `\`positions\` lists the open ones; for a short, type ${order.size.percent}%bal`
    const error = new CommandError('would-open', opening, { hint })
    // A page has shown the order that it sends.
    slips.push({ line: opening, isRefusedFrom: (source) => source !== 'web', error })
  }
  const unprotected = unprotectedLine(order)
  if (unprotected !== undefined) {
    const hint = `leave ${order.protectedBy} out; \`stop at\` and \`take at\` rest orders for the ${position?.side}`
    const error = new CommandError('nothing-to-protect', unprotected, { hint })
    slips.push({ line: unprotected, isRefusedFrom: isOfOperator, error })
  }
  const lots = lotsLine(order)
  if (lots !== undefined) {
    const next = new Decimal(order.amount).plus(market.lotSize)
    const hint = `type \`${side} ${showAmount(order.amount)}\`, or ${showAmount(next)}`
    const error = new CommandError('rounded', lots, { hint })
    slips.push({ line: lots, isRefusedFrom: () => false, error })
  }
  return slips
}

function otherSide({ side }: Position): 'long' | 'short' {
  return side === 'long' ? 'short' : 'long'
}
