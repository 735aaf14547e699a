// `complete`: what the prompt would offer at the cursor, and what it would say of the line. Nothing runs, and nothing is waited for.
import { defined } from '../../base/defined.ts'
import { faultOf, offersAt } from '../../commands/complete-line.ts'
import type { CompletionNames } from '../../commands/kit/command.ts'
import type { CommandPorts } from '../../commands/kit/ports.ts'
import { printable } from '../../language/printable.ts'
import { type Frame, WIRE_LIMITS } from '../../protocol/frames.ts'

export interface CompletionPorts {
  readonly aliases: Pick<CommandPorts['aliases'], 'read'>
  readonly focus: Pick<CommandPorts['focus'], 'account'>
  readonly names: (account: string) => CompletionNames
  /** Whether pages see accounts. */
  readonly showsAccounts: () => boolean
}

const MAX_DETAIL = 120
const MAX_MESSAGE = 300

export function completionOf(
  { id, line, cursor, account, hook = false }: Frame<'complete'>,
  { aliases, focus, names, showsAccounts }: CompletionPorts,
): Frame<'complete:ok'> {
  const at = Math.min(cursor, line.length)
  const live = names(account ?? focus.account())
  const offers = offersAt(line.slice(0, at), showsAccounts() ? live : { ...live, accounts: [] })
  const told = offers.texts.slice(0, WIRE_LIMITS.completions)
  const more = offers.texts.length - told.length
  const space = line[at] === ' ' ? '' : ' '
  const fault =
    line.trim() === '' ? undefined : faultOf({ line, source: 'web', isHookBody: hook, aliases: aliases.read() })
  return {
    t: 'complete:ok',
    id,
    from: at - offers.fragment.length,
    items: told.map((text) => {
      const detail = offers.detailOf(text)
      return { text: `${text}${space}`, label: text, ...(detail && { detail: printable(detail, MAX_DETAIL) }) }
    }),
    ...(more > 0 ? { more } : {}),
    ...(fault && {
      error: {
        message: printable(fault.message, MAX_MESSAGE),
        ...defined({ column: fault.column }),
        ...(fault.hint === undefined ? {} : { hint: printable(fault.hint, MAX_MESSAGE) }),
      },
    }),
  }
}
