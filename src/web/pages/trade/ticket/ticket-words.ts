// The words that fields become, each read by the grammar and written as the grammar prints it; and the texts of fields, from what a line means.
import type { Word } from '../../../../language/chain.ts'
import { LanguageError } from '../../../../language/language-error.ts'
import { parseLongDuration } from '../../../../language/long-duration.ts'
import { type PriceExpression, parsePrice } from '../../../../language/price.ts'
import { parseReach, type Reach } from '../../../../language/reach.ts'
import { parseSize, type Size } from '../../../../language/size.ts'
import { durationText } from '../../../preview/duration-text.ts'
import type { Ticket, TicketField } from './ticket.ts'

/** A field that keeps the line from being written. `message` absent: it is empty, and must not be. */
export interface Fault {
  readonly field: TicketField
  readonly message?: string
}

export class FieldFault extends Error {
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
export function sizeWord({ size, unit }: Ticket): string {
  const amount = plain(size).replace(/^\$|\$$|%$/g, '')
  if (amount === '') throw new FieldFault({ field: 'size' })
  const whole = /^\d+$/.test(amount) ? '.0' : ''
  const word = { quote: `$${amount}`, percent: `${amount}%`, base: `${amount}${whole}` }[unit]
  return checked('size', () => sizeText(parseSize(word, 1)))
}

/** @returns empty: nothing was typed @throws {FieldFault} */
export function priceWords(ticket: Ticket, field: TicketField): string {
  return words(ticket, field, (typed) => {
    const { price, next } = parsePrice(typed, 0)
    return { text: priceText(price), next }
  })
}

/** @returns empty: nothing was typed @throws {FieldFault} */
export function reachWords(ticket: Ticket, field: TicketField): string {
  return words(ticket, field, (typed) => {
    const { reach, next } = parseReach(typed, 0)
    return { text: reachText(reach), next }
  })
}

/** @returns empty: nothing was typed @throws {FieldFault} */
export function durationWord(ticket: Ticket, field: TicketField): string {
  return words(ticket, field, ([word]) => {
    const ms = parseLongDuration(word?.text ?? '', 1)
    return { text: durationText(ms), next: 1 }
  })
}

/** One number as it is; what it may be is said by the command it goes to. @returns empty: nothing was typed @throws {FieldFault} */
export function numberWord(ticket: Ticket, field: TicketField): string {
  return words(ticket, field, ([word]) => {
    const text = word?.text ?? ''
    if (/^[+-]?[\d.]{1,20}%?$/.test(text)) return { text: text.replace(/^\+/, ''), next: 1 }
    throw new LanguageError('bad-argument', `${text} is not a number`, 1)
  })
}

/** @throws {FieldFault} nothing was typed */
export function required(field: TicketField, word: string): string {
  if (word === '') throw new FieldFault({ field })
  return word
}

/** `word` before what was typed; nothing where nothing was. */
export function clause(word: string, text: string): readonly string[] {
  return text === '' ? [] : [`${word} ${text}`]
}

type Read = (words: readonly Word[]) => { readonly text: string; readonly next: number }

function words(ticket: Ticket, field: TicketField, read: Read): string {
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

export function messageOf({ message, hint }: LanguageError): string {
  return hint === undefined ? message : `${message}; ${hint}`
}

export function sizeText(size: Size): string {
  if (size.kind === 'quote') return `$${size.amount}`
  if (size.kind === 'percent')
    return `${size.percent}%${size.of === undefined ? '' : size.of === 'balance' ? 'bal' : 'pos'}`
  // A bare whole number from 100 up would be refused as money without its dollar.
  return size.amount.includes('.') || size.amount.length < 3 ? size.amount : `${size.amount}.0`
}

export function priceText({ base, offset }: PriceExpression): string {
  const start = base.kind === 'absolute' ? base.price : `$${base.anchor}`
  if (offset === undefined) return start
  const sign = offset.value.startsWith('-') ? '' : '+'
  const moved = `${sign}${offset.value}${offset.kind === 'percent' ? '%' : ''}`
  return start === '$last' ? moved : `${start} ${moved}`
}

export function reachText(reach: Reach): string {
  if (reach.kind === 'price') return priceText(reach.price)
  return reach.unit === 'percent' ? `${reach.value}%` : `$${reach.value}`
}
