// The symbols that are known here, and the way to one.
import { useLocation } from 'wouter'
import { type ConsoleState, focusOf } from '../console-state.ts'
import { useConsole } from '../use-console.ts'
import { placeOf, tradePath } from './places.ts'

/** Goes to the symbol: in the address on Trade, otherwise for the tab. */
export function useGoToSymbol(): (symbol: string | undefined) => void {
  const console = useConsole()
  const [path, navigate] = useLocation()
  return (symbol) => {
    console.choose({ symbol })
    if (placeOf(path) === 'trade') navigate(tradePath(symbol))
  }
}

export function knownSymbols(state: Pick<ConsoleState, 'focus' | 'portfolio' | 'tasks'>): readonly string[] {
  const rows = [...(state.portfolio?.positions ?? []), ...(state.portfolio?.orders ?? []), ...(state.tasks ?? [])]
  const focus = focusOf(state)?.symbol
  return [...new Set([...(focus === undefined ? [] : [focus]), ...rows.map(({ symbol }) => symbol)])].sort()
}
