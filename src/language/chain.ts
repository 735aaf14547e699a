// What a typed line means (behaviour 29). `&&` and `||` bind tightest and are read from the left, then `&`, then `;`, as in a shell:
// `a || b & c; d` starts `a || b` and `c` together, and d when both have succeeded.
import type { AlertSlot } from './alert.ts'
import { printable } from './printable.ts'

/** An unquoted word. `@x` and `$last` are replaced in words when the command starts, never in strings. */
export interface Word {
  readonly kind: 'word'
  readonly text: string
  /** 1-based column of the first character. */
  readonly column: number
  /** For `key="a value"`, whose text is `key=a value`: where in `text` the quoted part begins. Nothing is replaced from there on. */
  readonly quotedFrom?: number
  /** In the body of a hook: what an alert fills in here. The text is the slot's own until then. */
  readonly slot?: AlertSlot
}

/** Text between `"…"` or `'…'`, without the quotes. There is no escape: a string holds at most one of the two quotes. */
interface QuotedString {
  readonly kind: 'string'
  readonly text: string
  readonly column: number
}

/** `( … )`: a chain inside a command, as in `repeat 3 (buy $10; sleep 1s)`. */
export interface Group {
  readonly kind: 'group'
  readonly chain: Chain
  readonly column: number
}

export type Argument = Word | QuotedString | Group

/** One verb with its arguments. */
export interface CommandCall {
  /** The verb as typed; the catalogue resolves case and aliases. */
  readonly name: string
  readonly args: readonly Argument[]
  readonly column: number
}

/** One more command of a step. */
export interface Link {
  /** `&&`: it runs when the step has succeeded so far; `||`: when it has failed. */
  readonly operator: '&&' | '||'
  readonly call: CommandCall
}

/** A command, and what is joined to it by `&&` and `||`, read from the left: `a && b || c` runs c when a or b failed. */
export interface Step extends CommandCall {
  /** Absent where there are none. */
  readonly links?: readonly Link[]
}

/** Steps joined by `&`: they start together, and the stage ends when all have ended. It succeeds when all of them do. */
export interface Stage {
  readonly commands: readonly Step[]
}

/** Stages joined by `;`; each starts when the one before has succeeded. `a & b ; c` is two stages. Empty for a blank line. */
export interface Chain {
  readonly stages: readonly Stage[]
}

// Writes a chain as a line. Parsing that line gives the same chain again, up to columns. A line that is made of texts of others (ids, symbols,
// names, figures) is written by `typedLine` alone.

/** One line for a chain: `buy $10 & echo "a; b"; repeat 2 (sleep 1s)`. Empty for an empty chain. */
export function printChain(chain: Chain): string {
  return chain.stages.map(printStage).join('; ')
}

/** What runs at once: `buy $10 & price || echo "no price"`. */
export function printStage(stage: Stage): string {
  return stage.commands.map(printStep).join(' & ')
}

function printStep(step: Step): string {
  return [printCall(step), ...(step.links ?? []).map(({ operator, call }) => `${operator} ${printCall(call)}`)].join(
    ' ',
  )
}

/**
 * One argument as it is typed. A word that only a variable could have given its text (a space, say) is printed in quotes;
 * a text with both kinds of quotes cannot be typed at all and is printed for people only.
 */
export function printArgument(argument: Argument): string {
  if (argument.kind === 'group') return `(${printChain(argument.chain)})`
  if (argument.kind === 'string') return quote(argument.text)
  const { text, quotedFrom } = argument
  if (quotedFrom !== undefined) return text.slice(0, quotedFrom) + quote(text.slice(quotedFrom))
  return isTypable(text) ? text : quote(text)
}

/** One command, without what is joined to it. */
export function printCall(call: CommandCall): string {
  return [call.name, ...call.args.map(printArgument)].join(' ')
}

function quote(text: string): string {
  return text.includes('"') ? `'${text}'` : `"${text}"`
}

function isTypable(text: string): boolean {
  return text !== '' && !/[\s;&"]|\|\||^['()]|='/.test(text)
}

/** A name, an id, a figure: nothing in it is an operator, a flag, a list, a variable, a slot or a quote. */
const PLAIN_WORD = /^(?:[A-Za-z0-9_][A-Za-z0-9/:_.-]*|[+-]?\d+(?:\.\d+)?%?)$/

/**
 * A text of somebody else as one argument: itself where it is plain, else in quotes, in which nothing is replaced and no flag is read.
 * @returns undefined where no line can hold it: both kinds of quotes, line breaks and what else cannot be printed
 */
export function printText(text: string): string | undefined {
  if (PLAIN_WORD.test(text)) return text
  if (printable(text) !== text || (text.includes('"') && text.includes("'"))) return undefined
  return quote(text)
}

/**
 * A line of this program's own words around texts of others: typedLine`move ${id} to ${price}`. Each text is one argument, whatever is in it.
 * @returns undefined where a text cannot be typed
 */
export function typedLine(words: TemplateStringsArray, ...texts: readonly string[]): string | undefined {
  let line = words[0] ?? ''
  for (const [index, text] of texts.entries()) {
    const printed = printText(text)
    if (printed === undefined) return undefined
    line += printed + (words[index + 1] ?? '')
  }
  return line
}
