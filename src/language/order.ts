// What `buy`, `sell`, `stop`, `take`, `close` and `cancel` are asked to do, before any market is known.
// In all of them no symbol means the one in focus.
import { defined } from '../base/defined.ts'
import { endColumn, requireWords } from './arguments.ts'
import type { Argument, Word } from './chain.ts'
import { LanguageError } from './language-error.ts'
import { type Name, parseNames } from './names.ts'
import { type PriceExpression, type PriceOffset, parseOffset } from './price.ts'
import { printArgument } from './print.ts'
import { shown } from './printable.ts'
import type { RiskSize, Size } from './size.ts'
import { gluedSize, type Ladder, readSlots, requireOfPosition, type Slot, type Slots, takeKeyed } from './slots.ts'
import { nearest } from './typo-match.ts'

export type Side = 'buy' | 'sell'

export interface OrderIntent {
  /** Upper-cased; empty: the symbol in focus. */
  readonly symbols: readonly string[]
  readonly size: Size | RiskSize
  /** After `at`. Absent without `best`: at the market. */
  readonly price?: PriceExpression
  /** Rest at the best price of the own side of the book. */
  readonly best: boolean
  /** `po`: be rejected rather than take liquidity. */
  readonly postOnly: boolean
  /** `ioc`: what fills at once, and no more; `fok`: whole at once or not at all. Absent: it rests. */
  readonly timeInForce?: 'ioc' | 'fok'
  readonly reduce: boolean
  /** It may end a position and open one on the other side. */
  readonly flip?: true
  /** After `stop`: where a protective stop goes. An offset alone counts from the order's own price. */
  readonly stop?: PriceExpression
  /** After `tp`: where its profit is taken. */
  readonly takeProfit?: PriceExpression
  /** Never together with `takeProfit`. */
  readonly ladder?: Ladder
  /** Where each part begins, for errors found later. */
  readonly columns: {
    readonly size: number
    readonly symbols?: number
    readonly price?: number
    readonly stop?: number
    readonly takeProfit?: number
  }
}

export interface StopIntent {
  readonly symbols: readonly string[]
  /** Absent: whatever closes the position. */
  readonly side?: Side
  /** Absent: the whole position. */
  readonly size?: Size
  readonly trigger: PriceExpression
  /** After `limit`: the price of the limit order that it becomes; an offset counts from the trigger. Absent: it becomes a market order. */
  readonly limit?: PriceExpression
  /** So far from the entry towards profit, on either side, or as far as the fees of entry and exit. The trigger is then the entry. */
  readonly breakEven?: PriceOffset | 'fees'
  /** What becomes of stops that protect the position already. Absent: it is refused, or asked about, beside one. */
  readonly beside?: Beside
}

/** `add`: besides the orders that cover the position already; `replace`: in their place. */
export type Beside = 'add' | 'replace'

export interface TakeIntent {
  readonly symbols: readonly string[]
  /** Absent: the whole position. */
  readonly size?: Size
  readonly trigger: PriceExpression
  /** Absent: it is refused, or asked about, beside one that covers the position. */
  readonly beside?: Beside
}

export interface CloseIntent {
  readonly symbols: readonly string[]
  /** Never together with symbols. */
  readonly which?: 'long' | 'short' | 'all'
  /** In the singular: the position on the symbols, or on the one in focus, where it is on this side. */
  readonly side?: 'long' | 'short'
  /** Absent: the whole position. Never a part of the balance. */
  readonly size?: Size
}

export type CancelKind = 'entries' | 'stops'

/** A name is an order id or a symbol: the command looks among the open orders first. One in quotes is an id, whatever is in it. */
export type CancelIntent =
  | { readonly kind: 'focused' }
  | { readonly kind: 'all' }
  /** Those that may open or add; those that end a position where it loses. No symbols: the one in focus. */
  | { readonly kind: CancelKind; readonly of: 'all' | readonly Name[] }
  | { readonly kind: 'names'; readonly names: readonly (Name & { readonly isId?: true })[] }

/** What an entry takes with it. */
export const BRACKET = {
  prices: ['stop', 'tp'],
  fromEntry: ['stop', 'tp'],
  bySide: ['stop', 'tp'],
  synonyms: new Map([
    ['sl', 'stop'],
    ['take', 'tp'],
  ]),
} as const

const ORDER_KEYWORDS = {
  ...BRACKET,
  verb: 'order',
  prices: ['at', ...BRACKET.prices],
  flags: ['reduce', 'flip', 'po', 'best', 'ioc', 'fok'],
  sizesByRisk: true,
} as const

/**
 * `$250 BTCUSDT at -1% po stop -2% tp +4%`, in any order.
 * @param side of the command, for hints that show a whole line
 * @throws {LanguageError} what `readSlots` throws; `missing-argument` without a size, and for `risk` or `2R` without a stop; `bad-argument` for `best` with `at`, for
 * `po` with neither, and for `ioc` or `fok` without `at` or with `po`
 */
export function parseOrder(args: readonly Argument[], side?: Side): OrderIntent {
  const slots = readSlots(args, { ...ORDER_KEYWORDS, side })
  const { symbols } = slots
  const size: Slot<Size | RiskSize> | undefined = slots.size ?? slots.risk
  const price = slots.prices.get('at')
  const stop = slots.prices.get('stop')
  const takeProfit = slots.prices.get('tp')
  const best = slots.flags.get('best')
  const postOnly = slots.flags.get('po')
  if (size === undefined) {
    const otherwise = 'type a size such as $250, 0.01 or 50%, as in buy BTCUSDT $250'
    const enters = side === undefined || stop === undefined ? undefined : stopLine(side, stop.value)
    throw missing('the size is missing', slots, gluedSize(slots) ?? enters ?? otherwise)
  }
  if (best !== undefined && price !== undefined) {
    const later = Math.max(best.column, price.column)
    throw new LanguageError(
      'bad-argument',
      '`best` already sets the price, so `at` cannot be used with it',
      later,
      'keep one',
    )
  }
  if (postOnly !== undefined && best === undefined && price === undefined) {
    throw new LanguageError(
      'bad-argument',
      '`po` needs a price to rest at; an order at the market always takes liquidity',
      postOnly.column,
      'type best po, or at <price> po',
    )
  }
  if (slots.risk !== undefined && stop === undefined) {
    const hint = 'add the stop, as in stop -2%'
    throw new LanguageError('missing-argument', 'a size by risk needs a stop', slots.risk.column, hint)
  }
  const { ladder } = slots
  readBracket(slots)
  const timeInForce = readTimeInForce(slots)
  return {
    symbols: symbols?.value ?? [],
    size: size.value,
    ...defined({ price: price?.value }),
    best: best !== undefined,
    postOnly: postOnly !== undefined,
    ...defined({ timeInForce }),
    ...exitOrTurn(slots),
    ...defined({ stop: stop?.value, takeProfit: takeProfit?.value, ladder: ladder?.value }),
    columns: {
      size: size.column,
      ...defined({
        symbols: symbols?.column,
        price: price?.column,
        stop: stop?.column,
        takeProfit: (takeProfit ?? ladder)?.column,
      }),
    },
  }
}

/** @throws {LanguageError} `missing-argument` for a target in R without a stop */
export function readBracket({ prices, ladder }: Slots): Pick<OrderIntent, 'stop' | 'takeProfit'> {
  const [stop, takeProfit] = [prices.get('stop'), prices.get('tp')]
  const inRisk = [takeProfit?.value, ...(ladder?.value.rungs ?? []).map((rung) => rung.price)]
  if (stop === undefined && inRisk.some((profit) => profit?.base.kind === 'risk')) {
    const hint = 'add the stop, as in stop -2% tp 2R'
    throw new LanguageError('missing-argument', 'a target in R needs a stop', (takeProfit ?? ladder)?.column ?? 1, hint)
  }
  return defined({ stop: stop?.value, takeProfit: takeProfit?.value })
}

/** `sell stop 61000`, which other terminals have for a stop: it protects, or it enters. */
function stopLine(side: Side, { base, offset }: PriceExpression): string | undefined {
  if (base.kind !== 'absolute' || offset !== undefined) return undefined
  const held = side === 'sell' ? 'a long' : 'a short'
  return `type \`stop at ${base.price}\` to protect ${held}, or \`stop ${side} $250 at ${base.price}\` to enter there`
}

/** @throws {LanguageError} `bad-argument` for both */
export function exitOrTurn(slots: Slots): { readonly reduce: boolean; readonly flip?: true } {
  const flag = singleFlag(slots, ['reduce', 'flip'])
  return { reduce: flag === 'reduce', ...(flag === 'flip' ? { flip: true } : {}) }
}

function readTimeInForce({ flags, prices }: Slots): 'ioc' | 'fok' | undefined {
  const [ioc, fok, other] = [flags.get('ioc'), flags.get('fok'), flags.get('po') ?? flags.get('best')]
  const given = ioc ?? fok
  if (given === undefined) return undefined
  const name = ioc === undefined ? 'fok' : 'ioc'
  if (ioc !== undefined && fok !== undefined) {
    const column = Math.max(ioc.column, fok.column)
    throw new LanguageError('bad-argument', '`ioc` and `fok` contradict each other', column, 'keep one')
  }
  if (other !== undefined) {
    const message = `a resting order cannot be \`${name}\``
    throw new LanguageError('bad-argument', message, Math.max(given.column, other.column), 'keep one')
  }
  if (prices.has('at')) return name
  const message = `\`${name}\` needs a price: an order at the market never rests anyway`
  throw new LanguageError('bad-argument', message, given.column, `leave it out, or type at <price> ${name}`)
}

/**
 * `at -2%`, `buy at +100`, `50% at 1%`, `sell 0.01 at -100 BTCUSDT`, `at $entry -2%`, `at -2% limit -0.2%`.
 * @throws {LanguageError} what `readSlots` throws; `missing-argument` without `at`; `bad-argument` for both sides;
 * `unexpected-argument` for a stop or a target of what it enters
 */
export function parseStop(args: readonly Argument[]): StopIntent {
  refuseProtected(args)
  refuseTrailing(args)
  const breakEven = readBreakEven(args)
  if (breakEven !== undefined) return breakEven
  const slots = readSlots(args, {
    verb: 'stop',
    prices: ['at', 'limit'],
    bySide: ['at', 'limit'],
    flags: ['buy', 'sell', ...BESIDE],
  })
  const trigger = slots.prices.get('at')
  const limit = slots.prices.get('limit')
  if (trigger === undefined) throw missing('the price is missing', slots, stopHint(slots))
  const side = singleFlag(slots, ['buy', 'sell'])
  const beside = besideOf(slots)
  return {
    symbols: slots.symbols?.value ?? [],
    ...defined({ side, size: slots.size?.value }),
    trigger: trigger.value,
    ...defined({ limit: limit?.value, beside }),
  }
}

/** `stop at 3% trailing`: a stop that moves is a task. */
function refuseTrailing(args: readonly Argument[]): void {
  const typed = args.flatMap((each) => (each.kind === 'word' ? [each] : []))
  const found = typed.find(({ text }) => /^(trail|trailing|trailing-?stop)$/i.test(text))
  if (found === undefined) return
  const words = typed.filter((word) => word !== found).map(({ text }) => text)
  const distance = words.find((text) => /^[+-]?[\d.]{1,20}%$/.test(text))?.replace(/^[+-]/, '') ?? '1%'
  const symbol = words.find((text) => /^(?!(at|by|loss|replace|add|buy|sell|limit)$)[a-z][\w:/-]{1,29}$/i.test(text))
  const line = ['trail', ...(symbol === undefined ? [] : [symbol]), distance].join(' ')
  throw new LanguageError('bad-argument', `unexpected ${shown(found.text)}`, found.column, `type \`${line}\``)
}

/** `stop buy $500 at 3500 stop -1%`: what protects an entry is sent with a `buy` or a `sell` alone. */
function refuseProtected(args: readonly Argument[]): void {
  const words = args.flatMap((argument) => (argument.kind === 'word' ? [argument] : []))
  const side = words.find(({ text }) => /^(?:buy|sell)$/i.test(text))
  const at = words.findIndex(({ text }) => text.toLowerCase() === 'at')
  const clause = words.findIndex(({ text }, index) => index > at && /^(?:stop|sl|tp|take)$/i.test(text))
  const [trigger, found] = [words[at + 1]?.text, words[clause]]
  if (side === undefined || at < 0 || trigger === undefined || found === undefined) return
  const isAbsolute = /^\d[\d,.]*$/.test(trigger)
  const symbol = words.find(({ text }, index) => index < at && /^[a-z][\w:/-]*$/i.test(text) && text !== side.text)
  const isLeft = ({ text }: (typeof words)[number]) => !/^(?:at|with|and)$/i.test(text)
  const rest = words.filter((word, index) => word !== side && index !== at + 1 && isLeft(word))
  const order = [side, ...rest].map(({ text }) => text.replace(/^limit$/i, 'at')).join(' ')
  const on = symbol === undefined ? '' : `${symbol.text} `
  const isAbove = side.text.toLowerCase() === 'buy'
  const line = `when ${on}price ${isAbove ? '>' : '<'} ${isAbsolute ? trigger : '<price>'} (${order})`
  const what = /^(?:stop|sl)$/i.test(found.text) ? 'stop' : 'take-profit'
  const message = `a \`stop\` that enters carries no ${what} of its own`
  throw new LanguageError('unexpected-argument', message, found.column, `type \`${line}\``)
}

/** A share alone is a distance: a stop without a size covers the position. */
function stopHint({ size, symbols }: Slots): string {
  const share = size?.value
  if (symbols?.value.length === 1 && /^entry$/i.test(symbols.value[0] ?? '')) return 'type `stop breakeven`'
  const on = symbols === undefined ? '' : ` ${symbols.value.join(',')}`
  if (share?.kind === 'base' && /^\d{1,2}$/.test(share.amount)) {
    return `type \`stop${on} at ${share.amount}%\`, or \`stop${on} at -${share.amount}\` for dollars`
  }
  if (share?.kind !== 'percent' || share.of !== undefined) return 'type at and a price, as in stop at -2%'
  return `type \`stop${on} at ${share.percent}%\``
}

/** `breakeven +0.1% BTCUSDT`, `breakeven +fees`: at the entry, or so far in profit, in place of the stops that are there. @throws {LanguageError} */
function readBreakEven(args: readonly Argument[]): StopIntent | undefined {
  const words = requireWords(args)
  const at = words.findIndex(({ text }) => /^(?:breakeven|break-even|be)$/i.test(text))
  const keyword = words[at]
  if (keyword === undefined) return undefined
  const next = words[at + 1]
  const beside = [words[at - 1], next].find((word) => /^(at|to)$/i.test(word?.text ?? ''))
  if (beside !== undefined) {
    const others = words.filter((word) => word !== keyword && word !== beside).map(({ text }) => text)
    const line = ['stop', ...others.filter((text) => /^[a-z]/i.test(text)), 'breakeven']
    const offset = others.filter((text) => !/^[a-z]/i.test(text))
    const hint = `type \`${[...line, ...offset].join(' ')}\``
    throw new LanguageError('bad-price', `unexpected ${shown(beside.text)}`, beside.column, hint)
  }
  const hasOffset = next !== undefined && /^[+-]?[\d.]{1,20}%?$/.test(next.text)
  const isFees = next !== undefined && /^\+?fees?$/i.test(next.text)
  const profit = hasOffset ? parseOffset(next.text, next.column) : undefined
  if (profit?.value.startsWith('-') === true) {
    const hint = 'type breakeven +0.1%, or at $entry -1% for a stop at a loss'
    throw new LanguageError('bad-price', 'a break-even stop is at the entry or in profit', next?.column ?? 1, hint)
  }
  const others = words.filter((_, index) => index !== at && !((hasOffset || isFees) && index === at + 1))
  const { symbols, size, flags } = readSlots(others, { verb: 'stop', prices: [], flags: ['replace', 'add'] })
  return {
    symbols: symbols?.value ?? [],
    ...defined({ size: size?.value }),
    trigger: { base: { kind: 'anchor', anchor: 'entry' } },
    breakEven: isFees ? 'fees' : (profit ?? { kind: 'amount', value: '0' }),
    beside: flags.has('add') ? 'add' : 'replace',
  }
}

/**
 * `at +4%`, `50% BTCUSDT at 70000`, `at +5% replace`.
 * @throws {LanguageError} what `readSlots` throws; `missing-argument` without `at`; `bad-argument` for `add` and `replace`
 */
export function parseTake(args: readonly Argument[]): TakeIntent {
  refuseBreakEven(args)
  refuseLadder(args)
  refuseSide(args)
  const slots = readSlots(args, { verb: 'take', prices: ['at'], bySide: ['at'], flags: BESIDE })
  const trigger = slots.prices.get('at')
  if (trigger === undefined) {
    const size = slots.size?.value
    const profit = size?.kind === 'percent' && size.of === undefined ? `+${size.percent}%` : '+4%'
    const on = slots.symbols === undefined ? '' : ` ${slots.symbols.value.join(',')}`
    throw missing('the price is missing', slots, `type \`take${on} at ${profit}\``)
  }
  return {
    symbols: slots.symbols?.value ?? [],
    ...defined({ size: slots.size?.value }),
    trigger: trigger.value,
    ...defined({ beside: besideOf(slots) }),
  }
}

/** `take breakeven`: a take-profit is in profit. */
function refuseBreakEven(args: readonly Argument[]): void {
  const found = args.find((each) => each.kind === 'word' && /^(breakeven|break-even|be|entry)$/i.test(each.text))
  if (found === undefined) return
  const hint = 'type `stop breakeven` for a stop at the entry, or `take at $entry +1%`'
  throw new LanguageError('bad-price', 'a take-profit is beyond the entry, not at it', found.column, hint)
}

/** `take buy 0.01 at 70000`: the position has the side. */
function refuseSide([first, ...rest]: readonly Argument[]): void {
  if (first?.kind !== 'word' || !/^(buy|sell)$/i.test(first.text)) return
  const line = ['take', ...rest.map(printArgument)].join(' ')
  throw new LanguageError(
    'bad-argument',
    '`take` ends the position, so it has no side',
    first.column,
    `type \`${line}\``,
  )
}

/** `25% 1R, 25% 2R`, as behind `tp` of an entry. A position that is there gets each part by a line of its own. */
function refuseLadder(args: readonly Argument[]): void {
  const words = args.flatMap((argument) => (argument.kind === 'word' ? [argument.text] : []))
  if (words.length < args.length || words.some((text) => text.toLowerCase() === 'at')) return
  const text = words.join(' ').replace(/ ?, ?/g, ',')
  const [, symbol, parts] = /^(?:([a-z][\w:/-]*) )?([^a-z].*)$/i.exec(text) ?? []
  const on = symbol === undefined ? '' : ` ${symbol}`
  const lines = (parts ?? '').split(',').map((part, index) => {
    const [, share, price] = /^(?:(\d[\d.]*%) )?(\d[\d.]*r|[+-][\d.]+%?)$/i.exec(part) ?? []
    if (price !== undefined) return `take${share === undefined ? '' : ` ${share}`}${on} at ${price}`
    const [, distance] = /^trail (\d[\d.]*%?)$/i.exec(part) ?? []
    return distance === undefined || index === 0 ? undefined : `trail ${distance}${on} replace`
  })
  if (lines.length === 0 || lines.some((line) => line === undefined)) return
  const what = lines.length > 1 ? 'a ladder is typed with its entry' : 'a price needs `at` before it'
  throw new LanguageError('bad-price', what, args[0]?.column ?? 1, `type \`${lines.join('; ')}\``)
}

const BESIDE = ['add', 'replace'] as const

/** @throws {LanguageError} `bad-argument` for both */
export function besideOf(slots: Slots): Beside | undefined {
  return singleFlag(slots, BESIDE)
}

const WHICH: ReadonlyMap<string, 'long' | 'short' | 'all'> = new Map([
  ['longs', 'long'],
  ['shorts', 'short'],
  ['all', 'all'],
  ['allpos', 'all'],
])
const SIDES = ['long', 'short'] as const
const CLOSE_FLAGS = ['long', 'longs', 'short', 'shorts', 'all', 'allpos'] as const

/**
 * Nothing, `BTCUSDT,ETHUSDT`, `longs`, `shorts` or `all`, each with an optional size: `BTCUSDT 50%`. `long` and `short` are of one position each.
 * @throws {LanguageError} what `readSlots` throws; `bad-argument` for two ways of saying which; `bad-size` for `%bal`
 */
export function parseClose(args: readonly Argument[]): CloseIntent {
  const slots = readSlots(args, { verb: 'close', prices: [], flags: CLOSE_FLAGS })
  const { size, symbols } = slots
  const flag = singleFlag(slots, CLOSE_FLAGS)
  const side = SIDES.find((each) => each === flag)
  const isNoun = symbols?.value.every((word) => /^(POSITIONS?|TRADES?|OPEN)$/.test(word))
  if (flag !== undefined && symbols !== undefined && (side === undefined || isNoun)) {
    const hint = isNoun
      ? `type \`close ${side === undefined ? flag : `${side}s`}\``
      : `type \`close ${symbols.value.join(',')}\` or \`close ${flag}\``
    throw new LanguageError('bad-argument', `\`close ${flag}\` takes no symbol`, symbols.column, hint)
  }
  requireOfPosition('close', size)
  const which = flag === undefined ? undefined : WHICH.get(flag)
  return { symbols: symbols?.value ?? [], ...defined({ which, side, size: size?.value }) }
}

/**
 * Nothing, `all`, or order ids and symbols in comma lists: `p17,p18 BTCUSDT`. Bare `all` is every order, also where one has that id: what stops
 * must not depend on what a venue calls its orders. In quotes it is the id. `entries` or `stops` before nothing, `all` or symbols is those alone.
 * @throws {LanguageError} `bad-argument`, `unexpected-argument`
 */
export function parseCancel(args: readonly Argument[]): CancelIntent {
  if (args.length === 0) return { kind: 'focused' }
  const [first, ...others] = args
  if (first?.kind === 'word' && /^orders?$/i.test(first.text) && others.length > 0) {
    const ids = others.flatMap((each) => (each.kind === 'word' && /^[\w-]{1,40}$/.test(each.text) ? [each.text] : []))
    const hint = ids.length === others.length ? `type \`cancel ${ids.join(' ')}\`` : 'leave it out'
    throw new LanguageError('bad-argument', `unexpected ${shown(first.text)}`, first.column, hint)
  }
  const kind = first?.kind === 'word' ? cancelKind(first.text) : undefined
  if (kind !== undefined) return ofKind(kind, others)
  const all = args.find((argument) => argument.kind === 'word' && argument.text.toLowerCase() === 'all')
  if (all === undefined) {
    const names = args.flatMap((argument) => {
      if (argument.kind === 'string') return [{ text: argument.text, column: argument.column, isId: true as const }]
      return requireWords([argument]).flatMap((word) => parseNames(word.text, word.column, 'symbol or order id'))
    })
    return { kind: 'names', names }
  }
  const other = args.find((argument) => argument !== all)
  if (other === undefined) return { kind: 'all' }
  const named = ['cancel', ...args.filter((argument) => argument !== all).map(printArgument)].join(' ')
  const isNoun = /^cancel (?:open )?orders?$/i.test(named)
  const hint =
    named.length > 60
      ? 'type `cancel all`, or leave all out'
      : isNoun
        ? 'type `cancel all`'
        : `type \`${named}\` or \`cancel all\``
  throw new LanguageError('unexpected-argument', '`cancel all` takes no other argument', other.column, hint)
}

/** @throws {LanguageError} as `parseCancel` */
function ofKind(kind: CancelKind, others: readonly Argument[]): CancelIntent {
  const rest = parseCancel(others)
  if (rest.kind === 'all') return { kind, of: 'all' }
  if (rest.kind === 'entries' || rest.kind === 'stops') {
    const what = rest.kind === kind ? `\`${kind}\` is typed twice` : '`entries` and `stops` are two lines'
    throw new LanguageError('unexpected-argument', what, endColumn(requireWords(others)), 'keep one')
  }
  return { kind, of: rest.kind === 'names' ? rest.names : [] }
}

function cancelKind(word: string): CancelKind | undefined {
  if (/^entr(?:y|ies)$/i.test(word)) return 'entries'
  return /^(?:stops?|sl)$/i.test(word) ? 'stops' : undefined
}

/** The one flag given, of `choices` that exclude each other. */
function singleFlag<Choice extends string>(slots: Slots, choices: Iterable<Choice>): Choice | undefined {
  const [first, second] = [...choices].flatMap((choice) => {
    const slot = slots.flags.get(choice)
    return slot === undefined ? [] : [[choice, slot] as const]
  })
  if (second === undefined) return first?.[0]
  const message = `\`${second[0]}\` contradicts or repeats \`${first?.[0]}\``
  throw new LanguageError('bad-argument', message, second[1].column, 'keep one of them')
}

function missing(message: string, slots: Slots, hint: string): LanguageError {
  return new LanguageError('missing-argument', message, endColumn(slots.words), hint)
}

// What `position` is asked to bring about (behaviour 45), before any market is known.

const TARGETS = ['long', 'short', 'flat'] as const
const CHOICES = ['refuse', 'resync', 'flatten'] as const

export type Target = (typeof TARGETS)[number]

export interface PositionIntent {
  readonly target: Target
  /** Upper-cased; absent: the symbol in focus. */
  readonly symbol?: string
  /** Of the position, in quote or base; absent only for `flat`. */
  readonly size?: Extract<Size, { readonly kind: 'quote' | 'base' }>
  /** After `from`: what the sender takes the position to have been. */
  readonly from?: Target
  /** What becomes of it where it was something else. */
  readonly outOfSync: (typeof CHOICES)[number]
}

const KEYED: ReadonlyMap<string, string> = new Map([
  ['from', 'from and long, short or flat'],
  ['--out-of-sync', '--out-of-sync and refuse, resync or flatten'],
])
const SIZES = 'type $500 or 0.01, as in position long $500'

/**
 * `long $500 BTCUSDT from flat --out-of-sync resync`, in any order.
 * @throws {LanguageError} what `readSlots` throws; `missing-argument`, `bad-argument`; `bad-size` for a percentage
 */
export function parsePosition(args: readonly Argument[]): PositionIntent {
  const { keyed, rest } = takeKeyed(args.flatMap(unglued), KEYED)
  const { words, flags, size, symbols } = readSlots(rest, { verb: 'task', prices: [], flags: TARGETS })
  const [target, other] = TARGETS.filter((each) => flags.has(each))
  if (target === undefined) {
    const hint = 'type position long $500, position short $500 or position flat; `positions` lists them'
    throw new LanguageError('missing-argument', 'long, short or flat is missing', endColumn(words), hint)
  }
  const second = other === undefined ? undefined : flags.get(other)
  if (second !== undefined) {
    const message = `\`${other}\` is a second target, and a position has one`
    throw new LanguageError('unexpected-argument', message, second.column, 'keep one')
  }
  if (symbols !== undefined && symbols.value.length > 1) {
    throw new LanguageError('bad-argument', 'one position is set at a time', symbols.column, 'name one symbol')
  }
  if (size === undefined && target !== 'flat') {
    throw new LanguageError('missing-argument', 'the size is missing', endColumn(words), SIZES)
  }
  const [symbol] = symbols?.value ?? []
  const [from, outOfSync] = [keyed.get('from')?.value, keyed.get('--out-of-sync')?.value]
  return {
    target,
    ...defined({ symbol, size: size && fixedSize(size.value, size.column), from: from && oneOf(TARGETS, from) }),
    outOfSync: outOfSync === undefined ? 'refuse' : oneOf(CHOICES, outOfSync),
  }
}

/** What `flip` is asked to do, before any market is known. */
interface FlipIntent {
  /** Upper-cased; absent: the symbol in focus. */
  readonly symbol?: string
  readonly stop?: PriceExpression
  readonly takeProfit?: PriceExpression
}

/** `BTCUSDT stop -2% tp 2R`. @throws {LanguageError} what `readSlots` throws; `bad-argument` for a size, or more than one symbol */
export function parseFlip(args: readonly Argument[]): FlipIntent {
  const { prices, size, ladder, symbols } = readSlots(args, { ...BRACKET, verb: 'order', flags: [] })
  const other = size ?? ladder
  if (other !== undefined) {
    const hint = 'leave it out; `position short $500` makes a position of any size'
    throw new LanguageError('bad-argument', '`flip` makes a position of the same size', other.column, hint)
  }
  const [symbol, second] = symbols?.value ?? []
  if (second !== undefined) {
    throw new LanguageError(
      'bad-argument',
      'one position is flipped at a time',
      symbols?.column ?? 1,
      'name one symbol',
    )
  }
  return { ...defined({ symbol, stop: prices.get('stop')?.value, takeProfit: prices.get('tp')?.value }) }
}

function fixedSize(size: Size, column: number): NonNullable<PositionIntent['size']> {
  if (size.kind === 'quote' || size.kind === 'base') return size
  throw new LanguageError('bad-size', 'a share of the account would be another size each time', column, SIZES)
}

/** `--out-of-sync=resync` as two words. */
function unglued(argument: Argument): readonly Argument[] {
  const match = argument.kind === 'word' ? /^(--out-of-sync)=(.*)$/.exec(argument.text) : null
  if (match === null) return [argument]
  const [, name = '', value = ''] = match
  return [
    { kind: 'word', text: name, column: argument.column },
    { kind: 'word', text: value, column: argument.column + name.length + 1 },
  ]
}

function oneOf<Choice extends string>(choices: readonly Choice[], { text, column }: Word): Choice {
  const lower = text.toLowerCase()
  const found = choices.find((choice) => choice === lower)
  if (found !== undefined) return found
  const near = nearest(lower, choices)
  const hint = near === undefined ? `type ${choices.join(', ')}` : `did you mean ${near}?`
  throw new LanguageError('bad-argument', `${shown(text)} is not one of ${choices.join(', ')}`, column, hint)
}
