// What `twap` is asked to do, before any market is known.
import { defined } from '../base/defined.ts'
import { endColumn, requireWords } from './arguments.ts'
import type { Argument, Word } from './chain.ts'
import { compareDecimals, isZero, readDecimal } from './decimal-text.ts'
import { type KeyedWord, takeKeyed } from './keyed-words.ts'
import { LanguageError } from './language-error.ts'
import { parseLongDuration } from './long-duration.ts'
import type { Side } from './order.ts'
import type { PriceExpression } from './price.ts'
import { shown } from './printable.ts'
import type { Size } from './size.ts'
import { takeSide } from './task-words.ts'

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
  readonly reduce: boolean
  readonly columns: { readonly slices: number }
}

const MAX_SLICES = 1000
/** Slices are at least so far apart. */
const MIN_SPACING_MS = 1000
const MAX_RANDOM = '50'

const KEYED: ReadonlyMap<string, string> = new Map([
  ['into', 'into and a number of slices, as in into 12'],
  ['over', 'over and how long, as in over 1h'],
  ['random', 'random and a percentage, as in random 20%'],
])

/**
 * `buy $1000 BTCUSDT into 12 over 1h random 20% limit 66000`; the words in any order.
 * @throws {LanguageError} what `readSlots` throws; `missing-argument`, `bad-argument`, `bad-duration`
 */
export function parseTwap(args: readonly Argument[]): TwapIntent {
  const words = requireWords(args)
  const end = endColumn(words)
  const { keyed, rest } = takeKeyed(words, KEYED)
  const { side, symbols, size, reduce, prices } = takeSide(rest, {
    verb: 'twap',
    prices: ['limit'],
    flags: ['reduce'],
    end,
  })
  const into = requireKeyed(keyed.get('into'), 'how many slices is missing', 'type into 12', end)
  const over = requireKeyed(keyed.get('over'), 'how long is missing', 'type over 1h; a bare number counts minutes', end)
  const slices = parseSlices(into)
  const durationMs = parseLongDuration(over.text, over.column)
  if (durationMs / slices < MIN_SPACING_MS) {
    const most = Math.max(2, Math.floor(durationMs / MIN_SPACING_MS))
    const hint = `type into ${most} at most, or a longer time`
    throw new LanguageError('bad-argument', 'the slices would be less than a second apart', into.column, hint)
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
    ...(random === undefined ? {} : { random: parseRandom(random) }),
    ...defined({ limit: limit?.value }),
    columns: { slices: into.column },
  }
}

function requireKeyed(keyed: KeyedWord | undefined, what: string, hint: string, end: number): Word {
  if (keyed !== undefined) return keyed.value
  throw new LanguageError('missing-argument', what, end, hint)
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
  throw new LanguageError('bad-argument', `${shown(text)} is not how much slices may vary`, column, hint)
}
