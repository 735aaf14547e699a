// The whole language: a line as a chain, and each call of it read as every command would read its arguments.

import { parseAmend, parseBump, parseMove } from '../../../src/language/amend.ts'
import type { Argument, Word } from '../../../src/language/chain.ts'
import { parseWait, type WaitIntent } from '../../../src/language/condition.ts'
import { findLiveNames, replaceLive, replaceVariables } from '../../../src/language/expansion.ts'
import { parseSymbols } from '../../../src/language/names.ts'
import { parseCancel, parseClose, parseOrder, parseStop } from '../../../src/language/order.ts'
import { parseChain } from '../../../src/language/parse.ts'
import { MAX_SLICES, parseScale, parseSwarm } from '../../../src/language/placing.ts'
import { type PriceExpression, parsePrice } from '../../../src/language/price.ts'
import { printChain } from '../../../src/language/print.ts'
import { isSizeShaped, parseSize, type RiskSize, type Size } from '../../../src/language/size.ts'
import { parseOco, parseTrail } from '../../../src/language/task-intents.ts'
import { MAX_SLEEP_MS, parseDuration } from '../../../src/language/time.ts'
import { MAX_LINE_LENGTH } from '../../../src/language/tokenize.ts'
import { callsOf, LINES, refusedOr, WORDS, withoutColumns } from '../language-oracle.ts'
import { type OpenTarget, promise } from '../target.ts'

const VARIABLES: Readonly<Record<string, string>> = { x: '1%', long: 'a'.repeat(200), at: '@x $last' }
/** Looked at one by one: a line may have thousands, all alike. */
const MOST_WORDS = 20
const MOST_CALLS = 20
const LONGEST_TIMER_MS = 2 ** 31 - 1

export const open: OpenTarget = () => ({
  units: 'text',
  seeds: LINES,
  dictionary: WORDS,
  between: ' ',
  maxLength: 9_000,
  batch: 1_000,
  run(line) {
    const chain = refusedOr(() => parseChain(line), line.length)
    if (chain === undefined) return
    checkPrinted(line)
    for (const { args, name } of callsOf(chain).slice(0, MOST_CALLS)) {
      promise(name !== '', 'a call has a name')
      checkArguments(args, line.length)
      // What a variable holds is longer than its name: the columns are then those of no line that was typed.
      const replaced = refusedOr(() => replaceVariables(args, (name) => VARIABLES[name]), line.length)
      if (replaced !== undefined) checkArguments(replaced, Number.POSITIVE_INFINITY)
    }
  },
})

function checkPrinted(line: string): void {
  const chain = parseChain(line)
  const printed = printChain(chain)
  // Blanks between groups and marks may make the printed line longer than the typed one.
  if (printed.length > MAX_LINE_LENGTH) return
  const again = JSON.stringify(withoutColumns(parseChain(printed)))
  promise(again === JSON.stringify(withoutColumns(chain)), 'a printed chain is read as the same chain')
}

function checkArguments(args: readonly Argument[], lineLength: number): void {
  const order = refusedOr(() => parseOrder(args), lineLength)
  if (order !== undefined) {
    checkSize(order.size)
    checkPrice(order.price)
    checkPrice(order.stop)
    for (const rung of order.ladder?.rungs ?? []) checkPrice(rung.price)
    promise(!order.best || order.price === undefined, 'an order has one price')
    promise(order.symbols.every(isSymbol), 'an order names symbols')
  }
  const stop = refusedOr(() => parseStop(args), lineLength)
  checkPrice(stop?.trigger)
  const close = refusedOr(() => parseClose(args), lineLength)
  promise(close?.which === undefined || close.symbols.length === 0, 'a close says which in one way')
  if (close?.size !== undefined) checkSize(close.size)
  refusedOr(() => parseCancel(args), lineLength)
  checkPrice(refusedOr(() => parseAmend(args), lineLength)?.price)
  checkPrice(refusedOr(() => parseMove(args), lineLength)?.price)
  const bump = refusedOr(() => parseBump(args), lineLength)
  promise(bump === undefined || Number(bump.offset.value) !== 0, 'a bump moves something')
  checkSliced(args, lineLength)
  checkExits(args, lineLength)
  const wait = refusedOr(() => parseWait(args), lineLength)
  if (wait !== undefined) checkWait(wait)
  for (const argument of args.slice(0, MOST_WORDS)) if (argument.kind === 'word') checkWord(argument, lineLength)
}

function checkExits(args: readonly Argument[], lineLength: number): void {
  const trail = refusedOr(() => parseTrail(args), lineLength)
  if (trail !== undefined) {
    promise(isPositive(trail.distance.value), 'a distance is a decimal above zero')
    if (trail.size !== undefined) checkSize(trail.size)
    const { after } = trail
    promise(
      after === undefined || isPositive(after.from === 'price' ? after.price : after.value),
      'a profit is above zero',
    )
  }
  const oco = refusedOr(() => parseOco(args), lineLength)
  checkPrice(oco?.take)
  checkPrice(oco?.stop)
  if (oco?.size !== undefined) checkSize(oco.size)
}

function checkSliced(args: readonly Argument[], lineLength: number): void {
  const scale = refusedOr(() => parseScale(args), lineLength)
  checkPrice(scale?.from)
  checkPrice(scale?.to)
  for (const skew of [scale?.skew, scale?.sizeSkew]) {
    promise(skew === undefined || Math.abs(Number(skew)) <= 1, 'a skew is from -1 to 1')
  }
  for (const sliced of [scale, refusedOr(() => parseSwarm(args), lineLength)]) {
    if (sliced === undefined) continue
    checkSize(sliced.size)
    promise(sliced.count >= 2 && sliced.count <= MAX_SLICES, 'a size is cut into 2 to 100 orders')
    promise(sliced.symbol === undefined || isSymbol(sliced.symbol), 'a symbol is one')
  }
}

function checkWord(word: Word, lineLength: number): void {
  const { text, column } = word
  const size = refusedOr(() => parseSize(text, column), lineLength)
  if (size !== undefined) {
    checkSize(size)
    promise(isSizeShaped(text), 'what is read as a size looks like one')
  }
  const ms = refusedOr(() => parseDuration(text, column), lineLength)
  if (ms !== undefined) checkMs(ms, LONGEST_TIMER_MS)
  checkPrice(refusedOr(() => parsePrice([word], 0), lineLength)?.price)
  promise((refusedOr(() => parseSymbols(text, column), lineLength) ?? []).every(isSymbol), 'a symbol is one')
  if (findLiveNames(text).length === 0) {
    promise(replaceLive(text, { last: '1', bid: '2' }) === text, 'nothing is replaced where there is no live name')
  }
}

function checkSize(size: Size | RiskSize): void {
  if (size.kind === 'account') {
    promise(
      size.terms.some(({ of }) => of !== undefined),
      'a computed size is of the account',
    )
    promise(
      size.terms.every(({ over }) => BigInt(over) > 0n),
      'nothing is divided by zero',
    )
    return
  }
  const figure = 'percent' in size ? size.percent : size.amount
  promise(isPositive(figure), 'a size is a decimal above zero')
  if ('percent' in size) promise(Number(figure) <= 100, 'a percent is at most 100')
}

function checkPrice(price: PriceExpression | undefined): void {
  if (price === undefined) return
  if (price.base.kind === 'absolute') promise(isPositive(price.base.price), 'a price is a decimal above zero')
  if (price.offset === undefined) return
  const { kind, value } = price.offset
  promise(/^-?(0|[1-9]\d{0,17})(\.\d{1,18})?$/.test(value) && !/^-[0.]+$/.test(value), 'an offset is a decimal')
  if (kind === 'percent') promise(!/^-\d{3}/.test(value), 'a percent offset is above -100')
}

function checkWait({ condition, timeoutMs, holdMs }: WaitIntent): void {
  for (const ms of [timeoutMs, holdMs]) if (ms !== undefined) checkMs(ms, LONGEST_TIMER_MS)
  if (condition.kind === 'delay') checkMs(condition.ms, MAX_SLEEP_MS)
  if (condition.kind === 'price' && condition.anchor !== 'pnl') checkPrice(condition.value)
  if (condition.kind === 'time') promise(condition.hour < 24 && condition.minute < 60, 'a time is one of a day')
  if ('symbol' in condition && condition.symbol !== undefined) promise(isSymbol(condition.symbol), 'a symbol is one')
}

function checkMs(ms: number, most: number): void {
  promise(Number.isInteger(ms) && ms >= 0 && ms <= most, 'a duration is a whole number of ms that a timer keeps')
}

function isPositive(decimal: string): boolean {
  return /^(0|[1-9]\d{0,17})(\.\d{1,18})?$/.test(decimal) && /[1-9]/.test(decimal)
}

function isSymbol(text: string): boolean {
  return /^[A-Z0-9][A-Z0-9/:_.-]{0,63}$/.test(text) && /[A-Z]/.test(text)
}
