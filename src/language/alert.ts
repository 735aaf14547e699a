// A slot in the body of a hook (behaviour 44): where the alert that fires it says a value. `{size:usd<=500}`, `{price:number}`,
// `{symbol:in(BTCUSDT,ETHUSDT)}`. It stands for one argument, and for nothing but values that it declares.
import { defined } from '../base/defined.ts'
import type { AlertSlot, SlotBounds } from './chain.ts'
import { compareDecimals, decimalHint, isZero, readDecimal } from './decimal-text.ts'
import { LanguageError } from './language-error.ts'
import { parseNames, parseSymbols } from './names.ts'
import { shown } from './printable.ts'

/** What a slot stands for in one fire, or why it cannot. */
type SlotValue =
  | { readonly ok: true; readonly value: string /** As it would be typed. */; readonly word: string }
  | { readonly ok: false; readonly why: string }

/** How a slot begins; `{` before anything else is a letter of a word. */
export const SLOT_START = /\{[A-Za-z][A-Za-z0-9_]*[:}]/y

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
  return badSlot(`${shown(type)} is not the type of a slot`, at, FORMS)
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

function unfit(name: string, text: string, why: string): SlotValue {
  return { ok: false, why: `${name} ${shown(text)} ${why}` }
}

// What to paste into a charting platform as the message of an alert (behaviour 44): a line for each form that is read.

export interface AlertMessage {
  readonly json: string
  readonly pairs: string
}

/** @returns undefined where the hook has no slots: then the message is ignored */
export function alertMessage(slots: readonly AlertSlot[]): AlertMessage | undefined {
  if (slots.length === 0) return undefined
  const texts = slots.map((slot) => [slot.name, placeholder(slot)] as const)
  return {
    json: JSON.stringify(Object.fromEntries(texts)),
    pairs: texts.map((text) => text.join('=')).join(' '),
  }
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
