// What all tasks that trade an amount are asked alike: `<side> <size> [SYMBOL,…] [reduce]`.
import type { Word } from './chain.ts'
import { LanguageError } from './language-error.ts'
import type { Side } from './order.ts'
import type { PriceExpression } from './price.ts'
import type { Size } from './size.ts'
import { readSlots, type Slot } from './slots.ts'

interface SidedWords {
  readonly side: Side
  readonly symbols: readonly string[]
  readonly size: Size
  readonly reduce: boolean
  readonly prices: ReadonlyMap<string, Slot<PriceExpression>>
}

interface SidedKeywords {
  readonly verb: 'chase' | 'twap'
  readonly prices?: readonly string[]
  readonly flags: readonly string[]
  /** Where the line ends, for what is missing. */
  readonly end: number
}

/** @throws {LanguageError} what `readSlots` throws; `missing-argument`, `bad-argument` */
export function takeSide(words: readonly Word[], { verb, prices = [], flags, end }: SidedKeywords): SidedWords {
  const slots = readSlots(words, { verb: 'task', prices, flags: ['buy', 'sell', ...flags] })
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
    throw new LanguageError('missing-argument', `a ${verb} needs a side`, end, `type buy or sell behind \`${verb}\``)
  }
  if (slots.size === undefined) {
    throw new LanguageError('missing-argument', 'the size is missing', end, 'type a size such as $250, 0.01 or 50%')
  }
  return {
    side: buy === undefined ? 'sell' : 'buy',
    symbols: slots.symbols?.value ?? [],
    size: slots.size.value,
    reduce: slots.flags.has('reduce'),
    prices: slots.prices,
  }
}
