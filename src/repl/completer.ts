// What the Tab key offers: command names, then what the command's row in the table says for its next argument.
import type { Command, CommandForm, CompletionContext } from '../commands/command.ts'
import { findForm, isFamily } from '../commands/resolve.ts'
import { completionTarget } from '../language/completion.ts'

/** As node:readline wants it: the candidates, and the text before the cursor that they replace. */
export type Completion = [candidates: string[], fragment: string]

export interface CompleterPorts {
  find(name: string): Command | undefined
  /** Live names, read at every Tab; its `words` are not used. */
  names(): CompletionContext
}

export function createCompleter({ find, names }: CompleterPorts): (beforeCursor: string) => Completion {
  return (beforeCursor) => {
    const { call, fragment } = completionTarget(beforeCursor, beforeCursor.length)
    const live = names()
    const variable = /^(.*)@\w*$/.exec(fragment)
    if (variable) {
      const [, before = ''] = variable
      return offer(live.variables.map((name) => `${before}@${name}`), fragment)
    }
    if (call === undefined) return offer([...live.commands, ...live.aliases], fragment)
    const command = find(call.name)
    return offerInList(command ? candidatesFor(command, call.words, live) : [], fragment)
  }
}

function candidatesFor(command: Command, words: readonly string[], live: CompletionContext): readonly string[] {
  const ask = (form: CommandForm | undefined, rest: readonly string[]) => form?.complete?.({ ...live, words: rest }) ?? []
  if (!isFamily(command)) return ask(command, words)
  const [first, ...rest] = words
  if (first === undefined) return command.forms.map((form) => form.name)
  return ask(findForm(command, first), rest)
}

/** The last element of a comma list is completed; those named before are not offered again. */
function offerInList(candidates: readonly string[], fragment: string): Completion {
  const comma = fragment.lastIndexOf(',')
  if (comma < 0) return offer(candidates, fragment)
  const before = fragment.slice(0, comma + 1)
  const named = before.toLowerCase().split(',')
  const others = candidates.filter((candidate) => !named.includes(candidate.toLowerCase()))
  return offer(others.map((candidate) => before + candidate), fragment)
}

function offer(candidates: readonly string[], fragment: string): Completion {
  const typed = fragment.toLowerCase()
  const fitting = [...new Set(candidates)].filter((candidate) => candidate.toLowerCase().startsWith(typed)).sort()
  const [only] = fitting
  if (fitting.length !== 1 || only === undefined || /[=,(]$/.test(only)) return [fitting, fragment]
  return [[`${only} `], fragment]
}
