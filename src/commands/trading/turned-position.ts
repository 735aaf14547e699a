// An amount that ends the position and opens one on the other side is what an alert of a strategy orders, and what a hand types by mistake. A
// terminal asks, a line of exec or a pipe says `flip`, a hook or a page passes: its preview showed it, or its sender counted on it.
import { Decimal } from 'decimal.js'
import type { Market } from '../../exchange/market.ts'
import type { Position, Side } from '../../exchange/order.ts'
import { printable } from '../../language/printable.ts'
import { isOfTerminal } from '../../runs/run.ts'
import { showAmount } from '../../trading/figures.ts'
import { flips } from '../../trading/sizing.ts'
import { TradingError } from '../../trading/trading-error.ts'
import type { CommandContext } from '../kit/command.ts'

export interface TurningOrder {
  readonly side: Side
  /** In the market's unit. */
  readonly amount: Decimal.Value
  readonly market: Market
  readonly position: Position | undefined
  /** Stays where it is until a price is reached, or fills over time. */
  readonly isLater?: boolean
}

/** `the sell closes 0.02 BTC and opens a short of 0.03 BTC`; undefined: the order turns nothing round. */
export function turnLine({ side, amount, market, position, isLater = false }: TurningOrder): string | undefined {
  if (position === undefined || !flips(side, amount, position)) return undefined
  const unit = market.amountUnit === 'base' ? market.base : market.quote
  const opened = new Decimal(amount).minus(position.amount)
  const what = `the ${side} closes ${showAmount(position.amount)} ${unit} and opens a ${position.side === 'long' ? 'short' : 'long'} of ${showAmount(opened)} ${unit}`
  return isLater ? `once it fills, ${what}` : what
}

/**
 * Asks at a terminal; refuses a line of exec or a pipe.
 * @param isMeant `flip` was typed
 * @param meant what a person has said yes to in this command, by symbol
 * @throws {TradingError} `would-flip`
 */
export async function requireTurnMeant(
  { confirm, source, isDry }: Pick<CommandContext, 'confirm' | 'source' | 'isDry'>,
  order: TurningOrder,
  isMeant: true | undefined,
  meant: Set<string> = new Set(),
): Promise<void> {
  const line = isMeant === true || !isOfTerminal(source) ? undefined : turnLine(order)
  if (line === undefined || order.position === undefined) return
  const { symbol } = order.market
  const what = `${symbol}: ${line}`
  // With `--dry` the answer is the line.
  if (meant.has(what) || (isDry && confirm !== undefined)) return
  const { side } = order.position
  if (confirm !== undefined && (await confirm(printable(`${what}; send it? y or n >`, 190)))) {
    meant.add(what)
    return
  }
  const other = side === 'long' ? 'short' : 'long'
  throw new TradingError('would-flip', what, {
    hint: `type \`close\` to end the ${side}, \`flip\` for a ${other} of the same amount; add \`reduce\` to stop at flat, or \`flip\` if it is meant`,
  })
}
