// The line of the ticket: what the controls write, or what a person made of it.
import { type Written, writeTicket } from './ticket-line.ts'
import { readTicket } from './ticket-read.ts'
import { type TicketState, useTicket } from './ticket-store.ts'

/** By hand: the controls follow where they can show it. */
export function editLine(line: string, symbol: string): void {
  const read = readTicket(line, symbol)
  useTicket.setState({ ...read, typed: line, isFollowed: read !== undefined || line.trim() === '' })
}

/** What runs. */
export function lineOf(state: TicketState, symbol: string): Written {
  if (state.typed === undefined) return writeTicket(state, symbol)
  return state.typed.trim() === '' ? { field: 'size' } : { line: state.typed.trim() }
}
