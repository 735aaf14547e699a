// Writes a chain as a line. Parsing that line gives the same chain again, up to columns. A line that is made of texts of others (ids, symbols,
// names, figures) is written by `typedLine` alone.
import type { Argument, Chain, CommandCall, Stage, Step } from './chain.ts'
import { printable } from './printable.ts'

/** One line for a chain: `buy $10 & echo "a; b"; repeat 2 (sleep 1s)`. Empty for an empty chain. */
export function printChain(chain: Chain): string {
  const { key, time } = chain.stamps ?? {}
  const stamps = [key, time].flatMap((stamp) => (stamp === undefined ? [] : [stamp.text]))
  const line = chain.stages.map(printStage).join('; ')
  return stamps.length === 0 ? line : `${line} -- ${stamps.join(' ')}`
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
