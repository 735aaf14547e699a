// The language of conditions: `close(1h) crosses above ema(50) and rsi(14) < 60`, `last > 70000 for 30s`. It is data, typed and bounded, and
// it is checked when it is typed: what can never be so, divides by nothing, or needs more bars than are read, is refused with a column.
//
// A value of a frame is that of the last closed bar, and a condition is judged when a bar of its finest frame has closed. `live` judges at every
// price, with the forming bar as if it closed now. A condition without a frame (`last`, `pnl`…) is judged at every price.
import { defined } from '../base/defined.ts'
import { CANDLE_MS, type CandleInterval } from '../exchange/market.ts'
import { groupThousands } from '../exchange/price-grid.ts'
import { LanguageError } from '../language/language-error.ts'
import { joinedCondition } from '../language/parse.ts'
import { shown } from '../language/printable.ts'
import { MAX_SLEEP_MS, parseDuration } from '../language/time.ts'
import { nearest } from '../language/typo-match.ts'
import { INDICATORS, type Indicator } from './indicators.ts'

export const TICK_VALUES = ['last', 'mark', 'bid', 'ask', 'pnl', 'position', 'equity', 'funding'] as const
/** `position` is its amount, negative for a short; `pnl` its unrealised profit; `funding` the rate of the next payment. */
export type TickValue = (typeof TICK_VALUES)[number]

const FIELDS = ['open', 'high', 'low', 'close', 'volume'] as const
type BarField = (typeof FIELDS)[number]

/** Bars of one frame that a condition may need, to be known at all. */
const MAX_BARS = 1_000
const MAX_INDICATORS = 8
const MAX_DEPTH = 32

/** One series of bars: a field, or an indicator over one. */
export interface Series {
  readonly frame: CandleInterval
  readonly field: BarField
  /** Absent: the field itself. */
  readonly indicator?: { readonly name: string; readonly params: readonly number[] }
}

export type NumberNode =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'tick'; readonly name: TickValue }
  /** `back`: so many bars before the last closed one. `series` is its place in `Condition.series`. */
  | { readonly kind: 'series'; readonly series: number; readonly back: number }
  | {
      readonly kind: 'arithmetic'
      readonly operator: '+' | '-' | '*' | '/'
      readonly left: NumberNode
      readonly right: NumberNode
    }

type Comparison = '>' | '<' | '>=' | '<=' | '==' | '!='

export type BooleanNode =
  | {
      readonly kind: 'compare'
      readonly comparison: Comparison
      readonly left: NumberNode
      readonly right: NumberNode
    }
  /** `cross` counts the crossings of a condition. */
  | {
      readonly kind: 'crosses'
      readonly way: 'above' | 'below' | 'either'
      readonly cross: number
      readonly left: NumberNode
      readonly right: NumberNode
    }
  | { readonly kind: 'and' | 'or'; readonly left: BooleanNode; readonly right: BooleanNode }
  | { readonly kind: 'not'; readonly of: BooleanNode }

export interface Condition {
  readonly root: BooleanNode
  readonly series: readonly Series[]
  /** Finest first; empty where it is judged by prices alone. */
  readonly frames: readonly CandleInterval[]
  readonly ticks: readonly TickValue[]
  readonly crossings: number
  readonly isLive: boolean
  /** How long it must be so without a break. */
  readonly holdMs?: number
  /** Closed bars of each frame without which it is not known. */
  readonly needs: Readonly<Partial<Record<CandleInterval, number>>>
  /** Bars of each frame to be read before the first judgement: what smooths is near enough to its end then. */
  readonly reads: Readonly<Partial<Record<CandleInterval, number>>>
}

/** A piece of the text, with its column in the line. */
export interface ConditionText {
  readonly text: string
  /** 1-based, of its first character. */
  readonly column: number
}

interface Lexeme {
  readonly kind: 'number' | 'span' | 'name' | 'mark' | 'end'
  readonly text: string
  readonly column: number
}

const LEXEME =
  /\s+|(\d+[a-z]+)(?![\w.])|(\d+(?:\.\d+)?|\.\d+)(?![\w.])|([a-z_]+(?:\.[a-z]+)?)|(>=|<=|==|!=|[-+*/(),[\]<>])/iy

/**
 * @param pieces words of a line, or one text
 * @throws {LanguageError} `bad-condition`, `missing-argument`, `bad-duration`
 */
export function parseCondition(pieces: readonly ConditionText[]): Condition {
  return new ConditionParser(pieces.flatMap(lexemesOf), endOf(pieces)).condition()
}

function endOf(pieces: readonly ConditionText[]): number {
  const last = pieces.at(-1)
  return last === undefined ? 1 : last.column + last.text.length
}

function lexemesOf({ text, column }: ConditionText): Lexeme[] {
  const found: Lexeme[] = []
  let at = 0
  while (at < text.length) {
    LEXEME.lastIndex = at
    const match = LEXEME.exec(text)
    if (match === null) throw unreadable(text.slice(at), column + at)
    const [whole, span, number, name, mark] = match
    const kind = span ? 'span' : number ? 'number' : name ? 'name' : mark ? 'mark' : undefined
    if (kind !== undefined) found.push({ kind, text: whole.toLowerCase(), column: column + at })
    at += whole.length
  }
  return found
}

function unreadable(rest: string, column: number): LanguageError {
  const [piece = rest] = /^\S{1,20}/.exec(rest) ?? []
  const [turned] = /^=[<>]/.exec(piece) ?? []
  if (turned !== undefined) return bad(`${shown(turned)} is not a comparison`, column, `type ${turned[1]}=`)
  if (piece.startsWith('=')) return bad('`=` is not a comparison', column, 'type ==')
  const [operator] = /^(&&?|\|\|?)/.exec(piece) ?? []
  if (operator !== undefined) return joinedCondition(operator, column)
  if (piece.startsWith('!')) return bad('unexpected `!`', column, 'type not')
  if (piece.startsWith('$'))
    return bad(`${shown(piece)} is not a number`, column, `type ${piece.replace(/^\$+/, '') || '100'}`)
  if (piece.startsWith('%')) return bad('`%` has no meaning here', column, 'type the price itself, as in last > 70000')
  return bad(`unexpected ${shown(piece)} in a condition`, column, EXAMPLE)
}

const EXAMPLE = 'type one such as close(1h) > ema(50), or last > 70000'

function bad(message: string, column: number, hint?: string): LanguageError {
  return new LanguageError('bad-condition', message, column, hint)
}

// What is parsed, before its frames are known.

type Draft = { readonly column: number } & (
  | { kind: 'number'; value: number }
  | { kind: 'tick'; name: TickValue | typeof PRICE }
  | { kind: 'series'; draft: DraftSeries }
  | { kind: 'arithmetic'; operator: '+' | '-' | '*' | '/'; left: Draft; right: Draft }
  | { kind: 'compare'; comparison: Comparison; left: Draft; right: Draft }
  | { kind: 'crosses'; way: 'above' | 'below' | 'either'; left: Draft; right: Draft }
  | { kind: 'and' | 'or'; left: Draft; right: Draft }
  | { kind: 'not'; of: Draft }
)

interface DraftSeries {
  frame: CandleInterval | undefined
  readonly name: string
  readonly field: BarField
  readonly indicator: { readonly name: string; readonly params: readonly number[] } | undefined
  readonly back: number
  readonly column: number
}

/** Compared: the ask upward, the bid downward, as an order there would meet it. Elsewhere last. */
const PRICE = 'price'

const COMPARISONS = new Set(['>', '<', '>=', '<=', '==', '!='])
/** What is meant by `crosses`. */
const SPOKEN_CROSSING = /^(?:cross|crossed|crossing|crossover|crossunder|crossesover|crossesunder)$/
const BOOLEANS = new Set(['compare', 'crosses', 'and', 'or', 'not'])
const KEYWORDS = ['and', 'or', 'not', 'crosses', 'above', 'below', 'for', 'live']
const NAMES = [PRICE, ...TICK_VALUES, ...FIELDS, ...INDICATORS.keys(), ...KEYWORDS]

/** The price at which it becomes true, where it is one price of now against a number. */
export function levelOf({ root }: Pick<Condition, 'root'>): number | undefined {
  const hasLevel =
    root.kind === 'crosses' ? root.way !== 'either' : root.kind === 'compare' && ORDERED.has(root.comparison)
  return hasLevel ? numberAgainst(root, isPriceOfNow) : undefined
}

/** The number that what `isOther` knows is compared with. */
export function numberAgainst(node: BooleanNode, isOther: (side: NumberNode) => boolean): number | undefined {
  if (node.kind !== 'compare' && node.kind !== 'crosses') return undefined
  const { left, right } = node
  if (left.kind === 'number' && isOther(right)) return left.value
  return right.kind === 'number' && isOther(left) ? right.value : undefined
}

export function isPriceOfNow(node: NumberNode): boolean {
  return node.kind === 'tick' && PRICES.has(node.name)
}

const PRICES: ReadonlySet<TickValue> = new Set(['last', 'mark', 'bid', 'ask'])
const ORDERED: ReadonlySet<Comparison> = new Set(['>', '<', '>=', '<='])

/** As people read it: `last > 50,000`. What an indicator counts keeps its digits. */
export function showCondition(text: string): string {
  return text.replaceAll(/[a-z.]+\([^()]*\)|\d{4,}(?:\.\d+)?/gi, (part) =>
    /^\d/.test(part) ? groupThousands(part) : part,
  )
}

/** Whether a word begins a condition, and is not the name of a symbol. */
export function beginsCondition(word: string): boolean {
  const [, name = ''] = /^([a-z_]+(?:\.[a-z]+)?)/i.exec(word) ?? []
  return !/^[a-z]/i.test(word) || NAMES.includes(name.toLowerCase()) || /^[a-z.]+[([]/i.test(word)
}

const UNCLOSED = 'this "(" has no closing ")"'

class ConditionParser {
  readonly #lexemes: readonly Lexeme[]
  readonly #end: Lexeme
  readonly #series: DraftSeries[] = []
  #at = 0
  #depth = 0

  constructor(lexemes: readonly Lexeme[], endColumn: number) {
    this.#lexemes = lexemes
    this.#end = { kind: 'end', text: '', column: endColumn }
  }

  condition(): Condition {
    if (this.#lexemes.length === 0) {
      throw new LanguageError('missing-argument', 'the condition is missing', this.#end.column, EXAMPLE)
    }
    let isLive = this.#take('live')
    const root = this.#or()
    this.#requireBoolean(root)
    const { holdMs, column } = this.#hold()
    isLive = this.#take('live') || isLive
    const next = this.#peek()
    if (next.kind !== 'end') throw this.#unexpected(next)
    this.#resolveFrames(root)
    const indicators = new Set(this.#series.flatMap((series) => (series.indicator ? [keyOf(series)] : [])))
    if (indicators.size > MAX_INDICATORS) {
      throw bad(`a condition has at most ${MAX_INDICATORS} indicators`, this.#series[0]?.column ?? 1, 'make two of it')
    }
    if (holdMs !== undefined && this.#series.length > 0 && !isLive) {
      throw bad('closed bars are judged once each, so `for` has no effect', column, 'type live, or remove the `for`')
    }
    if (isLive && this.#series.length === 0) {
      throw bad('`live` has no effect here: prices are judged as they come', 1, 'remove the `live`')
    }
    return build(root, isLive, holdMs)
  }

  #hold(): { holdMs?: number; column: number } {
    const { column } = this.#peek()
    if (!this.#take('for')) return { column }
    const word = this.#next()
    if (word.kind !== 'span') throw bad('`for` needs a duration', word.column, 'type one such as for 30s')
    const holdMs = parseDuration(word.text, word.column, { maxMs: MAX_SLEEP_MS })
    if (holdMs === 0)
      throw bad(`\`for ${word.text}\` has no effect`, column, 'leave it out, or type one such as for 30s')
    return { holdMs, column }
  }

  #or(): Draft {
    let left = this.#and()
    for (;;) {
      const { column } = this.#peek()
      if (!this.#take('or')) return left
      const right = this.#and()
      this.#requireBoolean(left)
      this.#requireBoolean(right)
      left = { kind: 'or', left, right, column }
    }
  }

  #and(): Draft {
    let left = this.#not()
    for (;;) {
      const { column } = this.#peek()
      if (!this.#take('and')) return left
      const right = this.#not()
      this.#requireBoolean(left)
      this.#requireBoolean(right)
      left = { kind: 'and', left, right, column }
    }
  }

  #not(): Draft {
    const { column } = this.#peek()
    if (!this.#take('not')) return this.#comparison()
    const of = this.#deeper(column, () => this.#not())
    this.#requireBoolean(of)
    return { kind: 'not', of, column }
  }

  #comparison(): Draft {
    const left = this.#sum()
    const { text, column } = this.#peek()
    if (text === 'crosses') {
      this.#next()
      const way = this.#take('above') ? 'above' : this.#take('below') ? 'below' : 'either'
      const right = this.#sum()
      this.#requireNumber(left)
      this.#requireNumber(right)
      const upward = way === 'either' ? undefined : way === 'above'
      return { kind: 'crosses', way, ...sided(left, right, upward), column }
    }
    if (SPOKEN_CROSSING.test(text)) throw this.#spokenCrossing()
    if (!COMPARISONS.has(text)) return left
    this.#next()
    const right = this.#sum()
    this.#requireNumber(left)
    this.#requireNumber(right)
    if (COMPARISONS.has(this.#peek().text)) {
      throw bad('a comparison has two sides', this.#peek().column, 'join two comparisons with and')
    }
    const upward = text.startsWith('>') ? true : text.startsWith('<') ? false : undefined
    return { kind: 'compare', comparison: text as Comparison, ...sided(left, right, upward), column }
  }

  /** `cross above`, `crossover`. */
  #spokenCrossing(): LanguageError {
    const { text, column } = this.#next()
    const isBelow = /below|under|down/.test(`${text} ${this.#peek().text}`)
    return bad(`${shown(text)} is not a comparison`, column, `type crosses ${isBelow ? 'below' : 'above'}`)
  }

  #sum(): Draft {
    let left = this.#product()
    for (;;) {
      const { text, column, kind } = this.#peek()
      if (kind !== 'mark' || (text !== '+' && text !== '-')) return left
      this.#next()
      left = this.#arithmetic(text, left, this.#product(), column)
    }
  }

  #product(): Draft {
    let left = this.#factor()
    for (;;) {
      const { text, column, kind } = this.#peek()
      if (kind !== 'mark' || (text !== '*' && text !== '/')) return left
      this.#next()
      left = this.#arithmetic(text, left, this.#factor(), column)
    }
  }

  #arithmetic(operator: '+' | '-' | '*' | '/', left: Draft, right: Draft, column: number): Draft {
    this.#requireNumber(left)
    this.#requireNumber(right)
    return { kind: 'arithmetic', operator, left, right, column }
  }

  #factor(): Draft {
    const lexeme = this.#next()
    const { kind, text, column } = lexeme
    if (text === '-' || text === '+') {
      const of = this.#deeper(column, () => this.#factor())
      this.#requireNumber(of)
      return text === '+' ? of : this.#arithmetic('-', { kind: 'number', value: 0, column }, of, column)
    }
    if (text === '(') {
      const inner = this.#deeper(column, () => this.#or())
      this.#require(')', UNCLOSED, column, 'type ) where it ends')
      return inner
    }
    if (kind === 'number') return { kind: 'number', value: Number(text + this.#thousands(text)), column }
    if (kind !== 'name') throw this.#unexpected(lexeme)
    if (text === PRICE) return { kind: 'tick', name: PRICE, column }
    if ((TICK_VALUES as readonly string[]).includes(text)) return { kind: 'tick', name: text as TickValue, column }
    const isField = (FIELDS as readonly string[]).includes(text)
    const indicator = INDICATORS.get(text)
    if (!isField && indicator === undefined) throw unknownName(lexeme)
    const draft = isField ? this.#field(lexeme) : this.#indicator(lexeme, indicator as Indicator)
    this.#series.push(draft)
    return { kind: 'series', draft, column }
  }

  /** `,000` behind `70`: no comma has another meaning outside of the parentheses of an indicator. */
  #thousands(first: string): string {
    let digits = ''
    while (/^\d{1,3}$/.test(first) && !digits.includes('.') && this.#peek().text === ',') {
      const group = this.#lexemes[this.#at + 1]
      if (group?.kind !== 'number' || !/^\d{3}(?:\.\d+)?$/.test(group.text)) break
      this.#at += 2
      digits += group.text
    }
    return digits
  }

  #field({ text, column }: Lexeme): DraftSeries {
    let frame: CandleInterval | undefined
    if (this.#take('(')) {
      const inner = this.#next()
      if (inner.kind !== 'span') throw bad(`${shown(text)} takes a frame`, inner.column, `type ${text}(1h)`)
      frame = frameOf(inner)
      this.#require(')', UNCLOSED, column, `type ${text}(${inner.text})`)
    }
    return { frame, name: text, field: text as BarField, indicator: undefined, back: this.#back(), column }
  }

  /** `ema(50)`, `ema(high, 50, 4h)`: numbers in their order, a source and a frame anywhere. */
  #indicator({ text, column }: Lexeme, indicator: Indicator): DraftSeries {
    const { frame, field = 'close', typed } = this.#arguments(text, indicator)
    const params = indicator.defaults.map((fallback, index) => {
      const part = typed[index]
      const isLast = index === indicator.defaults.length - 1
      if (part !== undefined) return paramOf(part, indicator.deviations === true && isLast)
      if (fallback !== undefined) return fallback
      throw bad(`${text} needs a number of bars`, column, `type ${usageOf(text, indicator)}`)
    })
    if (text.startsWith('macd') && (params[0] ?? 0) >= (params[1] ?? 0)) {
      throw bad('the fast average of macd needs fewer bars than the slow one', column, 'type macd(12, 26, 9)')
    }
    return { frame, name: text, field, indicator: { name: text, params }, back: this.#back(), column }
  }

  #arguments(name: string, indicator: Indicator) {
    let frame: CandleInterval | undefined
    let field: BarField | undefined
    const typed: Lexeme[] = []
    if (!this.#take('(')) {
      const { kind, text, column } = this.#peek()
      if (kind !== 'number' || indicator.defaults.length === 0) return { frame, field, typed }
      throw bad(`the numbers of ${name} go in ( )`, column, `type ${name}(${text})`)
    }
    const inside: string[] = []
    while (!this.#take(')')) {
      const part = this.#next()
      inside.push(part.text)
      const isField = (FIELDS as readonly string[]).includes(part.text)
      if (part.kind === 'span' && frame === undefined) frame = frameOf(part)
      else if (part.kind === 'number' && typed.length < indicator.defaults.length) typed.push(part)
      else if (isField && field === undefined && !indicator.wholeBar) field = part.text as BarField
      else throw this.#notAnArgument(part, name, indicator)
      const { kind, text, column } = this.#peek()
      if (text === ')') continue
      const isArgument = kind === 'number' || kind === 'span' || (kind === 'name' && !KEYWORDS.includes(text))
      const what = isArgument ? 'a "," is missing' : UNCLOSED
      const whole = isArgument ? usageOf(name, indicator) : `${name}(${inside.join(', ')})`
      this.#require(',', what, column, `type ${whole}`)
    }
    return { frame, field, typed }
  }

  #notAnArgument(part: Lexeme, name: string, indicator: Indicator): LanguageError {
    if (part.kind === 'end') return bad(UNCLOSED, part.column, `type ${usageOf(name, indicator)}`)
    const isNested = INDICATORS.has(part.text)
    const why = isNested
      ? `${name} takes a price, and no other indicator`
      : `${shown(part.text)} is not an argument of ${name}`
    return bad(why, part.column, `type ${usageOf(name, indicator)}`)
  }

  #back(): number {
    const { column } = this.#peek()
    if (!this.#take('[')) return 0
    const number = this.#next()
    if (number.kind !== 'number' || !/^\d+$/.test(number.text)) {
      throw bad('between [ and ] is a number of bars', number.column, 'type close(1h)[1] for the bar before')
    }
    this.#require(']', 'this "[" has no closing "]"', column)
    return Number(number.text)
  }

  #resolveFrames(root: Draft): void {
    const named = (drafts: readonly DraftSeries[]) => new Set(drafts.flatMap(({ frame }) => (frame ? [frame] : [])))
    const onlyOf = (drafts: readonly DraftSeries[]) => {
      const frames = named(drafts)
      return frames.size === 1 ? [...frames][0] : undefined
    }
    const comparisons = comparisonsIn(root)
    for (const { left, right } of comparisons) {
      const [near, far] = [seriesIn(left), seriesIn(right)]
      // First as typed: what one side is given must not decide the other.
      const [ofLeft, ofRight] = [onlyOf(near), onlyOf(far)]
      for (const series of near) series.frame ??= ofRight ?? ofLeft
      for (const series of far) series.frame ??= ofLeft ?? ofRight
    }
    const only = onlyOf(this.#series)
    for (const series of this.#series) {
      series.frame ??= only
      if (series.frame !== undefined) continue
      const why = named(this.#series).size > 1 ? 'may be of more than one frame' : 'has no frame'
      const example = series.indicator === undefined ? `${series.name}(1h)` : withFrame(series)
      throw bad(`${series.name} ${why}`, series.column, `type ${example}`)
    }
  }

  #requireBoolean(draft: Draft): void {
    if (BOOLEANS.has(draft.kind)) return
    throw bad('this is a number, not a condition', draft.column, 'compare it, as in close(1h) > ema(50)')
  }

  #requireNumber(draft: Draft): void {
    if (!BOOLEANS.has(draft.kind)) return
    throw bad('a comparison is not a number', draft.column, 'join comparisons with and, or or')
  }

  #deeper<R>(column: number, parse: () => R): R {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) throw bad(`it is nested more than ${MAX_DEPTH} deep`, column, 'make it simpler')
    const parsed = parse()
    this.#depth -= 1
    return parsed
  }

  #peek(): Lexeme {
    return this.#lexemes[this.#at] ?? this.#end
  }

  #next(): Lexeme {
    const lexeme = this.#peek()
    this.#at += 1
    return lexeme
  }

  #take(text: string): boolean {
    if (this.#peek().text !== text) return false
    this.#at += 1
    return true
  }

  #require(text: string, message: string, column: number, hint = `type ${text}`): void {
    if (!this.#take(text)) throw bad(message, column, hint)
  }

  #unexpected({ kind, text, column }: Lexeme): LanguageError {
    if (kind === 'end') return bad('a value is missing', column, EXAMPLE)
    if (kind === 'span') return bad(`${shown(text)} is a frame or a duration`, column, 'type it in ( ), or after for')
    return bad(`unexpected ${shown(text)}`, column, EXAMPLE)
  }
}

/** @param upward whether the left side is to be above the right one; undefined for either way */
function sided(
  left: Draft,
  right: Draft,
  upward: boolean | undefined,
): { readonly left: Draft; readonly right: Draft } {
  const meant = (side: Draft, isRising: boolean | undefined): Draft =>
    side.kind === 'tick' && side.name === PRICE && isRising !== undefined
      ? { ...side, name: isRising ? 'ask' : 'bid' }
      : side
  return { left: meant(left, upward), right: meant(right, upward === undefined ? undefined : !upward) }
}

function unknownName({ text, column }: Lexeme): LanguageError {
  if (/^bb\b/.test(text))
    return bad('bb has three lines', column, 'type bb.upper(20, 2), bb.middle(20) or bb.lower(20, 2)')
  if (text.startsWith('macd.')) return bad('macd has three lines', column, 'type macd, macd.signal or macd.histogram')
  if (KEYWORDS.includes(text)) {
    const hint = text === 'live' ? 'type live at the beginning: it is for the whole condition' : EXAMPLE
    return bad(`unexpected ${shown(text)}`, column, hint)
  }
  const meant = nearest(text, NAMES)
  return bad(
    `${shown(text)} is not a value of a condition`,
    column,
    meant === undefined ? EXAMPLE : `did you mean ${meant}?`,
  )
}

function frameOf({ text, column }: Lexeme): CandleInterval {
  if (text in CANDLE_MS) return text as CandleInterval
  throw bad(`${shown(text)} is not a frame`, column, `type one of ${Object.keys(CANDLE_MS).join(' ')}`)
}

function paramOf({ text, column }: Lexeme, mayBeBroken: boolean): number {
  const value = Number(text)
  if (mayBeBroken && value > 0 && value <= 100) return value
  if (Number.isInteger(value) && value >= 1 && value <= MAX_BARS) return value
  const hint = mayBeBroken ? 'type one such as 2 or 2.5' : `type a whole number from 1 to ${MAX_BARS}`
  throw bad(`${shown(text)} is not a number of ${mayBeBroken ? 'deviations' : 'bars'}`, column, hint)
}

function usageOf(name: string, { names, defaults }: Indicator): string {
  const values = names.map((_, index) => defaults[index] ?? 20)
  return values.length === 0 ? name : `${name}(${values.join(', ')})`
}

function withFrame({ name, indicator }: DraftSeries): string {
  return `${name}(${[...(indicator?.params ?? []), '1h'].join(', ')})`
}

function keyOf({ frame, field, indicator, name }: DraftSeries): string {
  return `${name} ${frame} ${field} ${indicator?.params.join(',') ?? ''}`
}

type Comparing = Extract<Draft, { kind: 'compare' | 'crosses' }>

function comparisonsIn(draft: Draft): Comparing[] {
  if (draft.kind === 'compare' || draft.kind === 'crosses') return [draft]
  if (draft.kind === 'not') return comparisonsIn(draft.of)
  return draft.kind === 'and' || draft.kind === 'or'
    ? [...comparisonsIn(draft.left), ...comparisonsIn(draft.right)]
    : []
}

function seriesIn(draft: Draft): DraftSeries[] {
  if (draft.kind === 'series') return [draft.draft]
  return draft.kind === 'arithmetic' ? [...seriesIn(draft.left), ...seriesIn(draft.right)] : []
}

// From draft to condition: series are counted once, and what can never be so, or always is, is refused.

function build(root: Draft, isLive: boolean, holdMs: number | undefined): Condition {
  const builder = new ConditionBuilder()
  const node = builder.boolean(root)
  const { series, ticks, crossings, needs, reads } = builder
  const frames = [...new Set(series.map(({ frame }) => frame))].sort((a, b) => CANDLE_MS[a] - CANDLE_MS[b])
  return { root: node, series, frames, ticks: [...ticks], crossings, isLive, needs, reads, ...defined({ holdMs }) }
}

class ConditionBuilder {
  readonly series: Series[] = []
  readonly ticks = new Set<TickValue>()
  readonly needs: Partial<Record<CandleInterval, number>> = {}
  readonly reads: Partial<Record<CandleInterval, number>> = {}
  crossings = 0
  readonly #places = new Map<string, number>()

  boolean(draft: Draft): BooleanNode {
    switch (draft.kind) {
      case 'compare':
        return this.#compare(draft)
      case 'crosses':
        return this.#crosses(draft)
      case 'not':
        return { kind: 'not', of: this.boolean(draft.of) }
      case 'and': {
        const node = { kind: 'and', left: this.boolean(draft.left), right: this.boolean(draft.right) } as const
        refuseContradiction(node, draft.column)
        return node
      }
      case 'or':
        return { kind: 'or', left: this.boolean(draft.left), right: this.boolean(draft.right) }
      default:
        throw bad('this is a number', draft.column)
    }
  }

  #compare(draft: Extract<Draft, { kind: 'compare' }>): BooleanNode {
    const { comparison } = draft
    const node = {
      kind: 'compare',
      comparison,
      left: this.#number(draft.left),
      right: this.#number(draft.right),
    } as const
    const always = alwaysOf(node, this.series)
    if (always !== undefined) throw settled(always, draft, node, this.series)
    return node
  }

  #crosses(draft: Extract<Draft, { kind: 'crosses' }>): BooleanNode {
    const left = this.#number(draft.left)
    const right = this.#number(draft.right)
    const above = alwaysOf({ kind: 'compare', comparison: '>', left, right }, this.series)
    const below = alwaysOf({ kind: 'compare', comparison: '<', left, right }, this.series)
    if (above !== undefined || below !== undefined) throw bad('it can never cross', draft.column, EXAMPLE)
    this.crossings += 1
    return { kind: 'crosses', way: draft.way, cross: this.crossings - 1, left, right }
  }

  #number(draft: Draft): NumberNode {
    switch (draft.kind) {
      case 'number':
        return { kind: 'number', value: draft.value }
      case 'tick':
        return this.#tick(draft.name === PRICE ? 'last' : draft.name)
      case 'series':
        return { kind: 'series', series: this.#place(draft.draft), back: draft.draft.back }
      case 'arithmetic': {
        const { operator, column } = draft
        const left = this.#number(draft.left)
        const right = this.#number(draft.right)
        if (operator === '/' && isNothing(right)) throw bad('it divides by zero', column, 'divide by another value')
        if (left.kind !== 'number' || right.kind !== 'number') return { kind: 'arithmetic', operator, left, right }
        return { kind: 'number', value: calculate(operator, left.value, right.value) }
      }
      default:
        throw bad('a comparison is not a number', draft.column)
    }
  }

  #tick(name: TickValue): NumberNode {
    this.ticks.add(name)
    return { kind: 'tick', name }
  }

  #place(draft: DraftSeries): number {
    const { frame, field, indicator, column } = draft
    if (frame === undefined) throw bad('it has no frame', column)
    this.#count(draft, frame)
    const key = keyOf(draft)
    const known = this.#places.get(key)
    if (known !== undefined) return known
    this.#places.set(key, this.series.length)
    this.series.push({ frame, field, ...defined({ indicator }) })
    return this.series.length - 1
  }

  #count({ indicator, back, column }: DraftSeries, frame: CandleInterval): void {
    const found = indicator && INDICATORS.get(indicator.name)
    const first = indicator === undefined || found === undefined ? 1 : found.needs(indicator.params)
    // A crossing looks at the bar before, too.
    const needed = first + back + 1
    if (needed > MAX_BARS) {
      throw bad(`it needs ${needed} bars of ${frame}, and at most ${MAX_BARS} are read`, column, 'ask for fewer bars')
    }
    this.needs[frame] = Math.max(this.needs[frame] ?? 0, needed)
    const wanted = found?.smooths === true ? needed + 10 * first : needed
    this.reads[frame] = Math.min(MAX_BARS, Math.max(this.reads[frame] ?? 0, wanted))
  }
}

function settled(isAlways: boolean, draft: Comparing, node: ComparisonNode, series: readonly Series[]): LanguageError {
  const extreme = [node.left, node.right].find((side) => isExtreme(side, series))
  if (extreme !== undefined && !isAlways) {
    return bad(
      'the last bar is one of them, so it can never be true',
      draft.column,
      'type [1] after it for the bars before',
    )
  }
  const why = isAlways ? 'it is always true, so it never becomes true' : 'it can never be true'
  return bad(why, draft.column, 'compare other values')
}

type ComparisonNode = Extract<BooleanNode, { kind: 'compare' }>

function isExtreme(node: NumberNode, series: readonly Series[]): boolean {
  const name = node.kind === 'series' ? series[node.series]?.indicator?.name : undefined
  return name === 'highest' || name === 'lowest'
}

function isSame(a: NumberNode, b: NumberNode): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function isNothing(node: NumberNode): boolean {
  if (node.kind === 'number') return node.value === 0
  return node.kind === 'arithmetic' && node.operator === '-' && isSame(node.left, node.right)
}

export function calculate(operator: '+' | '-' | '*' | '/', left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case '/':
      return left / right
  }
}

type Range = readonly [least: number, most: number]

const ANY: Range = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
const POSITIVE: Range = [0, Number.POSITIVE_INFINITY]

function rangeOf(node: NumberNode, series: readonly Series[]): Range {
  switch (node.kind) {
    case 'number':
      return [node.value, node.value]
    case 'tick':
      return ['last', 'mark', 'bid', 'ask'].includes(node.name) ? POSITIVE : ANY
    case 'series': {
      const name = series[node.series]?.indicator?.name
      const range = name === undefined ? 'source' : INDICATORS.get(name)?.range
      return range === 'percent' ? [0, 100] : range === 'any' ? ANY : POSITIVE
    }
    case 'arithmetic':
      return rangeOfResult(node, rangeOf(node.left, series), rangeOf(node.right, series))
  }
}

type Arithmetic = Extract<NumberNode, { kind: 'arithmetic' }>

function rangeOfResult({ operator, left, right }: Arithmetic, [a, b]: Range, [c, d]: Range): Range {
  if (operator === '+') return [a + c, b + d]
  if (operator === '-') return isSame(left, right) ? [0, 0] : [a - d, b - c]
  if (operator === '/' && c < 0) return ANY
  const ends = [
    calculate(operator, a, c),
    calculate(operator, a, d),
    calculate(operator, b, c),
    calculate(operator, b, d),
  ]
  // Nothing times whatever is nothing.
  const known = ends.map((end) => (Number.isNaN(end) ? 0 : end))
  return [Math.min(...known), Math.max(...known)]
}

/** Whether it is so whatever the market does; undefined: that depends. */
function alwaysOf({ comparison, left, right }: ComparisonNode, series: readonly Series[]): boolean | undefined {
  if (isSame(left, right)) return comparison === '>=' || comparison === '<=' || comparison === '=='
  const bounded = boundedBy(left, right, series)
  if (bounded === 'above') return always(comparison, { neverAbove: true, neverBelow: false })
  if (bounded === 'below') return always(comparison, { neverAbove: false, neverBelow: true })
  const [a, b] = rangeOf(left, series)
  const [c, d] = rangeOf(right, series)
  if (a > d || (d <= 0 && isPrice(left, series)))
    return comparison === '>' || comparison === '>=' || comparison === '!='
  if (b < c || (b <= 0 && isPrice(right, series)))
    return comparison === '<' || comparison === '<=' || comparison === '!='
  return always(comparison, { neverAbove: b <= c, neverBelow: a >= d })
}

/** No price is zero. */
function isPrice(node: NumberNode, series: readonly Series[]): boolean {
  if (node.kind !== 'series') return isPriceOfNow(node)
  const of = series[node.series]
  return of !== undefined && of.indicator === undefined && of.field !== 'volume'
}

function always(
  comparison: Comparison,
  { neverAbove, neverBelow }: { readonly neverAbove: boolean; readonly neverBelow: boolean },
): boolean | undefined {
  if (neverAbove && comparison === '>') return false
  if (neverBelow && comparison === '<') return false
  if (neverAbove && comparison === '<=') return true
  if (neverBelow && comparison === '>=') return true
  return undefined
}

/** Whether one is never above, or never below, the other, by what they are of the same bar. */
function boundedBy(left: NumberNode, right: NumberNode, series: readonly Series[]): 'above' | 'below' | undefined {
  if (left.kind !== 'series' || right.kind !== 'series' || left.back !== right.back) return undefined
  const [a, b] = [series[left.series], series[right.series]]
  if (a === undefined || b === undefined || a.frame !== b.frame) return undefined
  if (isAtLeast(b, a)) return 'above'
  return isAtLeast(a, b) ? 'below' : undefined
}

const BANDS = ['bb.lower', 'bb.middle', 'bb.upper']
const OF_A_BAR: Readonly<Partial<Record<BarField, number>>> = { low: 0, open: 1, close: 1, high: 2 }

/** The highest of bars is at least their last, and a bar's high at least its close. */
function isAtLeast(a: Series, b: Series): boolean {
  const [above, below] = [a.indicator?.name, b.indicator?.name]
  if (above !== undefined && below !== undefined && BANDS.includes(above) && BANDS.includes(below)) {
    const isOfSame = a.field === b.field && String(a.indicator?.params) === String(b.indicator?.params)
    return isOfSame && BANDS.indexOf(above) >= BANDS.indexOf(below)
  }
  if (above !== undefined && above !== 'highest') return false
  if (below !== undefined && below !== 'lowest') return false
  if (a.field === b.field) return true
  const [high, low] = [OF_A_BAR[a.field], OF_A_BAR[b.field]]
  return high !== undefined && low !== undefined && high > low
}

/** `rsi(14) > 70 and rsi(14) < 30`. */
function refuseContradiction(node: BooleanNode, column: number): void {
  const bounds = new Map<string, { least: number; most: number; readonly excluded: Set<number> }>()
  for (const each of conjuncts(node)) {
    const limited = each.kind === 'compare' ? limitIn(each) : undefined
    if (limited === undefined) continue
    const { side, comparison, limit } = limited
    const bound = bounds.get(side) ?? {
      least: Number.NEGATIVE_INFINITY,
      most: Number.POSITIVE_INFINITY,
      excluded: new Set(),
    }
    bounds.set(side, bound)
    if (['>', '>=', '=='].includes(comparison)) bound.least = Math.max(bound.least, limit)
    if (['<', '<=', '=='].includes(comparison)) bound.most = Math.min(bound.most, limit)
    if (['>', '<', '!='].includes(comparison)) bound.excluded.add(limit)
    if (bound.least > bound.most || (bound.least === bound.most && bound.excluded.has(bound.least)))
      throw bad('both sides of this `and` can never be true together', column, 'type or')
  }
}

/** What is compared with a number, as if the number were behind it. */
function limitIn({ left, right, comparison }: ComparisonNode) {
  if (right.kind === 'number') return { side: JSON.stringify(left), comparison, limit: right.value }
  if (left.kind !== 'number') return undefined
  const turned = comparison.replace(/[<>]/, (mark) => (mark === '<' ? '>' : '<'))
  return { side: JSON.stringify(right), comparison: turned, limit: left.value }
}

function conjuncts(node: BooleanNode): BooleanNode[] {
  if (node.kind === 'and') return [...conjuncts(node.left), ...conjuncts(node.right)]
  if (node.kind !== 'not' || node.of.kind !== 'compare') return [node]
  return [{ ...node.of, comparison: OPPOSITE[node.of.comparison] }]
}

const OPPOSITE: Readonly<Record<Comparison, Comparison>> = {
  '>': '<=',
  '<': '>=',
  '>=': '<',
  '<=': '>',
  '==': '!=',
  '!=': '==',
}
