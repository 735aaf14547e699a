// The Tab key, as node:readline wants it: candidates from the command table, narrowed to what is typed.
import { offersAt } from '../commands/complete-line.ts'
import type { CompletionNames } from '../commands/kit/command.ts'

/** Candidates, and the text before the cursor that they replace. */
export type Completion = [candidates: string[], fragment: string]

/** A single candidate brings the space after it. */
export function completeLine(beforeCursor: string, live: CompletionNames): Completion {
  const { texts, fragment } = offersAt(beforeCursor, live)
  const [only] = texts
  return [texts.length === 1 && only !== undefined ? [`${only} `] : [...texts], fragment]
}
