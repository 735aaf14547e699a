// Reading the plain arguments of commands that need no grammar of their own.

import { Decimal } from 'decimal.js'
import type { VenueView } from '../../exchange/exchange.ts'
import type { Position } from '../../exchange/order.ts'
import { stepAt } from '../../exchange/price-grid.ts'
import type { Argument } from '../../language/chain.ts'
import { findLiveNames, type LiveName, replaceLive } from '../../language/expansion.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printArgument } from '../../language/print.ts'
import { shown } from '../../language/printable.ts'
import { printSize, type Size } from '../../language/size.ts'
import { isTag, MAX_TAGS } from '../../stores/notes.ts'
import { noPosition } from '../../trading/trading-error.ts'
import type { CommandContext, CommandForm } from './command.ts'
import type { PortName } from './ports.ts'

/** The text of a word or string. @throws {LanguageError} `bad-argument` for a group */
export function readText(argument: Argument): string {
  if (argument.kind === 'group') {
    throw new LanguageError('bad-argument', 'commands in parentheses are not allowed here', argument.column)
  }
  return argument.text
}

/** The text of argument `index`. @throws {LanguageError} `missing-argument` */
export function requireText(args: readonly Argument[], index: number, what: string): string {
  const argument = args[index]
  if (argument === undefined) throw missing(args, what)
  return readText(argument)
}

/**
 * @param hint default: to leave it out
 * @throws {LanguageError} `unexpected-argument` at the first argument after `count`
 */
export function refuseMoreThan(count: number, args: readonly Argument[], hint?: string): void {
  const extra = args[count]
  if (extra === undefined) return
  const message = `unexpected argument ${shown(printArgument(extra))}`
  const isTable = args.some((argument) => argument.kind === 'word' && /^[|│┃]$/u.test(argument.text))
  const otherwise = isTable ? 'type one command; hookline does not read pasted tables' : 'leave it out'
  throw new LanguageError('unexpected-argument', message, extra.column, hint ?? otherwise)
}

/**
 * Takes `--account <name>` or `--account=<name>` out of the arguments, wherever it is.
 * @param what how people call the value: `the account's name`
 * @throws {LanguageError} `missing-argument`
 */
export function takeOption(
  args: readonly Argument[],
  option: string,
  what: string,
): { readonly rest: readonly Argument[]; readonly value: string | undefined } {
  const at = args.findIndex(
    (argument) => argument.kind === 'word' && (argument.text === option || argument.text.startsWith(`${option}=`)),
  )
  const found = args[at]
  if (found === undefined || found.kind !== 'word') return { rest: args, value: undefined }
  const isGlued = found.text !== option
  const value = isGlued ? found.text.slice(option.length + 1) : requireText(args, at + 1, what)
  if (value === '') throw new LanguageError('missing-argument', `${what} is missing`, found.column)
  return { rest: args.filter((_, index) => index !== at && (isGlued || index !== at + 1)), value }
}

/** Takes `--failed` out of the arguments, wherever it is. */
export function takeFlag(
  args: readonly Argument[],
  flag: string,
): { readonly rest: readonly Argument[]; readonly given: boolean } {
  const rest = args.filter((argument) => argument.kind !== 'word' || argument.text !== flag)
  return { rest, given: rest.length < args.length }
}

/**
 * Takes every unquoted word that begins with `#` out of the arguments, as tags, in lower case.
 * @throws {LanguageError} `bad-tag`
 */
export function takeTags(args: readonly Argument[]): {
  readonly rest: readonly Argument[]
  /** Without the `#`, each once. */
  readonly tags: readonly string[]
} {
  const words = args.filter((argument) => argument.kind === 'word' && argument.text.startsWith('#'))
  if (words.length === 0) return { rest: args, tags: [] }
  const tags = new Set(words.map(readTag))
  const last = words.at(-1)
  if (tags.size > MAX_TAGS) {
    throw new LanguageError('bad-tag', `an order has at most ${MAX_TAGS} tags`, last?.column ?? 1, 'leave some out')
  }
  return { rest: args.filter((argument) => !words.includes(argument)), tags: [...tags] }
}

function readTag(argument: Argument): string {
  const text = readText(argument)
  const tag = text.slice(1).toLowerCase()
  if (isTag(tag)) return tag
  const hint = 'type letters, digits and hyphens, at most 32, as in #breakout'
  throw new LanguageError('bad-tag', `invalid tag ${shown(text)}`, argument.column, hint)
}

/** A size that nobody types. */
const PROBE = '77777.77'

interface Resized {
  readonly size: Size
  /** Named in place of the focus, and of a list that has others too. */
  readonly symbol: string
  readonly form: Pick<CommandForm<PortName>, 'check' | 'symbolUse'>
}

/** The same arguments with another size. @returns undefined where none of them is the size */
export function withSize(args: readonly Argument[], { size, symbol, form }: Resized): readonly Argument[] | undefined {
  const at = args.findIndex((_, index) => readsSize(replaced(args, index, `$${PROBE}`), form))
  if (at === -1) return undefined
  const sized = replaced(args, at, printSize(size))
  const use = form.symbolUse?.(sized)
  if (use?.kind === 'focus') return sized.toSpliced(at + 1, 0, { kind: 'word', text: symbol, column: 1 })
  if (use?.kind !== 'named' || use.symbols.length === 1) return sized
  const list = use.symbols.join(',')
  return sized.map((word) =>
    word.kind === 'word' && word.text.toUpperCase() === list ? { ...word, text: symbol } : word,
  )
}

/** `risk 1%` is two words. */
function replaced(args: readonly Argument[], at: number, text: string): readonly Argument[] {
  const word = args[at]
  if (word?.kind !== 'word') return args
  const length = word.text.toLowerCase() === 'risk' ? 2 : 1
  return args.toSpliced(at, length, { kind: 'word', text, column: word.column })
}

/** A number may be a price, a share or a skew too: what it is only the command's own grammar says. */
function readsSize(args: readonly Argument[], form: Resized['form']): boolean {
  try {
    const intent = form.check?.(args)
    if (typeof intent !== 'object' || intent === null || !('size' in intent)) return false
    const { size } = intent
    return typeof size === 'object' && size !== null && 'amount' in size && size.amount === PROBE
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    return false
  }
}

/** A whole number between `min` and `max`. @throws {LanguageError} `bad-argument` */
export function readInteger(argument: Argument, min: number, max: number): number {
  const text = readText(argument)
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new LanguageError('bad-argument', `${shown(text)} is not a whole number from ${min} to ${max}`, argument.column)
}

/** An error for a missing argument: its column is the end of what was typed. */
export function missing(args: readonly Argument[], what: string): LanguageError {
  const last = args.at(-1)
  const column = last === undefined ? 1 : last.column + printArgument(last).length
  return new LanguageError('missing-argument', `${what} is missing`, column)
}

/** An argument as text: a string without its quotes, a group as it is typed. */
export function showText(argument: Argument): string {
  return argument.kind === 'group' ? printArgument(argument) : argument.text
}

/** An error inside a quoted body, with the column moved to its place in the line that holds the body. */
export function insideArgument(error: LanguageError, body: Argument): LanguageError {
  const start = body.kind === 'string' ? body.column + 1 : body.column
  return new LanguageError(error.code, error.message, start + error.column - 1, error.hint)
}

// `$last`, `$bid`, `$ask`, `$entry` and `$pnl` in text, for the run's symbol. Words only: a string says what it says.

/** Whether any word holds a live value. Without one, text needs no exchange and no waiting. */
export function hasLiveNames(args: readonly Argument[]): boolean {
  return args.some((argument) => argument.kind === 'word' && findLiveNames(argument.text).length > 0)
}

/** Arguments as text, joined by single spaces. */
export function joinText(args: readonly Argument[]): string {
  return args.length === 1 && args[0] !== undefined ? showText(args[0]) : args.map(showText).join(' ')
}

/** As `joinText`, with live values of the run's symbol read from the exchange. @throws {ExchangeError} {CommandError} `no-position` */
export async function joinLiveText(context: CommandContext, args: readonly Argument[]): Promise<string> {
  const names = new Set(args.flatMap((argument) => (argument.kind === 'word' ? findLiveNames(argument.text) : [])))
  const values = await readLiveValues(context, names)
  const texts = args.map((argument) =>
    argument.kind === 'word' ? replaceLive(argument.text, values) : showText(argument),
  )
  return texts.join(' ')
}

/** What was paid on average, with two digits more than prices of the market have. */
async function entryOf({ symbol, entryPrice }: Position, venue: VenueView): Promise<string> {
  const market = (await venue.loadMarkets()).find((each) => each.symbol === symbol)
  if (market === undefined) return entryPrice
  return new Decimal(entryPrice).toDecimalPlaces(stepAt(entryPrice, market.priceGrid).decimalPlaces() + 2).toFixed()
}

async function readLiveValues(
  context: CommandContext,
  names: ReadonlySet<LiveName>,
): Promise<Readonly<Record<string, string>>> {
  const { venue } = await context.account()
  const values: Record<string, string> = {}
  if (names.has('last') || names.has('bid') || names.has('ask')) {
    const { last, bid, ask } = await venue.fetchTicker(context.symbol)
    Object.assign(values, { last, bid, ask })
  }
  if (names.has('entry') || names.has('pnl')) {
    const position = (await venue.fetchPositions()).find((row) => row.symbol === context.symbol)
    if (position === undefined && names.has('entry')) throw noPosition(context.symbol)
    values.pnl = position?.unrealizedPnl ?? '0'
    if (position !== undefined) values.entry = await entryOf(position, venue)
  }
  return values
}
