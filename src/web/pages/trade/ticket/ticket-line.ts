// The line that a ticket writes. The grammar is the real one: what it would refuse is not written.
import type { Argument } from '../../../../language/chain.ts'
import { parseChase } from '../../../../language/chase.ts'
import { LanguageError } from '../../../../language/language-error.ts'
import { parseOrder, parseStop } from '../../../../language/order.ts'
import { parseChain } from '../../../../language/parse.ts'
import { parseScale } from '../../../../language/placing.ts'
import { printText } from '../../../../language/print.ts'
import { parseTwap } from '../../../../language/twap.ts'
import type { Ticket, TicketField, TicketKind } from './ticket.ts'
import {
  clause,
  durationWord,
  type Fault,
  FieldFault,
  messageOf,
  numberWord,
  priceWords,
  reachWords,
  required,
  sizeWord,
} from './ticket-words.ts'

export type Written = { readonly line: string } | Fault

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

/** It may come from the address of the page. @throws {FieldFault} */
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

function protection(ticket: Ticket): readonly string[] {
  return [...clause('stop', priceWords(ticket, 'stop')), ...clause('tp', priceWords(ticket, 'target'))]
}

/** Of what is held; without a size, all of it. */
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

/** What no field says alone: slices too close together. @throws {FieldFault} */
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
