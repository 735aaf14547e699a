// Which symbols a person is offered, and in which order. Pure.

export interface SymbolsToOffer {
  /** In capitals; empty: nothing is typed. */
  readonly wanted: string
  readonly favourites: readonly string[]
  /** What is held, ordered or worked on. */
  readonly known: readonly string[]
  /** Of the account's markets. */
  readonly listed: readonly string[]
}

const MOST = 12

/** Favourites, then what is traded here, then the rest; what begins with what is typed comes before what only has it somewhere. */
export function fittingSymbols({ wanted, favourites, known, listed }: SymbolsToOffer): readonly string[] {
  const all = [...new Set([...favourites, ...known, ...listed])]
  const fitting = all.filter((symbol) => symbol.toUpperCase().includes(wanted))
  const rank = (symbol: string) => (symbol.toUpperCase().startsWith(wanted) ? 0 : 1)
  return fitting.sort((a, b) => rank(a) - rank(b)).slice(0, MOST)
}
