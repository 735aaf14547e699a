// Writes a chain as a line. Parsing that line gives the same chain again, up to columns.
import type { Argument, Chain, CommandCall, Stage, Step } from './chain.ts'

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
