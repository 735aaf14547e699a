import { useEffect, useState } from 'react'
import { MAX_LINE_LENGTH } from '../../../language/tokenize.ts'

// The command that an address brings along: `/hooks/new?command=buy%20$250%20BTCUSDT` opens the form with it. The address
// makes no hook: a person reads the command and presses the button. Pure.

/** Where the form that makes a hook is. */
export const NEW_HOOK = '/hooks/new'

export type WantedCommand = { readonly command: string } | { readonly why: string }

/** As other pages link to it. */
export function newHookAddress(command: string): string {
  return `${NEW_HOOK}?${new URLSearchParams({ command })}`
}

/** @param search the address behind `?`; undefined: it names none */
export function wantedCommand(search: string): WantedCommand | undefined {
  const command = new URLSearchParams(search).get('command')?.trim()
  if (command === undefined || command === '') return undefined
  if (command.length > MAX_LINE_LENGTH)
    return { why: `The address holds a command of ${command.length} characters; at most ${MAX_LINE_LENGTH} are read.` }
  if (hasUnseen(command))
    return { why: 'The address holds a command with characters that cannot be seen: it was left out.' }
  return { command }
}

/** Controls, and marks that turn the order of letters around: what is read would not be what runs. */
function hasUnseen(text: string): boolean {
  return /[^\P{C}\n\t]/u.test(text)
}

// The command that another page asks a new hook to begin with. It comes with the history entry: the console's own pages alone can write that.
// Taken once: back and forth do not open the form again.

/** The command, and what changes or forgets it. */
export function useWishedCommand(): readonly [string | undefined, (command: string | undefined) => void] {
  const [command, wish] = useState(read)
  // Once it is on the page: what is drawn and thrown away takes nothing.
  useEffect(() => {
    if (command === undefined || read() === undefined) return
    const { command: _, ...rest } = history.state
    history.replaceState(rest, '')
  }, [command])
  return [command, wish]
}

function read(): string | undefined {
  const state: unknown = history.state
  if (typeof state !== 'object' || state === null || !('command' in state)) return undefined
  const { command } = state
  return typeof command === 'string' && command !== '' ? command : undefined
}
