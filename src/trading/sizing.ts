// From what was typed (`$250`, `50%`, `0.01`) to an amount the venue takes: always rounded down, never to nothing.
import { Decimal } from 'decimal.js'
import { CommandError } from '../commands/kit/command-error.ts'
import { noPosition } from '../commands/kit/live-values.ts'
import type { Market, Position } from '../exchange/exchange.ts'
import type { Size } from '../language/size.ts'
import { showAmount, showMoney } from './figures.ts'

export interface SizingInput {
  readonly market: Market
  /** At which money becomes an amount: the limit, else last. */
  readonly price: Decimal.Value
  readonly position: Position | undefined
  /** Of what a bare `50%` is meant: `balance` for entries, `position` for exits. */
  readonly percentOf: 'balance' | 'position'
  /** Free money in the settle currency; read only for a percentage of it. Leverage does not multiply it. */
  readonly free: () => Promise<string>
}

/**
 * The amount in base, a multiple of the lot.
 * @throws {CommandError} `below-minimum` (the hint has the smallest order in dollars), `no-position`
 */
export async function resolveAmount(size: Size, input: SizingInput): Promise<string> {
  const { market, price } = input
  const amount = amountOnLot(await rawAmount(size, input), market)
  const smallest = smallestOrder(input)
  if (amount.greaterThanOrEqualTo(smallest)) return amount.toFixed()
  throw new CommandError('below-minimum', `${describeSize(size)} is less than the smallest ${market.symbol} order`, {
    hint: `the smallest is ${showMoney(smallest.times(price).toDecimalPlaces(2, Decimal.ROUND_UP))} (${showAmount(smallest)} ${market.base})`,
  })
}

/** The multiple of the lot at or below `amount`. */
export function amountOnLot(amount: Decimal.Value, market: Market): Decimal {
  return new Decimal(amount).div(market.lotSize).floor().times(market.lotSize)
}

/** Entries meet the market's minimums; an exit may be as small as one lot, so that every position can be closed. */
function smallestOrder({ market, price, percentOf }: SizingInput): Decimal {
  if (percentOf === 'position') return new Decimal(market.lotSize)
  const lots = new Decimal(market.minNotional).div(price).div(market.lotSize).ceil()
  return Decimal.max(market.minAmount, lots.times(market.lotSize))
}

async function rawAmount(size: Size, input: SizingInput): Promise<Decimal> {
  if (size.kind === 'base') return new Decimal(size.amount)
  if (size.kind === 'quote') return new Decimal(size.amount).div(input.price)
  const share = new Decimal(size.percent).div(100)
  if ((size.of ?? input.percentOf) === 'balance') return share.times(await input.free()).div(input.price)
  if (input.position === undefined) throw noPosition(input.market.symbol)
  return share.times(input.position.amount)
}

function describeSize(size: Size): string {
  if (size.kind === 'quote') return `$${size.amount}`
  if (size.kind === 'base') return size.amount
  return `${size.percent}%${size.of === 'balance' ? 'bal' : size.of === 'position' ? 'pos' : ''}`
}
