// A portfolio as pages are shown it: what a position locks, and the steps of the markets in it, so that figures of one market have the same digits.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { Market, MarketKind } from '../../exchange/market.ts'
import type { Order, Position } from '../../exchange/order.ts'
import { stepAt } from '../../exchange/price-grid.ts'
import type { Frame } from '../../protocol/frames.ts'
import { pick } from '../../protocol/pick.ts'
import { positionRow } from '../../protocol/rows.ts'

type Portfolio = Frame<'state:portfolio'>
type PositionRow = Portfolio['positions'][number]
type Steps = NonNullable<Portfolio['steps']>

/** With the margin that its worth of now takes at its leverage, where the venue tells the leverage. In the currency it is settled in. */
export function positionRowOf(position: Position, kind: MarketKind): PositionRow {
  const margin = marginOf(position, kind)
  return { ...pick(positionRow, position), ...defined({ margin }) }
}

/** More digits than any currency has. */
const MARGIN_DIGITS = 12

function marginOf({ notional, leverage, markPrice, entryPrice }: Position, kind: MarketKind): string | undefined {
  if (leverage === undefined || !new Decimal(leverage).gt(0)) return undefined
  const worth = new Decimal(notional)
  const price = new Decimal(markPrice ?? entryPrice)
  if (kind === 'inverse' && !price.gt(0)) return undefined
  const settled = kind === 'inverse' ? worth.div(price) : worth
  return settled.div(leverage).toSignificantDigits(MARGIN_DIGITS).toFixed()
}

interface Shown {
  readonly symbol: string
  readonly last: string
  readonly positions: readonly Position[]
  readonly orders: readonly Order[]
}

/** Of every market that is in focus, held or ordered in; of one that is not listed, none. */
export function stepsOf(markets: readonly Market[], { symbol, last, positions, orders }: Shown): Steps {
  const prices = new Map<string, string | undefined>([
    ...orders.map(({ symbol: name, triggerPrice, price }) => [name, triggerPrice ?? price] as const),
    ...positions.map(({ symbol: name, markPrice, entryPrice }) => [name, markPrice ?? entryPrice] as const),
    [symbol, last],
  ])
  return markets
    .filter((market) => prices.has(market.symbol))
    .map(({ symbol: name, lotSize, priceGrid }) => {
      const price = prices.get(name)
      const tick = priceGrid.kind === 'tick' ? priceGrid.tick : price && stepAt(price, priceGrid).toFixed()
      return { symbol: name, lotSize, ...defined({ tick }) }
    })
}
