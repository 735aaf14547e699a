// Which lines may ask for secrets, or were meant to. From a pipe, the lines after one that failed may then be answers that nobody has asked for.
import type { Command, CommandFamily } from '../commands/kit/command.ts'
import { isFamily, namesOf } from '../commands/kit/resolve.ts'
import type { Chain, CommandCall } from '../language/chain.ts'
import { expandAlias } from '../language/expansion.ts'
import { parseChain } from '../language/parse.ts'
import { nearest } from '../language/typo-match.ts'
import type { KnownCommands } from './immediate.ts'

/**
 * Whether a command of the line, or of the aliases in it, asks. One that cannot be read or run asks if anything in it looks like a command that can:
 * a pipe that stops too early is started again, and a key that was run as a command is in journals.
 */
export function mayAsk(line: string, known: KnownCommands): boolean {
  try {
    return asksInChain(parseChain(line), known)
  } catch {
    return line.split(/[;&|()]/).some((part) => looksAsking(part, known))
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

/** Of a command that there is: whether it can ask. Of one that there is not: whether it resembles one, or is followed by the name of a form that asks. */
function looksAsking(part: string, { lookup }: KnownCommands): boolean {
  const [verb = '', form = ''] = part.trim().split(/\s+/).map(plainForm)
  const families = lookup.all().filter(asksAnywhere)
  const command = lookup.find(verb)
  if (command !== undefined) return families.some(({ name }) => name === command.name)
  const forms = families.flatMap((family) => family.forms.filter(({ asks }) => asks === true))
  const verbs = families.flatMap(namesOf)
  // `accountadd`, `account-add`
  const joined = verbs.some((name) => verb.startsWith(name))
  return joined || nearest(verb, verbs) !== undefined || isNear(form, forms.flatMap(namesOf))
}

function asksAnywhere(command: Command): command is CommandFamily {
  return isFamily(command) && command.forms.some(({ asks }) => asks === true)
}

function isNear(word: string, names: readonly string[]): boolean {
  return names.includes(word) || nearest(word, names) !== undefined
}

/** What a keyboard or an editor made of plain letters. */
function plainForm(word: string): string {
  return word
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}
