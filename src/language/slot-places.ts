// Where in the body of a hook a slot may be (behaviour 44): for a whole argument, never for a command, a part of a word or an option; a bare
// number only behind a word that takes a price, so that it can be no size without a cap.
import { type AlertSlot, parseAlertSlot, SLOT_START } from './alert-slot.ts'
import type { Argument } from './chain.ts'
import { LanguageError } from './language-error.ts'
import { shown } from './printable.ts'
import type { TextToken } from './tokenize.ts'

const BEFORE_A_PRICE: ReadonlySet<string> = new Set(['at', 'stop', 'sl', 'tp', 'take', 'limit', 'from', 'to'])

/** The slot that a word is; undefined: it is none. @throws {LanguageError} `bad-slot` */
export function placedSlot(token: TextToken, before: Argument | undefined): AlertSlot | undefined {
  const { text, column, quotedFrom } = token
  if (!startsAt(text, 0)) {
    refuseInside(text.slice(0, quotedFrom), column)
    return undefined
  }
  const slot = parseAlertSlot(text, column)
  const previous = before?.kind === 'word' && before.slot === undefined ? before.text.toLowerCase() : ''
  if (previous.startsWith('--')) {
    const hint = `write the value of ${previous.slice(0, 30)} into the hook`
    throw new LanguageError('bad-slot', 'a slot cannot be the value of an option', column, hint)
  }
  if (slot.type === 'number' && !BEFORE_A_PRICE.has(previous)) {
    const hint = `for a size type {${slot.name}:usd<=500}, for a price type at ${shown(text).slice(1, -1)}`
    throw new LanguageError('bad-slot', 'a number belongs behind at, stop, tp, limit, from or to', column, hint)
  }
  return slot
}

/** @throws {LanguageError} `bad-slot` where the name of a command has a slot in it */
export function refuseSlot({ text, column }: TextToken): void {
  if (startsAt(text, 0)) {
    const hint = 'type the command, and a slot behind it'
    throw new LanguageError('bad-slot', 'a slot cannot be a command', column, hint)
  }
  refuseInside(text, column)
}

/** As charting platforms write values in their own messages. */
const PLACEHOLDER = /\{\{[^{}]*\}\}/

function refuseInside(text: string, column: number): void {
  const placeholder = PLACEHOLDER.exec(text)
  if (placeholder !== null) {
    const message = `${shown(placeholder[0])} belongs in the message of the alert, not in the hook`
    const hint = 'declare the value here: {symbol:in(BTCUSDT,ETHUSDT)}, {size:usd<=500}; `hook show` prints the message'
    throw new LanguageError('bad-slot', message, column + placeholder.index, hint)
  }
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) {
    if (!startsAt(text, at)) continue
    const hint = 'type a space before it; {size:usd<=500} has its $ already'
    throw new LanguageError('bad-slot', 'a slot stands for a whole word, not for a part of one', column + at, hint)
  }
}

function startsAt(text: string, at: number): boolean {
  SLOT_START.lastIndex = at
  return SLOT_START.test(text)
}
