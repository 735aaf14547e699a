// The position that a protective task begins with.
import { Decimal } from 'decimal.js'
import type { Market, Ticker } from '../../exchange/market.ts'
import type { Position, Side } from '../../exchange/order.ts'
import { amountOnLot } from '../../exchange/price-grid.ts'
import type { Size } from '../../language/size.ts'
import { exitSide, type HeldSide } from '../../tasks/exit.ts'
import { showAmount } from '../../trading/figures.ts'
import { viewSymbol } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { resolveAmount } from '../../trading/sizing.ts'
import { noPosition } from '../../trading/trading-error.ts'
import { CommandError } from '../kit/errors.ts'
import { cutLine } from '../kit/lines.ts'
import { WHOLE } from '../trading/send-exit.ts'

export interface HeldView {
  readonly market: Market
  readonly ticker: Ticker
  readonly position: Position
  readonly side: HeldSide
  /** Of the orders that end it. */
  readonly exit: Side
}

/** @throws {TradingError} `no-position` @throws {CommandError} `not-supported` on spot */
export async function viewHeld({ venue }: TradingAccount, symbol: string, what: string): Promise<HeldView> {
  if (venue.kind === 'spot') {
    throw new CommandError('not-supported', `a spot account has no positions for ${what} to protect, only coins`, {
      hint: '`stop at -1%` rests a stop for the coins',
    })
  }
  if (!venue.capabilities.reduceOnly) {
    throw new CommandError('not-supported', `${venue.id} takes no reduce-only orders, and ${what} must open nothing`, {
      hint: '`close` ends the position at the market',
    })
  }
  const { market, ticker, position } = await viewSymbol(venue, symbol)
  if (position === undefined) throw noPosition(symbol)
  return { market, ticker, position, side: position.side, exit: exitSide(position.side) }
}

interface Covered {
  /** In the market's amount unit; never more than is held, nor than one order may be. */
  readonly amount: string
  /** What is to be known of it. */
  readonly lines: readonly string[]
}

/** @throws {TradingError} `below-minimum` */
export async function coverOf(size: Size | undefined, price: string, view: HeldView): Promise<Covered> {
  const { market, position, exit } = view
  // A size of what the account has is refused before.
  const funds = { free: async () => '0', equity: async () => '0' }
  const input = { market, side: exit, price, position, percentOf: 'position', funds } as const
  const sized = await resolveAmount(size ?? WHOLE, input)
  const asked = Decimal.min(sized.amount, position.amount)
  const amount = amountOnLot(Decimal.min(asked, market.maxAmount ?? asked), market).toFixed()
  const cut = sized.cutFrom === undefined ? [] : [cutLine(sized.cutFrom, market)]
  const rest = asked.minus(amount)
  const left = rest.gte(market.lotSize)
    ? [`one order of ${market.symbol} is at most ${showAmount(amount)}: ${showAmount(rest)} is not covered`]
    : []
  return { amount, lines: [...cut, ...left] }
}
