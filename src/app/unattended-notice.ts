// What `hookline listen` says of a page that it turned away.
import type { PendingClient } from '../commands/kit/ports.ts'
import { printable } from '../language/printable.ts'

/** With the line that would admit it. */
export function describeUnattended({ clientId, origin, label }: PendingClient): string {
  const name = printable(label || 'a web page', 60)
  const words = [clientId, origin].map((text) => shellWord(printable(text, 100)))
  return `${name} was denied: nobody is here to approve it; to let it in: hookline clients trust ${words[0]} --origin ${words[1]}`
}

/** The stranger chose this text, and the operator is told to paste it into a shell (POSIX, 2.2.2). */
function shellWord(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
