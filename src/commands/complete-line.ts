// What may come at the cursor of a line, and whether the line would be refused before anything ran: for the Tab key and for pages.
import { defined } from '../base/defined.ts'
import { checkHookBody } from '../hooks/registration.ts'
import type { CommandCall } from '../language/chain.ts'
import { completionTarget, goesOn, typableNames } from '../language/completion.ts'
import { callsIn, expandAlias, hasVariable } from '../language/expansion.ts'
import { LanguageError } from '../language/language-error.ts'
import { parseChain } from '../language/parse.ts'
import type { Source } from '../runs/run.ts'
import { lookup } from './catalogue.ts'
import { type CompletionNames, requireMayRun } from './kit/command.ts'
import { CommandError } from './kit/errors.ts'
import { candidates, isFamily } from './kit/resolve.ts'

interface Offers {
  /** In order, each once; letters fit in either case. */
  readonly texts: readonly string[]
  /** What they replace, up to the cursor. */
  readonly fragment: string
  /** Says more of an offer, where there is more to say. */
  detailOf(text: string): string | undefined
}

/** @param beforeCursor the line as far as the cursor, finished or not */
export function offersAt(beforeCursor: string, live: CompletionNames): Offers {
  const { call, fragment } = completionTarget(beforeCursor, beforeCursor.length)
  const beforeVariable = /^(.*)@\w*$/.exec(fragment)?.[1]
  const offered =
    beforeVariable === undefined
      ? candidates(
          lookup,
          call,
          typable(live, (names) => typableNames(names, beforeCursor, fragment)),
        )
      : live.variables.map((name) => `${beforeVariable}@${name}`)
  const texts = [...new Set(offered)].filter((candidate) => goesOn(candidate, fragment)).sort()
  return { texts, fragment, detailOf: (text) => detailOf(text, call) }
}

/** What others have named. */
function typable(live: CompletionNames, print: (names: readonly string[]) => readonly string[]): CompletionNames {
  return {
    ...live,
    symbols: print(live.symbols),
    accounts: print(live.accounts),
    hooks: live.hooks.map(({ id, name }) => ({ id, name: print([name])[0] ?? id })),
  }
}

/** Of a command, and of a form of one. */
function detailOf(
  text: string,
  call: { readonly name: string; readonly words: readonly string[] } | undefined,
): string | undefined {
  if (call === undefined) return lookup.find(text)?.summary
  const command = lookup.find(call.name)
  if (command === undefined || !isFamily(command) || call.words.length > 0) return undefined
  return command.forms.find(({ name }) => name === text)?.summary
}

/** Why a line would be refused. */
interface LineFault {
  readonly message: string
  /** From 1, in UTF-16 units. */
  readonly column?: number
  readonly hint?: string
}

interface LineToCheck {
  readonly line: string
  /** Who would run it. */
  readonly source: Source
  /** It is the body of a hook, and may have slots. */
  readonly isHookBody: boolean
  /** Name → chain. */
  readonly aliases: Readonly<Record<string, string>>
}

/** @returns undefined: nothing is known against it */
export function faultOf({ line, source, isHookBody, aliases }: LineToCheck): LineFault | undefined {
  try {
    if (isHookBody) checkHookBody(line, lookup, aliases)
    else for (const call of callsIn(parseChain(line))) checkCall(call, source, aliases)
    return undefined
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    const { message, column, hint } = error
    return { message, column, ...defined({ hint }) }
  }
}

/** @throws {LanguageError} at the call's column */
function checkCall(call: CommandCall, source: Source, aliases: Readonly<Record<string, string>>): void {
  try {
    const expanded = lookup.has(call.name) ? undefined : expandAlias(call, aliases)
    if (expanded !== undefined) {
      for (const inner of callsIn(expanded)) checkCall({ ...inner, column: call.column }, source, aliases)
      return
    }
    const { path, form, args } = lookup.resolve(call)
    requireMayRun(path, form.where, source)
    // What a variable stands for is known only when the line runs.
    if (!hasVariable(args)) form.check?.(args)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    throw new LanguageError('bad-argument', error.message, call.column, error.hint)
  }
}
