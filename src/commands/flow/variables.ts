// `set` and `unset`: text kept under a name and put in place of `@name` in later commands (vars.json). Variables are
// data, so hooks may set them; they never become commands by themselves.

import { priceOnGrid } from '../../exchange/price-grid.ts'
import type { Argument } from '../../language/chain.ts'
import { FOCUS, NO_SYMBOL } from '../../language/focus-taken.ts'
import { LanguageError } from '../../language/language-error.ts'
import { parsePrice } from '../../language/price.ts'
import { printable, shown } from '../../language/printable.ts'
import { findLiveNames, replaceVariables } from '../../language/values.ts'
import { viewSymbol } from '../../trading/market-view.ts'
import { resolvePrice } from '../../trading/pricing.ts'
import type { CommandContext, CommandForm, SingleCommand } from '../kit/command.ts'
import { hasLiveNames, joinLiveText, joinText } from '../kit/live-values.ts'
import { missing, readText } from '../kit/read-arguments.ts'
import { renderTable } from '../kit/table.ts'
import { maxRowsOf, mayShowSecrets } from '../kit/where.ts'

/**
 * Puts variables in place of `@name` in the words that the form reads as values.
 * @param lookup is asked only for names that occur
 * @throws {LanguageError} `unknown-variable`
 */
export function bindVariables(
  form: CommandForm,
  args: readonly Argument[],
  lookup: (name: string) => string | undefined,
): readonly Argument[] {
  if (form.keepsVariablesIn === 'all') return args
  if (!args.some((argument) => argument.kind === 'word' && argument.text.includes('@'))) return args
  if (form.keepsVariablesIn === undefined) return replaceVariables(args, lookup)
  return [...args.slice(0, 1), ...replaceVariables(args.slice(1), lookup)]
}

export const set: SingleCommand<'variables'> = {
  name: 'set',
  group: 'flow',
  usage: '\n@<name> <value>',
  summary: 'keep a value under a name; without arguments, list what is kept',
  where: 'anywhere',
  rows: 'bare',
  keepsVariablesIn: 'first',
  examples: [
    { line: 'set @size $250', says: '`buy @size` now means `buy $250`' },
    { line: 'set @floor $last -1%', says: 'a price, worked out now: one percent under last' },
    { line: 'set', says: 'lists all variables' },
  ],
  complete: ({ words, variables }) => (words.length === 0 ? variables.map((name) => `@${name}`) : []),
  symbolUse: (args) => (hasLiveNames(args) ? FOCUS : NO_SYMBOL),
  run(context, args) {
    const [first, ...value] = args
    if (first === undefined) return listVariables(context)
    const name = readName(first)
    if (value.length === 0) throw missing(args, 'the value')
    return keep(context, name, value)
  },
}

export const unset: SingleCommand<'variables'> = {
  name: 'unset',
  group: 'flow',
  usage: '@<name>…',
  summary: 'forget variables',
  where: 'anywhere',
  keepsVariablesIn: 'all',
  examples: [{ line: 'unset @size', says: '`@size` is no longer known' }],
  complete: ({ variables }) => variables.map((name) => `@${name}`),
  async run(context, args) {
    if (args.length === 0) throw missing(args, 'the variable')
    const names = args.map(readName)
    for (const [index, name] of names.entries()) {
      const removed = await context.ports.variables.remove(name)
      if (!removed) throw unknownVariable(name, args[index]?.column ?? 1)
      if (isAudited(context)) await context.audit('variable remove', { name })
      context.out.success(`@${name} is gone`)
    }
  },
}

/** A hook may set one with every fire; what its body sets is known since it was made, and each run is in the journal of runs. */
function isAudited({ source }: CommandContext): boolean {
  return source !== 'hook'
}

function listVariables(context: CommandContext<'variables'>): void {
  const variables = context.ports.variables.read()
  const rows = Object.entries(variables).sort(([a], [b]) => (a < b ? -1 : 1))
  const data = { type: 'variables', variables } as const
  if (rows.length === 0) return context.out.info('no variables; `set @name value` makes one', data)
  const cells = rows.map(([name, value]) => [`@${name}`, printable(value, 200)])
  context.out.print(renderTable([{ title: '' }, { title: '' }], cells), data)
}

function readName(argument: Argument): string {
  const name = /^@([A-Za-z_][A-Za-z0-9_]*)$/.exec(readText(argument))?.[1]
  if (name !== undefined) return name
  throw new LanguageError(
    'bad-argument',
    `${shown(readText(argument))} is not a variable name`,
    argument.column,
    'use letters, digits and _ after an @: `@size`',
  )
}

async function keep(context: CommandContext<'variables'>, name: string, value: readonly Argument[]): Promise<void> {
  const text = await evaluate(context, value)
  const before = context.ports.variables.read()[name]
  await context.ports.variables.set(name, text, maxRowsOf('variables', context.source))
  if (isAudited(context)) await context.audit('variable set', { name, text })
  // The operator's aliases and hooks may buy by it: this line is shown there, with the name of the page or hook (behaviour 34).
  const isNews = before !== undefined && before !== text && !mayShowSecrets(context.source)
  context.out.success(`@${name} = ${printable(text, 200)}${isNews ? `, was ${printable(before, 200)}` : ''}`)
}

/** A price that starts at a live anchor is worked out; any other text is kept, with live values filled in. */
async function evaluate(context: CommandContext, value: readonly Argument[]): Promise<string> {
  if (!hasLiveNames(value)) return joinText(value)
  const words = value.filter((argument) => argument.kind === 'word')
  const [anchor] = words
  const isPrice = words.length === value.length && anchor !== undefined && isAnchored(anchor.text)
  if (!isPrice) return joinLiveText(context, value)
  const { price, next } = parsePrice(words, 0)
  if (next < words.length) return joinLiveText(context, value)
  const view = await viewSymbol((await context.account()).venue, context.symbol)
  return priceOnGrid(resolvePrice(price, view), view.market, 'nearest')
}

function isAnchored(text: string): boolean {
  const [name] = findLiveNames(text)
  return name !== undefined && name !== 'pnl' && text.startsWith(`$${name}`)
}

function unknownVariable(name: string, column: number): LanguageError {
  return new LanguageError('unknown-variable', `there is no variable @${name}`, column, '`set` lists them')
}
