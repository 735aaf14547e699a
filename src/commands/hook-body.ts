// Whether a hook's body can run at all, asked when it is registered: an alert that fires at night is a bad time to learn
// of a typing mistake.
import type { CommandCall } from '../language/chain.ts'
import { LanguageError } from '../language/language-error.ts'
import { parseChain } from '../language/parse.ts'
import { CommandError } from './command.ts'
import { callsIn, expandAlias } from './expand-alias.ts'
import { requireMayRun } from './refuse-where.ts'
import type { CommandLookup } from './resolve.ts'

/**
 * Parses the body, resolves every command in it, through aliases and groups, and reads their arguments.
 * @param aliases name → chain
 * @throws {LanguageError} the column counts within the body
 */
export function checkHookBody(body: string, lookup: CommandLookup, aliases: Readonly<Record<string, string>>): void {
  const chain = parseChain(body)
  if (chain.stages.length === 0) throw new LanguageError('missing-command', 'there is no command in it', 1)
  for (const call of callsIn(chain)) checkCall(call, lookup, aliases)
}

function checkCall(call: CommandCall, lookup: CommandLookup, aliases: Readonly<Record<string, string>>): void {
  try {
    if (lookup.find(call.name) === undefined) {
      const expanded = expandAlias(call, aliases)
      if (expanded !== undefined) {
        for (const inner of callsIn(expanded)) checkCall(inner, lookup, aliases)
        return
      }
    }
    const { path, form, args } = lookup.resolve(call)
    requireMayRun(path, form.where, 'hook')
    // What a variable will stand for is known only when the hook fires.
    if (!args.some((argument) => argument.kind === 'word' && argument.text.includes('@'))) form.check?.(args)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    throw new LanguageError('bad-argument', error.message, call.column, error.hint)
  }
}
