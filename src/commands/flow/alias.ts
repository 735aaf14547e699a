// `alias` and `unalias`: chains under short names (aliases.json). A hook or a web page cannot define one: it would
// change what the operator's own words mean.
import type { Argument } from '../../language/chain.ts'
import { expandAlias } from '../../language/expansion.ts'
import { type FocusQuestion, refuseFocusTaken } from '../../language/focus-taken.ts'
import { LanguageError } from '../../language/language-error.ts'
import { parseChain } from '../../language/parse.ts'
import { printable, shown } from '../../language/printable.ts'
import { type CommandContext, requireMayRun, type SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { renderTable } from '../kit/lines.ts'
import { insideArgument, missing, readText, refuseMoreThan } from '../kit/read-arguments.ts'
import type { CommandLookup } from '../kit/resolve.ts'

const NAME = /^[a-z][a-z0-9_-]{0,31}$/

export function aliasCommand(lookup: CommandLookup): SingleCommand<'aliases' | 'variables'> {
  return {
    name: 'alias',
    aliases: ['aliases'],
    group: 'flow',
    usage: '\n<name> "<commands>"\n--remove <name>',
    summary: 'give commands a short name; without arguments, list the names',
    where: 'anywhere',
    rows: 'bare',
    examples: [
      { line: 'alias z "cancel; close"', meaning: '`z` now cancels and closes on the symbol in focus' },
      {
        line: 'alias dip "buy $250 stop -2%"',
        meaning: '`dip ETHUSDT` buys ETHUSDT: what follows goes to the last command',
      },
      { line: 'alias --remove z', meaning: 'forgets it, as `unalias z` does' },
    ],
    complete: ({ words, aliases }) => (words.length === 0 ? ['--remove', ...aliases] : aliases),
    run(context, args) {
      const [first, ...rest] = args
      if (first === undefined) return listAliases(context)
      requireMayRun('alias <name>', 'trusted', context.source)
      return readText(first) === '--remove' ? removeAlias(context, rest) : define(context, lookup, args)
    },
  }
}

export const unalias: SingleCommand<'aliases'> = {
  name: 'unalias',
  group: 'flow',
  usage: '<name>',
  summary: 'forget an alias',
  where: 'trusted',
  examples: [{ line: 'unalias z', meaning: '`z` is no longer known' }],
  complete: ({ aliases }) => aliases,
  run: (context, args) => removeAlias(context, args),
}

function listAliases(context: CommandContext<'aliases'>): void {
  const aliases = context.ports.aliases.read()
  const rows = Object.entries(aliases).sort(([a], [b]) => (a < b ? -1 : 1))
  const data = { type: 'aliases', aliases } as const
  if (rows.length === 0) return context.out.info('no aliases; `alias <name> "<commands>"` makes one', data)
  const cells = rows.map(([name, text]) => [printable(name, 40), printable(text, 200)])
  context.out.print(renderTable([{ title: '' }, { title: '' }], cells), data)
}

async function define(
  context: CommandContext<'aliases' | 'variables'>,
  lookup: CommandLookup,
  args: readonly Argument[],
): Promise<void> {
  const [first, body] = args
  if (first === undefined || body === undefined) throw missing(args, 'the commands, in quotes,')
  refuseMoreThan(2, args)
  const name = readText(first).toLowerCase()
  if (!NAME.test(name)) {
    const hint = 'use a letter, then letters, digits, - or _, at most 32 characters'
    throw new LanguageError('bad-argument', `${shown(name)} cannot name an alias`, first.column, hint)
  }
  if (lookup.find(name) !== undefined) {
    throw new CommandError('name-taken', `\`${name}\` is a command`, { hint: 'choose a name that is not in `help`' })
  }
  const text = readText(body)
  checkReads(text, body)
  const aliases = { ...context.ports.aliases.read(), [name]: text }
  expandAlias({ name, args: [], column: first.column }, aliases)
  checkSymbols(text, body, { table: lookup, aliases, variables: context.ports.variables.read() })
  await context.ports.aliases.set(name, text)
  await context.audit('alias set', { name, text })
  context.out.success(`${name} = ${printable(text, 200)}`)
}

/** The column points into the line as typed. */
function checkReads(text: string, body: Argument): void {
  let isEmpty: boolean
  try {
    isEmpty = parseChain(text).stages.length === 0
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    throw insideArgument(error, body)
  }
  if (isEmpty) throw new LanguageError('missing-command', 'there is no command in it', body.column)
}

function checkSymbols(text: string, body: Argument, question: FocusQuestion): void {
  try {
    refuseFocusTaken(text, parseChain, question)
  } catch (error) {
    throw error instanceof LanguageError ? insideArgument(error, body) : error
  }
}

async function removeAlias(context: CommandContext<'aliases'>, args: readonly Argument[]): Promise<void> {
  const [first] = args
  if (first === undefined) throw missing(args, "the alias's name")
  refuseMoreThan(1, args)
  const name = readText(first).toLowerCase()
  if (!(await context.ports.aliases.remove(name))) {
    throw new CommandError('unknown-alias', `there is no alias ${printable(name, 40)}`, { hint: '`alias` lists them' })
  }
  await context.audit('alias remove', { name })
  context.out.success(`${name} is gone`)
}
