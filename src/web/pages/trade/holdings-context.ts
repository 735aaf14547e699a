// What the tables under the chart share: the portfolio, where its lines run, and how its figures are written.
import { createContext, useContext } from 'react'
import type { Portfolio } from '../../../protocol/frames.ts'
import { type MarketSteps, marketSteps } from './market-steps.ts'

export interface Held {
  readonly portfolio: Portfolio | undefined
  /** On which lines of the tables run: the account that the figures are of. */
  readonly scope: { readonly account: string; readonly symbol: string }
  readonly steps: MarketSteps
}

export const HeldContext = createContext<Held>({
  portfolio: undefined,
  scope: { account: '', symbol: '' },
  steps: marketSteps(undefined),
})

export function useHeld(): Held {
  return useContext(HeldContext)
}

/** What each symbol was last traded at, as far as it is told. Apart from the rest, which changes less often. */
export const LastPricesContext = createContext<ReadonlyMap<string, string>>(new Map())

export function useLastPrices(): ReadonlyMap<string, string> {
  return useContext(LastPricesContext)
}
