// Turns a line into a chain: tokens, then stages, steps and commands by recursive descent. `;` may end a line; any other step
// without a command is an error, because a missing step in a chain of orders is a mistake.
import type { Argument, Chain, CommandCall, Link, Stage, Step } from './chain.ts'
import { LanguageError } from './language-error.ts'
import { placedSlot, refuseSlot } from './slot-places.ts'
import { type OperatorToken, type Token, type TokenizeOptions, tokenize } from './tokenize.ts'

interface TokenCursor {
  readonly tokens: readonly Token[]
  next: number
  readonly withSlots: boolean
}

/**
 * The chain a line stands for (behaviour 29); empty for a blank line.
 * @throws {LanguageError} what `tokenize` throws, `empty-step`, `missing-command`
 */
export function parseChain(line: string, options: TokenizeOptions = {}): Chain {
  return readChain({ tokens: tokenize(line, options), next: 0, withSlots: options.withSlots === true })
}

/** Reads up to the end of the line or the `)` of the enclosing group, which the caller takes. */
function readChain(cursor: TokenCursor): Chain {
  const stages: Stage[] = []
  let commands: Step[] = []
  for (let token = peek(cursor); token !== undefined && token.kind !== ')'; token = peek(cursor)) {
    commands.push(readStep(cursor, token))
    const separator = peek(cursor)
    if (separator?.kind === '&') {
      requireNext(cursor, separator)
      continue
    }
    stages.push({ commands })
    commands = []
    if (separator?.kind === ';') cursor.next += 1
  }
  return { stages }
}

/** A command, and those joined to it by `&&` and `||`. */
function readStep(cursor: TokenCursor, first: Token): Step {
  const call = readCall(cursor, first)
  const links: Link[] = []
  for (let mark = peek(cursor); mark?.kind === '&&' || mark?.kind === '||'; mark = peek(cursor)) {
    links.push({ operator: mark.kind, call: readCall(cursor, requireNext(cursor, mark)) })
  }
  return links.length === 0 ? call : { ...call, links }
}

function readCall(cursor: TokenCursor, first: Token): CommandCall {
  if (isOperator(first)) throw emptyStep(first, 'before')
  if (first.kind !== 'word' || first.quotedFrom !== undefined) {
    throw new LanguageError(
      'missing-command',
      'a step starts with the name of a command, not with a quoted text or a group',
      first.column,
      'type a command first, such as `echo` or `repeat 1`; `help` lists them',
    )
  }
  if (cursor.withSlots) refuseSlot(first)
  cursor.next += 1
  const args: Argument[] = []
  for (let token = peek(cursor); token !== undefined; token = peek(cursor)) {
    if (isOperator(token) || token.kind === ')') break
    cursor.next += 1
    args.push(readArgument(cursor, token, args.at(-1)))
  }
  return { name: first.text, args, column: first.column }
}

function readArgument(cursor: TokenCursor, token: Token, before: Argument | undefined): Argument {
  const { column } = token
  if (token.kind === 'string') return { kind: 'string', text: token.text, column }
  if (token.kind === 'word') {
    const { text, quotedFrom } = token
    const slot = cursor.withSlots ? placedSlot(token, before) : undefined
    if (slot !== undefined) return { kind: 'word', text, column, slot }
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

/** Takes an operator that needs a command behind it. @returns what is there */
function requireNext(cursor: TokenCursor, operator: OperatorToken): Token {
  cursor.next += 1
  const token = peek(cursor)
  if (token === undefined || token.kind === ')') throw emptyStep(operator, 'after')
  return token
}

function isOperator(token: Token): token is OperatorToken {
  return token.kind === ';' || token.kind === '&' || token.kind === '&&' || token.kind === '||'
}

function emptyStep(separator: OperatorToken, side: 'before' | 'after'): LanguageError {
  return new LanguageError(
    'empty-step',
    `there is no command ${side} this "${separator.kind}"`,
    separator.column,
    `type a command there or remove the "${separator.kind}"; "a & b" runs both at once, "a; b" one after another, "a || b" runs b if a failed`,
  )
}
