// The command that another page asks a new hook to begin with. It comes with the history entry and not in the address: no link from elsewhere
// fills in a hook. Taken once: back and forth do not open the form again.
import { useState } from 'react'

export function useWishedCommand(): string | undefined {
  const [command] = useState(take)
  return command
}

function take(): string | undefined {
  const state: unknown = history.state
  if (typeof state !== 'object' || state === null || !('command' in state)) return undefined
  const { command, ...rest } = state
  if (typeof command !== 'string' || command === '') return undefined
  history.replaceState(rest, '')
  return command
}
