// Turns a line into a chain: tokens, then stages and commands by recursive descent. `;` may end a line; any other step
// without a command is an error, because a missing step in a chain of orders is a mistake.
import type { Argument, Chain, CommandCall, Stage } from './chain.ts'
import { LanguageError } from './language-error.ts'
import { type Token, tokenize } from './tokenize.ts'

interface TokenCursor {
  readonly tokens: readonly Token[]
  next: number
}

/**
 * The chain a line stands for (behaviour 29); empty for a blank line.
 * @throws {LanguageError} what `tokenize` throws, `empty-step`, `missing-command`
 */
export function parseChain(line: string): Chain {
  return readChain({ tokens: tokenize(line), next: 0 })
}

/** Reads up to the end of the line or the `)` of the enclosing group, which the caller takes. */
function readChain(cursor: TokenCursor): Chain {
  const stages: Stage[] = []
  let commands: CommandCall[] = []
  for (let token = peek(cursor); token !== undefined && token.kind !== ')'; token = peek(cursor)) {
    if (token.kind === ';' || token.kind === '&') throw emptyStep(token, 'before')
    commands.push(readCall(cursor, token))
    const separator = peek(cursor)
    if (separator?.kind === '&') {
      cursor.next += 1
      if (endsChain(peek(cursor))) throw emptyStep(separator, 'after')
      continue
    }
    stages.push({ commands })
    commands = []
    if (separator?.kind === ';') cursor.next += 1
  }
  return { stages }
}

function readCall(cursor: TokenCursor, first: Token): CommandCall {
  if (first.kind !== 'word' || first.quotedFrom !== undefined) {
    throw new LanguageError(
      'missing-command',
      'a step starts with the name of a command, not with a quoted text or a group',
      first.column,
      'type a command first, such as `echo` or `repeat 1`; `help` lists them',
    )
  }
  cursor.next += 1
  const args: Argument[] = []
  for (let token = peek(cursor); token !== undefined; token = peek(cursor)) {
    if (token.kind === ';' || token.kind === '&' || token.kind === ')') break
    cursor.next += 1
    args.push(readArgument(cursor, token))
  }
  return { name: first.text, args, column: first.column }
}

function readArgument(cursor: TokenCursor, token: Token): Argument {
  const { column } = token
  if (token.kind === 'string') return { kind: 'string', text: token.text, column }
  if (token.kind === 'word') {
    const { text, quotedFrom } = token
    return quotedFrom === undefined ? { kind: 'word', text, column } : { kind: 'word', text, column, quotedFrom }
  }
  const chain = readChain(cursor)
  cursor.next += 1 // its `)`: the tokenizer has made sure that there is one
  if (chain.stages.length === 0) {
    throw new LanguageError('missing-command', 'this group is empty', column, 'type a command between ( and )')
  }
  return { kind: 'group', chain, column }
}

function peek(cursor: TokenCursor): Token | undefined {
  return cursor.tokens[cursor.next]
}

function endsChain(token: Token | undefined): boolean {
  return token === undefined || token.kind === ')'
}

function emptyStep(separator: Token, side: 'before' | 'after'): LanguageError {
  return new LanguageError(
    'empty-step',
    `there is no command ${side} this "${separator.kind}"`,
    separator.column,
    `type a command there or remove the "${separator.kind}"; one "&" starts commands together, one ";" one after another`,
  )
}
