// `set` and `unset`: text kept under a name and put in place of `@name` in later commands (vars.json). Variables are
// data, so hooks and pages may set them; they never become commands by themselves. A hook and a page have names of their own, which only their
// own lines mean, and read the operator's beside them.

import { priceOnGrid } from '../../exchange/price-grid.ts'
import type { Argument } from '../../language/chain.ts'
import { findLiveNames, replaceVariables, requireKnownNames } from '../../language/expansion.ts'
import { FOCUS, NO_SYMBOL } from '../../language/focus-taken.ts'
import { hintForSetting } from '../../language/foreign-syntax-hints.ts'
import { LanguageError } from '../../language/language-error.ts'
import { parsePrice } from '../../language/price.ts'
import { printArgument } from '../../language/print.ts'
import { printable, shown } from '../../language/printable.ts'
import type { Source } from '../../runs/run.ts'
import { type NameOwner, ownedName, readOwned, type TextMapStore } from '../../stores/rows.ts'
import { viewSymbol } from '../../trading/market-view.ts'
import { resolvePrice } from '../../trading/pricing.ts'
import { type CommandContext, type CommandForm, maxRowsOf, type SingleCommand } from '../kit/command.ts'
import { renderTable } from '../kit/lines.ts'
import { hasLiveNames, joinLiveText, joinText, missing, readText } from '../kit/read-arguments.ts'

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

interface Speaker {
  readonly source: Source
  readonly by: CommandContext['by']
}

function ownerOf({ source, by }: Speaker): NameOwner {
  if (source === 'hook') return `hook:${by.hookId ?? by.origin ?? ''}`
  return source === 'web' ? `page:${by.clientId ?? ''}` : undefined
}

/** What a name means in a line of the speaker. */
export function variableOf(variables: Pick<TextMapStore, 'read'>, speaker: Speaker, name: string): string | undefined {
  const known = variables.read()
  return known[ownedName(ownerOf(speaker), name)] ?? known[name]
}

/** A size that uses them is computed where it is used. */
const OF_SIZES = ['equity', 'balance'] as const

export const set: SingleCommand<'variables'> = {
  name: 'set',
  group: 'flow',
  usage: '\n@<name> <value>',
  summary: 'store a value under a name; without arguments, list them',
  where: 'anywhere',
  rows: 'bare',
  keepsVariablesIn: 'first',
  examples: [
    { line: 'set @size $250', meaning: '`buy @size` now means `buy $250`' },
    { line: 'set @floor $last -1%', meaning: 'a price, computed now: one percent below last' },
    { line: 'set', meaning: 'lists all variables' },
  ],
  complete: ({ words, variables }) => (words.length === 0 ? variables.map((name) => `@${name}`) : []),
  symbolUse: (args) => (hasLiveNames(args) ? FOCUS : NO_SYMBOL),
  run(context, args) {
    const [first, ...value] = args
    if (first === undefined) return listVariables(context)
    const name = readName(first, args)
    if (value.length === 0) throw missing(args, 'the value')
    // A hook that was registered before such names were refused fires as before.
    if (context.source !== 'hook') requireKnownNames(value, OF_SIZES)
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
  examples: [{ line: 'unset @size', meaning: '`@size` is no longer known' }],
  complete: ({ variables }) => variables.map((name) => `@${name}`),
  async run(context, args) {
    if (args.length === 0) throw missing(args, 'the variable')
    const names = args.map((argument) => readName(argument))
    for (const [index, name] of names.entries()) {
      const owners = await forget(context, name)
      if (owners.length === 0) throw unknownVariable(context, name, args[index]?.column ?? 1)
      for (const owner of owners) {
        if (isAudited(context)) await context.audit('variable remove', { name, ...(owner && { owner }) })
        context.out.success(`removed @${name}${ofOwner(owner)}`)
      }
    }
  },
}

/**
 * The speaker's own. The terminal's line means, where the operator has none of that name, those of hooks and pages.
 * @returns whose they were
 */
async function forget(context: CommandContext<'variables'>, name: string): Promise<readonly NameOwner[]> {
  const { variables } = context.ports
  const own = ownerOf(context)
  if (await variables.remove(ownedName(own, name))) return [own]
  if (own !== undefined) return []
  const others = Object.keys(variables.read()).filter((key) => readOwned(key).name === name)
  for (const key of others) await variables.remove(key)
  return others.map((key) => readOwned(key).owner)
}

/** A hook may set its own with every fire; what its body sets is known since it was made, and each run is in the journal of runs. */
function isAudited({ source }: CommandContext): boolean {
  return source !== 'hook'
}

/** The operator sees all of them; a hook and a page see their own and the operator's. */
function listVariables(context: CommandContext<'variables'>): void {
  const own = ownerOf(context)
  const all = Object.entries(context.ports.variables.read()).map(([key, value]) => ({ ...readOwned(key), value }))
  const seen = all.filter(({ owner }) => own === undefined || owner === undefined || owner === own)
  const rows = seen.toSorted((a, b) => compare(a.name, b.name) || compare(a.owner ?? '', b.owner ?? ''))
  const variables = Object.fromEntries(
    rows.filter(({ owner }) => owner === undefined).map(({ name, value }) => [name, value]),
  )
  const owned = rows.flatMap(({ owner, name, value }) => (owner === undefined ? [] : [{ owner, name, value }]))
  const data = { type: 'variables', variables, ...(owned.length > 0 && { owned }) } as const
  if (rows.length === 0) return context.out.info('no variables; `set @name value` makes one', data)
  const isAnyOwned = owned.length > 0
  const cells = rows.map(({ owner, name, value }) => [
    `@${name}`,
    printable(value, 200),
    ...(isAnyOwned ? [ofOwner(owner).trim()] : []),
  ])
  context.out.print(
    renderTable(
      (cells[0] ?? []).map(() => ({ title: '' })),
      cells,
    ),
    data,
  )
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/** ` of hook 0123abcd`; nothing for the operator's. */
function ofOwner(owner: NameOwner): string {
  if (owner === undefined) return ''
  const [kind = '', ...id] = owner.split(':')
  return ` of ${kind} ${printable(id.join(':').slice(0, 8), 8)}`
}

/** @param args of the whole line, for its hint */
function readName(argument: Argument, args: readonly Argument[] = []): string {
  const name = /^@([A-Za-z_][A-Za-z0-9_]*)$/.exec(readText(argument))?.[1]
  if (name !== undefined) return name
  const text = readText(argument)
  const hint = hintForSetting(args.map(printArgument)) ?? 'use letters, digits and _ after an @: `@size`'
  throw new LanguageError('bad-argument', `${shown(text)} is not a variable name`, argument.column, hint)
}

async function keep(context: CommandContext<'variables'>, name: string, value: readonly Argument[]): Promise<void> {
  const text = await evaluate(context, value)
  const { variables } = context.ports
  const owner = ownerOf(context)
  await variables.set(ownedName(owner, name), text, maxRowsOf('variables', context.source))
  if (isAudited(context)) await context.audit('variable set', { name, text, ...(owner && { owner }) })
  const operators = owner === undefined ? undefined : variables.read()[name]
  const beside = operators === undefined ? '' : `, for its own lines; the operator's is ${printable(operators, 200)}`
  context.out.success(`@${name} = ${printable(text, 200)}${beside}`)
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

function unknownVariable(context: CommandContext<'variables'>, name: string, column: number): LanguageError {
  const isOperators = context.ports.variables.read()[name] !== undefined
  const what = isOperators ? `@${name} is the operator's` : `no variable @${name} found`
  return new LanguageError(
    'unknown-variable',
    what,
    column,
    isOperators ? 'unset it in the terminal' : '`set` lists them',
  )
}
