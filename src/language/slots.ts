// Order commands read their words in any order: keywords with a price behind them, flags, one size, one list of symbols.
// Each may come once. What a command accepts is a small table; what it requires is the command's own rule.
import { defined } from '../base/defined.ts'
import { endColumn, requireWords } from './arguments.ts'
import type { Argument, Word } from './chain.ts'
import { isZero, readDecimal } from './decimal-text.ts'
import { hintForArgument, hintForNumber, hintForOrder, type OrderVerb, splitKeyword } from './foreign-syntax-hints.ts'
import { LanguageError } from './language-error.ts'
import { noSuchFlag, parseSymbols } from './names.ts'
import { type PriceExpression, type PriceOffset, parseOffset, parsePrice } from './price.ts'
import { shown } from './printable.ts'
import { isSizeShaped, isWhole, parseRisk, parseSize, type RiskSize, type Size } from './size.ts'
import { nearest } from './typo-match.ts'

/** The lower-case keywords of one command. */
interface SlotKeywords {
  readonly verb: OrderVerb
  /** Of an entry whose command names it, for hints. */
  readonly side?: 'buy' | 'sell' | undefined
  /** Followed by a price. */
  readonly prices: readonly string[]
  /** Those of them whose offsets count from the order's own price. */
  readonly fromEntry?: readonly string[]
  /** Those of them where the side of the order decides what a percentage without a sign means. */
  readonly bySide?: readonly string[]
  readonly flags: readonly string[]
  /** Followed by one word, which the command reads itself: `into 5`. */
  readonly values?: readonly string[]
  /** Whether a size may be what the stop loses: `risk 1%`. */
  readonly sizesByRisk?: true
  /** Other words for keywords, as other terminals call them: `sl` for `stop`. */
  readonly synonyms?: ReadonlyMap<string, string>
}

/** Where the parts of one entry take their profit. What is left of it has its stop alone, or is trailed. */
export interface Ladder {
  /** At least one; together at most 100. */
  readonly rungs: readonly Rung[]
  /** Of the rest: how far its stop stays behind the best price, as typed behind `trail`. */
  readonly trail?: PriceOffset
}

interface Rung {
  /** Of the whole entry: a decimal above zero. */
  readonly percent: string
  readonly price: PriceExpression
}

/** A value and the column where its slot begins. */
export interface Slot<T> {
  readonly value: T
  readonly column: number
}

export interface Slots {
  readonly words: readonly Word[]
  readonly prices: ReadonlyMap<string, Slot<PriceExpression>>
  readonly flags: ReadonlyMap<string, Slot<true>>
  /** The word behind each keyword of `values`. */
  readonly values: ReadonlyMap<string, Word>
  readonly size: Slot<Size> | undefined
  /** In place of a price after `tp`. */
  readonly ladder: Slot<Ladder> | undefined
  /** In place of the size. */
  readonly risk: Slot<RiskSize> | undefined
  /** Upper-cased. */
  readonly symbols: Slot<string[]> | undefined
}

/**
 * @throws {LanguageError} `unexpected-argument` for anything given twice, and what the parts throw: `bad-size`, `bare-number`,
 * `bad-price`, `bad-argument`, `missing-argument`
 */
export function readSlots(args: readonly Argument[], keywords: SlotKeywords): Slots {
  return new SlotReader(requireWords(args), keywords).read()
}

class SlotReader {
  readonly #words: readonly Word[]
  readonly #keywords: SlotKeywords
  readonly #prices = new Map<string, Slot<PriceExpression>>()
  readonly #flags = new Map<string, Slot<true>>()
  readonly #values = new Map<string, Word>()
  #size: Slot<Size> | undefined
  #risk: Slot<RiskSize> | undefined
  #ladder: Slot<Ladder> | undefined
  #symbols: Slot<string[]> | undefined
  #next = 0

  constructor(words: readonly Word[], keywords: SlotKeywords) {
    this.#words = words
    this.#keywords = keywords
  }

  read(): Slots {
    for (let word = this.#words[this.#next]; word !== undefined; word = this.#words[this.#next]) {
      this.#next += 1
      this.#readAt(word)
    }
    return {
      words: this.#words,
      prices: this.#prices,
      flags: this.#flags,
      values: this.#values,
      size: this.#size,
      risk: this.#risk,
      ladder: this.#ladder,
      symbols: this.#symbols,
    }
  }

  #readAt(word: Word): void {
    const { text, column } = word
    const { prices, flags, values, sizesByRisk, verb } = this.#keywords
    const typed = text.toLowerCase()
    const keyword = this.#keywordOf(typed)
    if (prices.includes(keyword)) return this.#readPrice(keyword, word)
    if (flags.includes(keyword)) {
      if (this.#flags.has(keyword)) throw givenTwice(text, column)
      this.#flags.set(keyword, { value: true, column })
    } else if (values?.includes(keyword) === true) {
      if (this.#values.has(keyword)) throw givenTwice(text, column)
      this.#values.set(keyword, valueAfter(this.#words, this.#next))
      this.#next += 1
    } else if (sizesByRisk === true && keyword === 'risk') {
      this.#readRisk(word)
    } else if (splitKeyword(text, hasPriceIn(this.#keywords)) !== undefined) {
      throw noMeaning(text, column, gluedHint(word, this.#words, this.#keywords))
    } else if (isSizeShaped(text)) {
      if (/^[^,]+,$/.test(text))
        throw noMeaning(',', column + text.length - 1, `type ${text.slice(0, -1)} without a comma`)
      if (verb === 'close' && /^-[\d.]{1,20}%?$/.test(text)) throw noMeaning('-', column, `type ${text.slice(1)}`)
      if ((this.#size ?? this.#risk) !== undefined) throw secondSize(word, this.#words, this.#keywords)
      this.#size = { value: readSize(word, this.#words, this.#keywords), column }
    } else {
      refuseSpacedList(word, this.#words)
      refuseOtherWord(word, this.#words, this.#keywords, this.#symbols !== undefined)
      this.#symbols = { value: parseSymbols(text, column), column }
    }
  }

  /** `take profit 70000` is answered as the words of elsewhere are. */
  #keywordOf(typed: string): string {
    const isNoun = typed === 'take' && /^profit$/i.test(this.#words[this.#next]?.text ?? '')
    return (isNoun ? undefined : this.#keywords.synonyms?.get(typed)) ?? typed
  }

  #readPrice(keyword: string, { text, column }: Word): void {
    const { verb } = this.#keywords
    const words = this.#words
    const isProfit = keyword === 'tp'
    // `buy 0.1 stop at 60000` is elsewhere an entry at that price; a distance has one meaning.
    const isAt = keyword !== 'at' && words[this.#next]?.text.toLowerCase() === 'at'
    const next = isAt && DISTANCE.test(words[this.#next + 1]?.text ?? '') ? this.#next + 1 : this.#next
    if (this.#prices.has(keyword) || (isProfit && this.#ladder !== undefined)) throw givenTwice(text, column)
    if (isProfit && isRung(words[next], words[next + 1])) {
      const read = readLadder(words, next)
      this.#ladder = { value: read.ladder, column }
      this.#next = read.next
      return
    }
    if (isProfit && verb === 'order' && /^[\d.]{1,20},/.test(words[next]?.text ?? '')) {
      throw badLadder(words[next]?.column ?? column, 'several prices need a share each')
    }
    const inRisk = isProfit || (keyword === 'at' && (verb === 'take' || verb === 'stop'))
    const isFromEntry = this.#keywords.fromEntry?.includes(keyword) === true
    const unsigned = this.#keywords.bySide?.includes(keyword) === true
    const read = parsePrice(words, next, { inRisk, unsigned, ...(isFromEntry ? { from: 'entry' } : {}) })
    if (verb === 'stop' || verb === 'take') refuseUnsignedOffset(read.price, words[read.next])
    this.#prices.set(keyword, { value: read.price, column })
    this.#next = read.next
  }

  #readRisk({ text, column }: Word): void {
    if (this.#risk !== undefined) throw givenTwice(text, column)
    const value = this.#words[this.#next]
    if (value === undefined) {
      const hint = 'type risk 1% or risk $50'
      throw new LanguageError('missing-argument', 'the risk is missing', endColumn(this.#words), hint)
    }
    if (this.#size !== undefined) throw secondSize(value, this.#words, this.#keywords)
    this.#risk = { value: parseRisk(value.text, value.column), column }
    this.#next += 1
  }
}

/** `-2%`, `+1.5%`. */
const DISTANCE = /^[+-][\d.]{1,20}%$/

/** `stop at $entry 1%`: taken for a size, it would leave the other 99 % without a stop. */
function refuseUnsignedOffset({ base, offset }: PriceExpression, next: Word | undefined): void {
  if (base.kind !== 'anchor' || offset !== undefined || next === undefined) return
  if (!/^[\d.]{1,20}%$/.test(next.text)) return
  const hint = `type $${base.anchor} -${next.text} or $${base.anchor} +${next.text}; a size goes before at`
  throw new LanguageError('bad-price', `${shown(next.text)} has no sign`, next.column, hint)
}

/** `0.01BTC`, taken for a symbol: the two words to type; undefined where no number begins the one symbol. */
export function gluedSize({ symbols }: Slots): string | undefined {
  const [only = '', second] = symbols?.value ?? []
  const [, amount, coin] = /^(\d[\d.]{0,17})([A-Z]{2,12})$/.exec(only) ?? []
  const isCoin = second === undefined && !/^(EUR|GBP|CHF|JPY|AUD|CAD|K|M)$/.test(coin ?? '')
  const size = isCoin && amount !== undefined ? readDecimal(amount) : undefined
  if (size === undefined || coin === undefined) return undefined
  return `type ${isWhole(size) ? `${size}.0` : size} ${coin}, with a space between`
}

/** `BTCUSDT, ETHUSDT`: a list is one word, in any place among the others. */
function refuseSpacedList({ text, column }: Word, words: readonly Word[]): void {
  const next = words[words.findIndex((word) => word.column === column) + 1]?.text ?? ''
  const isSplit = (text.length > 1 && text.endsWith(',')) || /^,[a-z]/i.test(next)
  if (!isSplit || !/^,?[a-z][\w:/-]*(,[a-z][\w:/-]*)*$/i.test(next)) return
  const list = `${text}${next}`
  if (list.length > 100) return
  throw new LanguageError('bad-argument', 'a list of symbols has no spaces', column, `type ${list.toUpperCase()}`)
}

/** `25% 1R`, `25% +1%`, `25% $entry +100`; `4% 0.01` is a price and a size. */
function isRung(share: Word | undefined, price: Word | undefined): boolean {
  if (share === undefined || price === undefined) return false
  return /^[\d.]{1,20}%$/.test(share.text) && /^(?:[+-]|[\d.]{1,20}r(?:,|$)|\$[a-z]|[^,]+,)/i.test(price.text)
}

const MAX_RUNGS = 5
const RUNG = 'type a share and a price for each, as in tp 25% 1R, 25% 2R or tp 50% 70000, 50% 72000'

/** `25% 1R, 25% 2R, trail 1%`: commas between them, with or without a space behind. */
function readLadder(words: readonly Word[], from: number): { ladder: Ladder; next: number } {
  const parts = words.slice(from).flatMap((word, index) => partsOf(word).map((part) => ({ ...part, index })))
  const pieces = parts.map(({ piece }) => piece)
  const rungs: Rung[] = []
  let trail: PriceOffset | undefined
  let at = 0
  do {
    const share = pieces[at]
    if (share === undefined) throw badLadder(endColumn(words), 'the next part is missing')
    if (trail !== undefined) throw badLadder(share.column, 'the rest already has a trail')
    if (share.text.toLowerCase() === 'trail') {
      trail = distanceOf(pieces[at + 1], share)
      at += 2
    } else {
      const read = parsePrice(pieces, at + 1, { inRisk: true, unsigned: true, from: 'entry' })
      rungs.push({ percent: shareOf(share), price: read.price })
      at = read.next
    }
  } while (parts[at - 1]?.isMore === true)
  requireWhole(rungs, trail !== undefined, words[from]?.column ?? 1)
  return { ladder: { rungs, ...defined({ trail }) }, next: from + (parts[at - 1]?.index ?? 0) + 1 }
}

function shareOf({ text, column }: Word): string {
  const percent = /^[\d.]{1,20}%$/.test(text) ? readDecimal(text.slice(0, -1)) : undefined
  if (percent !== undefined && !isZero(percent)) return percent
  throw badLadder(column, `${shown(text)} is not a share of the entry`)
}

function requireWhole(rungs: readonly Rung[], hasTrail: boolean, column: number): void {
  if (rungs.length > MAX_RUNGS) throw badLadder(column, `a ladder has at most ${MAX_RUNGS} parts`)
  const sum = rungs.reduce((total, { percent }) => total + Number(percent), 0)
  if (sum > 100) throw badLadder(column, `the parts are ${sum}% together, more than 100%`)
  if (hasTrail && sum === 100) throw badLadder(column, 'the parts are 100%, with no rest to trail')
}

function badLadder(column: number, why: string): LanguageError {
  return new LanguageError('bad-argument', why, column, RUNG)
}

function partsOf({ text, column }: Word): { piece: Word; isMore: boolean }[] {
  const texts = text.split(',')
  let at = 0
  return texts.flatMap((each, index) => {
    const piece = { kind: 'word' as const, text: each, column: column + at }
    at += each.length + 1
    return each === '' ? [] : [{ piece, isMore: index < texts.length - 1 }]
  })
}

function distanceOf(word: Word | undefined, { column, text }: Word): PriceOffset {
  if (word === undefined) {
    throw new LanguageError('missing-argument', 'the distance is missing', column + text.length, 'type trail 1%')
  }
  const distance = parseOffset(word.text, word.column)
  if (!distance.value.startsWith('-') && !isZero(distance.value)) return distance
  throw new LanguageError('bad-price', `${shown(word.text)} is not a distance`, word.column, 'type trail 1%')
}

function valueAfter(words: readonly Word[], at: number): Word {
  const value = words[at]
  if (value !== undefined) return value
  const keyword = words[at - 1]?.text ?? ''
  const hint = 'type a number after it'
  throw new LanguageError('missing-argument', `the number after ${shown(keyword)} is missing`, endColumn(words), hint)
}

function readSize(word: Word, words: readonly Word[], { verb, side }: SlotKeywords): Size {
  const unit = words[words.indexOf(word) + 1]
  if (unit !== undefined && /^(usd[tc]?|dollars?)$/i.test(unit.text) && /^[\d.,]{1,20}k?$/i.test(word.text)) {
    throw noMeaning(unit.text, unit.column, `type $${word.text}`)
  }
  if (verb === 'stop' || verb === 'take') refusePriceAlone(word, words, verb)
  const negative = /^-([\d.]{1,20})$/.exec(word.text)?.[1]
  if (verb === 'order' && side !== undefined && negative !== undefined) {
    const hint = `type ${negative}; \`${side === 'buy' ? 'sell' : 'buy'} ${negative}\` is the other side, and \`at ${word.text}\` a price`
    throw new LanguageError('bad-size', `${shown(word.text)} has a sign, and a size has none`, word.column, hint)
  }
  return parseSize(word.text, word.column)
}

/** Whatever is neither keyword nor size must be the one list of symbols. */
function refuseOtherWord(word: Word, words: readonly Word[], keywords: SlotKeywords, isSecond: boolean): void {
  const { text, column } = word
  const next = words[words.indexOf(word) + 1]
  const hint =
    wholeLine(word, words, keywords) ?? hintForArgument(text, next?.text, keywords.verb, sideOf(words, keywords))
  if (hint !== undefined) throw noMeaning(text, column, hint)
  if (isSecond) throw unknownWord(text, column, keywords, words)
}

function hasPriceIn({ prices, synonyms }: SlotKeywords): (keyword: string) => boolean {
  return (keyword) => prices.includes(synonyms?.get(keyword) ?? keyword)
}

/** `buy 0.01 stop-2%`: the whole line where its command is known. */
function gluedHint(word: Word, words: readonly Word[], keywords: SlotKeywords): string {
  const { verb, side } = keywords
  const command = side ?? (['order', 'task', 'amend'].includes(verb) ? undefined : verb)
  const apart = (text: string) => splitKeyword(text, hasPriceIn(keywords)) ?? text
  const line = [command, ...words.map(({ text }) => apart(text))].join(' ')
  return command === undefined || line.length > 100 ? `type ${apart(word.text)}` : `type \`${line}\``
}

function sideOf(words: readonly Word[], { side }: SlotKeywords): 'buy' | 'sell' | undefined {
  if (side !== undefined) return side
  const typed = words.find(({ text }) => /^(buy|sell)$/i.test(text))
  return typed === undefined ? undefined : /^b/i.test(typed.text) ? 'buy' : 'sell'
}

/** `limit 0.01 65000`, in front of the size: which number is which only the whole line says. */
function wholeLine(word: Word, words: readonly Word[], { side }: SlotKeywords): string | undefined {
  const isSized = words.slice(0, words.indexOf(word)).some(({ text }) => isSizeShaped(text))
  if (side === undefined || isSized || !/^(limit|lmt|price|@.*)$/i.test(word.text)) return undefined
  return hintForOrder(
    words.map(({ text }) => text),
    side,
  )
}

function givenTwice(text: string, column: number): LanguageError {
  return new LanguageError('unexpected-argument', `${shown(text)} is given twice`, column, 'keep one of them')
}

function secondSize(word: Word, words: readonly Word[], keywords: SlotKeywords): LanguageError {
  const { verb } = keywords
  const { text, column } = word
  const [risked, risk] = [words[words.indexOf(word) - 2]?.text ?? '', words[words.indexOf(word) - 1]?.text ?? '']
  if (/^risk$/i.test(risk) && /^\$?[\d.]{1,20}%?$/.test(risked)) {
    const hint = `type risk ${risked}, with the size after risk`
    return new LanguageError('unexpected-argument', `${shown(risked)} reads as a second size`, column, hint)
  }
  if (/^[%$]$/.test(text)) {
    const number = words[words.indexOf(word) - 1]?.text ?? ''
    const joined = text === '%' ? `${number}%` : `$${number}`
    return new LanguageError(
      'unexpected-argument',
      `${shown(text)} belongs to a number`,
      column,
      `type ${joined} without a space`,
    )
  }
  const isNumber = /^[+-]?[\d.]{1,20}%?$/.test(text)
  const before = words.slice(Math.max(0, words.indexOf(word) - 2), words.indexOf(word)).map((each) => each.text)
  if (verb === 'order' && isNumber && /^tp$/i.test(before[0] ?? '') && /^\d[\d.]*%$/.test(before[1] ?? '')) {
    const hint = `type tp ${text}, or a share before each price: tp 50% 70000, 50% 72000`
    return new LanguageError('unexpected-argument', `${shown(text)} reads as a second size`, column, hint)
  }
  if (/^risk$/i.test(before[1] ?? before[0] ?? '')) {
    return new LanguageError(
      'unexpected-argument',
      'a risk is a size, and the size is already given',
      column,
      'keep one size',
    )
  }
  const whole = groupedNumber(words, words.indexOf(word))
  const otherwise = isNumber
    ? (stopEntry(text, before, sideOf(words, keywords), verb) ?? hintForNumber(text, verb))
    : 'keep one size'
  const hint = whole === undefined ? otherwise : `type ${whole} without a space`
  return new LanguageError('unexpected-argument', `${shown(text)} reads as a second size`, column, hint)
}

/** `buy 0.01 trigger 64000` */
function stopEntry(
  price: string,
  [size, word]: readonly string[],
  side: 'buy' | 'sell' | undefined,
  verb: OrderVerb,
): string | undefined {
  if (verb !== 'order' || side === undefined || size === undefined || !/^trigger$/i.test(word ?? '')) return undefined
  return `type \`stop ${side} ${size} at ${price}\``
}

/** `$1 000`: the one number that its words, up to six, make; undefined where they make none. */
function groupedNumber(words: readonly Word[], at: number): string | undefined {
  const first = words[at - 1]?.text ?? ''
  const rest = words.slice(at, at + 5).map(({ text }) => text)
  const isGroup = (text: string) => /^\d{3}(?:[.,]\d{1,18})?\$?$/.test(text)
  const count = rest.findIndex((text) => !isGroup(text))
  const groups = count === -1 ? rest : rest.slice(0, count)
  if (!/^\$?\d{1,3}$/.test(first) || groups.length === 0) return undefined
  const number = (first + groups.join('')).replace(',', '.')
  return readDecimal(number.replace(/^\$|\$$/g, '')) === undefined ? undefined : number
}

/** `stop $entry`, `take $last +2%`. */
function refuseAnchorAlone(text: string, column: number, words: readonly Word[], verb: OrderVerb): void {
  if (words.length > 6 || !/^\$(entry|last|bid|ask)$/i.test(text)) return
  const texts = words.map((word) => word.text)
  const at = words.findIndex((word) => word.column === column)
  const line = [verb, ...texts.slice(0, at), 'at', ...texts.slice(at)].join(' ')
  const even = verb === 'stop' && texts.length === at + 1 && /entry/i.test(text)
  const hint = `type \`${line}\`${even ? ', or `stop breakeven` to round towards profit' : ''}`
  throw new LanguageError('bad-size', 'a price needs `at` before it', column, hint)
}

/** Of a stop the position decides the side: a sign would be right for a long or for a short alone. */
function hintForPrice(
  text: string,
  verb: OrderVerb,
  { lineOf, isFew }: { readonly lineOf: (price: string) => string; readonly isFew: boolean },
): string {
  const percent = text.endsWith('%') ? text : `${text}%`
  const inPercent = lineOf(verb === 'stop' ? percent.replace(/^[+-]/, '') : percent)
  if (isFew) return `type ${inPercent}, or ${lineOf(text)} for dollars`
  const isSided = verb === 'stop' && /^[+-].*%$/.test(text)
  return isSided ? `type ${inPercent}: below a long, above a short` : `type ${lineOf(text)}`
}

/** `stop -2%`, `stop 58000`. Where the line has its price, `stop 400.0 ADAUSDT at +2%`, an unsigned number is a size. */
function refusePriceAlone({ text, column }: Word, words: readonly Word[], verb: OrderVerb): void {
  const hasPrice = words.some((word) => word.text.toLowerCase() === 'at')
  if (!hasPrice) refuseAnchorAlone(text, column, words, verb)
  if (!/^[+-][\d.]{1,20}%?$/.test(text) && (hasPrice || !/^\d{3,12}(?:\.\d{1,12})?$/.test(text))) return
  const profit = words.findIndex((word) => /^(tp|take|target)$/i.test(word.text))
  const target = words[profit + 1]?.text ?? ''
  if (profit !== -1 && verb === 'stop') {
    const at = /^[\d.]{1,20}%$/.test(target) ? `+${target}` : /^[+-]?[\d.]{1,20}%?$/.test(target) ? target : '+4%'
    throw new LanguageError('bad-size', 'a price needs `at` before it', column, `type \`oco at ${at} stop ${text}\``)
  }
  const noun = verb === 'stop' ? /^loss$/i : /^profit$/i
  const others = words.filter((word) => word.column !== column && !noun.test(word.text)).map((word) => word.text)
  const isShort = others.length <= 4 && others.every((word) => /^[\w,.%$-]{1,40}$/.test(word))
  const behind = others.findIndex((word) => /^(limit|replace|add)$/i.test(word))
  const [before, after] = !isShort
    ? [[], []]
    : behind === -1
      ? [others, []]
      : [others.slice(0, behind), others.slice(behind)]
  // `stop limit 61000 60900`: the trigger comes first, as elsewhere.
  const [keyword, trigger] = words.slice(Math.max(0, words.findIndex((word) => word.column === column) - 2))
  if (verb === 'stop' && isShort && keyword?.text.toLowerCase() === 'limit' && trigger !== undefined) {
    const symbols = others.filter((word) => word !== keyword.text && word !== trigger.text)
    const line = [verb, ...symbols, 'at', trigger.text, 'limit', text].join(' ')
    throw new LanguageError('bad-size', 'a price needs `at` before it', trigger.column, `type \`${line}\``)
  }
  const lineOf = (price: string) => `\`${[verb, ...before, 'at', price, ...after].join(' ')}\``
  // One dollar, and nearly always one percent.
  const isFew = /^[+-]\d{1,2}(?:\.\d{1,2})?$/.test(text)
  const hint = hintForPrice(text, verb, { lineOf, isFew })
  throw new LanguageError('bad-size', 'a price needs `at` before it', column, hint)
}

function noMeaning(text: string, column: number, hint: string): LanguageError {
  return new LanguageError('unexpected-argument', `unexpected ${shown(text)}`, column, hint)
}

function unknownWord(text: string, column: number, keywords: SlotKeywords, words: readonly Word[]): LanguageError {
  const isSymbol = (typed: string) => /^[a-z0-9]{2,12}usd[tc]?$/i.test(typed)
  const before = words[words.findIndex((word) => word.column === column) - 1]?.text ?? ''
  if (isSymbol(text) && before.split(',').every(isSymbol)) {
    return noMeaning(text, column, `type ${before},${text} without a space`)
  }
  if (text.startsWith('--')) return noSuchFlag(text, column)
  if (/^(stop|sl|tp|take|trail)$/i.test(text)) {
    return noMeaning(text, column, 'leave it out, and protect the position with `stop at` once it is open')
  }
  const meant = nearest(text, [...keywords.prices, ...keywords.flags, ...(keywords.values ?? [])])
  const list = 'type several symbols as one list without spaces, such as BTCUSDT,ETHUSDT'
  return noMeaning(text, column, meant === undefined ? list : `did you mean ${meant}?`)
}

/** Of what ends a position, or a part of it. @throws {LanguageError} `bad-size` for a share of what the account has */
export function requireOfPosition(verb: string, size: Slot<Size> | undefined): void {
  if (
    size === undefined ||
    (size.value.kind !== 'account' && (size.value.kind !== 'percent' || size.value.of !== 'balance'))
  )
    return
  const percent = size.value.kind === 'percent' ? size.value.percent : '50'
  const message = `${verb} takes a percentage of the position, not of the balance`
  throw new LanguageError('bad-size', message, size.column, `type ${percent}%`)
}

// Keywords with one word behind them, in any order among other words: `for 5m`, `into 12`. What is left is read as other orders are.

/** A keyword and the word behind it. */
export interface KeyedWord {
  readonly keyword: Word
  readonly value: Word
}

interface KeyedWords {
  readonly keyed: ReadonlyMap<string, KeyedWord>
  readonly rest: readonly Word[]
}

/**
 * @param keywords lower-case, each with what to type behind it, for the refusal where nothing is
 * @throws {LanguageError} `missing-argument`, `unexpected-argument` for one given twice, and what `requireWords` throws
 */
export function takeKeyed(args: readonly Argument[], keywords: ReadonlyMap<string, string>): KeyedWords {
  const words = requireWords(args)
  const keyed = new Map<string, KeyedWord>()
  const rest: Word[] = []
  for (let at = 0; at < words.length; at += 1) {
    const keyword = words[at]
    if (keyword === undefined) break
    const name = keyword.text.toLowerCase()
    const example = keywords.get(name)
    if (example === undefined) {
      rest.push(keyword)
      continue
    }
    if (keyed.has(name)) {
      throw new LanguageError(
        'unexpected-argument',
        `${shown(keyword.text)} is given twice`,
        keyword.column,
        'keep one',
      )
    }
    at += 1
    const value = words[at]
    if (value === undefined) {
      const end = keyword.column + keyword.text.length
      throw new LanguageError('missing-argument', `what \`${name}\` means is missing`, end, `type ${example}`)
    }
    keyed.set(name, { keyword, value })
  }
  return { keyed, rest }
}
