// The Tab key, as node:readline wants it: candidates from the command table, narrowed to what is typed.
import { lookup } from '../commands/catalogue.ts'
import type { CompletionNames } from '../commands/kit/command.ts'
import { candidates } from '../commands/kit/complete.ts'
import { completionTarget } from '../language/completion.ts'

/** Candidates, and the text before the cursor that they replace. */
export type Completion = [candidates: string[], fragment: string]

/** Letters fit in either case; a single candidate brings the space after it. */
export function completeLine(beforeCursor: string, live: CompletionNames): Completion {
  const { call, fragment } = completionTarget(beforeCursor, beforeCursor.length)
  const beforeVariable = /^(.*)@\w*$/.exec(fragment)?.[1]
  const offered =
    beforeVariable === undefined
      ? candidates(lookup, call, live)
      : live.variables.map((name) => `${beforeVariable}@${name}`)
  const typed = fragment.toLowerCase()
  const fitting = [...new Set(offered)].filter((candidate) => candidate.toLowerCase().startsWith(typed)).sort()
  const [only] = fitting
  return [fitting.length === 1 && only !== undefined ? [`${only} `] : fitting, fragment]
}
