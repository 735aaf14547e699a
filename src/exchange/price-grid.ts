// Bringing prices and amounts onto what a venue takes. It is done here, by us, and never left to a library (behaviour 39).
import { Decimal } from 'decimal.js'
import type { Market, PriceGrid } from './market.ts'

/** `down` and `up` are for prices that must not cross. */
export type GridRounding = 'nearest' | 'down' | 'up'

const ROUNDING = { nearest: Decimal.ROUND_HALF_UP, down: Decimal.ROUND_FLOOR, up: Decimal.ROUND_CEIL } as const

/** The distance between prices around `price`: the tick, or what the significant digits leave there. */
export function stepAt(price: Decimal.Value, grid: PriceGrid): Decimal {
  if (grid.kind === 'tick') return new Decimal(grid.tick)
  const value = new Decimal(price)
  const leading = value.isZero() ? 0 : value.e
  const exponent = Math.max(leading - grid.digits + 1, -grid.decimals)
  return new Decimal(10).pow(grid.integers === true ? Math.min(exponent, 0) : exponent)
}

/** The price on the grid, as a decimal string. Never zero: less than one step is one step. */
export function priceOnGrid(
  price: Decimal.Value,
  { priceGrid }: Pick<Market, 'priceGrid'>,
  rounding: GridRounding,
): string {
  const step = stepAt(price, priceGrid)
  const steps = new Decimal(price).div(step).toDecimalPlaces(0, ROUNDING[rounding])
  return Decimal.max(steps, 1).times(step).toFixed()
}

/** Whether the price is on the grid. */
export function isOnGrid(price: Decimal.Value, { priceGrid }: Pick<Market, 'priceGrid'>): boolean {
  return new Decimal(price).mod(stepAt(price, priceGrid)).isZero()
}

/** The multiple of the lot at or below `amount`. */
export function amountOnLot(amount: Decimal.Value, { lotSize }: Pick<Market, 'lotSize'>): Decimal {
  return new Decimal(amount).div(lotSize).floor().times(lotSize)
}

/** A plain decimal as people read it: `65000.1` → `65,000.1`. */
export function groupThousands(number: string): string {
  const [whole = '0', fraction] = number.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}
