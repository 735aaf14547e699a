// What was typed before (`~/.hookline/history`). Hidden answers never come here; a line that begins with a space stays out
// on purpose, as in a shell.
import { openLineFile } from '../stores/line-file.ts'
import type { StoreProblem } from '../stores/store-error.ts'

export const HISTORY_LINES = 1_000

export interface History {
  /** Oldest first. */
  lines(): readonly string[]
  /** Keeps a typed line unless it is blank, begins with a space or repeats the one before. */
  add(line: string): void
}

/**
 * Reads the file when first asked for a line.
 * @param onProblem called once, when history can no longer be kept
 * @param hideSecrets what is kept of a line with keys, a passphrase or a token in it (behaviour 18)
 */
export function openHistory(
  path: string,
  onProblem: (problem: StoreProblem) => void,
  hideSecrets: (line: string) => string = (line) => line,
): History {
  const file = openLineFile({ path, maxLines: HISTORY_LINES, onProblem })
  let kept: string[] | undefined
  const lines = () => {
    kept ??= file.read()
    return kept
  }
  return {
    lines,
    add(typed) {
      const before = lines()
      const line = hideSecrets(typed)
      if (line.startsWith(' ') || line.trim() === '' || before.at(-1) === line) return
      before.push(line)
      if (before.length > HISTORY_LINES) before.shift()
      file.append(line)
    },
  }
}
