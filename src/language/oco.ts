// What `oco` is asked to do, before any market is known.
import { endColumn } from './arguments.ts'
import type { Argument } from './chain.ts'
import { LanguageError } from './language-error.ts'
import type { PriceExpression } from './price.ts'
import type { Size } from './size.ts'
import { readSlots } from './slots.ts'

export interface OcoIntent {
  /** Upper-cased; empty: the symbol in focus. */
  readonly symbols: readonly string[]
  /** Absent: the whole position. Never a part of the balance. */
  readonly size?: Size
  /** After `at`: where the profit is taken. */
  readonly take: PriceExpression
  readonly stop: PriceExpression
}

const KEYWORDS = {
  verb: 'task',
  prices: ['at', 'stop'],
  flags: [],
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
  const { words, prices, size, symbols } = readSlots(args, KEYWORDS)
  const take = prices.get('at')
  const stop = prices.get('stop')
  if (take === undefined || stop === undefined) {
    const what = take === undefined ? 'where the profit is taken' : 'where the stop is'
    const alone = take === undefined ? '`stop at -1%` is a stop alone' : '`take at +2%` is a take-profit alone'
    const hint = `type both, as in oco at +2% stop -1%; ${alone}`
    throw new LanguageError('missing-argument', `${what} is missing`, endColumn(words), hint)
  }
  if (size?.value.kind === 'percent' && size.value.of === 'balance') {
    const message = 'oco takes a percentage of the position, not of the balance'
    throw new LanguageError('bad-size', message, size.column, `type ${size.value.percent}%`)
  }
  return {
    symbols: symbols?.value ?? [],
    ...(size && { size: size.value }),
    take: take.value,
    stop: stop.value,
  }
}
