// A slot in the body of a hook (behaviour 44): where the alert that fires it says a value. `{size:usd<=500}`, `{price:number}`,
// `{symbol:in(BTCUSDT,ETHUSDT)}`. It stands for one argument, and for nothing but values that it declares.
import { defined } from '../base/defined.ts'
import type { AlertSlot, AlertStamps, SlotBounds } from './chain.ts'
import { compareDecimals, decimalHint, isZero, readDecimal } from './decimal-text.ts'
import { LanguageError } from './language-error.ts'
import { parseNames, parseSymbols } from './names.ts'
import { shown } from './printable.ts'
import { parseDuration } from './time.ts'

/** What a slot stands for in one fire, or why it cannot. */
type SlotValue =
  | { readonly ok: true; readonly value: string /** As it would be typed. */; readonly word: string }
  | { readonly ok: false; readonly why: string }

type Unfit = Extract<SlotValue, { readonly ok: false }>

const SHAPE = /^\{([A-Za-z][A-Za-z0-9_]{0,31})(?::(.*))?\}$/s
const FORMS =
  'type {size:usd<=500}, {price:number}, {symbol:in(BTCUSDT,ETHUSDT)}, {side:in(buy,sell)} or {target:in(long,short,flat)}'
const SIDES: ReadonlySet<string> = new Set(['buy', 'sell'])
const TARGETS: ReadonlySet<string> = new Set(['long', 'short', 'flat'])
/** Words of the order commands: an alert fills in values, and never says what is done with them. */
const KEYWORDS: ReadonlySet<string> = new Set(
  'buy sell long longs short shorts flat all allpos reduce po best ioc fok keep replace at to from limit stop tp sl take into over for then random after trail cancel market positions isolated cross dry'.split(
    ' ',
  ),
)

/**
 * @param text with its braces
 * @param column of the first
 * @throws {LanguageError} `bad-slot`; `bad-argument` for a name in a list
 */
export function parseAlertSlot(text: string, column: number): AlertSlot {
  const [, name = '', type] = SHAPE.exec(text) ?? []
  if (name === '') throw badSlot(`${shown(text)} is not a slot`, column, FORMS)
  const at = column + name.length + 2
  const declared = { name, text }
  if (type?.startsWith('usd') === true) {
    const bounds = parseBounds(type.slice(3), at + 3)
    const { max } = bounds
    if (max !== undefined) return { ...declared, type: 'usd', ...bounds, max }
    throw badSlot(`the size ${shown(text)} has no cap`, at, `give it a cap: {${name}:usd<=500}`)
  }
  if (type?.startsWith('number') === true) return { ...declared, type: 'number', ...parseBounds(type.slice(6), at + 6) }
  if (type?.startsWith('in(') === true && type.endsWith(')')) {
    return { ...declared, ...parseChoices(type.slice(3, -1), at + 3) }
  }
  throw withoutType(name, type, column, at)
}

function withoutType(name: string, type: string | undefined, column: number, at: number): LanguageError {
  const lower = name.toLowerCase()
  if (lower === 'symbol' || lower === 'ticker') {
    return badSlot(`the slot {${name}} has no list`, at, `list the symbols: {${name}:in(BTCUSDT,ETHUSDT)}`)
  }
  if (type === undefined) return badSlot(`the slot {${name}} has no type`, column, FORMS)
  if (type === 'key' || type.startsWith('time')) {
    return badSlot(`${shown(type)} cannot be in a command`, at, `type it at the end of the hook: -- {${name}:${type}}`)
  }
  return badSlot(`${shown(type)} is not the type of a slot`, at, FORMS)
}

const STAMP_FORMS = 'type {id:key} and {at:time<=30s} after --'
/** As long as keys are remembered (behaviour 46). */
const MAX_ALERT_AGE_MS = 86_400_000

/**
 * @param text with its braces
 * @param column of the first
 * @throws {LanguageError} `bad-slot`; `bad-duration` for an age
 */
export function parseStamp(text: string, column: number): AlertStamps {
  const [, name = '', type] = SHAPE.exec(text) ?? []
  if (type === 'key') return { key: { name, text } }
  const [, age] = /^time<=(.*)$/s.exec(type ?? '') ?? []
  if (age !== undefined) {
    const maxAgeMs = parseDuration(age, column + name.length + 8, { maxMs: MAX_ALERT_AGE_MS })
    if (maxAgeMs >= 1000) return { time: { name, text, maxAgeMs } }
    throw badSlot('an alert needs more time than that to arrive', column + name.length + 8, 'type at least 1s')
  }
  if (type === 'time') throw badSlot(`the time ${shown(text)} has no bound`, column, `give it one: {${name}:time<=30s}`)
  throw badSlot(`${shown(text)} is not allowed after --`, column, STAMP_FORMS)
}

/** `>=1<=100000`, in either order. */
function parseBounds(text: string, column: number): SlotBounds {
  const found = new Map<string, string>()
  for (let at = 0; at < text.length; ) {
    const [typed = '', mark = '', number = ''] = /^(<=|>=)([^<>]*)/.exec(text.slice(at)) ?? []
    if (typed === '') throw badSlot(`${shown(text.slice(at))} is not a bound`, column + at, 'type <=500 or >=1')
    const value = readDecimal(number)
    if (value === undefined || isZero(value)) {
      const hint = decimalHint(number) ?? 'type a number above zero'
      throw badSlot(`${shown(number)} cannot be a bound`, column + at + mark.length, hint)
    }
    if (found.has(mark)) throw badSlot(`${shown(typed)} is a second bound of its kind`, column + at, 'keep one')
    found.set(mark, value)
    at += typed.length
  }
  const [min, max] = [found.get('>='), found.get('<=')]
  if (min !== undefined && max !== undefined && compareDecimals(min, max) > 0) {
    throw badSlot('no number is within these bounds', column, 'swap them')
  }
  return defined({ min, max })
}

function parseChoices(
  text: string,
  column: number,
): { readonly type: 'side' | 'target' | 'symbol'; readonly choices: readonly string[] } {
  const names = parseNames(text, column, 'symbol')
  const lower = names.map((name) => name.text.toLowerCase())
  if (lower.every((choice) => SIDES.has(choice))) return { type: 'side', choices: lower }
  if (lower.every((choice) => TARGETS.has(choice))) return { type: 'target', choices: lower }
  const keyword = names[lower.findIndex((choice) => KEYWORDS.has(choice))]
  if (keyword !== undefined) {
    const hint = 'list symbols, or sides (buy,sell), or targets (long,short,flat)'
    throw badSlot(`${shown(keyword.text)} is not a symbol`, keyword.column, hint)
  }
  return { type: 'symbol', choices: parseSymbols(text, column) }
}

function badSlot(message: string, column: number, hint: string): LanguageError {
  return new LanguageError('bad-slot', message, column, hint)
}

/** What the text of an alert comes to, within what the slot declares. */
export function readSlotValue(slot: AlertSlot, text: string): SlotValue {
  switch (slot.type) {
    case 'usd':
      return readAmount(slot, text, '$')
    case 'number':
      return readAmount(slot, text, '')
    default:
      return readChoice(slot, text)
  }
}

function readAmount(
  { name, min, max }: { readonly name: string } & SlotBounds,
  text: string,
  mark: '$' | '',
): SlotValue {
  const value = readDecimal(text)
  if (value === undefined) return unfit(name, text, 'is not a number in plain digits')
  if (isZero(value)) return unfit(name, text, 'is zero')
  if (min !== undefined && compareDecimals(value, min) < 0) return unfit(name, text, `is below ${min}`)
  if (max !== undefined && compareDecimals(value, max) > 0) return unfit(name, text, `is above ${max}`)
  // `parseSize` and `parsePrice` read no more digits than `readDecimal`.
  return { ok: true, value, word: mark + value }
}

function readChoice(
  { name, type, choices }: Extract<AlertSlot, { readonly choices: readonly string[] }>,
  text: string,
): SlotValue {
  // Longer than any name: not worth a change of case.
  const wanted = text.length > 96 ? '' : text.toLowerCase()
  const plain = type === 'symbol' ? plainTicker(wanted) : wanted
  for (const choice of choices) {
    const lower = choice.toLowerCase()
    if (lower === wanted || lower === plain) return { ok: true, value: choice, word: choice }
  }
  return unfit(name, text, `is not one of ${choices.join(', ').slice(0, 200)}`)
}

/** Charting platforms write `BINANCE:BTCUSDT.P` for what venues call BTCUSDT. */
function plainTicker(text: string): string {
  const ticker = text.includes(':') ? text.replace(/^[a-z0-9_]{1,24}:/, '') : text
  return ticker.endsWith('.p') ? ticker.slice(0, -2) : ticker
}

function unfit(name: string, text: string, why: string): Unfit {
  return { ok: false, why: `${name} ${shown(text)} ${why}` }
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/
const UNIX_TIME = /^(\d{10})(?:\.\d{1,9}|(\d{3}))?$/

/** When an alert says that it was sent: `2026-11-28T17:40:00Z`, or seconds or milliseconds since the epoch. @returns ms since the epoch */
export function readSentAt(name: string, text: string): { readonly ok: true; readonly at: number } | Unfit {
  const [, seconds, ms = '000'] = UNIX_TIME.exec(text) ?? []
  const at = seconds === undefined ? (ISO_TIME.test(text) ? Date.parse(text) : Number.NaN) : Number(seconds + ms)
  return Number.isNaN(at)
    ? unfit(name, text, 'is not a time such as 2026-11-28T17:40:00Z or 1795887600')
    : { ok: true, at }
}

const MAX_KEY_LENGTH = 256

/** Which one an alert says that it is. */
export function readKey(name: string, text: string): { readonly ok: true; readonly key: string } | Unfit {
  if (text === '') return { ok: false, why: `${name} is empty` }
  if (text.length > MAX_KEY_LENGTH) return { ok: false, why: `${name} is longer than ${MAX_KEY_LENGTH} characters` }
  // The sender did not fill it in: each of its alerts would be a repeat of the first.
  if (text.includes('{{')) return unfit(name, text, 'was not filled in by its sender')
  return { ok: true, key: text }
}

// What to paste into a charting platform as the message of an alert (behaviour 44): a line for each form that is read.

export interface AlertMessage {
  readonly json: string
  readonly pairs: string
}

/** @returns undefined where the hook takes nothing of it: then the message is ignored */
export function alertMessage(slots: readonly AlertSlot[], { key, time }: AlertStamps = {}): AlertMessage | undefined {
  const texts = slots.map((slot) => [slot.name, placeholder(slot)] as const)
  if (key !== undefined) texts.push([key.name, keyPlaceholder(slots)])
  if (time !== undefined) texts.push([time.name, '{{timenow}}'])
  if (texts.length === 0) return undefined
  return {
    json: JSON.stringify(Object.fromEntries(texts)),
    pairs: texts.map((text) => text.join('=')).join(' '),
  }
}

/** A strategy may send two alerts for one symbol within a second: one for each of its orders. */
function keyPlaceholder(slots: readonly AlertSlot[]): string {
  const isStrategy = slots.some(({ type }) => type === 'side' || type === 'target')
  const order = isStrategy ? '-{{strategy.order.id}}-{{strategy.order.action}}' : ''
  return `{{ticker}}-{{timenow}}${order}`
}

/** TradingView's placeholders; a size is for its author to set. */
function placeholder(slot: AlertSlot): string {
  switch (slot.type) {
    case 'usd':
      return slot.max
    case 'number':
      return '{{close}}'
    case 'side':
      return '{{strategy.order.action}}'
    case 'target':
      return slot.name.startsWith('prev') ? '{{strategy.prev_market_position}}' : '{{strategy.market_position}}'
    default:
      return '{{ticker}}'
  }
}
