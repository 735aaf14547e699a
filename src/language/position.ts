// What `position` is asked to bring about (behaviour 45), before any market is known.
import { defined } from '../base/defined.ts'
import { endColumn } from './arguments.ts'
import type { Argument, Word } from './chain.ts'
import { takeKeyed } from './keyed-words.ts'
import { LanguageError } from './language-error.ts'
import { nearest } from './nearest.ts'
import { shown } from './printable.ts'
import type { Size } from './size.ts'
import { readSlots } from './slots.ts'

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
    const message = `a position is one of long, short and flat, and \`${other}\` is a second`
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
    ...defined({ symbol }),
    ...(size === undefined ? {} : { size: fixedSize(size.value, size.column) }),
    ...(from === undefined ? {} : { from: oneOf(TARGETS, from) }),
    outOfSync: outOfSync === undefined ? 'refuse' : oneOf(CHOICES, outOfSync),
  }
}

function fixedSize(size: Size, column: number): NonNullable<PositionIntent['size']> {
  if (size.kind !== 'percent') return size
  throw new LanguageError('bad-size', 'a percentage would be another size each time', column, SIZES)
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
