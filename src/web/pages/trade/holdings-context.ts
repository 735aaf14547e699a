// What the tables under the chart share: the portfolio, where its lines run, and how its figures are written.
import { createContext, useContext } from 'react'
import type { Portfolio } from '../../../protocol/frames.ts'
import { type MarketSteps, marketSteps } from './market-steps.ts'

export interface Held {
  readonly portfolio: Portfolio | undefined
  /** On which lines of the tables run: the account that the figures are of. */
  readonly scope: { readonly account: string; readonly symbol: string }
  readonly steps: MarketSteps
  /** What each symbol was last traded at, as far as it is told. */
  readonly last: ReadonlyMap<string, string>
}

export const HeldContext = createContext<Held>({
  portfolio: undefined,
  scope: { account: '', symbol: '' },
  steps: marketSteps(undefined),
  last: new Map(),
})

export function useHeld(): Held {
  return useContext(HeldContext)
}
