// `note`: a text and tags for an order, and so for the trade that it is a part of.
import { defined } from '../../base/defined.ts'
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { parseSymbols } from '../../language/names.ts'
import { printable } from '../../language/printable.ts'
import { faultOfNote, MAX_LINES_FOR_PAGES, type NoteLine } from '../../stores/notes.ts'
import { askAccount } from '../../trading/history/account-history.ts'
import type { JournalHistory } from '../../trading/history/journal-history.ts'
import { findMarkets } from '../../trading/market-view.ts'
import { type CommandContext, mayRun, type SingleCommand } from '../kit/command.ts'
import { CommandError, isRefusal } from '../kit/errors.ts'
import { readText, refuseMoreThan, requireText, showText, takeFlag, takeTags } from '../kit/read-arguments.ts'
import { type HistoryNeed, notesOf } from './history-options.ts'
import { NOTE_COLUMN } from './show-list.ts'

export const note: SingleCommand<HistoryNeed> = {
  name: 'note',
  group: 'history',
  usage: '<order> [SYMBOL] ["text"] [#tag …] [--clear]',
  summary: 'notes and tags of an order and its trade, shown by fills, trades, orders --all and session',
  where: 'anywhere',
  showsAccounts: true,
  immediate: true,
  examples: [
    { line: 'note p1 "late entry" #fomo', meaning: 'in place of an earlier note; tags are added' },
    { line: 'note p1', meaning: 'shows the note and the tags' },
    { line: 'note p1 --clear', meaning: 'removes the note and all tags' },
  ],
  details: [
    'the id of a trade is that of the order that opened it (`trades`)',
    '`buy $250 stop -2% #breakout` tags what the line opens; a shell needs quotes around the line',
    'a tag has letters, digits and hyphens, at most 32; a note at most 300 characters',
  ],
  check: readNote,
  async run(context, args) {
    const typed = readNote(args)
    const journal = await context.ports.orderHistory(context.accountName)
    const { symbol, orderId, own } = await findOrder(context, journal, typed)
    const { accountName, out, ports, source, clock } = context
    const { text, tags, isCleared } = typed
    const isTrusted = mayRun('trusted', source)
    if (!isTrusted) requireAddition(typed, (await notesOf(context, journal)).ofOrder(symbol, orderId).note)
    if (text !== undefined || tags.length > 0 || isCleared) {
      const line: NoteLine = {
        at: clock.now(),
        account: accountName,
        symbol,
        orderId,
        source,
        ...defined({ note: text }),
        ...(tags.length === 0 ? {} : { tags }),
        ...(isCleared ? { isCleared } : {}),
      }
      await ports.notes.add(line, ...(isTrusted ? [] : [MAX_LINES_FOR_PAGES]))
    }
    const notes = await notesOf(context, journal)
    const noted = NOTE_COLUMN.show(notes.ofOrder(symbol, orderId, own))
    const name = `order ${printable(orderId, 40)} on ${printable(symbol, 30)}`
    if (noted === '') out.info(`${name}: no note`)
    else out.success(`${name}: ${noted}`)
  },
}

interface TypedNote {
  readonly id: string
  /** Upper-case or not, as typed. */
  readonly symbols: readonly string[]
  /** As typed behind the order. */
  readonly words: readonly Argument[]
  readonly text?: string
  readonly tags: readonly string[]
  readonly isCleared: boolean
}

/** @throws {LanguageError} */
function readNote(args: readonly Argument[]): TypedNote {
  const { rest: untagged, tags } = takeTags(args)
  const { rest, given: isCleared } = takeFlag(untagged, '--clear')
  const id = requireText(rest, 0, "the order's id")
  const [second, third] = rest.slice(1)
  const symbol = second?.kind === 'word' ? second : undefined
  const quoted = symbol === undefined ? second : third
  if (rest.length > 3 && rest.every(({ kind }) => kind === 'word')) throw notQuoted(id, rest.slice(1), tags)
  refuseMoreThan(symbol === undefined ? 2 : 3, rest)
  if (quoted !== undefined && quoted.kind !== 'string') {
    throw notQuoted(id, rest.slice(1), tags)
  }
  const text = quoted?.text
  const fault = text === undefined ? undefined : faultOfNote(text)
  if (fault !== undefined) {
    throw new LanguageError('bad-argument', fault, quoted?.column ?? 1, 'type a shorter text on one line')
  }
  return {
    id,
    symbols: symbol === undefined ? [] : parseSymbols(readText(symbol), symbol.column),
    words: rest.slice(1),
    tags,
    isCleared,
    ...defined({ text }),
  }
}

/** In capitals, as a market is called. */
const SYMBOL_LIKE = /^[A-Z0-9]{5,}(?:[/:_-][A-Z0-9]+)*$/

function notQuoted(id: string, words: readonly Argument[], tags: readonly string[]): LanguageError {
  const texts = words.map(showText)
  const [first = '', ...others] = texts
  const symbol = others.length > 0 && SYMBOL_LIKE.test(first) ? [first] : []
  const text = printable(texts.slice(symbol.length).join(' '), 100)
  const line = ['note', id, ...symbol, `"${text}"`, ...tags.map((tag) => `#${tag}`)].join(' ')
  return new LanguageError('bad-argument', 'a note goes in quotes', words[0]?.column ?? 1, `type \`${line}\``)
}

/** What a person has noted, a page or hook does not take away. @throws {CommandError} `not-allowed-here` */
function requireAddition({ text, isCleared }: TypedNote, before: string | undefined): void {
  if (!isCleared && (text === undefined || before === undefined)) return
  throw new CommandError('not-allowed-here', 'only the terminal replaces and clears notes', { hint: 'type it there' })
}

interface FoundOrder {
  readonly symbol: string
  readonly orderId: string
  /** Typed with it. */
  readonly own: readonly string[]
}

/** In the order journal first; only then the venue is asked. @throws {CommandError} `not-found`, `ambiguous` */
async function findOrder(
  context: CommandContext<HistoryNeed>,
  journal: JournalHistory,
  { id, symbols, text, words, tags }: TypedNote,
): Promise<FoundOrder> {
  const { venue } = await context.account()
  const wanted = await findMarkets(venue, symbols).catch((error: unknown) => {
    const isSymbol = !(isRefusal(error) && error.code === 'unknown-symbol') || text !== undefined
    throw isSymbol ? error : notQuoted(id, words, tags)
  })
  const isWanted = (symbol: string) => wanted.length === 0 || wanted.includes(symbol)
  const known = journal.orders
    .filter(({ orderId, clientOrderId, symbol }) => (orderId === id || clientOrderId === id) && isWanted(symbol))
    .flatMap(({ symbol, orderId, tags = [] }) => (orderId === undefined ? [] : [{ symbol, orderId, own: tags }]))
  const found = known.length > 0 ? known : await findAtVenue(context, journal, id, wanted)
  const [first, ...others] = new Map(found.map((each) => [each.symbol, each])).values()
  if (first === undefined) {
    throw new CommandError(
      'not-found',
      `no order ${printable(id, 40)} of account ${printable(context.accountName, 40)}`,
      {
        hint: '`trades` and `orders --all` list the ids',
      },
    )
  }
  if (others.length > 0) {
    const names = [first, ...others].map(({ symbol }) => printable(symbol, 30)).join(' and ')
    throw new CommandError('ambiguous', `order ${printable(id, 40)} exists on ${names}`, {
      hint: `name the symbol: note ${printable(id, 40)} ${printable(first.symbol, 30)} "late entry"`,
    })
  }
  return first
}

async function findAtVenue(
  context: CommandContext<HistoryNeed>,
  journal: JournalHistory,
  id: string,
  symbols: readonly string[],
): Promise<readonly FoundOrder[]> {
  const { venue } = await context.account()
  const { executions } = await askAccount(venue, journal, symbols.length === 0 ? {} : { symbols })
  return executions
    .filter(({ trade }) => trade.orderId === id)
    .map(({ trade, tags = [] }) => ({ symbol: trade.symbol, orderId: trade.orderId, own: tags }))
}
