// `alias` and `unalias`: chains under short names (aliases.json). A hook or a web page cannot define one: it would
// change what the operator's own words mean.
import type { Argument, Chain, Word } from '../../language/chain.ts'
import { callsIn, expandAlias, placesIn } from '../../language/expansion.ts'
import { type FocusQuestion, refuseFocusTaken } from '../../language/focus-taken.ts'
import { LanguageError } from '../../language/language-error.ts'
import { parseChain } from '../../language/parse.ts'
import { printArgument } from '../../language/print.ts'
import { printable, shown } from '../../language/printable.ts'
import { requireTimeUnit } from '../../language/time.ts'
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
      { line: 'alias lg "buy @1 stop @2"', meaning: '`lg $250 -2%` is `buy $250 stop -2%`: a place for each value' },
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
  if (first === undefined || body === undefined) {
    const error = missing(args, 'the text of the alias')
    const name = first === undefined ? 'dip' : printArgument(first)
    throw new LanguageError(error.code, error.message, error.column, `type \`alias ${name} "buy $250 stop -2%"\``)
  }
  refuseUnquoted(args)
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
  const chain = readBody(text, body)
  const aliases = { ...context.ports.aliases.read(), [name]: text }
  const places = placesIn(chain)
  const gap = places.find((place, index) => place !== index + 1)
  if (gap !== undefined) {
    const hint = 'number the values from @1 on, without a gap'
    throw new LanguageError('bad-argument', `@${gap} is used without @${gap - 1}`, body.column, hint)
  }
  expandAlias({ name, args: places.map(() => SAMPLE), column: first.column }, aliases)
  requireWorks({ name, text, places }, lookup, body)
  checkSymbols(text, body, { table: lookup, aliases, variables: context.ports.variables.read() })
  await context.ports.aliases.set(name, text)
  await context.audit('alias set', { name, text })
  context.out.success(`${name} = ${printable(text, 200)}`)
}

/** `alias lg buy $250 stop -2%`, `alias lg = buy $250`. @throws {LanguageError} `unexpected-argument` with the line in quotes */
function refuseUnquoted(args: readonly Argument[]): void {
  const words = args.map(printArgument)
  const [, name = '', text = ''] = /^(\S+?)(?: ?= ?| )(.*)$/.exec(words.join(' ')) ?? []
  const [, , third] = args
  const isPlain = !/["']/.test(text) && text.length <= MAX_SHOWN_TEXT
  if ((third === undefined && words[0]?.includes('=') !== true) || !NAME.test(name.toLowerCase()) || !isPlain) return
  throw new LanguageError(
    'unexpected-argument',
    'quote the alias text',
    args[1]?.column ?? 1,
    `type \`alias ${name} "${text}"\``,
  )
}

const MAX_SHOWN_TEXT = 100

/** The column points into the line as typed. */
function readBody(text: string, body: Argument): Chain {
  let chain: Chain
  try {
    chain = parseChain(text)
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    throw insideArgument(error, body)
  }
  if (chain.stages.length > 0) return chain
  throw new LanguageError('missing-command', 'it has no command', body.column)
}

const word = (text: string): Word => ({ kind: 'word', text, column: 1 })
const SAMPLE = word('0.01')
/** What a value of an alias may be: a size, an amount, a percentage, an offset, a price, a symbol, a time, a side. */
const SAMPLES = ['$250', '0.01', '50%', '-2%', '+2%', '65000', 'BTCUSDT', '5m', '3', 'buy', 'long', '2R'].map(word)
/** So many combinations are tried. */
const MAX_TRIES = 2_000

interface Definition {
  readonly name: string
  readonly text: string
  readonly places: readonly number[]
}

/**
 * An alias that no value could make work is refused where it is written down, not where it is used in a hurry.
 * @throws {LanguageError} of the first command that cannot be read, at its column in the line as typed
 */
function requireWorks({ name, text, places }: Definition, lookup: CommandLookup, body: Argument): void {
  let refusal: LanguageError | undefined
  for (const values of combinations(places.length)) {
    const chain = expandAlias({ name, args: values, column: 1 }, { [name]: text })
    const refused = chain === undefined ? undefined : refusalIn(chain, lookup)
    if (refused === undefined) return
    refusal ??= refused
  }
  if (refusal === undefined) return
  const { code, message, hint } = refusal
  const why =
    places.length === 0 ? message : `no value of ${places.map((place) => `@${place}`).join(', ')} fits: ${message}`
  // `$1` is a dollar: many aliases of other programs have their values so.
  const isDollar = places.length === 0 && /\$\d(?![\d.,])/.test(text)
  throw new LanguageError(code, isDollar ? `${why}; alias values are @1, @2` : why, body.column, hint)
}

function* combinations(count: number): Generator<readonly Word[]> {
  const all = SAMPLES.length ** count
  for (let index = 0; index < Math.min(all, MAX_TRIES); index += 1) {
    yield Array.from(
      { length: count },
      (_, place) => SAMPLES[Math.floor(index / SAMPLES.length ** place) % SAMPLES.length] ?? SAMPLE,
    )
  }
}

/** Of the last command more may follow. A name that is not known may be that of an alias to come, and a variable may hold anything. */
function refusalIn(chain: Chain, lookup: CommandLookup): LanguageError | undefined {
  const calls = callsIn(chain)
  for (const call of calls) {
    if (call.name.includes('@')) {
      return new LanguageError(
        'bad-argument',
        `${shown(call.name)} is in the place of a command`,
        1,
        'type the command itself',
      )
    }
    if (call.args.some((argument) => argument.kind === 'word' && argument.text.includes('@'))) continue
    try {
      const { form, args } = lookup.resolve(call)
      for (const duration of form.durations?.(args) ?? []) requireTimeUnit(duration)
      form.check?.(args)
    } catch (error) {
      if (error instanceof CommandError) continue
      if (!(error instanceof LanguageError)) throw error
      if (error.code !== 'missing-argument' || call !== calls.at(-1)) return error
    }
  }
  return undefined
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
    throw new CommandError('unknown-alias', `no alias ${printable(name, 40)} found`, { hint: '`alias` lists them' })
  }
  await context.audit('alias remove', { name })
  context.out.success(`removed alias ${name}`)
}
