// How components reach the console: the object from a context, its state as React wants it.
import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Console } from './console.ts'
import type { ConsoleState } from './console-state.ts'

export const ConsoleContext = createContext<Console | undefined>(undefined)

export function useConsole(): Console {
  const console = useContext(ConsoleContext)
  if (console === undefined) throw new Error('there is no console around this component')
  return console
}

export function useConsoleState(): ConsoleState {
  const { subscribe, getState } = useConsole()
  return useSyncExternalStore(subscribe, getState)
}
