// `#` begins a comment: at the start of a line, or of a word outside quotes. `echo a#b` and `echo "# b"` have none.
import { scanTokens } from '../language/tokenize.ts'

/** The line without its comment; blank when there is nothing else. Read by the tokens of the language, so that quotes protect. */
export function withoutComment(line: string): string {
  if (!line.includes('#')) return line
  const comment = scanTokens(line, () => {}).find((token) => token.kind === 'word' && line[token.column - 1] === '#')
  return comment === undefined ? line : line.slice(0, comment.column - 1)
}
