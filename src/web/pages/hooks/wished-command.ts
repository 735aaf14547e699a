// The command that another page asks a new hook to begin with. It comes with the history entry: the console's own pages alone can write that.
// Taken once: back and forth do not open the form again.
import { useState } from 'react'

/** The command, and what changes or forgets it. */
export function useWishedCommand(): readonly [string | undefined, (command: string | undefined) => void] {
  return useState(take)
}

function take(): string | undefined {
  const state: unknown = history.state
  if (typeof state !== 'object' || state === null || !('command' in state)) return undefined
  const { command, ...rest } = state
  if (typeof command !== 'string' || command === '') return undefined
  history.replaceState(rest, '')
  return command
}
