// Which lines need not wait for the line that is running: those that only stop something, or look at something.
import type { CommandLookup } from '../commands/kit/resolve.ts'
import type { Chain, CommandCall } from '../language/chain.ts'
import { expandAlias } from '../language/expansion.ts'
import { parseChain } from '../language/parse.ts'

export interface KnownCommands {
  readonly lookup: CommandLookup
  /** Name → chain. */
  aliases(): Readonly<Record<string, string>>
}

/** Whether every command of the line, also of the aliases in it, is marked `immediate`. One that cannot be read is not. */
export function isImmediateLine(line: string, known: KnownCommands): boolean {
  try {
    const chain = parseChain(line)
    return chain.stages.length > 0 && isImmediateChain(chain, known)
  } catch {
    // Its turn will come, and tell what is wrong with it.
    return false
  }
}

function isImmediateChain(chain: Chain, known: KnownCommands): boolean {
  return chain.stages.every((stage) => stage.commands.every((call) => isImmediateCall(call, known)))
}

function isImmediateCall(call: CommandCall, known: KnownCommands): boolean {
  // As where it is run: an alias never shadows a command. How deep aliases go is checked by `expandAlias`.
  const alias = known.lookup.find(call.name) ? undefined : expandAlias(call, known.aliases())
  if (alias) return isImmediateChain(alias, known)
  return known.lookup.resolve(call).form.immediate === true
}
