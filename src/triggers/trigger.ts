// What fires a hook without a POST: `close(1h) crosses above ema(50)`, `BTCUSDT last > 70000`, `every mon 09:00 Europe/Berlin --late 5m`.
import { defined } from '../base/defined.ts'
import type { Word } from '../language/chain.ts'
import { LanguageError } from '../language/language-error.ts'
import { parseSymbols } from '../language/names.ts'
import { parseLongDuration } from '../language/time.ts'
import { beginsCondition, type Condition, type ConditionText, parseCondition } from './condition.ts'
import { parseAt, parseEvery, type Schedule } from './schedule.ts'

export type Trigger =
  | ({ readonly kind: 'condition' } & SymbolCondition)
  /** `lateMs`: how late it may still fire; absent: not at all. */
  | { readonly kind: 'schedule'; readonly schedule: Schedule; readonly lateMs?: number }

/** A condition, and the symbol typed in front. */
interface SymbolCondition {
  readonly symbol?: string
  /** Without the symbol, as it was typed. */
  readonly text: string
  readonly condition: Condition
}

/**
 * @param column 1-based, of the first character of the text
 * @throws {LanguageError} `bad-condition`, `missing-argument`, `unexpected-argument`, `bad-duration`, `bad-symbol`
 */
export function parseTrigger(text: string, column = 1): Trigger {
  const words = wordsOf(text, column)
  const endColumn = column + text.trimEnd().length
  const first = words[0]?.text.toLowerCase()
  if (first === 'each' && words[0] !== undefined) {
    throw new LanguageError(
      'bad-condition',
      'a hook fires each time',
      words[0].column,
      'remove each; --once is one run',
    )
  }
  if (first !== 'every' && first !== 'at') return { kind: 'condition', ...parseSymbolCondition(words, column) }
  const { times, lateMs } = takeLate(words.slice(1), endColumn)
  const schedule = first === 'every' ? parseEvery(times, endColumn) : parseAt(times, endColumn)
  return { kind: 'schedule', schedule, ...defined({ lateMs }) }
}

function wordsOf(text: string, column: number): Word[] {
  return [...text.matchAll(/\S+/g)].map((match) => ({ kind: 'word', text: match[0], column: column + match.index }))
}

function takeLate(words: readonly Word[], endColumn: number): { times: readonly Word[]; lateMs?: number } {
  const at = words.findIndex(({ text }) => text.toLowerCase() === '--late')
  if (at === -1) return { times: words }
  const span = words[at + 1]
  if (span === undefined) {
    throw new LanguageError(
      'missing-argument',
      'how late it may be is missing',
      endColumn,
      'type one such as --late 5m',
    )
  }
  return { times: words.toSpliced(at, 2), lateMs: parseLongDuration(span.text, span.column) }
}

/** Forms that `wait` alone has. */
const WORDS_OF_WAIT: ReadonlyMap<string, string> = new Map([
  ['long', 'position > 0'],
  ['short', 'position < 0'],
  ['flat', 'position == 0'],
])

/**
 * @param pieces words of a line; what was quoted is one piece @param columnBehind where one is missing
 * @throws {LanguageError}
 */
export function parseSymbolCondition(pieces: readonly ConditionText[], columnBehind: number): SymbolCondition {
  const [leading, behind, ...others] = pieces
  // `price BTCUSDT < 60000`, as `wait` and `alert` have it.
  const isTurned = leading?.text.toLowerCase() === 'price' && behind !== undefined && isSymbol(behind)
  const ordered = isTurned ? [behind, leading, ...others] : pieces
  const [first] = ordered
  const ofWait = WORDS_OF_WAIT.get(first?.text.toLowerCase() ?? '')
  if (first !== undefined && ofWait !== undefined) {
    const message = `${first.text.toLowerCase()} is not a value of a condition`
    throw new LanguageError('bad-condition', message, first.column, `type ${ofWait}`)
  }
  const isNamed = first !== undefined && isSymbol(first)
  const [symbol, ...more] = isNamed ? parseSymbols(first.text, first.column) : []
  if (more.length > 0 && isNamed) {
    throw new LanguageError('bad-condition', 'a condition watches one symbol', first.column, `type ${symbol}`)
  }
  const written = isNamed ? ordered.slice(1) : ordered
  // `BTCUSDT > 70000`, as `alert` has it: the last price is meant.
  const isOfLast = isNamed && /^(?:[<>]|crosses\b)/i.test(written[0]?.text ?? '')
  const whole = isOfLast && written[0] ? [{ text: 'last', column: written[0].column }, ...written] : written
  const condition = parseCondition(whole.length === 0 ? [{ text: '', column: columnBehind }] : whole)
  return { text: whole.map(({ text }) => text).join(' '), condition, ...defined({ symbol }) }
}

function isSymbol({ text }: ConditionText): boolean {
  return !/\s/.test(text) && !beginsCondition(text)
}
