// The command that an address brings along: `/hooks/new?command=buy%20$250%20BTCUSDT` opens the form with it. The address
// makes no hook: a person reads the command and presses the button. Pure.
import { MAX_LINE_LENGTH } from '../../../language/tokenize.ts'

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
