// What `chase` is asked to do, before any market is known.
import { defined } from '../base/defined.ts'
import { endColumn, requireWords } from './arguments.ts'
import type { Argument, Word } from './chain.ts'
import { takeKeyed } from './keyed-words.ts'
import { LanguageError } from './language-error.ts'
import { parseLongDuration } from './long-duration.ts'
import { parseSymbols } from './names.ts'
import type { Side } from './order.ts'
import { shown } from './printable.ts'
import { parseReach, type Reach } from './reach.ts'
import type { Size } from './size.ts'
import { takeSide } from './task-words.ts'

export type ChaseIntent =
  | {
      readonly kind: 'begin'
      readonly side: Side
      /** Upper-cased; empty: the symbol in focus. */
      readonly symbols: readonly string[]
      readonly size: Size
      /** After `to`: it follows the market no further. */
      readonly to?: Reach
      /** After `for`, in ms. Absent: an hour. */
      readonly lastsMs?: number
      /** After `then`: what becomes of the rest when its time is over. */
      readonly rest: 'market' | 'cancel'
      readonly reduce: boolean
    }
  /** `chase cancel`: the newest one of a symbol. */
  | { readonly kind: 'cancel'; readonly symbol?: string }

const KEYED: ReadonlyMap<string, string> = new Map([
  ['for', 'for and how long, as in for 5m'],
  ['then', 'then market, or then cancel'],
])

/**
 * `buy $100 BTCUSDT to 1% for 5m then market`, `sell 50% reduce`, `cancel ETHUSDT`; the words behind the side in any order.
 * @throws {LanguageError} what `readSlots` throws; `missing-argument`, `bad-argument`, `bad-duration`
 */
export function parseChase(args: readonly Argument[]): ChaseIntent {
  const words = requireWords(args)
  if (words[0]?.text.toLowerCase() === 'cancel') return parseChaseCancel(words)
  const { keyed, rest } = takeKeyed(words, KEYED)
  const { to, others } = takeTo(rest)
  const begun = takeSide(others, { verb: 'chase', flags: ['reduce'], end: endColumn(words) })
  const lasts = keyed.get('for')?.value
  return {
    kind: 'begin',
    side: begun.side,
    symbols: begun.symbols,
    size: begun.size,
    ...defined({ to }),
    ...(lasts === undefined ? {} : { lastsMs: parseLongDuration(lasts.text, lasts.column) }),
    rest: parseThen(keyed.get('then')?.value),
    reduce: begun.reduce,
  }
}

function takeTo(words: readonly Word[]): { readonly to?: Reach; readonly others: readonly Word[] } {
  const at = words.findIndex(({ text }) => text.toLowerCase() === 'to')
  if (at === -1) return { others: words }
  const { reach, next } = parseReach(words, at + 1)
  const again = words.slice(next).find(({ text }) => text.toLowerCase() === 'to')
  if (again !== undefined) {
    throw new LanguageError('unexpected-argument', `${shown(again.text)} is given twice`, again.column, 'keep one')
  }
  return { to: reach, others: [...words.slice(0, at), ...words.slice(next)] }
}

function parseThen(word: Word | undefined): 'market' | 'cancel' {
  const text = word?.text.toLowerCase() ?? 'cancel'
  if (text === 'market' || text === 'cancel') return text
  throw new LanguageError(
    'bad-argument',
    `${shown(word?.text ?? '')} is not what can become of the rest`,
    word?.column ?? 1,
    'type then market, or then cancel',
  )
}

function parseChaseCancel(words: readonly Word[]): ChaseIntent {
  const [, symbol, other] = words
  const extra = symbol?.text.toLowerCase() === 'keep' ? symbol : other
  if (extra !== undefined) {
    throw new LanguageError(
      'unexpected-argument',
      `${shown(extra.text)} has no meaning here`,
      extra.column,
      'name one symbol at most: what rests is taken back with its chase',
    )
  }
  if (symbol === undefined) return { kind: 'cancel' }
  const [name, second] = parseSymbols(symbol.text, symbol.column)
  if (name === undefined || second !== undefined) {
    const hint = '`tasks` lists them, `tasks cancel <id>` ends any one'
    throw new LanguageError('bad-argument', 'the newest chase of one symbol is canceled', symbol.column, hint)
  }
  return { kind: 'cancel', symbol: name }
}
