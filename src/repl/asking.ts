// Which lines may ask for secrets. From a pipe, the lines after one that failed may then be answers that nobody has asked for.
import { isFamily } from '../commands/kit/resolve.ts'
import type { Chain, CommandCall } from '../language/chain.ts'
import { expandAlias } from '../language/expand-alias.ts'
import { parseChain } from '../language/parse.ts'
import type { KnownCommands } from './immediate.ts'

/** Whether a command of the line, or of the aliases in it, asks. One that cannot be read asks if its first word names a command that can. */
export function mayAsk(line: string, known: KnownCommands): boolean {
  try {
    return asksInChain(parseChain(line), known)
  } catch {
    return canAsk(line.trim().split(/\s/)[0] ?? '', known)
  }
}

function asksInChain(chain: Chain, known: KnownCommands): boolean {
  return chain.stages.some((stage) => stage.commands.some((call) => asksInCall(call, known)))
}

function asksInCall(call: CommandCall, known: KnownCommands): boolean {
  const { lookup } = known
  const alias = lookup.find(call.name) ? undefined : expandAlias(call, known.aliases())
  if (alias) return asksInChain(alias, known)
  return (
    lookup.resolve(call).form.asks === true ||
    call.args.some((arg) => arg.kind === 'group' && asksInChain(arg.chain, known))
  )
}

function canAsk(name: string, { lookup }: KnownCommands): boolean {
  const command = lookup.find(name)
  return command !== undefined && isFamily(command) && command.forms.some((form) => form.asks === true)
}
