// `#` begins a comment: at the start of a line, or as a word of its own outside quotes. `#breakout` behind a command is a tag, `echo a#b` and
// `echo "# b"` have neither.
import { scanTokens, type Token } from '../language/tokenize.ts'
import { isTag } from '../stores/notes.ts'

/** The line without its comment; blank when there is nothing else. Read by the tokens of the language, so that quotes protect. */
export function withoutComment(line: string): string {
  if (!line.includes('#')) return line
  const tokens = scanTokens(line, () => {})
  const comment = tokens.find(
    (token, index) =>
      token.kind === 'word' &&
      line[token.column - 1] === '#' &&
      (index === 0 || !isTag(token.text.slice(1).toLowerCase()) || isBehindMark(tokens[index - 1])),
  )
  return comment === undefined ? line : line.slice(0, comment.column - 1)
}

/** `price;#rest` */
function isBehindMark(before: Token | undefined): boolean {
  return before !== undefined && before.kind !== 'word' && before.kind !== 'string'
}
