// The line that a ticket writes. The grammar is the real one: what it would refuse is not written.

import type { Argument, Word } from '../../../../language/chain.ts'
import { LanguageError } from '../../../../language/language-error.ts'
import { type OrderIntent, parseOrder, parseStop } from '../../../../language/order.ts'
import { parseChain } from '../../../../language/parse.ts'
import { parseScale } from '../../../../language/placing.ts'
import { type PriceExpression, parsePrice } from '../../../../language/price.ts'
import { printText } from '../../../../language/print.ts'
import { printable } from '../../../../language/printable.ts'
import { parseRisk, parseSize, printSize, type RiskSize, type Size } from '../../../../language/size.ts'
import { parseChase, parseReach, parseTwap, type Reach } from '../../../../language/task-intents.ts'
import { parseLongDuration } from '../../../../language/time.ts'
import { durationText } from '../../../preview/consequences.ts'
import { EMPTY_TICKET, type Ticket, type TicketField, type TicketKind, type TicketState, useTicket } from './ticket.ts'

type Written = { readonly line: string } | Fault

export function writeTicket(ticket: Ticket, symbol: string): Written {
  try {
    const line = WRITERS[ticket.kind](ticket, symbolWord(symbol)).join(' ')
    checkWhole(line, ticket.kind)
    return { line }
  } catch (error) {
    if (error instanceof FieldFault) return error.fault
    throw error
  }
}

/** The text may come from the address of the page. @throws {FieldFault} */
function symbolWord(symbol: string): string {
  const printed = printText(symbol)
  if (printed !== undefined) return printed
  throw new FieldFault({ field: 'size', message: 'no line can hold this symbol' })
}

type Writer = (ticket: Ticket, symbol: string) => readonly string[]

const WRITERS: Readonly<Record<TicketKind, Writer>> = {
  market: (ticket, symbol) => [
    ticket.side,
    sizeWord(ticket),
    symbol,
    ...flag('reduce', ticket.reduceOnly),
    ...protection(ticket),
  ],
  limit: (ticket, symbol) => [
    ticket.side,
    sizeWord(ticket),
    symbol,
    ...clause('at', required('price', priceWords(ticket, 'price'))),
    ...flag('po', ticket.postOnly),
    ...flag('reduce', ticket.reduceOnly),
    ...protection(ticket),
  ],
  stop: (ticket, symbol) => [
    'stop',
    ...(ticket.aim === 'enter' ? [ticket.side, sizeWord(ticket)] : partWord(ticket)),
    symbol,
    ...clause('at', required('trigger', priceWords(ticket, 'trigger'))),
    ...clause('limit', priceWords(ticket, 'limit')),
  ],
  chase: (ticket, symbol) => [
    'chase',
    ticket.side,
    sizeWord(ticket),
    symbol,
    ...clause('to', reachWords(ticket, 'reach')),
    ...clause('for', durationWord(ticket, 'lasts')),
    ...flag('then market', ticket.rest === 'market'),
    ...flag('reduce', ticket.reduceOnly),
  ],
  twap: (ticket, symbol) => [
    'twap',
    ticket.side,
    sizeWord(ticket),
    symbol,
    ...clause('into', required('slices', numberWord(ticket, 'slices'))),
    ...clause('over', required('lasts', durationWord(ticket, 'lasts'))),
    ...clause('random', percent(numberWord(ticket, 'random'))),
    ...clause('limit', priceWords(ticket, 'beyond')),
    ...flag('reduce', ticket.reduceOnly),
  ],
  scale: (ticket, symbol) => [
    'scale',
    ticket.side,
    sizeWord(ticket),
    symbol,
    ...clause('into', required('slices', numberWord(ticket, 'slices'))),
    ...clause('from', required('from', priceWords(ticket, 'from'))),
    ...clause('to', required('to', priceWords(ticket, 'to'))),
    ...clause('skew', numberWord(ticket, 'skew')),
    ...flag('po', ticket.postOnly),
    ...flag('reduce', ticket.reduceOnly),
  ],
}

function flag(word: string, isOn: boolean): readonly string[] {
  return isOn ? [word] : []
}

function printRisk(size: RiskSize): string {
  return `risk ${'percent' in size ? `${size.percent}%` : `$${size.amount}`}`
}

function protection(ticket: Ticket): readonly string[] {
  const stop = distanceWords(ticket, 'stop')
  return [
    ...clause('stop', ticket.unit === 'risk' ? required('stop', stop) : stop),
    ...clause('tp', distanceWords(ticket, 'target')),
  ]
}

/** A distance of a limit counts from its own price, not from the last one: the risk is what is typed. */
function distanceWords(ticket: Ticket, field: 'stop' | 'target'): string {
  const text = plain(ticket[field])
  const isLimit = ticket.kind === 'limit'
  const written = priceWords(isLimit && /^[+-]/.test(text) ? { ...ticket, [field]: `$entry ${text}` } : ticket, field)
  if (!isLimit) return written.replace(/^\$entry ([+-])/, '$1')
  return /^[+-]/.test(written) ? `$last ${written}` : written
}

/** The other way round. */
function distanceText(price: PriceExpression, isLimit: boolean): string {
  const text = priceText(price)
  if (/^[+-]/.test(text)) return isLimit ? `$last ${text}` : text
  return text.replace(/^\$entry ([+-])/, '$1')
}

/** Of the position; without a size, all of it. */
function partWord(ticket: Ticket): readonly string[] {
  return ticket.size.trim() === '' ? [] : [sizeWord(ticket)]
}

function percent(text: string): string {
  return text === '' || text.endsWith('%') ? text : `${text}%`
}

const PARSERS: Readonly<Record<TicketKind, (args: readonly Argument[]) => unknown>> = {
  market: parseOrder,
  limit: parseOrder,
  stop: parseStop,
  chase: parseChase,
  twap: parseTwap,
  scale: parseScale,
}

/** Which field a column is in, by the keyword before it. */
const FIELDS: ReadonlyMap<string, TicketField> = new Map([
  ['into', 'slices'],
  ['over', 'lasts'],
  ['for', 'lasts'],
  ['random', 'random'],
  ['skew', 'skew'],
  ['from', 'from'],
  ['stop', 'stop'],
  ['tp', 'target'],
])

/** Faults of several fields together: slices too close to each other. @throws {FieldFault} */
function checkWhole(line: string, kind: TicketKind): void {
  try {
    const { stages } = parseChain(line)
    PARSERS[kind](stages[0]?.commands[0]?.args ?? [])
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    const keyword = line
      .slice(0, Math.max(0, error.column - 1))
      .split(' ')
      .findLast((word) => FIELDS.has(word))
    throw new FieldFault({ field: FIELDS.get(keyword ?? '') ?? 'size', message: messageOf(error) })
  }
}

// The words that fields become, each read by the grammar and written as the grammar prints it; and the texts of fields, from what a line means.

/** A field that keeps the line from being written. `message` absent: it is empty, and must not be. */
export interface Fault {
  readonly field: TicketField
  readonly message?: string
}

class FieldFault extends Error {
  readonly fault: Fault

  constructor(fault: Fault) {
    super(`${fault.field}: ${fault.message ?? 'empty'}`)
    this.fault = fault
  }
}

/** As people type them: U+2212 for minus, thin spaces before %. */
function plain(text: string): string {
  return text
    .replaceAll('−', '-')
    .replace(/\s+%/g, '%')
    .replace(/^([+-])\s+/, '$1')
    .trim()
    .replace(/\s+/g, ' ')
}

/** @throws {FieldFault} */
function sizeWord({ size, unit }: Ticket): string {
  const amount = plain(size)
  if (amount === '') throw new FieldFault({ field: 'size' })
  if (unit === 'risk') {
    const word = /[%$]/.test(amount) ? amount : `$${amount}`
    return checked('size', () => printRisk(parseRisk(word, 1)))
  }
  const whole = /^\d+$/.test(amount) ? '.0' : ''
  const word = { quote: `$${amount}`, percent: `${amount}%`, base: `${amount}${whole}` }[unit]
  return checked('size', () => printSize(parseSize(word, 1)))
}

/** @returns empty: nothing was typed @throws {FieldFault} */
function priceWords(ticket: Ticket, field: TicketField): string {
  return words(ticket, field, (typed) => {
    const { price, next } = parsePrice(typed, 0, {
      inRisk: field === 'target',
      unsigned: field === 'target' || field === 'stop',
    })
    return { text: priceText(price), next }
  })
}

/** @returns empty: nothing was typed @throws {FieldFault} */
function reachWords(ticket: Ticket, field: TicketField): string {
  return words(ticket, field, (typed) => {
    const { reach, next } = parseReach(typed, 0)
    return { text: reachText(reach), next }
  })
}

/** @returns empty: nothing was typed @throws {FieldFault} */
function durationWord(ticket: Ticket, field: TicketField): string {
  return words(ticket, field, ([word]) => {
    const ms = parseLongDuration(word?.text ?? '', 1)
    return { text: durationText(ms), next: 1 }
  })
}

/** One number as typed; the command checks its range. @returns empty: nothing was typed @throws {FieldFault} */
function numberWord(ticket: Ticket, field: TicketField): string {
  return words(ticket, field, ([word]) => {
    const text = word?.text ?? ''
    if (/^[+-]?[\d.]{1,20}%?$/.test(text)) return { text: text.replace(/^\+/, ''), next: 1 }
    throw new LanguageError('bad-argument', `${text} is not a number`, 1)
  })
}

/** @throws {FieldFault} nothing was typed */
function required(field: TicketField, word: string): string {
  if (word === '') throw new FieldFault({ field })
  return word
}

/** `word` before what was typed; nothing where nothing was. */
function clause(word: string, text: string): readonly string[] {
  return text === '' ? [] : [`${word} ${text}`]
}

type ReadWords = (words: readonly Word[]) => { readonly text: string; readonly next: number }

function words(ticket: Ticket, field: TicketField, read: ReadWords): string {
  const text = plain(ticket[field])
  if (text === '') return ''
  return checked(field, () => {
    const typed = text.split(' ').map((word, index) => ({ kind: 'word' as const, text: word, column: index + 1 }))
    const { text: written, next } = read(typed)
    if (next !== typed.length) throw new LanguageError('bad-argument', `${text} is more than one value`, 1)
    return written
  })
}

function checked(field: TicketField, write: () => string): string {
  try {
    return write()
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    throw new FieldFault({ field, message: messageOf(error) })
  }
}

function messageOf({ message, hint }: LanguageError): string {
  return hint === undefined ? message : `${message}; ${hint}`
}

function priceText({ base, offset }: PriceExpression): string {
  if (base.kind === 'risk') return `${base.multiple}R`
  const start = base.kind === 'absolute' ? base.price : `$${base.anchor}`
  if (offset === undefined) return start
  if (offset.isUnsigned === true) return `${offset.value}%`
  const sign = offset.value.startsWith('-') ? '' : '+'
  const moved = `${sign}${offset.value}${offset.kind === 'percent' ? '%' : ''}`
  return start === '$last' ? moved : `${start} ${moved}`
}

function reachText(reach: Reach): string {
  if (reach.kind === 'price') return priceText(reach.price)
  return reach.unit === 'percent' ? `${reach.value}%` : `$${reach.value}`
}

// The ticket that a line means: the other way round.

/** @param symbol the tab's; undefined where the line means more than a ticket can show */
export function readTicket(line: string, symbol: string): Ticket | undefined {
  try {
    const { stages } = parseChain(line)
    const [step, second] = stages.flatMap(({ commands }) => commands)
    if (step === undefined || second !== undefined || step.links) return undefined
    const read = READERS.get(step.name.toLowerCase())?.(step.args)
    if (read === undefined || read.symbols.some((each) => each !== symbol)) return undefined
    return { ...EMPTY_TICKET, ...read.ticket }
  } catch (error) {
    if (error instanceof LanguageError) return undefined
    throw error
  }
}

interface Read {
  readonly symbols: readonly string[]
  readonly ticket: Partial<Ticket>
}

/** undefined: it means what no ticket shows. */
type Reader = (args: readonly Argument[]) => Read | undefined

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['buy', (args) => readOrder(args, 'buy')],
  ['b', (args) => readOrder(args, 'buy')],
  ['sell', (args) => readOrder(args, 'sell')],
  ['s', (args) => readOrder(args, 'sell')],
  ['stop', readStop],
  ['sl', readStop],
  ['chase', readChase],
  ['twap', readTwap],
  ['scale', readScale],
])

function readOrder(args: readonly Argument[], side: Ticket['side']): Read | undefined {
  const order = parseOrder(args)
  const size = sizeFields(order.size)
  if (order.best || order.timeInForce !== undefined || order.ladder !== undefined || size === undefined)
    return undefined
  return {
    symbols: order.symbols,
    ticket: {
      side,
      ...size,
      kind: order.price ? 'limit' : 'market',
      price: order.price ? priceText(order.price) : '',
      stop: order.stop ? distanceText(order.stop, order.price !== undefined) : '',
      target: order.takeProfit ? distanceText(order.takeProfit, order.price !== undefined) : '',
      reduceOnly: order.reduce,
      postOnly: order.postOnly,
    },
  }
}

function readStop(args: readonly Argument[]): Read | undefined {
  const { symbols, side, size, trigger, limit } = parseStop(args)
  // A stop with a side and no size protects one side only, which the ticket cannot show.
  if (side !== undefined && size === undefined) return undefined
  const sized = size === undefined ? {} : sizeFields(size)
  if (sized === undefined) return undefined
  return {
    symbols,
    ticket: {
      kind: 'stop',
      ...sized,
      aim: side === undefined ? 'protect' : 'enter',
      side: side ?? 'buy',
      trigger: priceText(trigger),
      limit: limit ? priceText(limit) : '',
    },
  }
}

function readChase(args: readonly Argument[]): Read | undefined {
  const intent = parseChase(args)
  if (intent.kind === 'cancel') return undefined
  const { side, symbols, to, lastsMs, rest, reduce } = intent
  const size = sizeFields(intent.size)
  if (size === undefined) return undefined
  return {
    symbols,
    ticket: {
      kind: 'chase',
      side,
      ...size,
      rest,
      reduceOnly: reduce,
      reach: to ? reachText(to) : '',
      lasts: lastsMs === undefined ? '' : durationText(lastsMs),
    },
  }
}

function readTwap(args: readonly Argument[]): Read | undefined {
  const { side, symbols, size: typed, slices, durationMs, random, limit, reduce, ...bracket } = parseTwap(args)
  const size = sizeFields(typed)
  if (size === undefined || hasBracket(bracket)) return undefined
  return {
    symbols,
    ticket: {
      kind: 'twap',
      side,
      ...size,
      slices: String(slices),
      lasts: durationText(durationMs),

      random: random === undefined ? '' : `${random}%`,
      beyond: limit ? priceText(limit) : '',
      reduceOnly: reduce,
    },
  }
}

function readScale(args: readonly Argument[]): Read | undefined {
  const { side, symbol, size: typed, count, from, to, skew, sizeSkew, postOnly, reduce, ...bracket } = parseScale(args)
  const size = sizeFields(typed)
  if (size === undefined || !/^-?0(\.0*)?$/.test(sizeSkew) || hasBracket(bracket)) return undefined
  return {
    symbols: symbol === undefined ? [] : [symbol],
    ticket: {
      kind: 'scale',
      side,
      ...size,
      slices: String(count),
      from: priceText(from),
      to: priceText(to),
      skew: /^-?0(\.0*)?$/.test(skew) ? '' : skew,
      postOnly,
      reduceOnly: reduce,
    },
  }
}

/** The ticket has no control for it where an order is sent in parts: the stop would be gone. */
function hasBracket({ stop, takeProfit }: Pick<OrderIntent, 'stop' | 'takeProfit'>): boolean {
  return stop !== undefined || takeProfit !== undefined
}

/** undefined: the ticket has no control for such a size. */
function sizeFields(size: Size | RiskSize): Pick<Ticket, 'size' | 'unit'> | undefined {
  if (size.kind === 'risk') return { size: 'percent' in size ? `${size.percent}%` : size.amount, unit: 'risk' }
  if (size.kind === 'account') return undefined
  if (size.kind !== 'percent') return { size: size.amount, unit: size.kind }
  return size.of === undefined ? { size: size.percent, unit: 'percent' } : undefined
}

// The line of the ticket: what the controls write, or what a person made of it.

/** By hand: the controls follow where they can show it. */
export function editLine(line: string, symbol: string): void {
  const read = readTicket(line, symbol)
  const isFollowed = read !== undefined || line.trim() === ''
  useTicket.setState({ ...read, typed: line, isFollowed, replaced: undefined, ownUnit: undefined, switched: undefined })
}

/** The line to run. */
export function lineOf(state: TicketState, symbol: string): Written {
  if (state.typed === undefined) return writeTicket(state, symbol)
  return state.typed.trim() === '' ? { field: 'size' } : { line: state.typed.trim() }
}

// Where in a line a mistake is: as much of the line as fits a narrow ticket, and a caret under the place.

const WIDTH = 34

/** Two lines. @param column from 1; behind the line points behind it */
export function caretUnder(line: string, column: number): string {
  const at = Math.min(Math.max(Math.trunc(column), 1), line.length + 1) - 1
  const start = Math.max(0, Math.min(at - WIDTH / 2, line.length + 1 - WIDTH))
  const part = line.slice(start, start + WIDTH)
  const shown = `${start > 0 ? '…' : ''}${start > 0 ? part.slice(1) : part}`
  return `${printable(shown)}\n${' '.repeat(at - start)}^`
}
