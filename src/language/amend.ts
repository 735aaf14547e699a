// What `amend`, `leverage` and `margin` are asked to do.
import { defined } from '../base/defined.ts'
import { endColumn, requireWords } from './arguments.ts'
import type { Argument, Word } from './chain.ts'
import { isZero } from './decimal-text.ts'
import { movedProtection } from './foreign-syntax-hints.ts'
import { LanguageError } from './language-error.ts'
import { type Name, parseNames } from './names.ts'
import { type PriceExpression, type PriceOffset, parseOffset } from './price.ts'
import { shown } from './printable.ts'
import { isSizeShaped, type Size } from './size.ts'
import { readSlots } from './slots.ts'
import { nearest } from './typo-match.ts'

/** What of a resting order is to change: at least one of price, limit, stop, takeProfit and size. */
export interface AmendIntent {
  /** An order's id, or the symbol of its only entry. */
  readonly name: Name
  /** After `at`: its price; of an order that waits for a trigger, the trigger. */
  readonly price?: PriceExpression
  /** After `limit`: of a stop-limit, the price of the limit order that it becomes; an offset counts from the trigger. */
  readonly limit?: PriceExpression
  /** After `stop`: of an entry that has not filled, where its stop goes then; an offset counts from the entry. */
  readonly stop?: PriceExpression
  /** After `tp`: of a stop that has one, or of an entry that has not filled. */
  readonly takeProfit?: PriceExpression
  /** The whole of it, what has filled included; a percentage is of what it is now. */
  readonly size?: Size
  /** Where the venue cannot change orders: cancel it, and place another. */
  readonly replace: boolean
}

const FORMS = 'type a new size, or a price after at, limit, stop or tp, as in amend p17 at -1%'

/**
 * `p17 at -1%`, `p17 0.02`, `BTCUSDT at 64000 $500`.
 * @throws {LanguageError} what `readSlots` throws; `missing-argument`, `bad-argument`, `unexpected-argument`
 */
export function parseAmend(args: readonly Argument[]): AmendIntent {
  const words = requireWords(args)
  const [first] = words
  if (first === undefined) {
    throw new LanguageError('missing-argument', 'the order is missing', endColumn(words), '`orders` lists them')
  }
  const [name, second] = parseNames(first.text, first.column, 'symbol or order id')
  if (name === undefined || second !== undefined) {
    throw new LanguageError('bad-argument', 'one order is changed at a time', first.column, 'name one order')
  }
  const { prices, size, symbols, flags } = readSlots(args.slice(1), {
    verb: 'amend',
    prices: ['at', 'limit', 'stop', 'tp'],
    fromEntry: ['stop'],
    bySide: ['limit', 'stop', 'tp'],
    flags: ['replace'],
    synonyms: new Map([['to', 'at']]),
  })
  if (symbols !== undefined) {
    const typed = words.find(({ column }) => column === symbols.column)?.text ?? symbols.value.join(',')
    const what = `unexpected ${shown(typed)}`
    throw new LanguageError('unexpected-argument', what, symbols.column, FORMS)
  }
  if (prices.size === 0 && size === undefined) {
    throw new LanguageError('missing-argument', 'the change is missing', endColumn(words), FORMS)
  }
  const [price, limit, stop, takeProfit] = ['at', 'limit', 'stop', 'tp'].map((word) => prices.get(word))
  return {
    name,
    ...defined({
      price: price?.value,
      limit: limit?.value,
      stop: stop?.value,
      takeProfit: takeProfit?.value,
      size: size?.value,
    }),
    replace: flags.has('replace'),
  }
}

/** Without a value it is shown. */
interface SettingIntent<Value> {
  /** Upper-cased; absent: the symbol in focus. */
  readonly symbol?: string
  readonly value?: Value
}

/** `10`, `10x`, `BTCUSDT 10`. @throws {LanguageError} */
export function parseLeverage(args: readonly Argument[]): SettingIntent<string> {
  const read = (text: string) => /^x?([1-9]\d{0,2})x?$/i.exec(text)?.[1]
  return parseSetting(args, read, 'type a whole number, as in leverage 10')
}

/** `isolated`, `BTCUSDT cross`. @throws {LanguageError} */
export function parseMargin(args: readonly Argument[]): SettingIntent<'cross' | 'isolated'> {
  const read = (text: string) => MODES.find((mode) => mode === text.toLowerCase())
  const intent = parseSetting(args, read, 'type cross or isolated')
  const [only] = args
  const near = intent.symbol === undefined ? undefined : nearest(intent.symbol, MODES)
  if (near === undefined || intent.value !== undefined) return intent
  const text = shown(intent.symbol?.toLowerCase() ?? '')
  throw new LanguageError('bad-argument', `${text} is not a margin mode`, only?.column ?? 1, `did you mean ${near}?`)
}

const MODES = ['cross', 'isolated'] as const

function parseSetting<Value>(
  args: readonly Argument[],
  read: (text: string) => Value | undefined,
  hint: string,
): SettingIntent<Value> {
  const words = requireWords(args)
  const values = words.filter(({ text }) => read(text) !== undefined)
  const others = words.filter((word) => !values.includes(word))
  const extra = values[1] ?? others[1]
  if (extra !== undefined) {
    throw new LanguageError('unexpected-argument', `unexpected ${shown(extra.text)}`, extra.column, hint)
  }
  const [value, symbol] = [values[0], others[0]]
  if (symbol !== undefined && /^[+-]?[\d.,]+x?$/i.test(symbol.text)) {
    throw new LanguageError('bad-argument', `${shown(symbol.text)} cannot be set`, symbol.column, hint)
  }
  const [name, second] = symbol === undefined ? [] : parseNames(symbol.text, symbol.column, 'symbol')
  if (second !== undefined) {
    throw new LanguageError('bad-argument', 'one symbol is set at a time', second.column, 'name one symbol')
  }
  const found = value === undefined ? undefined : read(value.text)
  return defined({ symbol: name?.text.toUpperCase(), value: found })
}

// What `move` and `bump` are asked to do: new prices for resting orders.

export interface BumpIntent {
  /** Order ids and symbols; empty: the symbol in focus. */
  readonly names: readonly Name[]
  /** From the price that each order has now; never zero. */
  readonly offset: PriceOffset
  /** Where the venue cannot change orders: take each back, and place another. */
  readonly replace: boolean
}

const AMEND_WORDS: ReadonlySet<string> = new Set(['at', 'to', 'limit', 'stop', 'tp', 'replace'])
const BUMP = 'type an offset with its sign, as in bump +10 or bump p17 -0.1%'

/**
 * `p17 to 64000`, `p17 at 64000`, `p17 64000`: as `amend`, but that a number right behind the order is its price.
 * @throws {LanguageError} as `parseAmend`
 */
export function parseMove(args: readonly Argument[]): AmendIntent {
  const [name, price, ...rest] = args
  if (name !== undefined && price === undefined) {
    const hint = 'type its price, as in move p17 to 64000'
    throw new LanguageError('missing-argument', 'the price is missing', endColumn(requireWords(args)), hint)
  }
  const hint = movedProtection(args.flatMap((each) => (each.kind === 'word' ? [each.text] : [])))
  if (name !== undefined && hint !== undefined) {
    throw new LanguageError('bad-argument', '`move` takes one order and its new price', name.column, hint)
  }
  const isPrice = price?.kind === 'word' && !AMEND_WORDS.has(price.text.toLowerCase())
  if (name === undefined || !isPrice) return parseAmend(args)
  return parseAmend([name, { kind: 'word', text: 'at', column: price.column }, price, ...rest])
}

/**
 * `+10`, `p17 -0.1%`, `BTCUSDT,p18 +5 replace`, in any order.
 * @throws {LanguageError} `missing-argument`, `bad-price`, `bad-argument`, `unexpected-argument`
 */
export function parseBump(args: readonly Argument[]): BumpIntent {
  const words = requireWords(args)
  const offsets = words.filter(({ text }) => /^[+-]/.test(text))
  const flags = words.filter(({ text }) => text.toLowerCase() === 'replace')
  const extra = offsets[1] ?? flags[1]
  if (extra !== undefined) {
    throw new LanguageError('unexpected-argument', `unexpected ${shown(extra.text)}`, extra.column, 'keep one')
  }
  const [typed] = offsets
  const others = words.filter((word) => word !== typed && word !== flags[0])
  if (typed === undefined) throw withoutOffset(words, others)
  const at = others.find(({ text }) => AMEND_WORDS.has(text.toLowerCase()))
  if (at !== undefined) {
    const hint = 'leave it out: `bump` takes an offset, `move` a price'
    throw new LanguageError('unexpected-argument', `unexpected ${shown(at.text)}`, at.column, hint)
  }
  const offset = parseOffset(typed.text, typed.column)
  if (isZero(offset.value.replace('-', ''))) {
    throw new LanguageError('bad-price', `${shown(typed.text)} moves nothing`, typed.column, BUMP)
  }
  const names = others.flatMap(({ text, column }) => parseNames(text, column, 'symbol or order id'))
  return { names, offset, replace: flags.length > 0 }
}

/** A number without a sign could raise the price or be it. */
function withoutOffset(words: readonly Word[], others: readonly Word[]): LanguageError {
  const number = others.findLast(({ text }) => isSizeShaped(text))
  if (number === undefined) {
    return new LanguageError('missing-argument', 'the offset is missing', endColumn(words), BUMP)
  }
  const hint = /^[\d.]{1,20}%?$/.test(number.text) ? `type +${number.text} or -${number.text}` : BUMP
  return new LanguageError('bad-price', `${shown(number.text)} has no sign`, number.column, hint)
}
