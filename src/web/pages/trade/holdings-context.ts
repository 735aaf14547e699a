// Shared by the tables under the chart: the portfolio, the scope of its lines, and the digits of its figures.
import { createContext, useContext } from 'react'
import type { FillRow, Portfolio } from '../../../protocol/frames.ts'
import { roundedTo, showFigure, showPrice } from '../../figures.ts'

export interface Held {
  readonly portfolio: Portfolio | undefined
  /** On which lines of the tables run: the account that the figures are of. */
  readonly scope: { readonly account: string; readonly symbol: string }
  readonly steps: MarketSteps
}

type Shown = Pick<Portfolio, 'steps' | 'positions' | 'orders'>
const NOTHING: Shown = { positions: [], orders: [] }

export const HeldContext = createContext<Held>({
  portfolio: undefined,
  scope: { account: '', symbol: '' },
  steps: marketSteps(undefined),
})

export function useHeld(): Held {
  return useContext(HeldContext)
}

/** The known last price of each symbol. Apart from the rest, which changes less often. */
export const LastPricesContext = createContext<ReadonlyMap<string, string>>(new Map())

export function useLastPrices(): ReadonlyMap<string, string> {
  return useContext(LastPricesContext)
}

// In which steps the markets of a portfolio are traded: what says how many digits a price and an amount have.

interface MarketSteps {
  /** Padded to the tick of its symbol. */
  price(symbol: string, price: string): string
  /** An average of prices, rounded to the tick of its symbol. */
  average(symbol: string, price: string): string
  /** Padded to the lot of its symbol. */
  amount(symbol: string, amount: string): string
}

/** Without steps of a symbol, its longest figure sets the digits of all. */
export function marketSteps(portfolio: Shown | undefined, fills: readonly FillRow[] = []): MarketSteps {
  const { steps = [], positions, orders } = portfolio ?? NOTHING
  const known = new Set(steps.map(({ symbol }) => symbol))
  const rows = [...positions, ...orders, ...fills].filter(({ symbol }) => !known.has(symbol))
  const prices = longest([...steps.map(({ symbol, tick }) => [symbol, tick] as const), ...rows.flatMap(pricesOf)])
  const amounts = longest([
    ...steps.map(({ symbol, lotSize }) => [symbol, lotSize] as const),
    ...rows.map(({ symbol, amount }) => [symbol, amount] as const),
  ])
  return {
    price: (symbol, price) => showPrice(price, ...(prices.get(symbol) ?? [])),
    average(symbol, price) {
      const [like] = prices.get(symbol) ?? []
      return like === undefined ? showFigure(price) : showPrice(roundedTo(price, digitsOf(like)), like)
    },
    amount: (symbol, amount) => showPrice(amount, ...(amounts.get(symbol) ?? [])),
  }
}

type Figure = readonly [symbol: string, figure: string | undefined]

/** Averages are left out: they have digits that prices of the market have not. */
function pricesOf(row: Shown['positions'][number] | Shown['orders'][number] | FillRow): Figure[] {
  const { symbol } = row
  if ('markPrice' in row) return [[symbol, row.markPrice]]
  return [
    [symbol, 'price' in row ? row.price : undefined],
    [symbol, 'triggerPrice' in row ? row.triggerPrice : undefined],
  ]
}

/** Of each symbol the figure with the most digits. */
function longest(figures: readonly Figure[]): ReadonlyMap<string, readonly string[]> {
  const known = new Map<string, readonly [string]>()
  for (const [symbol, figure] of figures) {
    const before = known.get(symbol)?.[0]
    if (figure !== undefined && (before === undefined || digitsOf(figure) > digitsOf(before)))
      known.set(symbol, [figure])
  }
  return known
}

function digitsOf(figure: string): number {
  return (figure.split('.')[1] ?? '').replace(/0+$/, '').length
}
