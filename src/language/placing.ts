// What `scale` and `swarm` are asked to do: one size as several orders, placed at once.
import { defined } from '../base/defined.ts'
import { endColumn, requireWords } from './arguments.ts'
import type { Argument, Word } from './chain.ts'
import { compareDecimals, readSignedDecimal } from './decimal-text.ts'
import { LanguageError } from './language-error.ts'
import { BRACKET, exitOrTurn, readBracket, type Side } from './order.ts'
import type { PriceExpression } from './price.ts'
import { shown } from './printable.ts'
import type { Size } from './size.ts'
import { gluedSize, readSlots, type Slot, type Slots } from './slots.ts'

/** As many orders as one command may place. */
export const MAX_SLICES = 100

/** What both have. */
interface SlicedIntent {
  readonly side: Side
  /** Of all of them together. */
  readonly size: Size
  /** Upper-cased; absent: the one in focus. */
  readonly symbol?: string
  /** How many orders, from 2 to `MAX_SLICES`. */
  readonly count: number
  readonly reduce: boolean
  /** As in `OrderIntent`. */
  readonly flip?: true
}

export interface ScaleIntent extends SlicedIntent {
  readonly from: PriceExpression
  readonly to: PriceExpression
  /** From -1 to 1, signed decimal: above zero more of the orders are near `to`, below it near `from`. */
  readonly skew: string
  /** As `skew`, of how much each order is for. */
  readonly sizeSkew: string
  readonly postOnly: boolean
  /** Of each order, as of a single one: an offset counts from its own price. */
  readonly stop?: PriceExpression
  readonly takeProfit?: PriceExpression
}

export interface SwarmIntent extends SlicedIntent {
  /** In lots of different sizes. */
  readonly irregular: boolean
}

const SCALE = 'scale buy $1000 into 5 from -1% to -3%'
const SWARM = 'swarm buy $1000 into 5'

/**
 * `buy $1000 BTCUSDT into 5 from -1% to -3% skew 0.5 sizeskew 0.5 po stop -2% tp +4%`, in any order.
 * @throws {LanguageError} what `readSlots` throws; `missing-argument`; `bad-argument` for both sides, for several symbols, for a number of orders
 * that is not from 2 to 100 and for a skew beyond -1 and 1; as `readBracket`
 */
export function parseScale(args: readonly Argument[]): ScaleIntent {
  refuseIn(args)
  const slots = readSlots(args, {
    ...BRACKET,
    verb: 'scale',
    prices: ['from', 'to', ...BRACKET.prices],
    flags: ['buy', 'sell', 'po', 'reduce', 'flip'],
    values: ['into', 'skew', 'sizeskew'],
  })
  const bracket = readBracket(slots)
  const sliced = readSliced(slots, SCALE)
  const [from, to] = [slots.prices.get('from'), slots.prices.get('to')]
  if (from === undefined || to === undefined) {
    const which = from === undefined ? 'first' : 'last'
    throw missing(slots, `the price of the ${which} order is missing`, `type from <price> to <price>, as in ${SCALE}`)
  }
  return {
    ...sliced,
    from: from.value,
    to: to.value,
    skew: readSkew(slots.values.get('skew')),
    sizeSkew: readSkew(slots.values.get('sizeskew')),
    postOnly: slots.flags.has('po'),
    ...bracket,
  }
}

/**
 * `sell 50% into 5 irregular reduce`, in any order.
 * @throws {LanguageError} as `parseScale`
 */
export function parseSwarm(args: readonly Argument[]): SwarmIntent {
  refuseIn(args)
  const flags = ['buy', 'sell', 'irregular', 'reduce', 'flip']
  const slots = readSlots(args, { verb: 'swarm', prices: [], flags, values: ['into'] })
  return { ...readSliced(slots, SWARM), irregular: slots.flags.has('irregular') }
}

/** `in 5`: it would read as a second size. @throws {LanguageError} `unexpected-argument` */
function refuseIn(args: readonly Argument[]): void {
  const words = requireWords(args)
  const at = words.findIndex(({ text }) => text.toLowerCase() === 'in')
  const [word, count] = [words[at], words[at + 1]?.text ?? '']
  if (word === undefined || !/^\d{1,3}$/.test(count)) return
  throw new LanguageError('unexpected-argument', `unexpected ${shown(word.text)}`, word.column, `type into ${count}`)
}

function readSliced(slots: Slots, example: string): SlicedIntent {
  const { size, symbols, values } = slots
  const side = readSide(slots, example)
  if (size === undefined) {
    const otherwise = `type a size such as $1000, 0.01 or 50%, as in ${example}`
    throw missing(slots, 'the size is missing', gluedSize(slots) ?? otherwise)
  }
  const count = values.get('into')
  if (count === undefined) {
    throw missing(slots, 'the number of orders is missing', `type into and a number, as in ${example}`)
  }
  const symbol = symbols === undefined ? undefined : onlyOne(symbols)
  return { side, size: size.value, ...defined({ symbol }), count: readCount(count), ...exitOrTurn(slots) }
}

function readSide(slots: Slots, example: string): Side {
  const [buy, sell] = [slots.flags.get('buy'), slots.flags.get('sell')]
  if (buy !== undefined && sell !== undefined) {
    const later = Math.max(buy.column, sell.column)
    throw new LanguageError('bad-argument', '`buy` and `sell` contradict each other', later, 'keep one of them')
  }
  if (buy !== undefined) return 'buy'
  if (sell !== undefined) return 'sell'
  throw missing(slots, 'the side is missing', `type buy or sell, as in ${example}`)
}

function onlyOne({ value, column }: Slot<string[]>): string | undefined {
  const [only, second] = value
  if (second === undefined) return only
  throw new LanguageError('bad-argument', 'the orders of one command are all on one symbol', column, 'name one symbol')
}

function readCount({ text, column }: Word): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (count >= 2 && count <= MAX_SLICES) return count
  const message = `${shown(text)} is not a whole number from 2 to ${MAX_SLICES}`
  throw new LanguageError('bad-argument', message, column, 'type how many orders, as in into 5')
}

function readSkew(word: Word | undefined): string {
  if (word === undefined) return '0'
  const skew = readSignedDecimal(word.text)
  if (skew !== undefined && compareDecimals(skew.replace('-', ''), '1') <= 0) return skew
  const message = `${shown(word.text)} is not a number from -1 to 1`
  const hint = 'type 0.5 for more towards the last order, -0.5 for more towards the first'
  throw new LanguageError('bad-argument', message, word.column, hint)
}

function missing(slots: Slots, message: string, hint: string): LanguageError {
  return new LanguageError('missing-argument', message, endColumn(slots.words), hint)
}
