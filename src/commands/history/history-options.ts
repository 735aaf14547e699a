// The arguments that all of `fills`, `trades`, `pnl` and `orders --all` take: symbols, a time span, how many, and the form.
import { defined } from '../../base/defined.ts'
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { parseSymbols } from '../../language/names.ts'
import { printable, shown } from '../../language/printable.ts'
import { parseMoment } from '../../language/time.ts'
import { showMoment } from '../../trading/figures.ts'
import { type AccountHistory, askAccount, type Range } from '../../trading/history/account-history.ts'
import type { Execution, Gap } from '../../trading/history/executions.ts'
import { type JournalHistory, NO_HISTORY } from '../../trading/history/journal-history.ts'
import { Notes } from '../../trading/history/notes.ts'
import { findMarkets } from '../../trading/market-view.ts'
import type { CommandContext } from '../kit/command.ts'
import { describeRefusal, isRefusal } from '../kit/errors.ts'
import { readInteger, readText, refuseMoreThan, takeFlag, takeOption, takeTags } from '../kit/read-arguments.ts'

export interface HistoryOptions {
  /** As typed; empty: all. */
  readonly symbols: readonly string[]
  readonly range: Range
  /** The newest so many. */
  readonly limit: number
  readonly form: 'table' | 'csv' | 'json'
  /** Only what has one of them; empty: all. In lower case, without the `#`. */
  readonly tags: readonly string[]
  /** Of a paper account as it was before its last reset. */
  readonly isBeforeReset: boolean
}

const HISTORY_USAGE =
  '[SYMBOL,…] [--today | --since <time>] [--until <time>] [--limit <n>] [--before-reset] [--csv | --json]'
/** Of the lists whose rows have tags. */
export const TAGGED_USAGE = HISTORY_USAGE.replace('[SYMBOL,…]', '[SYMBOL,…] [#tag…]')
export const HISTORY_WORDS = ['--today', '--since', '--until', '--limit', '--before-reset', '--csv', '--json']
const DEFAULT_LIMIT = 50
const MAX_LIMIT = 100_000

/** @param now ms since the epoch @throws {LanguageError} */
export function readHistoryOptions(args: readonly Argument[], now: number): HistoryOptions {
  const [since, withoutSince] = takeSince(args, now)
  const [until, withoutUntil] = takeMoment(withoutSince, '--until', now)
  const { rest: withoutLimit, value: limit } = takeOption(withoutUntil, '--limit', 'how many')
  const { rest: withoutCsv, given: isCsv } = takeFlag(withoutLimit, '--csv')
  const { rest: withoutJson, given: isJson } = takeFlag(withoutCsv, '--json')
  const { rest: withTags, given: isBeforeReset } = takeFlag(withoutJson, '--before-reset')
  const { rest, tags } = takeTags(withTags)
  refuseOptions(rest)
  refuseMoreThan(1, rest)
  refuseBareSpan(rest[0], now)
  const column = columnOf(args, '--until')
  if (since !== undefined && until !== undefined && until <= since) {
    throw new LanguageError('bad-argument', '--until is not after --since', column, 'give an earlier --since')
  }
  if (isCsv && isJson)
    throw new LanguageError('bad-argument', '`--csv` and `--json` exclude each other', columnOf(args, '--json'))
  const [first] = rest
  return {
    symbols: first === undefined ? [] : parseSymbols(readText(first), first.column),
    range: defined({ since, until }),
    limit: limit === undefined ? DEFAULT_LIMIT : readLimit(limit, columnOf(args, '--limit')),
    form: isCsv ? 'csv' : isJson ? 'json' : 'table',
    tags,
    isBeforeReset,
  }
}

/** Of rows: whether one has a tag that was asked for. */
export function hasTag({
  tags: wanted,
}: Pick<HistoryOptions, 'tags'>): (row: { readonly tags?: readonly string[] }) => boolean {
  return ({ tags = [] }) => wanted.length === 0 || tags.some((tag) => wanted.includes(tag))
}

/** Of lists whose rows have no tags. @throws {LanguageError} `unexpected-argument` */
export function refuseTags(args: readonly Argument[]): void {
  const tag = args.find((argument) => argument.kind === 'word' && argument.text.startsWith('#'))
  if (tag?.kind !== 'word') return
  const hint = `leave it out: \`trades ${printable(tag.text, 40)}\` and \`session ${printable(tag.text, 40)}\` take tags`
  throw new LanguageError('unexpected-argument', `unexpected tag ${shown(tag.text)}`, tag.column, hint)
}

/** `trades today`, `trades 5`: a span or a count in the place of a symbol. */
function refuseBareSpan(argument: Argument | undefined, now: number): void {
  const text = argument?.kind === 'word' ? argument.text.toLowerCase() : ''
  if (argument !== undefined && /^\d{1,4}$/.test(text)) {
    const hint = `type \`--since ${text}d\` for days; a list takes \`--limit ${text}\``
    throw new LanguageError('bad-argument', `${shown(text)} is a number, not a symbol`, argument.column, hint)
  }
  const yesterday = new Date(now - DAY_MS).toISOString().slice(0, 10)
  const since = /^\d{1,4}[hdw]$/.test(text)
    ? text
    : text === 'yesterday'
      ? `${yesterday} --until 00:00`
      : SPANS.get(text)
  if (argument === undefined || since === undefined) return
  const hint = `type \`--since ${since}\``
  throw new LanguageError('bad-argument', `${shown(text)} is a time, not a symbol`, argument.column, hint)
}

const SPANS: ReadonlyMap<string, string> = new Map([
  ['today', '00:00'],
  ['week', '7d'],
  ['month', '30d'],
])

function takeMoment(
  args: readonly Argument[],
  option: string,
  now: number,
): readonly [number | undefined, readonly Argument[]] {
  const { rest, value } = takeOption(args, option, 'the time')
  return [value === undefined ? undefined : parseMoment(value, columnOf(args, option), now), rest]
}

/** `--today` is since 00:00 UTC. */
function takeSince(args: readonly Argument[], now: number): readonly [number | undefined, readonly Argument[]] {
  const { rest, given } = takeFlag(args, '--today')
  const [since, others] = takeMoment(rest, '--since', now)
  if (!given) return [since, others]
  if (since === undefined) return [startOfDay(now), others]
  const flag = args.find((argument) => argument.kind === 'word' && argument.text === '--today')
  throw new LanguageError('bad-argument', '`--today` and `--since` exclude each other', flag?.column ?? 1, 'keep one')
}

const DAY_MS = 86_400_000

/** In UTC. */
export function startOfDay(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS
}

function readLimit(text: string, column: number): number {
  return readInteger({ kind: 'word', text, column }, 1, MAX_LIMIT)
}

/** Where the value of an option begins, or the option itself. */
function columnOf(args: readonly Argument[], option: string): number {
  const at = args.findIndex((argument) => argument.kind === 'word' && argument.text.startsWith(option))
  const found = args[at]
  if (found?.kind === 'word' && found.text !== option) return found.column + option.length + 1
  return (args[at + 1] ?? found)?.column ?? 1
}

function refuseOptions(args: readonly Argument[]): void {
  const option = args.find((argument) => argument.kind === 'word' && argument.text.startsWith('--'))
  if (option?.kind !== 'word') return
  const since = SPANS.get(option.text.slice(2).toLowerCase())
  const hint =
    since !== undefined
      ? `type \`--since ${since}\``
      : option.text === '--by'
        ? '`pnl --by symbol` groups; `session` sums by hook, symbol and tag'
        : `use ${HISTORY_WORDS.join(', ')}`
  throw new LanguageError('unexpected-argument', `unknown option ${shown(option.text)}`, option.column, hint)
}

/** Options that other commands of the history take, and this one does not. @throws {LanguageError} `unexpected-argument` */
export function refuseNamed(args: readonly Argument[], options: readonly string[], words: readonly string[]): void {
  for (const argument of args) {
    if (argument.kind !== 'word') continue
    const option = options.find((each) => argument.text === each || argument.text.startsWith(`${each}=`))
    if (option === undefined) continue
    throw new LanguageError('unexpected-argument', `unexpected ${option}`, argument.column, `use ${words.join(', ')}`)
  }
}

// The history of the account a run trades on, as it is or as it was before its last reset.

export type HistoryNeed = 'orderHistory' | 'accounts' | 'notes'

interface NotedHistory extends AccountHistory {
  readonly journal: JournalHistory
  readonly notes: Notes
  /** As the venue names them; empty: all. */
  readonly symbols: readonly string[]
}

/** @throws {TradingError} `unknown-symbol` @throws {ExchangeError} */
export async function askHistory(
  context: CommandContext<HistoryNeed>,
  options: HistoryOptions,
  withFunding = false,
): Promise<NotedHistory> {
  const { symbols: typed, range } = options
  const { venue } = await context.account()
  const symbols = await findMarkets(venue, typed)
  const journal = await journalOf(context, context.accountName, options)
  const asked = { ...range, withFunding, ...(symbols.length === 0 ? {} : { symbols }) }
  const [history, notes] = await Promise.all([askAccount(venue, journal, asked), notesOf(context, journal)])
  return { ...history, journal, notes, symbols }
}

/** Of lists that add fees up. @param executions those that are counted */
export function unknownFees(executions: readonly Execution[]): readonly Gap[] {
  const fills = executions.filter(({ trade }) => trade.fee === undefined).length
  return fills === 0 ? [] : [{ kind: 'fees-unknown', fills }]
}

/** Without any where the file cannot be read, and then says so. */
export async function notesOf(
  { ports, out, accountName }: CommandContext<HistoryNeed>,
  { resetAt = 0, endsAt }: JournalHistory,
): Promise<Notes> {
  const since = Math.max(ports.accounts.find(accountName)?.createdAt ?? 0, resetAt)
  const range = { since, ...defined({ until: endsAt }) }
  try {
    return new Notes(await ports.notes.read(accountName), range)
  } catch (error) {
    if (!isRefusal(error)) throw error
    out.warn(`notes are not shown: ${describeRefusal(error)}`)
    return new Notes([], range)
  }
}

/** Says which of the two is shown, where there are two. */
export async function journalOf(
  { ports, out }: CommandContext<'orderHistory'>,
  account: string,
  { isBeforeReset, form }: Pick<HistoryOptions, 'isBeforeReset' | 'form'>,
): Promise<JournalHistory> {
  const journal = await ports.orderHistory(account)
  const { resetAt, before = NO_HISTORY } = journal
  if (form === 'table' && resetAt !== undefined && before.orders.length > 0) {
    const when = `the reset of account ${printable(account, 40)} at ${showMoment(resetAt)}`
    out.info(isBeforeReset ? `before ${when}` : `since ${when}; \`--before-reset\` shows what was before it`)
  }
  return isBeforeReset ? before : journal
}
