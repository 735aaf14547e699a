// Turns a line into a chain: tokens, then stages, steps and commands by recursive descent. `;` may end a line; any other step
// without a command is an error, because a missing step in a chain of orders is a mistake.
import { parseAlertSlot, parseStamp } from './alert.ts'
import type { AlertSlot, AlertStamps, Argument, Chain, CommandCall, Link, Stage, Step } from './chain.ts'
import { LanguageError } from './language-error.ts'
import { shown } from './printable.ts'
import {
  type OperatorToken,
  SLOT_START,
  type TextToken,
  type Token,
  type TokenizeOptions,
  tokenize,
} from './tokenize.ts'

interface TokenCursor {
  readonly tokens: readonly Token[]
  next: number
  readonly withSlots: boolean
}

/** Copied off a screen along with its line: `paper [BTCUSDT 65,000] > buy $100`. */
const PROMPT = /^\s*[\w-]+ \[[^\][]*\][^>;&|"'`]{0,80}> ?/

/**
 * The chain a line stands for (behaviour 29); empty for a blank line.
 * @throws {LanguageError} what `tokenize` throws, `empty-step`, `missing-command`
 */
export function parseChain(line: string, options: TokenizeOptions = {}): Chain {
  const [prompt] = PROMPT.exec(line) ?? []
  if (prompt !== undefined) {
    throw new LanguageError('bad-argument', 'the line begins with a prompt', 1, 'type what follows the > alone')
  }
  const tokens = tokenize(line, options)
  const withSlots = options.withSlots === true
  const end = withSlots ? tokens.findIndex((token, index) => isEnd(token, tokens[index + 1])) : -1
  if (end === -1) return readChain({ tokens, next: 0, withSlots })
  return {
    ...readChain({ tokens: tokens.slice(0, end), next: 0, withSlots }),
    stamps: readStamps(tokens.slice(end + 1)),
  }
}

/** `--` before a slot: an alert's own key and time follow (behaviour 44). */
function isEnd(token: Token, next: Token | undefined): boolean {
  return token.kind === 'word' && token.text === '--' && next?.kind === 'word' && startsAt(next.text, 0)
}

function readStamps(tokens: readonly Token[]): AlertStamps {
  let stamps: AlertStamps = {}
  for (const token of tokens) {
    const { column } = token
    const typed = token.kind === 'word' || token.kind === 'string' ? token.text : token.kind
    if (token.kind !== 'word' || !startsAt(typed, 0)) {
      const hint = 'move it before the --'
      throw new LanguageError('bad-slot', `${shown(typed)} is not allowed after --`, column, hint)
    }
    const read = parseStamp(typed, column)
    if ((read.key && stamps.key) !== undefined || (read.time && stamps.time) !== undefined) {
      throw new LanguageError('bad-slot', `${shown(typed)} is given twice`, column, 'keep one')
    }
    stamps = { ...stamps, ...read }
  }
  return stamps
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
  refuseJoinedCondition(call, cursor)
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

/**
 * The commands of `when` end it: a group before them is of the condition, and so is, of an `alert` too, a comparison behind what joins commands.
 * @throws {LanguageError}
 */
function refuseJoinedCondition({ name, args }: CommandCall, { tokens, next }: TokenCursor): void {
  const verb = name.toLowerCase()
  if (verb !== 'when' && verb !== 'alert') return
  const commands = args.at(-1)
  const group = args.find((argument) => argument.kind === 'group' && argument !== commands)
  if (group !== undefined) throw groupInCondition(group.column)
  const [mark, value, comparison] = tokens.slice(next, next + 3)
  if (commands?.kind === 'group' || mark === undefined || !isOperator(mark) || mark.kind === ';') return
  const isCompared = value?.kind === 'word' && comparison?.kind === 'word' && COMPARISON.test(comparison.text)
  if (verb === 'when' || (isCompared && !OF_CONDITIONS.test(value.text))) throw joinedCondition(mark.kind, mark.column)
}

const COMPARISON = /^(?:[<>]=?|[=!]=|crosses$)/i
const OF_CONDITIONS = /^(?:when|alert|wait)$/i

export function groupInCondition(column: number): LanguageError {
  const message = 'parentheses around a condition are read as commands here'
  return new LanguageError('bad-condition', message, column, 'put the whole condition in quotes')
}

export function joinedCondition(operator: string, column: number): LanguageError {
  const hint = operator.startsWith('|') ? 'type or' : 'type and'
  return new LanguageError('bad-condition', `${shown(operator)} joins commands`, column, hint)
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

// Where in the body of a hook a slot may be (behaviour 44): for a whole argument, never for a command, a part of a word or an option; a bare
// number only behind a word that takes a price, so that it can be no size without a cap.

const BEFORE_A_PRICE: ReadonlySet<string> = new Set(['at', 'stop', 'sl', 'tp', 'take', 'limit', 'from', 'to'])

/** The slot that a word is; undefined: it is none. @throws {LanguageError} `bad-slot` */
function placedSlot(token: TextToken, before: Argument | undefined): AlertSlot | undefined {
  const { text, column, quotedFrom } = token
  if (!startsAt(text, 0)) {
    refuseInside(text.slice(0, quotedFrom), column)
    return undefined
  }
  const slot = parseAlertSlot(text, column)
  const previous = before?.kind === 'word' && before.slot === undefined ? before.text.toLowerCase() : ''
  if (previous.startsWith('--')) {
    const hint = `write the value of ${previous.slice(0, 30)} into the hook`
    throw new LanguageError('bad-slot', 'a slot cannot be the value of an option', column, hint)
  }
  if (slot.type === 'number' && !BEFORE_A_PRICE.has(previous)) {
    const hint = `for a size type {${slot.name}:usd<=500}, for a price type at ${shown(text).slice(1, -1)}`
    throw new LanguageError('bad-slot', 'a number follows at, stop, tp, limit, from or to', column, hint)
  }
  return slot
}

/** @throws {LanguageError} `bad-slot` where the name of a command has a slot in it */
function refuseSlot({ text, column }: TextToken): void {
  if (startsAt(text, 0)) {
    const hint = 'type the command, then a slot'
    throw new LanguageError('bad-slot', 'a slot cannot be a command', column, hint)
  }
  refuseInside(text, column)
}

/** As charting platforms write values in their own messages. */
const PLACEHOLDER = /\{\{[^{}]*\}\}/

function refuseInside(text: string, column: number): void {
  const placeholder = PLACEHOLDER.exec(text)
  if (placeholder !== null) {
    const message = `${shown(placeholder[0])} belongs in the message of the alert, not in the hook`
    const hint = 'declare the value here: {symbol:in(BTCUSDT,ETHUSDT)}, {size:usd<=500}; `hook show` prints the message'
    throw new LanguageError('bad-slot', message, column + placeholder.index, hint)
  }
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) {
    if (!startsAt(text, at)) continue
    const hint = 'type a space before it; {size:usd<=500} has its $ already'
    throw new LanguageError('bad-slot', 'a slot stands for a whole word, not for a part of one', column + at, hint)
  }
}

function startsAt(text: string, at: number): boolean {
  SLOT_START.lastIndex = at
  return SLOT_START.test(text)
}
