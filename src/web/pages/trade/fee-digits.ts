// How many digits the fees of each asset have in the table that they are in.
import { createContext, useContext } from 'react'

export const FeeDigitsContext = createContext<ReadonlyMap<string, number>>(new Map())

export function useFeeDigits(): ReadonlyMap<string, number> {
  return useContext(FeeDigitsContext)
}
