// The command that another page asks a new hook to begin with. It comes with the history entry and not in the address: no link from elsewhere
// fills in a hook. Taken once: back and forth do not open the form again.
import { useEffect, useState } from 'react'

/** The command, and what forgets it. */
export function useWishedCommand(): readonly [string | undefined, () => void] {
  const [command, setCommand] = useState(read)
  // Once it is on the page: what is drawn and thrown away takes nothing.
  useEffect(() => {
    if (command === undefined) return
    const { command: _, ...rest } = history.state
    history.replaceState(rest, '')
  }, [command])
  return [command, () => setCommand(undefined)]
}

function read(): string | undefined {
  const state: unknown = history.state
  if (typeof state !== 'object' || state === null || !('command' in state)) return undefined
  const { command } = state
  return typeof command === 'string' && command !== '' ? command : undefined
}
