// Whether a hook's body can run at all, asked when it is registered: an alert that fires at night is a bad time to learn
// of a typing mistake.
import type { CommandCall } from '../language/chain.ts'
import { callsIn, expandAlias } from '../language/expand-alias.ts'
import { refuseFocusTaken, type SymbolTable } from '../language/focus-taken.ts'
import { bindSlots, parseHookChain, type SlotValues, sampleValues, slotsIn } from '../language/hook-chain.ts'
import { LanguageError } from '../language/language-error.ts'

/** The command table, as far as a body is checked against it. */
export interface BodyCommands extends SymbolTable {
  /** Resolves the call, asks whether a hook may run it, and reads its arguments. @throws {LanguageError} at the call's column */
  checkCall(call: CommandCall): void
}

/**
 * Parses the body, resolves every command in it, through aliases and groups, and reads their arguments; where it has slots, with values as
 * alerts may have them. Where one step names a symbol, each later one must, too: what will be in focus is not known.
 * @param aliases name → chain @param variables as they are now: what kind of word each stands for
 * @throws {LanguageError} the column counts within the body
 */
export function checkHookBody(
  body: string,
  commands: BodyCommands,
  aliases: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>> = {},
): void {
  const chain = parseHookChain(body)
  if (chain.stages.length === 0) throw new LanguageError('missing-command', 'there is no command in it', 1)
  const slots = slotsIn(chain)
  const bodies = slots.length === 0 ? [chain] : sampleValues(slots).map((values) => bindSlots(chain, values))
  for (const each of bodies) for (const call of callsIn(each)) checkCall(call, commands, aliases)
  const read = (line: string, values?: SlotValues) => {
    const parsed = parseHookChain(line)
    return values === undefined ? parsed : bindSlots(parsed, values)
  }
  for (const values of slots.length === 0 ? [undefined] : sampleValues(slots)) {
    refuseFocusTaken(body, (line) => read(line, values), { table: commands, aliases, variables })
  }
}

function checkCall(call: CommandCall, commands: BodyCommands, aliases: Readonly<Record<string, string>>): void {
  const expanded = commands.has(call.name) ? undefined : expandAlias(call, aliases)
  if (expanded === undefined) return commands.checkCall(call)
  for (const inner of callsIn(expanded)) checkCall(inner, commands, aliases)
}
