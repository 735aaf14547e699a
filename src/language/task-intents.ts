// What all tasks that trade an amount are asked alike: `<side> <size> [SYMBOL,…] [reduce]`.
import { defined } from '../base/defined.ts'
import { endColumn, requireWords } from './arguments.ts'
import type { Argument, Word } from './chain.ts'
import { compareDecimals, decimalHint, isZero, readDecimal } from './decimal-text.ts'
import { bothExits } from './foreign-syntax-hints.ts'
import { LanguageError } from './language-error.ts'
import { parseSymbols } from './names.ts'
import { type Beside, BRACKET, besideOf, exitOrTurn, readBracket, type Side } from './order.ts'
import { type PriceExpression, parsePrice } from './price.ts'
import { shown } from './printable.ts'
import { isSizeShaped, type Size } from './size.ts'
import { gluedSize, type KeyedWord, readSlots, requireOfPosition, type Slot, takeKeyed } from './slots.ts'
import { parseLongDuration } from './time.ts'

interface SidedWords {
  readonly side: Side
  readonly symbols: readonly string[]
  readonly size: Size
  readonly reduce: boolean
  readonly flip?: true
  readonly stop?: PriceExpression
  readonly takeProfit?: PriceExpression
  readonly prices: ReadonlyMap<string, Slot<PriceExpression>>
}

interface SidedKeywords {
  readonly verb: 'chase' | 'twap'
  readonly prices?: readonly string[]
  /** What it sends may have a stop and a target. */
  readonly takesBracket?: true
  /** All words of the line, for what is missing. */
  readonly line: readonly Word[]
}

/** @throws {LanguageError} what `readSlots` throws; `missing-argument`, `bad-argument` */
function takeSide(words: readonly Word[], { verb, prices = [], takesBracket, line }: SidedKeywords): SidedWords {
  const end = endColumn(line)
  const flags = ['buy', 'sell', 'reduce', 'flip']
  const keywords = takesBracket === true ? { ...BRACKET, prices: [...prices, ...BRACKET.prices] } : { prices }
  const slots = readSlots(words, { ...keywords, verb: 'task', flags })
  const [buy, sell] = [slots.flags.get('buy'), slots.flags.get('sell')]
  if (buy !== undefined && sell !== undefined) {
    throw new LanguageError(
      'bad-argument',
      '`buy` and `sell` contradict each other',
      Math.max(buy.column, sell.column),
      'keep one',
    )
  }
  if (buy === undefined && sell === undefined) {
    throw new LanguageError('missing-argument', `a ${verb} needs a side`, end, wholeLine(verb, line))
  }
  if (slots.size === undefined) {
    const hint = gluedSize(slots) ?? 'type a size such as $250, 0.01 or 50%'
    throw new LanguageError('missing-argument', 'the size is missing', end, hint)
  }
  return {
    side: buy === undefined ? 'sell' : 'buy',
    symbols: slots.symbols?.value ?? [],
    size: slots.size.value,
    ...exitOrTurn(slots),
    ...readBracket(slots),
    prices: slots.prices,
  }
}

// How far work may go with a price: to a price (`65000`, `$last +100`), or so far from where it begins, on the side on which it gets worse
// (`1%`, `$50`): up for a buyer, down for a seller.

export type Reach =
  | { readonly kind: 'price'; readonly price: PriceExpression }
  | { readonly kind: 'distance'; readonly unit: 'percent' | 'quote'; readonly value: string }

/**
 * Reads the reach at `words[at]`.
 * @returns it and the index of the first word after it
 * @throws {LanguageError} `missing-argument`, `bad-price`
 */
export function parseReach(words: readonly Word[], at: number): { readonly reach: Reach; readonly next: number } {
  const word = words[at]
  const [, money, share] = /^(?:\$([\d.]+)|([\d.]+)%)$/.exec(word?.text ?? '') ?? []
  const value = readDecimal(money ?? share ?? '')
  if (word === undefined || value === undefined) {
    const { price, next } = parsePrice(words, at)
    return { reach: { kind: 'price', price }, next }
  }
  if (isZero(value)) {
    const hint = 'type a distance above zero, such as 1%, or the price itself'
    throw new LanguageError('bad-price', `${shown(word.text)} is not above zero`, word.column, hint)
  }
  if (share !== undefined && compareDecimals(value, '100') >= 0) {
    const hint = 'type a distance below 100%'
    throw new LanguageError('bad-price', `${shown(word.text)} leaves no price`, word.column, hint)
  }
  return { reach: { kind: 'distance', unit: money === undefined ? 'percent' : 'quote', value }, next: at + 1 }
}

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
      /** As in `OrderIntent`. */
      readonly flip?: true
    }
  /** `chase cancel`: the newest one of a symbol. */
  | { readonly kind: 'cancel'; readonly symbol?: string }

const CHASE_WORDS: ReadonlyMap<string, string> = new Map([
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
  const { keyed, rest } = takeKeyed(words, CHASE_WORDS)
  const { to, others } = takeTo(rest)
  const begun = takeSide(others, { verb: 'chase', line: words })
  const lasts = keyed.get('for')?.value
  return {
    kind: 'begin',
    side: begun.side,
    symbols: begun.symbols,
    size: begun.size,
    ...defined({ to, lastsMs: lasts && parseLongDuration(lasts.text, lasts.column) }),
    rest: parseThen(keyed.get('then')?.value),
    reduce: begun.reduce,
    ...defined({ flip: begun.flip }),
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
    `${shown(word?.text ?? '')} is not a way to end a chase`,
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
      `unexpected ${shown(extra.text)}`,
      extra.column,
      'name one symbol at most: the resting order is canceled with its chase',
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

export interface TwapIntent {
  readonly side: Side
  /** Upper-cased; empty: the symbol in focus. */
  readonly symbols: readonly string[]
  readonly size: Size
  /** After `into`. */
  readonly slices: number
  /** After `over`. */
  readonly durationMs: number
  /** After `random`, in percent. Absent: all alike. */
  readonly random?: string
  /** After `limit`: while the market is beyond it, slices are left out. */
  readonly limit?: PriceExpression
  /** Of each slice. */
  readonly stop?: PriceExpression
  readonly takeProfit?: PriceExpression
  readonly reduce: boolean
  /** As in `OrderIntent`. */
  readonly flip?: true
  readonly columns: { readonly slices: number }
}

const MAX_SLICES = 1000
/** Slices are at least so far apart. */
const MIN_SPACING_MS = 1000
const MAX_RANDOM = '50'

const TWAP_WORDS: ReadonlyMap<string, string> = new Map([
  ['into', 'into and a number of slices, as in into 12'],
  ['over', 'over and how long, as in over 1h'],
  ['random', 'random and a percentage, as in random 20%'],
])

/**
 * `buy $1000 BTCUSDT into 12 over 1h random 20% limit 66000 stop -2%`; the words in any order.
 * @throws {LanguageError} what `readSlots` throws; `missing-argument`, `bad-argument`, `bad-duration`
 */
export function parseTwap(args: readonly Argument[]): TwapIntent {
  const words = requireWords(args)
  refuseBareTime(words)
  const { keyed, rest } = takeKeyed(words, TWAP_WORDS)
  const { side, symbols, size, reduce, flip, stop, takeProfit, prices } = takeSide(rest, {
    verb: 'twap',
    prices: ['limit'],
    takesBracket: true,
    line: words,
  })
  const into = requireKeyed(keyed.get('into'), 'the number of slices is missing', words)
  const over = requireKeyed(keyed.get('over'), 'the duration is missing', words)
  const slices = parseSlices(into)
  const durationMs = parseLongDuration(over.text, over.column)
  if (durationMs / slices < MIN_SPACING_MS) {
    const most = Math.max(2, Math.floor(durationMs / MIN_SPACING_MS))
    const hint = `type into ${most} at most, or a longer time`
    throw new LanguageError('bad-argument', 'the slices would be less than a second apart', into.column, hint)
  }
  if ((stop ?? takeProfit) !== undefined && slices > MAX_PARTS) {
    const what = `a twap with a ${stop === undefined ? 'target' : 'stop'} has at most ${MAX_PARTS} slices: each has its own`
    throw new LanguageError('bad-argument', what, into.column, `type into ${MAX_PARTS}, or leave it out`)
  }
  const random = keyed.get('random')?.value
  const limit = prices.get('limit')
  return {
    side,
    symbols,
    size,
    slices,
    durationMs,
    reduce,
    ...defined({ flip, random: random && parseRandom(random), limit: limit?.value, stop, takeProfit }),
    columns: { slices: into.column },
  }
}

function requireKeyed(keyed: KeyedWord | undefined, what: string, line: readonly Word[]): Word {
  if (keyed !== undefined) return keyed.value
  throw new LanguageError('missing-argument', what, endColumn(line), wholeLine('twap', line))
}

/** How far each part of a dca is from the one before it, against its side: below for a buy, above for a sell. */
interface DcaStep {
  readonly kind: 'percent' | 'amount'
  /** Above zero; a percent below 100. */
  readonly value: string
}

export interface DcaIntent {
  readonly side: Side
  /** Upper-cased; absent: the symbol in focus. */
  readonly symbol?: string
  readonly size: Size
  /** After `into`. */
  readonly parts: number
  /** After `every`. */
  readonly step: DcaStep
  /** Of the first part; absent: at the market. */
  readonly at?: PriceExpression
  readonly stop?: PriceExpression
  readonly takeProfit?: PriceExpression
  /** As in `OrderIntent`. */
  readonly flip?: true
}

export interface GridIntent {
  /** Upper-cased; absent: the symbol in focus. */
  readonly symbol?: string
  readonly size: Size
  /** After `into`: steps between both prices. */
  readonly steps: number
  readonly from: PriceExpression
  readonly to: PriceExpression
  /** After `then`: what becomes of it once the price has left the range. Absent: it waits. */
  readonly leaves?: 'close' | 'keep'
}

/** Of a dca and a grid: as many as a task keeps orders. */
const MAX_PARTS = 40
const DCA = 'dca buy $1000 BTCUSDT into 4 every -1%'
const GRID = 'grid $1000 BTCUSDT into 5 from 48000 to 52000'

/**
 * `buy $1000 BTCUSDT into 4 every -1% at 64000 stop -6% tp +3%`; the words in any order.
 * @throws {LanguageError} what `readSlots` throws; `missing-argument`, `bad-argument`
 */
export function parseDca(args: readonly Argument[]): DcaIntent {
  const words = requireWords(args)
  const slots = readSlots(words, {
    verb: 'task',
    prices: ['at', 'stop', 'tp'],
    fromEntry: ['stop', 'tp'],
    flags: ['buy', 'sell', 'flip'],
    values: ['into', 'every'],
    synonyms: BRACKET.synonyms,
  })
  const [buy, sell] = [slots.flags.get('buy'), slots.flags.get('sell')]
  if (buy !== undefined && sell !== undefined) {
    const later = Math.max(buy.column, sell.column)
    throw new LanguageError('bad-argument', '`buy` and `sell` contradict each other', later, 'keep one')
  }
  if (buy === undefined && sell === undefined)
    throw missingOf(words, 'the side is missing', `type buy or sell, as in ${DCA}`)
  if (slots.size === undefined)
    throw missingOf(words, 'the size is missing', gluedSize(slots) ?? `type a size, as in ${DCA}`)
  const [into, every] = [slots.values.get('into'), slots.values.get('every')]
  if (into === undefined)
    throw missingOf(words, 'the number of parts is missing', `type into and a number, as in ${DCA}`)
  if (every === undefined) throw missingOf(words, 'the step is missing', `type every and a step, as in ${DCA}`)
  const side = buy === undefined ? 'sell' : 'buy'
  return {
    side,
    size: slots.size.value,
    parts: parseParts(into, 'parts'),
    step: parseStep(every, side),
    ...defined({
      symbol: oneSymbol(slots.symbols),
      at: slots.prices.get('at')?.value,
      stop: slots.prices.get('stop')?.value,
      takeProfit: slots.prices.get('tp')?.value,
      flip: slots.flags.get('flip')?.value,
    }),
  }
}

/**
 * `$1000 BTCUSDT into 5 from 48000 to 52000 then close`; the words in any order.
 * @throws {LanguageError} what `readSlots` throws; `missing-argument`, `bad-argument`
 */
export function parseGrid(args: readonly Argument[]): GridIntent {
  const words = requireWords(args)
  const side = words.find(({ text }) => /^(buy|sell)$/i.test(text))
  if (side !== undefined) {
    throw new LanguageError('unexpected-argument', 'a grid buys and sells', side.column, `leave ${side.text} out`)
  }
  const stop = words.findIndex(({ text }) => /^(stop|sl|stop-?loss)$/i.test(text))
  if (stop >= 0) throw stopOfGrid(words[stop], words[stop + 1])
  const slots = readSlots(words, { verb: 'task', prices: ['from', 'to'], flags: [], values: ['into', 'then'] })
  if (slots.size === undefined)
    throw missingOf(words, 'the size is missing', gluedSize(slots) ?? `type a size, as in ${GRID}`)
  const into = slots.values.get('into')
  if (into === undefined)
    throw missingOf(words, 'the number of steps is missing', `type into and a number, as in ${GRID}`)
  const [from, to] = [slots.prices.get('from'), slots.prices.get('to')]
  if (from === undefined || to === undefined) {
    const which = from === undefined ? 'lower' : 'upper'
    throw missingOf(words, `the ${which} price of its range is missing`, `type both, as in ${GRID}`)
  }
  return {
    size: slots.size.value,
    steps: parseParts(into, 'steps'),
    from: from.value,
    to: to.value,
    ...defined({ symbol: oneSymbol(slots.symbols), leaves: parseLeaves(slots.values.get('then')) }),
  }
}

/** What it holds grows and shrinks with each step: the stops of its buys would add up to more. */
function stopOfGrid(word: Word | undefined, next: Word | undefined): LanguageError {
  const at = /^[+-]?[\d.,]{1,20}%?$/.test(next?.text ?? '') ? next?.text : '-2%'
  const hint = `type \`then close\` to sell a step outside of its range, or \`stop at ${at}\` once it has bought`
  return new LanguageError('unexpected-argument', 'a grid takes no stop', word?.column ?? 1, hint)
}

function missingOf(words: readonly Word[], message: string, hint: string): LanguageError {
  return new LanguageError('missing-argument', message, endColumn(words), hint)
}

function oneSymbol(symbols: Slot<string[]> | undefined): string | undefined {
  const [only, second] = symbols?.value ?? []
  if (symbols === undefined || second === undefined) return only
  throw new LanguageError('bad-argument', 'its orders are all on one symbol', symbols.column, 'name one symbol')
}

function parseParts({ text, column }: Word, what: 'parts' | 'steps'): number {
  const parts = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (parts >= 2 && parts <= MAX_PARTS) return parts
  const message = `${shown(text)} is not a number of ${what}`
  throw new LanguageError('bad-argument', message, column, `type a whole number from 2 to ${MAX_PARTS}`)
}

/** `-1%`, `-500`: against the side. */
function parseStep(word: Word, side: Side): DcaStep {
  const { text, column } = word
  const sign = side === 'buy' ? '-' : '+'
  const forms = `type every ${sign}1%, or every ${sign}500`
  if (/^[+-]/.test(text) && !text.startsWith(sign)) {
    const where = side === 'buy' ? 'buys as the price falls' : 'sells as the price rises'
    throw new LanguageError('bad-price', `a dca ${where}: ${shown(text)} is the other way`, column, forms)
  }
  return parseDistance(word, text.replace(/^[+-]/, ''), forms)
}

function parseLeaves(word: Word | undefined): 'close' | 'keep' | undefined {
  const text = word?.text.toLowerCase()
  if (word === undefined || text === 'close' || text === 'keep') return text as 'close' | 'keep' | undefined
  const message = `${shown(word.text)} is not a way to end a grid`
  throw new LanguageError('bad-argument', message, word.column, 'type then close, or then keep')
}

/** `twap $100 BTC 10m`: a duration whose keyword is missing. */
function refuseBareTime(words: readonly Word[]): void {
  const isOver = ({ text }: Word) => /^over$/i.test(text)
  const time = words.find(({ text }) => /^\d[\d.]{0,9}[smhd]$/i.test(text))
  if (time === undefined || words.some(isOver)) return
  const [count] = words.filter(({ text }) => /^\d{1,3}$/.test(text))
  const others = words.filter((word) => word !== time && word !== count && !/^in$/i.test(word.text))
  const hint = wholeLine('twap', others, { lasts: time.text, slices: count?.text })
  throw new LanguageError('unexpected-argument', `${shown(time.text)} needs \`over\` in front`, time.column, hint)
}

/** The line with what is missing of it. */
function wholeLine(
  verb: 'chase' | 'twap',
  words: readonly Word[],
  { lasts = '1h', slices = '10' }: { readonly lasts?: string; readonly slices?: string | undefined } = {},
): string {
  const has = (keyword: RegExp) => words.some(({ text }) => keyword.test(text))
  const hasSide = has(/^(buy|sell)$/i)
  const needed = [
    ...(verb === 'twap' && !has(/^into$/i) ? [`into ${slices}`] : []),
    ...(verb === 'twap' && !has(/^over$/i) ? [`over ${lasts}`] : []),
  ]
  const line = [verb, ...(hasSide ? [] : ['buy']), ...words.map(({ text }) => text), ...needed].join(' ')
  return hasSide ? `type \`${line}\`` : `type \`${line}\`, or sell`
}

function parseSlices({ text, column }: Word): number {
  const slices = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN
  if (slices >= 2 && slices <= MAX_SLICES) return slices
  const message = `${shown(text)} is not a number of slices`
  throw new LanguageError('bad-argument', message, column, `type a whole number from 2 to ${MAX_SLICES}`)
}

function parseRandom({ text, column }: Word): string {
  const percent = readDecimal(text.endsWith('%') ? text.slice(0, -1) : text)
  if (percent !== undefined && !isZero(percent) && compareDecimals(percent, MAX_RANDOM) <= 0) return percent
  const hint = `type a percentage up to ${MAX_RANDOM}%, as in random 20%`
  throw new LanguageError('bad-argument', `${shown(text)} is not a variation of slices`, column, hint)
}

/** How far the stop is from the best price; `value` is above zero, and a percent below 100. */
interface Distance {
  readonly kind: 'percent' | 'amount'
  readonly value: string
}

export interface TrailIntent {
  readonly distance: Distance
  /** Upper-cased; empty: the symbol in focus. */
  readonly symbols: readonly string[]
  /** Absent: the whole position, also as it grows. */
  readonly size?: Size
  /** Absent: it is refused, or asked about, beside a stop that covers the position. */
  readonly beside?: Beside
  /** Behind `after`: no stop before the price has come there. `profit` counts from the entry of the position, to its side. */
  readonly after?: ({ readonly from: 'profit' } & Distance) | { readonly from: 'price'; readonly price: string }
}

const DISTANCE_FORMS = 'type a distance such as 1% or 250, as in trail 1%'
const AFTER_FORMS = 'type a profit such as +0.5% or +100, or the price itself'
const TRAIL_WORDS: ReadonlyMap<string, string> = new Map([['after', 'after and a profit, as in after +0.5%']])

/**
 * `1%`, `250 BTCUSDT 50%`, `1% after +0.5%`: the first figure is the distance, the second the size.
 * @throws {LanguageError} what `readSlots` throws; `missing-argument`, `bad-price`, `bad-size` for a part of the balance
 */
export function parseTrail(args: readonly Argument[]): TrailIntent {
  const { keyed, rest } = takeKeyed(args, TRAIL_WORDS)
  const [noun] = rest
  if (noun !== undefined && /^(stop|sl|stop-?loss)$/i.test(noun.text)) {
    const hint = 'leave it out: a trail is a stop'
    throw new LanguageError('unexpected-argument', `unexpected ${shown(noun.text)}`, noun.column, hint)
  }
  const at = rest.findIndex(({ text }) => isSizeShaped(text))
  const first = rest[at]
  if (first === undefined) {
    throw new LanguageError(
      'missing-argument',
      'the distance is missing',
      endColumn(requireWords(args)),
      DISTANCE_FORMS,
    )
  }
  const others = rest.filter((_, index) => index !== at)
  const slots = readSlots(others, { verb: 'task', prices: [], flags: ['add', 'replace'] })
  const { size, symbols } = slots
  requireOfPosition('trail', size)
  const after = keyed.get('after')?.value
  return {
    distance: parseDistance(first, first.text, DISTANCE_FORMS),
    symbols: symbols?.value ?? [],
    ...defined({ size: size?.value, beside: besideOf(slots) }),
    ...(after && { after: parseAfter(after) }),
  }
}

/** @param text without what may come before it */
function parseDistance({ text: typed, column }: Word, text: string, forms: string): Distance {
  if (/^[+-]/.test(text)) {
    throw new LanguageError('bad-price', `${shown(typed)} has a sign, and a distance has none`, column, forms)
  }
  const isPercent = text.endsWith('%')
  const value = readDecimal(isPercent ? text.slice(0, -1) : text.replace(/^\$|\$$/, ''))
  if (value === undefined) {
    throw new LanguageError('bad-price', `${shown(typed)} is not a distance`, column, decimalHint(text) ?? forms)
  }
  if (isZero(value)) throw new LanguageError('bad-price', `${shown(typed)} is zero`, column, forms)
  if (isPercent && compareDecimals(value, '100') >= 0) {
    throw new LanguageError('bad-price', `${shown(typed)} leaves no price`, column, forms)
  }
  return { kind: isPercent ? 'percent' : 'amount', value }
}

function parseAfter(word: Word): NonNullable<TrailIntent['after']> {
  const { text, column } = word
  if (text.startsWith('-')) {
    const message = `${shown(text)} is a loss: a trail is armed by a profit`
    throw new LanguageError('bad-price', message, column, AFTER_FORMS)
  }
  if (text.startsWith('+') || text.endsWith('%')) {
    return { from: 'profit', ...parseDistance(word, text.replace(/^\+/, ''), AFTER_FORMS) }
  }
  return { from: 'price', price: parseDistance(word, text, AFTER_FORMS).value }
}

export interface OcoIntent {
  /** Upper-cased; empty: the symbol in focus. */
  readonly symbols: readonly string[]
  /** Absent: the whole position. Never a part of the balance. */
  readonly size?: Size
  /** After `at`: where the profit is taken. */
  readonly take: PriceExpression
  readonly stop: PriceExpression
  /** Absent: it is refused, or asked about, beside what covers the position. */
  readonly beside?: Beside
}

const OCO_WORDS = {
  verb: 'task',
  prices: ['at', 'stop'],
  bySide: ['at', 'stop'],
  flags: ['add', 'replace'],
  synonyms: new Map([
    ['sl', 'stop'],
    ['tp', 'at'],
    ['take', 'at'],
  ]),
} as const

/**
 * `at +2% stop -1%`, `BTCUSDT 50% at $entry +2% stop $entry -1%`, in any order.
 * @throws {LanguageError} what `readSlots` throws; `missing-argument` without both prices, `bad-size` for a part of the balance
 */
export function parseOco(args: readonly Argument[]): OcoIntent {
  refuseBarePrices(args)
  const slots = readSlots(args, OCO_WORDS)
  const { words, prices, size, symbols } = slots
  const take = prices.get('at')
  const stop = prices.get('stop')
  if (take === undefined || stop === undefined) {
    const what = `the price of the ${take === undefined ? 'take-profit' : 'stop'}`
    const alone =
      take === undefined ? '`stop at -1%` is a stop without a target' : '`take at +2%` is a target without a stop'
    const hint = `type both, as in oco at +2% stop -1%; ${alone}`
    throw new LanguageError('missing-argument', `${what} is missing`, endColumn(words), hint)
  }
  requireOfPosition('oco', size)
  return {
    symbols: symbols?.value ?? [],
    ...defined({ size: size?.value }),
    take: take.value,
    stop: stop.value,
    ...defined({ beside: besideOf(slots) }),
  }
}

/** `oco 70000 60000`: two prices without their keywords. Which is the stop depends on the position. */
function refuseBarePrices(args: readonly Argument[]): void {
  const [first, second, ...others] = args.filter(
    (argument): argument is Word => argument.kind === 'word' && /^[+-]?\d[\d.]{0,20}%?$/.test(argument.text),
  )
  const hasKeyword = args.some((argument) => argument.kind === 'word' && /^(at|stop|sl|tp|take)$/i.test(argument.text))
  if (first === undefined || second === undefined || others.length > 0 || hasKeyword) return
  const symbols = args.flatMap((argument) =>
    argument.kind === 'word' && argument !== first && argument !== second ? [argument.text] : [],
  )
  const hint = bothExits([first.text, second.text], symbols)
  throw new LanguageError('unexpected-argument', 'two prices need `at` and `stop`', first.column, hint)
}
