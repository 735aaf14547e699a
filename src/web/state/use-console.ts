// How components reach the console: the object from a context, and of its state what they choose. A component is drawn again only when what
// it chose has changed.
import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react'
import { useStore } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import type { Console } from '../console.ts'
import type { ConsoleState } from './console-state.ts'

export const ConsoleContext = createContext<Console | undefined>(undefined)

export function useConsole(): Console {
  const console = useContext(ConsoleContext)
  if (console === undefined) throw new Error('there is no console around this component')
  return console
}

/** @param select gives a part of the state as it is, or a value that `===` compares */
export function useDesk<T>(select: (state: ConsoleState) => T): T {
  return useStore(useConsole().store, select)
}

/** Several parts at once. */
export function useDeskParts<K extends keyof ConsoleState>(...names: readonly K[]): Pick<ConsoleState, K> {
  return useStore(
    useConsole().store,
    useShallow(
      (state: ConsoleState) => Object.fromEntries(names.map((name) => [name, state[name]])) as Pick<ConsoleState, K>,
    ),
  )
}

// --- The time, for what shows its passing.

/** ms since the epoch, anew each second while `isRunning`. */
export function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isRunning) return undefined
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [isRunning])
  return now
}

// --- A media query as a value that components can use.

/** Where the console has one column; the style sheets write it out. */
export const NARROW = '(max-width: 799px)'

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const media = matchMedia(query)
      media.addEventListener('change', changed)
      return () => media.removeEventListener('change', changed)
    },
    () => matchMedia(query).matches,
    // Drawn without a window.
    () => false,
  )
}
