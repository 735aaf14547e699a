// Symbols that a person wants at hand: kept in this browser.
import { create } from 'zustand'

const KEY = 'hookline.favourites'
const MOST = 50

interface Favourites {
  /** As they were chosen. */
  readonly symbols: readonly string[]
}

export const useFavourites = create<Favourites>(() => ({ symbols: stored() }))

export function toggleFavourite(symbol: string): void {
  const { symbols } = useFavourites.getState()
  const isOne = symbols.includes(symbol)
  const next = isOne ? symbols.filter((each) => each !== symbol) : [...symbols, symbol].slice(-MOST)
  useFavourites.setState({ symbols: next })
  try {
    localStorage.setItem(KEY, JSON.stringify(next))
  } catch {
    // Forbidden or full: they last as long as the page.
  }
}

function stored(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(kept) ? kept.filter((each): each is string => typeof each === 'string').slice(-MOST) : []
  } catch {
    // Forbidden storage, or somebody else's text under our key.
    return []
  }
}
