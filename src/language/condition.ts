// What `wait` waits for. Comparators may be glued: `price>65000` reads like `price > 65000`.
import { defined } from '../base/defined.ts'
import { columnAt, endColumn, requireWords } from './arguments.ts'
import type { Argument, Word } from './chain.ts'
import { readSignedDecimal } from './decimal-text.ts'
import { LanguageError } from './language-error.ts'
import { type Name, parseNames, parseSymbols } from './names.ts'
import { type PriceExpression, parsePrice } from './price.ts'
import { shown } from './printable.ts'
import { MAX_SLEEP_MS, parseDuration } from './time.ts'
import { nearest } from './typo-match.ts'

export type Comparator = '>' | '<' | '>=' | '<=' | '==' | '!='

/** `auto` (`price`): the ask when waiting upward, the bid when downward, else last. `pnl`: unrealised, of the symbol. */
type WatchedValue = 'last' | 'bid' | 'ask' | 'pnl' | 'auto'

export type Condition =
  | { readonly kind: 'delay'; readonly ms: number }
  /** The next time it is this late in UTC. */
  | { readonly kind: 'time'; readonly hour: number; readonly minute: number }
  | {
      readonly kind: 'price'
      readonly anchor: WatchedValue
      readonly comparator: Comparator
      /** Offsets count from where the market is when the wait starts. For `pnl` always absolute, and of either sign. */
      readonly value: PriceExpression
      readonly symbol?: string
    }
  | {
      readonly kind: 'position'
      readonly side?: 'long' | 'short'
      readonly symbol?: string
      /** On any symbol. */
      readonly any?: boolean
      /** Until there is none. */
      readonly closed?: boolean
    }
  /** Of the named orders or symbols; none named: any fill. */
  | { readonly kind: 'fill'; readonly names: readonly Name[] }

export interface WaitIntent {
  readonly condition: Condition
  readonly timeoutMs?: number
  /** `for=`: how long the condition must hold without a break. */
  readonly holdMs?: number
}

interface Option {
  readonly valueMs: number
  readonly column: number
}

const OPTION = /^(timeout|for)=/i
const COMPARATORS: readonly Comparator[] = ['>', '<', '>=', '<=', '==', '!=']
const WATCHED: ReadonlyMap<string, WatchedValue> = new Map([
  ['price', 'auto'],
  ['last', 'last'],
  ['bid', 'bid'],
  ['ask', 'ask'],
  ['pnl', 'pnl'],
])
const POSITIONS: ReadonlyMap<string, Condition> = new Map([
  ['position', { kind: 'position' }],
  ['long', { kind: 'position', side: 'long' }],
  ['short', { kind: 'position', side: 'short' }],
  ['anyposition', { kind: 'position', any: true }],
  ['flat', { kind: 'position', closed: true }],
])
const SUBJECTS = [...WATCHED.keys(), ...POSITIONS.keys(), 'time', 'fill']
const FORMS = 'type one such as 5s, price > 65000, pnl < -50, long, flat, fill or time 1430'

/**
 * `5s`, `time 1430`, `price BTCUSDT > +1%`, `pnl < -50`, `long`, `flat BTCUSDT`, `fill p17,p18`; `timeout=1m` and `for=5s`
 * anywhere.
 * @throws {LanguageError} `missing-argument`, `bad-condition`, `bad-price`, `bad-duration`, `bad-argument`, `unexpected-argument`
 */
export function parseWait(args: readonly Argument[]): WaitIntent {
  const words = requireWords(args)
  const timeout = readOption(words, 'timeout')
  const hold = readOption(words, 'for')
  const parts = words.filter((word) => !OPTION.test(word.text)).flatMap(splitComparators)
  const [subject, ...rest] = parts
  if (subject === undefined) {
    throw new LanguageError('missing-argument', 'the condition is missing', endColumn(words), FORMS)
  }
  if (/^(until|till|for)$/i.test(subject.text)) {
    throw new LanguageError('bad-condition', `unexpected ${shown(subject.text)}`, subject.column, 'leave it out')
  }
  const condition = parseCondition(subject, rest)
  if (timeout !== undefined && condition.kind === 'delay') throw uselessOption('timeout', timeout, 'a delay')
  if (hold !== undefined && condition.kind !== 'price' && condition.kind !== 'position') {
    throw uselessOption('for', hold, `a ${condition.kind}`)
  }
  return {
    condition,
    ...defined({ timeoutMs: timeout?.valueMs, holdMs: hold?.valueMs }),
  }
}

function readOption(words: readonly Word[], name: string): Option | undefined {
  const [word, again] = words.filter(({ text }) => text.toLowerCase().startsWith(`${name}=`))
  if (again !== undefined) {
    throw new LanguageError('unexpected-argument', `\`${name}=\` is given twice`, again.column, 'keep one of them')
  }
  if (word === undefined) return undefined
  const offset = name.length + 1
  return { valueMs: parseDuration(word.text.slice(offset), columnAt(word, offset)), column: word.column }
}

export interface AlertIntent {
  readonly symbol?: string
  /** Absent: whichever way the price is from here. */
  readonly comparator?: '>' | '>=' | '<' | '<='
  readonly value: PriceExpression
  readonly words?: string
}

/**
 * `BTCUSDT > 70000 "look"`, `-2%`, `price BTCUSDT < 60000`.
 * @throws {LanguageError} `missing-argument`, `bad-condition`, `bad-price`, `unexpected-argument`
 */
export function parseAlert(args: readonly Argument[]): AlertIntent {
  const last = args.at(-1)
  const text = last?.kind === 'string' ? last.text : undefined
  const words = requireWords(text === undefined ? args : args.slice(0, -1)).flatMap(splitComparators)
  const isNamed = ['price', 'last'].includes(words[0]?.text.toLowerCase() ?? '')
  const parts = isNamed ? words.slice(1) : words
  const [first] = parts
  if (first === undefined) {
    const hint = 'type one, as in alert BTCUSDT > 70000'
    throw new LanguageError('missing-argument', 'the price is missing', endColumn(words), hint)
  }
  const form = ALERT_FORMS.get(first.text.toLowerCase())
  if (form !== undefined && comparatorsIn(parts) === 0) {
    const [, id = '<id>'] = parts.map((word) => word.text)
    throw new LanguageError('bad-argument', 'alerts are tasks', first.column, `type \`${form(id)}\``)
  }
  let next = 0
  refuseSpoken(parts, words)
  const symbol = isComparator(first) || /^[\d.+$-]/.test(first.text) ? undefined : parseSymbol(first)
  if (symbol !== undefined) next += 1
  const comparator = isComparator(parts[next]) ? readComparator(parts, next) : undefined
  if (comparator === '==' || comparator === '!=') {
    throw new LanguageError(
      'bad-condition',
      'an alert is above or below a price',
      parts[next]?.column ?? 1,
      'type > or <',
    )
  }
  if (comparator !== undefined) next += 1
  const { price: value, next: after } = parsePrice(parts, next)
  const [stranger, before] = [parts[after], words.slice(0, words.length - parts.length + after)]
  if (stranger !== undefined && text === undefined) {
    const quoted = parts.slice(after).map((word) => word.text)
    const hint = `type \`alert ${before.map((word) => word.text).join(' ')} "${quoted.join(' ')}"\``
    throw new LanguageError('bad-argument', 'the words of an alert go in quotes', stranger.column, hint)
  }
  refuse(stranger)
  return { value, ...defined({ symbol, comparator, words: text }) }
}

/** `above 62400`, `BTCUSDT under 60000`, `BTCUSDT at 60000`. */
function refuseSpoken(parts: readonly Word[], words: readonly Word[]): void {
  const filler = parts.slice(0, 2).find(({ text }) => /^(at|to|@|hits?|reaches)$/i.test(text))
  if (filler !== undefined) {
    const line = ['alert', ...words.filter((word) => word !== filler).map(({ text }) => text)].join(' ')
    const hint = line.length > 80 ? 'leave it out' : `type \`${line}\``
    throw new LanguageError('bad-condition', `unexpected ${shown(filler.text)}`, filler.column, hint)
  }
  const spoken = parts.slice(0, 2).find(({ text }) => /^(above|over|below|under)$/i.test(text))
  if (spoken === undefined) return
  const sign = /^(above|over)$/i.test(spoken.text) ? '>' : '<'
  const line = ['alert', ...words.map((word) => (word === spoken ? sign : word.text))].join(' ')
  const hint = line.length > 80 ? `type ${sign}` : `type \`${line}\``
  throw new LanguageError('bad-condition', `${shown(spoken.text)} is not a comparison`, spoken.column, hint)
}

/** What other terminals type behind `alert`. */
const ALERT_FORMS: ReadonlyMap<string, (id: string) => string> = new Map([
  ...['list', 'ls', 'show', 'all'].map((word) => [word, () => 'tasks'] as const),
  ...['cancel', 'delete', 'remove', 'rm', 'stop'].map((word) => [word, (id: string) => `tasks cancel ${id}`] as const),
])

function comparatorsIn(words: readonly Word[]): number {
  return words.filter(isComparator).length
}

/** `price>=65000` as the words `price`, `>=`, `65000`. */
function splitComparators(word: Word): Word[] {
  return Array.from(word.text.matchAll(/[<>=!]+|[^<>=!\s]+/g), (match) => ({
    kind: 'word',
    text: match[0],
    column: columnAt(word, match.index),
  }))
}

function parseCondition(subject: Word, rest: readonly Word[]): Condition {
  const name = subject.text.toLowerCase().replace(/^\$/, '')
  const watched = WATCHED.get(name)
  if (watched !== undefined) return parseComparison(watched, [subject, ...rest])
  const position = POSITIONS.get(name)
  if (position !== undefined) return parsePosition(position, rest)
  if (name === 'time') return parseTime([subject, ...rest])
  if (name === 'fill') {
    return { kind: 'fill', names: rest.flatMap((word) => parseNames(word.text, word.column, 'symbol or order id')) }
  }
  if (!/^[\d.]/.test(name) || isComparator(rest[0])) throw unknownCondition(subject, rest)
  refuse(rest[0])
  const [, hour, minute] = /^(\d{1,2}):(\d{2})$/.exec(subject.text) ?? []
  if (hour !== undefined) {
    const hint = `type \`wait time ${hour.padStart(2, '0')}${minute}\`: a time of day, in UTC`
    throw new LanguageError('bad-duration', `${shown(subject.text)} is not a duration`, subject.column, hint)
  }
  return { kind: 'delay', ms: parseDuration(subject.text, subject.column, { maxMs: MAX_SLEEP_MS }) }
}

/** `price > 65000`, with a symbol on either side of the comparison. */
function parseComparison(anchor: WatchedValue, words: readonly Word[]): Condition {
  let next = 1
  let symbol: string | undefined
  const leading = words[next]
  if (leading !== undefined && !isComparator(leading)) {
    if (words.length === 2 && /^[+-]?[\d.]+%?$/.test(leading.text)) {
      const hint = `type \`wait ${words[0]?.text} > ${leading.text}\`, or <`
      throw new LanguageError('bad-condition', 'a comparison is missing', leading.column, hint)
    }
    symbol = parseSymbol(leading)
    next += 1
  }
  const comparator = readComparator(words, next)
  const { price: value, next: after } = (anchor === 'pnl' ? parseMoney : parsePrice)(words, next + 1)
  const trailing = words[after]
  if (trailing !== undefined) {
    if (symbol !== undefined) refuse(trailing)
    symbol = parseSymbol(trailing)
    refuse(words[after + 1])
  }
  return { kind: 'price', anchor, comparator, value, ...defined({ symbol }) }
}

function readComparator(words: readonly Word[], at: number): Comparator {
  const word = words[at]
  if (word === undefined || !isComparator(word)) {
    const column = word?.column ?? endColumn(words)
    throw new LanguageError('bad-condition', 'a comparison is missing', column, 'type one, as in price > 65000')
  }
  const comparator = COMPARATORS.find((candidate) => candidate === word.text)
  if (comparator !== undefined) return comparator
  const meant = new Map([
    ['=', '=='],
    ['=>', '>='],
    ['=<', '<='],
    ['<>', '!='],
  ]).get(word.text)
  const hint = meant === undefined ? `type one of ${COMPARATORS.join(' ')}` : `type ${meant}`
  throw new LanguageError('bad-condition', `${shown(word.text)} is not a comparison`, word.column, hint)
}

/** A sum of either sign, for `pnl`. */
function parseMoney(words: readonly Word[], at: number): { price: PriceExpression; next: number } {
  const word = words[at]
  const hint = 'type a sum such as 50 or -50'
  if (word === undefined) throw new LanguageError('missing-argument', 'the sum is missing', endColumn(words), hint)
  const sum = readSignedDecimal(word.text)
  if (sum === undefined) {
    throw new LanguageError('bad-condition', `${shown(word.text)} is not a sum to compare pnl with`, word.column, hint)
  }
  return { price: { base: { kind: 'absolute', price: sum } }, next: at + 1 }
}

function parsePosition(condition: Condition, rest: readonly Word[]): Condition {
  const [word, extra] = rest
  if (word === undefined || condition.kind !== 'position') return condition
  if (condition.any) refuse(word)
  refuse(extra)
  return { ...condition, symbol: parseSymbol(word) }
}

function parseTime(words: readonly Word[]): Condition {
  const [, word, extra] = words
  const hint = 'type hours and minutes in UTC, such as 1430'
  if (word === undefined) throw new LanguageError('missing-argument', 'the time is missing', endColumn(words), hint)
  const [, hour, minute] = /^(\d\d):?(\d\d)$/.exec(word.text) ?? []
  if (hour === undefined || minute === undefined || Number(hour) > 23 || Number(minute) > 59) {
    throw new LanguageError('bad-condition', `${shown(word.text)} is not a time of day`, word.column, hint)
  }
  refuse(extra)
  return { kind: 'time', hour: Number(hour), minute: Number(minute) }
}

function parseSymbol(word: Word): string {
  const [symbol = '', ...more] = parseSymbols(word.text, word.column)
  if (more.length === 0) return symbol
  throw new LanguageError('bad-condition', 'a condition watches one symbol', word.column, `type ${symbol}`)
}

function isComparator(word: Word | undefined): boolean {
  return word !== undefined && /^[<>=!]/.test(word.text)
}

function refuse(word: Word | undefined): void {
  if (word === undefined) return
  throw new LanguageError('unexpected-argument', `unexpected ${shown(word.text)}`, word.column, 'remove it')
}

function uselessOption(name: string, { column }: Option, what: string): LanguageError {
  return new LanguageError('unexpected-argument', `\`${name}=\` does not apply to ${what}`, column, 'remove it')
}

function unknownCondition(subject: Word, rest: readonly Word[]): LanguageError {
  const meant = nearest(subject.text, SUBJECTS)
  const compares = isComparator(rest[0]) && !isComparator(subject)
  const hint = compares && meant === undefined ? 'name what to compare, as in price BTCUSDT > 65000' : FORMS
  return new LanguageError(
    'bad-condition',
    `${shown(subject.text)} is not a wait condition`,
    subject.column,
    meant === undefined ? hint : `did you mean ${meant}?`,
  )
}
