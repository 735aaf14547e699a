// What Tab offers, from the command table.
import type { CompletionContext } from './command.ts'
import { type CommandLookup, DRY, findForm, isFamily } from './resolve.ts'

const VALUE_FOLLOWS: ReadonlySet<string> = new Set([
  'at',
  'stop',
  'tp',
  'limit',
  'from',
  'to',
  'into',
  'skew',
  'sizeskew',
])

/**
 * Candidates for the word at the cursor; the caller filters them by what is typed of it.
 * @param call the command at the cursor, with the words before the cursor, as `completionTarget` finds them;
 *   undefined where a command name is being typed
 */
export function candidates(
  lookup: CommandLookup,
  call: { readonly name: string; readonly words: readonly string[] } | undefined,
  live: Omit<CompletionContext, 'words'>,
): readonly string[] {
  if (call === undefined) return [...live.commands, ...live.aliases]
  const command = lookup.find(call.name)
  if (command === undefined) return []
  if (!isFamily(command)) {
    const own = command.complete?.({ ...live, words: call.words }) ?? []
    // Once it says what to send, and no value is being typed.
    const isWhole = call.words.length > 0 && !VALUE_FOLLOWS.has(call.words.at(-1) ?? '')
    return command.sends === true && isWhole ? [...own, DRY] : own
  }
  const [formName, ...words] = call.words
  if (formName === undefined) return command.forms.map((form) => form.name)
  return findForm(command, formName)?.complete?.({ ...live, words }) ?? []
}
