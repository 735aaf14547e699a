// The line that a ticket writes, and the ticket that a line means. The grammar is the real one: what it would refuse is not written.

import { LanguageError } from '../../../../language/language-error.ts'
import { type OrderIntent, parseOrder } from '../../../../language/order.ts'
import { parseChain } from '../../../../language/parse.ts'
import { type PriceExpression, parsePrice } from '../../../../language/price.ts'
import { parseSize, type Size } from '../../../../language/size.ts'
import type { Ticket, TicketField } from './ticket.ts'

export type Written =
  | { readonly line: string }
  /** `message` absent: the field is empty, and must not be. */
  | { readonly field: TicketField; readonly message?: string }

export function writeTicket(ticket: Ticket, symbol: string): Written {
  const isLimit = ticket.kind === 'limit'
  const size = sizeWord(ticket)
  if (typeof size !== 'string') return size
  const prices: [TicketField, word: string, text: string][] = [
    ['price', 'at', isLimit ? ticket.price : ''],
    ['stop', 'stop', ticket.stop],
    ['target', 'tp', ticket.target],
  ]
  const clauses: string[] = []
  for (const [field, word, text] of prices) {
    const written = priceWords(field, text)
    if (typeof written !== 'string') return written
    if (written !== '') clauses.push(`${word} ${written}`)
    if (field !== 'price') continue
    if (isLimit && written === '') return { field }
    if (isLimit && ticket.postOnly) clauses.push('po')
    if (ticket.reduceOnly) clauses.push('reduce')
  }
  return { line: [ticket.side, size, symbol, ...clauses].join(' ') }
}

/** @param symbol the tab's; undefined where the line means more than a ticket can show */
export function readTicket(line: string, symbol: string): Ticket | undefined {
  const intent = intentOf(line)
  if (intent === undefined) return undefined
  const { side, order } = intent
  const isOfTab = order.symbols.length === 0 || (order.symbols.length === 1 && order.symbols[0] === symbol)
  const { size } = order
  if (!isOfTab || order.best || order.timeInForce !== undefined) return undefined
  if (size.kind === 'percent' && size.of !== undefined) return undefined
  return {
    side,
    kind: order.price ? 'limit' : 'market',
    size: size.kind === 'percent' ? size.percent : size.amount,
    unit: size.kind,
    price: order.price ? priceText(order.price) : '',
    stop: order.stop ? priceText(order.stop) : '',
    target: order.takeProfit ? priceText(order.takeProfit) : '',
    reduceOnly: order.reduce,
    postOnly: order.postOnly,
  }
}

const SIDES: ReadonlyMap<string, Ticket['side']> = new Map([
  ['buy', 'buy'],
  ['b', 'buy'],
  ['sell', 'sell'],
  ['s', 'sell'],
])

/** undefined: it is not one order. */
function intentOf(line: string): { readonly side: Ticket['side']; readonly order: OrderIntent } | undefined {
  try {
    const { stages } = parseChain(line)
    const [step, second] = stages.flatMap(({ commands }) => commands)
    const side = SIDES.get(step?.name.toLowerCase() ?? '')
    if (step === undefined || second !== undefined || step.links || side === undefined) return undefined
    return { side, order: parseOrder(step.args) }
  } catch (error) {
    if (error instanceof LanguageError) return undefined
    throw error
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

function sizeWord({ size, unit }: Ticket): string | Exclude<Written, { line: string }> {
  const amount = plain(size).replace(/^\$|\$$|%$/g, '')
  if (amount === '') return { field: 'size' }
  return checked('size', () =>
    sizeText(
      parseSize(
        unit === 'quote'
          ? `$${amount}`
          : unit === 'percent'
            ? `${amount}%`
            : `${amount}${/^\d+$/.test(amount) ? '.0' : ''}`,
        1,
      ),
    ),
  )
}

function sizeText(size: Size): string {
  if (size.kind === 'quote') return `$${size.amount}`
  if (size.kind === 'percent')
    return `${size.percent}%${size.of === undefined ? '' : size.of === 'balance' ? 'bal' : 'pos'}`
  // A bare whole number from 100 up would be refused as money without its dollar.
  return size.amount.includes('.') || size.amount.length < 3 ? size.amount : `${size.amount}.0`
}

function priceWords(field: TicketField, typed: string): string | Exclude<Written, { line: string }> {
  const text = plain(typed)
  if (text === '') return ''
  return checked(field, () => {
    const words = text.split(' ').map((word, index) => ({ kind: 'word' as const, text: word, column: index + 1 }))
    const { price, next } = parsePrice(words, 0)
    if (next !== words.length) throw new LanguageError('bad-price', `${typed} is more than one price`, 1)
    return priceText(price)
  })
}

function checked(field: TicketField, write: () => string): string | Exclude<Written, { line: string }> {
  try {
    return write()
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    return { field, message: error.hint === undefined ? error.message : `${error.message}; ${error.hint}` }
  }
}

function priceText({ base, offset }: PriceExpression): string {
  const start = base.kind === 'absolute' ? base.price : `$${base.anchor}`
  if (offset === undefined) return start
  const sign = offset.value.startsWith('-') ? '' : '+'
  const moved = `${sign}${offset.value}${offset.kind === 'percent' ? '%' : ''}`
  return start === '$last' ? moved : `${start} ${moved}`
}
